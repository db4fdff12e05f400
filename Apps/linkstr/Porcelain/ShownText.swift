import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

/// What objects of operations look like to people.
enum ShownText {
    static func session(_ session: JSONValue) -> [String] {
        func isTrue(_ key: String) -> Bool { session[key]?.bool ?? false }
        var marks: [String] = []
        if let unread = session["unread"]?.integer, unread > 0 { marks.append("\(unread) unread") }
        if !isTrue("active") { marks.append("read-only") }
        if isTrue("contested") { marks.append("contested") }
        if isTrue("archived") { marks.append("archived") }
        let tail = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
        return ["\(id(session))  \(name(session))\(tail)"]
    }

    /// The beginning of a session's id, safe to show: who makes a session may choose any text for it.
    static func id(_ session: JSONValue) -> String {
        TerminalText.safe(String((session["id"]?.string ?? "").prefix(8)), width: 40)
    }

    /// A session's name, safe to show.
    static func name(_ session: JSONValue) -> String {
        TerminalText.safe(session["name"]?.string ?? "untitled", width: 60)
    }

    static func post(_ post: JSONValue) -> [String] {
        let mark = post["unread"]?.bool ?? false ? "*" : " "
        let id = (post["id"]?.string ?? "").prefix(8)
        var lines = ["\(mark) \(id)  \(author(post))  \(TerminalText.safe(post["url"]?.string ?? ""))"]
        if let title = post["title"]?.string { lines.append("            " + TerminalText.safe(title, width: 100)) }
        if let note = post["note"]?.string { lines.append("            " + TerminalText.safe(note, width: 200)) }
        let reactions = (post["reactions"]?.array ?? []).map { reaction in
            let emoji = TerminalText.safe(reaction["emoji"]?.string ?? "", width: 8)
            return "\(emoji) \(reaction["senders"]?.array?.count ?? 0)"
        }
        if !reactions.isEmpty { lines.append("            " + reactions.joined(separator: "  ")) }
        return lines
    }

    /// A post with what its link says of itself and everybody who reacted to it.
    static func postInFull(_ post: JSONValue) -> [String] {
        let known = ["title", "site_name", "description", "thumbnail"].compactMap { key in
            post["metadata"]?[key]?.string.map { TerminalText.safe($0, width: 500) }
        }
        var lines = [TerminalText.safe(post["url"]?.string ?? "")] + known
        lines += [
            "by \(author(post))  \(npub(post["author"]))  \(time(post["created_at"]?.integer))",
            "id \(post["id"]?.string ?? "")",
        ]
        if let note = post["note"]?.string { lines += indented(note) }
        for reaction in post["reactions"]?.array ?? [] {
            let emoji = TerminalText.safe(reaction["emoji"]?.string ?? "", width: 8)
            for sender in reaction["senders"]?.array ?? [] { lines.append("\(emoji) \(npub(sender))") }
        }
        return lines
    }

    /// A key with what it is called.
    static func contact(_ contact: JSONValue) -> [String] {
        [(contact["npub"]?.string ?? "") + names(contact["alias"], contact["name"])]
    }

    /// What the person calls somebody, and in parentheses what they call themselves.
    private static func names(_ alias: JSONValue?, _ name: JSONValue?) -> String {
        let called = alias?.string.map { "  " + TerminalText.safe($0, width: 40) } ?? ""
        return called + (name?.string.map { "  (\(TerminalText.safe($0, width: 40)))" } ?? "")
    }

    /// A time in the calendar of the system, to the minute.
    static func time(_ seconds: Int64?) -> String {
        seconds.map { CalendarTime.text($0) } ?? "never"
    }

    /// Who wrote something: alias or name, else a short npub.
    static func author(_ item: JSONValue) -> String {
        item["author_name"]?.string.map { TerminalText.safe($0, width: 24) } ?? short(item["author"])
    }

    /// What happened, in a line or two; nothing for what only programs care about.
    static func event(_ event: JSONValue) -> [String] {
        func text(_ key: String) -> String { TerminalText.safe(event[key]?.string ?? "", width: 100) }
        func count(_ key: String) -> Int64 { event[key]?.integer ?? 0 }
        let id = (event["id"]?.string ?? "").prefix(8)
        return switch event["event"]?.string {
        case "post": event["post"].map { $0.isNull ? [] : post($0) } ?? []
        case "reaction":
            ["  \(id)  \(author(event))  \(text("emoji"))\(event["active"]?.bool == true ? "" : " taken back")"]
        case "session": event["summary"].map(session) ?? []
        case "session-deleted": ["\(text("session").prefix(8))  was deleted by its creator"]
        case "recounted":
            [
                "\(text("session").prefix(8))  \(count("shown").counted("post is", "posts are")) shown now, "
                    + count("hidden").counted("is hidden", "are hidden")
            ]
        case "message": ["\(author(event))  \(text("text"))"]
        case "follow": ["\(author(event)) follows you"]
        case "relay": ["\(text("relay")): \(text("state"))"]
        case "notice": [text("message")]
        case "lost": ["\(count("count").counted("event was", "events were")) lost because this terminal is too slow"]
        default: []
        }
    }

    /// A message of a chat.
    static func message(_ message: JSONValue) -> [String] {
        let mark = message["unread"]?.bool == true ? "*" : " "
        let said =
            message["text"]?.string ?? message["file"]?.string ?? message["emoji"]?.string.map { "reacted with \($0)" }
            ?? "deleted something"
        let head = "\(mark) \(time(message["created_at"]?.integer))  \(author(message))  "
        let lines = indented(said)
        return [head + lines[0].drop { $0 == " " }] + lines.dropFirst()
    }

    /// A text of several lines, all of them set in, so that none passes for a line of this program.
    private static func indented(_ text: String) -> [String] {
        TerminalText.safe(text, keepsLines: true)
            .split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }
    }

    static func member(_ member: JSONValue) -> [String] {
        let stretch = member["from"]?.integer.map { from in
            "  from \(time(from))" + (member["to"]?.integer.map { " to \(time($0))" } ?? "")
        }
        return [npub(member["member"]) + names(member["alias"], member["own_name"]) + (stretch ?? "")]
    }

    /// The npub of a key in hexadecimal.
    static func npub(_ hex: JSONValue?) -> String {
        let text = hex?.string ?? ""
        return (try? Bytes32(hex: text)).map(\.npub) ?? text
    }

    /// A key as people tell each other apart: short, for terminals.
    static func short(_ hex: JSONValue?) -> String {
        let npub = npub(hex)
        return npub.prefix(12) + "…" + npub.suffix(4)
    }
}
