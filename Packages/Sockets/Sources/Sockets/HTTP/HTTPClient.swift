/// A small HTTP/1.1 client: one request on one connection, with limits on everything. No cookies, no cache. A value:
/// change a copy. May be used from anywhere.
///
/// ```swift
/// var client = HTTPClient()
/// client.connector.addressPolicy = .publicOnly      // asked again at every redirect
/// let response = try await client.get(HTTPURL("https://relay.example/"), accept: "application/nostr+json")
/// ```
public struct HTTPClient: Sendable {
    /// How connections are opened: proxy, TLS, address policy.
    public var connector = Connector()
    /// How long all of it may take, redirects included.
    public var timeout: Duration = .seconds(30)
    /// How long nothing may come before it is given up.
    public var stallTime: Duration = .seconds(15)
    /// How large the head of a response may be.
    public var headLimits = HTTPHeadParser.Limits()
    /// How many bytes of body are taken, as they are on the wire.
    public var bodyLimit = 4 * 1024 * 1024
    /// How many bytes a compressed body may become.
    public var inflatedLimit = 16 * 1024 * 1024
    /// Whether a body beyond a limit is cut there instead of being an error: the head of a page is often all that is wanted.
    public var cutsLongBodies = false
    /// Which redirects are followed.
    public var redirects = RedirectPolicy()
    /// The loops of the connections.
    public var group = EventLoopGroup.shared

    /// The default limits.
    public init() {}

    /// Which redirects a client follows. Whatever it allows, the address policy is asked for the new host.
    public struct RedirectPolicy: Sendable {
        /// How many in a row.
        public var limit = 5
        /// Whether one redirect is followed.
        public var allows: @Sendable (_ from: HTTPURL, _ to: HTTPURL) -> Bool

        /// Those that do not lead from TLS to none.
        public init() {
            allows = { from, to in to.isSecure || !from.isSecure }
        }

        /// None.
        public static let none: RedirectPolicy = {
            var policy = RedirectPolicy()
            policy.limit = 0
            return policy
        }()
    }

    /// Asks for a resource.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - accept: the media types that are wanted.
    ///   - fields: more header fields. `Authorization` and `Cookie` are not sent on to another host.
    /// - Throws: ``SocketsError``. A status that means failure is no error.
    public func get(
        _ url: HTTPURL,
        accept: String = "*/*",
        fields: HTTPFields = HTTPFields()
    ) async throws(SocketsError) -> HTTPResponse {
        var fields = fields
        try fields.append("Accept", accept)
        return try await perform(HTTPClientRequest(method: "GET", url: url, fields: fields, body: []))
    }

    /// Sends a body.
    ///
    /// - Parameters:
    ///   - type: the media type of the body.
    ///   - fields: more header fields.
    /// - Throws: ``SocketsError``. A status that means failure is no error.
    public func post(
        _ url: HTTPURL,
        body: [UInt8],
        type: String,
        fields: HTTPFields = HTTPFields()
    ) async throws(SocketsError) -> HTTPResponse {
        try await send("POST", url, body, type, fields)
    }

    /// Puts a body in the place of a resource. Otherwise as ``post(_:body:type:fields:)``.
    public func put(
        _ url: HTTPURL,
        body: [UInt8],
        type: String,
        fields: HTTPFields = HTTPFields()
    ) async throws(SocketsError) -> HTTPResponse {
        try await send("PUT", url, body, type, fields)
    }

    private func send(
        _ method: String,
        _ url: HTTPURL,
        _ body: [UInt8],
        _ type: String,
        _ fields: HTTPFields
    ) async throws(SocketsError) -> HTTPResponse {
        var fields = fields
        try fields.append("Content-Type", type)
        return try await perform(HTTPClientRequest(method: method, url: url, fields: fields, body: body))
    }

    private func perform(_ first: HTTPClientRequest) async throws(SocketsError) -> HTTPResponse {
        let deadline = ContinuousClock.now + timeout
        var request = first
        var followed = 0
        while true {
            var response = try await exchange(request, deadline)
            guard let target = try redirectTarget(response, request.url) else {
                response.url = request.url
                return response
            }
            guard followed < redirects.limit else {
                if redirects.limit == 0 {
                    response.url = request.url
                    return response
                }
                throw .http(.tooManyRedirects)
            }
            guard redirects.allows(request.url, target) else { throw .http(.redirectRefused(target.description)) }
            followed += 1
            request = request.redirected(to: target, status: response.status)
        }
    }

    private func redirectTarget(_ response: HTTPResponse, _ url: HTTPURL) throws(SocketsError) -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.fields.single("location")
        else {
            return nil
        }
        do throws(SocketsError) {
            let target = try url.resolving(location)
            guard target.scheme == .http || target.scheme == .https else { throw .http(.redirectRefused(location)) }
            return target
        } catch {
            throw .http(.redirectRefused(location))
        }
    }

    private func exchange(
        _ request: HTTPClientRequest,
        _ deadline: ContinuousClock.Instant
    ) async throws(SocketsError) -> HTTPResponse {
        let url = request.url
        guard url.scheme == .http || url.scheme == .https else {
            throw .invalidURL(reason: "it does not begin with http:// or https://")
        }
        let message = try request.serialized()
        var connector = self.connector
        connector.timeout = min(connector.timeout, deadline - .now)
        let stream = try await connector.connect(to: url.host, port: url.port, secure: url.isSecure, on: group.next())
        let connection = await Connection(stream)
        do throws(SocketsError) {
            try await connection.write(message, within: deadline - .now)
            var reader = HTTPResponseReader(connection, self, deadline)
            let response = try await reader.read(method: request.method)
            await connection.abort()
            return response
        } catch {
            await connection.abort()
            if case .timedOut = error { throw .timedOut(.response) }
            throw error
        }
    }
}
