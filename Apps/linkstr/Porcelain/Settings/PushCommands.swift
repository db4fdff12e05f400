import CommandKit
import LinkstrClient
import NostrEvents

enum PushDevices {
    private static let unsafe = Flag(
        "unsafe-argument",
        "Take the token from the command line, where other processes see it"
    )
    private static let environment = DefaultedOption(
        "environment",
        .choice(PushClient.Environment.allCases.map(\.rawValue)),
        default: PushClient.Environment.production.rawValue,
        "Which of Apple's services the token belongs to"
    )
    private static let token = OptionalArgument(
        "TOKEN",
        SecretSource.conversion(acceptsStandardInput: true),
        "@FILE, or - or nothing for a line of standard input; anything else needs --unsafe-argument"
    )
    private static let which = OptionalArgument(
        "TOKEN",
        SecretSource.conversion(acceptsStandardInput: true),
        "The beginning of a token, as `push status` shows it, or a whole one as @FILE or, with -, on standard input"
    )
    private static let all = Flag("all", "All devices that were registered here")

    static let register = Command(
        "register",
        "Ask the push service to wake a device",
        details: [
            "For operators and tests: an app registers its own device. The token is read from a file or from standard input, because "
                + "who has it can take the device over. The setting push_service names the service."
        ],
        takes: [environment, unsafe, token],
        examples: [
            Example("linkstr push register @device.token", "Has the phone woken when members post"),
            Example("pbpaste | linkstr push register --environment sandbox", "The same for an app built by Xcode"),
        ]
    ) { call in
        let source = call[token] ?? .standardInput
        if case .literal = source, !call[unsafe] {
            throw CommandFailure(
                .usage,
                "a token on the command line is visible to others; use @FILE or standard input, or --unsafe-argument"
            )
        }
        try await Work.perform(
            call,
            .pushRegister,
            ["token": .string(try source.text()), "environment": .string(call[environment])]
        ) { [line($0)] }
    }

    static let unregister = Command(
        "unregister",
        "Ask push services to wake devices no longer",
        takes: [all, which],
        examples: [
            Example("linkstr push unregister 0a1b2c3d", "Takes out the device whose token begins so"),
            Example("linkstr push unregister --all", "Takes out all devices that were registered here"),
        ]
    ) { call in
        let source = call[which]
        guard call[all] != (source != nil) else {
            throw CommandFailure(.usage, "give a token or the beginning of one, or --all")
        }
        try await Work.perform(
            call,
            .pushUnregister,
            JSONObject([("token", .text(try source?.text()))])
        ) { [line($0)] }
    }

    static let status = Command(
        "status",
        "Say which push service is told what is sent, whether it answers, and which devices were registered here",
        examples: [Example("linkstr push status", "Prints how it stands")]
    ) { call in
        try await Work.perform(call, .pushStatus) { status in
            guard let service = status["service"]?.string else {
                return ["no push service is set: `linkstr config set push_service URL`"] + devices(status)
            }
            let problem = status["problem"]?.string
            var lines = [TerminalText.safe(service) + (problem.map { ": " + TerminalText.safe($0) } ?? " answers")]
            lines += devices(status)
            if let untold = status["untold_archive"]?.integer, untold > 0 {
                lines.append("\(untold) archived or unarchived sessions have yet to be told")
            }
            return lines
        }
    }

    static let test = Command(
        "test",
        "Have the account's own devices woken, for a post that does not exist",
        details: [
            "Checks that the service answers, that it accepts the account's signature, and that it wakes the devices it knows of this "
                + "account, wherever they were registered. The post is told by a key that is made for it, because a service never wakes "
                + "the account that tells it."
        ],
        examples: [Example("linkstr push test", "Prints how many devices are woken")]
    ) { call in
        try await Work.perform(call, .pushTest) { told in
            [
                "\(told["devices"]?.integer ?? 0) devices are woken by \(TerminalText.safe(told["service"]?.string ?? ""))"
            ]
        }
    }

    private static func devices(_ status: JSONValue) -> [String] {
        (status["devices"]?.array ?? []).map { line($0) }
    }

    private static func line(_ device: JSONValue) -> String {
        let token = TerminalText.safe(device["token"]?.string ?? "")
        return
            "\(token)...  \(device["environment"]?.string ?? "")  \(TerminalText.safe(device["service"]?.string ?? ""))"
    }
}
