import ControlSocket
import Foundation
import NostrEvents
import Sockets
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a service manager, a monitor and an operator see of the daemon.
@Suite struct DaemonServiceTests {
    /// Patient, because a machine that tests many things at once is slow.
    private static var client: HTTPClient {
        var client = HTTPClient()
        client.timeout = .seconds(60)
        client.stallTime = .seconds(60)
        return client
    }

    @Test func theManagerIsToldTheStagesTheReloadAndTheEnd() throws {
        let home = try DaemonProcess.home()
        #expect(try LinkstrProcess.run(["--home", home.path, "account", "new", "--name", "Ann"]).code == 0)
        let daemon = try DaemonProcess(starting: [], home: home)
        #expect(daemon.wait(for: "STATUS=starting") != nil)
        #expect(daemon.wait(for: "STATUS=opening accounts") != nil)
        #expect(daemon.wait(for: "READY=1") != nil)
        daemon.signal(SIGHUP)
        #expect(daemon.wait(for: "RELOADING=1") != nil)
        #expect(daemon.wait(for: "READY=1") != nil)
        daemon.signal(SIGTERM)
        #expect(daemon.wait(for: "STOPPING=1") != nil)
        #expect(daemon.end(by: 0) == 0)
    }

    @Test func theWatchdogHearsThatItIsAlive() throws {
        let daemon = try DaemonProcess(environment: ["WATCHDOG_USEC": "400000"])
        for _ in 0..<3 { #expect(daemon.wait(for: "WATCHDOG=1") != nil) }
        #expect(daemon.end() == 0)
        let unwatched = try DaemonProcess()
        #expect(!unwatched.hears("WATCHDOG=1", within: 0.5))
        #expect(unwatched.end() == 0)
    }

    @Test func aSocketOfTheManagerIsUsedAndLeftWhereItIs() throws {
        let home = try DaemonProcess.home()
        mkdir(home.path + "/run", 0o700)
        let path = home.path + "/run/linkstrd.sock"
        let descriptor = NotificationSocket.bound(path, SOCK_STREAM)
        try #require(descriptor >= 0 && listen(descriptor, 8) == 0)
        chmod(path, 0o600)
        let daemon = try DaemonProcess(home: home, descriptor: (descriptor, "control"))
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session list").code == 0)
        #expect(daemon.end() == 0)
        #expect(FileManager.default.fileExists(atPath: path))
        close(descriptor)
    }

    @Test func aRelaySocketOfTheManagerIsServed() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port: UInt16 = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                guard bind(descriptor, raw, length) == 0, listen(descriptor, 8) == 0 else { return 0 }
                getsockname(descriptor, raw, &length)
                return 1
            }
        }
        try #require(port == 1)
        let number = UInt16(bigEndian: address.sin_port)
        let daemon = try DaemonProcess(descriptor: (descriptor, "relay"))
        let info = try LinkstrProcess.run(["relay", "info", "ws://127.0.0.1:\(number)"])
        #expect(info.code == 0)
        #expect(info.text.contains("linkstrd"))
        #expect(daemon.end() == 0)
        close(descriptor)
    }

    @Test func healthAndMetricsAreServed() async throws {
        let home = try DaemonProcess.home()
        let daemon = try DaemonProcess(["--http-listen", "127.0.0.1:0", "--relay-listen", "127.0.0.1:0"], home: home)
        let line = try #require(daemon.logged.split(separator: "\n").first { $0.contains("http listening") })
        let base = "http://" + (try #require(line.split(separator: "=").last))
        let client = Self.client
        let health = try await client.get(HTTPURL(base + "/healthz"))
        #expect(health.status == 200)
        #expect(try JSONValue(json: health.body.dropLast().map { $0 })["status"]?.string == "ok")
        #expect(try daemon.linkstr("account new").code == 0)
        #expect(try daemon.linkstr("session new Films").code == 0)
        let metrics = try await client.get(HTTPURL(base + "/metrics"))
        #expect(metrics.status == 200)
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(text.contains("linkstrd_accounts{state=\"open\"} 1"))
        #expect(text.contains("linkstrd_embedded_relay_events_stored_total 1"))
        #expect(text.firstMatch(of: /linkstrd_sent_total\{account="[0-9a-f]{64}"\} 1\n/) != nil)
        #expect(text.firstMatch(of: /linkstrd_relay_connected\{account="[0-9a-f]{64}",relay="ws:[^"]*"\} 1\n/) != nil)
        let isWellFormed = text.split(separator: "\n").allSatisfy { line in
            line.hasPrefix("# ") || line.wholeMatch(of: /linkstrd_[a-z_]+(\{[^}]*\})? [-0-9.e+]+/) != nil
        }
        #expect(isWellFormed)
        #expect(try await client.get(HTTPURL(base + "/other")).status == 404)
        #expect(daemon.end() == 0)
    }

    @Test func aFailedAccountMakesTheHealthBad() async throws {
        let home = try DaemonProcess.home()
        let made = try LinkstrProcess.run(["--home", home.path, "account", "new", "--json"])
        let key = try #require(try JSONValue(json: made.output.dropLast().map { $0 })["pubkey"]?.string)
        _ = home.file("accounts/\(key)/account.db", String(repeating: "rubbish", count: 1000))
        let daemon = try DaemonProcess(["--http-listen", "127.0.0.1:0"], home: home)
        let line = try #require(daemon.logged.split(separator: "\n").first { $0.contains("http listening") })
        let health = try await Self.client.get(HTTPURL("http://\(line.split(separator: "=").last ?? "")/healthz"))
        #expect(health.status == 503)
        #expect(String(decoding: health.body, as: UTF8.self).contains("\"failed\":1"))
        #expect(daemon.end() == 0)
    }

    @Test func aReloadTakesUpWhatItCanAndKeepsWhatIsWrongOut() async throws {
        let home = try DaemonProcess.home()
        _ = home.file("linkstrd.json", #"{"log_level": "error"}"#)
        let daemon = try DaemonProcess(home: home)
        #expect(!daemon.logged.contains("starting"))
        _ = home.file("linkstrd.json", #"{"log_level": "info", "relay_name": "other"}"#)
        daemon.signal(SIGHUP)
        #expect(daemon.wait(for: "RELOADING=1") != nil)
        #expect(daemon.wait(for: "READY=1") != nil)
        _ = home.file("linkstrd.json", #"{"log_levle": "info"}"#)
        daemon.signal(SIGHUP)
        let client = try await ControlClient.connect(to: daemon.socketPath)
        let failure = await #expect(throws: ControlError.self) { _ = try await client.call("reload") }
        #expect(failure?.description.contains("did you mean log_level") == true)
        await client.close()
        #expect(daemon.end() == 0)
        #expect(daemon.logged.contains("setting changed key=log_level"))
        #expect(daemon.logged.contains("setting needs a restart key=relay_name"))
    }

    @Test(
        "A configuration that is wrong is refused with 78 and a sentence",
        arguments: [
            (#"{"relay_lisen": "x"}"#, "did you mean relay_listen"), (#"{"relay_listen": "x"}"#, "127.0.0.1:7447"),
            (#"{"accounts": ["x"]}"#, "no public key"), ("{", "cannot be read"),
            (#"{"control_socket": "/\#(String(repeating: "x", count: 107))"}"#, "control_socket has 108 bytes"),
            (#"{"relay_listen": "unix:/\#(String(repeating: "x", count: 107))"}"#, "relay_listen has 108 bytes"),
        ]
    )
    func wrongConfiguration(_ text: String, _ sentence: String) throws {
        let home = try DaemonProcess.home()
        let file = home.file("other.json", text)
        for command in ["check-config", "run"] {
            let ending = try DaemonProcess.run([command, "--home", home.path, "--config", file])
            #expect(ending.code == 78)
            #expect(ending.errorText.contains(sentence))
        }
    }

    @Test func aConfigurationThatIsRightIsShownWithItsOrigin() throws {
        let home = try DaemonProcess.home()
        let file = home.file("other.json", #"{"relay_name": "mine", "relay_listen": "127.0.0.1:1"}"#)
        let ending = try DaemonProcess.run(
            ["check-config", "--home", home.path, "--config", file, "--relay-listen", "127.0.0.1:2"],
            environment: ["LINKSTRD_LOG_LEVEL": "debug"]
        )
        #expect(ending.code == 0)
        for line in [
            "relay_name = mine  (file)", "relay_listen = 127.0.0.1:2  (command line)",
            "log_level = debug  (environment)", "log_format = lines  (shipped)",
            "home = \(home.path)  (command line)", "control_socket = \(home.path)/run/linkstrd.sock  (shipped)",
            "relay_database = \(home.path)/relay.db  (shipped)", "http_listen = (none)  (shipped)",
            "accounts = (none)  (shipped)", "push_listen = (none)  (shipped)",
        ] { #expect(ending.lines.contains(line), "\(line) is not in \(ending.text)") }
        let json = try DaemonProcess.run(["check-config", "--home", home.path, "--json"])
        #expect(json.lines.count == ending.lines.count)
    }

    @Test func aHomeTooDeepForItsSocketIsRefusedUnlessAnotherPlaceIsNamed() throws {
        let folder = try TemporaryFolder()
        let deep = folder.path + "/" + String(repeating: "d", count: 100)
        func check(_ environment: [String: String]) throws -> RunningProcess.Ending {
            try DaemonProcess.run(["check-config", "--home", deep], environment: environment)
        }
        let refused = try check([:])
        #expect(refused.code == 78 && refused.errorText.contains("set control_socket"), "\(refused.errorText)")
        #expect(try check(["LINKSTRD_CONTROL_SOCKET": folder.path + "/linkstrd.sock"]).code == 0)
    }

    @Test(
        "The unit files are valid",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
            "no systemd-analyze here"
        ),
        arguments: ["user/linkstrd.service", "user/linkstrd.socket", "system/linkstrd.service"]
    )
    func unitFiles(_ name: String) throws {
        let folder = try TemporaryFolder()
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../docs/systemd/"
        let text = try String(contentsOfFile: docs + name, encoding: .utf8)
        func verify(_ text: String) throws -> RunningProcess.Ending {
            let service = try String(contentsOfFile: docs + "user/linkstrd.service", encoding: .utf8)
            _ = folder.file("linkstrd.service", service.replacing("/usr/local/bin/linkstrd", with: DaemonProcess.path))
            let file = folder.file((name as NSString).lastPathComponent, text)
            return try RunningProcess.run(
                "/usr/bin/systemd-analyze",
                (name.hasPrefix("user") ? ["--user"] : []) + ["verify", file],
                environment: ["PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path],
                plan: .init()
            )
        }
        let ending = try verify(text.replacing("/usr/local/bin/linkstrd", with: DaemonProcess.path))
        #expect(ending.code == 0)
        #expect(ending.errorText.isEmpty)
        let wrong = try verify(text.replacing("[Unit]", with: "[Unit]\nUnheardOf=yes"))
        #expect(wrong.errorText.contains("UnheardOf"))
    }

    @Test func theDemonstrationEndsWithALinkThatWasSharedAndLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let ending = try RunningProcess.run(
            "/bin/bash",
            [URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../scripts/run.sh", "--demo"],
            environment: LinkstrProcess.environment.merging([
                "TMPDIR": folder.path, "LINKSTR_BIN": (LinkstrProcess.path as NSString).deletingLastPathComponent,
            ]) { $1 },
            plan: .init()
        )
        #expect(ending.code == 0)
        #expect(ending.text.contains("👍 1"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
