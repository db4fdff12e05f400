import Foundation
import LinkstrPush
import NostrCrypto
import NostrEvents
import SQLite
import Sockets

extension PushBench {
    private static let clientCount = 16

    /// The gateway's processor time while another process sends it signed requests, and what of it verifying them costs.
    static func verify(_ folder: String, _ count: Int) async throws {
        let store = try await SQLitePushStore(.file(folder + "/push.db"), now: PushClock.system.milliseconds())
        let service = try PushService(settings(), store: store, sender: LogSender { _ in })
        let recipients = (0..<10).map { _ in KeyPair.generate().publicKey.bytes }
        for (number, recipient) in recipients.enumerated() {
            let body: JSONValue = ["device_token": .string("t\(number)"), "apns_environment": "sandbox"]
            _ = try await store.perform(
                .register(DeviceRegistration(json: body.json)),
                for: NonceClaim(account: recipient, nonce: "r"),
                now: PushClock.system.milliseconds()
            )
        }
        let port = service.address.port ?? 0
        _ = try await load(port, 1_600, 0, recipients)
        let floor = try verification()
        let (wall, processor) = try await load(port, count, 10_000_000, recipients)
        let each = processor / Double(count)
        print("requests a second: \(Int(Double(count) / wall)), processor of the gateway each: \(micro(each))")
        print("verification each: \(micro(floor)), share: \(share(floor / each))")
        await service.stop()
    }

    /// What verification alone costs, right beside.
    private static func verification() throws -> Double {
        let keys = (0..<clientCount).map { _ in KeyPair.generate() }
        let events = (0..<2000).map { number in
            Event(
                kind: .httpAuthentication,
                content: "",
                tags: [Tag("nonce", "\(number)")],
                createdAt: 0,
                signedBy: keys[number % clientCount]
            ).json
        }
        let cache = PublicKeyCache()
        let before = processorTime()
        for json in events { _ = try Event(verifying: WireEvent(json: json), keys: cache) }
        return (processorTime() - before) / Double(events.count)
    }

    /// Has another process send prepared requests.
    private static func load(
        _ port: UInt16,
        _ count: Int,
        _ first: Int,
        _ recipients: [Bytes32]
    ) async throws -> (wall: Double, processor: Double) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["clients", "\(port)", "\(count)", "\(first)"] + recipients.map(\.hex)
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
        // A line says that everything is signed.
        guard !output.fileHandleForReading.availableData.isEmpty else { throw SocketsError.endedEarly }
        let start = (ContinuousClock.now, processorTime())
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        for await status in ended where status != 0 { throw SocketsError.endedEarly }
        return ((ContinuousClock.now - start.0) / .seconds(1), processorTime() - start.1)
    }

    /// The other process: a port, how many requests, the first event's number, and the recipients.
    static func clients(_ words: [String]) async throws {
        guard words.count > 3, let port = UInt16(words[0]), let count = Int(words[1]), let first = Int(words[2]) else {
            throw SocketsError.endedEarly
        }
        let recipients = try words[3...].map { try Bytes32(hex: $0) }
        let prepared = (0..<clientCount).map { client in
            let key = KeyPair.generate()
            return (0..<count / clientCount).map { number in
                request(post(first + client * count + number, to: [recipients[number % recipients.count]]), by: key)
            }
        }
        print("ready")
        fflush(nil)
        _ = readLine()
        let group = EventLoopGroup.shared
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for requests in prepared {
                tasks.addTask {
                    var connection = try await connect(port, on: group)
                    for (number, request) in requests.enumerated() {
                        if number % 999 == 998 { connection = try await connect(port, on: group) }
                        try await ask(connection, request)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}
