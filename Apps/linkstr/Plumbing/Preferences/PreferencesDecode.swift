import CommandKit
import NostrCrypto
import NostrEvents
import NostrPreferences

extension PreferenceSpace {
    /// The records of the secret key that is given.
    init(_ call: Invocation) throws {
        self.init(
            namespace: LinkstrPreference.namespace,
            owner: KeyPair(try Secret.key(call[Secret.option], call))
        )
    }
}

enum PreferencesDecode {
    static let command = Command(
        "decode",
        "Check and decrypt records",
        details: [
            "Reads events of kind 30078 as JSON lines and prints a line for each: id, created_at, item and record. Refused are "
                + "events by another key, under a name that does not fit, and with anything but a record in them.",
            Secret.help,
        ],
        takes: [Secret.option, Passphrase.file],
        examples: [Example("linkstr prefs decode --sec @me.key < events.jsonl", "Prints the records")]
    ) { call in
        let space = try PreferenceSpace(call)
        let output = call.console.output
        try LineStream(call, of: "events as JSON lines").forEach { bytes in
            let stored = try space.decode(Event(json: bytes, limits: .local), as: LinkstrPreference.self)
            let line: JSONValue = [
                "id": .string(stored.event.id.hex), "created_at": .integer(stored.event.createdAt),
                "item": .string(stored.record.itemKey), "record": .object(stored.object),
            ]
            try output.line(json: line.json)
        }
    }
}
