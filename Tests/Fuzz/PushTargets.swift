import APNs
import LinkstrPush
import NostrCrypto

extension FuzzTarget {
    /// The same bytes as the body of every request; and, cut in two, as a header and a body.
    static let push: [FuzzTarget] =
        [
            FuzzTarget(name: "push-body") { bytes in
                let json = [UInt8](bytes)
                if let device = try? DeviceRegistration(json: json) {
                    precondition(!device.token.isEmpty && device.token.utf8.count <= 512, "a token without bounds")
                }
                _ = try? DeviceRemoval(json: json)
                if let state = try? ArchiveState(json: json), let known = state.known {
                    precondition(Set(state.archived).isSubset(of: known), "archived and not known")
                }
                guard let request = try? PushRequest(json: json) else { return }
                precondition(!request.recipients.isEmpty && !request.eventID.isEmpty, "a request without what it needs")
                for isPrivate in [false, true] {
                    guard let notification = try? PushNotification(request, isPrivate: isPrivate) else { continue }
                    precondition(notification.payload.count <= 4096, "a payload that Apple does not take")
                    precondition((1...64).contains(notification.collapseID.utf8.count), "a wrong collapse id")
                }
            },
            FuzzTarget(name: "push-authorization") { bytes in
                guard let header = String(validating: bytes, as: UTF8.self) else { return }
                let now: Int64 = 1_800_000_000
                // As it is, and as the event in a header.
                for header in [header, "Nostr " + Base64.encode([UInt8](bytes))] {
                    let known = try? PushAuthorization(header: header, method: "PUT", path: "/p", body: [], now: now)
                    guard let known else { continue }
                    precondition(!known.nonce.isEmpty, "a request without a nonce")
                    _ = try? known.verified(keys: PublicKeyCache(capacity: 1))
                }
            },
            FuzzTarget(name: "apns-reason") { bytes in
                guard let reason = APNsReason(body: [UInt8](bytes)) else { return }
                precondition((1...64).contains(reason.rawValue.utf8.count), "a reason without bounds")
            },
        ] + http2

    #if Push
        /// Requests are under way, and the bytes are what the other side sends: in pieces whose size the first byte says.
        private static let http2 = [
            FuzzTarget(name: "http2-client") { bytes in
                guard let first = bytes.first, let session = try? HTTP2Session() else { return }
                var open: Set<Int32> = []
                func take(_ events: [HTTP2Session.Event]) {
                    for case .ended(let stream, let answer, _) in events {
                        precondition(open.remove(stream) != nil, "a stream ended that was not open")
                        if let answer {
                            precondition(answer.body.count <= HTTP2Session.longestAnswer, "an answer without bounds")
                            precondition((200...599).contains(answer.status), "an answer without a status")
                        }
                    }
                }
                func begin() {
                    guard session.room > 0 else { return }
                    let fields = [
                        HTTP2Field(name: ":method", value: "POST"), HTTP2Field(name: ":scheme", value: "https"),
                        HTTP2Field(name: ":authority", value: "x"), HTTP2Field(name: ":path", value: "/"),
                    ]
                    if let stream = session.request(fields, body: [1, 2, 3]) { open.insert(stream) }
                }
                // Settings first, or nothing could be asked.
                let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
                take((try? session.receive(settings.span.bytes)) ?? [])
                for _ in 0..<3 { begin() }
                let piece = Int(first) + 1
                var rest = [UInt8](bytes.dropFirst())[...]
                while !rest.isEmpty {
                    let part = Array(rest.prefix(piece))
                    rest = rest.dropFirst(piece)
                    guard let events = try? session.receive(part.span.bytes) else { break }
                    take(events)
                    guard (try? session.output(upTo: 1 << 16)) != nil else { break }
                    take(session.takeEvents())
                    if part.first == 0x2a, let stream = open.popFirst() { session.cancel(stream) }
                    begin()
                }
                precondition(session.openStreams == open.count, "streams are lost")
            }
        ]
    #else
        private static let http2: [FuzzTarget] = []
    #endif
}
