import NostrCrypto
import NostrEvents

/// When each relay's history was last read to its end, so that the next reading begins shortly before.
struct PassLog: Sendable {
    /// By the time at which the reading began, in seconds since 1970.
    private(set) var starts: [RelayURL: Int64] = [:]

    /// The document that holds it.
    static let document = "history"

    init() {}

    /// Reads the document; what cannot be read only means that history is read anew.
    init(json: [UInt8]) {
        guard let object = try? JSONValue(json: json).object else { return }
        for member in object.members {
            if let url = try? RelayURL(member.key), let time = member.value.integer { starts[url] = time }
        }
    }

    mutating func complete(_ relay: RelayURL, start: Int64) {
        starts[relay] = start
    }

    var json: [UInt8] {
        var object = JSONObject()
        for (url, time) in starts.sorted(by: { $0.key.text < $1.key.text }) { object[url.text] = .integer(time) }
        return JSONValue.object(object).json
    }
}
