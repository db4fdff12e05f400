import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents

/// What the daemon answers over its socket, beside what ``ControlServer`` answers itself.
struct ControlMethods: Sendable {
    let keeper: AccountKeeper
    let report: @Sendable () async -> JSONValue
    let reload: @Sendable () async throws(OperationFailure) -> Void

    var all: [String: ControlServer.Handler] {
        var methods: [String: ControlServer.Handler] = [
            "status": { _ in RawJSON(await report()) },
            "accounts": { _ in RawJSON(.array(await keeper.all.map(\.value))) },
            "account.unlock": { call in try await unlock(call) },
            "home.lend": { call in try await lend(call) },
            "subscribe": { call in try await subscribe(call) },
            "reload": { _ in
                try await answering { () throws(OperationFailure) in try await reload() }
                return RawJSON([:])
            },
        ]
        for operation in ClientOperation.all {
            methods[operation.name] = { call in try await perform(operation, call) }
        }
        methods[ClientOperation.profileSet.name] = { call in
            let answer = try await perform(.profileSet, call)
            if let profile = try? answer.value().array?.first, let name = profile["name"]?.string,
                let key = profile["pubkey"]?.string.flatMap({ try? Bytes32(hex: $0) })
            {
                await keeper.nameIfNameless(key, name)
            }
            return answer
        }
        return methods
    }

    /// `account.unlock {"account", "passphrase"}`.
    private func unlock(_ call: ControlCall) async throws(RPCFailure) -> RawJSON {
        let parameters = try Parameters(call, known: ["account", "passphrase"])
        let key = try Self.key(try parameters.text("account"))
        let passphrase = try parameters.text("passphrase")
        try await answering { () throws(OperationFailure) in
            try await keeper.unlock(key, passphrase: passphrase)
        }
        return RawJSON([:])
    }

    /// `home.lend {"account"?}`: tells `lent` when the client alone works on the home's files, until it takes the request back or goes.
    /// The answer comes when everything that was changed has been taken up. An account that is named is closed meanwhile.
    private func lend(_ call: ControlCall) async throws(RPCFailure) -> RawJSON {
        let parameters = try Parameters(call, known: ["account"])
        let key = try parameters.optionalText("account").map { (text) throws(RPCFailure) in try Self.key(text) }
        await keeper.lend(closing: key)
        await call.tell("lent", JSONObject())
        // Cancellation is how it ends.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        await keeper.takeBack()
        return RawJSON([:])
    }

    /// `subscribe {"account"?, "session"?, "notify"?}`: what happens to an account, as it happens.
    private func subscribe(_ call: ControlCall) async throws(RPCFailure) -> RawJSON {
        let parameters = try Parameters(call, known: ["account", "session", "notify"])
        let text = try parameters.optionalText("account")
        let runtime = try await answering { () throws(OperationFailure) in try await keeper.runtime(text) }
        let onlyNotable = try parameters.flag("notify")
        let sessionText = try parameters.optionalText("session")
        let session = try await answering { () throws(OperationFailure) in
            guard let sessionText else { return nil as JSONValue? }
            let found = try await ClientOperation.sessionShow.perform(
                JSONObject([.init(key: "session", value: .string(sessionText))]),
                OperationCall(runtime)
            )
            return found.first?["id"]
        }
        let openings = await keeper.openings(of: runtime.account)
        let name = try await call.stream { (send) async throws(RPCFailure) in
            do {
                for try await events in openings {
                    for await event in events {
                        if onlyNotable, !event.isWorthNotifying { continue }
                        let value = event.value
                        if let session, value["session"] != session { continue }
                        await send(RawJSON(value))
                    }
                }
            } catch {
                throw RPCFailure(OperationFailure(error))
            }
        }
        return RawJSON(["subscription": .string(name)])
    }

    /// Any operation: `{"account"?, "arguments"?, "timeout"?}`. The result is the list of objects that it gives.
    private func perform(_ operation: ClientOperation, _ call: ControlCall) async throws(RPCFailure) -> RawJSON {
        let parameters = try Parameters(call, known: ["account", "arguments", "timeout"])
        let text = try parameters.optionalText("account")
        let arguments = try parameters.object("arguments")
        var timeout = try parameters.duration("timeout")
        let started = ContinuousClock.now
        let runtime = try await answering { () throws(OperationFailure) in
            if let timeout { try await keeper.runtime(text, within: timeout) } else { try await keeper.runtime(text) }
        }
        // What it has waited for the account is gone.
        timeout = timeout.map { max($0 - (ContinuousClock.now - started), .milliseconds(1)) }
        // In their order, and all of them before the answer.
        let (notices, sender) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(64))
        let telling = Task {
            for await notice in notices { await call.tell(notice.name, notice.members) }
        }
        let outcome = await outcome(
            of: operation,
            arguments,
            OperationCall(
                runtime,
                timeout: timeout,
                onWarning: { sender.yield(.warning($0)) },
                onProgress: { sender.yield(.progress($0)) }
            )
        )
        sender.finish()
        await telling.value
        return RawJSON(.array(try outcome.get()))
    }

    private func outcome(
        of operation: ClientOperation,
        _ arguments: JSONObject,
        _ call: OperationCall
    ) async -> Result<[JSONValue], RPCFailure> {
        do throws(OperationFailure) {
            return .success(try await operation.perform(arguments, call))
        } catch {
            return .failure(RPCFailure(error))
        }
    }

    private static func key(_ text: String) throws(RPCFailure) -> Bytes32 {
        guard let key = try? PublicKey(typed: text) else {
            throw .invalidParameters("The parameter account is no public key.")
        }
        return key.bytes
    }

    private func answering<Value>(
        _ body: () async throws(OperationFailure) -> Value
    ) async throws(RPCFailure) -> Value {
        do throws(OperationFailure) { return try await body() } catch { throw RPCFailure(error) }
    }
}

/// What is told before an answer.
private struct Notice {
    let name: String
    let members: JSONObject

    static func warning(_ sentence: String) -> Notice {
        Notice(name: "warning", members: JSONObject([.init(key: "message", value: .string(sentence))]))
    }

    static func progress(_ progress: OperationProgress) -> Notice {
        var members = JSONObject()
        members["what"] = .string(progress.what)
        members["count"] = .integer(Int64(progress.count))
        if let total = progress.total { members["total"] = .integer(Int64(total)) }
        return Notice(name: "progress", members: members)
    }
}

extension RPCFailure {
    init(_ failure: OperationFailure) {
        self.init(code: Int64(failure.code.rawValue), message: failure.message)
    }
}
