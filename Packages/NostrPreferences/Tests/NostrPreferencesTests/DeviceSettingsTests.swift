import NostrCrypto
import NostrEvents
import NostrPreferences
import Testing

@Suite("Settings of several devices")
struct DeviceSettingsTests {
    private let space = PreferenceSpace(namespace: "example/settings/", owner: me)

    @Test("are put together: what was set last counts, and unset is not null")
    func merging() throws {
        var laptop = DeviceSettings(device: "laptop")
        laptop.set("theme", to: "dark", now: 10)
        laptop.set("limit", to: 5, now: 10)
        var phone = DeviceSettings(device: "phone")
        phone.set("theme", to: .null, now: 11)
        phone.set("sound", to: true, now: 11)
        phone.set("sound", to: nil, now: 12)
        let merged = MergedSettings([laptop, phone])
        #expect(merged == MergedSettings([phone, laptop]))
        #expect(merged["theme"] == .null && merged["limit"] == 5 && merged["sound"] == nil)
        #expect(merged.names == ["limit", "theme"])
        laptop.set("theme", to: "light", now: 3, over: merged)
        #expect(MergedSettings([laptop, phone])["theme"] == "light", "also when the clock is behind")
        let before = laptop
        laptop.set("theme", to: "light", now: 99, over: MergedSettings([laptop, phone]))
        #expect(laptop == before, "the same again is no change")
        var tie = DeviceSettings(device: "tablet")
        tie.set("limit", to: 6, now: 10)
        #expect(MergedSettings([tie, laptop])["limit"] == 6 && MergedSettings([laptop, tie])["limit"] == 6)
    }

    @Test("travel as one document for each device, next to those of others, with unknown members kept")
    func documents() throws {
        var laptop = PreferenceBook<DeviceSettings>(space: space)
        var document = DeviceSettings(device: "laptop")
        document.set("theme", to: ["name": "dark", "sizes": [1, 2]], now: 10)
        try laptop.set(document, now: 10)
        #expect(try laptop.set(document, now: 11) == nil)
        var phone = PreferenceBook<DeviceSettings>(space: space)
        try phone.set(DeviceSettings(device: "phone"), now: 5)
        for event in laptop.pending { try phone.receive(event) }
        #expect(phone.records.map(\.device) == ["laptop", "phone"])
        #expect(MergedSettings(phone.records)["theme"]?["name"] == "dark")
        #expect(phone.pending.count == 1, "each device uploads its own")

        let json =
            #"{"settings":{"device":"x","new":1,"values":{"a":{"value":1,"at":2,"by":"me"},"b":{"at":3}}},"v":2}"#
        let (record, object) = try PreferenceSpace.read(Array(json.utf8), as: DeviceSettings.self)
        var changed = record
        changed.set("a", to: nil, now: 9)
        var members = object
        changed.write(into: &members)
        #expect(
            JSONValue.object(members)
                == (try JSONValue(
                    json: #"{"settings":{"device":"x","new":1,"values":{"a":{"at":9,"by":"me"},"b":{"at":3}}},"v":2}"#
                ))
        )
        #expect(MergedSettings([record.cleared]).names.isEmpty && MergedSettings([record]).names == ["a"])
    }

    @Test(
        "are ignored when they are malformed",
        arguments: [
            "{}", #"{"settings":{}}"#, #"{"settings":{"device":"","values":{}}}"#, #"{"settings":{"device":"a"}}"#,
            #"{"settings":{"device":"a","values":{"b":1}}}"#, #"{"settings":{"device":"a","values":{"b":{"at":1.5}}}}"#,
        ]
    )
    func malformed(json: String) {
        #expect(throws: PreferencesError.self) { try PreferenceSpace.read(Array(json.utf8), as: DeviceSettings.self) }
    }
}
