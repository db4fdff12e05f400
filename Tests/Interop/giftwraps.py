"""Gift wraps, exchanged with nostr-sdk: what one makes the other opens, and both name the same sender. Part of interop.py."""
import json

import nostr_sdk as sdk

import texts

KINDS = [14, 15, 44001]
# The JSON of a rumor has 40,960 bytes at most, here and there.
LONGEST = 40_600


def fail(what, *details):
    raise SystemExit("DIFFERENT: " + what + "".join("\n  " + str(one)[:1000] for one in details))


class GiftWraps:
    def drafts(self, author, receiver):
        for index in range(self.counts["wraps"]):
            tags = [["p", receiver]]
            text = "x" * LONGEST
            if index > 0:
                tags += self.tags(6)
                text = texts.text(self.random, 40)
            yield {
                "pubkey": author, "created_at": self.random.randrange(2**31), "kind": KINDS[index % len(KINDS)],
                "tags": tags, "content": text,
            }

    def equal_rumors(self, draft, sender, rumor):
        if sender != draft["pubkey"]:
            fail("the sender of a wrap", sender, draft["pubkey"])
        for field, value in draft.items():
            if rumor[field] != value:
                fail(f"{field} of a rumor", rumor[field], value)

    def wraps_made_here(self):
        ours, theirs = self.keys(), self.keys()
        receiver = theirs.public_key().to_hex()
        drafts = list(self.drafts(ours.public_key().to_hex(), receiver))
        made = self.linkstr.run(
            "wrap", "--sec", ours.secret_key().to_hex(), "--to", receiver, lines=[json.dumps(one) for one in drafts]
        )
        for draft, line in zip(drafts, made, strict=True):
            opened = sdk.UnwrappedGift.from_gift_wrap(theirs, sdk.Event.from_json(line))
            self.equal_rumors(draft, opened.sender().to_hex(), json.loads(opened.rumor().as_json()))
        return len(made)

    def wraps_made_there(self):
        ours, theirs = self.keys(), self.keys()
        drafts = list(self.drafts(theirs.public_key().to_hex(), ours.public_key().to_hex()))
        wraps = [
            sdk.nip59_make_gift_wrap(theirs, ours.public_key(), sdk.UnsignedEvent.from_json(json.dumps(draft))).as_json()
            for draft in drafts
        ]
        opened = self.linkstr.json("unwrap", "--sec", ours.secret_key().to_hex(), lines=wraps)
        for draft, wrap, line in zip(drafts, wraps, opened, strict=True):
            if line["wrap"] != json.loads(wrap)["id"]:
                fail("the order of wraps", line["wrap"], wrap)
            self.equal_rumors(draft, line["sender"], line["rumor"])
        return len(opened)

    def wraps_refused_by_both(self):
        """A control: a wrap with a changed content, and one for somebody else."""
        ours, theirs, others = self.keys(), self.keys(), self.keys()
        wrap = lambda key: sdk.nip59_make_gift_wrap(theirs, key.public_key(), sdk.UnsignedEvent.from_json(json.dumps(
            {"pubkey": theirs.public_key().to_hex(), "created_at": 1, "kind": 14, "tags": [], "content": "x"}
        )))
        genuine = wrap(ours)
        changed = sdk.EventBuilder(sdk.Kind(1059), genuine.content()[:-8] + "AAAAAAA=").finalize(theirs)
        refused = [wrap(others), changed]
        for event in refused:
            try:
                sdk.UnwrappedGift.from_gift_wrap(ours, event)
            except Exception:
                continue
            fail("nostr-sdk opens what it must not", event.as_json())
        lines = [event.as_json() for event in [*refused, genuine]]
        opened = self.linkstr.run("unwrap", "--sec", ours.secret_key().to_hex(), lines=lines, code=65)
        if len(opened) != 1:
            fail("linkstr opens what it must not, or not what it must", *opened)
        return len(refused)
