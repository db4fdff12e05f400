import Foundation
import Testing

@testable import CommandKit

enum Greet {
    static let times = DefaultedOption("times", .integer(in: 1...9), default: 1, "How often")
    static let name = Argument("NAME", .text, "Whom to greet")
    static let command = Command(
        "greet",
        "Greet somebody",
        takes: [times, name],
        examples: [Example("hello greet --times 2 Ada", "Greets twice")]
    ) { call in
        for _ in 0..<call[times] { try call.console.output.line("Hello, \(call[name])!") }
    }
    static let application = Application(name: "hello", version: "1.0", summary: "Greets", commands: [command])
}

@Test func theExampleOfTheReadmeGreets() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("output")
    defer { withExtendedLifetime(file) {} }
    let output = Output(descriptor: file.fileDescriptor)
    guard
        case .ready(let command, let call) = Greet.application.start(["greet", "--times", "2", "Ada"], output: output)
    else {
        Issue.record("the example is no valid command line")
        return
    }
    #expect(await Greet.application.run(command, call) == .done)
    #expect(folder.text("output") == "Hello, Ada!\nHello, Ada!\n")
}
