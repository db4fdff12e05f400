public import LinkstrLinks
public import Sockets

/// Asks web servers what their pages are. The server learns the reader's address and that the link was read: leave this off
/// unless the person wants it, or go through a proxy.
///
/// Private, loopback and link-local addresses are refused after every name look-up, at every redirect and for every oEmbed
/// request. No cookies are sent or kept, nothing is executed, and of a page only its head is read.
public struct MetadataFetcher: Sendable {
    /// How long all of it may take, redirects and oEmbed included.
    public var timeout: Duration = .seconds(10)
    /// How many bytes of a page are read; the rest is left.
    public var pageLimit = 512 * 1024
    /// How many bytes a picture may have.
    public var pictureLimit = 4 * 1024 * 1024
    /// How many redirects in a row are followed; none leads from https to http.
    public var redirectLimit = 5
    /// Connect to any address, for tests and for people who read pages of their own network.
    public var allowsPrivateAddresses = false
    /// How connections are opened. Its address policy is replaced by the rule above. A proxy looks names up itself, so of
    /// what lies behind it only hosts that are addresses are checked here.
    public var connector = Connector()

    /// Which addresses are not private.
    var policy = AddressPolicy.publicOnly

    /// The address of the provider's own description of a link.
    var endpoint: @Sendable (Link) -> String? = { link in
        OEmbed.endpoint(for: link).map { $0 + OEmbed.escaped(link.canonical ?? link.url.text) }
    }

    /// The default limits.
    public init() {}

    /// What a page says of itself: the provider's description first, then Open Graph, then the description that the page names,
    /// then its title.
    /// - Throws: ``LinkMetadataError``.
    public func metadata(of url: WebURL) async throws(LinkMetadataError) -> LinkMetadata {
        let deadline = ContinuousClock.now + timeout
        var found: LinkMetadata?
        if let endpoint = endpoint(Link(url)), let address = try? HTTPURL(endpoint) {
            found = await oEmbed(address, of: url, until: deadline)
            if let found, found.title != nil, found.thumbnail != nil { return found }
        }
        do throws(LinkMetadataError) {
            var page = try await readPage(url, until: deadline)
            if let own = found {
                var whole = own
                whole.complete(with: page)
                page = whole
            }
            guard page.title ?? page.description ?? page.thumbnail?.text ?? page.siteName != nil else {
                throw LinkMetadataError.nothingFound
            }
            return page
        } catch {
            // What the provider said stands, though its page could not be read.
            if let found, found.title != nil, error != .cancelled { return found }
            throw error
        }
    }

    /// A picture, for instance a thumbnail.
    /// - Returns: Its bytes and its media type, which begins with `image/`.
    /// - Throws: ``LinkMetadataError``.
    public func picture(at url: WebURL) async throws(LinkMetadataError) -> (bytes: [UInt8], type: String) {
        let address = try Self.address(of: url)
        var client = client(until: ContinuousClock.now + timeout)
        client.bodyLimit = pictureLimit
        client.inflatedLimit = pictureLimit
        let response = try await get(address, accept: "image/*", client)
        let type = Self.mediaType(response)
        guard type.hasPrefix("image/") else { throw .unsupportedType(type) }
        return (response.body, type)
    }

    // MARK: Pages

    private func readPage(_ url: WebURL, until deadline: ContinuousClock.Instant) async throws(LinkMetadataError)
        -> LinkMetadata
    {
        let address = try Self.address(of: url)
        var client = client(until: deadline)
        client.bodyLimit = pageLimit
        client.inflatedLimit = pageLimit
        client.cutsLongBodies = true
        let response = try await get(address, accept: "text/html, application/xhtml+xml;q=0.9", client)
        let final = response.url ?? address
        let place = (try? WebURL(final.description)) ?? url
        let type = Self.mediaType(response)
        if type.hasPrefix("image/") { return LinkMetadata(url: place, thumbnail: place) }
        guard type == "text/html" || type == "application/xhtml+xml" || type.isEmpty else {
            throw .unsupportedType(type)
        }
        let head = PageHead(html: PageText.utf8(response.body, contentType: response.fields.single("content-type")))
        var found = LinkMetadata(
            url: place,
            title: LinkMetadata.line(head.meta["og:title"], limit: LinkMetadata.maximumTitle),
            description: LinkMetadata.line(
                head.meta["og:description"] ?? head.meta["description"],
                limit: LinkMetadata.maximumDescription
            ),
            thumbnail: (head.meta["og:image:secure_url"] ?? head.meta["og:image"] ?? head.meta["og:image:url"])
                .flatMap { Self.address($0, from: final) },
            siteName: LinkMetadata.line(head.meta["og:site_name"], limit: LinkMetadata.maximumTitle),
            canonical: head.canonicalCandidate.flatMap { Self.address($0, from: final) }
        )
        if found.title == nil || found.thumbnail == nil, let link = head.oEmbedLink,
            let described = try? final.resolving(link),
            let more = await oEmbed(described, of: place, until: deadline)
        {
            found.complete(with: more)
        }
        found.title = found.title ?? LinkMetadata.line(head.title, limit: LinkMetadata.maximumTitle)
        return found
    }

    /// Best effort: what is wrong with it does not spoil the page.
    private func oEmbed(_ url: HTTPURL, of page: WebURL, until deadline: ContinuousClock.Instant) async -> LinkMetadata?
    {
        guard url.scheme == .http || url.scheme == .https else { return nil }
        var client = client(until: deadline)
        client.bodyLimit = 256 << 10
        client.inflatedLimit = 256 << 10
        guard let response = try? await get(url, accept: "application/json", client) else { return nil }
        return OEmbed.read(response.body, of: page, at: response.url ?? url)
    }

    // MARK: Requests

    private func client(until deadline: ContinuousClock.Instant) -> HTTPClient {
        var client = HTTPClient()
        client.connector = connector
        client.connector.addressPolicy = allowsPrivateAddresses ? .any : policy
        client.timeout = max(.zero, deadline - .now)
        client.stallTime = client.timeout
        client.redirects.limit = redirectLimit
        return client
    }

    private func get(
        _ url: HTTPURL,
        accept: String,
        _ client: HTTPClient
    ) async throws(LinkMetadataError) -> HTTPResponse {
        let response: HTTPResponse
        do throws(SocketsError) {
            response = try await client.get(url, accept: accept)
        } catch {
            throw LinkMetadataError(error)
        }
        guard (200...299).contains(response.status) else { throw .status(response.status) }
        return response
    }

    private static func address(of url: WebURL) throws(LinkMetadataError) -> HTTPURL {
        do throws(SocketsError) {
            return try HTTPURL(url.text)
        } catch {
            throw LinkMetadataError(error)
        }
    }

    /// A web address that stands in a page.
    static func address(_ reference: String, from page: HTTPURL) -> WebURL? {
        guard reference.utf8.count <= 2_048,
            let url = try? page.resolving(reference.linkstrTrimmed), url.scheme == .http || url.scheme == .https
        else { return nil }
        return try? WebURL(url.description)
    }

    /// In lower case, without parameters; empty where there is none.
    private static func mediaType(_ response: HTTPResponse) -> String {
        let field = response.fields.single("content-type") ?? ""
        return String(field.prefix { $0 != ";" }.linkstrTrimmed.lowercased().prefix(100))
    }
}
