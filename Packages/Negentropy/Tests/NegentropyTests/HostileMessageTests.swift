import Negentropy
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

@Suite struct HostileMessageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let message: [UInt8]
        let error: NegentropyError?

        var testDescription: String { name }
    }

    private static let id = [UInt8](repeating: 7, count: 32)
    private static let fingerprint = [UInt8](repeating: 9, count: 16)
    /// 2^64 - 1 in ten digits.
    private static let largest: [UInt8] = [0x81] + [UInt8](repeating: 0xff, count: 8) + [0x7f]

    static let rows: [Row] = [
        Row(name: "only a version", message: [0x61], error: nil),
        Row(name: "a skip to infinity", message: [0x61, 0, 0, 0], error: nil),
        Row(name: "a skip to 2^64 - 2", message: [0x61] + largest + [0, 0], error: nil),
        Row(name: "a whole prefix", message: [0x61, 5, 32] + id + [0], error: nil),
        Row(name: "a range without width", message: [0x61, 5, 0, 0, 1, 0, 0], error: nil),
        Row(name: "a fingerprint", message: [0x61, 0, 0, 1] + fingerprint, error: nil),
        Row(name: "nothing", message: [], error: .notNegentropy),
        Row(name: "text", message: Array("hello".utf8).map { $0 & 0x5f }, error: .notNegentropy),
        Row(name: "the byte after the versions", message: [0x70, 0, 0, 0], error: .notNegentropy),
        Row(name: "half a bound", message: [0x61, 5], error: .truncatedMessage),
        Row(name: "half an integer", message: [0x61, 0x81], error: .truncatedMessage),
        Row(name: "half a prefix", message: [0x61, 5, 32] + id.dropLast(), error: .truncatedMessage),
        Row(name: "no mode", message: [0x61, 0, 0], error: .truncatedMessage),
        Row(name: "half a fingerprint", message: [0x61, 0, 0, 1] + fingerprint.dropLast(), error: .truncatedMessage),
        Row(name: "half an ID", message: [0x61, 0, 0, 2, 1] + id.dropLast(), error: .truncatedMessage),
        Row(name: "2^64 - 1 IDs", message: [0x61, 0, 0, 2] + largest + id, error: .truncatedMessage),
        Row(
            name: "2^59 IDs",
            message: [0x61, 0, 0, 2, 0x88, 128, 128, 128, 128, 128, 128, 128, 0],
            error: .truncatedMessage
        ),
        Row(name: "a prefix of 33", message: [0x61, 5, 33, 1] + id + [0], error: .malformedMessage(.idPrefix)),
        Row(name: "infinity with a prefix", message: [0x61, 0, 1, 1, 0], error: .malformedMessage(.idPrefix)),
        Row(name: "mode 3", message: [0x61, 0, 0, 3], error: .malformedMessage(.mode)),
        Row(name: "a huge mode", message: [0x61, 0, 0] + largest, error: .malformedMessage(.mode)),
        Row(name: "a padded integer", message: [0x61, 0x80, 5, 0, 0], error: .malformedMessage(.varint)),
        Row(
            name: "an integer above 64 bits",
            message: [0x61, 0x83] + [UInt8](repeating: 0xff, count: 8) + [0x7f, 0, 0],
            error: .malformedMessage(.varint)
        ),
        Row(
            name: "an endless integer",
            message: [0x61] + [UInt8](repeating: 0xff, count: 1_000),
            error: .malformedMessage(.varint)
        ),
        Row(
            name: "timestamps that overflow",
            message: [0x61] + largest + [0, 0, 9, 0, 0],
            error: .malformedMessage(.timestamp)
        ),
        Row(
            name: "the reserved timestamp",
            message: [0x61] + largest + [0, 0, 2, 0, 0],
            error: .malformedMessage(.timestamp)
        ),
        Row(name: "a descending prefix", message: [0x61, 5, 1, 9, 0, 1, 1, 8, 0], error: .malformedMessage(.order)),
        Row(name: "more after infinity", message: [0x61, 0, 0, 0, 0, 0, 0], error: .malformedMessage(.order)),
    ]

    @Test(arguments: rows)
    func aServerRefusesAMalformedMessage(row: Row) throws {
        let server = try NegentropyServer(Samples.pair(shared: 100, onlyFirst: 0, onlySecond: 0, seed: 5).first)
        if let error = row.error {
            #expect(throws: error) { try server.respond(to: row.message) }
        } else {
            #expect(try server.respond(to: row.message).first == 0x61)
        }
    }

    @Test(arguments: rows)
    func aClientRefusesAMalformedMessageAndStaysAsItWas(row: Row) throws {
        let pair = Samples.pair(shared: 100, onlyFirst: 0, onlySecond: 0, seed: 5)
        var client = try NegentropyClient(pair.first)
        guard let error = row.error else {
            _ = try client.receive(row.message)
            return
        }
        #expect(throws: error) { try client.receive(row.message) }
        #expect(try client.receive([0x61]).next == nil)
    }

    @Test func anAnswerThatIsNotAwaitedIsRefused() throws {
        var client = try NegentropyClient(InMemoryNegentropySet([]))
        #expect(try client.receive([0x61]).next == nil)
        #expect(throws: NegentropyError.unexpectedMessage) { try client.receive([0x61]) }
    }

    @Test func aServerThatNeverAgreesIsGivenUp() throws {
        let set = Samples.pair(shared: 500, onlyFirst: 0, onlySecond: 0, seed: 6).first
        var client = try NegentropyClient(set, limits: NegentropyClientLimits(maximumRounds: 20))
        let lie: [UInt8] = [0x61, 0, 0, 1] + Self.fingerprint
        for _ in 0..<20 { #expect(try client.receive(lie).next != nil) }
        #expect(throws: NegentropyError.tooManyRounds(limit: 20)) { try client.receive(lie) }
    }

    @Test func aServerThatCutsTheSetIntoTooManyPiecesIsGivenUp() throws {
        let set = Samples.pair(shared: 500, onlyFirst: 0, onlySecond: 0, seed: 6).first
        // One second skipped, one second said to differ, and so on.
        let piece: [UInt8] = [2, 0, 0, 2, 0, 1] + Self.fingerprint
        let pieces = [UInt8](repeatElement(piece, count: 101).joined())
        var strict = try NegentropyClient(set, limits: NegentropyClientLimits(maximumRanges: 100))
        #expect(throws: NegentropyError.tooManyRanges(limit: 100)) { try strict.receive([0x61] + pieces) }
        var lenient = try NegentropyClient(set, limits: NegentropyClientLimits(maximumRanges: 101))
        #expect(try lenient.receive([0x61] + pieces).next != nil)
    }

    @Test func idsOutsideOfWhatWasAskedAreRefused() throws {
        let set = Samples.pair(shared: 500, onlyFirst: 0, onlySecond: 0, seed: 6).first
        var client = try NegentropyClient(set)
        // The first second is said to differ, so only that is asked about next.
        let next = try client.receive([0x61, 2, 0, 1] + Self.fingerprint).next
        #expect(next != nil)
        let list: [UInt8] = [2, 1] + Self.id
        #expect(throws: NegentropyError.rangeNotAsked) { try client.receive([0x61, 3, 0] + list) }
        let step = try client.receive([0x61, 2, 0] + list)
        #expect(step.need.map(\.bytes.array) == [Self.id])
        #expect(step.next == nil)
    }

    @Test func anIDListedTwiceIsNeededOnce() throws {
        var client = try NegentropyClient(InMemoryNegentropySet([]))
        #expect(try client.receive([0x61, 0, 0, 2, 2] + Self.id + Self.id).need.map(\.bytes.array) == [Self.id])
    }

    @Test func anAnswerNeverExceedsTheLimitWhateverIsAsked() throws {
        let set = Samples.pair(shared: 5_000, onlyFirst: 0, onlySecond: 0, perSecond: 1, seed: 7).first
        let server = try NegentropyServer(set, frameSizeLimit: 1_000)
        // 400 ranges of ten seconds, each with an empty list, each owing ten IDs.
        var message: [UInt8] = [0x61]
        message += [0x86, 0xaa, 0xcf, 0xe2, 0x01, 0, 0]
        for _ in 0..<400 { message += [11, 0, 2, 0] }
        #expect(try server.respond(to: message).count <= 1_000)
        #expect(try NegentropyServer(set, frameSizeLimit: nil).respond(to: message).count > 100_000)
    }

    @Test func mutatedMessagesNeverDoMoreThanThrow() throws {
        let pair = Samples.pair(shared: 300, onlyFirst: 40, onlySecond: 40, seed: 8)
        let server = try NegentropyServer(pair.second, frameSizeLimit: 1_000)
        var random = SeededGenerator(seed: 8)
        var refused = 0
        var accepted = 0
        for _ in 0..<400 {
            var client = try NegentropyClient(pair.first, frameSizeLimit: 1_000)
            var next: [UInt8]? = client.openingMessage
            do {
                while let message = next, client.rounds < 30 {
                    let answer = try server.respond(to: mutate(message, using: &random))
                    next = try client.receive(mutate(answer, using: &random)).next
                    accepted += 1
                }
            } catch is NegentropyError {
                refused += 1
            }
        }
        #expect(refused > 50)
        #expect(accepted > 50)
    }

    private func mutate(_ message: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var message = message
        guard random.next() % 3 == 0 else { return message }
        for _ in 0...(random.next() % 3) {
            let place = Int(random.next() % UInt64(message.count + 1))
            let byte = [UInt8(truncatingIfNeeded: random.next()), 0, 1, 2, 0x7f, 0x80, 0xff][Int(random.next() % 7)]
            switch random.next() % 5 {
            case 0: message.insert(byte, at: place)
            case 1 where place < message.count: message.remove(at: place)
            case 2: message.removeLast(message.count - place)
            case 3: message.append(contentsOf: message.prefix(place))
            default: if place < message.count { message[place] = byte }
            }
        }
        return message
    }
}
