import Foundation
import Testing

@testable import linkstr

/// The real `linkstr` executable, as it was built beside the tests.
enum LinkstrProcess {
    static let path: String = {
        if let given = ProcessInfo.processInfo.environment["LINKSTR_BINARY"] { return given }
        var places = [URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()]
        places += CommandLine.arguments.map { URL(fileURLWithPath: $0) }
        places += Bundle.allBundles.map(\.bundleURL)
        for place in places {
            var folder = place
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent("linkstr").path
                var isDirectory: ObjCBool = false
                let exists = FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory)
                if exists, !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: candidate) {
                    return candidate
                }
            }
        }
        return "linkstr"
    }()

    /// Runs it with a small environment of its own.
    static func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        plan: RunningProcess.Plan = .init()
    ) throws -> RunningProcess.Ending {
        var plan = plan
        if !input.isEmpty { plan.input = Array(input.utf8) }
        var variables = Self.environment
        variables["TERM"] = "xterm"
        variables.merge(environment) { $1 }
        return try RunningProcess.run(path, arguments, environment: variables, plan: plan)
    }

    /// Runs a bash script to which `$0` is the executable and `$1` the argument.
    static func shell(_ script: String, _ argument: String = "") throws -> RunningProcess.Ending {
        try RunningProcess.run(
            "/bin/bash",
            ["-c", script, path, argument],
            environment: environment,
            plan: .init()
        )
    }

    /// What every process of these tests has in its environment.
    static var environment: [String: String] {
        let names = ["TSAN_OPTIONS", "LD_LIBRARY_PATH"]
        var variables = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
        variables["PATH"] = "/usr/bin:/bin"
        variables["SWIFT_BACKTRACE"] = "enable=no"
        // A command ends while its event loop still runs: what that thread holds at this moment is not leaked.
        variables["ASAN_OPTIONS"] = "detect_leaks=0"
        return variables
    }

    /// The same with the arguments separated by spaces.
    static func run(
        _ line: String,
        input: String = "",
        environment: [String: String] = [:],
        plan: RunningProcess.Plan = .init()
    ) throws -> RunningProcess.Ending {
        try run(line.split(separator: " ").map(String.init), input: input, environment: environment, plan: plan)
    }
}

/// Keys and texts whose forms are published: NIP-06, NIP-19 and NIP-49 give them.
enum Published {
    static let secret = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
    static let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
    static let pubkey = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"
    static let npub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
    static let profileKey = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"
    static let nprofile =
        "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ejuumpv34kytnrdaksjlyr9p"
    static let words = "leader monkey parrot ring guide accident before fence cannon height naive bean"
    static let wordsSecret = "7f7ff03d123792d6ac594bfa67bf6d0c0ab55b6b1fdb6249303fe861f1ccba9a"
    static let ncryptsec =
        "ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p"
    static let ncryptsecPassphrase = "nostr"
    static let ncryptsecSecret = "3501454135014541350145413501453fefb02227e449e57cf4d3a3ce05378683"
}

/// A folder that goes away with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("linkstr-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ content: String, mode: Int = 0o600) -> String {
        let file = path + "/" + name
        _ = FileManager.default.createFile(
            atPath: file,
            contents: Data(content.utf8),
            attributes: [.posixPermissions: mode]
        )
        return file
    }
}
