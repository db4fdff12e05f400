import CommandKit
import LinkMetadata
import LinkstrLinks
import Sockets

enum URLMetadata {
    private static let url = Argument("URL", .text, "A web address")
    private static let proxy = Option("proxy", .proxy, "Go through a SOCKS5 proxy, which also looks names up")
    private static let allowsPrivate = Flag(
        "allow-private",
        "Also ask servers of this machine and of private networks"
    )

    static let command = Command(
        "metadata",
        "Ask a web server what a page is, and print its title, description and picture",
        details: [
            "Members: url (after redirects), title, description, thumbnail (an address, which is not fetched), site_name and "
                + "canonical; null where the page does not say.",
            "The server learns your address and that the link was read. Addresses of private networks and of this machine "
                + "are refused, also where a name or a redirect leads to one. No cookies are sent.",
        ],
        takes: [proxy, allowsPrivate, url],
        examples: [
            Example("linkstr url metadata example.com/article", "Prints {\"url\":...,\"title\":...}"),
            Example("linkstr url metadata --proxy 127.0.0.1:9050 example.com", "The same through Tor"),
        ]
    ) { call in
        var fetcher = MetadataFetcher()
        if let timeout = call[GlobalOptions.timeout] { fetcher.timeout = timeout }
        fetcher.allowsPrivateAddresses = call[allowsPrivate]
        try Network.apply(call, to: &fetcher.connector)
        if let proxy = call[proxy] { fetcher.connector.proxy = proxy }
        let link = try WebURL(call[url])
        let found: LinkMetadata
        do throws(LinkMetadataError) {
            found = try await fetcher.metadata(of: link)
        } catch {
            guard case .privateAddress = error else { throw error }
            throw CommandFailure(error.exitCode, error.sentence + "; --allow-private asks it all the same")
        }
        try call.console.output.line([
            "url": .string(found.url.text), "title": .string(found.title), "description": .string(found.description),
            "thumbnail": .string(found.thumbnail?.text), "site_name": .string(found.siteName),
            "canonical": .string(found.canonical?.text),
        ])
    }
}

extension Conversion where Value == SOCKS5Proxy {
    /// `host:port`, with or without `socks5://` before it.
    static var proxy: Conversion {
        Conversion("HOST:PORT") { text in
            guard let proxy = SOCKS5Proxy(text) else {
                throw CommandFailure(.usage, "the proxy is not given as host and port, like 127.0.0.1:9050")
            }
            return proxy
        }
    }
}
