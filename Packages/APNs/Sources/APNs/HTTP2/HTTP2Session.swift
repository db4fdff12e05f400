#if Push
    internal import CNghttp2

    /// The client's side of one HTTP/2 connection (RFC 9113): bytes in, bytes out, no socket. Confined to whoever holds it.
    package final class HTTP2Session {
        /// What the other side did.
        package enum Event: Equatable {
            /// It has said what it allows; requests may begin.
            case ready
            /// A stream has ended, with an answer or with an error code.
            case ended(stream: Int32, answer: Answer?, error: UInt32)
            /// It takes no more requests; those that it has not looked at end with `REFUSED_STREAM`.
            case goingAway
        }

        package struct Answer: Equatable {
            package var status: Int
            package var body: [UInt8]

            package init(status: Int, body: [UInt8]) {
                self.status = status
                self.body = body
            }
        }

        private struct Stream {
            var unsent: [UInt8]
            var sent = 0
            var status = 0
            var body: [UInt8] = []
        }

        /// A longer answer breaks the stream.
        package static let longestAnswer = 4096
        /// What a stream ends with that the other side has not looked at (RFC 9113 section 8.7).
        package static let refusedStream = UInt32(NGHTTP2_REFUSED_STREAM.rawValue)

        private var session: OpaquePointer?
        private var streams: [Int32: Stream] = [:]
        private var events: [Event] = []
        private var isReady = false
        private var isGoingAway = false

        /// Begins with the preface and our settings, which ``output(upTo:)`` returns.
        package init() throws(APNsError) {
            var callbacks: OpaquePointer?
            guard nghttp2_session_callbacks_new(&callbacks) == 0 else { throw .protocolViolation("out of memory") }
            defer { nghttp2_session_callbacks_del(callbacks) }
            Self.set(callbacks)
            let myself = Unmanaged.passUnretained(self).toOpaque()
            guard nghttp2_session_client_new(&session, callbacks, myself) == 0 else {
                throw .protocolViolation("out of memory")
            }
            let settings = [
                nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                    value: 16 * 1024
                ),
            ]
            nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        }

        deinit {
            nghttp2_session_del(session)
        }

        /// How many requests are under way.
        package var openStreams: Int { streams.count }

        /// Whether the other side has said what it allows.
        package var hasBegun: Bool { isReady }

        /// How many more requests the other side allows now.
        package var room: Int {
            guard isReady, !isGoingAway else { return 0 }
            let setting = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            return max(0, Int(min(setting, 1_000)) - streams.count)
        }

        /// Begins a request.
        ///
        /// - Returns: the stream; nil when this connection takes no more.
        package func request(_ fields: [HTTP2Field], body: [UInt8]) -> Int32? {
            guard room > 0 else { return nil }
            var text: [UInt8] = []
            for field in fields { text += (field.name + field.value).utf8 }
            let stream = text.withUnsafeMutableBufferPointer { text -> Int32 in
                var place = text.baseAddress
                let pairs = fields.map { field -> nghttp2_nv in
                    let (name, value) = (field.name.utf8.count, field.value.utf8.count)
                    defer { place = place.map { $0 + name + value } }
                    return nghttp2_nv(
                        name: place,
                        value: place.map { $0 + name },
                        namelen: name,
                        valuelen: value,
                        flags: UInt8((field.isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX).rawValue)
                    )
                }
                var provider = nghttp2_data_provider()
                provider.read_callback = { _, stream, buffer, length, flags, _, owner in
                    HTTP2Session.held(owner)?.read(stream, buffer, length, flags) ?? 0
                }
                return nghttp2_submit_request(session, nil, pairs, pairs.count, &provider, nil)
            }
            guard stream > 0 else {
                // No stream numbers are left, for instance. The connection ends with its last stream.
                isGoingAway = true
                nghttp2_submit_goaway(
                    session,
                    UInt8(NGHTTP2_FLAG_NONE.rawValue),
                    0,
                    UInt32(NGHTTP2_NO_ERROR.rawValue),
                    nil,
                    0
                )
                return nil
            }
            streams[stream] = Stream(unsent: body)
            return stream
        }

        /// Gives a request up; it ends without an event.
        package func cancel(_ stream: Int32) {
            guard streams.removeValue(forKey: stream) != nil else { return }
            nghttp2_submit_rst_stream(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                stream,
                UInt32(NGHTTP2_CANCEL.rawValue)
            )
        }

        /// Says good-bye.
        package func finish() {
            isGoingAway = true
            nghttp2_session_terminate_session(session, UInt32(NGHTTP2_NO_ERROR.rawValue))
        }

        /// Takes bytes.
        ///
        /// - Returns: what they say.
        /// - Throws: ``APNsError/protocolViolation(_:)``; the connection is of no use then, but for what ``output(upTo:)`` has.
        package func receive(_ bytes: RawSpan) throws(APNsError) -> [Event] {
            let taken = bytes.withUnsafeBytes { bytes in
                nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            guard taken >= 0 else { throw .protocolViolation(String(cString: nghttp2_strerror(Int32(taken)))) }
            return takeEvents()
        }

        /// The next bytes to send, about as many as wanted; empty if there are none now.
        package func output(upTo limit: Int) throws(APNsError) -> [UInt8] {
            var output: [UInt8] = []
            while output.count < limit {
                var place: UnsafePointer<UInt8>?
                let count = nghttp2_session_mem_send(session, &place)
                guard count >= 0 else { throw .protocolViolation(String(cString: nghttp2_strerror(Int32(count)))) }
                guard count > 0, let place else { break }
                output += UnsafeBufferPointer(start: place, count: count)
            }
            return output
        }

        /// Streams that ended while bytes were made, not received.
        package func takeEvents() -> [Event] {
            defer { events = [] }
            return events
        }

        /// Whether the connection has nothing more to say or hear.
        package var isOver: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

        // MARK: Callbacks

        /// They come only from within a call above, while this object is held.
        private static func held(_ owner: UnsafeMutableRawPointer?) -> HTTP2Session? {
            owner.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
        }

        private static func set(_ callbacks: OpaquePointer?) {
            nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
                if let frame { HTTP2Session.held(owner)?.received(frame.pointee) }
                return 0
            }
            nghttp2_session_callbacks_set_on_header_callback(callbacks) {
                _,
                frame,
                name,
                length,
                value,
                size,
                _,
                owner in
                guard let frame, let name, let value else { return 0 }
                HTTP2Session.held(owner)?.received(
                    frame.pointee.hd.stream_id,
                    UnsafeBufferPointer(start: name, count: length),
                    UnsafeBufferPointer(start: value, count: size)
                )
                return 0
            }
            nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, owner in
                HTTP2Session.held(owner)?.received(stream, UnsafeBufferPointer(start: data, count: length))
                return 0
            }
            nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, error, owner in
                HTTP2Session.held(owner)?.ended(stream, error)
                return 0
            }
        }

        private func received(_ frame: nghttp2_frame) {
            switch UInt32(frame.hd.type) {
            case NGHTTP2_SETTINGS.rawValue where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 && !isReady:
                isReady = true
                events.append(.ready)
            case NGHTTP2_GOAWAY.rawValue where !isGoingAway:
                isGoingAway = true
                events.append(.goingAway)
            default: break
            }
        }

        private func received(_ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
        {
            guard name.elementsEqual(":status".utf8) else { return }
            streams[stream]?.status = Int(String(decoding: value, as: UTF8.self)) ?? 0
        }

        private func received(_ stream: Int32, _ data: UnsafeBufferPointer<UInt8>) {
            guard let length = streams[stream]?.body.count else { return }
            guard data.count <= Self.longestAnswer - length else {
                // Its end comes as an error.
                nghttp2_submit_rst_stream(
                    session,
                    UInt8(NGHTTP2_FLAG_NONE.rawValue),
                    stream,
                    UInt32(NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
                )
                streams[stream]?.status = 0
                return
            }
            streams[stream]?.body += data
        }

        private func ended(_ stream: Int32, _ error: UInt32) {
            guard let known = streams.removeValue(forKey: stream) else { return }
            // A server may answer before it has read the request, and then says that it does not need the rest.
            let isAnswered = error == UInt32(NGHTTP2_NO_ERROR.rawValue) && (200...599).contains(known.status)
            let answer = isAnswered ? Answer(status: known.status, body: known.body) : nil
            events.append(.ended(stream: stream, answer: answer, error: error))
        }

        private func read(
            _ stream: Int32,
            _ buffer: UnsafeMutablePointer<UInt8>?,
            _ length: Int,
            _ flags: UnsafeMutablePointer<UInt32>?
        ) -> Int {
            guard let known = streams[stream], let buffer else {
                return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
            let count = min(length, known.unsent.count - known.sent)
            known.unsent.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { buffer.update(from: start + known.sent, count: count) }
            }
            streams[stream]?.sent += count
            if known.sent + count == known.unsent.count { flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
            return count
        }
    }

    /// A header field.
    package struct HTTP2Field: Sendable, Equatable {
        package var name: String
        package var value: String
        /// Whether the compression may remember it. What is secret or never comes again is not remembered.
        package var isIndexed = true

        package init(name: String, value: String, isIndexed: Bool = true) {
            self.name = name
            self.value = value
            self.isIndexed = isIndexed
        }
    }
#endif
