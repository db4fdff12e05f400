import Sockets
import Locking
import Testing

@testable import WebSocket

/// Records what it is told.
private final class Recorder: WebSocketHandler {
    struct Record {
        var batches: [[WebSocketMessage]] = []
        var writable = 0
        var closed: [CloseStatus] = []
        var error: WebSocketError?
    }

    let record = Locked(Record())
    let onMessages: @Sendable ([WebSocketMessage]) -> Void

    init(onMessages: @escaping @Sendable ([WebSocketMessage]) -> Void = { _ in }) {
        self.onMessages = onMessages
    }

    func received(_ messages: [WebSocketMessage]) {
        record.withLock { $0.batches.append(messages) }
        onMessages(messages)
    }

    func writable() {
        record.withLock { $0.writable += 1 }
    }

    func closed(_ status: CloseStatus, error: WebSocketError?) {
        record.withLock {
            $0.closed.append(status)
            $0.error = error
        }
    }
}

@Test func aHandlerIsGivenTheMessagesOfATurnTogether() async throws {
    let end = try await RawEnd()
    let recorder = Recorder()
    try await end.write(Wire.frame(1, Array("early".utf8)))
    await end.settle()
    await end.connection.deliver(to: recorder)
    await end.settle()
    try await end.write((0..<3).flatMap { Wire.frame(2, [$0]) })
    await end.settle()
    #expect(
        recorder.record.withLock { $0.batches } == [[.text("early")], [.binary([0]), .binary([1]), .binary([2])]]
    )
    try await end.write(Wire.frame(1, Array("last".utf8)) + Wire.close(4999))
    _ = try await end.read(4)
    await end.peer.close()
    await end.settle()
    let record = recorder.record.withLock { $0 }
    #expect(record.batches.last == [.text("last")])
    #expect(record.closed == [CloseStatus(code: CloseCode(rawValue: 4999), reason: "", side: .remote, isClean: true)])
    #expect(record.error == nil)
}

@Test func aHandlerCanHoldTheOtherEndBack() async throws {
    let end = try await RawEnd()
    let connection = end.connection
    let recorder = Recorder(onMessages: { _ in connection.assumeIsolated { $0.pauseDelivery() } })
    await connection.deliver(to: recorder)
    await end.settle()
    try await end.write(Wire.frame(2, [1]))
    await end.settle()
    try await end.write(Wire.frame(2, [2]))
    try await end.write(Wire.frame(2, [3]))
    await end.settle()
    #expect(recorder.record.withLock { $0.batches.count } == 1)
    await connection.resumeDelivery()
    await end.settle()
    #expect(recorder.record.withLock { $0.batches.flatMap { $0 } }.prefix(2) == [.binary([1]), .binary([2])])
    await connection.resumeDelivery()
    await end.settle()
    #expect(recorder.record.withLock { $0.batches.flatMap { $0 }.count } == 3)
    await connection.abort()
    await end.settle()
    #expect(recorder.record.withLock { $0.closed.count } == 1)
}

@Test func aHandlerIsToldWhenThereIsRoomAgain() async throws {
    let end = try await RawEnd(highWaterMark: 1000, readAhead: 1000)
    let recorder = Recorder()
    await end.connection.deliver(to: recorder)
    let large = WebSocketMessage.binary([UInt8](repeating: 5, count: 60_000))
    #expect(await end.connection.enqueue([.text("a")]) == .taken)
    #expect(await end.connection.enqueue([large]) == .full)
    #expect(await end.connection.enqueue([.text("b")]) == .refused)
    #expect(recorder.record.withLock { $0.writable } == 0)
    _ = try await end.read(60_007)
    await end.settle()
    #expect(recorder.record.withLock { $0.writable } == 1)
    #expect(await end.connection.enqueue([.text("c")]) == .taken)
    await end.connection.abort()
}

@Test func aHandlerCanAnswerWhatCameBeforeAViolation() async throws {
    let end = try await RawEnd()
    let connection = end.connection
    let recorder = Recorder(onMessages: { messages in connection.assumeIsolated { _ = $0.enqueue(messages) } })
    await connection.deliver(to: recorder)
    try await end.write(Wire.frame(2, [1]) + Wire.frame(2, [2]) + Wire.frame(3))
    #expect(try await end.read(6) == [0x82, 1, 1, 0x82, 1, 2])
    #expect(try await end.read(4).suffix(2) == [3, 234])
    await end.peer.close()
    await end.settle()
    #expect(recorder.record.withLock { $0.error } == .violation(.unknownOpcode(3)))
}
