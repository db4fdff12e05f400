package import NostrCrypto
package import NostrEvents

/// What waits on a connection to reach its consumers, in the order in which it came. `request` is the number of a REQ.
package enum LaneEntry: Sendable {
    /// An EVENT message, to be checked.
    case message([UInt8], MatchRule, request: Int)
    /// A copy of an event that has been seen.
    case duplicate(EventID, createdAt: Int64, request: Int)
    /// Anything else, which must not overtake events.
    case control(RequestSignal)
}

/// What leaves the lane.
package enum LaneOutput: Sendable {
    case checked(CheckedEvent, request: Int)
    case control(RequestSignal)
}

/// Something that happened, in order with the events.
package enum RequestSignal: Sendable {
    /// To a REQ.
    case endOfStoredEvents(EndOfStoredEventsHints, request: Int)
    /// To a REQ.
    case closed(StatusMessage, request: Int)
    /// A REQ was replaced by another: nothing more comes of it.
    case replaced(request: Int)
    /// A request of a consumer has lost its REQs.
    case interrupted(TransportError?, token: Int, requests: [Int])
}

/// Cuts what comes into chunks that are checked in parallel, and gives the results back in order. It does no checking
/// itself and knows no threads.
///
/// Chunks of 16 events with twice as many chunks in flight as there are cores keep all cores busy; smaller ones cost more
/// in hops than they bring, and larger ones wait for each other.
package struct VerificationLane {
    package static let eventsPerChunk = 16
    static let entriesPerChunk = 1_024

    package struct Chunk: Sendable {
        package let number: Int
        let entries: [LaneEntry]
        let messages: Int
        let bytes: Int

        /// The work, which belongs on no event loop unless it is small.
        package func check(keys: PublicKeyCache) -> [LaneOutput] {
            entries.map { entry in
                switch entry {
                case .message(let bytes, let rule, let request):
                    .checked(rule.check(bytes, keys: keys), request: request)
                case .duplicate(let id, let time, let request):
                    .checked(.duplicate(id, createdAt: time), request: request)
                case .control(let signal): .control(signal)
                }
            }
        }
    }

    private let chunksInFlight: Int
    private var waiting: [LaneEntry] = []
    private var waitingIndex = 0
    private var nextNumber = 0
    private var nextReleased = 0
    private var finished: [Int: [LaneOutput]] = [:]
    private var sizes: [Int: (entries: Int, bytes: Int)] = [:]
    /// Entries that came in and have not left, and the bytes of their messages.
    private(set) var count = 0
    private(set) var bytes = 0

    package init(cores: Int) {
        chunksInFlight = max(1, cores) * 2
    }

    var isEmpty: Bool { count == 0 }

    package mutating func append(_ entry: LaneEntry) {
        waiting.append(entry)
        count += 1
        if case .message(let message, _, _) = entry { bytes += message.count }
    }

    /// The next chunk to check; nil if there is none or enough are being checked.
    package mutating func nextChunk() -> Chunk? {
        guard waitingIndex < waiting.count, nextNumber - nextReleased < chunksInFlight else { return nil }
        var entries: [LaneEntry] = []
        var messages = 0
        var bytes = 0
        while waitingIndex < waiting.count, messages < Self.eventsPerChunk, entries.count < Self.entriesPerChunk {
            let entry = waiting[waitingIndex]
            if case .message(let message, _, _) = entry {
                messages += 1
                bytes += message.count
            }
            entries.append(entry)
            waitingIndex += 1
        }
        if waitingIndex == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.count <= 4_096)
            waitingIndex = 0
        } else if waitingIndex >= 4_096 {
            waiting.removeFirst(waitingIndex)
            waitingIndex = 0
        }
        defer { nextNumber += 1 }
        sizes[nextNumber] = (entries.count, bytes)
        return Chunk(number: nextNumber, entries: entries, messages: messages, bytes: bytes)
    }

    /// Whether this chunk is all there is in the lane.
    func isAlone(_ chunk: Chunk) -> Bool {
        count == chunk.entries.count
    }

    package mutating func finish(_ number: Int, _ outputs: [LaneOutput]) {
        finished[number] = outputs
    }

    /// The results that are next in order; nil if they are not there yet.
    package mutating func release() -> [LaneOutput]? {
        guard let outputs = finished.removeValue(forKey: nextReleased) else { return nil }
        let size = sizes.removeValue(forKey: nextReleased) ?? (0, 0)
        count -= size.entries
        bytes -= size.bytes
        nextReleased += 1
        return outputs
    }
}
