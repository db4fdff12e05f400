import ControlSocket
import Foundation
import Locking
import NostrEvents
import Sockets
import Testing

@Suite struct StreamTests {
    @Test func theItemsOfAStreamComeInOrderAndThenItsEnd() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        var items: [String] = []
        var hasBegun = false
        try await client.stream("numbers", begun: { hasBegun = true }, item: { items.append($0.description) })
        #expect(hasBegun)
        #expect(items == ["1", "2", "3"])
        #expect(try await client.call("echo").description == "null")
        await client.close()
        await daemon.close()
    }

    @Test func whatEndsAStreamIsToldWithItsEnd() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        var items: [String] = []
        await #expect(throws: ControlError.failed(RPCFailure(code: 77, message: "It was locked."))) {
            try await client.stream("doomed") { items.append($0.description) }
        }
        #expect(items == ["1"])
        await client.close()
        let raw = try await daemon.raw()
        _ = try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"doomed"}"#)
        _ = try await raw.line()
        #expect(
            try await raw.line()
                == #"{"jsonrpc":"2.0","method":"ended","params":{"subscription":"1","error":{"code":77,"message":"It was locked."}}}"#
        )
        await daemon.close()
    }

    @Test func theIdOfAStreamComesBeforeItsItems() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        let first = try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"numbers"}"#)
        #expect(first == #"{"jsonrpc":"2.0","id":1,"result":{"subscription":"1"}}"#)
        #expect(
            try await raw.line() == #"{"jsonrpc":"2.0","method":"item","params":{"subscription":"1","item":1}}"#
        )
        await daemon.close()
    }

    @Test func aSlowReaderHoldsTheStreamBackInsteadOfFillingMemory() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        #expect(try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#) != nil)
        // It stands still once what is in between is full.
        var last = -1
        var rounds = 0
        while rounds < 100 {
            let count = daemon.flooded.withLock { $0 }
            if count == last, count > 0 { break }
            last = count
            rounds += 1
            try await Task.sleep(for: .milliseconds(100))
        }
        // 10 kB each: the queue, the stream's buffer, the kernel's and what the client has read ahead.
        #expect(last < 400)
        for _ in 0..<50 { _ = try await raw.line() }
        #expect(try await raw.line()?.contains("yyy") == true)
        await raw.connection.abort()
        #expect(await daemon.cancelled.wait())
        await daemon.close()
    }

    @Test func aStreamEndsWithUnsubscribe() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        #expect(try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#) != nil)
        try await raw.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"1"}}"# + "\n")
        var answer: String?
        while let line = try await raw.line() {
            if !line.contains("\"item\"") {
                answer = line
                break
            }
        }
        #expect(answer == #"{"jsonrpc":"2.0","id":2,"result":{"ended":true}}"#)
        #expect(await daemon.cancelled.wait())
        #expect(
            try await raw.exchange(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"1"}}"#)
                == #"{"jsonrpc":"2.0","id":3,"result":{"ended":false}}"#
        )
        await daemon.close()
    }

    @Test func moreStreamsThanAllowedAreRefused() async throws {
        var limits = ControlServer.Limits()
        limits.streams = 1
        let daemon = try Daemon(limits: limits)
        let raw = try await daemon.raw()
        #expect(try await raw.exchange(#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#)?.contains("result") == true)
        try await raw.send(#"{"jsonrpc":"2.0","id":2,"method":"flood"}"# + "\n")
        var answer: String?
        while answer == nil, let line = try await raw.line() { answer = line.contains("\"id\":2") ? line : nil }
        #expect(answer?.contains("-32000") == true)
        await daemon.close()
    }
}
