import CommandKit
import NostrContacts
import NostrCrypto
import NostrEvents

enum FollowListDecode {
    static let command = Command(
        "decode",
        "Show who is followed",
        details: [
            "Reads events of kind 3 as JSON lines, checks id and signature, and prints a line for each: id, pubkey, "
                + "created_at, follows (pubkey, relay and petname of each), other_tags and content."
        ],
        examples: [Example("linkstr follow-list decode < list.json", "Prints the list")]
    ) { call in
        let output = call.console.output
        try LineStream(call, of: "follow lists as JSON lines").forEach { bytes in
            let event = try FollowListInput.event(bytes)
            guard let list = FollowList(event) else { return }
            try output.line([
                "id": .string(event.id.hex), "pubkey": .string(event.pubkey.hex),
                "created_at": .integer(event.createdAt),
                "follows": FollowListInput.json(list.follows),
                "other_tags": FollowListInput.json(list.tags.filter { Follow($0) == nil }),
                "content": .string(list.content),
            ])
        }
    }
}
