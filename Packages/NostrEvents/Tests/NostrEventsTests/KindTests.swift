import NostrEvents
import Testing

@Test func kindsAreOrderedByTheirNumber() {
    #expect(Kind(rawValue: 1) < Kind(rawValue: 7))
}

@Test(
    arguments: [
        (0, Kind.Retention.replaceable), (1, .regular), (2, .regular), (3, .replaceable), (4, .regular), (44, .regular),
        (45, .regular), (999, .regular), (1_000, .regular), (9_999, .regular), (10_000, .replaceable),
        (19_999, .replaceable), (20_000, .ephemeral), (29_999, .ephemeral), (30_000, .addressable),
        (39_999, .addressable),
        (40_000, .regular), (65_535, .regular),
    ] as [(UInt16, Kind.Retention)]
)
func theNumberOfAKindSaysHowLongItsEventsAreKept(number: UInt16, retention: Kind.Retention) {
    #expect(Kind(rawValue: number).retention == retention)
}
