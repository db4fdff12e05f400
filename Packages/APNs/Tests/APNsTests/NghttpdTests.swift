#if Push
    import APNs
    import Foundation
    import Sockets
    import Testing

    /// A second server that nobody here wrote.
    @Suite(.enabled(if: Peers.nghttpd != nil, Peers.nghttpdIsMissing)) struct NghttpdTests {
        @Test func notificationsGoToNghttpd() async throws {
            let files = try Files()
            let port = try Self.freePort()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try #require(Peers.nghttpd))
            process.arguments = [
                "--echo-upload", "-a", "127.0.0.1", "\(port)", files.certificateKey, files.certificate,
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // It takes no notice of SIGTERM.
            defer { kill(process.processIdentifier, SIGKILL) }
            let signer = try APNsTokenSigner(
                key: APNsSigningKey(pem: files.read(files.signingKey)),
                keyID: "ABCDE12345",
                teamID: "TEAM567890"
            )
            var configuration = APNsConfiguration(topic: "com.example.linkstr", signer: signer, now: { 1_800_000_000 })
            configuration.hosts = [.production: APNsHost(name: "127.0.0.1", port: port)]
            configuration.extraAuthoritiesFile = files.certificate
            let client = try APNsClient(configuration)
            // It is there when it answers.
            let end = ContinuousClock.now + patience
            while ContinuousClock.now < end {
                let response = try? await client.send(.small("a"), to: .production, within: .seconds(1))
                if response?.status == 200 { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await client.send(.small("t\(number)"), to: .production, within: patience).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 500)
            await client.close()
        }

        /// A port that was free a moment ago.
        static func freePort() throws -> UInt16 {
            let listener = try Listener(on: .ip(.loopback4, port: 0)) { _ in }
            defer { listener.close() }
            return try #require(listener.address.port)
        }
    }
#endif
