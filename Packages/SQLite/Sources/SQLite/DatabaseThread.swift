#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of its own that runs the work of actors, for work that blocks: waiting for a disk on Swift's shared threads
/// would keep everybody else waiting.
///
/// An actor uses it by returning it from `unownedExecutor`; jobs run in the order they came. The thread ends when the last
/// reference is gone.
///
/// ```swift
/// actor Archive {
///     private let thread = DatabaseThread()
///     nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
/// }
/// ```
public final class DatabaseThread: SerialExecutor {
    private let queue: JobQueue

    /// Starts the thread.
    public init() {
        queue = JobQueue()
        queue.start()
    }

    deinit {
        queue.stop()
    }

    /// Runs a job of an actor on this thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(.job(UnownedJob(job)), for: self)
    }

    /// Runs a closure on this thread, in its turn among the jobs of actors: a way to an actor's `assumeIsolated` from code that is not
    /// asynchronous, without a task that another thread would have to start.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        queue.add(.call(body), for: self)
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(queue.isCurrentThread, "code of an actor on a DatabaseThread ran on another thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        queue.isCurrentThread
    }
}

/// What one thread has to do.
///
/// `@unchecked Sendable`: `jobs`, `isStopped` and `thread` are touched only between `lock` and `unlock` of the mutex, which
/// lives as long as the queue.
private final class JobQueue: @unchecked Sendable {
    enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// It holds the executor until the work is done, so that it cannot end underneath.
    private struct Entry {
        let work: Work
        let executor: DatabaseThread
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [Entry] = []
    private var isStopped = false
    private var thread: pthread_t?

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    var isCurrentThread: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    func add(_ work: Work, for executor: DatabaseThread) {
        pthread_mutex_lock(mutex)
        jobs.append(Entry(work: work, executor: executor))
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    func stop() {
        pthread_mutex_lock(mutex)
        isStopped = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        #if canImport(Darwin)
            var created: pthread_t?
        #else
            var created = pthread_t()
        #endif
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let code = pthread_create(&created, nil, threadEntry, context)
        // Without a thread no job would ever run, and there is nobody to tell: the same as being out of memory.
        precondition(code == 0, "the system has no thread left")
        thread = created
        if let thread { pthread_detach(thread) }
    }

    /// Does what there is until there is nothing and there will be nothing.
    func run() {
        while true {
            pthread_mutex_lock(mutex)
            while jobs.isEmpty && !isStopped { pthread_cond_wait(condition, mutex) }
            let batch = jobs
            jobs = []
            pthread_mutex_unlock(mutex)
            if batch.isEmpty { return }
            for entry in batch {
                switch entry.work {
                case .job(let job): job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
                case .call(let body): body()
                }
            }
        }
    }
}

#if canImport(Darwin)
    private let threadEntry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
#else
    private let threadEntry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
#endif
