import Sockets
import Testing
import WebSocket

private func sayHello() async throws -> [String?] {
    let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
        Task {
            let connection = try await WebSocketServer().accept(stream)
            for try await message in connection.messages { try await connection.send(message) }
        }
    }
    let url = "ws://127.0.0.1:\(listener.address.port ?? 0)/"
    let connection = try await WebSocketClient().connect(to: url)
    try await connection.send(contentsOf: [.text("hello"), .text("world")])
    var answers: [String?] = []
    for try await message in connection.messages {
        answers.append(message.text)
        if answers.count == 2 { break }
    }
    await connection.close(.normal, reason: "done")
    return answers
}

extension LoopbackTests {
    @Test func theExampleOfTheReadmeWorks() async throws {
        #expect(try await sayHello() == ["hello", "world"])
    }
}
