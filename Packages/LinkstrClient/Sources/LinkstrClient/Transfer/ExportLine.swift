import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents

/// One line of an exported account, as a JSON object whose only member says what it is.
enum ExportLine: Sendable {
    case account(Bytes32, secret: SecretKey?, at: Int64)
    case state(SessionState)
    case arrival(Arrival)
    case document(String, [UInt8])
    case message(rumor: [UInt8], isUnread: Bool)
    case room([Bytes32], SessionRequest)

    var json: [UInt8] {
        let (name, value): (String, JSONValue) =
            switch self {
            case .account(let key, let secret, let time):
                (
                    "account",
                    [
                        "pubkey": .string(key.hex), "exported_at": .integer(time),
                        "secret": secret.map { .string($0.withUnsafeBytes { Hex.encode($0) }) } ?? .null,
                    ]
                )
            case .state(let state): ("session", Self.value(state))
            case .arrival(let arrival): ("fact", Self.value(arrival))
            case .document(let name, let bytes):
                ("document", ["name": .string(name), "text": .string(String(decoding: bytes, as: UTF8.self))])
            case .message(let rumor, let isUnread):
                ("message", ["rumor": .string(String(decoding: rumor, as: UTF8.self)), "unread": .bool(isUnread)])
            case .room(let people, let request):
                (
                    "room",
                    ["people": .array(people.map { .string($0.hex) }), "request": .integer(request.rawValue)]
                )
            }
        return JSONValue.object(JSONObject([.init(key: name, value: value)])).json
    }

    /// Reads a line; nil where it is none of these.
    init?(json: [UInt8]) {
        guard let object = try? JSONValue(json: json, limits: JSONLimits(size: 256 << 20)).object,
            let member = object.members.first, object.members.count == 1
        else { return nil }
        let value = member.value
        switch member.key {
        case "account":
            guard let key = value["pubkey"]?.key, let time = value["exported_at"]?.integer else { return nil }
            var secret: SecretKey?
            if let hex = value["secret"]?.string {
                guard let found = try? SecretKey(hex: hex), found.publicKey.bytes == key else { return nil }
                secret = found
            }
            self = .account(key, secret: secret, at: time)
        case "session":
            guard let state = Self.state(value) else { return nil }
            self = .state(state)
        case "fact":
            guard let arrival = Self.arrival(value) else { return nil }
            self = .arrival(arrival)
        case "document":
            guard let name = value["name"]?.string, let text = value["text"]?.string else { return nil }
            self = .document(name, Array(text.utf8))
        case "message":
            guard let rumor = value["rumor"]?.string, let isUnread = value["unread"]?.bool else { return nil }
            self = .message(rumor: Array(rumor.utf8), isUnread: isUnread)
        case "room":
            guard let request = value["request"]?.integer.flatMap(SessionRequest.init(rawValue:)) else { return nil }
            self = .room((value["people"]?.array ?? []).compactMap(\.key), request)
        default: return nil
        }
    }

    // MARK: Sessions

    private static func value(_ state: SessionState) -> JSONValue {
        var object = JSONObject()
        object["id"] = .string(state.id.text)
        object["pin"] = state.pin.map {
            ["creator": .string($0.creator.hex), "needs_confirmation": .bool($0.needsConfirmation)]
        }
        object["tombstone"] = state.tombstone.map {
            [
                "creator": .string($0.creator.hex), "time": .integer($0.moment.time),
                "event": .string($0.moment.id.hex),
            ]
        }
        object["archived"] = .bool(state.isArchived)
        object["request"] = .integer(state.request.rawValue)
        object["blocked"] = .array(state.blocked.map { .string($0.hex) })
        return .object(object)
    }

