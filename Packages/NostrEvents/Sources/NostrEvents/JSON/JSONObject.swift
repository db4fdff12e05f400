/// An object of JSON: its members in the order they are written.
public struct JSONObject: Sendable {
    /// A key and its value.
    public struct Member: Sendable, Equatable {
        /// The key, escapes resolved.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// A member of its key and value.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        public static func == (left: Member, right: Member) -> Bool {
            left.key.isExactly(right.key) && left.value == right.value
        }
    }

    /// The members in the order they are written.
    public var members: [Member]

    /// An object of its members. Keys that appear twice stay.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value of a key, compared byte for byte; of a key that is there twice the last one. Setting replaces the
    /// value in its place or adds a member at the end; setting nil removes the key.
    public subscript(key: String) -> JSONValue? {
        get {
            members.last { $0.key.isExactly(key) }?.value
        }
        set {
            guard let newValue else {
                members.removeAll { $0.key.isExactly(key) }
                return
            }
            if let index = members.lastIndex(where: { $0.key.isExactly(key) }) {
                members[index].value = newValue
            } else {
                members.append(Member(key: key, value: newValue))
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object; of a key that is given twice the last value stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONObject: Equatable {
    /// The order of members does not matter.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members.elementsEqual(right.members) { return true }
        let known = Dictionary(right.members.map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { $1 })
        guard known.count == right.members.count else { return false }
        return left.members.allSatisfy { known[ExactText($0.key)] == $0.value }
            && Set(left.members.map { ExactText($0.key) }).count == left.members.count
    }
}
