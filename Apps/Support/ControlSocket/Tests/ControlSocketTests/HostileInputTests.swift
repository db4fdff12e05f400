import ControlSocket
import NostrEvents
import Sockets
import Testing

@Suite struct HostileInputTests {
    @Test(
        "What is no request gets a failure, and the connection goes on",
        arguments: [
            ("{", -32_700), ("\u{0}", -32_700), (#"{"a":1}{"b":2}"#, -32_700), (#"{"jsonrpc":"2.0","id":1"#, -32_700),
            (String(repeating: "[", count: 100_000), -32_700),
            ("[]", -32_600), ("7", -32_600), ("{}", -32_600), (#"{"jsonrpc":"1.0","id":1,"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":null,"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1e30,"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":[1],"method":"echo"}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"method":""}"#, -32_600), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":7}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"result":7}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"result":7,"error":{"code":1,"message":""}}"#, -32_600),
            (#"[{"jsonrpc":"2.0","id":1,"method":"echo"}]"#, -32_600),
            (#"{"jsonrpc":"2.0","id":1,"method":"no"}"#, -32_601),
            (#"{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":1,"size":2}}"#, -32_602),
        ]
    )
    func malformedMessages(_ line: String, _ code: Int) async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        let answer = try #require(try await raw.exchange(line))
        #expect(try JSONValue(json: answer)["error"]?["code"]?.integer == Int64(code))
        #expect(
            try await raw.exchange(#"{"jsonrpc":"2.0","id":9,"method":"echo","params":[]}"#)
                == #"{"jsonrpc":"2.0","id":9,"result":[]}"#
        )
        await daemon.close()
    }

    @Test func aLineThatIsTooLongEndsTheConnectionAndOneThatFitsDoesNot() async throws {
        var limits = ControlServer.Limits()
        limits.messageSize = 1000
        let daemon = try Daemon(limits: limits)
        let frame = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""]}"#
        let fits =
            #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""#
            + String(repeating: "z", count: limits.messageSize - frame.utf8.count) + #""]}"#
        let raw = try await daemon.raw()
        #expect(try await raw.exchange(fits)?.contains("zzz") == true)
        let tooLong = fits.replacing("zzz", with: "zzzz", maxReplacements: 1)
        #expect(try await raw.exchange(tooLong)?.contains("longer than 1000 bytes") == true)
        #expect(try await raw.line() == nil)
        // Without any end of a line.
        let other = try await daemon.raw()
        try await other.send(String(repeating: "z", count: 5000))
        #expect(try await other.line()?.contains("longer than 1000 bytes") == true)
        await daemon.close()
    }

    @Test func moreRequestsThanAllowedAreRefusedAndTheOthersGoOn() async throws {
        var limits = ControlServer.Limits()
        limits.requests = 2
        let daemon = try Daemon(limits: limits)
        let raw = try await daemon.raw()
        for id in 1...3 { try await raw.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"slow\"}\n") }
        let refused = try #require(try await raw.line())
        #expect(try JSONValue(json: refused)["id"]?.integer == 3)
        #expect(try JSONValue(json: refused)["error"]?["code"]?.integer == RPCFailure.busy.code)
        #expect(try await raw.line()?.contains("late") == true)
        #expect(try await raw.line()?.contains("late") == true)
        #expect(try await raw.exchange(#"{"jsonrpc":"2.0","id":3,"method":"slow"}"#)?.contains("late") == true)
        await daemon.close()
    }

    @Test func anIdThatIsInUseIsRefused() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        try await raw.send(#"{"jsonrpc":"2.0","id":1,"method":"wait"}"# + "\n")
        let answer = try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)
        #expect(answer?.contains("-32600") == true)
        await daemon.close()
    }

    @Test func moreConnectionsThanAllowedAreToldSoAndClosed() async throws {
        var limits = ControlServer.Limits()
        limits.connections = 1
        let daemon = try Daemon(limits: limits)
        let first = try await daemon.raw()
        #expect(try await first.exchange(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#) != nil)
        let second = try await daemon.raw()
        #expect(try await second.line()?.contains("-32000") == true)
        #expect(try await second.line() == nil)
        await #expect(throws: ControlError.failed(.busy)) { try await daemon.client() }
        await first.connection.close()
        // The place is free again soon after.
        var answer: String?
        for _ in 0..<100 where answer == nil {
            let next = try await daemon.raw()
            try? await next.send(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"# + "\n")
            let line = try? await next.line()
            if line?.contains("\"result\":null") == true { answer = line }
            await next.connection.abort()
        }
        #expect(answer != nil)
        await daemon.close()
    }

    @Test func aClientThatReadsNothingIsLetGo() async throws {
        var limits = ControlServer.Limits()
        limits.stallTime = .milliseconds(200)
        let daemon = try Daemon(limits: limits)
        let raw = try await daemon.raw()
        // Far more than lies between, so that the answer cannot be handed over.
        try await raw.send(#"{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":4000000}}"# + "\n")
        var rounds = 0
        while daemon.server.connections > 0, rounds < 100 {
            rounds += 1
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(daemon.server.connections == 0)
        await daemon.close()
    }

    @Test func aLargeAnswerComesWhole() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        let answer = try await client.call("large", RawJSON(["size": 900_000]))
        #expect(answer.json.count == 900_002)
        await client.close()
        await daemon.close()
    }

    @Test func linesAreFoundWhereverTheBytesAreCut() throws {
        let bytes = Array("one\n\r\n\ntwo\r\nthree\n".utf8)
        for piece in 1...bytes.count {
            var splitter = MessageSplitter(limit: 10)
            var lines: [String] = []
            for start in stride(from: 0, to: bytes.count, by: piece) {
                splitter.append(Array(bytes[start..<min(bytes.count, start + piece)]))
                while let line = try splitter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            }
            #expect(lines == ["one", "two", "three"])
        }
    }
}
