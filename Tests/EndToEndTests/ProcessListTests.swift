#if os(Linux)
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// What everybody on a machine can see of a process: its command line, its environment and its name. Secrets are never there, but where
    /// a person put them.
    @Suite("The process list", .timeLimit(.minutes(20)))
    struct ProcessListTests {
        private static let passphrase = "correct horse battery"
        private static let secrets = [
            Published.secret, String(Published.nsec.dropFirst(5)), passphrase, "horse",
        ]

        /// What is seen of a process and of those that it started.
        private static func seen(of pid: pid_t) -> String {
            let parents = Dictionary(
                ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
                    pid_t(name).flatMap { pid in parent(of: pid).map { (pid, $0) } }
                },
                uniquingKeysWith: { $1 }
            )
            var family: Set = [pid]
            while true {
                let more = parents.filter { family.contains($0.value) && !family.contains($0.key) }
                guard !more.isEmpty else { break }
                family.formUnion(more.keys)
            }
            return family.flatMap { pid in ["cmdline", "environ", "comm"].map { "/proc/\(pid)/\($0)" } }
                .map { String(decoding: FileManager.default.contents(atPath: $0) ?? Data(), as: UTF8.self) }
                .joined(separator: "\n")
        }

        private static func parent(of pid: pid_t) -> pid_t? {
            guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
            // Behind the name, which may hold anything.
            let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last
            return rest.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { pid_t($0) }
        }

        /// A command that has read what it was given and waits for the rest of its input.
        private static func waiting(
            _ words: [String],
            input text: String,
            environment: [String: String] = [:]
        ) async throws -> (process: BackgroundProcess, input: Pipe) {
            let input = Pipe()
            let process = try BackgroundProcess(words, environment: environment, input: input)
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            let descriptor = input.fileHandleForWriting.fileDescriptor
            let isRead = await eventually {
                var left: Int32 = -1
                return ioctl(descriptor, UInt(FIONREAD), &left) == 0 && left == 0
            }
            #expect(isRead)
            return (process, input)
        }

        @Test("shows a secret that stands on a command line or in the environment, so that it would show others")
        func control() async throws {
            let sign = ["event", "sign"]
            for (words, environment) in [
                (sign + ["--sec", Published.secret], [:]), (sign, ["LINKSTR_SECRET": Published.secret]),
            ] {
                let (process, input) = try await Self.waiting(words, input: "{", environment: environment)
                #expect(Self.seen(of: process.pid).contains(Published.secret))
                try input.fileHandleForWriting.close()
                #expect(process.end(by: 0) == 65)
            }
        }

        @Test("shows no key and no passphrase of a command, of the daemon, or of what they start")
        func secrets() async throws {
            let relay = try RelayProcess(["--in-memory"])
            let home = try DaemonProcess.home()
            _ = home.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
            let options = ["--home", home.path]
            let word = ["--passphrase-file", home.file("passphrase", Self.passphrase)]
            let export = ["--export-passphrase-file", word[1]]
            let key = "@" + home.file("key", Published.nsec)
            func check(_ pid: pid_t, _ words: [String]) {
                let seen = Self.seen(of: pid)
                for secret in Self.secrets { #expect(!seen.contains(secret), "\(words.joined(separator: " "))") }
            }
            let (process, input) = try await Self.waiting(options + ["account", "import"], input: Published.nsec)
            #expect(Self.seen(of: process.pid).contains("import"))
            check(process.pid, ["account import"])
            try input.fileHandleForWriting.close()
            #expect(process.end(by: 0) == 0)
            // At whatever moments they are looked at.
            func run(_ words: [String]) async throws {
                let process = try BackgroundProcess(options + words)
                while process.isRunning {
                    check(process.pid, words)
                    await Task.yield()
                }
                #expect(process.end(by: 0) == 0, "\(words.joined(separator: " "))")
            }
            for words in [
                ["session", "new", "Films"], ["account", "export", "--encrypted"] + export,
                ["export", home.path + "/export", "--with-secret"] + export,
                ["import", home.path + "/export"] + export, ["key", "encrypt", key] + word,
                ["event", "new", "--kind", "1", "--sec", key], ["account", "lock"] + word,
            ] { try await run(words) }
            let daemon = try DaemonProcess(home: home)
            try await run(["account", "unlock"] + word)
            try await run(["post", "Films", "https://example.com/a"])
            check(daemon.pid, ["linkstrd run"])
            // What is started for the first item waits until it is looked at.
            let (pipe, done) = (home.path + "/pipe", home.path + "/done")
            mkfifo(pipe, 0o600)
            let seen = try TemporaryFolder()
            let watch = try BackgroundProcess(
                options + [
                    "watch", "Films", "--exec",
                    "cat >> '\(seen.path)/items'; [ -e '\(done)' ] || read line < '\(pipe)'",
                ]
            )
            let post = ["post", "Films", "https://example.com/secret", "--note", "whisper"]
            let isAtWork = try await eventually {
                _ = try LinkstrProcess.run(options + post)
                return seen.text("items").contains("whisper")
            }
            #expect(isAtWork)
            let started = Self.seen(of: watch.pid)
            #expect(started.contains("read line"))
            for text in Self.secrets + ["whisper", "example.com/secret"] { #expect(!started.contains(text)) }
            _ = home.file("done", "")
            // Opened for both, it waits for nobody.
            let end = open(pipe, O_RDWR)
            _ = write(end, "\n", 1)
            #expect(watch.end(by: SIGINT) == 130)
            close(end)
            #expect(daemon.end() == 0)
        }
    }
#endif
