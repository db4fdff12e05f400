import APNs
import Foundation
import Testing

@Suite struct PayloadTests {
    @Test func aPayloadIsWrittenInOneWayOnly() throws {
        var payload = APNsPayload(title: "New \"post\"", body: "Line\n\u{1}\\ é 👍")
        payload.threadID = "S"
        payload.fields = [.init("type", "new_post"), .init("event_id", "e")]
        let expected =
            #"{"aps":{"alert":{"title":"New \"post\"","body":"Line\n\u0001\\ é 👍"},"sound":"default","thread-id":"S"},"#
            + #""type":"new_post","event_id":"e"}"#
        #expect(String(decoding: try payload.json(), as: UTF8.self) == expected)
        #expect(try JSONSerialization.jsonObject(with: Data(payload.json())) is [String: Any])
    }

    @Test func everyControlCharacterIsEscaped() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
        let json = try APNsPayload(title: text, body: "").json()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let alert = (object["aps"] as? [String: Any])?["alert"] as? [String: String]
        #expect(alert?["title"] == text)
        #expect(json.allSatisfy { $0 >= 0x20 })
    }

    @Test func theLargestPayloadPassesAndOneByteMoreIsRefused() throws {
        let empty = try APNsPayload(title: "", body: "").json().count
        let room = APNsPayload.maximumSize - empty
        #expect(try APNsPayload(title: String(repeating: "x", count: room), body: "").json().count == 4096)
        #expect(throws: APNsError.payloadTooLarge(4097)) {
            try APNsPayload(title: String(repeating: "x", count: room + 1), body: "").json()
        }
    }

    @Test func aFieldNamedApsOrGivenTwiceIsRefused() throws {
        var payload = APNsPayload(title: "", body: "")
        payload.fields = [.init("a", "1"), .init("b", "2")]
        #expect(throws: Never.self) { try payload.json() }
        payload.fields = [.init("aps", "1")]
        #expect(throws: APNsError.invalidPayload) { try payload.json() }
        payload.fields = [.init("a", "1"), .init("a", "2")]
        #expect(throws: APNsError.invalidPayload) { try payload.json() }
    }
}
