#if Push
    import APNs
    import Foundation
    import Locking
    import Sockets
    import Testing

    /// The look-alike of Apple's push service, in a process of its own: Tests/Interop/apns_server.py.
    final class LookAlike: Sendable {
        struct Request: Sendable, Equatable {
            var connection: Int
            var fields: [[String]]
            var body: String
            var wrong: [String]
            var tokens: Int
        }

        private struct State {
            var port: UInt16 = 0
            var told = 0
            var requests: [Request] = []
            var resets: [Int] = []
            var violations: [String] = []
        }

        let files: Files
        private let process: Process
        private let input: FileHandle
        private let state = Locked(State())

        init(_ files: Files, _ more: String...) async throws {
            self.files = files
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Peers.python)
            process.arguments =
                [
                    Peers.server, "--certificate", files.certificate, "--key", files.certificateKey, "--signer",
                    files.publicKey,
                ] + more
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            self.process = process
            self.input = input.fileHandleForWriting
            let state = self.state
            let reading = output.fileHandleForReading
            // A thread of its own: it blocks.
            Thread.detachNewThread {
                var rest = Data()
                while true {
                    let more = reading.availableData
                    guard !more.isEmpty else { return }
                    rest += more
                    while let end = rest.firstIndex(of: 0x0a) {
                        Self.take(rest[rest.startIndex..<end], state)
                        rest = Data(rest[(end + 1)...])
                    }
                }
            }
            try await until { state.withLock { $0.port } != 0 }
        }

        deinit {
            try? input.close()
            process.terminate()
        }

        private static func take(_ line: Data, _ state: Locked<State>) {
            guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return }
            let port = object["port"] as? Int
            let told = object["told"] as? Int
            let code = object["code"] as? Int
            let violation = object["violation"] as? String
            var request: Request?
            if let fields = object["fields"] as? [[String]], let body = object["body"] as? String {
                request = Request(
                    connection: object["connection"] as? Int ?? 0,
                    fields: fields,
                    body: String(decoding: Data(base64Encoded: body) ?? Data(), as: UTF8.self),
                    wrong: object["wrong"] as? [String] ?? ["?"],
                    tokens: object["tokens"] as? Int ?? 0
                )
            }
            let taken = request
            state.withLock { state in
                if let port { state.port = UInt16(port) }
                if let told { state.told = told }
                if let code { state.resets.append(code) }
                if let violation { state.violations.append(violation) }
                if let taken { state.requests.append(taken) }
            }
        }

        var port: UInt16 { state.withLock { $0.port } }
        var requests: [Request] { state.withLock { $0.requests } }
        var resets: [Int] { state.withLock { $0.resets } }
        var violations: [String] { state.withLock { $0.violations } }

        /// The requests, once there are so many: what the look-alike says comes after its answers.
        func requests(_ count: Int) async throws -> [Request] {
            try await until { self.requests.count >= count }
            return requests
        }

        /// Says how requests for a token are answered.
        func tell(_ token: String, _ json: String) async throws {
            let count = state.withLock { $0.told } + 1
            try input.write(contentsOf: Data("{\"token\":\"\(token)\",\(json)}\n".utf8))
            try await until { self.state.withLock { $0.told } >= count }
        }

        func until(_ condition: () -> Bool) async throws {
            let end = ContinuousClock.now + patience
            while !condition() {
                try #require(ContinuousClock.now < end, "the look-alike does not answer")
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        func client(
            port: UInt16? = nil,
            silence: Duration = .seconds(5),
            group: EventLoopGroup = .shared,
            now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        ) throws -> APNsClient {
            let signer = try APNsTokenSigner(
                key: APNsSigningKey(pem: files.read(files.signingKey)),
                keyID: "ABCDE12345",
                teamID: "TEAM567890"
            )
            var configuration = APNsConfiguration(topic: "com.example.linkstr", signer: signer, now: now)
            let host = APNsHost(name: "127.0.0.1", port: port ?? self.port)
            configuration.hosts = [.production: host, .sandbox: host]
            configuration.extraAuthoritiesFile = files.certificate
            configuration.silence = silence
            return try APNsClient(configuration, group: group)
        }
    }

    extension APNsNotification {
        /// A small notification for a token.
        static func small(_ token: String) -> APNsNotification {
            APNsNotification(deviceToken: token, payload: Array(#"{"aps":{}}"#.utf8))
        }
    }
#endif
