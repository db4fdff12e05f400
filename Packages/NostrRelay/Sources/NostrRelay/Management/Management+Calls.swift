import NostrCrypto
import NostrEvents
import NostrStore
import Sockets

// The methods of NIP-86.

extension Management {
    private enum Method: String, CaseIterable {
        case supportedmethods, banpubkey, unbanpubkey, listbannedpubkeys, allowpubkey, unallowpubkey, listallowedpubkeys
        case banevent, allowevent, listbannedevents, changerelayname, changerelaydescription, changerelayicon
        case allowkind, disallowkind, listallowedkinds, blockip, unblockip, listblockedips
    }

    /// Does what the body of a request asks for.
    func call(_ body: [UInt8], _ store: EventStore) async throws(ManagementProblem) -> JSONValue {
        guard let request = try? JSONValue(json: body), let name = request["method"]?.string else {
            throw ManagementProblem(description: "invalid: the body is not a call of NIP-86")
        }
        guard let method = Method(rawValue: name) else {
            throw ManagementProblem(description: "unsupported: there is no such method")
        }
        let parameters = Parameters(values: request["params"]?.array ?? [])
        switch method {
        case .supportedmethods:
            return .array(Method.allCases.filter { $0 != .supportedmethods }.map { .string($0.rawValue) })
        case .banpubkey, .unbanpubkey, .allowpubkey, .unallowpubkey:
            let (key, reason) = (try parameters.key(), try parameters.reason())
            try change { (decisions) throws(ManagementProblem) in
                switch method {
                case .banpubkey: try decisions.bannedKeys.enter(key, reason)
                case .unbanpubkey: decisions.bannedKeys[key] = nil
                case .allowpubkey: try decisions.allowedKeys.enter(key, reason)
                default: decisions.allowedKeys[key] = nil
                }
            }
        case .banevent:
            let (id, reason) = (try parameters.event(), try parameters.reason())
            try change { (decisions) throws(ManagementProblem) in try decisions.bannedEvents.enter(id, reason) }
            do {
                try await store.remove([id])
            } catch {
                throw ManagementProblem(description: "error: the event is banned but could not be deleted")
            }
        case .allowevent:
            let id = try parameters.event()
            try change { $0.bannedEvents[id] = nil }
        case .changerelayname:
            let text = try parameters.text()
            try change { $0.name = text }
        case .changerelaydescription:
            let text = try parameters.text()
            try change { $0.description = text }
        case .changerelayicon:
            let text = try parameters.text()
            try change { $0.icon = text }
        case .allowkind:
            let kind = try parameters.kind()
            try change { decisions in
                decisions.allowedKinds.insert(kind)
                decisions.disallowedKinds.remove(kind)
            }
        case .disallowkind:
            let kind = try parameters.kind()
            try change { decisions in
                decisions.allowedKinds.remove(kind)
                decisions.disallowedKinds.insert(kind)
            }
        case .blockip:
            let (address, reason) = (try parameters.address(), try parameters.reason())
            try change { (decisions) throws(ManagementProblem) in
                try decisions.blockedAddresses.enter(address, reason)
            }
        case .unblockip:
            let address = try parameters.address()
            try change { $0.blockedAddresses[address] = nil }
        case .listbannedpubkeys: return .list(decisions.bannedKeys.map { ($0.hex, $1) }, of: "pubkey")
        case .listallowedpubkeys: return .list(decisions.allowedKeys.map { ($0.hex, $1) }, of: "pubkey")
        case .listbannedevents: return .list(decisions.bannedEvents.map { ($0.hex, $1) }, of: "id")
        case .listblockedips: return .list(decisions.blockedAddresses.map { ($0, $1) }, of: "ip")
        case .listallowedkinds:
            return .array(decisions.allowedKinds.sorted().map { .integer(Int64($0.rawValue)) })
        }
        return true
    }
}

/// The parameters of a call.
private struct Parameters {
    let values: [JSONValue]

    private static let longest = 4_096

    private func string(_ index: Int) throws(ManagementProblem) -> String? {
        guard values.indices.contains(index), !values[index].isNull else { return nil }
        guard let text = values[index].string, text.utf8.count <= Self.longest else {
            throw ManagementProblem(description: "invalid: parameter \(index + 1) is no string or too long")
        }
        return text
    }

    func text() throws(ManagementProblem) -> String {
        guard let text = try string(0) else { throw ManagementProblem(description: "invalid: a string is needed") }
        return text
    }

    func reason() throws(ManagementProblem) -> String {
        try string(1) ?? ""
    }

    func key() throws(ManagementProblem) -> Bytes32 {
        guard let key = try? Bytes32(hex: text()) else {
            throw ManagementProblem(description: "invalid: a public key of 64 lower-case hexadecimal digits is needed")
        }
        return key
    }

    func event() throws(ManagementProblem) -> EventID {
        guard let id = try? EventID(hex: text()) else {
            throw ManagementProblem(description: "invalid: an event id of 64 lower-case hexadecimal digits is needed")
        }
        return id
    }

    func kind() throws(ManagementProblem) -> Kind {
        guard let number = values.first?.integer, let kind = UInt16(exactly: number) else {
            throw ManagementProblem(description: "invalid: a kind from 0 to 65535 is needed")
        }
        return Kind(rawValue: kind)
    }

    func address() throws(ManagementProblem) -> String {
        guard let address = IPAddress(try text()) else {
            throw ManagementProblem(description: "invalid: an IP address is needed")
        }
        return "\(address)"
    }
}

extension Dictionary where Value == String {
    fileprivate mutating func enter(_ key: Key, _ reason: String) throws(ManagementProblem) {
        guard self[key] != nil || count < Management.mostEntries else {
            throw ManagementProblem(description: "error: the list is full")
        }
        self[key] = reason
    }
}

extension JSONValue {
    /// Objects of a name and a reason, which is left out where there is none.
    static func list(_ entries: [(name: String, reason: String)], of key: String) -> JSONValue {
        .array(
            entries.sorted { $0.name < $1.name }.map { entry in
                var object = JSONObject()
                object[key] = .string(entry.name)
                if !entry.reason.isEmpty { object["reason"] = .string(entry.reason) }
                return .object(object)
            }
        )
    }
}
