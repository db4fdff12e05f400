#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One socket on its way to one address.
///
/// Loop-confined: made, driven and cancelled on the loop alone.
final class ConnectAttempt: Pollable {
    private let loop: EventLoop
    private let address: SocketAddress
    private var descriptor: Int32 = -1
    private var done: ((Result<Int32, SocketsError>) -> Void)?

    init(_ address: SocketAddress, on loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    /// Starts; `done` is called later, once, with a connected descriptor that is then the caller's. Never called after
    /// `cancel()`.
    func start(_ done: @escaping (Result<Int32, SocketsError>) -> Void) {
        self.done = done
        do throws(SocketsError) {
            descriptor = try SystemCall.streamSocket(address.family)
            if case .ip = address { SystemCall.disableNagle(descriptor) }
            let descriptor = self.descriptor
            let code = try address.withSystemAddress { pointer, length in
                connect(descriptor, pointer, length) == 0 ? 0 : errno
            }
            if code == 0 {
                finishSoon(nil)
            } else if code == EINPROGRESS || code == EINTR {
                let code = loop.watch(descriptor, for: .writable, self)
                if code != 0 { finishSoon(.system(call: "epoll_ctl", code: code)) }
            } else if code == EAGAIN {
                // A Unix socket whose queue is full does not wait.
                finishSoon(.connectionRefused(address.description))
            } else {
                finishSoon(SystemCall.error("connect", code, at: address.description))
            }
        } catch {
            finishSoon(error)
        }
    }

    func ready(_ readiness: Readiness) {
        let code = SystemCall.pendingError(descriptor)
        finish(code == 0 ? nil : SystemCall.error("connect", code, at: address.description))
    }

    func cancel() {
        done = nil
        release()
    }

    private func finishSoon(_ error: SocketsError?) {
        loop.runSoon { self.finish(error) }
    }

    private func finish(_ error: SocketsError?) {
        guard let done else { return }
        self.done = nil
        if let error {
            release()
            done(.failure(error))
        } else {
            let connected = descriptor
            _ = loop.watch(connected, for: [], self)
            descriptor = -1
            done(.success(connected))
        }
    }

    private func release() {
        guard descriptor >= 0 else { return }
        _ = loop.watch(descriptor, for: [], self)
        SystemCall.closeDescriptor(descriptor)
        descriptor = -1
    }
}
