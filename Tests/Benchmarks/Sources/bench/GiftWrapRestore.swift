import Dispatch
import Foundation
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import SQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A restore from the text of wraps to committed facts: parse, open on all cores, read the payload, apply and commit in batches of
/// 500, while the next batch is opened already.
enum GiftWrapRestore {
    static let name = "restore of gift wraps"
    private static let batch = 500

    static func run(count: Int) async throws -> [Outcome] {
        let folder = NSTemporaryDirectory() + "linkstr-restore-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let owner = KeyPair.generate()
        try write(count, for: owner, to: folder + "/wraps.jsonl")

        let floors = try floors()
        let store = try await SessionStore.open(
            .file(folder + "/sessions.sqlite"),
            owner: owner.publicKey.bytes,
            key: SecretBytes([UInt8](repeating: 7, count: 32))
        )
        let reader = GiftWrapReader(opener: GiftWrapOpener(owner: owner))
        let lines = try Lines(folder + "/wraps.jsonl")
        let before = residentMemory()
        var most = before
        let start = ContinuousClock.now
        let processor = processorSeconds()
        var opened = try await open(lines, reader)
        while let ready = opened {
            async let next = open(lines, reader)
            let arrivals = ready.compactMap { message -> Arrival? in
                guard let fact = try? Fact(message.rumor, sender: message.sender.bytes) else { return nil }
                let wrap = WrapReference(id: message.wrapID, recipient: owner.publicKey.bytes)
                return Arrival(fact, source: .historical, wraps: [wrap])
            }
            _ = try await store.apply(arrivals, now: 2_000_000_000)
            for message in ready { reader.confirm(message) }
            most = max(most, residentMemory())
            opened = try await next
        }
        _ = try await store.completeRestore()
        let each = seconds(since: start) / Double(count)
        let spent = (processorSeconds() - processor) / Double(count)
        guard let session = try await store.sessions(countingUnreadUpTo: 1).first,
            try await !store.feed(FeedQuery(session: session.id, limit: 1)).items.isEmpty
        else { throw CancellationError() }
        try await store.close()
        let ratio = floors[0].seconds / each
        let curve = Measurement([try PreparedWraps(200).openingFloor(isKnown: true)], rounds: 20, turn: 0.002).seconds[
            0
        ]
        return [
            Outcome(
                work: name,
                size: count,
                unit: "wraps",
                microseconds: each * 1e6,
                allocations: nil,
                floors: floors.map { floor in
                    Outcome.Floor(
                        name: floor.name,
                        microseconds: floor.seconds * 1e6,
                        ratio: floor.seconds / each
                    )
                } + [
                    Outcome.Floor(
                        name: "in processor time",
                        microseconds: curve * 1e6,
                        ratio: curve / spent
                    )
                ],
                exponent: nil,
                targets: [
                    ">= 0.85 of 2 verify + ECDH",
                    String(
                        format: "%.1f MB, %.1f MB at the start, %.1f us of processor time",
                        Double(most) / 1e6,
                        Double(before) / 1e6,
                        spent * 1e6
                    ),
                ],
                reached: [ratio >= 0.85, true]
            )
        ]
    }

    /// What opening costs at least, on all cores.
    private static func floors() throws -> [(name: String, seconds: Double)] {
        let prepared = try PreparedWraps(200)
        var curve = Double.infinity
        var calls = Double.infinity
        for _ in 0..<20 {
            curve = min(curve, GiftWrapCores.onAllCores(200) { prepared.openingFloor(isKnown: true) })
            let whole = try GiftWrapCores.onAllCores(200) {
                let (curve, symmetric) = (
                    prepared.openingFloor(isKnown: true), try prepared.symmetricFloor(encrypting: false)
                )
                return {
                    curve()
                    symmetric()
                }
            }
            calls = min(calls, whole)
        }
        return [("2 verify + ECDH, all cores", curve), ("with SHA-256, NIP-44, all", calls)]
    }

    private static func open(_ lines: Lines, _ reader: GiftWrapReader) async throws -> [OpenedGiftWrap]? {
        let texts = lines.next(batch)
        guard !texts.isEmpty else { return nil }
        let wires = texts.compactMap { try? WireEvent(json: $0) }
        return try await reader.open(wires).compactMap { if case .opened(let message) = $0 { message } else { nil } }
    }

    /// The wraps of one session with three members: posts with notes, and a reaction for every fourth of them.
    private static func write(_ count: Int, for owner: KeyPair, to path: String) throws {
        let members = [owner, KeyPair.generate(), KeyPair.generate()]
        let wrappers = members.map { GiftWrapper(sender: $0) }
        let session = SessionID.draw(creator: members[1].publicKey.bytes)
        let url = try WebURL("https://www.example.com/watch?v=dQw4w9WgXcQ&list=something")
        var last: EventID?
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CancellationError() }
        for start in stride(from: 0, to: count, by: 5_000) {
            var rumors: [(author: Int, rumor: Rumor)] = []
            for index in start..<min(start + 5_000, count) {
                let author = index == 0 ? 1 : index % 3
                let body: Payload.Body
                var tags: [Tag] = []
                if index == 0 {
                    body = .create(operation: "A", name: "Films", members: members.map(\.publicKey.bytes))
                } else if index % 5 == 0, let last {
                    body = .reaction(root: last.hex, emoji: "👍", isActive: true)
                    tags = [Tag("e", last.hex, "", "root")]
                } else {
                    body = .root(url: url, note: "Some words about the link, as people write them: number \(index).")
                }
                let time = 1_700_000_000 + Int64(index)
                let rumor = Rumor(
                    pubkey: members[author].publicKey.bytes,
                    kind: Payload.kind,
                    content: Payload(session: session, body: body, timestamp: time).json,
                    tags: tags,
                    createdAt: time
                )
                if case .root = body { last = rumor.id }
                rumors.append((author, rumor))
            }
            let texts = Texts(count: rumors.count)
            let made = rumors
            DispatchQueue.concurrentPerform(iterations: made.count) { index in
                let (author, rumor) = made[index]
                let wrap = try? wrappers[author].wrapWithoutWork(rumor, for: owner.publicKey, now: rumor.createdAt)
                texts.slots[index] = wrap?.json ?? []
            }
            for text in texts.slots { try file.write(contentsOf: Data(text) + Data("\n".utf8)) }
        }
        try file.close()
    }
}

/// Each element is written by one thread, and read after all have ended.
private final class Texts: @unchecked Sendable {
    let slots: UnsafeMutableBufferPointer<[UInt8]>

    init(count: Int) {
        slots = .allocate(capacity: count)
        slots.initialize(repeating: [])
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
    }
}

/// The lines of a file. Its owner asks for the next ones only after the last have come.
private final class Lines: @unchecked Sendable {
    private let file: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0

    init(_ path: String) throws {
        guard let file = fopen(path, "r") else { throw CancellationError() }
        self.file = file
    }

    deinit {
        fclose(file)
        free(buffer)
    }

    func next(_ count: Int) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        while lines.count < count {
            let length = getline(&buffer, &capacity, file)
            guard length > 0, let buffer else { break }
            lines.append([UInt8](UnsafeRawBufferPointer(start: buffer, count: length - 1)))
        }
        return lines
    }
}

/// Seconds that all threads of this process have run.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Bytes of this process that are in memory.
func residentMemory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
}
