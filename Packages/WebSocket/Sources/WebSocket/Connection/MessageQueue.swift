/// Received messages that wait for their reader, with their cost in bytes.
struct MessageQueue {
    private var messages: [WebSocketMessage] = []
    private(set) var cost = 0

    var isEmpty: Bool { messages.isEmpty }

    mutating func append(_ message: WebSocketMessage) {
        messages.append(message)
        // What an empty message occupies counts too, or a flood of them would be free.
        cost += message.bytes.count + 64
    }

    mutating func takeAll() -> [WebSocketMessage] {
        defer { self = MessageQueue() }
        return messages
    }
}
