import CommandKit
import LinkstrClient
import NostrCrypto

/// Moving an account to another machine.
enum Export {
    private static let withSecret = Flag("with-secret", "Put the secret key into the file too")
    private static let file = Argument("FILE", .file, "Where to write it")
    private static let exportFile = Option(
        "export-passphrase-file",
        .file,
        "Read the passphrase of the export from the first line of FILE"
    )

    static let command = Command(
        "export",
        "Write an account into a file, sealed with a passphrase",
        details: [
            "The file holds sessions with all that was said in them, contacts, chats, settings and read marks; the secret key only with "
                + "--with-secret."
        ],
        takes: [withSecret, exportFile, Passphrase.file, file],
        examples: [Example("linkstr export ann.linkstr", "Asks for a passphrase and writes the file")]
    ) { call in
        let account = try Work.account(call)
        let passphrase = try Passphrase.get(call, "Passphrase of the export", isNew: true, from: exportFile)
        let bytes = try await Work.withRuntime(call, account.key) { runtime, _ in
            try await runtime.export(withSecret: call[withSecret], passphrase: passphrase)
        }
        try Files.write(call[file], bytes: bytes, mode: 0o600)
        guard call[withSecret] else { return }
        try await Work.withHome(call) { try $0.noteSecretKnownElsewhere(account.key) }
    }
}

enum Import {
    private static let file = Argument("FILE", .file, "What `linkstr export` wrote")
    private static let exportFile = Option(
        "export-passphrase-file",
        .file,
        "Read the passphrase of the export from the first line of FILE"
    )

    static let command = Command(
        "import",
        "Take over an account from a file",
        details: [
            "The account's secret key comes from the file, or has to be here already (`linkstr account import`). What is here stays."
        ],
        takes: [exportFile, Passphrase.file, file],
        examples: [Example("linkstr import ann.linkstr", "Asks for the passphrase and takes it over")]
    ) { call in
        guard let bytes = try Files.readIfPresent(call[file], limit: 1 << 30) else {
            throw CommandFailure(.localIO, "there is no file \(TypedText.repeated(call[file]))")
        }
        let passphrase = try Passphrase.get(call, "Passphrase of the export", from: exportFile)
        let export = try LinkstrClient.AccountExport(bytes, passphrase: passphrase)
        let accounts = try Work.accounts(call)
        let isHere = try accounts.all().contains { $0.key == export.account }
        if !isHere {
            guard let secret = export.secretKey else {
                throw CommandFailure(
                    .notFound,
                    "the file is without the secret key of \(export.account.npub); `linkstr account import` it first"
                )
            }
            try await Work.withHome(call) { _ = try $0.add(secret, isImported: true, now: Clock.now) }
        }
        let keys = try Work.keys(export.account, accounts, call)
        try await Work.withHome(call, closing: export.account) { try await export.unpack(keys, home: $0.home) }
        try AccountOutput.line(try accounts.find(export.account.npub), call)
    }
}
