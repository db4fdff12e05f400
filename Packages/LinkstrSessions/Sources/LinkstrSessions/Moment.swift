public import NostrEvents

/// When a rumor says it was written, with its id for the tie: what every decision between two facts looks at.
///
/// The later time is greater; of two at one time the greater id is (state order). A fact's own claim is all there is: the
/// time is neither the wrap's nor the moment of arrival.
public struct Moment: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Seconds since 1970, from 0 to 2^53 - 1.
    public let time: Int64
    /// The rumor.
    public let id: EventID

    /// The times that a rumor can have.
    public static let times: ClosedRange<Int64> = 0...(1 << 53 - 1)

    /// The moment of a rumor.
    public init(time: Int64, id: EventID) {
        self.time = time
        self.id = id
    }

    public static func < (left: Moment, right: Moment) -> Bool {
        left.time != right.time ? left.time < right.time : left.id < right.id
    }
}
