import Foundation
import ServiceKit
import Testing

@Test func theExampleOfTheReadmeReadsItsConfiguration() throws {
    let declared = [
        Setting("listen", .text, fallback: .text("127.0.0.1:80"), "Where to listen"),
        Setting("log_level", .choice(["info", "debug"]), fallback: .text("info"), isReloadable: true, "What to tell"),
    ]
    let settings = try Settings(
        declared,
        file: Array(#"{"listen": "127.0.0.1:8080"}"#.utf8),
        prefix: "HELLOD_",
        environment: ["HELLOD_LOG_LEVEL": "debug"]
    )
    let log = Log(level: settings.text("log_level").flatMap { Log.Level($0) } ?? .info)
    log.info("listening", ["address": settings.text("listen") ?? ""])

    let manager = ServiceManager(environment: { ProcessInfo.processInfo.environment[$0] })
    manager.tell(.ready, .status("at your service"))

    #expect(settings.text("listen") == "127.0.0.1:8080")
    #expect(settings.origin("listen") == .file)
    #expect(settings.text("log_level") == "debug")
    #expect(settings.origin("log_level") == .environment)
}
