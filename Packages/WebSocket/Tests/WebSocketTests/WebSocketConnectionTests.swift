import Sockets
import Testing

@testable import WebSocket

private let messages: [WebSocketMessage] = [
    .text("hello"), .binary([0, 255, 7]), .text(""), .text("h€llo 🜁"),
    .binary([UInt8](repeating: 9, count: 200_000)), .text(String(repeating: "link ", count: 30_000)),
]

private func echo(_ connection: WebSocketConnection) -> Task<Void, any Error> {
    Task { for try await message in connection.messages { try await connection.send(message) } }
}

@Test(
    arguments: [1, 17, 64 << 10],
    [nil, CompressionParameters(), CompressionParameters(clientNoContextTakeover: true)]
)
func messagesComeBackAsTheyWereSent(chunk: Int, compression: CompressionParameters?) async throws {
    let ends = try await Ends(compression: compression, chunk: chunk)
    let echoing = echo(ends.server)
    let sent = chunk == 1 ? Array(messages[..<4]) : messages
    async let sending: Void = ends.client.send(contentsOf: sent)
    var received: [WebSocketMessage] = []
    for try await message in ends.client.messages {
        received.append(message)
        if received.count == sent.count { break }
    }
    try await sending
    #expect(received == sent)
    await ends.client.close()
    try await echoing.value
}

@Test(arguments: [true, false])
func bothEndsLearnTheCodeAndReasonOfACloseWhoeverBegins(clientBegins: Bool) async throws {
    let ends = try await Ends()
    let (first, second) = clientBegins ? (ends.client, ends.server) : (ends.server, ends.client)
    let reader = Task { try await second.receiveBatch() }
    let status = await first.close(CloseCode(rawValue: 4000), reason: "done")
    #expect(status == CloseStatus(code: CloseCode(rawValue: 4000), reason: "done", side: .local, isClean: true))
    #expect(try await reader.value == [])
    let other = await second.close()
    #expect(other == CloseStatus(code: CloseCode(rawValue: 4000), reason: "done", side: .remote, isClean: true))
    #expect(try await first.receiveBatch() == [])
    await #expect(throws: WebSocketError.closed(other)) { try await second.send(.text("late")) }
}

@Test func closeFramesThatCrossEndBothEndsCleanly() async throws {
    let ends = try await Ends()
    async let one = ends.client.close(.goingAway)
    async let two = ends.server.close(.normal)
    let statuses = await [one, two]
    #expect(statuses.map { $0.isClean } == [true, true])
}

@Test func messagesThatWaitWhenTheConnectionClosesCanStillBeRead() async throws {
    let ends = try await Ends()
    try await ends.client.send(.text("before"))
    await ends.client.close()
    #expect(try await ends.server.receiveBatch() == [.text("before")])
    #expect(try await ends.server.receiveBatch() == [])
}

@Test func aViolationClosesWithItsCodeAndTheReaderLearnsIt() async throws {
    let end = try await RawEnd()
    let reader = Task { try await end.connection.receiveBatch() }
    try await end.write(Wire.frame(1, [0xFF]))
    await #expect(throws: WebSocketError.violation(.invalidUTF8)) { try await reader.value }
    let head = try await end.read(4)
    #expect(head[0] == 0x88 && head[2...] == [3, 239])
    _ = try await end.read(Int(head[1]) - 2)
    #expect(try await end.peer.read(within: .seconds(20)) == nil)
    await end.peer.close()
    let status = await end.connection.close()
    #expect(status.code == .invalidPayload && status.side == .local && !status.isClean)
    await #expect(throws: WebSocketError.violation(.invalidUTF8)) { try await end.connection.send(.text("x")) }
}

@Test func whatCameBeforeAViolationIsStillAnswered() async throws {
    let end = try await RawEnd()
    let echoing = echo(end.connection)
    try await end.write(Wire.frame(1, Array("a".utf8)) + Wire.frame(1, Array("b".utf8)) + Wire.frame(3))
    #expect(try await end.read(6) == [0x81, 1, 0x61, 0x81, 1, 0x62])
    #expect(try await end.read(4).suffix(2) == [3, 234])
    await #expect(throws: WebSocketError.violation(.unknownOpcode(3))) { try await echoing.value }
    await end.peer.abort()
}

