public import NostrEvents

/// A request that is being worked on: what was asked, and the way back to who asked.
///
/// The task of the handler is cancelled when the client goes away or takes the request back.
public struct ControlCall: Sendable {
    /// Gives each item of a stream to the function that it gets, which waits while the client does not read. What it throws is told to
    /// the client with the end.
    public typealias Stream = @Sendable (@Sendable (RawJSON) async -> Void) async throws(RPCFailure) -> Void

    /// What is asked for.
    public let method: String
    /// What it was asked with: an object or an array.
    public let parameters: RawJSON?
    let id: RPCIdentifier
    let connection: ControlConnection

    /// The parameters taken apart; an empty object where there are none.
    /// - Throws: ``RPCFailure`` where a key appears twice or they are no object.
    public func parameterObject() throws(RPCFailure) -> JSONObject {
        guard let parameters else { return JSONObject() }
        guard let value = try? parameters.value(limits: JSONLimits(size: .max)), let object = value.object else {
            throw .invalidParameters("The parameters are no object, or have a key twice.")
        }
        return object
    }

    /// Tells who asked something before the answer: the notification carries the request's id beside the members given.
    /// Waits while the client does not read.
    ///
    /// - Parameters:
    ///   - notice: The name of the notification, like `progress` or `warning`.
    ///   - members: Its parameters.
    public func tell(_ notice: String, _ members: JSONObject) async {
        var parameters = JSONObject([.init(key: "request", value: id.json)])
        parameters.members += members.members
        await connection.send(.notification(method: notice, parameters: RawJSON(.object(parameters))), for: id)
    }

    /// Begins a stream of items for the client, which ends when `work` returns, with `unsubscribe`, or with the connection. The
    /// handler answers with the stream's id, so that the client knows it before the first item comes.
    ///
    /// - Returns: The id of the stream.
    /// - Throws: ``RPCFailure/busy`` when the connection has as many streams as it may.
    public func stream(_ work: @escaping Stream) async throws(RPCFailure) -> String {
        try await connection.stream(after: id, work)
    }
}
