import NostrCrypto
import NostrEvents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Decisions as a JSON file, which is replaced as a whole.
enum ManagementFile {
    private static let longest = 64 << 20

    /// What the file says; nothing decided if there is none, nil if it cannot be read or understood.
    static func load(_ path: String) -> Decisions? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? Decisions() : nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            guard count >= 0, bytes.count + count <= longest else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        let limits = JSONLimits(size: longest)
        guard let object = try? JSONValue(json: bytes, limits: limits) else { return nil }
        return Decisions(object)
    }

    /// Writes beside the file, waits for the disk, and puts the new file in the place of the old; false if that fails.
    static func save(_ decisions: Decisions, _ path: String) -> Bool {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        var isWritten = true
        var rest = decisions.value.json[...]
        while isWritten, !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            isWritten = count > 0
            rest = rest.dropFirst(max(0, count))
        }
        isWritten = fsync(descriptor) == 0 && isWritten
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        // The new name has to survive as well.
        let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            close(folder)
        }
        return true
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = write(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}

extension Decisions {
    private static let version: Int64 = 1

    fileprivate var value: JSONValue {
        var object = JSONObject()
        object["version"] = .integer(Self.version)
        object["banned_pubkeys"] = .list(bannedKeys.map { ($0.hex, $1) }, of: "pubkey")
        object["allowed_pubkeys"] = .list(allowedKeys.map { ($0.hex, $1) }, of: "pubkey")
        object["banned_events"] = .list(bannedEvents.map { ($0.hex, $1) }, of: "id")
        object["allowed_kinds"] = .array(allowedKinds.sorted().map { .integer(Int64($0.rawValue)) })
        object["disallowed_kinds"] = .array(disallowedKinds.sorted().map { .integer(Int64($0.rawValue)) })
        object["blocked_ips"] = .list(blockedAddresses.map { ($0, $1) }, of: "ip")
        if let name { object["name"] = .string(name) }
        if let description { object["description"] = .string(description) }
        if let icon { object["icon"] = .string(icon) }
        return .object(object)
    }

    /// Nil for anything that this version has not written: a list that is understood in part would let somebody in.
    fileprivate init?(_ value: JSONValue) {
        guard value["version"]?.integer == Self.version,
            let banned = Self.entries(value["banned_pubkeys"], "pubkey", { try? Bytes32(hex: $0) }),
            let allowed = Self.entries(value["allowed_pubkeys"], "pubkey", { try? Bytes32(hex: $0) }),
            let events = Self.entries(value["banned_events"], "id", { try? EventID(hex: $0) }),
            let addresses = Self.entries(value["blocked_ips"], "ip", { $0 }),
            let kinds = Self.kinds(value["allowed_kinds"]), let noKinds = Self.kinds(value["disallowed_kinds"])
        else { return nil }
        bannedKeys = banned
        allowedKeys = allowed
        bannedEvents = events
        blockedAddresses = addresses
        allowedKinds = kinds
        disallowedKinds = noKinds
        name = value["name"]?.string
        description = value["description"]?.string
        icon = value["icon"]?.string
    }

    private static func entries<Name: Hashable>(
        _ value: JSONValue?,
        _ key: String,
        _ read: (String) -> Name?
    ) -> [Name: String]? {
        guard let list = value?.array else { return nil }
        var entries: [Name: String] = [:]
        for entry in list {
            guard let name = entry[key]?.string.flatMap(read) else { return nil }
            entries[name] = entry["reason"]?.string ?? ""
        }
        return entries
    }

    private static func kinds(_ value: JSONValue?) -> Set<Kind>? {
        guard let list = value?.array else { return nil }
        let kinds = list.compactMap { $0.integer.flatMap { UInt16(exactly: $0) }.map(Kind.init(rawValue:)) }
        return kinds.count == list.count ? Set(kinds) : nil
    }
}
