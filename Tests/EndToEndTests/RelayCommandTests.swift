import Foundation
import NostrCrypto
import NostrEvents
import Sockets
import Testing
import WebSocket

@testable import linkstr

@Suite struct RelayCommandTests {
    private let keys = KeyPair.generate()

    private func events(_ range: Range<Int>) -> [Event] {
        range.map { Event(kind: .textNote, content: "\($0)", createdAt: Int64(1_000 + $0), signedBy: keys) }
    }

    private func lines(_ events: [Event]) -> String {
        events.map { String(decoding: $0.json, as: UTF8.self) + "\n" }.joined()
    }

    private func ids(_ path: String) throws -> Set<String> {
        let export = try LinkstrProcess.run(["store", "export", path])
        #expect(export.code == 0, "\(export.errorText)")
        return Set(try export.lines.map { try WireEvent(json: $0).id.hex })
    }

    @Test func whatIsImportedIsExportedCountedAndSound() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/events.db"
        let events = events(0..<20)
        let imported = try LinkstrProcess.run(["store", "import", path], input: lines(events + [events[3]]))
        #expect(imported.code == 0)
        #expect(imported.lines == [#"{"stored":20,"duplicate":1,"refused":0,"ephemeral":0,"invalid":0}"#])
        let export = try LinkstrProcess.run(["store", "export", path])
        #expect(export.text == lines(events.reversed()))
        let some = try LinkstrProcess.run(["store", "export", path, "--filter", #"{"until":1002,"limit":2}"#])
        #expect(some.text == lines([events[2], events[1]]))
        #expect(try LinkstrProcess.run(["store", "check", path]).lines == [#"{"events":20,"problems":[]}"#])
        #expect(try LinkstrProcess.run(["store", "stats", path]).text.hasPrefix(#"{"events":20,"bytes":"#))
    }

    @Test func aLineThatIsNoEventIsReportedAndTheOthersAreStored() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/events.db"
        let events = events(0..<2)
        let forged = lines([events[1]]).replacing("\"1\"", with: "\"2\"")
        let imported = try LinkstrProcess.run(["store", "import", path], input: lines([events[0]]) + "{}\n\n" + forged)
        #expect(imported.code == 65)
        #expect(imported.lines == [#"{"stored":1,"duplicate":0,"refused":0,"ephemeral":0,"invalid":2}"#])
        #expect(imported.errorText.contains("line 2: "))
        #expect(imported.errorText.contains("line 4: The event's id is not the hash of the event"))
        #expect(try ids(path) == [events[0].id.hex])
    }

