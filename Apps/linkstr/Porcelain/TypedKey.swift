import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// Whom a person means where a KEY is typed: a key in any form, or somebody by an alias, which only the account can tell.
enum TypedKey: Sendable {
    case key(PublicKey)
    case alias(String)

    /// A text that is the form of a key is never an alias, also where the key is mistyped; nor is what may be a secret.
    init(_ text: String) throws {
        do {
            self = .key(try PublicKey(typed: text))
        } catch {
            let folded = text.lowercased()
            let isForm = ["npub1", "nprofile1"].contains { folded.contains($0) }
            guard !isForm, !TypedText.mayBeSecret(text) else { throw error }
            self = .alias(text)
        }
    }
}

extension Conversion where Value == TypedKey {
    /// A public key in any form that a person types, or an alias.
    static var person: Conversion { Conversion("KEY") { try TypedKey($0) } }
}

extension Performer {
    /// The key that is meant.
    func key(_ typed: TypedKey) async throws -> PublicKey {
        switch typed {
        case .key(let key): return key
        case .alias(let alias):
            let found = try await one(.contactFind, ["alias": .string(alias)])
            return try PublicKey(hex: found["pubkey"]?.string ?? "")
        }
    }

    /// The keys that are meant.
    func keys(_ typed: [TypedKey]) async throws -> [PublicKey] {
        var keys: [PublicKey] = []
        for one in typed { keys.append(try await key(one)) }
        return keys
    }
}

extension Work {
    /// The key that is meant; only an alias needs an account.
    static func key(_ typed: TypedKey, _ call: Invocation) async throws -> PublicKey {
        switch typed {
        case .key(let key): return key
        case .alias(let text):
            do {
                return try await withPerformer(call) { try await $0.key(typed) }
            } catch let error as IdentityError where [.noAccount, .noHome].contains(error) {
                // Nobody has an alias here, so a key was meant.
                return try PublicKey(typed: text)
            }
        }
    }
}
