import Locking
import Foundation
import NostrContacts
import NostrCrypto
import NostrEvents

/// Not the testing library's.
typealias Tag = NostrEvents.Tag

let me = KeyPair.generate()
let alice = KeyPair.generate().publicKey
let bob = KeyPair.generate().publicKey
let carol = KeyPair.generate().publicKey

func follow(_ key: PublicKey) -> Follow { Follow(key) }

/// A list event of the account.
func listEvent(_ tags: [Tag], at time: Int64, content: String = "", by owner: KeyPair = me) -> Event {
    FollowList(tags: tags, content: content).event(createdAt: time, signedBy: owner)
}

func tags(_ keys: [PublicKey]) -> [Tag] { keys.map { Tag("p", $0.hex) } }

/// A relay's side of an editor: what was published, and what happens meanwhile.
final class Desk: Sendable {
    struct State {
        var published: [Event] = []
        var stored: [Event] = []
        var saves = 0
        var now: Int64 = 1_000
        var refusal: (any Error)?
        var saveRefusal: (any Error)?
        var fetchFailure: (any Error)?
    }

    let state = Locked(State())
    /// Runs while an event is on its way to the relay.
    let meanwhile = Locked<(@Sendable (Event) async throws -> Void)?>(nil)

    struct Refused: Error {}

    /// Runs something while the next events are on their way, so many of them.
    func during(next count: Int = 1, _ body: @escaping @Sendable (Event) async throws -> Void) {
        let left = Locked(count)
        meanwhile.withLock {
            $0 = { event in
                let isNext = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isNext { try await body(event) }
            }
        }
    }

    var published: [Event] { state.withLock { $0.published } }

    /// Holds the desk without owning it: what runs meanwhile owns the editor, and that owns this.
    var environment: FollowListEnvironment {
        FollowListEnvironment(
            publish: { [unowned self] event in
                if let refusal = self.state.withLock({ $0.refusal }) { throw refusal }
                self.state.withLock { $0.published.append(event) }
                if let meanwhile = self.meanwhile.withLock({ $0 }) { try await meanwhile(event) }
            },
            fetchNewest: { [unowned self] in
                if let failure = self.state.withLock({ $0.fetchFailure }) { throw failure }
                return self.state.withLock { $0.stored }
            },
            save: { [unowned self] _, _ in
                if let refusal = self.state.withLock({ $0.saveRefusal }) { throw refusal }
                self.state.withLock { $0.saves += 1 }
            },
            now: { [unowned self] in self.state.withLock { $0.now } }
        )
    }

    func editor(knowing event: Event? = nil) -> FollowListEditor {
        FollowListEditor(
            keyPair: me,
            state: FollowListState(owner: me.publicKey.bytes, newest: event),
            environment: environment
        )
    }
}
