/// Finds the id in the bytes of an event.
public enum EventScanner {
    /// The value of the key `id` of the event that begins `event`, found without checking or copying anything; nil if
    /// there is none. It is a claim: only ``Event`` proves an id.
    public static func eventID(_ event: RawSpan) -> EventID? {
        var scanner = RawScanner(position: 0)
        return scanner.eventID(event)
    }

    /// The value of the key `id` of the event that begins `event`; nil if there is none.
    public static func eventID(_ event: [UInt8]) -> EventID? {
        event.withRawSpan { eventID($0) }
    }
}