@Test func aViolationEndsAConnectionThatNobodyReads() async throws {
    let end = try await RawEnd()
    try await end.write(Wire.frame(1, Array("a".utf8)) + Wire.frame(3))
    await end.settle()
    await end.loop.advance(by: .seconds(4))
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    #expect(await end.connection.closeStatus?.code == .protocolError)
    #expect(try await end.connection.receiveBatch() == [.text("a")])
    await #expect(throws: WebSocketError.violation(.unknownOpcode(3))) { try await end.connection.receiveBatch() }
    await end.peer.abort()
}

@Test func closingAfterAViolationClosesForTheViolation() async throws {
    let end = try await RawEnd()
    try await end.write(Wire.frame(1, Array("a".utf8)) + Wire.frame(3))
    await end.settle()
    async let closing = end.connection.close()
    #expect(try await end.read(4).suffix(2) == [3, 234])
    await end.peer.close()
    #expect(await closing.code == .protocolError)
}

@Test func anEndWithoutACloseFrameIsAnErrorAndWithOneIsNot() async throws {
    let broken = try await RawEnd()
    try await broken.write(Wire.frame(1, Array("a".utf8)))
    await broken.peer.finishWriting()
    #expect(try await broken.connection.receiveBatch() == [.text("a")])
    await #expect(throws: WebSocketError.self) { try await broken.connection.receiveBatch() }

    let clean = try await RawEnd()
    try await clean.write(Wire.frame(1, Array("a".utf8)) + Wire.close(1000))
    await clean.peer.finishWriting()
    #expect(try await clean.connection.receiveBatch() == [.text("a")])
    #expect(try await clean.connection.receiveBatch() == [])
    #expect(try await clean.read(4) == [0x88, 2, 3, 232])
    #expect(await clean.connection.close().isClean)
    await clean.peer.abort()
}

@Test func aPingIsAnsweredWithItsPayload() async throws {
    let end = try await RawEnd()
    try await end.write(Wire.frame(9, [1, 2, 3]))
    #expect(try await end.read(5) == [0x8A, 3, 1, 2, 3])
    await end.connection.abort()
}

@Test func aMessageThatTricklesInClosesTheConnectionAndOneThatIsInTimeDoesNot() async throws {
    var options = WebSocketOptions()
    options.pingInterval = nil
    options.messageTimeout = .seconds(10)
    let end = try await RawEnd(options: options)
    let frame = Wire.frame(1, Array("slow".utf8))
    for byte in frame {
        try await end.write([byte])
        await end.settle()
        await end.loop.advance(by: .milliseconds(900))
    }
    #expect(try await end.connection.receiveBatch() == [.text("slow")])
    // Between two messages there is no limit.
    await end.loop.advance(by: .seconds(100))
    // A frame of its own for each byte does not help, nor a ping in between.
    for index in 0..<9 {
        try await end.write(Wire.frame(index == 0 ? 1 : 0, [0x61], fin: false) + Wire.frame(9))
        await end.settle()
        await end.loop.advance(by: .seconds(1))
    }
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    let pongs = (0..<9).flatMap { _ in Wire.frame(10, masked: false) }
    #expect(try await end.read(pongs.count) == pongs)
    #expect(try await end.read(4) == [0x88, 33, 0x03, 0xF0])
    await end.loop.advance(by: .seconds(5))
    await end.settle()
    #expect(await end.connection.closeStatus?.code == .policyViolation)
}

@Test func aReaderThatDoesNotReadIsNotHeldAgainstTheOtherEnd() async throws {
    var options = WebSocketOptions()
    options.pingInterval = nil
    options.messageTimeout = .seconds(10)
    options.receiveBufferBytes = 1
    let end = try await RawEnd(options: options)
    try await end.write(Wire.frame(1, [0x61]) + Wire.frame(1, [0x62]).dropLast())
    await end.settle()
    await end.loop.advance(by: .seconds(30))
    await end.settle()
    #expect(try await end.connection.receiveBatch() == [.text("a")])
    await end.loop.advance(by: .seconds(5))
    try await end.write(Wire.frame(1, [0x62]).suffix(1))
    await end.settle()
    #expect(try await end.connection.receiveBatch() == [.text("b")])
}

