import CommandKit
import NostrContacts
import NostrCrypto
import NostrEvents

enum FollowListMerge {
    private static let base = Flag("base", "The first list is the one from which the others were made")

    static let command = Command(
        "merge",
        "Put follow lists together",
        details: [
            "Reads events of kind 3 by one author as JSON lines and prints one event without a signature: the newest list "
                + "with what the others have beside it. With --base the changes that each made to the first list are put "
                + "into the newest, removals too. Every tag stays as it is. event sign makes a list of it."
        ],
        takes: [base],
        examples: [
            Example(
                "cat a.json b.json | linkstr follow-list merge | linkstr event sign --sec @me.key",
                "Prints a list that follows everybody whom one of the two follows"
            )
        ]
    ) { call in
        let hasBase = call[base]
        var events = try FollowListInput.events(call, atLeast: hasBase ? 2 : 1)
        let common = hasBase ? FollowList(events.removeFirst()) ?? FollowList() : FollowList()
        events.sort { ReplaceableVersion($0) > ReplaceableVersion($1) }
        let lists = events.compactMap(FollowList.init)
        let merged = lists.dropFirst().reduce(lists[0]) { $0.merging($1, from: common) }
        guard let time = ReplaceableVersion.time(after: events[0].createdAt, now: Clock.now) else {
            throw CommandFailure(.badInput, "the newest list has the greatest time there is")
        }
        try call.console.output.line([
            "pubkey": .string(events[0].pubkey.hex), "created_at": .integer(time), "kind": 3,
            "tags": FollowListInput.json(merged.tags), "content": .string(merged.content),
        ])
    }
}
