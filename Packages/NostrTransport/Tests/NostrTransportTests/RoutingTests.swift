import NostrCrypto
import NostrEvents
import NostrTransport
import Testing

@Suite struct RoutingTests {
    private static func list(_ tags: [NostrEvents.Tag], kind: Kind = .relayList) -> Event {
        Event(kind: kind, content: "", tags: tags, createdAt: 1, signedBy: Sample.keys)
    }

    private static func url(_ name: String) -> RelayURL { try! RelayURL("wss://\(name).example") }

    @Test func markersSayWhereSomebodyReadsAndWrites() throws {
        let event = Self.list([
            NostrEvents.Tag("r", "wss://both.example"), NostrEvents.Tag("r", "wss://w.example", "write"),
            NostrEvents.Tag("r", "wss://r.example/", "read"),
            NostrEvents.Tag("r", "https://web.example"), NostrEvents.Tag("r"), NostrEvents.Tag("x", "wss://x.example"),
            NostrEvents.Tag("r", "wss://both.example/"),
            NostrEvents.Tag("r", "wss://odd.example", "sideways"),
        ])
        let list = try #require(RelayList(event))
        #expect(list.write == [Self.url("both"), Self.url("w")])
        #expect(list.read == [Self.url("both"), Self.url("r")])
        #expect(RelayList(Self.list(list.tags)) == list)
        #expect(RelayList(Self.list([], kind: .textNote)) == nil)
    }

    @Test func directMessageRelaysComeInTheirOrder() throws {
        let event = Self.list(
            [
                NostrEvents.Tag("relay", "wss://b.example"), NostrEvents.Tag("relay", "nonsense"),
                NostrEvents.Tag("relay", "wss://a.example"),
            ],
            kind: .directMessageRelays
        )
        let list = try #require(DirectMessageRelays(event))
        #expect(list.relays == [Self.url("b"), Self.url("a")])
        #expect(DirectMessageRelays(Self.list(list.tags, kind: .directMessageRelays)) == list)
        #expect(DirectMessageRelays(Self.list([])) == nil)
    }

    @Test func fewRelaysAreChosenThatHoldEverybody() throws {
        let authors = try (1...3).map { try Bytes32([UInt8](repeating: $0, count: 32)) }
        let lists: [Bytes32: RelayList] = [
            authors[0]: RelayList(write: [Self.url("big"), Self.url("one")]),
            authors[1]: RelayList(write: [Self.url("big"), Self.url("two")]),
            authors[2]: RelayList(write: [Self.url("three")]),
        ]
        let once = RelayRouting.reading(lists, copies: 1)
        #expect(once.map(\.relay) == [Self.url("big"), Self.url("three")])
        #expect(once.map(\.authors) == [[authors[0], authors[1]], [authors[2]]])
        let twice = RelayRouting.reading(lists, copies: 2)
        #expect(Set(twice.map(\.relay)) == Set(["big", "one", "two", "three"].map(Self.url)))
        #expect(RelayRouting.reading(lists, copies: 2, limit: 1).map(\.relay) == [Self.url("big")])
    }

    @Test func anEventGoesWhereItsAuthorWritesAndWhereTheMentionedRead() {
        let author = RelayList(write: [Self.url("a"), Self.url("shared")], read: [Self.url("unused")])
        let friend = RelayList(write: [Self.url("unused")], read: [Self.url("shared"), Self.url("f")])
        #expect(
            RelayRouting.publishing(author: author, mentioned: [friend]) == ["a", "shared", "f"].map(Self.url)
        )
        let flood = RelayList(read: (0..<100).map { Self.url("flood\($0)") })
        #expect(RelayRouting.publishing(author: author, mentioned: [flood]).count == 6)
    }
}
