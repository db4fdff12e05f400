import Foundation
import Sockets
import Testing

@Suite struct StreamTests {
    @Test func bytesComeBackFromAnEchoServer() async throws {
        let server = try EchoServer()
        let stream = try await Connector().connect(to: "127.0.0.1", port: server.port, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream)
        try await connection.write(Array("hello".utf8), within: patience)
        #expect(try await connection.read(exactly: 5, within: patience) == Array("hello".utf8))
        await connection.close()
        let echo = try #require(server.echoes.value.first)
        #expect(await eventually { await echo.reason == .finished })
    }

    @Test func aConnectionThatNobodyHoldsIsClosedAndOneThatIsHeldIsNot() async throws {
        let server = try EchoServer()
        let loop = try EventLoopGroup.shared.next()
        func connection() async throws -> Connection {
            let connection = await Connection(
                try await Connector().connect(to: "127.0.0.1", port: server.port, on: loop)
            )
            try await connection.write([1], within: patience)
            #expect(try await connection.read(exactly: 1, within: patience) == [1])
            return connection
        }
        let held = try await connection()
        weak let dropped = try await connection()
        #expect(dropped == nil)
        let echoes = server.echoes.value
        #expect(await eventually { await echoes.last?.reason != nil })
        #expect(await echoes.first?.reason == nil)
        try await held.write([2], within: patience)
        #expect(try await held.read(exactly: 1, within: patience) == [2])
        await held.close()
    }

    @Test func aStreamThatWasReleasedOutlivesItsConnection() async throws {
        let server = try EchoServer()
        let loop = try EventLoopGroup.shared.next()
        let stream = try await Connector().connect(to: "127.0.0.1", port: server.port, on: loop)
        func passOn() async -> any ByteStream { await Connection(stream).release() }
        let second = await Connection(await passOn())
        try await second.write([1], within: patience)
        #expect(try await second.read(exactly: 1, within: patience) == [1])
        await second.close()
    }

    @Test(.enabled(if: hasIPv6Loopback, "there is no ::1 on this machine"))
    func ipv6WorksToo() async throws {
        let server = try EchoServer(on: .ip(.loopback6, port: 0))
        let stream = try await Connector().connect(to: "::1", port: server.port, on: EventLoopGroup.shared.next())
        #expect(stream.peer?.description == "[::1]:\(server.port)")
        let connection = await Connection(stream)
        try await connection.write([1, 2, 3], within: patience)
        #expect(try await connection.read(exactly: 3, within: patience) == [1, 2, 3])
        await connection.close()
    }

    @Test func megabytesComeBackWholeThroughASlowReaderInBoundedMemory() async throws {
        var options = ListenerOptions()
        options.highWaterMark = 100_000
        let server = try EchoServer(options: options)
        let stream = try await Connector().connect(to: "127.0.0.1", port: server.port, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream, readAhead: 10_000)
        let total = 16_000_000
        let sent = pattern(total)
        let writing = Task {
            for start in stride(from: 0, to: total, by: 50_000) {
                try await connection.write(Array(sent[start..<start + 50_000]), within: patience)
            }
            await connection.finishWriting()
        }
        var got: [UInt8] = []
        got.reserveCapacity(total)
        var turns = 0
        while let bytes = try await connection.read(upTo: 30_000, within: patience) {
            got += bytes
            turns += 1
            if turns % 64 == 0 { try await stream.loop.sleep(for: .milliseconds(1)) }
        }
        try await writing.value
        #expect(isSame(got, sent))
        let echo = try #require(server.echoes.value.first)
        // The mark and one read of the loop.
        #expect(await echo.mostPending <= 100_000 + 65_536)
        #expect(await echo.mostPending >= 100_000)
        await connection.close()
    }

