/// What a relay says about stored events it has not sent (NIP-67). Hints this package does not know are left out.
public struct EndOfStoredEventsHints: OptionSet, Sendable {
    /// A bit for each hint; not what is sent.
    public let rawValue: UInt8

    /// The hints of their bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Every stored event that matches was sent.
    public static let finish = EndOfStoredEventsHints(rawValue: 1)
    /// There are more stored events that match than were sent.
    public static let more = EndOfStoredEventsHints(rawValue: 2)

    static let names: [(hint: EndOfStoredEventsHints, name: String)] = [(.finish, "finish"), (.more, "more")]
}
