import FaultyRelay
import Foundation
import NostrCrypto
import NostrEvents
import Sockets
import Testing

@testable import linkstr

/// The commands that talk to relays, against a scripted one on the loopback.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct NetworkCommandTests {
    private static let keys = try! KeyPair(SecretKey(hex: Published.secret))

    /// Runs the command on a thread of its own: the relay in this process needs those of the pool.
    private static func run(
        _ line: String,
        input: String = "",
        environment: [String: String] = [:],
        plan: RunningProcess.Plan = .init()
    ) async throws -> RunningProcess.Ending {
        // On a busy machine the relay's turn may come late; only the tests of a time limit set one of their own.
        let line = line.contains("--timeout") ? line : "--timeout 100 " + line
        var plan = plan
        plan.deadline = 300
        let patient = plan
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try LinkstrProcess.run(line, input: input, environment: environment, plan: patient) }
                )
            }
        }
    }

    private static func notes(_ count: Int) -> [Event] {
        (0..<count).map { index in
            Event(kind: .textNote, content: "n\(index)", createdAt: 1_700_000_000 + Int64(index), signedBy: keys)
        }
    }

    private static func input(_ events: [Event]) -> String {
        events.map { String(decoding: $0.json, as: UTF8.self) + "\n" }.joined()
    }

    private func withRelay(_ stored: [Event] = [], _ body: (ScriptedRelay, String) async throws -> Void) async throws {
        let relay = ScriptedRelay(on: try EventLoop(), events: stored)
        let url = try await relay.listen()
        try await body(relay, url.text)
        await relay.until { $0.openConnections == 0 }
        await relay.stopListening()
    }

    @Test func reqPrintsWhatMatchesAsJSONLines() async throws {
        let notes = Self.notes(5)
        try await withRelay(notes) { _, url in
            let result = try await Self.run("req --kind 1 --since 1700000002 \(url)")
            #expect(result.code == 0)
            #expect(try result.lines.map { try Event(json: $0) } == notes[2...].reversed())
            #expect(try await Self.run("req --author \(Published.npub) --limit 2 \(url)").lines.count == 2)
            #expect(try await Self.run("req --kind 7 \(url)").lines.isEmpty)
            #expect(try await Self.run("req --tag t=none \(url)").lines.isEmpty)
        }
    }

    @Test func reqGoesOnWithTheRelaysThatWorkAndFailsWhenNoneDoes() async throws {
        try await withRelay(Self.notes(2)) { relay, url in
            let dead = "ws://127.0.0.1:1"
            let both = try await Self.run("req --kind 1 \(dead) \(url)")
            #expect(both.code == 0)
            #expect(both.lines.count == 2)
            #expect(both.errorText.contains("warning: \(dead): Nobody answers"))
            let none = try await Self.run("req --kind 1 \(dead)")
            #expect(none.code == 69)
            #expect(none.errorText.hasSuffix("linkstr: no relay answered\n"))
            await relay.follow { _, _, _ in [] }
            let silent = try await Self.run("req --timeout 0.2 --kind 1 \(url)")
            #expect(silent.code == 75)
        }
    }

    /// It never falls silent, and would go on for five minutes.
    @Test func reqEndsWhenItsTimeIsUpHoweverBusyARelayIs() async throws {
        let notes = Self.notes(1_000)
        try await withRelay(notes) { relay, url in
            await relay.follow { relay, session, message in
                guard case .request(let id, _) = message else { return relay.honest(session, message) }
                return notes.flatMap { note -> [Action] in
                    [.send(.event(id, note.wire)), .wait(.milliseconds(300))]
                }
            }
            let busy = try await Self.run("req --timeout 4 --kind 1 \(url)")
            #expect(busy.code == 75 && busy.lines.count < notes.count, "\(busy.errorText)")
            #expect(busy.errorText.contains("warning: \(url): "))
        }
    }

    @Test func controlCEndsAStreamWith130AndClosesTheSubscription() async throws {
        let notes = Self.notes(2)
        try await withRelay(notes) { relay, url in
            var plan = RunningProcess.Plan()
            plan.interruptsAt = notes[0].id.hex
            let result = try await Self.run("req --kind 1 --stream \(url)", plan: plan)
            #expect(result.code == 130)
            #expect(result.lines.count == 2)
            await relay.until { $0.received.contains { if case .close = $0 { true } else { false } } }
        }
    }

    @Test func publishReportsEveryEventAndRelay() async throws {
        let notes = Self.notes(3)
        try await withRelay { relay, url in
            let result = try await Self.run("publish \(url)", input: Self.input(notes))
            #expect(result.code == 0)
            #expect(result.lines == notes.map { "\($0.id.hex) \(url) accepted" })
            #expect(await Set(relay.events) == Set(notes))
            let json = try await Self.run("publish --json \(url)", input: Self.input([notes[0]]))
            #expect(
                json.lines == [
                    #"{"id":"\#(notes[0].id.hex)","relay":"\#(url)","accepted":true,"message":"accepted"}"#
                ]
            )
        }
    }

    @Test func publishEndsWith69WhenNoRelayTakesAnEvent() async throws {
        let notes = Self.notes(2)
        try await withRelay { relay, url in
            await relay.follow { relay, session, message in
                guard case .event(let event) = message, event.id == notes[1].id else {
                    return relay.honest(session, message)
                }
                return [.send(.ok(event.id, accepted: false, StatusMessage(.blocked, "no\u{1B}[31m")))]
            }
            let result = try await Self.run("publish \(url)", input: Self.input(notes))
            #expect(result.code == 69)
            #expect(result.lines.last == "\(notes[1].id.hex) \(url) rejected: blocked: no␛[31m")
            #expect(result.errorText.contains("no relay accepted 1 event"))
            #expect(try await Self.run("publish ws://127.0.0.1:1", input: Self.input(notes)).code == 69)
            #expect(try await Self.run("publish ws://127.0.0.1:1 \(url)", input: Self.input([notes[0]])).code == 0)
        }
    }

    @Test func publishEndsWith75WhenNoRelayAnswersAndWith65ForBadLines() async throws {
        let notes = Self.notes(1)
        try await withRelay { relay, url in
            let bad = try await Self.run("publish \(url)", input: "{}\n" + Self.input(notes))
            #expect(bad.code == 65)
            #expect(bad.lines == ["\(notes[0].id.hex) \(url) accepted"])
            #expect(bad.errorText.contains("line 1: "))
            await relay.follow { _, _, _ in [] }
            #expect(try await Self.run("publish --timeout 0.2 \(url)", input: Self.input(notes)).code == 75)
        }
    }

    @Test func aRelayThatAsksWhoIsThereIsToldWithASecretKeyOnly() async throws {
        try await withRelay(Self.notes(2)) { relay, url in
            await relay.change { $0.requiresAuthentication = true }
            await relay.greet { $0.challenge($1) }
            let known = try await Self.run(
                "req --kind 1 \(url)",
                environment: ["LINKSTR_SECRET": Published.secret]
            )
            #expect(known.code == 0)
            #expect(known.lines.count == 2)
            let unknown = try await Self.run("req --kind 1 \(url)")
            #expect(unknown.code == 69)
            #expect(unknown.errorText.contains("auth-required"))
        }
    }

    @Test func countPrintsANumberForEachRelay() async throws {
        try await withRelay(Self.notes(4)) { _, url in
            #expect(try await Self.run("count --kind 1 \(url)").lines == ["4 \(url)"])
            let json = try await Self.run("count --json --kind 7 \(url)")
            #expect(json.lines == [#"{"relay":"\#(url)","count":0,"approximate":false}"#])
            #expect(try await Self.run("count --kind 1 ws://127.0.0.1:1").code == 69)
        }
    }

    @Test func relayInfoAndTestSayWhatTheRelayIsAndDoes() async throws {
        try await withRelay(Self.notes(1)) { relay, url in
            await relay.change { $0.information = #"{"name":"r\u0007","supported_nips":[1,11]}"# }
            let info = try await Self.run("relay info \(url)")
            #expect(info.code == 0)
            #expect(info.lines.contains("name: r␇"))
            #expect(info.lines.contains("supported_nips: 1 11"))
            let json = try await Self.run("relay info --json \(url)").object()
            #expect(json["supported_nips"] as? [Int] == [1, 11])
            let test = try await Self.run("relay test --json \(url)").object()
            #expect(test["counts"] as? Bool == true)
            #expect(test["connect_ms"] is Int)
            #expect(test["error"] is NSNull)
            #expect(try await Self.run("relay test ws://127.0.0.1:1").code == 69)
            #expect(try await Self.run("relay info ws://127.0.0.1:1").code == 69)
        }
    }

    @Test(arguments: [
        ("relay.example.com", "type wss://relay.example.com"),
        ("https://relay.example.com/x", "type wss://relay.example.com/x"),
        ("http://localhost:7447", "type ws://localhost:7447"), ("wss://", "type one like wss://relay.example.com"),
        ("ftp://a", "type one like wss://relay.example.com"),
    ])
    func whatIsNoRelayAddressIsRefusedWithWhatToType(_ text: String, _ advice: String) async throws {
        for command in ["req", "publish", "count", "relay info", "relay test"] {
            let result = try await Self.run("\(command) \(text)")
            #expect(result.code == 64)
            #expect(result.errorText.contains(advice), "\(result.errorText)")
        }
    }
}