@Test func aDeadPeerIsFoundByASilentPing() async throws {
    let end = try await RawEnd()
    let reader = Task { try await end.connection.receiveBatch() }
    await end.loop.advance(by: .seconds(54))
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    #expect(try await end.read(2) == [0x89, 0])
    await end.loop.advance(by: .seconds(19))
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    await #expect(throws: WebSocketError.timedOut(.pong)) { try await reader.value }
}

@Test(arguments: [Wire.frame(10), Wire.frame(9), Wire.frame(1, [0x41], fin: false)])
func anythingThatComesKeepsAConnectionAlive(sign: [UInt8]) async throws {
    let end = try await RawEnd()
    for _ in 0..<3 {
        await end.loop.advance(by: .seconds(55))
        #expect(try await end.read(2) == [0x89, 0])
        try await end.write(sign[0] & 15 == 1 ? [] : sign)
        if sign[0] & 15 == 1 { try await end.write(Wire.frame(9)) }
        if sign[0] & 15 != 10 { _ = try await end.read(2) }
        await end.settle()
        await end.loop.advance(by: .seconds(20))
        #expect(await end.connection.closeStatus == nil)
        await end.loop.advance(by: .seconds(34))
        #expect(await end.connection.closeStatus == nil)
        await end.loop.advance(by: .seconds(1))
        #expect(try await end.read(2) == [0x89, 0])
        try await end.write(Wire.frame(10))
        await end.settle()
    }
    await end.connection.abort()
}

@Test func aCloseThatIsNotAnsweredEndsAtItsDeadline() async throws {
    let end = try await RawEnd()
    async let closing = end.connection.close()
    #expect(try await end.read(4) == [0x88, 2, 3, 232])
    await end.loop.advance(by: .seconds(4))
    try await end.write(Wire.frame(1, Array("ignored".utf8)))
    await end.settle()
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    let status = await closing
    #expect(status.code == .normal && !status.isClean)
    await #expect(throws: WebSocketError.timedOut(.closing)) { try await end.connection.receiveBatch() }
}

@Test func aClientGivesUpOnAServerThatDoesNotEndTheSocket() async throws {
    let end = try await RawEnd(role: .client)
    async let closing = end.connection.close()
    _ = try await end.read(8)
    try await end.write(Wire.frame(8, [3, 232], masked: false))
    await end.settle()
    #expect(await end.connection.closeStatus?.isClean == true)
    await #expect(throws: SocketsError.self) {
        async let rest = end.peer.read(within: .seconds(1000))
        await end.loop.advance(by: .seconds(5))
        _ = try await rest
    }
    #expect(await closing.isClean)
}

@Test func aSlowReaderStopsTheSenderAndLosesNothing() async throws {
    var options = WebSocketOptions()
    options.receiveBufferBytes = 10_000
    let ends = try await Ends(options: options, highWaterMark: 20_000)
    let message = WebSocketMessage.binary([UInt8](repeating: 5, count: 1000))
    var taken = 0
    var refusals = 0
    while refusals < 10, taken < 5000 {
        switch await ends.client.enqueue([message]) {
        case .taken, .full: taken += 1
        case .refused: refusals += 1
        case let other: Issue.record("\(other)")
        }
        await ends.settle()
    }
    // What the buffers hold: the reader's, one read of the stream, the link's, and the writer's.
    #expect(taken > 20 && taken < 250)
    let waiting = Task { try await ends.client.send(.text("last")) }
    var received: [WebSocketMessage] = []
    while received.last != .text("last") {
        let batch = try await ends.server.receiveBatch()
        #expect(batch.count < 80)
        received += batch
    }
    #expect(received.count == taken + 1)
    try await waiting.value
    await ends.client.close()
}

