import LinkstrLinks
import Sockets
import Testing

@testable import LinkMetadata

@Suite("A hostile server", .timeLimit(.minutes(10)))
struct HostilityTests {
    private func fetcher(_ change: (inout MetadataFetcher) -> Void = { _ in }) -> MetadataFetcher {
        var fetcher = MetadataFetcher()
        // It only guards against hanging.
        fetcher.timeout = .seconds(60)
        change(&fetcher)
        return fetcher
    }

    /// Every name is looked up to the loopback; the policy allows it only where the test says so.
    private func resolving(_ address: String) -> Resolver {
        Resolver { _ in IPAddress(address).map { [$0] } ?? [] }
    }

    @Test(
        "on a private address is not asked, however the address is written",
        arguments: [
            "http://127.0.0.1", "http://[::1]", "http://localhost", "http://10.0.0.1", "http://192.168.1.1",
            "http://169.254.169.254",
            "http://[fe80::1]", "http://[::ffff:127.0.0.1]", "http://0.0.0.0", "http://[fc00::1]", "http://127.1",
            "http://0x7f.0.0.1", "http://0177.0.0.1", "http://[::127.0.0.1]", "http://[64:ff9b::7f00:1]",
        ]
    )
    func privateAddresses(base: String) async throws {
        let server = try HostileServer { _ in .html("<title>secret</title>") }
        defer { server.close() }
        await #expect {
            try await fetcher().metadata(of: try WebURL("\(base):\(server.port)/"))
        } throws: { error in
            if case .privateAddress = error as? LinkMetadataError { true } else { false }
        }
        #expect(server.log.all.isEmpty)
        await #expect {
            try await fetcher().picture(at: try WebURL("\(base):\(server.port)/"))
        } throws: { error in
            if case .privateAddress = error as? LinkMetadataError { true } else { false }
        }
        #expect(server.log.all.isEmpty)
        let open = fetcher { $0.allowsPrivateAddresses = true }
        #expect(try await open.metadata(of: try server.url("/")).title == "secret")
    }

    @Test("whose name has a public and a private address is asked at the public one only")
    func mixedAddresses() async throws {
        let inside = try HostileServer { _ in .html("<title>secret</title>") }
        defer { inside.close() }
        let fetcher = fetcher {
            $0.policy = AddressPolicy { $0 == IPAddress("127.0.0.2") }
            $0.connector.resolver = Resolver { _ in ["127.0.0.1", "127.0.0.2"].compactMap { IPAddress($0) } }
        }
        // On the public one nobody listens, and the private one is no way around that.
        await #expect(throws: LinkMetadataError.self) {
            try await fetcher.metadata(of: try inside.url("/", host: "mixed.example"))
        }
        #expect(inside.log.all.isEmpty)
        let outside = try HostileServer(on: "127.0.0.2") { _ in .html("<title>T</title>") }
        defer { outside.close() }
        #expect(try await fetcher.metadata(of: try outside.url("/", host: "mixed.example")).title == "T")
    }

    @Test("behind a name that resolves to the loopback is not asked")
    func names() async throws {
        let server = try HostileServer { _ in .html("<title>secret</title>") }
        defer { server.close() }
        let inside = fetcher { $0.connector.resolver = resolving("127.0.0.1") }
        let url = try server.url("/", host: "innocent.example")
        await #expect(throws: LinkMetadataError.privateAddress("127.0.0.1")) { try await inside.metadata(of: url) }
        #expect(server.log.all.isEmpty)
        let open = fetcher {
            $0.connector.resolver = resolving("127.0.0.1")
            $0.allowsPrivateAddresses = true
        }
        #expect(try await open.metadata(of: url).title == "secret")
    }

    @Test(
        "that redirects, or describes, to a private address gets nobody there",
        arguments: [
            "/address", "/name", "/twice", "/address-described", "/name-described",
        ]
    )
    func redirects(path: String) async throws {
        let inside = try HostileServer { _ in .init(body: Array(#"{"title":"secret"}"#.utf8)) }
        let port = inside.port
        @Sendable func described(_ url: String) -> HostileServer.Answer {
            .html(#"<title>T</title><link rel="alternate" type="application/json+oembed" href="\#(url)">"#)
        }
        let outside = try HostileServer(on: "127.0.0.2") { path in
            switch path {
            case "/address": .redirect("http://127.0.0.1:\(port)/")
            case "/name": .redirect("http://inside.example:\(port)/")
            case "/twice": .redirect("/name")
            case "/address-described": described("http://127.0.0.1:\(port)/")
            case "/name-described": described("http://inside.example:\(port)/")
            default: .init(status: 404)
            }
        }
        defer {
            inside.close()
            outside.close()
        }
        // One loopback address stands in for the Internet.
        let fetcher = fetcher {
            $0.policy = AddressPolicy { $0 == IPAddress("127.0.0.2") }
            $0.connector.resolver = Resolver { name in
                [IPAddress(name == "public.example" ? "127.0.0.2" : "127.0.0.1")].compactMap { $0 }
            }
        }
        let url = try outside.url(path, host: "public.example")
        if path.hasSuffix("described") {
            #expect(try await fetcher.metadata(of: url).title == "T")
        } else {
            await #expect(throws: LinkMetadataError.privateAddress("127.0.0.1")) { try await fetcher.metadata(of: url) }
        }
        #expect(!outside.log.all.isEmpty)
        #expect(inside.log.all.isEmpty)
    }

    @Test("is reached through the proxy, which looks the name up")
    func proxies() async throws {
        let server = try HostileServer { _ in .html("<title>T</title>") }
        let proxy = try SOCKSServer(to: server.port)
        defer {
            server.close()
            proxy.close()
        }
        let fetcher = fetcher {
            $0.connector.proxy = SOCKS5Proxy(host: "127.0.0.1", port: proxy.port)
            $0.connector.resolver = Resolver { name in
                if name != "127.0.0.1" { Issue.record("\(name) was looked up here") }
                return [IPAddress("127.0.0.1")].compactMap { $0 }
            }
        }
        #expect(try await fetcher.metadata(of: try WebURL("http://public.example/")).title == "T")
        await #expect(throws: LinkMetadataError.privateAddress("10.0.0.1")) {
            try await fetcher.metadata(of: try WebURL("http://10.0.0.1/"))
        }
    }

    @Test("that redirects in a circle is left")
    func loops() async throws {
        let server = try HostileServer { path in .redirect(path == "/a" ? "/b" : "/a") }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        await #expect(throws: LinkMetadataError.network(.http(.tooManyRedirects))) {
            try await fetcher.metadata(of: try server.url("/a"))
        }
        #expect(server.log.all.count == 6)
    }

    @Test("that redirects to ever new places is left, and one that ends in time is followed")
    func longChains() async throws {
        let server = try HostileServer { path in
            let number = Int(path.dropFirst()) ?? 0
            return number == 5 ? .html("<title>T</title>") : .redirect("/\(number + 1)")
        }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        #expect(try await fetcher.metadata(of: try server.url("/0")).title == "T")
        await #expect(throws: LinkMetadataError.network(.http(.tooManyRedirects))) {
            try await fetcher.metadata(of: try server.url("/6"))
        }
    }

    @Test(
        "that redirects to another scheme is left",
        arguments: ["file:///etc/passwd", "ftp://example.com/", "gopher://x.example/"]
    )
    func schemes(target: String) async throws {
        let server = try HostileServer { _ in .redirect(target) }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        await #expect(throws: LinkMetadataError.network(.http(.redirectRefused(target)))) {
            try await fetcher.metadata(of: try server.url("/a"))
        }
    }

    @Test("whose page does not end is cut, and what its head said is there")
    func endless() async throws {
        let server = try RawServer { connection in
            try await connection.write(
                Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Begun</title>".utf8),
                within: .seconds(5)
            )
            let junk = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
            while true { try await connection.write(junk, within: .seconds(5)) }
        }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        let url = try WebURL("http://127.0.0.1:\(server.port)/")
        #expect(try await fetcher.metadata(of: url).title == "Begun")
        await #expect(throws: LinkMetadataError.tooLarge) { try await fetcher.picture(at: url) }
    }

    @Test("that sends its page a byte at a time is left when the time is over")
    func slow() async throws {
        let server = try RawServer { connection in
            let page = Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>".utf8)
            try await connection.write(page, within: .seconds(5))
            while true {
                try await connection.write([UInt8(ascii: "x")], within: .seconds(5))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { server.close() }
        let fetcher = fetcher {
            $0.allowsPrivateAddresses = true
            $0.timeout = .milliseconds(400)
        }
        let start = ContinuousClock.now
        await #expect(throws: LinkMetadataError.timedOut) {
            try await fetcher.metadata(of: try WebURL("http://127.0.0.1:\(server.port)/"))
        }
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("that sends its head a byte at a time, or without an end, is left")
    func slowHead() async throws {
        for pause in [20, 0] {
            let server = try RawServer { connection in
                try await connection.write(Array("HTTP/1.1 200 OK\r\nX: ".utf8), within: .seconds(5))
                let more = [UInt8](repeating: UInt8(ascii: "x"), count: pause > 0 ? 1 : 4_096)
                while true {
                    try await connection.write(more, within: .seconds(5))
                    if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
                }
            }
            defer { server.close() }
            let fetcher = fetcher {
                $0.allowsPrivateAddresses = true
                $0.timeout = pause > 0 ? .milliseconds(400) : .seconds(10)
            }
            let start = ContinuousClock.now
            await #expect {
                try await fetcher.metadata(of: try WebURL("http://127.0.0.1:\(server.port)/"))
            } throws: { error in
                switch error as? LinkMetadataError {
                case .timedOut: pause > 0
                case .network(.http): pause == 0
                default: false
                }
            }
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test("that announces another charset than it sends gets what can be read, on one line")
    func wrongCharset() async throws {
        let title = "Füße <b>\u{1f600}"
        let server = try HostileServer { path in
            .html("<title>\(title)</title>", type: "text/html; charset=\(path.dropFirst())")
        }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        #expect(try await fetcher.metadata(of: try server.url("/utf-8")).title == title)
        #expect(try await fetcher.metadata(of: try server.url("/latin1")).title == "FÃ¼ÃŸe <b>ðŸ˜€")
        #expect(try await fetcher.metadata(of: try server.url("/koi8-r")).title?.hasPrefix("F\u{fffd}") == true)
        await #expect(throws: LinkMetadataError.nothingFound) {
            try await fetcher.metadata(of: try server.url("/utf-16"))
        }
    }

    @Test("with a title of 10 MB gets a line of it")
    func longTitle() async throws {
        let body = Array("<title>".utf8) + [UInt8](repeating: UInt8(ascii: "t"), count: 10_000_000)
        let server = try HostileServer { _ in .init(body: body) }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        #expect(try await fetcher.metadata(of: try server.url("/")).title == String(repeating: "t", count: 300))
    }

    @Test(
        "that sends something else than a page is not read",
        arguments: ["application/pdf", "text/plain", "video/mp4"]
    )
    func types(type: String) async throws {
        let server = try HostileServer { _ in .init(type: type, body: Array("<title>T</title>".utf8)) }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        await #expect(throws: LinkMetadataError.unsupportedType(type)) {
            try await fetcher.metadata(of: try server.url("/"))
        }
    }

    @Test("gets no user name that stands in a link")
    func userNames() async throws {
        let server = try HostileServer { _ in .html("<title>T</title>") }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        await #expect(throws: LinkMetadataError.unusableAddress(reason: "it holds a user name")) {
            try await fetcher.metadata(of: try WebURL("http://me:secret@127.0.0.1:\(server.port)/"))
        }
        #expect(server.log.all.isEmpty)
    }

    @Test("is left when the task is cancelled")
    func cancelling() async throws {
        let server = try RawServer { _ in try await Task.sleep(for: .seconds(60)) }
        defer { server.close() }
        let fetcher = fetcher { $0.allowsPrivateAddresses = true }
        let url = try WebURL("http://127.0.0.1:\(server.port)/")
        let task = Task { try await fetcher.metadata(of: url) }
        task.cancel()
        await #expect(throws: LinkMetadataError.cancelled) { try await task.value }
    }
}
