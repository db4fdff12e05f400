import CommandKit
import NostrContacts
import NostrEvents

enum FollowListDiff {
    static let command = Command(
        "diff",
        "Show what changes from one follow list to the next",
        details: [
            "Reads events of kind 3 by one author as JSON lines and prints a line for each but the first: from and to (ids), "
                + "added, removed, changed, added_tags, removed_tags and changes_content."
        ],
        examples: [Example("cat old.json new.json | linkstr follow-list diff", "Prints what is different")]
    ) { call in
        let events = try FollowListInput.events(call, atLeast: 2)
        for (old, new) in zip(events, events.dropFirst()) {
            guard let from = FollowList(old), let to = FollowList(new) else { continue }
            let difference = from.difference(to: to)
            try call.console.output.line([
                "from": .string(old.id.hex), "to": .string(new.id.hex),
                "added": FollowListInput.json(difference.added), "removed": FollowListInput.json(difference.removed),
                "changed": FollowListInput.json(difference.changed),
                "added_tags": FollowListInput.json(difference.addedTags),
                "removed_tags": FollowListInput.json(difference.removedTags),
                "changes_content": .bool(difference.changesContent),
            ])
        }
    }
}
