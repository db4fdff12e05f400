import Sockets

/// Tasks that wait for something to happen on a relay connection, to which the list belongs.
struct WaiterList {
    private var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    private var lastID = 0

    var isEmpty: Bool { waiters.isEmpty }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        waiters.append((id, continuation))
    }

    mutating func resumeAll(_ value: Bool) {
        let waiters = self.waiters
        self.waiters = []
        for waiter in waiters { waiter.continuation.resume(returning: value) }
    }

    mutating func cancel(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: false)
    }
}

extension RelayConnection {
    /// Waits until the connection is open, or known not to become so. False if it is not, or when the task is cancelled.
    func waitForOpening() async -> Bool {
        let id = openWaiters.newID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    self.openWaiters.add(id, continuation)
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.openWaiters.cancel(id) } }
        }
    }

    /// Waits until this client has authenticated. False if it has not, or when the task is cancelled.
    ///
    /// - Parameter begin: called when the task is on the list, so that nothing that it causes can be missed.
    func waitForAuthentication(begin: () -> Void) async -> Bool {
        let id = authenticationWaiters.newID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    self.authenticationWaiters.add(id, continuation)
                    begin()
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.authenticationWaiters.cancel(id) } }
        }
    }
}
