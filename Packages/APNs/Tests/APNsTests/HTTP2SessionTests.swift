#if Push
    import APNs
    import TestSupport
    import Testing

    /// The client's side of HTTP/2 against bytes of a hostile server.
    @Suite struct HTTP2SessionTests {
        private static let fields = [
            HTTP2Field(name: ":method", value: "POST"), HTTP2Field(name: ":scheme", value: "https"),
            HTTP2Field(name: ":authority", value: "x"), HTTP2Field(name: ":path", value: "/"),
        ]
        private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

        private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
        }

        private func ready() throws -> HTTP2Session {
            let session = try HTTP2Session()
            #expect(session.room == 0)
            #expect(session.request(Self.fields, body: [1]) == nil)
            #expect(try session.receive(Self.settings.span.bytes) == [.ready])
            return session
        }

        @Test func aRequestBeginsAfterTheSettingsAndEndsWithItsAnswer() throws {
            let session = try ready()
            #expect(session.request(Self.fields, body: [1, 2]) == 1)
            let sent = try session.output(upTo: 1 << 16)
            #expect(sent.starts(with: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
            // 0x88 is :status 200 of the static table.
            let events = try session.receive(frame(1, 5, 1, [0x88]).span.bytes)
            #expect(events == [.ended(stream: 1, answer: .init(status: 200, body: []), error: 0)])
            #expect(session.openStreams == 0)
        }

        @Test func theOthersLimitHoldsAndGoawayEndsWhatItDidNotLookAt() throws {
            let session = try HTTP2Session()
            _ = try session.receive(frame(4, 0, 0, [0, 3, 0, 0, 0, 2]).span.bytes)
            #expect(session.room == 2)
            #expect(session.request(Self.fields, body: [1]) == 1)
            #expect(session.request(Self.fields, body: [1]) == 3)
            #expect(session.request(Self.fields, body: [1]) == nil)
            _ = try session.output(upTo: 1 << 16)
            let events = try session.receive(frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]).span.bytes)
            #expect(events.contains(.ended(stream: 3, answer: nil, error: HTTP2Session.refusedStream)))
            #expect(events.contains(.goingAway))
            #expect(session.request(Self.fields, body: [1]) == nil)
            #expect(session.openStreams == 1)
        }

        @Test func whatIsNoHTTP2EndsTheConnection() throws {
            let session = try ready()
            _ = try session.output(upTo: 1 << 16)
            #expect(!session.isOver)
            #expect(throws: Never.self) { try session.receive([UInt8](repeating: 0xff, count: 64).span.bytes) }
            // It says why, and then has nothing more to say or to hear.
            #expect(try !session.output(upTo: 1 << 16).isEmpty)
            #expect(session.isOver)
        }

        @Test func randomFramesNeitherTrapNorLoseStreams() throws {
            var random = SeededGenerator(seed: 2)
            for _ in 0..<Proof.count(300, in: "LINKSTR_HTTP2_ROUNDS") {
                let session = try HTTP2Session()
                _ = try session.receive(Self.settings.span.bytes)
                var open: Set<Int32> = []
                var lost = 0
                for _ in 0..<40 {
                    if let stream = session.request(Self.fields, body: [1, 2, 3]) { open.insert(stream) }
                    guard (try? session.output(upTo: 1 << 16)) != nil else { break }
                    let type = UInt8.random(in: 0...10, using: &random)
                    let count = Int.random(in: 0...40, using: &random)
                    var payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    if type == 1, Bool.random(using: &random) { payload = [0x88] }
                    let flags = ([0, 1, 4, 5, 8, 0x2c] as [UInt8]).randomElement(using: &random) ?? 0
                    let bytes = frame(type, flags, UInt8.random(in: 0...9, using: &random), payload)
                    guard let events = try? session.receive(bytes.span.bytes) else { break }
                    for case .ended(let stream, _, _) in events + session.takeEvents()
                    where open.remove(stream) == nil { lost += 1 }
                }
                #expect(lost == 0)
                #expect(session.openStreams <= open.count)
            }
        }
    }
#endif
