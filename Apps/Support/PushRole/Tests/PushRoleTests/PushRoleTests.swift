import CommandKit
import Foundation
import LinkstrPush
import PushRole
import ServiceKit
import Sockets
import Testing

@Suite struct PushRoleTests {
    private func settings(_ json: String) throws -> Settings {
        try Settings(PushRole.settings, file: Array(json.utf8), prefix: "HELLOD_", environment: [:])
    }

    private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/role-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    @Test func theExampleOfTheReadme() async throws {
        try await withFolder { directory in
            let json = Array(#"{"push_sender":"log","push_listen":"127.0.0.1:0"}"#.utf8)

            let settings = try Settings(PushRole.settings, file: json, prefix: "HELLOD_", environment: [:])
            let role = try PushRole(settings, directory: directory)
            let problems = await role.check()
            let service = try await role.start(Log(level: .error))
            #expect(service.address.port != 0)
            await service.stop()

            #expect(problems == [])
            #expect(FileManager.default.fileExists(atPath: directory + "/push.db"))
        }
    }

    @Test func everySettingArrivesWhereItCounts() throws {
        let role = try PushRole(
            settings(
                """
                {"push_sender":"log","push_listen":"127.0.0.1:1","push_metrics_listen":"127.0.0.1:2","push_private":true,
                "push_path_prefix":"/push","push_proxies":["10.0.0.1"],"push_concurrency":3,"push_max_connections":4,
                "push_account_rate":5,"push_address_rate":6,"push_database":"/x/y.db"}
                """
            ),
            directory: "/home"
        )
        #expect(role.options.address == .ip(.loopback4, port: 1))
        #expect(role.options.metricsAddress == .ip(.loopback4, port: 2))
        #expect(role.options.isPrivate)
        #expect(role.options.pathPrefix == "/push")
        #expect(role.options.proxies == [.v4(0x0a00_0001)])
        #expect(role.options.concurrency == 3)
        #expect(role.options.limits.connections == 4)
        #expect(role.options.limits.perAccount == .init(burst: 50, perSecond: 5))
        #expect(role.options.limits.perAddress == .init(burst: 24, perSecond: 6))
        #expect(role.database == "/x/y.db")
        #expect(try PushRole(settings(#"{"push_sender":"log"}"#), directory: "/home").database == "/home/push.db")
    }

    @Test func theRoleIsWantedOnlyWithAnAddress() throws {
        #expect(try PushRole.isWanted(settings(#"{"push_listen":"127.0.0.1:1"}"#)))
        #expect(try !PushRole.isWanted(settings("{}")))
    }

    @Test(arguments: [
        #"{"push_listen":"nowhere"}"#, #"{"push_sender":"pigeon"}"#, #"{"push_path_prefix":"push/"}"#,
        #"{"push_proxies":["proxy.example"]}"#, #"{"push_apns_production":"push.example"}"#, #"{"push_concurrency":0}"#,
    ])
    func wrongValuesAreRefused(json: String) {
        #expect(throws: Settings.Problems.self) { try settings(json) }
    }

    @Test func withoutWhatAppleNeedsThereIsNoGateway() throws {
        #expect(throws: CommandFailure.self) { try PushRole(settings("{}"), directory: "/home") }
        do {
            _ = try PushRole(settings(#"{"push_topic":"t","push_key_id":"k"}"#), directory: "/home")
            Issue.record("it was taken")
        } catch let failure as CommandFailure {
            #expect(failure.exitCode == .configuration)
            let expected =
                PushRole.reachesApple
                ? "the push gateway needs push_team_id, push_key_file"
                : "this build cannot speak to Apple's push service"
            #expect(failure.message.hasPrefix(expected))
        }
    }

    @Test(.enabled(if: PushRole.reachesApple)) func theCheckSaysWhatIsWrongWithTheKeyOrThatNobodyAnswers() async throws
    {
        try await withFolder { folder in
            func problems(_ file: String) async throws -> [String] {
                let json = """
                    {"push_topic":"t","push_key_id":"ABCDE12345","push_team_id":"TEAM567890","push_key_file":"\(file)",
                    "push_apns_production":"127.0.0.1:1","push_apns_sandbox":"127.0.0.1:1"}
                    """
                return try await PushRole(settings(json), directory: folder).check()
            }
            let key = folder + "/key.p8"
            #expect(try await problems(key).count == 1)
            try Data("no key".utf8).write(to: URL(fileURLWithPath: key))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            #expect(
                try await problems(key)
                    == ["The signing key cannot be used: it is no unencrypted private key in PEM."]
            )
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out \(key)".split(separator: " ")
                .map(String.init)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            #expect(try await problems(key).first?.contains("is open to others") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let nobody = try await problems(key)
            #expect(nobody.count == 2)
            #expect(nobody.first?.contains("Nobody answers at 127.0.0.1:1") == true)
        }
    }
}