    private static func state(_ value: JSONValue) -> SessionState? {
        guard let id = value["id"]?.string.flatMap({ SessionID($0) }) else { return nil }
        var state = SessionState(id: id)
        if let pin = value["pin"], let creator = pin["creator"]?.key {
            state.pin = SessionLog.Pin(creator: creator, needsConfirmation: pin["needs_confirmation"]?.bool ?? true)
        }
        if let tombstone = value["tombstone"], let creator = tombstone["creator"]?.key,
            let time = tombstone["time"]?.integer, let event = tombstone["event"]?.key
        {
            let moment = Moment(time: time, id: EventID(event))
            state.tombstone = SessionLog.Tombstone(creator: creator, moment: moment)
        }
        state.isArchived = value["archived"]?.bool ?? false
        state.request = value["request"]?.integer.flatMap(SessionRequest.init(rawValue:)) ?? .none
        state.blocked = (value["blocked"]?.array ?? []).compactMap(\.key)
        return state
    }

    // MARK: Facts

    private static func value(_ arrival: Arrival) -> JSONValue {
        let fact = arrival.fact
        var object = JSONObject()
        object["id"] = .string(fact.id.hex)
        object["time"] = .integer(fact.time)
        object["sender"] = .string(fact.sender.hex)
        object["session"] = .string(fact.session.text)
        switch fact.statement {
        case .snapshot(let name, let members, let isCreate):
            object["kind"] = .string(isCreate ? "create" : "members")
            object["name"] = name.map { .string($0) }
            object["members"] = .array(members.map { .string($0.hex) })
        case .sessionDelete: object["kind"] = "delete"
        case .root(let url, let note):
            object["kind"] = "root"
            object["url"] = .string(url.text)
            object["note"] = note.map { .string($0) }
        case .rootDelete(let root):
            object["kind"] = "root_delete"
            object["root"] = .string(root.hex)
        case .reaction(let root, let emoji, let isActive):
            object["kind"] = "reaction"
            object["root"] = .string(root.hex)
            object["emoji"] = .string(emoji.text)
            object["active"] = .bool(isActive)
        }
        object["made_here"] = .bool(arrival.isMadeHere)
        object["unread"] = arrival.isUnread.map { .bool($0) }
        object["wraps"] = .array(
            arrival.wraps.map { .array([.string($0.id.hex), .string($0.recipient.hex)]) }
        )
        if !arrival.seal.isEmpty { object["seal"] = .string(String(decoding: arrival.seal, as: UTF8.self)) }
        return .object(object)
    }

    private static func arrival(_ value: JSONValue) -> Arrival? {
        guard let id = value["id"]?.key, let time = value["time"]?.integer, Moment.times.contains(time),
            let sender = value["sender"]?.key, let session = value["session"]?.string.flatMap({ SessionID($0) }),
            let statement = statement(value)
        else { return nil }
        let moment = Moment(time: time, id: EventID(id))
        var arrival = Arrival(
            Fact(moment: moment, sender: sender, session: session, statement: statement),
            source: .historical,
            wraps: (value["wraps"]?.array ?? []).compactMap { pair in
                guard let parts = pair.array, parts.count == 2, let id = parts[0].key, let to = parts[1].key else {
                    return nil
                }
                return WrapReference(id: EventID(id), recipient: to)
            },
            isMadeHere: value["made_here"]?.bool ?? false,
            seal: Array((value["seal"]?.string ?? "").utf8)
        )
        arrival.isUnread = value["unread"]?.bool
        return arrival
    }

    private static func statement(_ value: JSONValue) -> Fact.Statement? {
        let root = value["root"]?.key.map { EventID($0) }
        switch value["kind"]?.string {
        case "create", "members":
            guard let members = value["members"]?.array else { return nil }
            return .snapshot(
                name: value["name"]?.string,
                members: members.compactMap(\.key),
                isCreate: value["kind"]?.string == "create"
            )
        case "delete": return .sessionDelete
        case "root":
            guard let url = value["url"]?.string.flatMap({ try? WebURL($0) }) else { return nil }
            return .root(url: url, note: value["note"]?.string)
        case "root_delete": return root.map { .rootDelete($0) }
        case "reaction":
            guard let root, let emoji = value["emoji"]?.string, let isActive = value["active"]?.bool else { return nil }
            return .reaction(root: root, emoji: ExactText(emoji), isActive: isActive)
        default: return nil
        }
    }
}

extension JSONValue {
    /// 32 bytes written as hexadecimal digits.
    fileprivate var key: Bytes32? { string.flatMap { try? Bytes32(hex: $0) } }
}
