/// The time at which an event stops to count (NIP-40).
public enum Expiration {
    /// The tag that lets an event expire.
    /// - Parameter time: Seconds since 1970.
    public static func tag(at time: Int64) -> Tag {
        Tag("expiration", String(time))
    }

    /// When the event expires, in seconds since 1970: the value of the first `expiration` tag. Nil if there is none, or if it
    /// is no integer from 0 to 2^63 - 1 written with digits alone, so that a malformed tag deletes nothing.
    public static func time(in tags: some Sequence<Tag>) -> Int64? {
        guard let value = tags.first(where: { $0.name == "expiration" })?.value else { return nil }
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(value)
    }

    /// Whether the event has expired.
    /// - Parameters:
    ///   - now: Seconds since 1970. Where the own clock may have been set back, pass the later one of it and what relays show.
    ///   - tolerance: How many seconds the clocks may differ before an event counts as expired.
    public static func hasExpired(_ tags: some Sequence<Tag>, now: Int64, tolerance: Int64 = 0) -> Bool {
        guard let time = time(in: tags) else { return false }
        let (end, overflow) = time.addingReportingOverflow(max(0, tolerance))
        return !overflow && end <= now
    }
}
