import Foundation
import NostrCrypto
import NostrEvents
import WebSocket

/// What a good client notices of hostile ones.
///
/// The hostile clients are another process of the least priority: elsewhere they would have processors of their own. Each is
/// measured beside a control without it, right before.
struct Hostile {
    let run: Run
    let attacks: [Attack]

    /// How many times slower a good client may become.
    static let mostRatio = 3.0

    /// Returns whether every ratio was small enough.
    func measure() async throws -> Bool {
        let stored = await run.world.messages(0..<5_000)
        let writer = try await Client(run.url)
        _ = try await writer.publish(stored[...], window: 64)
        await writer.connection.close()
        var next = 5_000
        var isGood = true
        // The first measurement warms everything up.
        _ = try await goodClient(&next, .milliseconds(500))
        for attack in attacks {
            let control = try await goodClient(&next, .seconds(2))
            let process = try start(attack)
            try await Task.sleep(for: .seconds(1))
            let attacked = try await goodClient(&next, .seconds(6))
            let memory = run.memory.map { ", relay \($0 >> 20) MB" } ?? ""
            process.terminate()
            process.waitUntilExit()
            let ratio = median(attacked) / median(control)
            isGood = isGood && ratio <= Self.mostRatio
            run.report(
                "hostile, \(attack.rawValue): good client \(run.summary(attacked)); without \(run.summary(control)); "
                    + "p50 \(run.figure(ratio)) times\(memory)"
            )
            try await settle(&next, median(control))
        }
        return isGood
    }

    /// Waits until what the attack has left behind is gone.
    private func settle(_ next: inout Int, _ control: Double) async throws {
        for _ in 0..<20 where median(try await goodClient(&next, .milliseconds(300))) > 1.3 * control {}
    }

    /// One event after another: published, acknowledged and found again, milliseconds for each.
    private func goodClient(_ next: inout Int, _ time: Duration) async throws -> [Double] {
        let client = try await Client(run.url)
        let end = ContinuousClock.now + time
        var times: [Double] = []
        while ContinuousClock.now < end {
            let event = run.world.event(next)
            let request = ClientMessage.request(try SubscriptionID("q"), [Filter(ids: [event.id])]).json
            next += 1
            let start = ContinuousClock.now
            guard try await client.publish([ClientMessage.event(event.wire).json], window: 1) == 1 else {
                throw Failure(description: "the good client's event was refused")
            }
            try await client.send([request])
            var found = 0
            var isDone = false
            while !isDone {
                for message in try await client.receive() {
                    let label = RelayMessagePreview(message.bytes)?.label
                    if label == .event { found += 1 }
                    isDone = isDone || label == .endOfStoredEvents
                }
            }
            guard found == 1 else { throw Failure(description: "the good client's event was not found") }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            try await client.send([ClientMessage.close(try SubscriptionID("q")).json])
        }
        await client.connection.close()
        return times
    }

    private func start(_ attack: Attack) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["nice", "-n", "19", CommandLine.arguments[0], "attack", attack.rawValue, run.url]
        try process.run()
        return process
    }

    private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
