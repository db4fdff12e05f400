import WebSocket

/// A message for a client. One with a new event shares the event with all others that have it until it is written.
struct Outgoing {
    private let head: [UInt8]
    private let tail: [UInt8]

    /// A message of its own.
    init(_ message: [UInt8]) {
        head = message
        tail = []
    }

    /// A message that is `head` and then `tail`, which others have too.
    init(_ head: [UInt8], _ tail: [UInt8]) {
        self.head = head
        self.tail = tail
    }

    /// What it takes, about, where nobody else has a part of it.
    var cost: Int { head.count + tail.count + 64 }

    var message: WebSocketMessage {
        WebSocketMessage(kind: .text, bytes: tail.isEmpty ? head : head + tail)
    }
}

/// Messages that wait to be written to one connection.
struct Outbox {
    private var messages = Queue<Outgoing>()
    /// What they take; see ``Outgoing/cost``.
    private(set) var bytes = 0

    var isEmpty: Bool { messages.isEmpty }

    mutating func append(_ message: Outgoing) {
        bytes += message.cost
        messages.append(message)
    }

    /// Takes about so many bytes of messages.
    mutating func take(_ limit: Int) -> [WebSocketMessage] {
        var taken: [WebSocketMessage] = []
        var size = 0
        while size < limit, let message = messages.popFirst() {
            size += message.cost
            taken.append(message.message)
        }
        bytes -= size
        return taken
    }

    mutating func removeAll() {
        self = Outbox()
    }
}
