import NostrCrypto

/// Carries announcements to push services beside everything else: what becomes of one never holds up or fails what it is about.
actor PushCourier {
    /// So many wait; then the oldest gives way.
    static let capacity = 64
    /// An announcement that could not be made so long after the sending is given up.
    static let lifetime: Duration = .seconds(60)
    /// What is waited before an announcement is made again; a service tells nobody twice.
    static let pauses: [Duration] = [.seconds(2), .seconds(8)]

    private struct Letter {
        let announcement: PushAnnouncement
        let members: [Bytes32]
        let client: PushClient
        let deadline: ContinuousClock.Instant
    }

    /// How many a service has taken.
    private(set) var announced = 0
    /// How many no service has taken.
    private(set) var failed = 0
    private var waiting: [Letter] = []
    private var work: Task<Void, Never>?
    private var pause: Task<Void, Never>?
    private var isFinishing = false

    /// How many wait, without the one that is on its way.
    var waitingCount: Int { waiting.count }

    /// Takes an announcement and returns at once.
    func announce(_ announcement: PushAnnouncement, to members: [Bytes32], through client: PushClient) {
        if waiting.count >= Self.capacity {
            waiting.removeFirst()
            failed += 1
        }
        waiting.append(
            Letter(
                announcement: announcement,
                members: members,
                client: client,
                deadline: ContinuousClock.now + Self.lifetime
            )
        )
        guard work == nil else { return }
        work = Task { await carry() }
    }

    /// An announcement that cannot even be tried.
    func fail() {
        failed += 1
    }

    /// Waits until what is here was carried, once each; what is not after a time is dropped, and all of it when the waiting task is
    /// cancelled.
    func finish(within time: Duration) async {
        isFinishing = true
        pause?.cancel()
        guard let work else { return }
        let timer = Task {
            do { try await Task.sleep(for: time) } catch { return }
            work.cancel()
        }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        timer.cancel()
    }

    private func carry() async {
        while !waiting.isEmpty {
            if await isTaken(waiting.removeFirst()) { announced += 1 } else { failed += 1 }
        }
        work = nil
    }

    private func isTaken(_ letter: Letter) async -> Bool {
        var pauses = Self.pauses[...]
        while !Task.isCancelled, ContinuousClock.now < letter.deadline {
            switch await letter.client.announce(letter.announcement, to: letter.members) {
            case .success: return true
            case .failure(let error):
                guard error.mayPass, let time = pauses.popFirst() else { return false }
                await wait(time)
                if isFinishing { return false }
            }
        }
        return false
    }

    private func wait(_ time: Duration) async {
        guard !isFinishing else { return }
        let pause = Task { _ = try? await Task.sleep(for: time) }
        self.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        self.pause = nil
    }
}

extension PushClientError {
    /// Whether the same may succeed later.
    var mayPass: Bool {
        switch self {
        case .connection, .tooManyRequests, .unavailable: true
        case .invalidAddress, .insecureAddress, .notAuthorized, .refused, .unexpectedAnswer: false
        }
    }
}
