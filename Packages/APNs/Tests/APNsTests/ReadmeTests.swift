#if Push
    import APNs
    import Foundation
    import Sockets
    import Testing

    @Suite(.enabled(if: Peers.isLookAlikeThere, Peers.lookAlikeIsMissing)) struct ReadmeTests {
        @Test func theExampleOfTheReadme() async throws {
            let server = try await LookAlike(Files())
            let (token, p8) = ("abc", try server.files.read(server.files.signingKey))

            var payload = APNsPayload(title: "New post", body: "Open the app to see it.")
            payload.threadID = "a session"
            var notification = APNsNotification(deviceToken: token, payload: try payload.json())
            notification.collapseID = "an event"

            let signer = try APNsTokenSigner(key: APNsSigningKey(pem: p8), keyID: "ABCDE12345", teamID: "TEAM567890")
            var configuration = APNsConfiguration(topic: "com.example.app", signer: signer, now: { Int64(time(nil)) })
            configuration.hosts = [.production: APNsHost(name: "127.0.0.1", port: server.port)]
            configuration.extraAuthoritiesFile = server.files.certificate
            let client = try APNsClient(configuration)
            let response = try await client.send(notification, to: .production, within: .seconds(10))
            switch response.verdict {
            case .delivered, .deviceGone, .retryLater, .configuration: break
            }
            await client.close()

            #expect(response.status == 200)
            #expect(try await server.requests(1).map(\.wrong) == [[]])
        }
    }
#endif