    @Test func aWriterThatDoesNotWaitIsRefusedAndToldWhenThereIsRoom() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        let outcomes = await recorder.on { recorder in
            left.start(recorder)
            var outcomes: [WriteOutcome] = []
            let piece = [UInt8](repeating: 7, count: 50_000)
            while outcomes.last != .refused, outcomes.count < 10_000 { outcomes.append(left.write(piece)) }
            return outcomes
        }
        #expect(outcomes.contains(.full))
        #expect(outcomes.last == .refused)
        let pending = await recorder.on { _ in left.pendingBytes }
        #expect(pending >= 2 * Connector.defaultHighWaterMark)
        #expect(pending <= 2 * Connector.defaultHighWaterMark + 50_000)
        let accepted = outcomes.filter { $0 != .refused }.count
        let reader = await Connection(right)
        var got = 0
        while got < accepted * 50_000, let bytes = try await reader.read(within: patience) { got += bytes.count }
        #expect(got == accepted * 50_000)
        #expect(await eventually { await recorder.happenings == [.writable] })
        #expect(await recorder.on { _ in left.write([1]) } == .taken)
        await recorder.on { _ in left.abort() }
        #expect(await eventually { await recorder.closeReason == .aborted })
        #expect(await recorder.on { _ in left.write([1]) } == .closed)
        await reader.close()
    }

    @Test func aPausedReaderHoldsThePeerBackAndGetsEverythingLater() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            left.pauseReading()
        }
        let writer = await Connection(right)
        try await writer.write([UInt8](repeating: 1, count: 60_000), within: patience)
        // A turn of both sides, in which a reader that was not paused would have got bytes.
        try await loop.sleep(for: .milliseconds(10))
        #expect(await recorder.bytes.isEmpty)
        await recorder.on { _ in left.resumeReading() }
        #expect(await eventually { await recorder.bytes.count == 60_000 })
        await recorder.on { _ in left.abort() }
        await writer.close()
    }

    @Test func aHalfCloseLeavesTheOtherDirectionOpen() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { left.start($0) }
        let other = await Connection(right)
        await other.finishWriting()
        #expect(await eventually { await recorder.happenings == [.ended] })
        #expect(await recorder.on { _ in left.write([9, 9]) } == .taken)
        #expect(try await other.read(exactly: 2, within: patience) == [9, 9])
        await recorder.on { _ in left.close() }
        #expect(try await other.read(within: patience) == nil)
        await other.close()
        #expect(await eventually { await recorder.closeReason == .finished })
    }

    @Test func aGracefulCloseSendsWhatIsPendingFirst() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            for _ in 0..<10 { _ = left.write([UInt8](repeating: 3, count: 50_000)) }
            left.close(within: patience)
        }
        let other = await Connection(right)
        var got = 0
        while let bytes = try await other.read(within: patience) { got += bytes.count }
        #expect(got == 500_000)
        await other.close()
        #expect(await eventually { await recorder.closeReason == .finished })
    }

    @Test func aGracefulCloseGivesUpOnAPeerThatDoesNotFinish() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            left.close(within: .milliseconds(30))
        }
        #expect(await eventually { await recorder.closeReason == .failed(.timedOut(.close)) })
        withExtendedLifetime(right) {}
    }

    @Test func aGracefulCloseCutsAPeerOffThatGoesOnSending() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            left.close(within: patience)
        }
        let flood = await Connection(right)
        let error = await failure {
            while true { try await flood.write([UInt8](repeating: 1, count: 100_000), within: patience) }
        }
        #expect(error == .connectionReset || error == .closed)
        #expect(await recorder.happenings == [.closed(.aborted)])
        await flood.abort()
    }

    @Test func bytesReadTooFarComeFirstAfterAHandOver() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let first = Recorder(on: loop)
        await first.on { left.start($0) }
        let other = await Connection(right)
        try await other.write(Array("head;rest".utf8), within: patience)
        #expect(await eventually { await first.bytes.count == 9 })
        let next = Recorder(on: loop)
        await next.on { left.start($0, unread: Array("rest".utf8)) }
        try await other.write(Array(" and more".utf8), within: patience)
        #expect(await eventually { await next.bytes == Array("rest and more".utf8) })
        await next.on { _ in left.abort() }
        await other.close()
    }

    @Test func aResetIsReportedToBothAReaderAndAWriter() async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            _ = left.write([1, 2, 3])
        }
        let other = await Connection(right)
        _ = try await other.read(within: patience)
        // Closed with something unread: a reset.
        await recorder.on { _ in _ = left.write([4]) }
        try await loop.sleep(for: .milliseconds(5))
        await other.abort()
        await recorder.on { _ in _ = left.write([5]) }
        #expect(await eventually { await recorder.happenings.last != nil })
        await recorder.on { _ in _ = left.write([6]) }
        #expect(
            await eventually {
                if await recorder.closeReason == .failed(.connectionReset) { return true }
                await recorder.on { _ in _ = left.write([7]) }
                return false
            }
        )
    }

    @Test(arguments: ["deadline", "cancellation"])
    func aReadThatIsGivenUpClosesTheSocket(by cause: String) async throws {
        let closed = Shared<CloseReason?>(nil)
        let ended = Shared(false)
        let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            stream.start(Watcher(closed, ended, stream))
        }
        let port = try #require(listener.address.port)
        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream)
        let error: SocketsError?
        if cause == "deadline" {
            error = await failure { _ = try await connection.read(within: .milliseconds(20)) }
            #expect(error == .timedOut(.read))
        } else {
            let task = Task { try await connection.read(within: .seconds(1000)) }
            task.cancel()
            error = await failure { _ = try await task.value }
            #expect(error == .cancelled)
        }
        #expect(await eventually { ended.value && closed.value == .finished })
    }

    @Test(arguments: ["deadline", "cancellation"])
    func aWriteThatIsGivenUpClosesTheSocket(by cause: String) async throws {
        let loop = try EventLoop()
        let (left, right) = try await pairOfSockets(on: loop)
        let connection = await Connection(left)
        // Nobody reads at the other end.
        let writing = Task {
            let time: Duration = cause == "deadline" ? .milliseconds(50) : .seconds(1000)
            while true { try await connection.write([UInt8](repeating: 1, count: 100_000), within: time) }
        }
        if cause == "cancellation" {
            try await loop.sleep(for: .milliseconds(50))
            writing.cancel()
        }
        let error = await failure { try await writing.value }
        #expect(error == (cause == "deadline" ? .timedOut(.write) : .cancelled))
        #expect(await failure { try await connection.write([1], within: patience) } == .closed)
        let reader = await Connection(right)
        // What was on its way, and then the end.
        while let bytes = try? await reader.read(within: patience), !bytes.isEmpty {}
        await reader.abort()
    }

    @Test(arguments: 0..<4)
    func noSocketIsLeftBehind(way: Int) async throws {
        var port: UInt16 = 0
        do {
            let server = try EchoServer()
            port = server.port
            let before = socketsTouching(port: port)
            for _ in 0..<10 {
                let loop = try EventLoopGroup.shared.next()
                let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: loop)
                #expect(socketsTouching(port: port) > before)
                // Way 0 drops the stream without starting it.
                guard way > 0 else { continue }
                let connection = await Connection(stream)
                switch way {
                case 1:
                    try await connection.write([1], within: patience)
                    _ = try await connection.read(within: patience)
                    await connection.close()
                case 2:
                    await connection.abort()
                default:
                    let task = Task { try await connection.read(within: patience) }
                    task.cancel()
                    _ = try? await task.value
                }
            }
        }
        #expect(await eventually { socketsTouching(port: port) == 0 })
    }
}

private final class Watcher: ByteStreamHandler {
    let reason: Shared<CloseReason?>
    let hasEnded: Shared<Bool>
    let stream: SocketStream

    init(_ reason: Shared<CloseReason?>, _ ended: Shared<Bool>, _ stream: SocketStream) {
        self.reason = reason
        hasEnded = ended
        self.stream = stream
    }

    func received(_ bytes: inout MutableRawSpan) {}
    func ended() {
        hasEnded.update { $0 = true }
        stream.close()
    }
    func closed(_ reason: CloseReason) { self.reason.update { $0 = reason } }
}
