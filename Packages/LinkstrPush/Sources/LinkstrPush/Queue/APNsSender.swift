#if Push
    public import APNs

    /// Brings notifications to Apple.
    public struct APNsSender: PushSender {
        private let client: APNsClient

        /// A sender over a client, which is closed with it.
        public init(_ client: APNsClient) {
            self.client = client
        }

        /// Sends with priority 10. Device tokens that could never be Apple's count as gone.
        public func send(
            _ notification: PushNotification,
            to device: PushTarget,
            expiration: Int64,
            within time: Duration
        ) async -> PushOutcome {
            var message = APNsNotification(deviceToken: device.token, payload: notification.payload)
            message.collapseID = notification.collapseID
            message.expiration = expiration
            let environment: APNsEnvironment = device.environment == .sandbox ? .sandbox : .production
            do throws(APNsError) {
                let response = try await client.send(message, to: environment, within: time)
                let reason = "Apple answers \(response.status) \(response.reason?.rawValue ?? "without a reason")"
                switch response.verdict {
                case .delivered: return .delivered
                case .deviceGone: return .deviceGone
                case .retryLater: return .failed(reason: reason)
                case .configuration: return .misconfigured(reason: reason)
                }
            } catch {
                switch error {
                case .invalidDeviceToken: return .deviceGone
                case .cancelled, .closed: return .interrupted
                case .unusableKey, .signingFailed, .invalidIdentifier, .invalidHeader, .invalidPayload,
                    .payloadTooLarge:
                    return .misconfigured(reason: error.description)
                default: return .failed(reason: error.description)
                }
            }
        }

        /// Closes the client.
        public func close() async {
            await client.close()
        }
    }
#endif
