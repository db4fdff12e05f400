import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents

/// Keys that need not be on the curve: facts carry authenticated senders.
func key(_ number: UInt8) -> Bytes32 {
    var bytes = [UInt8](repeating: number, count: 32)
    bytes[0] = 1
    return try! Bytes32(bytes)
}

let creator = key(0xc)
let owner = key(0xe)
let peer = key(0xf)
let other = key(0x10)

func id(_ text: String) -> EventID {
    EventID(SHA256.hash(Array(text.utf8)))
}

let films = SessionID("films")!

/// Makes facts with ids that follow from a name.
struct Maker {
    var session = films

    func create(
        _ members: [Bytes32],
        by sender: Bytes32 = creator,
        at time: Int64,
        name: String = "Films",
        id named: EventID? = nil
    )
        -> Fact
    {
        fact(.snapshot(name: name, members: members, isCreate: true), sender, time, named)
    }

    func members(
        _ members: [Bytes32],
        by sender: Bytes32 = creator,
        at time: Int64,
        name: String? = nil,
        id named: EventID? = nil
    )
        -> Fact
    {
        fact(.snapshot(name: name, members: members, isCreate: false), sender, time, named)
    }

    func root(by sender: Bytes32 = peer, at time: Int64, _ path: String = "") -> Fact {
        fact(.root(url: try! WebURL("https://example.com/\(path)"), note: nil), sender, time, nil)
    }

    func delete(_ root: Fact, by sender: Bytes32? = nil, at time: Int64) -> Fact {
        fact(.rootDelete(root.id), sender ?? root.sender, time, nil)
    }

    func delete(by sender: Bytes32 = creator, at time: Int64, id named: EventID? = nil) -> Fact {
        fact(.sessionDelete, sender, time, named)
    }

    func react(
        to root: Fact,
        by sender: Bytes32 = peer,
        at time: Int64,
        _ emoji: String = "👍",
        _ isActive: Bool = true,
        id named: EventID? = nil
    ) -> Fact {
        fact(.reaction(root: root.id, emoji: ExactText(emoji), isActive: isActive), sender, time, named)
    }

    private func fact(_ statement: Fact.Statement, _ sender: Bytes32, _ time: Int64, _ named: EventID?) -> Fact {
        let moment = Moment(time: time, id: named ?? id("\(session)\(statement)\(sender)\(time)"))
        return Fact(moment: moment, sender: sender, session: session, statement: statement)
    }
}

extension Sessions {
    /// What `session` shows of one session, comparable.
    func shown(_ id: SessionID = films) -> Shown? {
        session(id).map { view in
            Shown(
                creator: view.creator,
                isContested: view.isContested,
                name: view.membership.name,
                history: view.membership.intervals,
                posts: view.posts.map { post in
                    Shown.Post(
                        id: post.post.id,
                        reactions: post.reactions.map { Shown.Reaction(emoji: $0.emoji, senders: $0.senders) }
                    )
                }
            )
        }
    }

    var times: [Int64] {
        session(films)?.posts.map { $0.post.moment.time } ?? []
    }
}

struct Shown: Hashable {
    struct Reaction: Hashable {
        let emoji: ExactText
        let senders: [Bytes32]
    }

    struct Post: Hashable {
        let id: EventID
        let reactions: [Reaction]
    }

    let creator: Bytes32
    let isContested: Bool
    let name: String?
    let history: [Bytes32: [Interval]]
    let posts: [Post]
}
