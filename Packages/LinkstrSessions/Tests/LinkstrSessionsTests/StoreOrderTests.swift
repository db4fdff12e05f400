import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

/// The store against the model. `LINKSTR_SESSION_SEEDS` asks for more histories.
@Suite("The same facts in a database, in any order", .timeLimit(.minutes(240)))
struct StoreOrderTests {
    static let seeds = Environment.seeds(40)

    @Test("and any batches, with restarts and merges between them, make the state that the rules say")
    func permutations() async throws {
        var failures: [String] = []
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed &+ 5_000_000)
            let facts = History(&random).facts
            let expected = Model(owner: owner, facts: Set(facts)).state
            let options = SessionStoreOptions(
                synchronous: .normal,
                recentFacts: Int.random(in: 1...60, using: &random),
                rememberedKeys: Bool.random(using: &random) ? 0 : 200_000
            )
            var device = try await Device(isRestored: false, options: options)
            var rest = facts.shuffled(using: &random)[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Int.random(in: 1...25, using: &random)))
                rest = rest.dropFirst(batch.count)
                try await device.take(batch)
                if Int.random(in: 0..<12, using: &random) == 0 { try await device.take(batch.shuffled(using: &random)) }
                if Int.random(in: 0..<8, using: &random) == 0 { device = try await device.restarted(options) }
            }
            if try await device.state() != expected { failures.append("seed \(seed), restoring") }
            _ = try await device.store.completeRestore()
            if try await device.state() != expected { failures.append("seed \(seed), restored") }
            try await device.take(facts.shuffled(using: &random))
            if try await device.state() != expected { failures.append("seed \(seed), replayed") }
            if try await !device.store.integrityCheck().isEmpty { failures.append("seed \(seed), damaged") }
        }
        #expect(failures.isEmpty)
    }

    @Test("say the same as in memory when claims and deletes are decided as they come")
    func likeMemory() async throws {
        var failures: [String] = []
        // One in which a reaction that is here comes again when it could not come in live.
        for seed in [1_246] + Self.seeds {
            var random = SeededGenerator(seed: seed &+ 6_000_000)
            let facts = History(&random).facts.shuffled(using: &random)
            let isChecked = Bool.random(using: &random)
            var memory = Sessions(owner: owner, isRestoring: false, checksLiveAdmission: isChecked)
            let options = SessionStoreOptions(synchronous: .normal, recentFacts: 10, checksLiveAdmission: isChecked)
            let device = try await Device(options: options)
            var rest = facts[...]
            while !rest.isEmpty {
                let source: Source = Bool.random(using: &random) ? .live : .historical
                let batch = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(batch.count)
                let outcomes = batch.map { memory.apply($0, source: source) }
                let applied = try await device.take(batch, source: source)
                let refusedHere = applied.outcomes.map { $0 == .refused }
                if refusedHere != outcomes.map({ $0 == .refused }) { failures.append("seed \(seed), refusals") }
            }
            if try await device.state() != memory.state { failures.append("seed \(seed)") }
        }
        #expect(failures.isEmpty)
    }

    @Test("tell of every post that comes to count, once, however the facts are batched")
    func effects() async throws {
        var failures: [String] = []
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed &+ 7_000_000)
            let facts = History(&random, hasOneClaimant: true).facts.shuffled(using: &random)
            let device = try await Device()
            var shown = 0
            var posted: [EventID] = []
            var rest = facts[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(batch.count)
                let before = Set(try await device.posts().map(\.post.id))
                for effect in try await device.take(batch).effects {
                    switch effect {
                    case .posted(let session, let post, _, _) where session == films:
                        posted.append(post)
                        shown += 1
                    case .recounted(films, let more, let less): shown += more - less
                    default: break
                    }
                }
                let after = Set(try await device.posts().map(\.post.id))
                // Deletes take posts away without a word about their number.
                let gone = before.subtracting(after).count
                if after.count > shown || after.count + gone < shown { failures.append("seed \(seed), count") }
                shown = after.count
            }
            if Set(posted).count != posted.count { failures.append("seed \(seed), twice") }
        }
        #expect(failures.isEmpty)
    }
}
