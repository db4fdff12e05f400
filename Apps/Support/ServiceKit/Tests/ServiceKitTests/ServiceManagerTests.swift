import Foundation
import ServiceKit
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct ServiceManagerTests {
    /// A socket as systemd listens at it.
    final class Listener {
        let descriptor: Int32
        let name: String

        init(_ name: String) throws {
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count)
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(bound == 0)
        }

        deinit {
            close(descriptor)
            if name.hasPrefix("/") { unlink(name) }
        }

        /// The next datagram; nil if none is there.
        func next() -> String? {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    @Test(
        "The manager is told by datagrams, at a path or at an abstract name",
        arguments: [
            FileManager.default.temporaryDirectory.path + "/notify-\(UUID().uuidString.prefix(8))",
            "@linkstr-test-\(UUID().uuidString)",
        ]
    )
    func tells(_ name: String) throws {
        let listener = try Listener(name)
        let manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil }
        #expect(manager.isPresent)
        #expect(manager.tell(.ready, .status("two\nlines")))
        #expect(listener.next() == "READY=1\nSTATUS=two lines")
        manager.tell(.alive)
        #expect(listener.next() == "WATCHDOG=1")
        manager.tell(.reloading)
        #expect(listener.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        manager.tell(.stopping)
        #expect(listener.next() == "STOPPING=1")
        manager.tell(.extend(.seconds(2)))
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=2000000")
        #expect(listener.next() == nil)
    }

    @Test func withoutAManagerNothingHappens() {
        for value in [nil, "", "relative", "/nowhere/" + String(repeating: "x", count: 200)] {
            let manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? value : nil }
            #expect(!manager.tell(.ready))
        }
    }

    @Test(
        "The watchdog is for the process that it names",
        arguments: [
            (["WATCHDOG_USEC": "3000000"], 3), (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"], 3),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "99999999999999999999"], nil), ([:], nil),
        ] as [([String: String], Int?)]
    )
    func watchdog(_ environment: [String: String], _ seconds: Int?) {
        let manager = ServiceManager { environment[$0] }
        #expect(manager.watchdogTime == seconds.map { .seconds($0) })
    }

    @Test(
        "Sockets that are meant for another process are not touched",
        arguments: [
            [:], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "99999999"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "-1"],
        ] as [[String: String]]
    )
    func otherSockets(_ environment: [String: String]) {
        #expect(ActivatedSockets { environment[$0] }.all.isEmpty)
    }
}
