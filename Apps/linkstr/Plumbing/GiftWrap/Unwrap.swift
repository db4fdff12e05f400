import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrGiftWrap

enum Unwrap {
    private static let progress = Flag(
        "progress",
        "Say on standard error how many wraps are done, without a terminal too"
    )

    /// How many wraps are opened together, at most.
    private static let batchSize = 512
    /// How many ids are remembered, so that no wrap is printed twice.
    private static let memory = 200_000

    static let command = Command(
        "unwrap",
        "Open gift wraps (NIP-59)",
        details: [
            "Reads events as JSON lines and prints a line for each: wrap (its id), wrap_created_at, expiration, sender (the key "
                + "that signed the seal) and rumor. Every check of NIP-59 is made; a message on standard error names the "
                + "layer that failed. A wrap that comes again is not printed again. Works on all cores and keeps the order.",
            Secret.help,
        ],
        takes: [Secret.option, progress, Passphrase.file],
        examples: [
            Example("linkstr unwrap --sec @me.key < wraps.jsonl", "Prints who said what"),
            Example(
                "linkstr unwrap --sec @me.key < wraps.jsonl | linkstr session replay --owner npub1...",
                "Prints the sessions that the messages make"
            ),
        ]
    ) { call in
        let keyPair = KeyPair(try Secret.key(call[Secret.option], call))
        let run = Run(
            reader: GiftWrapReader(opener: GiftWrapOpener(owner: keyPair, limits: .local), capacity: memory),
            console: call.console,
            progress: Progress(call.console, "wraps"),
            saysCount: call[progress]
        )
        try await Interruption.cancelling { try await run.all() }
    }

    /// One run over standard input.
    private struct Run: Sendable {
        let reader: GiftWrapReader
        let console: Console
        let progress: Progress
        let saysCount: Bool

        func all() async throws {
            let output = console.output
            let lines = LineReader(beforeWaiting: { try output.flush() })
            var batch: [(line: Int, wrap: WireEvent)] = []
            var failed = false
            var count = 0
            defer { progress.finish() }
            while let line = try lines.next() {
                do throws(EventError) {
                    guard let bytes = line.bytes else { throw .tooLarge(limit: LineReader.defaultLimit) }
                    if !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                        batch.append((line.number, try WireEvent(json: bytes, limits: .local)))
                    }
                } catch {
                    // What came before is said before.
                    failed = try await print(&batch) || failed
                    failed = true
                    console.fail("line \(line.number): wrap: \(error.sentence)")
                }
                guard !lines.hasLine || batch.count >= Unwrap.batchSize else { continue }
                let before = count
                count += batch.count
                failed = try await print(&batch) || failed
                progress.update(count)
                if saysCount, count / 1_000 > before / 1_000 { console.say(count.counted("wrap")) }
            }
            if saysCount { console.say(count.counted("wrap") + ", all done") }
            if failed { throw CommandFailure.reported(.badInput) }
        }

        /// Prints a batch and empties it; tells whether one of it was refused.
        private func print(_ batch: inout [(line: Int, wrap: WireEvent)]) async throws -> Bool {
            let outcomes = try await reader.open(batch.map(\.wrap))
            var failed = false
            for (item, outcome) in zip(batch, outcomes) {
                switch outcome {
                case .opened(let message), .repeated(let message): try console.output.line(json: Self.json(message))
                case .known: break
                case .failed(_, let error):
                    failed = true
                    console.fail("line \(item.line): \(error.layer): \(error.sentence)")
                }
            }
            batch.removeAll(keepingCapacity: true)
            return failed
        }

        private static func json(_ message: OpenedGiftWrap) -> [UInt8] {
            let expiration = message.expiration.map(String.init) ?? "null"
            var json = Array(
                #"{"wrap":"\#(message.wrapID.hex)","wrap_created_at":\#(message.wrapTime),"expiration":\#(expiration),"#
                    .utf8
            )
            json += #""sender":"\#(message.sender.hex)","rumor":"#.utf8
            message.rumor.appendJSON(to: &json)
            json.append(UInt8(ascii: "}"))
            return json
        }
    }
}

extension GiftWrapOpener.Limits {
    /// For wraps that somebody gives on purpose.
    static let local = GiftWrapOpener.Limits(
        encryption: NIP44.Limits(maximumPlaintextSize: LineReader.defaultLimit),
        events: .local
    )
}

extension GiftWrapError {
    /// Which layer is wrong.
    var layer: String {
        switch self {
        case .invalidWrap, .notAWrap, .undecryptableWrap: "wrap"
        case .malformedSeal, .notASeal, .invalidSeal, .sealTags, .undecryptableSeal: "seal"
        case .malformedRumor, .rumorIDMismatch, .signedRumor, .forgedAuthor, .notTheAuthor, .noRecipients, .tooLarge:
            "rumor"
        }
    }
}
