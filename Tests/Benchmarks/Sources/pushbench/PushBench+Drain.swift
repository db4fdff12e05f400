#if Push
    import APNs
    import Foundation
    import LinkstrPush
    import NostrCrypto
    import SQLite
    import Sockets

    extension PushBench {
        static func drain(_ folder: String, _ jobs: Int) async throws {
            func run(_ words: String) throws -> Process {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = words.split(separator: " ").map(String.init)
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                return process
            }
            let (certificate, key, p8) = (folder + "/cert.pem", folder + "/key.pem", folder + "/key.p8")
            try run(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout \(key) -out \(certificate)"
                    + " -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
            ).waitUntilExit()
            try run("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out \(p8)").waitUntilExit()
            let port = try { () throws -> UInt16 in
                let listener = try Listener(on: .ip(.loopback4, port: 0)) { _ in }
                defer { listener.close() }
                return listener.address.port ?? 0
            }()
            // A file for each device makes the answer 200. Echoing the request would make the server write it to the disk first.
            let tokens = (0..<500).map { SHA256.hash("\($0)").hex }
            let devices = folder + "/files/3/device"
            try FileManager.default.createDirectory(atPath: devices, withIntermediateDirectories: true)
            for token in tokens + ["a"] { try Data("{}".utf8).write(to: URL(fileURLWithPath: devices + "/" + token)) }
            let server = try run("nghttpd -d \(folder)/files -m 1000 -a 127.0.0.1 \(port) \(key) \(certificate)")
            // It takes no notice of SIGTERM.
            defer { kill(server.processIdentifier, SIGKILL) }
            let signer = try APNsTokenSigner(
                key: APNsSigningKey(pem: [UInt8](Data(contentsOf: URL(fileURLWithPath: p8)))),
                keyID: "ABCDE12345",
                teamID: "TEAM567890"
            )
            var configuration = APNsConfiguration(
                topic: "com.example.linkstr",
                signer: signer,
                now: { Int64(time(nil)) }
            )
            configuration.hosts = [.production: APNsHost(name: "127.0.0.1", port: port)]
            configuration.extraAuthoritiesFile = certificate
            let client = try APNsClient(configuration)
            let now = PushClock.system.milliseconds()
            let store = try await SQLitePushStore(.file(folder + "/push.db"), now: now)
            let recipients = (0..<500).map { PushBench.key($0) }
            for number in 0..<500 {
                let registration = DeviceRegistration(token: tokens[number], environment: .production)
                let claim = NonceClaim(account: PushBench.key(number), nonce: "r")
                _ = try await store.perform(.register(registration), for: claim, now: now)
            }
            for number in 0..<(jobs + 499) / 500 {
                let event = try PushRequest(json: Array(post(number, to: recipients).utf8))
                let job = PushJobRequest(
                    notification: try PushNotification(event, isPrivate: false),
                    event: event,
                    recipients: recipients,
                    expires: now + 900_000
                )
                let claim = NonceClaim(account: .zero, nonce: "\(number)")
                _ = try await store.perform(.enqueue(job), for: claim, now: now)
            }
            // The server is there when it answers.
            for _ in 0..<100 {
                let notification = APNsNotification(deviceToken: "a", payload: Array("{}".utf8))
                if (try? await client.send(notification, to: .production, within: .seconds(1))) != nil { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let total = try await store.counts().jobs
            let start = (ContinuousClock.now, processorTime())
            let service = try PushService(settings(), store: store, sender: APNsSender(client))
            while service.metrics.values.delivered < total { try await Task.sleep(for: .milliseconds(2)) }
            let wall = (ContinuousClock.now - start.0) / .seconds(1)
            let processor = (processorTime() - start.1) / Double(total)
            print(
                "\(total) notifications in \(wall) s: \(Int(Double(total) / wall)) a second, processor each \(micro(processor))"
            )
            print("failed: \(service.metrics.values.failed)")
            await service.stop()
        }
    }
#endif
