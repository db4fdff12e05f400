#if canImport(Darwin)
    import Darwin

    /// Waits for descriptors with kqueue (level-triggered), and is woken by a user event. For Apple systems, where it
    /// has been neither built nor run so far.
    ///
    /// `@unchecked Sendable`: the descriptor never changes, `wake` is one system call, and everything else is called by
    /// the loop's thread alone.
    final class Poller: @unchecked Sendable {
        private let queue: Int32
        private let events: UnsafeMutableBufferPointer<kevent>
        private static let wakeIdentifier: UInt = .max

        init() throws(SocketsError) {
            queue = kqueue()
            guard queue >= 0 else { throw SystemCall.error("kqueue", errno, at: "kqueue") }
            _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
            events = .allocate(capacity: 256)
            change(Self.wakeIdentifier, Int16(EVFILT_USER), UInt16(EV_ADD | EV_CLEAR), 0, 0)
        }

        deinit {
            SystemCall.closeDescriptor(queue)
            events.deallocate()
        }

        func wake() {
            change(Self.wakeIdentifier, Int16(EVFILT_USER), 0, UInt32(NOTE_TRIGGER), 0)
        }

        /// Changes what a descriptor is watched for. Returns zero or the error.
        func watch(_ descriptor: Int32, token: UInt32, from old: Readiness, to new: Readiness) -> Int32 {
            var code: Int32 = 0
            for (bit, filter) in [(Readiness.readable, EVFILT_READ), (Readiness.writable, EVFILT_WRITE)] {
                guard old.contains(bit) != new.contains(bit) else { continue }
                let flags = new.contains(bit) ? EV_ADD : EV_DELETE
                let failure = change(UInt(descriptor), Int16(filter), UInt16(flags), 0, UInt(token))
                if new.contains(bit), failure != 0 { code = failure }
            }
            return code
        }

        @discardableResult
        private func change(_ identifier: UInt, _ filter: Int16, _ flags: UInt16, _ notes: UInt32, _ token: UInt)
            -> Int32
        {
            var event = kevent(
                ident: identifier,
                filter: filter,
                flags: flags,
                fflags: notes,
                data: 0,
                udata: UnsafeMutableRawPointer(bitPattern: token)
            )
            return kevent(queue, &event, 1, nil, 0, nil) >= 0 ? 0 : errno
        }

        /// Blocks until something is ready, `wake` is called, or the time is up; a negative time waits for ever.
        /// Returns how many events `event(_:)` may be asked for.
        func wait(milliseconds: Int32) -> Int {
            var time = timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
            let limit = Int32(events.count)
            return max(0, Int(kevent(queue, nil, 0, events.baseAddress, limit, milliseconds < 0 ? nil : &time)))
        }

        func event(_ index: Int) -> PollEvent? {
            let event = events[index]
            guard event.filter != Int16(EVFILT_USER) else { return nil }
            return PollEvent(
                descriptor: Int32(truncatingIfNeeded: event.ident),
                token: UInt32(UInt(bitPattern: event.udata)),
                readiness: event.filter == Int16(EVFILT_READ) ? .readable : .writable
            )
        }
    }
#endif
