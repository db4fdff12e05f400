import CommandKit
import LinkstrClient
import NostrEvents

enum Watch {
    private static let notify = Flag("notify", "Only what is worth a notification")
    private static let execute = Option(
        "exec",
        .text,
        placeholder: "COMMAND",
        "Run a shell command for each item, its JSON on standard input"
    )
    private static let session = OptionalArgument(
        "SESSION",
        .text,
        "Its name or the beginning of its id; all if left out"
    )

    static let command = Command(
        "watch",
        "Show what arrives, as it arrives",
        details: [
            "Goes on until Ctrl-C. Nothing that was received stands on the command line or in the environment of --exec; the "
                + "next item waits until the command has ended.",
            "With a daemon it goes on while other commands work on the home. Where the account is locked or taken off meanwhile, or the "
                + "daemon ends, it says so and ends with the exit code of that.",
        ],
        takes: [notify, execute, session],
        examples: [
            Example("linkstr watch", "Prints posts, reactions and changes"),
            Example("linkstr watch Films --notify --exec 'jq -r .post.url >> links'", "Collects links of one session"),
        ]
    ) { call in
        try await Work.withPerformer(call) { performer in
            try await Interruption.cancelling {
                try await performer.watch(call[session], onlyNotable: call[notify]) { item in
                    if let line = call[execute] {
                        try ChildProcess("/bin/sh", ["-c", line], hasInput: true)
                            .finish(writing: item.json + [UInt8(ascii: "\n")])
                    } else if call.console.usesJSON {
                        try call.console.output.line(JSON(item))
                    } else {
                        for line in ShownText.event(item) { try call.console.output.line(line) }
                    }
                    try call.console.output.flush()
                }
            }
        }
    }
}
