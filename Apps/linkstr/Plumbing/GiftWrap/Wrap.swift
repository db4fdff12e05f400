import CommandKit
import NostrCrypto
import NostrEvents
import NostrGiftWrap

enum Wrap {
    private static let recipients = RepeatedOption("to", .publicKey, required: true, "A recipient; may be given again")
    private static let copy = DefaultedOption(
        "copy",
        .choice(["none", "first", "last"]),
        default: "none",
        "Whether a wrap for the sender is printed too, before or after the others"
    )
    private static let ephemeral = Flag("ephemeral", "Make wraps of kind 21059, which relays do not keep")
    private static let relay = Option("relay", .text, placeholder: "URL", "A relay hint for the p tag")
    private static let expiration = Option(
        "expiration",
        .time,
        "When relays may forget the wrap, in seconds since 1970 (NIP-40)"
    )
    private static let work = DefaultedOption(
        "pow",
        .integer(in: 0...64 as ClosedRange<Int>),
        placeholder: "BITS",
        default: 0,
        "Leading zero bits of the wrap's id (NIP-13)"
    )

    static let command = Command(
        "wrap",
        "Seal and wrap rumors (NIP-59)",
        details: [
            "Reads JSON lines with at least a kind, as event sign does, and prints for each a gift wrap for every "
                + "recipient. A signature in them is dropped. The times of seal and wrap lie up to two days in the past.",
            Secret.help,
        ],
        takes: [
            Secret.option, recipients, copy, ephemeral, relay, expiration, work, Passphrase.file,
        ],
        examples: [
            Example(
                #"echo '{"kind":14,"content":"hello"}' | linkstr wrap --sec @me.key --to npub1... --copy last"#,
                "Prints two wraps, one for the recipient and one for the sender"
            )
        ]
    ) { call in
        let keyPair = KeyPair(try Secret.key(call[Secret.option], call))
        let wrapper = GiftWrapper(
            sender: keyPair,
            options: GiftWrapOptions(
                persistence: call[ephemeral] ? .ephemeral : .stored,
                workBits: call[work],
                expiration: call[expiration]
            )
        )
        let own: GiftWrapper.OwnCopy =
            switch call[copy] {
            case "first": .first
            case "last": .last
            default: .omitted
            }
        let hints = call[relay].map { hint in
            Dictionary(call[recipients].map { ($0.bytes, hint) }, uniquingKeysWith: { first, _ in first })
        }
        let output = call.console.output
        try await Interruption.cancelling {
            try await LineStream(call, of: "rumors as JSON lines").forEachAwaiting { bytes in
                let rumor = try EventTemplate.draft(by: keyPair.publicKey, at: Clock.now).read(bytes).rumor
                let wraps = try await wrapper.wrap(
                    rumor,
                    for: call[recipients],
                    ownCopy: own,
                    relayHints: hints ?? [:],
                    now: Clock.now
                )
                for wrap in wraps { try output.line(json: wrap.event.json) }
            }
        }
    }
}