@Test func aSendThatFindsNoRoomEndsAtItsDeadline() async throws {
    let end = try await RawEnd(highWaterMark: 1000, readAhead: 1000)
    let message = WebSocketMessage.binary([UInt8](repeating: 5, count: 60_000))
    try await end.connection.send(message)
    let waiting = Task { try await end.connection.send(message) }
    await end.untilWaiting(.writer)
    await end.loop.advance(by: .seconds(29))
    #expect(await end.connection.closeStatus == nil)
    await end.loop.advance(by: .seconds(1))
    await #expect(throws: WebSocketError.timedOut(.sending)) { try await waiting.value }
    #expect(await end.connection.closeStatus?.isClean == false)
}

@Test func aCancelledSendIsNotSentAndTheConnectionStaysOpen() async throws {
    let end = try await RawEnd(highWaterMark: 1000, readAhead: 1000)
    let large = WebSocketMessage.binary([UInt8](repeating: 5, count: 60_000))
    try await end.connection.send(large)
    let waiting = Task { try await end.connection.send(.text("never")) }
    await end.untilWaiting(.writer)
    waiting.cancel()
    await #expect(throws: WebSocketError.cancelled) { try await waiting.value }
    _ = try await end.read(60_004)
    try await end.connection.send(.text("next"))
    #expect(try await end.read(6) == [0x81, 4] + Array("next".utf8))
    await end.connection.abort()
}

@Test func cancellingTheReaderClosesTheConnection() async throws {
    let end = try await RawEnd()
    let reader = Task { for try await _ in end.connection.messages {} }
    await end.untilWaiting(.reader)
    reader.cancel()
    await #expect(throws: WebSocketError.cancelled) { try await reader.value }
    #expect(try await end.read(4) == [0x88, 2, 3, 233])
    try await end.write(Wire.close(1001))
    #expect(try await end.peer.read(within: .seconds(20)) == nil)
    await end.peer.close()
    #expect(await end.connection.close().isClean)
}

@Test func aMessageAboveTheLimitIsNotSent() async throws {
    var options = WebSocketOptions()
    options.largestSentMessage = 10
    let ends = try await Ends(options: options)
    try await ends.client.send(.binary([UInt8](repeating: 0, count: 10)))
    await #expect(throws: WebSocketError.messageTooLarge(bytes: 11, limit: 10)) {
        try await ends.client.send(.binary([UInt8](repeating: 0, count: 11)))
    }
    #expect(await ends.client.enqueue([.binary([UInt8](repeating: 0, count: 11))]) == .tooLarge)
    await ends.client.close()
    #expect(await ends.client.enqueue([.text("")]) == .closed)
}

@Test func messagesOfOneReadAreDecodedOnlyAsTheReaderTakesThem() async throws {
    var options = WebSocketOptions()
    options.receiveBufferBytes = 1000
    let end = try await RawEnd(options: options)
    let frames = (0..<20).flatMap { Wire.frame(2, [UInt8](repeating: UInt8($0), count: 400)) } + Wire.close(1000)
    try await end.write(frames)
    await end.peer.finishWriting()
    await end.settle()
    #expect(await end.connection.closeStatus == nil)
    var received: [WebSocketMessage] = []
    while true {
        let batch = try await end.connection.receiveBatch()
        if batch.isEmpty { break }
        #expect(batch.count <= 3)
        received += batch
    }
    #expect(received.map { $0.bytes.first } == (0..<20).map { UInt8($0) })
    #expect(await end.connection.close().isClean)
    await end.peer.abort()
}

@Test func whileOutgoingBytesWaitOnlyTheLatestPingIsAnswered() async throws {
    let end = try await RawEnd(highWaterMark: 1000, readAhead: 1000)
    try await end.connection.send(.binary([UInt8](repeating: 5, count: 60_000)))
    for number in UInt8(0)..<50 { try await end.write(Wire.frame(9, [number])) }
    await end.settle()
    _ = try await end.read(60_004)
    #expect(try await end.read(3) == [0x8A, 1, 49])
    await end.connection.abort()
}
