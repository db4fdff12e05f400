import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// What a person says about sessions by people who are no contacts. Nothing is sent.
enum SessionRequests {
    private static let declined = Flag("declined", "List those that were declined instead")
    private static let session = Argument("SESSION", .text, "Its name or the beginning of its id")
    private static let key = Argument("KEY", .person, "Whose")
    private static let off = Flag("off", "Show them again")

    static let list = Command(
        "requests",
        "List sessions by people who are no contacts",
        details: ["They are in no feed and wake nobody until they are accepted, or answered by a post or a reaction."],
        takes: [declined],
        examples: [Example("linkstr session requests", "Prints one session a line")]
    ) { call in
        try await Work.perform(
            call,
            .sessionRequests,
            JSONObject([("declined", .flag(call[declined]))]),
            text: ShownText.session
        )
    }

    static let accept = SessionMark.command(
        "accept",
        "Accept a session by somebody who is no contact",
        Example("linkstr session accept Films", "Shows it like any other, also after it was declined"),
        .sessionAccept
    )

    static let decline = SessionMark.command(
        "decline",
        "Hide a session by somebody who is no contact",
        Example("linkstr session decline Films", "Hides it; `session accept` brings it back"),
        .sessionDecline
    )

    static let block = Command(
        "block",
        "Hide what one key posts in a session",
        details: ["Only here: the others see it as before."],
        takes: [off, session, key],
        examples: [Example("linkstr session block Films npub1...", "Hides their posts on this device")]
    ) { call in
        _ = try await Work.withPerformer(call) { performer in
            let arguments = try await marked(performer, call)
            return try await performer.perform(call[off] ? .sessionUnblock : .sessionBlock, arguments)
        }
    }

    static let creator = Command(
        "creator",
        "Say who made a session that several claim",
        details: ["Nothing is sent into a contested session before that."],
        takes: [session, key],
        examples: [Example("linkstr session creator Films npub1...", "Confirms the one, or moves the choice")]
    ) { call in
        try await Work.withPerformer(call) { performer in
            let arguments = try await marked(performer, call)
            try await Work.perform(performer, call, .sessionCreator, arguments, text: ShownText.session)
        }
    }

    private static func marked(_ performer: any Performer, _ call: Invocation) async throws -> JSONObject {
        ["session": .string(call[session]), "key": .string(try await performer.key(call[key]).hex)]
    }
}
