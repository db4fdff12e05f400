import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

/// `LINKSTR_SESSION_SEEDS` asks for more histories.
@Suite("The same facts in any order", .timeLimit(.minutes(240)))
struct OrderTests {
    static let seeds = Environment.seeds(100)

    @Test("make the state that the rules say, in any permutation, batching and repetition")
    func permutations() {
        var failures: [String] = []
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let facts = History(&random).facts
            let expected = Model(owner: owner, facts: Set(facts)).state
            for _ in 0..<3 {
                var sessions = Sessions(owner: owner)
                for fact in facts.shuffled(using: &random) {
                    _ = sessions.apply(fact)
                    if Int.random(in: 0..<10, using: &random) == 0, let again = facts.randomElement(using: &random) {
                        _ = sessions.apply(again)
                    }
                }
                let open = sessions.state
                sessions.completeRestore()
                if open != expected || sessions.state != expected { failures.append("seed \(seed)") }
                for fact in facts.shuffled(using: &random) { _ = sessions.apply(fact) }
                if sessions.state != expected { failures.append("seed \(seed), replayed") }
            }
        }
        #expect(failures.isEmpty)
    }

    @Test("make the same posts on every member's device, where all were members")
    func devices() {
        var failures: [String] = []
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed &+ 1_000_000)
            let facts = History(&random, hasOneClaimant: true).facts
            let devices = History.people.map { person in
                var sessions = Sessions(owner: person)
                for fact in facts.shuffled(using: &random) { _ = sessions.apply(fact) }
                return sessions
            }
            for first in devices {
                for second in devices {
                    guard let mine = first.session(films), let theirs = second.session(films) else { continue }
                    let shared = { (view: SessionView) in
                        view.posts.filter { post in
                            [first.owner, second.owner].allSatisfy {
                                mine.membership.contains($0, at: post.post.moment.time)
                                    && theirs.membership.contains($0, at: post.post.moment.time)
                            }
                        }.map(\.post.id)
                    }
                    if shared(mine) != shared(theirs) { failures.append("seed \(seed)") }
                }
            }
        }
        #expect(failures.isEmpty)
    }

    @Test("never let a stranger change what is shown, but for the contested mark")
    func strangers() {
        var failures: [String] = []
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed &+ 2_000_000)
            let session = SessionID.draw(creator: creator, random: .seeded(&random))
            let facts = History(&random, in: session, hasOneClaimant: true).facts
            let stranger = key(0x77)
            let make = Maker(session: session)
            var forged = facts.compactMap { fact -> Fact? in
                switch fact.statement {
                case .snapshot, .sessionDelete, .rootDelete, .reaction, .root:
                    Fact(
                        moment: Moment(time: fact.time, id: id("forged \(fact.id)")),
                        sender: stranger,
                        session: session,
                        statement: fact.statement
                    )
                }
            }
            forged.append(make.create([stranger, owner], by: stranger, at: 0, name: "Mine"))
            var honest = Sessions(owner: owner)
            for fact in facts { _ = honest.apply(fact) }
            var attacked = Sessions(owner: owner)
            for fact in (facts + forged).shuffled(using: &random) { _ = attacked.apply(fact) }
            guard let before = honest.shown(session) else {
                // Without a claim by its creator the session is nobody's yet, and the stranger's claim stands alone.
                if !honest.deleted.isEmpty, attacked.state.deleted != honest.state.deleted {
                    failures.append("seed \(seed), deleted")
                }
                continue
            }
            guard let after = attacked.shown(session) else {
                failures.append("seed \(seed), gone")
                continue
            }
            if before.posts != after.posts || before.history != after.history || before.name != after.name
                || before.creator != after.creator
            {
                failures.append("seed \(seed)")
            }
        }
        #expect(failures.isEmpty)
    }
}

extension RandomSource {
    /// Bytes of a seeded generator.
    static func seeded(_ random: inout SeededGenerator) -> RandomSource {
        var bytes: [UInt8] = []
        while bytes.count < 64 { bytes += withUnsafeBytes(of: random.next()) { Array($0) } }
        let fixed = bytes
        return RandomSource { target in
            for index in target.indices { target[index] = fixed[index % fixed.count] }
        }
    }
}

/// A random history of five people who agree on little: two sessions, times that tie, lists that exclude their sender, posts of
/// outsiders, deletes of other people's posts, several claimants.
struct History {
    static let people = [creator, owner, peer, other, key(0x11)]
    var facts: [Fact] = []

    init(_ random: inout SeededGenerator, in session: SessionID = films, hasOneClaimant: Bool = false) {
        let make = Maker(session: session)
        let elsewhere = Maker(session: SessionID("elsewhere")!)
        let people = Self.people
        var roots: [Fact] = []
        let count = Int.random(in: 5...400, using: &random)
        let span = Int64.random(in: 3...60, using: &random)
        for _ in 0..<count {
            let time = Int64.random(in: 0...span, using: &random)
            let sender = people.randomElement(using: &random) ?? creator
            let founder = hasOneClaimant || Int.random(in: 0..<6, using: &random) > 0 ? creator : sender
            let some = people.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            let target = roots.randomElement(using: &random)
            switch Int.random(in: 0..<24, using: &random) {
            case 0, 1:
                facts.append(make.create(some + [founder], by: founder, at: time, name: "N\(time)"))
            case 2...5:
                let name = Int.random(in: 0..<2, using: &random) == 0 ? nil : "M\(time)"
                facts.append(make.members(some, by: founder, at: time, name: name))
            case 6...12:
                let root = make.root(by: sender, at: time, "\(facts.count)")
                roots.append(root)
                facts.append(root)
            case 13...19:
                guard let target else { continue }
                let emoji = ["👍", "👀", "e\u{301}", "\u{e9}"].randomElement(using: &random) ?? "👍"
                facts.append(make.react(to: target, by: sender, at: time, emoji, Bool.random(using: &random)))
            case 20, 21:
                guard let target else { continue }
                let author = Int.random(in: 0..<2, using: &random) == 0 ? target.sender : sender
                facts.append(make.delete(target, by: author, at: time))
            case 22:
                guard let target else { continue }
                facts.append(elsewhere.react(to: target, by: sender, at: time))
            default:
                guard Int.random(in: 0..<12, using: &random) == 0 else { continue }
                facts.append(make.delete(by: sender, at: time))
            }
        }
    }
}
