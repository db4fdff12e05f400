import LinkstrSessions
public import NostrCrypto
import NostrEvents
import NostrGiftWrap
import SQLite

/// An account on its way to another machine: what is stored of it, under a passphrase.
public struct AccountExport: Sendable {
    /// Whose it is.
    public let account: Bytes32
    /// The secret key; nil where it was left out.
    public let secretKey: SecretKey?
    /// When it was made, in seconds since 1970.
    public let exportedAt: Int64
    private let lines: [ExportLine]

    /// Opens an export.
    /// - Throws: ``ClientError/export(_:)`` with a sentence.
    public init(_ file: [UInt8], passphrase: String) throws(ClientError) {
        let text: [UInt8]
        do throws(SealedFile.Problem) {
            text = try SealedFile.open(file, passphrase: passphrase)
        } catch {
            throw .export(error.sentence)
        }
        var lines: [ExportLine] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let line = ExportLine(json: Array(line)) else {
                throw .export("The export holds something that this version does not understand.")
            }
            lines.append(line)
        }
        guard case .account(let key, let secret, let time) = lines.first else {
            throw .export("The export does not say whose it is.")
        }
        account = key
        secretKey = secret
        exportedAt = time
        self.lines = Array(lines.dropFirst())
    }

    /// Puts everything into the account's databases, which must not be open. What is there already stays as it is.
    /// - Throws: ``ClientError/store(_:)``, or ``ClientError/export(_:)`` where the keys are another account's.
    public func unpack(_ keys: AccountKeys, home: Home) async throws(ClientError) {
        guard keys.publicKey.bytes == account else { throw .export("The export is of another account.") }
        let dataKey = keys.dataKey.withUnsafeBytes { SecretBytes($0) }
        do throws(SessionStoreError) {
            let vault = try await Vault.open(.file(home.clientDatabase(account)), owner: account, key: dataKey)
            do throws(SessionStoreError) {
                try await unpack(into: vault)
                await vault.close()
            } catch {
                await vault.close()
                throw error
            }
            let store = try await SessionStore.open(.file(home.database(account)), owner: account, key: dataKey)
            do throws(SessionStoreError) {
                try await unpack(into: store)
                try await store.close()
            } catch {
                try? await store.close()
                throw error
            }
        } catch {
            throw .store(error)
        }
    }

    private func unpack(into vault: Vault) async throws(SessionStoreError) {
        let there = Set(try await vault.names(beginningWith: ""))
        var documents: [String: [UInt8]?] = [:]
        var messages: [(rumor: Rumor, message: ChatMessage, isUnread: Bool)] = []
        for line in lines {
            switch line {
            case .document(let name, let bytes)
            where !there.contains(name) && Self.documents.contains(where: name.hasPrefix):
                documents[name] = bytes
            case .message(let json, let isUnread):
                guard let rumor = try? Rumor(json: json), let message = try? ChatMessage(rumor) else { continue }
                messages.append((rumor, message, isUnread))
            default: break
            }
        }
        try await vault.save(documents)
        for first in stride(from: 0, to: messages.count, by: 500) {
            let part = Array(messages[first..<min(first + 500, messages.count)])
            _ = try await vault.keep(part, account: account) { _ in true }
        }
        for case .room(let people, let request) in lines {
            _ = try await vault.setRequest(request, ChatRoom(people))
        }
    }

    private func unpack(into store: SessionStore) async throws(SessionStoreError) {
        var states: [SessionState] = []
        for case .state(let state) in lines { states.append(state) }
        try await store.take(states)
        var arrivals: [Arrival] = []
        for case .arrival(let arrival) in lines {
            arrivals.append(arrival)
            guard arrivals.count == 500 else { continue }
            _ = try await store.apply(arrivals, now: exportedAt)
            arrivals = []
        }
        if !arrivals.isEmpty { _ = try await store.apply(arrivals, now: exportedAt) }
    }

    /// The documents that move; the others belong to one machine.
    static let documents = ["settings", "preferences", "follow-list", "profiles", "followers", "inbox-relays"]
}

extension AccountRuntime {
    /// Everything that is stored of the account, sealed with a passphrase, for ``AccountExport``.
    /// - Parameter withSecret: Whether the secret key goes with it.
    /// - Throws: ``ClientError/store(_:)``, ``ClientError/export(_:)``.
    public func export(withSecret: Bool, passphrase: String) async throws(ClientError) -> [UInt8] {
        var text: [UInt8] = []
        func write(_ line: ExportLine) {
            text += line.json
            text.append(UInt8(ascii: "\n"))
        }
        write(.account(account, secret: withSecret ? keys.keyPair.secretKey : nil, at: options.now()))
        do throws(SessionStoreError) {
            for prefix in AccountExport.documents {
                for (name, bytes) in try await vault.documents(beginningWith: prefix) { write(.document(name, bytes)) }
            }
            for (rumor, isUnread) in try await vault.allMessages() { write(.message(rumor: rumor, isUnread: isUnread)) }
            for (people, request) in try await vault.allRooms() { write(.room(people, request)) }
            var last: SessionID?
            while true {
                let states = try await store.states(after: last)
                guard let end = states.last?.id else { break }
                for state in states { write(.state(state)) }
                last = end
            }
            var row: Int64 = 0
            while true {
                let arrivals = try await store.storedArrivals(after: row)
                guard let end = arrivals.last?.row else { break }
                for stored in arrivals { write(.arrival(stored.arrival)) }
                row = end
            }
        } catch {
            throw .store(error)
        }
        do throws(SealedFile.Problem) {
            return try SealedFile.seal(text, passphrase: passphrase, logN: options.exportLogN, random: options.random)
        } catch {
            throw .export(error.sentence)
        }
    }
}

extension SealedFile.Problem {
    var sentence: String {
        switch self {
        case .notAnExport: "This is no export of linkstr."
        case .newerVersion: "This export was made by a newer version."
        case .wrongPassphraseOrDamaged: "The passphrase is wrong, or the file is damaged."
        case .tooExpensive: "The export asks for more work than is allowed to open it."
        case .cipher(let error): error.description
        }
    }
}
