import Sockets
import Testing

@Suite struct MemoryStreamTests {
    @Test func bytesCrossInChunksOfTheSizeAskedFor() async throws {
        let loop = try EventLoop(virtualTime: true)
        let (left, right) = MemoryStream.pair(on: loop, chunk: 2)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            right.start(recorder)
            left.start(Recorder(on: loop))
            _ = left.write([1, 2, 3, 4, 5])
            left.finishWriting()
        }
        await loop.advance(by: .zero)
        #expect(await eventually { await recorder.happenings.last == .ended })
        #expect(await recorder.happenings == [.bytes([1, 2]), .bytes([3, 4]), .bytes([5]), .ended])
        await recorder.on { _ in
            left.abort()
        }
        #expect(await eventually { await recorder.closeReason == .failed(.connectionReset) })
    }

    @Test func aReaderThatPausesHoldsTheWriterBack() async throws {
        let loop = try EventLoop()
        let (left, right) = MemoryStream.pair(on: loop, capacity: 1000, highWaterMark: 2000)
        let writer = Recorder(on: loop)
        let reader = Recorder(on: loop)
        await writer.on { writer in
            left.start(writer)
            right.start(reader)
            right.pauseReading()
            #expect(left.write([UInt8](repeating: 1, count: 3000)) == .full)
        }
        // The connection takes a thousand; the rest waits with the writer.
        #expect(await eventually { await writer.on { _ in left.pendingBytes } == 2000 })
        await writer.on { _ in
            #expect(left.write([UInt8](repeating: 1, count: 2000)) == .full)
            #expect(left.write([1]) == .refused)
            right.resumeReading()
        }
        #expect(await eventually { await reader.bytes.count == 5000 })
        #expect(await writer.happenings == [.writable])
        await writer.on { _ in
            left.close()
            right.close()
        }
        #expect(await eventually { await writer.closeReason == .finished })
        #expect(await eventually { await reader.closeReason == .finished })
    }

    @Test func megabytesEchoThroughConnections() async throws {
        let loop = try EventLoop()
        let (left, right) = MemoryStream.pair(on: loop, chunk: 777)
        loop.execute { right.start(Echo(right)) }
        let connection = await Connection(left)
        let sent = pattern(1_000_000)
        let writing = Task {
            try await connection.write(sent, within: patience)
            await connection.finishWriting()
        }
        var got: [UInt8] = []
        while let bytes = try await connection.read(within: patience) { got += bytes }
        try await writing.value
        #expect(isSame(got, sent))
        await connection.close()
    }

    @Test func aCloseThatThePeerDoesNotAnswerTimesOutOnTheHeldClock() async throws {
        let loop = try EventLoop(virtualTime: true)
        let (left, right) = MemoryStream.pair(on: loop)
        let recorder = Recorder(on: loop)
        await recorder.on { recorder in
            left.start(recorder)
            left.close(within: .seconds(5))
        }
        await loop.advance(by: .milliseconds(4999))
        #expect(await recorder.closeReason == nil)
        await loop.advance(by: .milliseconds(1))
        #expect(await eventually { await recorder.closeReason == .failed(.timedOut(.close)) })
        withExtendedLifetime(right) {}
    }

    @Test func anEndThatClosesAsItHearsOfTheEndTellsTheOther() async throws {
        let loop = try EventLoop()
        let (left, right) = MemoryStream.pair(on: loop)
        let recorder = Recorder(on: loop)
        // The echo closes from within `ended()`.
        await recorder.on { recorder in
            left.start(recorder)
            right.start(Echo(right))
            left.finishWriting()
        }
        #expect(await eventually { await recorder.happenings == [.ended] })
        await recorder.on { _ in left.close() }
        #expect(await eventually { await recorder.closeReason == .finished })
    }
}
