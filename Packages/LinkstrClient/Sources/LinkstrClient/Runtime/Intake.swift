import LinkstrSessions
import NostrEvents

/// Takes in what several relays send. While a batch is opened and stored, relays send on and what they send is verified; it is the next
/// batch then.
actor Intake {
    private let ingest: Ingest
    private let progress: (@Sendable (Int) -> Void)?
    private(set) var report = AccountRuntime.Report()
    private(set) var failure: SessionStoreError?
    private var read = 0
    private var waiting: [Event] = []
    /// What the waiting events hold.
    private(set) var waitingBytes = 0
    private var batch: Task<Void, Never>?

    /// Opens and stores gift wraps.
    typealias Ingest =
        @Sendable ([Event]) async throws(SessionStoreError) -> (opened: Int, refused: Int, effects: [SessionEffect])

    /// With so many waiting relays are not read on, nor with so much: anybody can send this account large ones.
    static let mostWaiting = 1_000
    static let mostBytes = 8 << 20

    init(progress: (@Sendable (Int) -> Void)?, ingest: @escaping Ingest) {
        self.progress = progress
        self.ingest = ingest
    }

    var isFull: Bool { waiting.count >= Self.mostWaiting || waitingBytes >= Self.mostBytes }

    /// Takes note of gift wraps that came; waits while too many do.
    func take(_ events: [Event]) async {
        guard failure == nil else { return }
        waiting += events
        waitingBytes += events.reduce(0) { $0 + $1.json.count }
        takeNext()
        while isFull, let batch { await batch.value }
    }

    /// Waits until everything is taken in.
    func finish() async {
        while let batch { await batch.value }
    }

    private func takeNext() {
        guard batch == nil, failure == nil, !waiting.isEmpty else { return }
        let events = removeWaiting()
        batch = Task { await run(events) }
    }

    private func removeWaiting() -> [Event] {
        defer { (waiting, waitingBytes) = ([], 0) }
        return waiting
    }

    private func run(_ events: [Event]) async {
        do throws(SessionStoreError) {
            let (opened, refused, effects) = try await ingest(events)
            report.opened += opened
            report.refused += refused
            report.effects += effects
        } catch {
            failure = error
            _ = removeWaiting()
        }
        read += events.count
        progress?(read)
        batch = nil
        takeNext()
    }
}
