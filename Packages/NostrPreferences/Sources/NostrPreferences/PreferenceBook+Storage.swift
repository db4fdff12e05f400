import NostrEvents

extension PreferenceBook {
    /// The book as JSON for storing: an array of `{"pending":true,"event":{...}}`. Contents are encrypted as on relays.
    public var json: [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for (index, item) in items.sorted(by: { $0.key < $1.key }).map(\.value).enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += "{\"pending\":\(item.isPending),\"event\":".utf8
            item.stored.event.appendJSON(to: &json)
            json.append(UInt8(ascii: "}"))
        }
        json.append(UInt8(ascii: "]"))
        return json
    }

    /// Reads what ``json`` gave.
    /// - Throws: ``PreferencesError/damagedStorage`` if anything in it is not what was stored; nothing is left out silently.
    public init(json: [UInt8], space: PreferenceSpace) throws(PreferencesError) {
        self.init(space: space)
        let limits = JSONLimits(size: 256 << 20)
        guard let rows = (try? JSONValue(json: json, limits: limits))?.array else { throw .damagedStorage }
        for row in rows {
            guard let isPending = row["pending"]?.bool, let value = row["event"],
                let event = try? Event(json: value.json),
                let stored = try? space.decode(event, as: Record.self),
                items.updateValue(Item(stored: stored, isPending: isPending), forKey: ExactText(stored.record.itemKey))
                    == nil
            else { throw .damagedStorage }
        }
    }
}
