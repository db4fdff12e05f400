import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents
import QRCode

enum QR {
    private static let png = Option("png", .file, "Write a picture to FILE instead")
    private static let inverted = Flag("light-terminal", "For a terminal with dark letters on a light ground")
    private static let key = OptionalArgument("KEY", .person, "Whose; the account's own if left out")

    static let command = Command(
        "qr",
        "Show an npub as a QR code",
        takes: [png, inverted, key],
        examples: [
            Example("linkstr qr", "Shows the account's npub in the terminal"),
            Example("linkstr qr --png ann.png", "Writes it as a picture"),
        ]
    ) { call in
        let typed = call[key]
        let key = if let typed { try await Work.key(typed, call).bytes } else { try Work.account(call).key }
        let npub = key.npub
        let code = try QRCode("nostr:" + npub)
        if let path = call[png] {
            try Files.write(path, bytes: code.png())
        } else if call.console.usesJSON {
            let rows = (0..<code.size).map { y in
                JSON.string(String((0..<code.size).map { x in code.isDark(x, y) ? "#" : "." }))
            }
            try call.console.output.line(["npub": .string(npub), "rows": .array(rows)])
        } else {
            try call.console.output.line(code.text(isInverted: !call[inverted]))
            try call.console.output.line(npub)
        }
    }
}
