import NostrCrypto
import NostrEvents
import Sockets

/// Answers plain HTTP on the relay's port: the information document (NIP-11) and management calls (NIP-86).
struct HTTPFront: Sendable {
    let core: RelayCore

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        if let ip = request.peer?.ip, core.management.isBlocked(ip) {
            return HTTPResponse(status: 403, text: "This address is blocked.\n")
        }
        switch request.head.method {
        case "OPTIONS": return withCORS(HTTPResponse(status: 204))
        case "GET", "HEAD":
            guard request.head.fields.lists("application/nostr+json", in: "accept") else {
                return withCORS(HTTPResponse(status: 200, text: "This is a Nostr relay. Use a Nostr client.\n"))
            }
            let document = core.options.document(core.management.decisions)
            return json(document, type: "application/nostr+json")
        case "POST" where request.head.fields.lists("application/nostr+json+rpc", in: "content-type"):
            return await manage(request)
        default: return withCORS(HTTPResponse(status: 405, text: "Only GET, POST and OPTIONS are known here.\n"))
        }
    }

    private func manage(_ request: HTTPRequest) async -> HTTPResponse {
        guard let header = request.head.fields.single("authorization"), let key = caller(header, request.body) else {
            return json(
                ["error": "unauthorized: an Authorization header of NIP-98 with a payload is needed"],
                status: 401
            )
        }
        guard core.options.administrators.contains(key) else {
            return json(["error": "restricted: this key may not manage the relay"], status: 403)
        }
        do throws(ManagementProblem) {
            let result = try await core.management.call(request.body, core.store)
            return json(.object(JSONObject([.init(key: "result", value: result)])))
        } catch {
            return json(.object(JSONObject([.init(key: "error", value: .string(error.description))])), status: 200)
        }
    }

    /// Who makes a call, if it is proven.
    private func caller(_ header: String, _ body: [UInt8]) -> Bytes32? {
        for url in core.urls.flatMap(Self.spellings) {
            do throws(EventError) {
                let event = try HTTPAuthorization.check(
                    header: header,
                    url: url,
                    method: "POST",
                    body: body,
                    now: core.options.now()
                )
                // One that is signed for no body at all would fit every body.
                guard event.tags.firstValue(named: "payload") != nil else { return nil }
                return core.management.isFresh(event, now: core.options.now()) ? event.pubkey : nil
            } catch {
                if error != .invalidAuthentication(.wrongURL) { return nil }
            }
        }
        return nil
    }

    /// The relay's address as clients write it in an event of NIP-98.
    private static func spellings(_ url: RelayURL) -> [String] {
        let http = (url.isSecure ? "https://" : "http://") + url.text.drop { $0 != "/" }.dropFirst(2)
        return [url.text, http].flatMap { $0.hasSuffix("/") ? [$0] : [$0, $0 + "/"] }
    }

    private func json(_ value: JSONValue, status: Int = 200, type: String = "application/json") -> HTTPResponse {
        withCORS(HTTPResponse(status: status, text: value.description, type: type))
    }

    private func withCORS(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        for (name, value) in [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Allow-Headers", "*, Authorization"),
            ("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
        ] {
            // The names and values above are well formed.
            try? response.fields.append(name, value)
        }
        return response
    }
}
