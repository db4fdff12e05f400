import NostrContacts
import NostrCrypto
import NostrEvents
import NostrPreferences

extension FuzzTarget {
    static let contacts: [FuzzTarget] = [
        FuzzTarget(name: "metadata") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self),
                var profile = try? ProfileMetadata(content: text)
            else { return }
            let content = profile.content
            precondition((try? ProfileMetadata(content: content))?.content == content, "a profile does not survive")
            if let name = profile.chosenName {
                precondition(ProfileMetadata.cleaned(name) == name, "a cleaned name can be cleaned further")
            }
            let before = profile.object.members.count
            precondition((try? profile.setName("x")) != nil && profile.chosenName == "x", "a name cannot be set")
            precondition(profile.object.members.count >= before, "a member is lost")
        },
        // The bytes are what an owner's other application encrypted into a genuine event.
        FuzzTarget(name: "preference") { bytes in
            let json = [UInt8](bytes)
            if let (record, object) = try? PreferenceSpace.read(json, as: LinkstrPreference.self) {
                var written = object
                record.write(into: &written)
                precondition((try? LinkstrPreference(written)) == record, "a record does not survive")
                precondition(written.members.count == object.members.count, "a member is lost or added")
                var cleared = object
                record.cleared.write(into: &cleared)
                precondition((try? LinkstrPreference(cleared)) == record.cleared, "a record cannot be cleared")
            }
            if let (settings, object) = try? PreferenceSpace.read(json, as: DeviceSettings.self) {
                var written = object
                settings.write(into: &written)
                precondition((try? DeviceSettings(written)) == settings, "settings do not survive")
                _ = MergedSettings([settings, settings.cleared]).names
            }
            _ = try? PreferenceBook<LinkstrPreference>(json: json, space: space)
        },
        // Two lists that are made of the bytes, and a third from which they come.
        FuzzTarget(name: "follow-lists") { bytes in
            let (base, ours, theirs) = (list(bytes, 0), list(bytes, 1), list(bytes, 2))
            let merged = ours.merging(theirs, from: base)
            precondition(merged.merging(theirs, from: base) == merged, "merging twice changes something")
            precondition(ours.merging(base, from: base) == ours, "no change changes something")
            let difference = base.difference(to: theirs)
            for added in difference.added { precondition(merged.contains(added.key), "a follow is lost") }
        },
    ]

    private static let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: KeyPair.generate())

    /// Every third byte makes a tag.
    private static func list(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> FollowList {
        var tags: [Tag] = []
        for index in stride(from: start, to: min(bytes.count, 300), by: 3) {
            let byte = bytes[index]
            let key = Bytes32(words: 0, 0, 0, UInt64(byte & 0x0F))
            switch byte >> 4 {
            case 0...7: tags.append(Tag("p", key.hex))
            case 8...10: tags.append(Tag("p", key.hex, "wss://relay.example"))
            case 11: tags.append(Tag("p", "nobody"))
            default: tags.append(Tag("t", String(byte & 3)))
            }
        }
        return FollowList(tags: tags, content: bytes.count % 2 == 0 ? "" : String(start))
    }
}
