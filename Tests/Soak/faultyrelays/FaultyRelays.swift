import FaultyRelay
import Foundation
import NostrEvents
import Sockets

/// Relays on the loopback that do something wrong now and then, by a seed. Prints the address of each, then does what comes on
/// standard input, a word a line, and answers each word with one line of JSON:
///
///     faults     from now on things go wrong
///     honest     from now on nothing does
///     drop       resets all connections
///     stats      only the answer
///
/// The end of standard input is the end of the relays.
@main
enum FaultyRelays {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard arguments.count == 3, let count = Int(exactly: arguments[0]), (1...100).contains(count), arguments[2] > 0
        else {
            FileHandle.standardError.write(Data("usage: faultyrelays RELAYS SEED ONE-IN\n".utf8))
            exit(64)
        }
        let loop = try EventLoop()
        var relays: [ScriptedRelay] = []
        var mischiefs: [Mischief] = []
        for index in 0..<count {
            let relay = ScriptedRelay(on: loop)
            let mischief = Mischief(seed: arguments[1] &+ UInt64(index), oneIn: arguments[2])
            await relay.change { $0.remembersMessages = false }
            await relay.follow { relay, session, message in mischief.answer(relay, session, message) }
            say(try await relay.listen().text)
            relays.append(relay)
            mischiefs.append(mischief)
        }
        while let word = readLine() {
            switch word {
            case "faults": for one in mischiefs { one.turn(on: true) }
            case "honest": for one in mischiefs { one.turn(on: false) }
            case "drop": for relay in relays { await relay.dropAll() }
            default: break
            }
            var events: [String] = []
            var connections = 0
            for relay in relays {
                events.append(String(await relay.events.count))
                connections += await relay.openConnections
            }
            let faults = mischiefs.reduce(0) { $0 + $1.done }
            say("{\"faults\":\(faults),\"events\":[\(events.joined(separator: ","))],\"connections\":\(connections)}")
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
