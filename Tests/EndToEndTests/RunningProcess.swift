import CommandKit
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A child process whose pipes are served by one poll loop with a deadline. It costs a posix_spawn and nothing else.
struct RunningProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Ending {
        /// The exit code; the number of the signal, negated, where one ended it.
        let code: Int32
        let output: [UInt8]
        let errors: [UInt8]

        var text: String { String(decoding: output, as: UTF8.self) }
        var errorText: String { String(decoding: errors, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// What happens to the pipes while it runs.
    struct Plan {
        var input: [UInt8] = []
        /// Standard input stays open after the input.
        var keepsInputOpen = false
        /// Standard output is closed once it has given this many bytes.
        var closesOutputAfter: Int?
        /// A signal is sent once standard error or output has given this text.
        var interruptsAt: String?
        var interruption = SIGINT
        /// SIGKILL is sent after so many seconds.
        var killsAfter: TimeInterval?
        /// Standard output is this file.
        var outputFile: String?
        /// Standard input, output and error are a terminal, and the process is a session of its own. What it says is
        /// in `output`.
        var usesTerminal = false
        /// What is typed, each when its prompt has been shown.
        var answers: [(prompt: String, answer: String)] = []
        var deadline: TimeInterval = 60
    }

    private var readEnds: [Int32: [UInt8]] = [:]
    private var writeEnd: Int32 = -1
    private var outputEnd: Int32 = -1
    private var errorEnd: Int32 = -1
    private var pid: pid_t = 0

    static func run(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String],
        plan: Plan
    ) throws -> Ending {
        var process = RunningProcess()
        try process.start(executable, arguments, environment, plan)
        return try process.finish(plan)
    }

    private mutating func start(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ plan: Plan
    ) throws {
        var childEnds: [Int32] = []
        defer { for one in childEnds { close(one) } }

        if plan.usesTerminal {
            guard let terminal = PseudoTerminal() else { throw Failure(description: "no terminal can be made") }
            writeEnd = terminal.descriptor
            outputEnd = terminal.descriptor
            pid = try Self.spawn(executable, arguments, environment, flags: PseudoTerminal.newSession) {
                // The first terminal that the leader of a session opens becomes its controlling one.
                posix_spawn_file_actions_addopen(&$0, 0, terminal.name, O_RDWR, 0)
                posix_spawn_file_actions_adddup2(&$0, 0, 1)
                posix_spawn_file_actions_adddup2(&$0, 0, 2)
            }
        } else {
            let input = try Self.makePipe()
            let output = try Self.makePipe()
            let errors = try Self.makePipe()
            childEnds = [input.read, output.write, errors.write]
            writeEnd = input.write
            outputEnd = output.read
            errorEnd = errors.read
            readEnds[errorEnd] = []
            pid = try Self.spawn(executable, arguments, environment) {
                posix_spawn_file_actions_adddup2(&$0, input.read, 0)
                if let file = plan.outputFile {
                    posix_spawn_file_actions_addopen(&$0, 1, file, O_WRONLY, 0)
                } else {
                    posix_spawn_file_actions_adddup2(&$0, output.write, 1)
                }
                posix_spawn_file_actions_adddup2(&$0, errors.write, 2)
            }
        }
        readEnds[outputEnd] = []
    }

    /// Starts a process with signals as a shell would leave them.
    static func spawn(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String],
        flags: Int16 = 0,
        files: (inout Spawn.FileActions) -> Void
    ) throws -> pid_t {
        try Spawn.start(
            executable,
            arguments,
            environment: environment,
            unignored: [SIGINT, SIGPIPE, SIGHUP],
            flags: flags,
            files: files
        )
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe can be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private mutating func finish(_ plan: Plan) throws -> Ending {
        signal(SIGPIPE, SIG_IGN)
        _ = fcntl(writeEnd, F_SETFL, fcntl(writeEnd, F_GETFL) | O_NONBLOCK)
        var pending = plan.input[...]
        var answers = plan.answers[...]
        var searched = 0
        var interruptsAt = plan.interruptsAt
        var open = Set(readEnds.keys)
        let isTerminal = plan.usesTerminal
        var writeIsOpen = true
        func closeInput() {
            if writeIsOpen, !isTerminal { close(writeEnd) }
            writeIsOpen = false
        }
        defer {
            closeInput()
            for end in open { close(end) }
        }
        let deadline = Date(timeIntervalSinceNow: plan.deadline)
        var killsAt = plan.killsAfter.map { Date(timeIntervalSinceNow: $0) }
        while !open.isEmpty {
            if let time = killsAt, time <= Date() {
                kill(pid, SIGKILL)
                killsAt = nil
            }
            if pending.isEmpty, !plan.keepsInputOpen { closeInput() }
            guard deadline > Date() else {
                kill(pid, SIGKILL)
                Spawn.end(of: pid)
                let said = readEnds.values.map { String(decoding: $0.suffix(500), as: UTF8.self).debugDescription }
                throw Failure(description: "still running after \(plan.deadline) s: \(said.joined(separator: ", "))")
            }
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if !pending.isEmpty, writeIsOpen, !isTerminal {
                polled.append(pollfd(fd: writeEnd, events: Int16(POLLOUT), revents: 0))
            }
            let patience = min(0.1, max(0, killsAt?.timeIntervalSinceNow ?? 0.1))
            guard poll(&polled, nfds_t(polled.count), Int32(patience * 1000)) > 0 else { continue }
            for one in polled where one.revents != 0 {
                if one.fd == writeEnd, !isTerminal {
                    let count = pending.withUnsafeBytes { write(writeEnd, $0.baseAddress, $0.count) }
                    if count >= 0 {
                        pending = pending.dropFirst(count)
                    } else if errno != EAGAIN {
                        pending = []
                        closeInput()
                    }
                    continue
                }
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = read(one.fd, &chunk, chunk.count)
                if count < 0, errno == EAGAIN { continue }
                if count > 0 { readEnds[one.fd]?.append(contentsOf: chunk[..<count]) }
                let limit = one.fd == outputEnd ? plan.closesOutputAfter : nil
                if count <= 0 || limit.map({ readEnds[one.fd]?.count ?? 0 >= $0 }) == true {
                    close(one.fd)
                    open.remove(one.fd)
                }
            }
            if let text = interruptsAt,
                readEnds.values.contains(where: { String(decoding: $0, as: UTF8.self).contains(text) })
            {
                interruptsAt = nil
                kill(pid, plan.interruption)
            }
            if let next = answers.first, isTerminal, let all = readEnds[outputEnd] {
                let new = String(decoding: all[min(searched, all.count)...], as: UTF8.self)
                if new.contains(next.prompt) {
                    searched = all.count
                    answers.removeFirst()
                    let typed = Array((next.answer + "\n").utf8)
                    _ = write(writeEnd, typed, typed.count)
                }
            }
        }
        return Ending(code: Spawn.end(of: pid), output: readEnds[outputEnd] ?? [], errors: readEnds[errorEnd] ?? [])
    }
}
