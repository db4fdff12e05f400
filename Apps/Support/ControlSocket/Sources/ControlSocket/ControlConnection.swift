import NostrEvents
import Sockets

/// One client of a ``ControlServer``.
actor ControlConnection {
    private let connection: Connection
    private let writer: LineWriter
    private let methods: [String: ControlServer.Handler]
    private let limits: ControlServer.Limits
    private var requests: [RPCIdentifier: (task: Task<Void, Never>, size: Int)] = [:]
    private var requestBytes = 0
    private var streams: [String: Task<Void, Never>] = [:]
    /// Streams whose id is not answered yet, by request.
    private var unannounced: [RPCIdentifier: [(id: String, start: @Sendable () -> Void)]] = [:]
    private var lastStream = 0
    private var isFinishing = false
    private var isOver = false

    init(_ connection: Connection, methods: [String: ControlServer.Handler], limits: ControlServer.Limits) {
        self.connection = connection
        self.methods = methods
        self.limits = limits
        writer = LineWriter(connection, stallTime: limits.stallTime)
    }

    /// Serves until the client has gone, or has finished and got all its answers.
    func serve() async {
        var splitter = MessageSplitter(limit: limits.messageSize)
        do {
            while let bytes = try await connection.read(within: .seconds(31_536_000)) {
                splitter.append(bytes)
                while let line = try splitter.next() { try await take(line) }
            }
            // A client that has finished writing may still be waiting for answers, or have gone: only writing tells. An empty
            // line means nothing.
            while !requests.isEmpty || !streams.isEmpty {
                try await Task.sleep(for: limits.probeTime)
                try await writer.send([0x0A])
            }
        } catch is MessageSplitter.LineTooLong {
            let failure = RPCFailure.invalid("The line is longer than \(limits.messageSize) bytes.")
            try? await writer.send(RPCMessage.answer(id: nil, .failure(failure)).line)
        } catch {}
        await end()
    }

    /// Takes no more requests, ends the streams, lets requests finish in time or cancels them, and closes.
    func finish(within time: Duration) async {
        isFinishing = true
        for stream in streams.values { stream.cancel() }
        streams = [:]
        let tasks = requests.values.map(\.task)
        let timer = Task {
            try await Task.sleep(for: time)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        timer.cancel()
        await end()
    }

    private func end() async {
        isOver = true
        for request in requests.values { request.task.cancel() }
        for stream in streams.values { stream.cancel() }
        streams = [:]
        unannounced = [:]
        await writer.flush()
        await connection.close(within: .seconds(2))
    }

    private func take(_ line: [UInt8]) async throws(SocketsError) {
        do throws(RPCFailure) {
            switch try RPCMessage(line, limit: limits.messageSize) {
            case .request(let id, let method, let parameters):
                guard requests[id] == nil else { throw .invalid("A request with this id is being worked on.") }
                guard !isFinishing, requests.count < limits.requests,
                    requestBytes + line.count <= limits.requestBytes
                else {
                    try await refuse(id, .busy)
                    return
                }
                begin(ControlCall(method: method, parameters: parameters, id: id, connection: self), size: line.count)
            case .notification("cancel", let parameters):
                if let id = Self.request(in: parameters) { requests[id]?.task.cancel() }
            case .notification: break
            case .answer: throw .invalid("Nothing was asked.")
            }
        } catch {
            try await writer.send(RPCMessage.answer(id: nil, .failure(error)).line)
        }
    }

    private func refuse(_ id: RPCIdentifier, _ failure: RPCFailure) async throws(RPCFailure) {
        // A connection that is broken is noticed by reading.
        try? await writer.send(RPCMessage.answer(id: id, .failure(failure)).line)
    }

    private static func request(in parameters: RawJSON?) -> RPCIdentifier? {
        let value = (try? parameters?.value())?.flatMap { $0["request"] }
        if let number = value?.integer { return .number(number) }
        return value?.string.map { .text($0) }
    }

    private func begin(_ call: ControlCall, size: Int) {
        requestBytes += size
        // It cannot end before it is entered: its end is this actor's turn.
        let task = Task {
            let outcome = await answer(call)
            await finish(call.id, outcome)
        }
        requests[call.id] = (task, size)
    }

    private nonisolated func answer(_ call: ControlCall) async -> Result<RawJSON, RPCFailure> {
        do {
            if call.method == "unsubscribe" { return .success(try await endStream(call)) }
            guard let handler = methods[call.method] else { throw RPCFailure.unknownMethod(call.method) }
            return .success(try await handler(call))
        } catch let failure as RPCFailure {
            // What was taken back fails in many ways, none of which says more.
            return .failure(Task.isCancelled ? .cancelled : failure)
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            return .failure(.unexpected)
        }
    }

    private func finish(_ id: RPCIdentifier, _ outcome: Result<RawJSON, RPCFailure>) async {
        // Nothing is told of a request after its answer, and its id is free once the answer is on its way.
        if let request = requests.removeValue(forKey: id) { requestBytes -= request.size }
        let begun = unannounced.removeValue(forKey: id) ?? []
        if !isOver { try? await writer.send(RPCMessage.answer(id: id, outcome).line) }
        for stream in begun {
            if case .success = outcome, !isOver {
                stream.start()
            } else {
                streams.removeValue(forKey: stream.id)?.cancel()
            }
        }
    }

    func send(_ message: RPCMessage, for id: RPCIdentifier) async {
        guard requests[id] != nil, !isOver else { return }
        try? await writer.send(message.line)
    }

    // MARK: Streams

    func stream(
        after id: RPCIdentifier,
        _ work: @escaping ControlCall.Stream
    ) throws(RPCFailure) -> String {
        guard !isOver, streams.count < limits.streams else { throw .busy }
        lastStream += 1
        let name = String(lastStream)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        streams[name] = Task {
            var failure: RPCFailure?
            // Nothing comes through a gate that was cancelled.
            for await _ in gate {
                do throws(RPCFailure) {
                    try await work { item in await self.send(item, of: name) }
                } catch {
                    failure = error
                }
                break
            }
            await self.streamEnded(name, failure)
        }
        unannounced[id, default: []].append((name, { opener.yield() }))
        return name
    }

    private func send(_ item: RawJSON, of name: String) async {
        guard streams[name] != nil else { return }
        var parameters = Array(#"{"subscription":"#.utf8)
        JSONValue.string(name).appendJSON(to: &parameters)
        parameters.append(contentsOf: #","item":"#.utf8)
        item.appendJSON(to: &parameters)
        parameters.append(UInt8(ascii: "}"))
        guard let raw = try? RawJSON(json: parameters, limits: JSONLimits(size: .max)) else { return }
        try? await writer.send(RPCMessage.notification(method: "item", parameters: raw).line)
    }

    private func streamEnded(_ name: String, _ failure: RPCFailure?) async {
        guard streams.removeValue(forKey: name) != nil, !isOver else { return }
        var parameters: JSONObject = ["subscription": .string(name)]
        parameters["error"] = failure?.value
        let ended = RPCMessage.notification(method: "ended", parameters: RawJSON(.object(parameters)))
        try? await writer.send(ended.line)
    }

    private func endStream(_ call: ControlCall) throws(RPCFailure) -> RawJSON {
        guard let name = try call.parameterObject()["subscription"]?.string else {
            throw .invalidParameters("The parameter subscription is missing.")
        }
        let stream = streams.removeValue(forKey: name)
        stream?.cancel()
        return RawJSON(["ended": .bool(stream != nil)])
    }
}
