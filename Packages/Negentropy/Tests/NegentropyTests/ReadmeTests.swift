import Negentropy
import NostrCrypto
import NostrEvents
import Testing

/// The example of the package's README, as it stands there.
@Suite struct ReadmeTests {
    @Test func theExampleOfTheReadmeWorks() throws {
        func item(_ second: UInt64) throws -> NegentropyItem {
            try NegentropyItem(timestamp: second, id: EventID(SHA256.hash("event of second \(second)")))
        }
        let mine = InMemoryNegentropySet(try [1, 2, 3].map(item))
        let theirs = InMemoryNegentropySet(try [2, 3, 4].map(item))

        let server = try NegentropyServer(theirs)
        var client = try NegentropyClient(mine)
        var message: [UInt8]? = client.openingMessage
        var have: [EventID] = []
        var need: [EventID] = []
        while let next = message {
            let step = try client.receive(server.respond(to: next))
            have += step.have
            need += step.need
            message = step.next
        }
        // have == [ID of the event of second 1], need == [ID of the event of second 4]

        #expect(try have == [item(1).id])
        #expect(try need == [item(4).id])
    }
}
