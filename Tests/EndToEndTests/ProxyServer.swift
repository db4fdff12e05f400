import Foundation
import Locking

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A SOCKS5 proxy with threads of its own, to which names mean what the test says: a port of this machine, or a page.
final class ProxyServer: Sendable {
    enum Place: Sendable {
        case port(UInt16)
        /// A web page, or other text of a type.
        case page(String, type: String)
    }

    private let listener: LoopbackPort
    private let places: Locked<[String: Place]>
    private let names = Locked<[String]>([])
    var address: String { "127.0.0.1:\(listener.number)" }
    /// The hosts that were asked for so far.
    var asked: [String] { names.withLock { $0 } }

    init(_ places: [String: Place]) throws {
        listener = try LoopbackPort()
        self.places = Locked(places)
        let descriptor = listener.descriptor
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                guard let self else { return }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    private func serve(_ near: Int32) {
        defer { close(near) }
        guard let methods = read(2, near), read(Int(methods[1]), near) != nil else { return }
        send([5, 0], near)
        guard let head = read(4, near), let name = host(head[3], near), read(2, near) != nil else { return }
        names.withLock { $0.append(name) }
        switch places.withLock({ $0[name] }) {
        case .port(let port):
            let far = LoopbackPort.connect(to: port)
            guard far >= 0 else { return }
            send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], near)
            carry(near, far)
            close(far)
        case .page(let text, let type):
            send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], near)
            // The request is short and has no body.
            var request: [UInt8] = []
            while !request.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = read(1, near) { request += byte }
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
            send(Array((head + text).utf8), near)
        case nil: send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0], near)
        }
    }

    private func host(_ kind: UInt8, _ near: Int32) -> String? {
        switch kind {
        case 1: read(4, near)?.map(String.init).joined(separator: ".")
        case 3: read(1, near).flatMap { read(Int($0[0]), near) }.map { String(decoding: $0, as: UTF8.self) }
        default: nil
        }
    }

    private func carry(_ one: Int32, _ other: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            var polled = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polled, 2, -1) > 0 else { return }
            for (index, entry) in polled.enumerated() where entry.revents != 0 {
                let count = recv(entry.fd, &chunk, chunk.count, 0)
                guard count > 0 else { return }
                send(Array(chunk[..<count]), index == 0 ? other : one)
            }
        }
    }

    private func read(_ count: Int, _ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let now = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
            guard now > 0 else { return nil }
            filled += now
        }
        return bytes
    }

    private func send(_ bytes: [UInt8], _ descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
                let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            #else
                let count = rest.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
            #endif
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
