/// The body of an alert notification (Apple: "Generating a remote notification"): what the phone shows, and what the app is told.
public struct APNsPayload: Sendable, Equatable {
    /// The greatest size of a payload that Apple takes, in bytes.
    public static let maximumSize = 4096

    /// A value of the app's own, beside `aps`.
    public struct Field: Sendable, Equatable {
        /// The key. `aps` is Apple's.
        public var name: String
        /// The text.
        public var value: String

        /// A field of its key and text.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The title of the alert.
    public var title: String
    /// The text of the alert.
    public var body: String
    /// The sound; nil for none.
    public var sound: String? = "default"
    /// What the phone groups alerts by; nil for nothing.
    public var threadID: String?
    /// What the app is told, in this order.
    public var fields: [Field] = []

    /// An alert with the default sound.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// The JSON, always the same for the same payload: `aps` with alert, sound and thread-id, then the fields in their order.
    ///
    /// - Throws: ``APNsError/payloadTooLarge(_:)`` beyond ``maximumSize``; ``APNsError/invalidPayload`` for a field named `aps`
    ///   or a name that is there twice.
    public func json() throws(APNsError) -> [UInt8] {
        let names = fields.map { Array($0.name.utf8) }
        guard Set(names).count == names.count, !names.contains(Array("aps".utf8)) else { throw .invalidPayload }
        var output: [UInt8] = []
        output.reserveCapacity(512)
        output += #"{"aps":{"alert":{"title":"#.utf8
        Self.append(title, to: &output)
        output += #","body":"#.utf8
        Self.append(body, to: &output)
        output += "}".utf8
        if let sound {
            output += #","sound":"#.utf8
            Self.append(sound, to: &output)
        }
        if let threadID {
            output += #","thread-id":"#.utf8
            Self.append(threadID, to: &output)
        }
        output += "}".utf8
        for field in fields {
            output += ",".utf8
            Self.append(field.name, to: &output)
            output += ":".utf8
            Self.append(field.value, to: &output)
        }
        output += "}".utf8
        guard output.count <= Self.maximumSize else { throw .payloadTooLarge(output.count) }
        return output
    }

    /// A string of RFC 8259, in UTF-8.
    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += #"\""#.utf8
            case UInt8(ascii: "\\"): output += #"\\"#.utf8
            case 0x0a: output += #"\n"#.utf8
            case 0x0d: output += #"\r"#.utf8
            case 0x09: output += #"\t"#.utf8
            case 0x00..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                output += #"\u00"#.utf8
                output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
