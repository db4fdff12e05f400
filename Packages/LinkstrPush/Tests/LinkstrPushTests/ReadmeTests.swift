import LinkstrPush
import SQLite
import Sockets
import Testing

@Suite struct ReadmeTests {
    @Test func theExampleOfTheReadme() async throws {
        let folder = try Folder()
        let path = folder.path + "/push.db"
        var settings = PushSettings()
        settings.address = .ip(.loopback4, port: 0)
        let store = try await SQLitePushStore(.file(path), now: PushClock.system.milliseconds())
        let service = try PushService(settings, store: store, sender: LogSender { print($0) })
        #expect(service.address.port != 0)
        await service.stop()
    }
}