    @Test(arguments: ["export", "stats", "check"])
    func aDatabaseThatIsMissingIsNotMadeAndAForeignFileIsLeftAsItIs(command: String) throws {
        let folder = try TemporaryFolder()
        let missing = try LinkstrProcess.run(["store", command, folder.path + "/none.db"])
        #expect(missing.code == 74)
        #expect(missing.text == "")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/none.db"))
        let text = String(repeating: "this is no database\n", count: 100)
        let foreign = folder.file("foreign.txt", text)
        let refused = try LinkstrProcess.run(["store", command, foreign])
        #expect(refused.code == 74)
        #expect(refused.errorText.contains("is not an SQLite database"))
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == text)
    }

    @Test func databasesAreReconciledThroughARelay() throws {
        let folder = try TemporaryFolder()
        let (one, two) = (folder.path + "/one.db", folder.path + "/two.db")
        let events = events(0..<300)
        _ = try LinkstrProcess.run(["store", "import", one], input: lines(Array(events[..<200])))
        _ = try LinkstrProcess.run(["store", "import", two], input: lines(Array(events[100...])))
        let relay = try RelayProcess(["--database", folder.path + "/relay.db"])
        let up = try LinkstrProcess.run(["reconcile", relay.url, one])
        #expect(up.lines == [#"{"have":200,"need":0,"received":0,"stored":0,"sent":200,"accepted":200}"#])
        let dry = try LinkstrProcess.run(["reconcile", relay.url, two, "--dry-run"])
        #expect(dry.lines == [#"{"have":100,"need":100,"received":0,"stored":0,"sent":0,"accepted":0}"#])
        let listed = try LinkstrProcess.run(["reconcile", relay.url, two, "--ids-only"])
        let expected =
            events[200...].map { #"{"have":"\#($0.id.hex)"}"# } + events[..<100].map { #"{"need":"\#($0.id.hex)"}"# }
        #expect(Set(listed.lines) == Set(expected))
        let down = try LinkstrProcess.run(["reconcile", relay.url, two, "--direction", "down"])
        #expect(down.lines == [#"{"have":100,"need":100,"received":100,"stored":100,"sent":0,"accepted":0}"#])
        let both = try LinkstrProcess.run(["reconcile", relay.url, two])
        #expect(both.lines == [#"{"have":100,"need":0,"received":0,"stored":0,"sent":100,"accepted":100}"#])
        #expect(relay.end(by: SIGTERM) == 0)
        #expect(try ids(folder.path + "/relay.db") == Set(events.map(\.id.hex)))
        #expect(try ids(two) == Set(events.map(\.id.hex)))
    }

    /// Whether an echo of a relay comes over a connection.
    private func publishes(_ connection: WebSocketConnection) async throws -> Bool {
        let event = events(0..<1)[0]
        try await connection.send(.text(ClientMessage.event(event.wire).description))
        for message in try await connection.receiveBatch() {
            if case .ok(event.id, true, _) = try RelayMessage(json: message.bytes) { return true }
        }
        return false
    }

    @Test func aRelayWithACertificateSpeaksWSSAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        let (chain, key) = (folder.path + "/chain.pem", folder.path + "/key.pem")
        let command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=loopback -days 2 "
            + "-addext subjectAltName=IP:127.0.0.1 -keyout '\(key)' -out '\(chain)' 2>/dev/null"
        try #require(system(command) == 0)
        let relay = try RelayProcess(["--in-memory", "--certificate", chain, "--certificate-key", key])
        #expect(relay.url.hasPrefix("wss://127.0.0.1:"))
        var trusting = WebSocketClient()
        var configuration = TLSConfiguration()
        configuration.trustsSystemAuthorities = false
        configuration.extraAuthoritiesFile = chain
        trusting.connector.tls = try TLSClient(configuration)
        let connection = try await trusting.connect(to: relay.url)
        #expect(try await publishes(connection))
        await connection.close()
        await #expect(throws: WebSocketError.transport(.tls(.selfSigned))) {
            try await WebSocketClient().connect(to: relay.url)
        }
        await #expect(throws: WebSocketError.self) {
            try await WebSocketClient().connect(to: relay.url.replacing("wss://", with: "ws://"))
        }
        #expect(relay.end(by: SIGTERM) == 0)
    }

    @Test func aCertificateThatCannotBeUsedKeepsTheRelayFromStarting() throws {
        let folder = try TemporaryFolder()
        let broken = folder.file("broken.pem", "this is no certificate\n")
        func serve(_ options: [String]) throws -> (code: Int32, text: String) {
            let run = try LinkstrProcess.run(["relay", "serve", "--listen", "127.0.0.1:0", "--in-memory"] + options)
            return (run.code, run.errorText)
        }
        let half = try serve(["--certificate", broken])
        #expect(half.code == 64)
        #expect(half.text.contains("belong together"))
        let wrong = try serve(["--certificate", broken, "--certificate-key", broken])
        #expect(wrong.code == 78)
        #expect(!wrong.text.isEmpty)
    }

    @Test(arguments: [true, false])
    func messagesAreCompressedIfTheRelayIsToldSoAndTheClientAsks(compresses: Bool) async throws {
        let relay = try RelayProcess(["--in-memory"] + (compresses ? ["--compress"] : []))
        let asking = try await WebSocketClient().connect(to: relay.url)
        #expect((asking.compression != nil) == compresses)
        #expect(try await publishes(asking))
        await asking.close()
        var plain = WebSocketClient()
        plain.compressionOffer = nil
        let other = try await plain.connect(to: relay.url)
        #expect(other.compression == nil)
        #expect(try await publishes(other))
        await other.close()
        #expect(relay.end(by: SIGTERM) == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aRelayEndsInOrder(signal: Int32) throws {
        let relay = try RelayProcess(["--in-memory"])
        #expect(relay.url.hasPrefix("ws://127.0.0.1:"))
        #expect(relay.end(by: signal) == 0)
    }

    @Test func aRelayThatCannotStartSaysWhy() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/relay.db"
        let relay = try RelayProcess(["--database", path])
        let second = try LinkstrProcess.run(["relay", "serve", "--listen", "127.0.0.1:0", "--database", path])
        #expect(second.code == 74)
        #expect(second.errorText.contains("is open elsewhere"))
        let address = relay.url.replacing("ws://", with: "")
        let third = try LinkstrProcess.run(["relay", "serve", "--listen", address, "--in-memory"])
        #expect(third.code == 74)
        let wrong = try LinkstrProcess.run(["relay", "serve", "--listen", "nowhere", "--in-memory"])
        #expect(wrong.code == 64)
        #expect(relay.end(by: SIGTERM) == 0)
    }

    @Test func withoutAFileTheDatabaseIsInTheHomeDirectory() throws {
        let folder = try TemporaryFolder()
        let relay = try RelayProcess(["--home", folder.path + "/new/home"])
        #expect(relay.end(by: SIGTERM) == 0)
        #expect(try ids(folder.path + "/new/home/relay.db") == [])
    }

    /// `LINKSTR_RELAY_KILLS=200` for more.
    @Test func afterAKillEverythingThatWasAcknowledgedIsThere() async throws {
        let kills = ProcessInfo.processInfo.environment["LINKSTR_RELAY_KILLS"].flatMap { Int($0) } ?? 5
        let folder = try TemporaryFolder()
        let path = folder.path + "/relay.db"
        let events = events(0..<4_000)
        var acknowledged: Set<String> = []
        for number in 0..<kills {
            let relay = try RelayProcess(["--database", path, "--durability", number % 2 == 0 ? "full" : "normal"])
            let connection = try await WebSocketClient().connect(to: relay.url)
            let begin = number * 700 % events.count
            let part = events[begin..<min(events.count, begin + 700)]
            async let sending: Void = {
                // It ends when the relay does.
                for event in part { try? await connection.send(.text(ClientMessage.event(event.wire).description)) }
            }()
            var answers = 0
            // Always before the last answer, so that events are on their way.
            let killAt = Int.random(in: 1..<part.count)
            while answers < killAt, let batch = try? await connection.receiveBatch(), !batch.isEmpty {
                for message in batch {
                    guard case .ok(let id, let accepted, _) = try RelayMessage(json: message.bytes) else { continue }
                    answers += 1
                    if accepted { acknowledged.insert(id.hex) }
                }
            }
            #expect(answers >= killAt)
            #expect(relay.end(by: SIGKILL) == -SIGKILL)
            await sending
            await connection.close()
            let check = try LinkstrProcess.run(["store", "check", path])
            #expect(check.code == 0, "\(check.text)\(check.errorText)")
            let lost = acknowledged.subtracting(try ids(path))
            #expect(lost.isEmpty, "lost after kill \(number)")
        }
        #expect(acknowledged.count >= kills)
    }
}
