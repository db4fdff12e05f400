import CommandKit

@main
struct Linkstr {
    static let version = "0.1.0"

    static let application = Application(
        name: "linkstr",
        version: version,
        summary: "Private link sharing over Nostr, and tools for Nostr developers",
        details: ["Data goes to standard output, everything else to standard error."],
        globals: GlobalOptions.all,
        notes: ManualNotes.all,
        commands: Commands.all
    )

    static func main() {
        application.main()
    }
}
