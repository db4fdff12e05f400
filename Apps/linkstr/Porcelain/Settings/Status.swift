import CommandKit
import LinkstrClient
import NostrEvents

enum Status {
    static let command = Command(
        "status",
        "Say what is connected, what waits, and what is not shown",
        details: [
            "Without a daemon nothing is connected between commands; the relays are those that the next one will use."
        ],
        examples: [Example("linkstr status", "Prints the account, its relays and what waits")]
    ) { call in
        try await Work.perform(call, .accountStatus, text: lines)
    }

    private static func lines(_ status: JSONValue) -> [String] {
        func count(_ key: String) -> Int64 { status[key]?.integer ?? 0 }
        func text(_ value: JSONValue, _ key: String) -> String {
            TerminalText.safe(value[key]?.string ?? "", width: 200)
        }
        let isLive = status["live"]?.bool == true
        var lines = [
            ShownText.npub(status["pubkey"]),
            isLive ? "kept connected by a daemon: \(text(status, "stage"))" : "no daemon keeps this account connected",
        ]
        for relay in status["relays"]?.array ?? [] {
            let last = relay["last_complete"]?.integer.map { ", last read to its end \(ShownText.time($0))" } ?? ""
            let history = isLive ? ", history \(text(relay, "history"))" : ""
            lines.append("  \(text(relay, "relay")): \(text(relay, "state"))\(history)\(last)")
        }
        let stored = "\(count("sessions").counted("session")) with \(count("posts").counted("post"))"
        lines.append("\(stored) on this device, \(count("unread")) unread")
        if count("requests") > 0 {
            let waiting = count("requests").counted("session waits", "sessions wait")
            lines.append(waiting + " for a word: `linkstr session requests`")
        }
        if count("waiting") > 0 {
            lines.append(
                count("waiting").counted("message counts", "messages count") + " for nothing until others arrive"
            )
        }
        if count("pending_preferences") > 0 {
            let waiting = count("pending_preferences").counted("private preference waits", "private preferences wait")
            lines.append(waiting + " to be sent: `linkstr backup push`")
        }
        for sending in status["unfinished"]?.array ?? [] {
            let place = ["name", "session"].map { text(sending, $0) }.first { !$0.isEmpty } ?? "a new session"
            let missed = (sending["missed"]?.array ?? []).map { ShownText.short($0) }.joined(separator: ", ")
            let time = ShownText.time(sending["created_at"]?.integer)
            lines.append("\(place): what was sent \(time) was not confirmed for \(missed); send it again")
        }
        for hidden in status["hidden"]?.array ?? [] {
            lines.append(
                "\(text(hidden, "name").isEmpty ? text(hidden, "session") : text(hidden, "name")): \(text(hidden, "reason"))"
            )
        }
        if let failure = status["failure"]?.string {
            lines.append("not stored: " + TerminalText.safe(failure, width: 200))
        }
        return lines
    }
}
