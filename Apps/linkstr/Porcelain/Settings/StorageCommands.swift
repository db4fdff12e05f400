import CommandKit
import LinkstrClient
import NostrEvents

enum Storage {
    static let show = Command(
        "show",
        "Say what titles and thumbnails take on this device",
        examples: [Example("linkstr storage show", "Prints how many there are and their size")]
    ) { call in
        try await Work.perform(call, .storageShow) { usage in
            func count(_ key: String) -> Int64 { usage[key]?.integer ?? 0 }
            let titles = count("titles").counted("title")
            let thumbnails = count("thumbnails").counted("thumbnail")
            return ["\(titles), \(thumbnails) of \(count("bytes").counted("byte"))"]
        }
    }

    static let clear = Command(
        "clear",
        "Forget titles and thumbnails; posts stay",
        takes: [what],
        examples: [Example("linkstr storage clear metadata", "Frees the space")]
    ) { call in
        try await Work.perform(call, .storageClear) { _ in [] }
    }

    private static let what = Argument("metadata", .choice(["metadata"]), "What to forget")
}
