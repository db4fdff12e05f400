#if Push
    import APNs
    import Foundation
    import Locking
    import Sockets
    import Testing

    @Suite(.enabled(if: Peers.isLookAlikeThere, Peers.lookAlikeIsMissing)) struct ClientTests {
        private func send(
            _ token: String,
            by client: APNsClient,
            within time: Duration = patience
        ) async throws(APNsError) -> APNsResponse {
            try await client.send(.small(token), to: .production, within: time)
        }

        private func failure(_ token: String, by client: APNsClient) async -> APNsError? {
            do {
                _ = try await send(token, by: client)
                return nil
            } catch {
                return error
            }
        }

        @Test func aNotificationArrivesAsAppleWantsItByteForByte() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            var payload = APNsPayload(title: "New \"post\" é", body: "Open\nit")
            payload.threadID = "S"
            payload.fields = [.init("type", "new_post")]
            var notification = APNsNotification(deviceToken: "0A1b", payload: try payload.json())
            notification.collapseID = String(repeating: "c", count: 64)
            notification.expiration = 1_800_000_900
            let response = try await client.send(notification, to: .production, within: patience)
            #expect(response == APNsResponse(status: 200))
            #expect(response.verdict == .delivered)
            let request = try #require(try await server.requests(1).first)
            #expect(request.wrong == [])
            #expect(
                request.fields.filter { $0[0] != "authorization" } == [
                    [":method", "POST"], [":scheme", "https"], [":authority", "127.0.0.1:\(server.port)"],
                    [":path", "/3/device/0A1b"], ["apns-topic", "com.example.linkstr"], ["apns-push-type", "alert"],
                    ["apns-priority", "10"], ["apns-expiration", "1800000900"],
                    ["apns-collapse-id", String(repeating: "c", count: 64)],
                ]
            )
            #expect(
                request.body
                    == #"{"aps":{"alert":{"title":"New \"post\" é","body":"Open\nit"},"sound":"default","thread-id":"S"},"#
                    + #""type":"new_post"}"#
            )
            await client.close()
        }

        @Test func everyDocumentedReasonIsUnderstood() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            for (reason, verdict) in APNsReason.documented.sorted(by: { $0.key < $1.key }) {
                let status = verdict == .deviceGone ? 410 : verdict == .retryLater ? 503 : 400
                try await server.tell(reason, #""status":\#(status),"reason":"\#(reason)""#)
                let response = try await send(reason, by: client)
                #expect(response == APNsResponse(status: status, reason: APNsReason(rawValue: reason)))
                #expect(response.verdict == verdict)
            }
            let count = APNsReason.documented.count
            #expect(Set(try await server.requests(count).map(\.connection)) == [1])
            await client.close()
        }

        @Test(arguments: [(400, APNsVerdict.configuration), (410, .deviceGone), (429, .retryLater), (500, .retryLater)])
        func aStatusWithoutAReasonOrWithAnUnknownOneHasAMeaningToo(status: Int, verdict: APNsVerdict) async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("none", #""status":\#(status)"#)
            try await server.tell("new", #""status":\#(status),"reason":"SomethingNew""#)
            #expect(try await send("none", by: client).verdict == verdict)
            let response = try await send("new", by: client)
            #expect(response.reason?.rawValue == "SomethingNew")
            #expect(response.verdict == verdict)
            await client.close()
        }

        @Test(arguments: [1000, 3])
        func manyNotificationsShareAConnectionAndAToken(streams: Int) async throws {
            let server = try await LookAlike(Files(), "--streams", "\(streams)")
            let client = try server.client()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask { try await self.send("t\(number)", by: client).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 200)
            #expect(Set(try await server.requests(200).map { $0.fields[3][1] }).count == 200)
            #expect(Set(server.requests.map(\.connection)) == [1])
            #expect(server.requests.last?.tokens == 1)
            #expect(server.violations == [])
            await client.close()
        }

        @Test func aSmallWindowHoldsALargePayloadBackAndLosesNothing() async throws {
            let server = try await LookAlike(Files(), "--window", "100")
            let client = try server.client()
            let payload = try APNsPayload(title: String(repeating: "x", count: 4000), body: "").json()
            let response = try await client.send(
                APNsNotification(deviceToken: "a", payload: payload),
                to: .sandbox,
                within: patience
            )
            #expect(response.status == 200)
            #expect(try await server.requests(1).map(\.body) == [String(decoding: payload, as: UTF8.self)])
            await client.close()
        }

        @Test func aLateAnswerIsGivenUpAndTheConnectionStays() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("late", #""delay":30"#)
            let late = Task { try await client.send(.small("late"), to: .production, within: .milliseconds(500)) }
            // While it waits something is heard from the other side.
            try await server.until { !server.requests.isEmpty }
            #expect(try await send("a", by: client).status == 200)
            await #expect(throws: APNsError.timedOut) { try await late.value }
            try await server.until { server.resets == [8] }
            #expect(try await send("b", by: client).status == 200)
            #expect(try await server.requests(3).map(\.connection) == [1, 1, 1])
            await client.close()
        }

        @Test func whatCouldNotBeSentInTimeIsNotSentLater() async throws {
            let server = try await LookAlike(Files())
            let loop = try EventLoop()
            let (begun, isHeld, isFree) = (Locked(0), Locked(false), Locked(false))
            let client = try server.client(group: EventLoopGroup(loop)) {
                begun.withLock { $0 += 1 }
                return Int64(Date().timeIntervalSince1970)
            }
            #expect(try await send("a", by: client).status == 200)
            // The thread of the connection gets no processor until the time is up.
            loop.execute {
                isHeld.withLock { $0 = true }
                while !isFree.withLock({ $0 }) { usleep(1000) }
            }
            try await server.until { isHeld.withLock { $0 } }
            let before = begun.withLock { $0 }
            let late = Task { try await send("late", by: client, within: .milliseconds(50)) }
            try await server.until { begun.withLock { $0 } > before }
            let end = ContinuousClock.now + .milliseconds(50)
            try await server.until { ContinuousClock.now > end }
            isFree.withLock { $0 = true }
            await #expect(throws: APNsError.timedOut) { try await late.value }
            #expect(try await send("b", by: client).status == 200)
            #expect(try await server.requests(2).map { $0.fields[3][1] } == ["/3/device/a", "/3/device/b"])
            #expect(server.resets == [])
            await client.close()
        }

        @Test(arguments: [100, 5000])
        func aConnectionOnWhichNothingIsHeardForLongEnoughIsLeft(silence: Int) async throws {
            let server = try await LookAlike(Files())
            let client = try server.client(silence: .milliseconds(silence))
            #expect(try await send("a", by: client).status == 200)
            try await server.tell("silent", #""silent":true"#)
            await #expect(throws: APNsError.timedOut) {
                try await self.send("silent", by: client, within: .milliseconds(200))
            }
            #expect(try await send("b", by: client).status == 200)
            #expect(try await server.requests(3).map(\.connection) == [1, 1, silence == 100 ? 2 : 1])
            await client.close()
        }

        @Test func aHostThatNeverSpeaksIsLeftToo() async throws {
            let files = try Files()
            let other = try await LookAlike(files)
            let accepted = Locked(0)
            let streams = Locked<[any ByteStream]>([])
            let tls = try TLSServer(
                certificateChainFile: files.certificate,
                privateKeyFile: files.certificateKey,
                applicationProtocols: ["h2"]
            )
            let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
                Task {
                    let stream = try await tls.accept(stream, within: patience)
                    streams.withLock { $0.append(stream) }
                    accepted.withLock { $0 += 1 }
                }
            }
            let client = try other.client(port: listener.address.port, silence: .milliseconds(100))
            // Whoever waits is told, and it is not asked again at once.
            async let waiting = failure("b", by: client)
            try await other.until { accepted.withLock { $0 } == 1 }
            await #expect(throws: APNsError.timedOut) {
                try await self.send("a", by: client, within: .seconds(2))
            }
            #expect(await waiting == .protocolViolation("it closes the connection"))
            #expect(accepted.withLock { $0 } == 1)
            listener.close()
            await client.close()
        }

        @Test func aCancelledNotificationEndsAtOnce() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("late", #""delay":30"#)
            let task = Task { try await send("late", by: client) }
            try await server.until { !server.requests.isEmpty }
            task.cancel()
            await #expect(throws: APNsError.cancelled) { try await task.value }
            try await server.until { server.resets == [8] }
            await client.close()
        }

        @Test func whatTheOtherSideDidNotLookAtIsSentAgain() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("once", #""reset":7,"times":1"#)
            #expect(try await send("once", by: client).status == 200)
            #expect(try await server.requests(2).count == 2)
            try await server.tell("never", #""reset":7"#)
            await #expect(throws: APNsError.unprocessed) { try await self.send("never", by: client) }
            #expect(try await server.requests(6).count == 6)
            await client.close()
        }

        @Test func whatMayHaveArrivedIsNotSentAgain() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("reset", #""reset":2"#)
            await #expect(throws: APNsError.interrupted) { try await self.send("reset", by: client) }
            #expect(try await server.requests(1).count == 1)
            try await server.tell("close", #""close":true"#)
            await #expect(throws: APNsError.interrupted) { try await self.send("close", by: client) }
            #expect(try await server.requests(2).count == 2)
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(3).map(\.connection) == [1, 1, 2])
            await client.close()
        }

        @Test func afterGoawayEverythingGoesOverAnotherConnection() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("refused", #""goaway":true,"times":1"#)
            #expect(try await send("refused", by: client).status == 200)
            #expect(try await server.requests(1).map(\.connection) == [2])
            try await server.tell("last", #""shutdown":true"#)
            #expect(try await send("last", by: client).status == 200)
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(3).map(\.connection) == [2, 2, 3])
            await client.close()
        }

        @Test func afterGoawayNothingNewWaitsForWhatIsUnderWay() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("slow", #""delay":600"#)
            try await server.tell("last", #""shutdown":true"#)
            let slow = Task { try await send("slow", by: client, within: .seconds(600)) }
            _ = try await server.requests(1)
            #expect(try await send("last", by: client).status == 200)
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(3).map(\.connection) == [1, 1, 2])
            slow.cancel()
            await #expect(throws: APNsError.cancelled) { try await slow.value }
            await client.close()
        }

        @Test func aServerThatWantsToEndEveryConnectionIsNotAskedForEver() async throws {
            let server = try await LookAlike(Files(), "--goodbye")
            let client = try server.client()
            // Whether a request begins before the good-bye is a matter of how bytes arrive.
            let failure = await failure("a", by: client)
            #expect([.protocolViolation("it answers nothing"), .unprocessed].contains(failure))
            await client.close()
        }

        @Test func whatIsUnderWayAtGoawayIsAnsweredOrSentAgainAndNeverLost() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("refused", #""goaway":true,"times":1"#)
            try await server.tell("*", #""delay":0.05"#)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    let token = number == 20 ? "refused" : "t\(number)"
                    group.addTask { try await self.send(token, by: client).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 40)
            // Each was answered once: what was answered was not sent again.
            #expect(try await server.requests(40).count == 40)
            #expect(Set(server.requests.map(\.connection)) == [1, 2])
            await client.close()
        }

        @Test func anAnswerBeforeTheRequestWasReadCounts() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("early", #""early":true"#)
            #expect(try await send("early", by: client).status == 200)
            #expect(try await send("a", by: client).status == 200)
            await client.close()
        }

        @Test func anAnswerThatIsTooLargeBreaksItsStreamAlone() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("large", #""large":50000"#)
            await #expect(throws: APNsError.interrupted) { try await self.send("large", by: client) }
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(2).map(\.connection) == [1, 1])
            await client.close()
        }

        @Test func bytesThatAreNoHTTP2BreakTheConnection() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            try await server.tell("garbage", #""garbage":true"#)
            switch await failure("garbage", by: client) {
            case .protocolViolation, .interrupted: break
            case let other: Issue.record("garbage was taken: \(String(describing: other))")
            }
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(2).map(\.connection) == [1, 2])
            await client.close()
        }

        @Test func whoDoesNotOfferHTTP2OrIsNotTrustedOrNotThereIsNoPushService() async throws {
            let files = try Files()
            let old = try await LookAlike(files, "--alpn", "http/1.1")
            let oldClient = try old.client()
            await #expect(throws: APNsError.protocolViolation("it does not offer HTTP/2")) {
                try await self.send("a", by: oldClient)
            }
            // At once: the next connection is tried later.
            await #expect(throws: APNsError.protocolViolation("it does not offer HTTP/2")) {
                try await self.send("a", by: oldClient, within: .milliseconds(1))
            }
            let other = try await LookAlike(Files())
            let stranger = try old.client(port: other.port)
            guard case .connection(.tls) = await failure("a", by: stranger) else {
                Issue.record("a stranger was trusted")
                return
            }
            #expect(try await send("a", by: other.client()).status == 200)
            let nobody = try old.client(port: 1)
            #expect(await failure("a", by: nobody) == .connection(.connectionRefused("127.0.0.1:1")))
        }

        @Test func aTokenThatAppleFindsTooOldIsReplacedOnceButNotTooSoon() async throws {
            let server = try await LookAlike(Files())
            let start = Int64(Date().timeIntervalSince1970) - 1800
            let time = Locked(start)
            let client = try server.client(now: { time.withLock { $0 } })
            try await server.tell("old", #""status":403,"reason":"ExpiredProviderToken","times":1"#)
            #expect(try await send("old", by: client).verdict == .retryLater)
            #expect(try await server.requests(1).map(\.tokens) == [1])
            time.withLock { $0 = start + 1200 }
            try await server.tell("old", #""status":403,"reason":"ExpiredProviderToken","times":1"#)
            #expect(try await send("old", by: client).status == 200)
            #expect(try await server.requests(3).map(\.tokens) == [1, 1, 2])
            // After 40 minutes by itself.
            time.withLock { $0 = start + 1200 + 2399 }
            #expect(try await send("a", by: client).status == 200)
            time.withLock { $0 = start + 1200 + 2400 }
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(5).map(\.tokens) == [1, 1, 2, 2, 3])
            await client.close()
        }

        @Test func whatCannotBeSentIsRefusedBeforeItIs() async throws {
            let server = try await LookAlike(Files())
            let client = try server.client()
            for token in ["", "a/b", "a b", "é", "a\r\nx: y", String(repeating: "a", count: 513)] {
                await #expect(throws: APNsError.invalidDeviceToken) { try await self.send(token, by: client) }
            }
            var notification = APNsNotification.small("a")
            for collapse in ["", " a", "a\n", String(repeating: "c", count: 65)] {
                notification.collapseID = collapse
                let wrong = notification
                await #expect(throws: APNsError.invalidHeader("the collapse id")) {
                    try await client.send(wrong, to: .production, within: patience)
                }
            }
            notification.collapseID = nil
            notification.payload = Array(repeating: 0x20, count: 4097)
            let large = notification
            await #expect(throws: APNsError.payloadTooLarge(4097)) {
                try await client.send(large, to: .production, within: patience)
            }
            #expect(try await send("a", by: client).status == 200)
            #expect(try await server.requests(1).count == 1)
            await client.close()
            await #expect(throws: APNsError.closed) { try await self.send("a", by: client) }
        }
    }
#endif
