#if Push
    internal import Sockets

    /// The connection to one of Apple's hosts: opened when there is something to send, kept while it works, opened anew when it
    /// does not. One that the other side wants to end (GOAWAY) keeps what is under way on it, while the next one takes what comes.
    /// It lives on a loop.
    actor APNsChannel {
        struct Request: Sendable {
            var fields: [HTTP2Field]
            var body: [UInt8]
        }

        typealias Outcome = Result<APNsResponse, APNsError>

        private struct Entry {
            let request: Request
            let continuation: CheckedContinuation<Outcome, Never>
            let deadline: ContinuousClock.Instant
            var timer: LoopTimer?
            /// Where it is under way.
            var place: (link: Int, stream: Int32)?
            var begun: ContinuousClock.Instant
            var refusals = 0
        }

        /// One connection.
        private struct Link {
            let stream: any ByteStream
            let session: HTTP2Session
            var streams: [Int32: UInt64] = [:]
            var isFull = false
            var isFlushPlanned = false
            var lastHeard: ContinuousClock.Instant
        }

        private enum State {
            case idle
            case connecting
            case open(Int)
        }

        /// What a connection tells, with the connection's number.
        private final class Handler: ByteStreamHandler {
            private let channel: APNsChannel
            private let link: Int

            init(_ channel: APNsChannel, _ link: Int) {
                self.channel = channel
                self.link = link
            }

            func received(_ bytes: inout MutableRawSpan) {
                channel.assumeIsolated { $0.received(bytes.bytes, on: link) }
            }

            func drained() {
                channel.assumeIsolated { $0.goOn(link) }
            }

            func writable() {
                channel.assumeIsolated { channel in
                    channel.links[link]?.isFull = false
                    channel.goOn(link)
                }
            }

            func ended() {
                channel.assumeIsolated { $0.links[link]?.stream.close(within: .seconds(1)) }
            }

            func closed(_ reason: CloseReason) {
                channel.assumeIsolated { $0.closed(link) }
            }
        }

        /// So many connections are held; the next one waits until an old one is done with.
        private static let mostLinks = 4
        /// So many connections in a row may want to end without having answered anything before the next one is waited for.
        private static let mostFruitless = 3

        private let host: APNsHost
        private let connector: Connector
        private let loop: EventLoop
        private let limit: Int
        private let silence: Duration
        private var state = State.idle
        private var entries: [UInt64: Entry] = [:]
        /// Not begun yet, oldest first; those that have ended meanwhile are skipped.
        private var waiting: [UInt64] = []
        private var next = 0
        private var links: [Int: Link] = [:]
        private var lastLink = 0
        private var number: UInt64 = 0
        private var isClosed = false
        private var failures = 0
        private var fruitless = 0
        private var blocked: (until: ContinuousClock.Instant, error: APNsError)?

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        /// - Parameters:
        ///   - limit: how many requests may wait or be under way.
        ///   - silence: how long nothing may be heard while something is waited for.
        init(host: APNsHost, connector: Connector, loop: EventLoop, limit: Int, silence: Duration) {
            self.host = host
            self.connector = connector
            self.loop = loop
            self.limit = limit
            self.silence = silence
        }

        // MARK: Requests

        func send(_ request: Request, until deadline: ContinuousClock.Instant) async -> Outcome {
            guard !isClosed else { return .failure(.closed) }
            guard entries.count < limit else { return .failure(.overloaded) }
            // Nobody waits for a connection that was refused a moment ago.
            if case .idle = state, let blocked, loop.now < blocked.until { return .failure(blocked.error) }
            number += 1
            let id = number
            return await withTaskCancellationHandler {
                guard !Task.isCancelled else { return .failure(.cancelled) }
                return await withCheckedContinuation { continuation in
                    var entry = Entry(
                        request: request,
                        continuation: continuation,
                        deadline: deadline,
                        begun: loop.now
                    )
                    entry.timer = loop.schedule(at: deadline) { [weak self] in
                        self?.assumeIsolated { $0.giveUp(id, .timedOut) }
                    }
                    entries[id] = entry
                    waiting.append(id)
                    pump()
                }
            } onCancel: {
                Task { await self.giveUp(id, .cancelled) }
            }
        }

        /// Ends everything.
        func close() {
            isClosed = true
            for id in Array(entries.keys) { end(id, .failure(.closed)) }
            for number in Array(links.keys) {
                links[number]?.session.finish()
                flush(number)
                links[number]?.stream.close(within: .seconds(1))
            }
        }

        private func giveUp(_ id: UInt64, _ error: APNsError) {
            guard let entry = entries[id] else { return }
            var current = entry.place?.link
            if current == nil, case .open(let number) = state { current = number }
            if let current, let link = links[current] {
                if let place = entry.place {
                    links[current]?.streams[place.stream] = nil
                    link.session.cancel(place.stream)
                }
                // Nothing at all has come for so long while this was waited for: nobody is there.
                let isSilent = loop.now - max(link.lastHeard, entry.begun) >= silence
                if error == .timedOut, isSilent { link.stream.abort() } else { planFlush(current) }
            }
            end(id, .failure(error))
            pump()
        }

        private func end(_ id: UInt64, _ outcome: Outcome) {
            guard let entry = entries.removeValue(forKey: id) else { return }
            if let place = entry.place { links[place.link]?.streams[place.stream] = nil }
            entry.timer?.cancel()
            entry.continuation.resume(returning: outcome)
        }

        // MARK: Connection

        /// Begins what waits, as far as the other side allows.
        private func pump() {
            guard !isClosed else { return }
            switch state {
            case .connecting: return
            case .idle:
                guard hasWaiting(), links.count < Self.mostLinks else { return }
                state = .connecting
                Task { await connect() }
            case .open(let current):
                while let link = links[current], !link.isFull, link.session.room > 0, let id = takeWaiting() {
                    guard let entry = entries[id] else { continue }
                    // Its timer comes in this turn of the loop, which may have been held up: it must not leave any more.
                    guard entry.deadline > loop.now else { continue }
                    guard let number = link.session.request(entry.request.fields, body: entry.request.body) else {
                        // No stream numbers are left, for instance.
                        waiting.append(id)
                        planFlush(current)
                        return leave(current)
                    }
                    entries[id]?.place = (current, number)
                    entries[id]?.begun = loop.now
                    links[current]?.streams[number] = id
                    planFlush(current)
                }
            }
        }

        private func hasWaiting() -> Bool {
            while next < waiting.count, entries[waiting[next]] == nil { next += 1 }
            if next >= waiting.count || next > 1024 {
                waiting.removeFirst(min(next, waiting.count))
                next = 0
            }
            return next < waiting.count
        }

        private func takeWaiting() -> UInt64? {
            guard hasWaiting() else { return nil }
            defer { next += 1 }
            return waiting[next]
        }

        private func connect() async {
            do throws(SocketsError) {
                let stream = try await connector.connect(to: host.name, port: host.port, secure: true, on: loop)
                guard !isClosed else { return stream.abort() }
                guard stream.applicationProtocol == "h2" else {
                    stream.abort()
                    return failToConnect(.protocolViolation("it does not offer HTTP/2"))
                }
                let session: HTTP2Session
                do throws(APNsError) {
                    session = try HTTP2Session()
                } catch {
                    stream.abort()
                    return failToConnect(error)
                }
                lastLink += 1
                links[lastLink] = Link(stream: stream, session: session, lastHeard: loop.now)
                state = .open(lastLink)
                stream.start(Handler(self, lastLink))
                planFlush(lastLink)
            } catch {
                failToConnect(.connection(error))
            }
        }

        /// The other side takes no more on a connection: what comes now goes over another one, at once.
        private func leave(_ number: Int) {
            guard case .open(number) = state else { return }
            state = .idle
            fruitless += 1
            if fruitless > Self.mostFruitless {
                fruitless = 0
                failToConnect(.protocolViolation("it answers nothing"))
            } else {
                pump()
            }
        }

        /// Whoever waits is told; the next connection is tried later, at the latest after half a minute.
        private func failToConnect(_ error: APNsError) {
            state = .idle
            failures += 1
            let delay = Duration.milliseconds(500) * (1 << min(failures, 6))
            blocked = (loop.now + min(delay, .seconds(30)), error)
            for id in entries.filter({ $0.value.place == nil }).keys { end(id, .failure(error)) }
        }

        private func handle(_ events: [HTTP2Session.Event], on current: Int) {
            for event in events {
                switch event {
                case .ready:
                    failures = 0
                    blocked = nil
                case .goingAway: leave(current)
                case .ended(let number, let answer, let error):
                    guard let id = links[current]?.streams.removeValue(forKey: number) else { continue }
                    if let answer {
                        fruitless = 0
                        end(id, .success(Self.response(answer)))
                    } else if error == HTTP2Session.refusedStream {
                        refused(id)
                    } else {
                        end(id, .failure(.interrupted))
                    }
                }
            }
        }

        /// The other side has not looked at it: it may be sent again, on another connection if need be.
        private func refused(_ id: UInt64) {
            entries[id]?.place = nil
            entries[id]?.refusals += 1
            guard let refusals = entries[id]?.refusals, refusals <= 3 else { return end(id, .failure(.unprocessed)) }
            waiting.append(id)
            pump()
        }

        private static func response(_ answer: HTTP2Session.Answer) -> APNsResponse {
            APNsResponse(status: answer.status, reason: answer.status == 200 ? nil : APNsReason(body: answer.body))
        }

        // MARK: Bytes

        /// What is written in one turn of the loop leaves together.
        private func planFlush(_ number: Int) {
            guard links[number]?.isFlushPlanned == false else { return }
            links[number]?.isFlushPlanned = true
            loop.execute { self.assumeIsolated { $0.flush(number) } }
        }

        private func flush(_ number: Int) {
            links[number]?.isFlushPlanned = false
            guard let link = links[number] else { return }
            do throws(APNsError) {
                while links[number]?.isFull == false {
                    let bytes = try link.session.output(upTo: 16 * 1024)
                    guard !bytes.isEmpty else { break }
                    switch link.stream.write(bytes) {
                    case .taken: break
                    case .full: links[number]?.isFull = true
                    case .refused, .closed: return link.stream.abort()
                    }
                }
                handle(link.session.takeEvents(), on: number)
            } catch {
                return link.stream.abort()
            }
            if link.session.isOver { link.stream.close(within: .seconds(1)) }
        }

        private func goOn(_ number: Int) {
            pump()
            flush(number)
        }

        private func received(_ bytes: RawSpan, on number: Int) {
            guard let link = links[number] else { return }
            links[number]?.lastHeard = loop.now
            do throws(APNsError) {
                handle(try link.session.receive(bytes), on: number)
            } catch {
                for id in Array(link.streams.values) { end(id, .failure(error)) }
                link.stream.abort()
            }
        }

        /// What was under way may or may not have arrived; what was not begun goes over the next connection.
        private func closed(_ number: Int) {
            guard let link = links.removeValue(forKey: number) else { return }
            for id in Array(link.streams.values) { end(id, .failure(.interrupted)) }
            guard case .open(number) = state else { return pump() }
            state = .idle
            // A host that closes before it has said anything is not asked again at once.
            if link.session.hasBegun { pump() } else { failToConnect(.protocolViolation("it closes the connection")) }
        }
    }
#endif
