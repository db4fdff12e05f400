import Foundation

@testable import linkstr

/// `linkstr`, or another program, that goes on while the test does other things.
final class BackgroundProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    /// What it printed first; empty if that was not waited for.
    private(set) var firstLine = ""

    var pid: pid_t { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// - Parameters:
    ///   - input: What it reads; nothing without it.
    ///   - folder: What it prints goes into `output` and `errors` of it.
    ///   - waitsForLine: Waits for what it prints first, and fails where it ends before.
    init(
        _ arguments: [String],
        executable: String = LinkstrProcess.path,
        environment: [String: String] = [:],
        input: Pipe? = nil,
        into folder: TemporaryFolder? = nil,
        waitsForLine: Bool = false
    ) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = LinkstrProcess.environment.merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = waitsForLine ? output : FileHandle.nullDevice
        process.standardError = waitsForLine ? errors : FileHandle.nullDevice
        if let folder {
            process.standardOutput = FileHandle(forWritingAtPath: folder.file("output", ""))
            process.standardError = FileHandle(forWritingAtPath: folder.file("errors", ""))
        }
        try process.run()
        guard waitsForLine else { return }
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { line.append(byte) }
        firstLine = String(decoding: line, as: UTF8.self)
        if firstLine.isEmpty {
            process.waitUntilExit()
            let text = try errors.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
            throw RunningProcess.Failure(description: "it ended: \(text ?? "")")
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Sends a signal, or none where it is 0, and waits for the end; the exit code, or the number of the signal, negated.
    @discardableResult
    func end(by signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}

/// Waits until something is so; false after a long time, in which a machine that is busy gets everything done.
func eventually(_ holds: () throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if try holds() { return true }
        try? await Task.sleep(for: .milliseconds(20))
    }
    return try holds()
}

extension TemporaryFolder {
    /// The text of a file; empty where there is none.
    func text(_ name: String) -> String {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
