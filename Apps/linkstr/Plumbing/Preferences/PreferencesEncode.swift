import CommandKit
import NostrCrypto
import NostrEvents
import NostrPreferences

enum PreferencesEncode {
    private static let createdAt = Option("created-at", .time, "Seconds since 1970, now unless given")

    static let command = Command(
        "encode",
        "Encrypt and sign records",
        details: [
            #"Reads JSON lines, {"alias":{"pubkey":KEY,"name":TEXT}} or {"archive":{"sessionID":ID,"archived":true}}, and "#
                + "prints an event of kind 30078 for each. An alias without a name clears it. Members that are not known are "
                + "kept.",
            Secret.help,
        ],
        takes: [Secret.option, createdAt, Passphrase.file],
        examples: [
            Example(
                #"echo '{"archive":{"sessionID":"A1","archived":true}}' | linkstr prefs encode --sec @me.key"#,
                "Prints the event"
            )
        ]
    ) { call in
        let space = try PreferenceSpace(call)
        let output = call.console.output
        try LineStream(call, of: "records as JSON lines").forEach { bytes in
            let (record, object) = try PreferenceSpace.read(bytes, as: LinkstrPreference.self)
            let time = call[createdAt] ?? Clock.now
            try output.line(json: space.encode(record, over: object, createdAt: time).event.json)
        }
    }
}
