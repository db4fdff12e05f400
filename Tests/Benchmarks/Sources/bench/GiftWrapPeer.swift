import Foundation
import NostrCrypto
import NostrEvents
import NostrGiftWrap

/// nostr-sdk beside us: both open the same wraps from their JSON, outer signature included, and make wraps of the same rumor, in
/// turns, measured in processor time.
enum GiftWrapPeer {
    static let name = "gift wraps beside nostr-sdk"
    private static let count = 20

    private struct SetUp: Encodable {
        let owner: String
        let sender: String
        let rumor: String
        let wraps: [String]
    }

    static func run(python: String, script: String, isQuick: Bool) throws -> [Outcome] {
        let (secret, owner) = try keys()
        let (senderSecret, sender) = try keys()
        let rumor = Rumor(
            pubkey: sender.publicKey.bytes,
            kind: .chatMessage,
            content: String(repeating: "words of a message, ", count: 10),
            tags: [Tag("p", owner.publicKey.hex)],
            createdAt: 1_700_000_000
        )
        let wrapper = GiftWrapper(sender: sender)
        let wraps = try (0..<count).map { _ in
            try wrapper.wrapWithoutWork(rumor, for: owner.publicKey, now: 1_700_000_000).json
        }
        let opener = GiftWrapOpener(owner: owner)
        let peer = try Peer(python: python, script: script)
        let setUp = SetUp(
            owner: secret,
            sender: senderSecret,
            rumor: String(decoding: rumor.json, as: UTF8.self),
            wraps: wraps.map { String(decoding: $0, as: UTF8.self) }
        )
        try peer.send(String(decoding: try JSONEncoder().encode(setUp), as: UTF8.self))
        var best = (open: Double.infinity, opened: Double.infinity, make: Double.infinity, made: Double.infinity)
        for _ in 0..<(isQuick ? 20 : 200) {
            let open = processorTime { for wrap in wraps { keep(try? opener.open(try WireEvent(json: wrap))) } }
            let opened = try peer.ask("open")
            let make = processorTime {
                for _ in 0..<count { keep(try? wrapper.wrapWithoutWork(rumor, for: owner.publicKey, now: 1).json) }
            }
            let made = try peer.ask("make")
            best = (min(best.open, open), min(best.opened, opened), min(best.make, make), min(best.made, made))
        }
        peer.end()
        return [
            outcome("open a gift wrap from JSON", best.open, best.opened),
            outcome("make a gift wrap to JSON", best.make, best.made),
        ]
    }

    private static func processorTime(_ body: () -> Void) -> Double {
        let start = processorSeconds()
        body()
        return processorSeconds() - start
    }

    private static func keys() throws -> (String, KeyPair) {
        let bytes = SecureRandom.bytes(32)
        return (Hex.encode(bytes), KeyPair(try SecretKey(bytes: bytes)))
    }

    private static func outcome(_ work: String, _ ours: Double, _ theirs: Double) -> Outcome {
        Outcome(
            work: work,
            size: 200,
            unit: "B",
            microseconds: ours / Double(count) * 1e6,
            allocations: nil,
            floors: [
                Outcome.Floor(name: "nostr-sdk", microseconds: theirs / Double(count) * 1e6, ratio: theirs / ours)
            ],
            exponent: nil,
            targets: [],
            reached: []
        )
    }

    /// The other process: a command a line, and as many seconds as it took come back.
    private final class Peer {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var rest = Data()

        init(python: String, script: String) throws {
            process.executableURL = URL(fileURLWithPath: python)
            process.arguments = [script]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        func send(_ line: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        }

        func ask(_ command: String) throws -> Double {
            try send(command)
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    guard let seconds = Double(line) else { throw CancellationError() }
                    return seconds
                }
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw CancellationError() }
                rest += more
            }
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }
}
