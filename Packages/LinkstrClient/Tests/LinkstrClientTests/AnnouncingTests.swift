import Foundation
@testable import LinkstrClient
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing

@Suite("What a push service is told", .timeLimit(.minutes(10)))
struct AnnouncingTests {
    private func runtime(
        _ person: Person,
        _ relays: [RelayURL],
        push: String?,
        closing: Duration = .seconds(10)
    ) async throws -> AccountRuntime {
        var options = ClientOptions()
        options.transport.information = nil
        options.pushService = push
        options.pushClosingTime = closing
        options.pushLeavingTime = .seconds(60)
        return try await AccountRuntime.open(person.keys, home: person.temporary.home, relays: relays, options: options)
    }

    @Test("is each post and each reaction that was set, once, and wakes the other members alone")
    func announcements() async throws {
        let (village, gateway) = (try await Village(), try await Gateway())
        let (ann, ben) = (try Person(), try Person())
        let anns = try await runtime(ann, [village.url], push: gateway.url)
        let bens = try await runtime(ben, [village.url], push: gateway.url)
        _ = try await anns.registerDevice("anns-phone", .production)
        _ = try await bens.registerDevice("bens-phone", .production)
        let log = try await anns.make("Films", with: [ben.key])
        let post = try await anns.post("a", in: log)
        let item = try await anns.post(named: post.hex)
        let set = try anns.planner().react(to: item.post, "👍", isActive: true, in: log)
        _ = try await anns.send(set)
        let known = try await anns.store.reactions(to: post, in: log.id, ExactText("👍"), by: ann.key)
        _ = try await anns.send(anns.planner().react(to: item.post, "👍", isActive: false, known: known, in: log))
        _ = try await anns.delete(item)
        // What comes from relays is told by nobody: not by the member who reads it, not by another device of the author's.
        _ = try await bens.catchUp()
        let device = try ann.secondDevice()
        let restored = try await runtime(device, [village.url], push: gateway.url)
        _ = try await restored.catchUp()
        for runtime in [anns, bens, restored] { await runtime.close() }
        #expect(await anns.status().counters.announced == 2)
        for runtime in [bens, restored] { #expect(await runtime.status().counters.announced == 0) }
        let sent = await gateway.delivered(2)
        await gateway.stop()
        #expect(sent.map(\.token) == ["bens-phone", "bens-phone"])
        #expect(sent.first?.payload["event_id"]?.string == post.hex)
        #expect(sent.first?.payload["conversation_id"]?.string == log.id.text)
        #expect(sent.last?.payload["event_id"]?.string == set.fact.id.hex)
        #expect(sent.last?.payload["post_id"]?.string == post.hex)
        try await village.close()
    }

    @Test("is nothing where none is set, or what relays did not take")
    func nothing() async throws {
        let (village, log) = (try await Village(), try PushLog())
        let ann = try Person()
        let quiet = try await runtime(ann, [village.url], push: nil)
        let session = try await quiet.make("Films", with: [])
        try await quiet.post("a", in: session)
        await quiet.close()
        #expect(log.requests.withLock { $0.isEmpty })
        let url = village.url
        try await village.close()
        var options = ClientOptions()
        options.transport.information = nil
        options.pushService = log.url
        options.gateTime = .milliseconds(300)
        let alone = try await AccountRuntime.open(ann.keys, home: ann.temporary.home, relays: [url], options: options)
        await #expect(throws: ClientError.self) { try await alone.post("b", in: session) }
        await alone.close()
        #expect(log.requests.withLock { $0.isEmpty })
        log.server.close()
    }

    @Test("is told again after a failure that may pass")
    func retry() async throws {
        let (village, log) = (try await Village(), try PushLog())
        let ann = try Person()
        let anns = try await runtime(ann, [village.url], push: log.url)
        let session = try await anns.make("Films", with: [])
        log.fails.withLock { $0 = 1 }
        try await anns.post("a", in: session)
        while await anns.status().counters.announced == 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(log.requests.withLock { $0.map(\.path) } == ["/v1/push"])
        await anns.close()
        try await village.close()
        log.server.close()
    }

    @Test("neither fails nor holds up a sending when it does not answer, and is not waited for long")
    func silence() async throws {
        let village = try await Village()
        let (asked, release) = AsyncStream.makeStream(of: Void.self)
        let silent = try HTTPServer(on: .ip(.loopback4, port: 0)) { _ in
            for await _ in asked {}
            return HTTPResponse(status: 202)
        }
        let ann = try Person()
        let anns = try await runtime(
            ann,
            [village.url],
            push: "http://127.0.0.1:\(silent.address.port ?? 0)",
            closing: .milliseconds(200)
        )
        let session = try await anns.make("Films", with: [])
        let clock = ContinuousClock()
        let sending = try await clock.measure {
            for path in ["a", "b", "c"] { try await anns.post(path, in: session) }
        }
        let closing = await clock.measure { await anns.close() }
        #expect(sending < .seconds(8) && closing < .seconds(8))
        #expect(closing >= .milliseconds(200))
        #expect(await anns.status().counters.failedAnnouncements == 3)
        #expect(await anns.status().counters.sent == 4)
        release.finish()
        silent.close()
        try await village.close()
    }

    @Test("waits in a row of bounded length, the newest of it")
    func bound() async throws {
        let (asked, release) = AsyncStream.makeStream(of: Void.self)
        let told = Locked<[String]>([])
        let slow = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
            for await _ in asked {}
            let id = (try? JSONValue(json: request.body))?["event_id"]?.string ?? ""
            told.withLock { $0.append(id) }
            let answer = #"{"status":"accepted","recipient_count":0,"candidate_devices":0}"#
            return HTTPResponse(status: 202, text: answer, type: "application/json")
        }
        let client = try PushClient(baseURL: "http://127.0.0.1:\(slow.address.port ?? 0)", keyPair: .generate())
        let courier = PushCourier()
        await courier.announce(.post(id: "first", sessionID: "S"), to: [.zero], through: client)
        // The first is on its way once the row is empty.
        while await courier.waitingCount > 0 { await Task.yield() }
        for number in 0..<100 {
            await courier.announce(.post(id: "\(number)", sessionID: "S"), to: [.zero], through: client)
        }
        #expect(await courier.waitingCount == PushCourier.capacity)
        release.finish()
        await courier.finish(within: .seconds(60))
        #expect(told.withLock { $0 } == ["first"] + (36..<100).map(String.init))
        #expect(await courier.announced == 65)
        #expect(await courier.failed == 36)
        slow.close()
    }

