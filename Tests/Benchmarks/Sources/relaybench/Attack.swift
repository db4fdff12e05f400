import Foundation
import NostrCrypto
import NostrEvents
import WebSocket

/// What some clients do to a relay, in a process of its own, until it is killed.
enum Attack: String, CaseIterable {
    /// Asks for 10,000 subscriptions on a connection, again and again.
    case subscriptions
    /// Sends events of a million tags.
    case tags
    /// Announces frames of 50 MB and sends as much of them as is taken.
    case frames
    /// Holds 1,000 connections, half of them with a request and half with a message that comes byte by byte.
    case loris
    /// Sends pings as fast as they are taken.
    case pings
    /// Asks for everything on 100 connections and reads nothing.
    case deafness
    /// Connects, asks for everything, breaks off when the first of it comes, and comes again, 50 at a time.
    case storm

    func run(_ url: String) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<connections {
                group.addTask {
                    while !Task.isCancelled {
                        // Being thrown out is part of it.
                        try? await once(url, number)
                        if self != .storm { try? await Task.sleep(for: .milliseconds(20)) }
                    }
                }
            }
        }
    }

    private var connections: Int {
        switch self {
        case .subscriptions, .tags, .frames: 2
        case .loris: 1_000
        case .pings: 4
        case .deafness: 100
        case .storm: 50
        }
    }

    private func once(_ url: String, _ number: Int) async throws {
        switch self {
        case .subscriptions: try await subscribe(url)
        case .tags:
            let client = try await Client(url)
            try? await client.send([Self.manyTags])
            while (try? await client.receive()) != nil {}
        case .frames:
            let raw = try await RawClient(url)
            try await raw.upgrade()
            // A masked text frame of 50 MB.
            try await raw.write([0x81, 0xFF, 0, 0, 0, 0, 0x02, 0xFA, 0xF0, 0x80, 1, 2, 3, 4])
            let part = [UInt8](repeating: 0x20, count: 1 << 20)
            for _ in 0..<50 { try await raw.write(part) }
        case .loris:
            let raw = try await RawClient(url)
            var slow = RawClient.handshake[...]
            if number.isMultiple(of: 2) {
                try await raw.upgrade()
                slow = [0x81, 0xFE, 0xFF, 0xFF, 1, 2, 3, 4] + [UInt8](repeating: 0x20, count: 1_000)
            }
            for byte in slow {
                try await raw.write([byte])
                try await Task.sleep(for: .milliseconds(250))
            }
        case .pings:
            let raw = try await RawClient(url)
            try await raw.upgrade()
            let many = [[UInt8]](repeating: [0x89, 0x83, 0, 0, 0, 0, 1, 2, 3], count: 5_000).flatMap(\.self)
            async let reading: Void = raw.drain()
            while true { try await raw.write(many) }
            await reading
        case .deafness:
            let client = try await Client(url)
            for id in 0..<20 {
                try await client.send([ClientMessage.request(try SubscriptionID("\(id)"), [Filter()]).json])
            }
            try await Task.sleep(for: .seconds(60))
        case .storm:
            let client = try await Client(url)
            let id = try SubscriptionID("all")
            try? await client.send([ClientMessage.request(id, [Filter()]).json])
            _ = try? await client.receive()
            await client.connection.abort()
        }
    }

    private func subscribe(_ url: String) async throws {
        let client = try await Client(url)
        async let answers: Void = {
            var left = 10_000
            while left > 0 { left -= try await client.receive().count }
        }()
        for start in stride(from: 0, to: 10_000, by: 500) {
            try await client.send(
                try (start..<start + 500).map { number in
                    let filter = Filter(kinds: [Kind(rawValue: UInt16(number))])
                    return ClientMessage.request(try SubscriptionID("s\(number)"), [filter]).json
                }
            )
        }
        try await answers
        await client.connection.close()
    }

    private static let manyTags: [UInt8] = {
        let event = Event(kind: .textNote, content: "", createdAt: 1_700_000_000, signedBy: KeyPair.generate())
        let tags = [[UInt8]](repeating: Array(#"["t"]"#.utf8), count: 1_000_000).joined(separator: [UInt8(ascii: ",")])
        let text = String(decoding: event.json, as: UTF8.self)
        let parts = text.components(separatedBy: #""tags":[]"#)
        return Array("[\"EVENT\",\(parts[0])\"tags\":[".utf8) + tags + Array("]\(parts[1])]".utf8)
    }()
}
