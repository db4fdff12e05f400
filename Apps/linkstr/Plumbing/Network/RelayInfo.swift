import CommandKit
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets

enum RelayInfo {
    private static let relay = Argument("RELAY", .relay, "The relay, like wss://relay.example.com")

    static let command = Command(
        "info",
        "Print what a relay says of itself (NIP-11)",
        takes: [relay],
        examples: [
            Example("linkstr relay info wss://relay.example.com", "Prints its name, software and limits"),
            Example("linkstr relay info --json wss://relay.example.com", "The same as one JSON object"),
        ]
    ) { call in
        let url = call[relay]
        var connector = Connector()
        try Network.apply(call, to: &connector, reaching: [url])
        let way = connector
        let information = try await Interruption.cancelling {
            let result = await RelayInformationCache.fetch(url, way)
            try Task.checkCancellation()
            return try result.get()
        }
        let members = members(url, information)
        guard !call.console.usesJSON else {
            try call.console.output.line(.object(members))
            return
        }
        for (name, value) in members {
            guard let text = text(value) else { continue }
            try call.console.output.line("\(name): \(TerminalText.safe(text))")
        }
    }

    static func members(_ url: RelayURL, _ information: RelayInformation) -> [(name: String, value: JSON)] {
        let limits = information.limits
        return [
            ("relay", .string(url.text)), ("name", .string(information.name)),
            ("description", .string(information.description)), ("pubkey", .string(information.pubkey?.hex)),
            ("self", .string(information.ownKey?.hex)), ("contact", .string(information.contact)),
            ("software", .string(information.software)), ("version", .string(information.version)),
            ("terms_of_service", .string(information.termsOfService)),
            ("payments_url", .string(information.paymentsURL)),
            ("supported_nips", .array(information.supportedNIPs.map { .integer(Int64($0)) })),
            ("max_message_length", .integer(limits.messageBytes)),
            ("max_subscriptions", .integer(limits.subscriptions)),
            ("max_subid_length", .integer(limits.subscriptionIDLength)), ("max_filters", .integer(limits.filters)),
            ("max_limit", .integer(limits.filterLimit)),
            ("default_limit", .integer(limits.defaultLimit)), ("max_event_tags", .integer(limits.eventTags)),
            ("max_content_length", .integer(limits.contentLength)),
            ("min_pow_difficulty", .integer(limits.proofOfWork)),
            ("created_at_lower_limit", .integer(limits.oldestCreatedAt)),
            ("created_at_upper_limit", .integer(limits.newestCreatedAt)),
            ("auth_required", .bool(limits.requiresAuthentication)),
            ("payment_required", .bool(limits.requiresPayment)), ("restricted_writes", .bool(limits.restrictsWrites)),
        ]
    }

    /// A value for people; nil for what need not be said.
    private static func text(_ value: JSON) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        case .array(let all): all.isEmpty ? nil : all.map(\.text).joined(separator: " ")
        default: value.text
        }
    }
}