    @Test("of archived sessions is what was chosen, where a device is registered, and only what changed")
    func archive() async throws {
        let (village, log) = (try await Village(), try PushLog())
        let ann = try Person()
        let anns = try await runtime(ann, [village.url], push: log.url)
        let sessions = [try await anns.make("A", with: []), try await anns.make("B", with: [])].map(\.id)
        try await anns.setArchived(true, sessions[0])
        await anns.close()
        #expect(log.take().isEmpty)

        let second = try await runtime(ann, [village.url], push: log.url)
        #expect(try await second.untoldArchiveChoices() == nil)
        _ = try await second.registerDevice("anns-phone", .production)
        await second.close()
        // B, which merely is not archived, is no choice.
        let first = log.take()
        #expect(first.map(\.known) == [[sessions[0].text]] && first.map(\.archived) == [[sessions[0].text]])

        let third = try await runtime(ann, [village.url], push: log.url)
        _ = try await third.catchUp()
        #expect(try await third.untoldArchiveChoices() == 0)
        log.fails.withLock { $0 = 1 }
        try await third.setArchived(true, sessions[1])
        await third.close()
        #expect(log.take().isEmpty)

        // After a failure everything is told again, at the next occasion and in a later run.
        let fourth = try await runtime(ann, [village.url], push: log.url)
        #expect(try await fourth.untoldArchiveChoices() == 2)
        _ = try await fourth.catchUp()
        await fourth.close()
        #expect(log.take().map(\.known) == [sessions.map(\.text).sorted()])

        let fifth = try await runtime(ann, [village.url], push: log.url)
        _ = try await fifth.catchUp()
        _ = try await fifth.delete(sessions[0])
        await fifth.close()
        let last = log.take()
        #expect(last.map(\.known) == [[sessions[0].text]] && last.map(\.archived) == [[]])

        let sixth = try await runtime(ann, [village.url], push: log.url)
        await #expect(throws: ClientError.unknownDevice) { try await sixth.unregisterDevice("bens") }
        #expect(try await sixth.unregisterDevice("anns").map(\.token) == ["anns-phone"])
        #expect(log.requests.withLock { $0.last?.body["device_token"]?.string } == "anns-phone")
        try await sixth.setArchived(false, sessions[1])
        await sixth.close()
        #expect(log.take().isEmpty)
        log.server.close()
        try await village.close()
    }

