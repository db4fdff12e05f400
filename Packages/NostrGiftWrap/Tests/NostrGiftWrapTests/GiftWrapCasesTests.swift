import NostrCrypto
import NostrEvents
import NostrGiftWrap
import TestSupport
import Testing

/// Wraps that `scripts/generate-cases.py` made with cryptography and coincurve, and that nostr-sdk could read.
private struct GiftWrapCases: Decodable {
    struct Refused: Decodable {
        let problem: String
        let what: String
        let wrap: String
        let control: String
    }

    struct Accepted: Decodable {
        let what: String
        let wrap: String
    }

    let owner: String
    let author: String
    let refused: [Refused]
    let accepted: [Accepted]
}

extension GiftWrapError {
    /// The name that the table uses.
    fileprivate var name: String {
        switch self {
        case .invalidWrap: "invalidWrap"
        case .notAWrap: "notAWrap"
        case .undecryptableWrap: "undecryptableWrap"
        case .malformedSeal: "malformedSeal"
        case .notASeal: "notASeal"
        case .invalidSeal: "invalidSeal"
        case .sealTags: "sealTags"
        case .undecryptableSeal: "undecryptableSeal"
        case .malformedRumor: "malformedRumor"
        case .rumorIDMismatch: "rumorIDMismatch"
        case .signedRumor: "signedRumor"
        case .forgedAuthor: "forgedAuthor"
        case .notTheAuthor, .noRecipients, .tooLarge: "making"
        }
    }
}

@Suite("Gift wraps made by others")
struct GiftWrapCasesTests {
    private let cases: GiftWrapCases
    private let opener: GiftWrapOpener

    init() throws {
        cases = try Cases.table("gift-wraps", of: "NostrGiftWrap")
        opener = GiftWrapOpener(owner: KeyPair(try SecretKey(hex: cases.owner)))
    }

    private func problem(_ wrap: String) throws -> String? {
        do throws(GiftWrapError) {
            let opened = try opener.open(try wire(wrap))
            return opened.sender.hex == cases.author ? nil : "another sender"
        } catch {
            return error.name
        }
    }

    private func wire(_ json: String) throws(GiftWrapError) -> WireEvent {
        do throws(EventError) {
            return try WireEvent(json: json)
        } catch {
            throw .invalidWrap(error)
        }
    }

    @Test("are refused for the one rule that each breaks, and accepted without that")
    func refused() throws {
        for one in cases.refused {
            #expect(try problem(one.control) == nil, "the control of: \(one.what)")
            #expect(try problem(one.wrap) == one.problem, "\(one.what)")
        }
        #expect(Set(cases.refused.map(\.problem)).count == 12, "every check has a case")
    }

    @Test("are accepted where the rules allow it")
    func accepted() throws {
        for one in cases.accepted {
            #expect(try problem(one.wrap) == nil, "\(one.what)")
        }
    }

    @Test("do not keep the genuine message from coming when they claim its ids first")
    func claimedFirst() throws {
        let reader = GiftWrapReader(opener: opener)
        for one in cases.refused {
            guard let forged = try? WireEvent(json: one.wrap) else { continue }
            guard case .failed = reader.open(forged) else {
                Issue.record("opened: \(one.what)")
                continue
            }
            guard case .opened(let message) = reader.open(try WireEvent(json: one.control)) else {
                Issue.record("kept back by: \(one.what)")
                continue
            }
            reader.confirm(message)
            guard case .known = reader.open(try WireEvent(json: one.control)) else {
                Issue.record("opened twice: \(one.what)")
                continue
            }
        }
    }
}

@Suite("The rumors of session messages")
struct SessionRumorTests {
    private let root = "490e3877b66013ca81f6b041e8810fc1aff90c72fe8aa52a9d4fa2e8049348df"

    @Test("have the ids that linkstr computes, and come back byte for byte")
    func vectors() async throws {
        let one = KeyPair(try SecretKey(hex: String(repeating: "0", count: 63) + "1"))
        let post = Rumor(
            pubkey: one.publicKey.bytes,
            kind: 44_001,
            content: #"{"conversation_id":"0A1B2C3D4E5F60718293A4B5C6D7E8F9","root_id":"","kind":"root","url":"#
                + #""https:\/\/example.com\/a","note":"hi","timestamp":1700000000}"#,
            createdAt: 1_700_000_000
        )
        #expect(post.id.hex == root)
        let reaction = Rumor(
            pubkey: one.publicKey.bytes,
            kind: 44_001,
            content: #"{"conversation_id":"0A1B2C3D4E5F60718293A4B5C6D7E8F9","root_id":"\#(root)","kind":"reaction","#
                + #""timestamp":1700000100,"emoji":"👍","reaction_active":true}"#,
            tags: [Tag("e", root, "", "root")],
            createdAt: 1_700_000_100
        )
        #expect(reaction.id.hex == "e6162a60e034419fdb20ecedc4bc37d490596fab6030c53b3387499f2b565aff")
        for rumor in [post, reaction] {
            let wrap = try await GiftWrapper(sender: one).wrap(rumor, for: bob.publicKey, now: now)
            let opened = try GiftWrapOpener(owner: bob).open(wrap.wire)
            #expect(opened.rumor.json == rumor.json && opened.sender == one.publicKey)
            #expect(opened.seal.tags.isEmpty && opened.rumor.content.utf8.elementsEqual(rumor.content.utf8))
        }
    }

    @Test("fit up to 40,960 bytes of JSON and not one more")
    func budget() async throws {
        let overhead = Rumor(pubkey: alice.publicKey.bytes, kind: 44_001, content: "", createdAt: now).json.count
        func rumor(_ size: Int) -> Rumor {
            Rumor(
                pubkey: alice.publicKey.bytes,
                kind: 44_001,
                content: String(repeating: "a", count: size - overhead),
                createdAt: now
            )
        }
        let wrapper = GiftWrapper(sender: alice)
        let wrap = try await wrapper.wrap(rumor(40_960), for: bob.publicKey, now: now)
        #expect(try GiftWrapOpener(owner: bob).open(wrap).rumor.json.count == 40_960)
        await #expect(throws: GiftWrapError.tooLarge(.nip44(.plaintextTooLong(maximum: 65_535)))) {
            try await wrapper.wrap(rumor(40_961), for: bob.publicKey, now: now)
        }
    }
}
