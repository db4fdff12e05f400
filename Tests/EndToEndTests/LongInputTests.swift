import Foundation
import Testing

@testable import CommandKit
@testable import linkstr

/// A text in the wrong place may be long, or a secret: no message repeats it whole, whatever place of whatever command it is in.
@Suite("Long input", .timeLimit(.minutes(20)))
struct LongInputTests {
    private static let long = String(repeating: "x", count: 100_000)

    @Test("is not repeated whole")
    func messages() async throws {
        let home = try DaemonProcess.home()
        let options = ["--home", home.path]
        #expect(try LinkstrProcess.run(options + ["account", "import"], input: Published.wordsSecret).code == 0)
        // Neither a key nor an address nor a file, and nothing that would be made.
        let filler = home.path + "/none"
        func tell(_ words: [String]) throws {
            let ending = try LinkstrProcess.run(words)
            let what = words.map { $0 == Self.long ? "LONG" : $0 }.joined(separator: " ")
            #expect(ending.errors.count < 4_096, "\(what): \(ending.errorText.prefix(200))")
        }
        for (name, command) in CommandTree.commands.sorted(by: { $0.key < $1.key }) {
            let count = command.arguments.count
            let words = options + name.split(separator: " ").map(String.init)
            let fillers = Array(repeating: filler, count: count)
            for place in 0..<max(1, count) {
                await Task.yield()
                try tell(words + fillers.prefix(place) + [Self.long] + fillers.dropFirst(place + 1))
            }
            // A server that takes a long name serves.
            let end = name == "relay serve" ? ["--listen", filler] : []
            for option in command.options where option.takesValue && !end.contains(option.spelling) {
                await Task.yield()
                try tell(words + [option.spelling, Self.long] + end + fillers)
            }
        }
        for option in ["--home", "--account", "--timeout"] { try tell([option, Self.long, "feed"]) }
        for word in [Self.long, "--" + Self.long] { try tell([word]) }
    }

    @Test("of what is read is taken or refused, and never mended")
    func text() throws {
        let home = try DaemonProcess.home()
        #expect(try LinkstrProcess.run(["--home", home.path, "account", "new"]).code == 0)
        for (command, code) in [(["post", "Films", "-"], Int32(69)), (["chat", Published.npub, "-"], 69)] {
            var plan = RunningProcess.Plan()
            plan.input = Array("https://example.com/a worth it".utf8)
            #expect(try LinkstrProcess.run(["--home", home.path] + command, plan: plan).code == code, "\(command)")
            plan.input.append(0xFF)
            let refused = try LinkstrProcess.run(["--home", home.path] + command, plan: plan)
            #expect(refused.code == 65 && refused.errorText.contains("not UTF-8"), "\(refused.errorText)")
        }
    }
}
