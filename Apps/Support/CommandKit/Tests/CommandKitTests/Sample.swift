import Foundation

@testable import CommandKit

/// A small application with every form of parameter, run without a process of its own.
enum Sample {
    static let count = DefaultedOption("count", short: "c", .integer(in: 1...9), default: 3, "How many")
    static let label = Option("label", .text, environment: "SAMPLE_LABEL", "What to call it")
    static let tags = RepeatedOption("tag", short: "t", .text, "A tag")
    static let kind = RequiredOption("kind", .integer(in: 0...65_535 as ClosedRange<Int>), "Which kind")
    static let loud = Flag("loud", short: "l", "Say it loud")
    static let first = Argument("FIRST", .text, "The first word")
    static let second = OptionalArgument("SECOND", .choice(["red", "green"]), "A colour")
    static let rest = VariadicArgument("FILE", .file, minimum: 1, "The files")
    static let home = Option("home", .directory, environment: "SAMPLE_HOME", "Where things are")
    static let timeout = Option("timeout", .seconds, "How long to wait")

    static let show = Command(
        "show",
        "Show what was given",
        details: ["A paragraph that is long enough to be broken: " + String(repeating: "word ", count: 40)],
        takes: [count, label, tags, loud, first, second],
        examples: [Example("sample item show one", "Shows one")]
    ) { call in
        let members: JSON = [
            "path": .string(call.path.joined(separator: " ")), "count": .integer(call[count]),
            "label": .string(call[label]), "tags": .array(call[tags].map(JSON.string)), "loud": .bool(call[loud]),
            "first": .string(call[first]), "second": .string(call[second]), "home": .string(call[home]),
            "json": .bool(call.console.usesJSON),
        ]
        try call.console.output.line(members)
        call.console.say("said")
        call.console.explain("explained")
    }

    static let files = Command(
        "files",
        "Count files of a kind",
        takes: [kind, rest],
        examples: [Example("sample files --kind 1 'a file'", "Counts one")]
    ) { call in
        try call.console.output.line("\(call[kind]) \(call[rest].count)")
    }

    static let fail = Command(
        "fail",
        "Fail in a way of its own",
        takes: [first],
        examples: [Example("sample fail input", "Fails with 65")]
    ) { call in
        try call.console.output.line("before")
        switch call[first] {
        case "input": throw CommandFailure(.badInput, "that is \u{1B}[31mnot\u{202E} good")
        case "reported": throw CommandFailure.reported(.unavailable)
        case "cancelled": throw CancellationError()
        case "unknown": throw Unknown()
        default: return
        }
    }

    struct Unknown: Error {}

    static let application = Application(
        name: "sample",
        version: "1.2.3",
        summary: "A sample",
        globals: [home, timeout],
        notes: [("Exit status", ["0 when all is well."])],
        commands: [
            Command(group: "item", "Work on items", [show]), files.with([fail]).listed(under: "Plumbing"),
            fail.listed(under: "Plumbing"), StandardCommands.completion(of: "sample"),
            StandardCommands.manual(of: "sample"),
        ]
    )

    struct Result {
        let code: ExitCode
        let output: String
        let errors: String
    }

    static func run(_ line: String, environment: [String: String] = [:]) async throws -> Result {
        try await run(words: line.split(separator: " ").map(String.init), environment: environment)
    }

    static func run(words: [String], environment: [String: String] = [:]) async throws -> Result {
        let folder = try TemporaryFolder()
        let output = folder.file("output")
        let errors = folder.file("errors")
        // A handle closes its file when it goes.
        defer { withExtendedLifetime((output, errors)) {} }
        let start = application.start(
            words,
            output: Output(descriptor: output.fileDescriptor),
            errorDescriptor: errors.fileDescriptor,
            environment: { environment[$0] }
        )
        let code =
            switch start {
            case .ended(let code): code
            case .ready(let command, let call): await application.run(command, call)
            }
        return Result(code: code, output: folder.text("output"), errors: folder.text("errors"))
    }
}

/// A folder that goes away with the value.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("commandkit-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ content: [UInt8] = [], mode: Int = 0o600) -> FileHandle {
        _ = FileManager.default.createFile(
            atPath: path + "/" + name,
            contents: Data(content),
            attributes: [.posixPermissions: mode]
        )
        return FileHandle(forUpdatingAtPath: path + "/" + name) ?? .nullDevice
    }

    func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path + "/" + name) ?? Data(), as: UTF8.self)
    }
}
