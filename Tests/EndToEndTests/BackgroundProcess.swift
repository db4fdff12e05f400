import Foundation

@testable import linkstr

/// `linkstr`, or another program, that goes on while the test does other things.
final class BackgroundProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    /// What it printed first; empty if that was not waited for.
    private(set) var firstLine = ""

    /// - Parameter waitsForLine: Waits for what it prints first, and fails where it ends before.
    init(
        _ arguments: [String],
        executable: String = LinkstrProcess.path,
        environment: [String: String] = [:],
        waitsForLine: Bool = false
    ) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        var variables = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        for name in ["TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
            variables[name] = ProcessInfo.processInfo.environment[name]
        }
        variables["ASAN_OPTIONS"] = "detect_leaks=0"
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = waitsForLine ? output : FileHandle.nullDevice
        process.standardError = waitsForLine ? errors : FileHandle.nullDevice
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

    /// Sends a signal and waits for the end; the exit code, or the number of the signal, negated.
    @discardableResult
    func end(by signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
