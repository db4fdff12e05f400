#if os(Linux)
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Standard descriptors that were closed by who starts a program: nothing of the program's own gets their numbers.
    @Suite("Standard descriptors that are closed", .timeLimit(.minutes(20)))
    struct DescriptorTests {
        /// Where the standard descriptors of a process lead to.
        private static func places(of pid: pid_t) -> [String?] {
            (0...2).map { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)") }
        }

        /// A program whose standard descriptors are closed; those that are named stay open.
        private static func start(_ words: [String], closing: String = "<&- >&- 2>&-") throws -> BackgroundProcess {
            try BackgroundProcess(["-c", "exec \"$0\" \"$@\" " + closing] + words, executable: "/bin/bash")
        }

        @Test("are nothing that the command or the daemon opens")
        func numbers() async throws {
            let home = try DaemonProcess.home()
            let options = ["--home", home.path]
            #expect(try LinkstrProcess.run(options + ["account", "new"]).code == 0)
            let nothing: [String?] = ["/dev/null", "/dev/null", "/dev/null"]
            // One that holds the lock has opened the home, which comes first.
            let command = try Self.start([LinkstrProcess.path] + options + ["watch"])
            #expect(await eventually { home.text("lock").contains("\(command.pid)") })
            #expect(Self.places(of: command.pid) == nothing)
            #expect(command.end(by: SIGINT) == 130)
            let daemon = try Self.start([DaemonProcess.path, "run"] + options)
            #expect(await eventually { home.text("lock").hasPrefix("\(daemon.pid)\n/") })
            #expect(Self.places(of: daemon.pid) == nothing)
            let answers = try await eventually { try LinkstrProcess.run(options + ["session", "list"]).code == 0 }
            #expect(answers)
            #expect(daemon.end(by: SIGTERM) == 0)
            // What is open stays what it is.
            let half = try Self.start([DaemonProcess.path, "run"] + options, closing: "<&-")
            #expect(await eventually { home.text("lock").hasPrefix("\(half.pid)\n/") })
            #expect(Self.places(of: half.pid).first == "/dev/null" && Self.places(of: half.pid)[1] != nil)
            #expect(half.end(by: SIGTERM) == 0)
        }

        @Test("cannot be read from or written to all the same")
        func failures() throws {
            #expect(try LinkstrProcess.shell("\"$0\" encode npub \(Published.pubkey) >&-").code == 74)
            #expect(try LinkstrProcess.shell("\"$0\" event verify <&-").code == 74)
            #expect(try LinkstrProcess.shell("\"$0\" encode npub \(Published.pubkey) 2>&-").code == 0)
        }
    }
#endif
