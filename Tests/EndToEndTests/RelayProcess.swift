/// `linkstr relay serve` as a process of its own.
final class RelayProcess {
    private let process: BackgroundProcess
    /// What it prints first.
    var url: String { process.firstLine }

    /// - Parameter listen: The address; any free port without it.
    init(_ arguments: [String], listen: String = "127.0.0.1:0") throws {
        process = try BackgroundProcess(["relay", "serve", "--listen", listen] + arguments, waitsForLine: true)
    }

    /// Sends a signal and waits for the end; the exit code, or the number of the signal, negated.
    @discardableResult
    func end(by signal: Int32) -> Int32 { process.end(by: signal) }
}