    @Test("is to forget its devices when an account is deleted, whether it hears that or not")
    func deletion() async throws {
        let village = try await Village()
        for isThere in [true, false] {
            let (log, ann) = (try PushLog(), try Person())
            let anns = try await runtime(ann, [village.url], push: log.url)
            _ = try await anns.registerDevice("anns-phone", .production)
            if !isThere { log.server.close() }
            let farewell = try await anns.deleteAccount(from: ann.temporary.accounts)
            #expect(farewell.leftovers == nil)
            #expect(try ann.temporary.accounts.all().isEmpty)
            let paths = log.requests.withLock { $0.map(\.path) }
            #expect(paths == ["/v1/devices/register"] + (isThere ? ["/v1/devices/unregister"] : []))
            log.server.close()
        }
        try await village.close()
    }

    @Test("is to forget its devices when an account logs out, whether it hears that or not")
    func logout() async throws {
        for isThere in [true, false] {
            let (log, ann) = (try PushLog(), try Person())
            let anns = try await runtime(ann, [], push: log.url)
            for token in ["anns-phone", "anns-tablet"] { _ = try await anns.registerDevice(token, .production) }
            if !isThere { log.server.close() }
            let left = try await anns.logOut(clearsData: false, from: ann.temporary.accounts)
            #expect(left.map(\.token) == (isThere ? [] : ["anns-phone", "anns-tablet"]))
            #expect(try ann.temporary.accounts.all().isEmpty)
            // What is kept with the data says the same.
            #expect(try PushRegistrations(folder: ann.temporary.home.account(ann.key)).devices == left)
            let told = log.requests.withLock { requests in
                requests.filter { $0.path == "/v1/devices/unregister" }.compactMap { $0.body["device_token"]?.string }
            }
            #expect(told.sorted() == (isThere ? ["anns-phone", "anns-tablet"] : []))
            log.server.close()
        }
    }

    @Test("does not hold up who leaves by its silence")
    func silentLeaving() async throws {
        let (asked, release) = AsyncStream.makeStream(of: Void.self)
        let silent = try HTTPServer(on: .ip(.loopback4, port: 0)) { _ in
            for await _ in asked {}
            return HTTPResponse(status: 202)
        }
        let ann = try Person()
        let folder = ann.temporary.home.account(ann.key)
        var registrations = PushRegistrations()
        let url = "http://127.0.0.1:\(silent.address.port ?? 0)"
        registrations.add(.init(token: "silent", environment: .production, service: url))
        try registrations.write(folder: folder)
        let left = await PushRegistrations.leave(
            folder: folder,
            keyPair: ann.keys.keyPair,
            within: .milliseconds(200)
        )
        #expect(left.map(\.token) == ["silent"])
        release.finish()
        silent.close()
    }

    @Test("is checked: who answers is a push service, and accepts the signature")
    func check() async throws {
        let gateway = try await Gateway()
        let other = try HTTPServer(on: .ip(.loopback4, port: 0)) { _ in HTTPResponse(status: 200, text: "welcome") }
        let ann = try Person()
        let right = try await runtime(ann, [], push: gateway.url)
        try await right.checkPushService()
        await right.close()
        let wrong = try await runtime(ann, [], push: "http://127.0.0.1:\(other.address.port ?? 0)")
        await #expect(throws: ClientError.push(.unexpectedAnswer)) { try await wrong.checkPushService() }
        await wrong.close()
        var options = ClientOptions()
        options.transport.information = nil
        options.pushService = gateway.url
        options.now = { PushClient.systemTime() - 400 }
        let slow = try await AccountRuntime.open(ann.keys, home: ann.temporary.home, relays: [], options: options)
        await #expect(throws: ClientError.push(.notAuthorized)) { try await slow.checkPushService() }
        await slow.close()
        other.close()
        await gateway.stop()
    }

    @Test("can be tried: the account's own devices are woken")
    func trial() async throws {
        let gateway = try await Gateway()
        let ann = try Person()
        let anns = try await runtime(ann, [], push: gateway.url)
        try await anns.checkPushService()
        #expect(try await anns.testPushService().devices == 0)
        _ = try await anns.registerDevice("anns-phone", .sandbox)
        #expect(try await anns.testPushService() == PushAcceptance(recipients: 1, devices: 1))
        for token in ["", "two words", String(repeating: "a", count: 513)] {
            await #expect(throws: ClientError.invalidDeviceToken) { try await anns.registerDevice(token, .sandbox) }
        }
        await anns.close()
        #expect(await gateway.delivered(1).map(\.token) == ["anns-phone"])
        await gateway.stop()
        let nobody = try await runtime(ann, [], push: nil)
        await #expect(throws: ClientError.noPushService) { try await nobody.registerDevice("a", .sandbox) }
        await #expect(throws: ClientError.noPushService) { try await nobody.testPushService() }
        #expect(try nobody.registeredDevices().map(\.token) == ["anns-phone"])
        await nobody.close()
    }
}
