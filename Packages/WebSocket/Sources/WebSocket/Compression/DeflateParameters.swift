/// The parameters of one permessage-deflate element, each known, named once and valid (RFC 7692 section 7.1).
struct DeflateParameters: Equatable {
    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    var clientMaxWindowBits: Int?
    /// The client may be limited: `client_max_window_bits` is there, with or without a value.
    var namesClientWindow = false

    /// Nil when a parameter is unknown, repeated or invalid. In an offer `client_max_window_bits` may stand alone.
    init?(_ element: WebSocketExtension, isOffer: Bool) {
        var seen: Set<String> = []
        for parameter in element.parameters {
            guard seen.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                clientMaxWindowBits = bits
                namesClientWindow = true
            case ("client_max_window_bits", nil) where isOffer:
                namesClientWindow = true
            default:
                return nil
            }
        }
    }

    /// 8 to 15, written without leading zeros or a sign.
    private static func windowBits(_ text: String) -> Int? {
        guard let bits = Int(text), (8...15).contains(bits), String(bits) == text else { return nil }
        return bits
    }
}
