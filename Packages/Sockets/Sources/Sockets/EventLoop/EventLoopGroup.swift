import Locking
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A few loops among which connections are spread.
public final class EventLoopGroup: Sendable {
    private let count: Int
    /// Empty until they are asked for.
    private let started: Locked<[EventLoop]>
    private let turn = Atomic<Int>(0)

    /// The group of the process: a loop for every two cores, from one to four. They are started when one is asked for; a
    /// program that is short of descriptors can free some and ask again.
    public static let shared: EventLoopGroup = {
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return EventLoopGroup(startingLater: min(4, max(1, cores / 2)))
    }()

    private init(startingLater count: Int) {
        self.count = count
        started = Locked([])
    }

    /// Starts loops.
    ///
    /// - Throws: ``SocketsError/tooManyDescriptors``, or ``SocketsError/system(call:code:)`` when there can be no more
    ///   threads. Nothing stays started then.
    public init(count: Int) throws(SocketsError) {
        self.count = max(1, count)
        started = Locked(try Self.start(self.count))
    }

    /// A group of loops that exist already.
    public init(_ first: EventLoop, _ others: EventLoop...) {
        count = 1 + others.count
        started = Locked([first] + others)
    }

    /// The loops, at least one. From anywhere.
    ///
    /// - Throws: as ``init(count:)``, from the group of the process, whose loops are started by this.
    public func loops() throws(SocketsError) -> [EventLoop] {
        let running = started.withLock { $0 }
        guard running.isEmpty else { return running }
        let new = try Self.start(count)
        // Whoever was slower drops what he started.
        return started.withLock { started in
            if started.isEmpty { started = new }
            return started
        }
    }

    /// The loop whose turn it is. From anywhere.
    ///
    /// - Throws: as ``loops()``.
    public func next() throws(SocketsError) -> EventLoop {
        let loops = try loops()
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: index) % UInt(loops.count))]
    }

    private static func start(_ count: Int) throws(SocketsError) -> [EventLoop] {
        var loops: [EventLoop] = []
        for _ in 0..<count { loops.append(try EventLoop()) }
        return loops
    }
}
