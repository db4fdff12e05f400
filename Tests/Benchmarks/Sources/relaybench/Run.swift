import Foundation
import NostrCrypto
import NostrEvents
import WebSocket

/// The stages.
struct Run {
    let url: String
    let pid: Int?
    let events: Int
    let world = World()

    func publish() async throws {
        let messages = await world.messages(0..<events)
        var clients: [Client] = []
        for _ in 0..<16 { clients.append(try await Client(url)) }
        let before = processorTime
        let start = ContinuousClock.now
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, client) in clients.enumerated() {
                let part = messages[(number * events / 16)..<((number + 1) * events / 16)]
                group.addTask { try await client.publish(part, window: 64) }
            }
            return try await group.reduce(0, +)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        say("publish: \(Int(Double(accepted) / seconds)) accepted a second (\(accepted) of \(events))")
        if let before, let after = processorTime {
            say(
                "publish: \(figure((after - before) / Double(max(1, accepted)) * 1e6)) us of the relay's processor each"
            )
        }
        for client in clients { await client.connection.close() }
    }

    func latency() async throws {
        let messages = await world.messages(events..<events + 1_000)
        let client = try await Client(url)
        var times: [Double] = []
        for message in messages {
            let start = ContinuousClock.now
            _ = try await client.publish([message], window: 1)
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        await client.connection.close()
        say("latency: submit to OK \(summary(times))")
        say("latency: fdatasync of 4 KiB \(summary(syncTimes()))")
    }

    private func syncTimes() -> [Double] {
        let path = "relaybench-\(getpid()).tmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return [] }
        defer {
            close(descriptor)
            unlink(path)
        }
        // The file has its size already, as the log of a database has for most of the time.
        let page = [UInt8](repeating: 1, count: 4_096)
        for _ in 0..<500 { _ = write(descriptor, page, page.count) }
        _ = fsync(descriptor)
        return (0..<500).map { number in
            let start = ContinuousClock.now
            _ = pwrite(descriptor, page, page.count, off_t(number * page.count))
            _ = fdatasync(descriptor)
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
    }

    func query() async throws {
        let client = try await Client(url)
        let kinds = (0..<200).map { number in
            Filter(kinds: [.textNote], until: world.now - Int64(number * 400), limit: 500)
        }
        let authors = world.authors.prefix(200).map { Filter(authors: [$0.publicKey.bytes], limit: 500) }
        let tags = (0..<200).map { number in
            var filter = Filter(limit: 500)
            filter.tags[.t] = ["topic\(number)"]
            return filter
        }
        for (name, filters) in [("author", authors), ("tag", tags), ("kinds and time", kinds)] {
            var (first, whole, count): ([Double], [Double], Int) = ([], [], 0)
            for (number, filter) in filters.enumerated() {
                let id = try SubscriptionID("q\(number)")
                let start = ContinuousClock.now
                try await client.send([ClientMessage.request(id, [filter]).json])
                var isFirst = true
                var isDone = false
                while !isDone {
                    for message in try await client.receive() {
                        let label = RelayMessagePreview(message.bytes)?.label
                        if isFirst, label == .event {
                            first.append((ContinuousClock.now - start) / .milliseconds(1))
                            isFirst = false
                        }
                        if label == .event { count += 1 }
                        if label == .endOfStoredEvents || label == .closed { isDone = true }
                    }
                }
                whole.append((ContinuousClock.now - start) / .milliseconds(1))
                try await client.send([ClientMessage.close(id).json])
            }
            say("query by \(name): first event \(summary(first))")
            say("query by \(name): all, \(count / filters.count) on average, \(summary(whole))")
        }
        await client.connection.close()
    }

    func fanOut() async throws {
        let matching = try await subscribed(connections: 100, subscriptions: 50) { _ in
            Filter(kinds: [.textNote], since: world.now, limit: 0)
        }
        say("fanout to 5,000: \(try await measureFanOut(matching, 5_000))")
        let others = try await subscribed(connections: 200, subscriptions: 100) { number in
            Filter(authors: [SHA256.hash("author \(number)")], limit: 0)
        }
        say("fanout to 5,000 beside 20,000 others: \(try await measureFanOut(matching, 5_000))")
        for client in matching + others { await client.connection.close() }
    }

    private func subscribed(
        connections: Int,
        subscriptions: Int,
        _ filter: (Int) -> Filter
    ) async throws -> [Client] {
        var clients: [Client] = []
        for number in 0..<connections {
            let client = try await Client(url)
            try await client.send(
                try (0..<subscriptions).map { index in
                    let id = try SubscriptionID("s\(index)")
                    return ClientMessage.request(id, [filter(number * subscriptions + index)]).json
                }
            )
            var left = subscriptions
            while left > 0 {
                for message in try await client.receive()
                where RelayMessagePreview(message.bytes)?.label == .endOfStoredEvents { left -= 1 }
            }
            clients.append(client)
        }
        return clients
    }

    /// From sending an event until each subscription has it.
    private func measureFanOut(_ clients: [Client], _ subscriptions: Int) async throws -> String {
        let writer = try await Client(url)
        var (median, last): ([Double], [Double]) = ([], [])
        let before = processorTime
        let rounds = 60
        for round in 0..<rounds {
            let event = Event(
                kind: .textNote,
                content: "round \(round) of \(UInt64.random(in: 0 ... .max))",
                createdAt: world.now + 10,
                signedBy: world.authors[0]
            )
            let message = ClientMessage.event(event.wire).json
            let start = ContinuousClock.now
            let times = try await withThrowingTaskGroup(of: [Double].self) { group in
                for client in clients {
                    group.addTask {
                        var times: [Double] = []
                        while times.count < subscriptions / clients.count {
                            let batch = try await client.receive()
                            let time = (ContinuousClock.now - start) / .milliseconds(1)
                            for one in batch where RelayMessagePreview(one.bytes)?.label == .event {
                                times.append(time)
                            }
                        }
                        return times
                    }
                }
                _ = try await writer.publish([message], window: 1)
                return try await group.reduce(into: []) { $0 += $1 }.sorted()
            }
            median.append(times[times.count / 2])
            last.append(times[times.count - 1])
        }
        await writer.connection.close()
        if let before, let after = processorTime {
            say("fanout: \(figure((after - before) / Double(rounds) * 1e3)) ms of the relay's processor for an event")
        }
        return "half of them \(summary(median)); the last \(summary(last))"
    }

    func idle() async throws {
        guard pid != nil, let before = memory else { return }
        var clients: [Client] = []
        for _ in 0..<2_000 { clients.append(try await Client(url)) }
        guard let after = memory else { return }
        say("idle: \((after - before) / clients.count) bytes of the relay's memory for each connection")
        for client in clients { await client.connection.close() }
    }

    // MARK: The relay's process

    /// Seconds.
    private var processorTime: Double? {
        guard let pid, let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return nil }
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Resident bytes that belong to no file.
    var memory: Int? {
        guard let pid, let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }

    func report(_ line: String) { say(line) }

    func summary(_ times: [Double]) -> String {
        guard !times.isEmpty else { return "nothing" }
        let sorted = times.sorted()
        return "p50 \(figure(sorted[sorted.count / 2])) ms, p95 \(figure(sorted[sorted.count * 95 / 100])) ms"
    }

    func figure(_ value: Double) -> String { String(format: "%.3g", value) }
}

/// Prints a line at once, also into a pipe.
private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
