#if Push
    public import Sockets

    /// A client of Apple's push service (Apple: "Sending notification requests to APNs"): one connection to each host, over which
    /// many notifications go at the same time. May be used from anywhere.
    ///
    /// A request is sent again by itself only where the other side cannot have acted on it: when it said so, or when a provider token
    /// had become too old. Everything else is the caller's to decide.
    public final class APNsClient: Sendable {
        private let configuration: APNsConfiguration
        private let channels: [APNsEnvironment: APNsChannel]

        /// Opens nothing yet.
        ///
        /// - Throws: ``APNsError/invalidHeader(_:)`` for a topic that cannot be sent, ``APNsError/connection(_:)`` when TLS cannot be
        ///   set up or no event loop can be started.
        public init(_ configuration: APNsConfiguration, group: EventLoopGroup = .shared) throws(APNsError) {
            guard Self.isHeader(configuration.topic) else { throw .invalidHeader("the topic") }
            var tls = TLSConfiguration()
            tls.applicationProtocols = ["h2"]
            tls.extraAuthoritiesFile = configuration.extraAuthoritiesFile
            var connector = configuration.connector
            let loops: [EventLoop]
            do throws(SocketsError) {
                connector.tls = try TLSClient(tls)
                loops = try group.loops()
            } catch {
                throw .connection(error)
            }
            self.configuration = configuration
            var turn = 0
            channels = configuration.hosts.mapValues { host in
                turn += 1
                return APNsChannel(
                    host: host,
                    connector: connector,
                    loop: loops[turn % loops.count],
                    limit: configuration.limit,
                    silence: configuration.silence
                )
            }
        }

        /// Sends a notification and waits for the answer.
        ///
        /// - Parameter time: how long to wait, for a connection as for the answer. What could not be sent by then is not sent.
        /// - Throws: ``APNsError``. A refusal by Apple is no error.
        public func send(
            _ notification: APNsNotification,
            to environment: APNsEnvironment,
            within time: Duration
        ) async throws(APNsError) -> APNsResponse {
            guard let channel = channels[environment], let host = configuration.hosts[environment] else {
                throw .closed
            }
            let end = ContinuousClock.now + time
            let token = try configuration.signer.token(at: configuration.now())
            let first = try await channel.send(request(notification, host, token), until: end).get()
            guard first.reason?.rawValue == "ExpiredProviderToken",
                configuration.signer.refuse(token, at: configuration.now())
            else { return first }
            let other = try configuration.signer.token(at: configuration.now())
            return try await channel.send(request(notification, host, other), until: end).get()
        }

        /// Closes the connections; requests that are under way end with ``APNsError/closed``.
        public func close() async {
            for channel in channels.values { await channel.close() }
        }

        private func request(
            _ notification: APNsNotification,
            _ host: APNsHost,
            _ token: String
        ) throws(APNsError) -> APNsChannel.Request {
            guard !notification.payload.isEmpty, notification.payload.count <= APNsPayload.maximumSize else {
                throw .payloadTooLarge(notification.payload.count)
            }
            let device = notification.deviceToken
            guard (1...512).contains(device.utf8.count), device.utf8.allSatisfy(APNsTokenSigner.isLetterOrDigit) else {
                throw .invalidDeviceToken
            }
            var fields = [
                HTTP2Field(name: ":method", value: "POST"),
                HTTP2Field(name: ":scheme", value: "https"),
                HTTP2Field(name: ":authority", value: host.port == 443 ? host.name : "\(host.name):\(host.port)"),
                HTTP2Field(name: ":path", value: "/3/device/" + device, isIndexed: false),
                HTTP2Field(name: "authorization", value: "bearer " + token),
                HTTP2Field(name: "apns-topic", value: configuration.topic),
                HTTP2Field(name: "apns-push-type", value: "alert"),
                HTTP2Field(name: "apns-priority", value: String(notification.priority)),
                HTTP2Field(name: "apns-expiration", value: String(notification.expiration), isIndexed: false),
            ]
            if let collapse = notification.collapseID {
                guard collapse.utf8.count <= 64, Self.isHeader(collapse) else {
                    throw .invalidHeader("the collapse id")
                }
                fields.append(HTTP2Field(name: "apns-collapse-id", value: collapse, isIndexed: false))
            }
            return APNsChannel.Request(fields: fields, body: notification.payload)
        }

        /// RFC 9113 section 8.2.1, and no blanks at the ends.
        private static func isHeader(_ value: String) -> Bool {
            !value.isEmpty && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } && value.first != " "
                && value.last != " " && value.utf8.count <= 1024
        }
    }
#endif
