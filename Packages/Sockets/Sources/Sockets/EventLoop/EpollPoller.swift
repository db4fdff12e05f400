#if os(Linux)
    import CLinux
    import Glibc

    /// Waits for descriptors with epoll (level-triggered), and is woken by an eventfd.
    ///
    /// `@unchecked Sendable`: the two descriptors never change, `wake` is one system call, and everything else is called
    /// by the loop's thread alone.
    final class Poller: @unchecked Sendable {
        private let epoll: Int32
        private let wakeDescriptor: Int32
        private let events: UnsafeMutableBufferPointer<epoll_event>
        private static let wakeToken: UInt64 = .max

        init() throws(SocketsError) {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard epoll >= 0 else { throw SystemCall.error("epoll_create1", errno, at: "epoll") }
            wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            guard wakeDescriptor >= 0 else {
                let code = errno
                SystemCall.closeDescriptor(epoll)
                throw SystemCall.error("eventfd", code, at: "eventfd")
            }
            events = .allocate(capacity: 256)
            _ = control(EPOLL_CTL_ADD, wakeDescriptor, .readable, Self.wakeToken)
        }

        deinit {
            SystemCall.closeDescriptor(epoll)
            SystemCall.closeDescriptor(wakeDescriptor)
            events.deallocate()
        }

        func wake() {
            eventfd_write(wakeDescriptor, 1)
        }

        /// Changes what a descriptor is watched for. An empty set stops watching, so that a hang-up that nobody
        /// attends to does not spin the loop. Returns zero or the error.
        func watch(_ descriptor: Int32, token: UInt32, from old: Readiness, to new: Readiness) -> Int32 {
            let operation = new.isEmpty ? EPOLL_CTL_DEL : (old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD)
            let data = UInt64(token) << 32 | UInt64(UInt32(bitPattern: descriptor))
            return control(operation, descriptor, new, data)
        }

        private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ data: UInt64) -> Int32 {
            var event = epoll_event()
            if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
            event.data.u64 = data
            return epoll_ctl(epoll, operation, descriptor, &event) == 0 ? 0 : errno
        }

        /// Blocks until something is ready, `wake` is called, or the time is up; a negative time waits for ever.
        /// Returns how many events `event(_:)` may be asked for.
        func wait(milliseconds: Int32) -> Int {
            max(0, Int(epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)))
        }

        func event(_ index: Int) -> PollEvent? {
            let event = events[index]
            if event.data.u64 == Self.wakeToken {
                var count: eventfd_t = 0
                eventfd_read(wakeDescriptor, &count)
                return nil
            }
            var readiness: Readiness = []
            if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
            if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.broken) }
            return PollEvent(
                descriptor: Int32(truncatingIfNeeded: event.data.u64),
                token: UInt32(truncatingIfNeeded: event.data.u64 >> 32),
                readiness: readiness
            )
        }
    }
#endif
