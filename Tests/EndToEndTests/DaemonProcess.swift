import CommandKit
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `linkstrd run` as a process of its own, in a home of its own, with a service manager that listens.
final class DaemonProcess {
    let home: TemporaryFolder
    let pid: pid_t
    private let log: String
    private let notifications: NotificationSocket
    private var ending: Int32?

    var socketPath: String { home.path + "/run/linkstrd.sock" }
    /// What it has logged so far.
    var logged: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    static var path: String { (LinkstrProcess.path as NSString).deletingLastPathComponent + "/linkstrd" }

    /// Starts it and waits until it is ready.
    /// - Parameters:
    ///   - givesHome: Whether it is told its home, which otherwise follows from the environment.
    ///   - descriptor: A socket that it is given, with its name.
    convenience init(
        _ arguments: [String] = [],
        home: TemporaryFolder? = nil,
        givesHome: Bool = true,
        environment: [String: String] = [:],
        descriptor: (Int32, name: String)? = nil
    ) throws {
        let home = try home ?? Self.home()
        try self.init(
            starting: arguments,
            home: home,
            givesHome: givesHome,
            environment: environment,
            descriptor: descriptor
        )
        guard wait(for: "READY=1") != nil else {
            throw RunningProcess.Failure(description: "the daemon does not get ready: \(logged)")
        }
    }

    /// Starts it and does not wait.
    init(
        starting arguments: [String],
        home: TemporaryFolder,
        givesHome: Bool = true,
        environment: [String: String] = [:],
        descriptor: (Int32, name: String)? = nil
    ) throws {
        self.home = home
        log = home.path + "/daemon-\(UUID().uuidString.prefix(4)).log"
        notifications = try NotificationSocket(home.path + "/notify-\(UUID().uuidString.prefix(4))")
        var variables = LinkstrProcess.environment
        variables["NOTIFY_SOCKET"] = notifications.path
        variables.merge(environment) { $1 }
        if let descriptor {
            variables["LISTEN_FDS"] = "1"
            variables["LISTEN_FDNAMES"] = descriptor.name
        }
        pid = try Self.spawn(
            [Self.path, "run"] + (givesHome ? ["--home", home.path] : []) + arguments,
            variables,
            log: log,
            descriptor: descriptor?.0
        )
    }

    deinit {
        if ending == nil {
            kill(pid, SIGKILL)
            Spawn.end(of: pid)
        }
    }

    /// A home without relays.
    static func home() throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        chmod(home.path, 0o700)
        _ = home.file("relays.json", #"{"relays":[]}"#)
        return home
    }

    /// A run of `linkstrd` that ends by itself.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProcess.Ending {
        let variables = LinkstrProcess.environment.merging(environment) { $1 }
        return try RunningProcess.run(path, arguments, environment: variables, plan: .init())
    }

    /// The next notification that has a line that begins so; nil after twenty seconds.
    func wait(for beginning: String) -> String? {
        notifications.next(within: 20) { $0.hasPrefix(beginning) }
    }

    /// Whether a notification with such a line is there within a time, in seconds.
    func hears(_ beginning: String, within time: TimeInterval) -> Bool {
        notifications.next(within: time) { $0.hasPrefix(beginning) } != nil
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Sends a signal and waits for the end; the exit code, or the number of the signal, negated.
    @discardableResult
    func end(by number: Int32 = SIGTERM) -> Int32 {
        if number != 0 { kill(pid, number) }
        if let ending { return ending }
        let code = Spawn.end(of: pid)
        ending = code
        return code
    }

    /// `linkstr` on the same home.
    func linkstr(_ line: String) throws -> RunningProcess.Ending {
        try LinkstrProcess.run("--home \(home.path) \(line)")
    }

    private static func spawn(
        _ words: [String],
        _ environment: [String: String],
        log: String,
        descriptor: Int32?
    ) throws -> pid_t {
        // A shell knows the number that its successor will have.
        let shell = ["-c", "LISTEN_PID=$$ exec \"$0\" \"$@\""] + words
        return try RunningProcess.spawn("/bin/sh", shell, environment) {
            posix_spawn_file_actions_addopen(&$0, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&$0, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            posix_spawn_file_actions_adddup2(&$0, 1, 2)
            if let descriptor { posix_spawn_file_actions_adddup2(&$0, descriptor, 3) }
        }
    }
}

/// Where a service manager listens for what services tell it.
final class NotificationSocket {
    let path: String
    private let descriptor: Int32
    private var heard: [String] = []

    init(_ path: String) throws {
        self.path = path
        descriptor = Self.bound(path, SOCK_DGRAM)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// A Unix socket at a path; negative where it cannot be made.
    static func bound(_ path: String, _ kind: __socket_type) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(kind.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 ? descriptor : -1
    }

    /// The next line for which the condition holds; lines before it are dropped.
    func next(within time: TimeInterval, where holds: (String) -> Bool) -> String? {
        let deadline = Date(timeIntervalSinceNow: time)
        while true {
            while !heard.isEmpty {
                let line = heard.removeFirst()
                if holds(line) { return line }
            }
            let left = deadline.timeIntervalSinceNow
            guard left > 0 else { return nil }
            var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&polled, 1, Int32(left * 1000) + 1) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { continue }
            heard += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
