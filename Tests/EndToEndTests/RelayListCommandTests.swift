import Foundation
import Testing

/// What `relay list` says of the connections to the relays.
@Suite("The list of relays", .timeLimit(.minutes(2)))
struct RelayListCommandTests {
    private let relay: RelayProcess
    private static let nobody = "ws://127.0.0.1:1"

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test("says where they stand when they are asked, and asks none by itself")
    func asking() throws {
        let home = try TemporaryFolder()
        chmod(home.path, 0o700)
        _ = home.file(
            "relays.json",
            #"{"relays":[{"url":"\#(relay.url)","enabled":true},{"url":"\#(Self.nobody)","enabled":true}]}"#
        )
        func list(_ options: String...) throws -> String {
            let ending = try LinkstrProcess.run(["--home", home.path, "relay", "list"] + options)
            #expect(ending.code == 0, "\(ending.errorText)")
            return ending.text
        }
        #expect(try list() == "\(relay.url)\n\(Self.nobody)\n")
        for object in try objects(try list("--json")) {
            for key in ["state", "problem", "failing_since", "round_trip_ms", "role"] {
                #expect(object[key] is NSNull, "\(key)")
            }
        }
        let asked = try objects(try list("--ask", "--json", "--timeout", "30"))
        #expect(asked.map { $0["state"] as? String } == ["connected", "failed"])
        #expect(asked.map { $0["role"] as? String } == ["read-write", nil])
        #expect(asked[0]["round_trip_ms"] is Int && asked[0]["problem"] is NSNull)
        #expect(asked[1]["round_trip_ms"] is NSNull && asked[1]["problem"] is String)
        #expect(asked[0]["failing_since"] is NSNull && asked[1]["failing_since"] is Int)
        let lines = try list("--ask", "--timeout", "30").split(separator: "\n")
        #expect(lines[0].hasPrefix(relay.url + "  connected, ") && lines[0].hasSuffix(" ms"), "\(lines[0])")
        #expect(lines[1].hasPrefix(Self.nobody + "  failed, failing since "), "\(lines[1])")
    }

    @Test("says what a daemon knows of its own connections")
    func daemon() async throws {
        let daemon = try DaemonProcess()
        #expect(try daemon.linkstr("relay add \(relay.url)").code == 0)
        #expect(try daemon.linkstr("relay add \(Self.nobody)").code == 0)
        // There is no account yet to be connected for.
        #expect(try daemon.linkstr("relay list").text == "\(relay.url)\n\(Self.nobody)\n")
        #expect(try daemon.linkstr("account new").code == 0)
        let deadline = Date(timeIntervalSinceNow: 60)
        var list: [[String: Any]] = []
        repeat {
            await Task.yield()
            list = try objects(try daemon.linkstr("relay list --json").text)
            try #require(list.count == 2)
        } while !(list[0]["round_trip_ms"] is Int && list[1]["failing_since"] is Int) && Date() < deadline
        #expect(list[0]["state"] as? String == "connected" && list[0]["role"] as? String == "read-write")
        #expect(list[0]["round_trip_ms"] is Int && list[1]["failing_since"] is Int)
        #expect(daemon.end() == 0)
    }
}
