import NostrEvents

extension FuzzTarget {
    static let events: [FuzzTarget] = [
        FuzzTarget(name: "event") { bytes in
            let json = [UInt8](bytes)
            let found = EventScanner.eventID(json)
            if let rumor = try? Rumor(json: json) {
                precondition((try? Rumor(json: rumor.json)) == rumor, "a rumor does not survive its own text")
                precondition(rumor.tags.reduce(0) { count, _ in count + 1 } == rumor.tags.count, "a tag is lost")
                let made = Rumor(
                    pubkey: rumor.pubkey,
                    kind: rumor.kind,
                    content: rumor.content,
                    tags: Array(rumor.tags),
                    createdAt: rumor.createdAt
                )
                precondition(made == rumor, "the id of the source differs from the id of its parts")
            }
            guard let event = try? WireEvent(json: json) else { return }
            // A key may be spelled with escapes, which a look at the bytes does not see.
            precondition(found == event.id || bytes.contains(UInt8(ascii: "\\")), "the id found is another")
            guard let again = try? WireEvent(json: event.json) else {
                preconditionFailure("what is read cannot be written")
            }
            precondition(again.id == event.id, "an id does not survive its text")
            precondition(again.signature == event.signature, "a signature does not survive its text")
            precondition(again.hasValidID == event.hasValidID, "an id is valid in one spelling alone")
            precondition(Array(again.tags) == Array(event.tags), "tags do not survive their own text")
            precondition(again.content.utf8.elementsEqual(event.content.utf8), "content does not survive its own text")
        },
        FuzzTarget(name: "filter") { bytes in
            guard let filter = try? Filter(json: [UInt8](bytes)) else { return }
            precondition((try? Filter(json: filter.json)) == filter, "a filter does not survive its own text")
        },
        FuzzTarget(name: "relay-message") { bytes in
            let json = [UInt8](bytes)
            let preview = RelayMessagePreview(json)
            _ = preview?.subscription(in: json)
            guard let message = try? RelayMessage(json: json) else { return }
            if case .event(_, let event) = message, let found = preview?.eventID, !json.contains(UInt8(ascii: "\\")) {
                precondition(found == event.id, "the id found is another")
            }
            let written = message.json
            precondition((try? RelayMessage(json: written))?.json == written, "a message does not survive its text")
        },
        FuzzTarget(name: "client-message") { bytes in
            guard let written = (try? ClientMessage(json: [UInt8](bytes)))?.json else { return }
            precondition(
                (try? ClientMessage(json: written))?.json == written,
                "a message does not survive its own text"
            )
        },
        FuzzTarget(name: "json") { bytes in
            let json = [UInt8](bytes)
            let limits = JSONLimits(allowsDuplicateKeys: true)
            let raw = try? RawJSON(json: json)
            guard let value = try? JSONValue(json: json, limits: limits) else {
                precondition(raw == nil, "what is skipped cannot be read")
                return
            }
            precondition(raw != nil, "what is read cannot be skipped")
            precondition((try? JSONValue(json: value.json, limits: limits))?.json == value.json, "a value changes")
        },
    ]
}
