"""linkstr against nostr-sdk (rust-nostr): what one makes the other must read, and both must compute the same ids.

Run it through scripts/interop.sh. Every check prints its count; the first difference ends the run with its input.
"""
import argparse
import json
import random
import time

import nostr_sdk as sdk

import texts
from giftwraps import GiftWraps
from linkstr import Linkstr

BATCH = 20_000


def fail(what, *details):
    raise SystemExit("DIFFERENT: " + what + "".join("\n  " + str(one)[:2000] for one in details))


def equal(what, ours, theirs, given=""):
    if ours != theirs:
        fail(what, "linkstr:   " + repr(ours), "nostr-sdk: " + repr(theirs), "input:     " + repr(given))


class Interop(GiftWraps):
    def __init__(self, linkstr, counts, seed):
        self.linkstr = linkstr
        self.counts = counts
        self.random = random.Random(seed)

    def keys(self):
        return sdk.Keys.parse(f"{self.random.randrange(1, 2**255):064x}")

    def tags(self, longest):
        return [[self.random.choice("eptdx"), *(texts.text(self.random, longest) for _ in range(self.random.randrange(4)))]
                for _ in range(self.random.randrange(4))]

    # Ids

    def ids_of(self, items):
        """Compares the ids of (pubkey, created_at, kind, tags, content)."""
        lines, expected = [], []
        for key, created_at, kind, tags, content in items:
            event = {"pubkey": key.to_hex(), "created_at": created_at, "kind": kind, "tags": tags, "content": content}
            # Both spellings of JSON: escapes, and the characters themselves.
            lines.append(json.dumps(event, ensure_ascii=self.random.random() < 0.5))
            expected.append(sdk.EventId.compute(
                key, sdk.Timestamp.from_secs(created_at), sdk.Kind(kind), [sdk.Tag.parse(tag) for tag in tags], content
            ).to_hex())
        for ours, theirs, line in zip(self.linkstr.run("event", "id", lines=lines), expected, lines, strict=True):
            equal("event id", ours, theirs, line)

    def id_of_every_scalar(self):
        key = self.keys().public_key()
        whole = texts.every_scalar()
        # Each a few times, so that both spellings of JSON come up.
        self.ids_of([(key, 1_700_000_000, 1, [], whole), (key, 1_700_000_000, 1, [["t", whole]], "")] * 2)
        return len(whole)

    def ids_of_mixed_texts(self):
        key = self.keys().public_key()
        left = self.counts["texts"]
        while left > 0:
            count = min(BATCH, left)
            self.ids_of([
                (key, self.random.randrange(2**32), self.random.randrange(65_536), self.tags(8), texts.text(self.random))
                for _ in range(count)
            ])
            left -= count
        return self.counts["texts"]

    # Signatures

    def signed_here(self):
        keys = self.keys()
        drafts = [
            json.dumps({"kind": self.random.randrange(65_536), "tags": self.tags(8), "content": texts.text(self.random),
                        "created_at": self.random.randrange(2**32)})
            for _ in range(self.counts["events"])
        ]
        signed = self.linkstr.run("event", "sign", "--sec", keys.secret_key().to_hex(), lines=drafts)
        for draft, line in zip(drafts, signed, strict=True):
            event = sdk.Event.from_json(line)
            if not event.verify():
                fail("nostr-sdk refuses an event signed here", line)
            equal("content", json.loads(draft)["content"], event.content())
            equal("tags", json.loads(draft)["tags"], [tag.to_vec() for tag in event.tags()])
        return len(signed)

    def signed_there(self):
        keys = self.keys()
        events = []
        for _ in range(self.counts["events"]):
            builder = sdk.EventBuilder(sdk.Kind(self.random.randrange(65_536)), texts.text(self.random))
            builder = builder.tags([sdk.Tag.parse(tag) for tag in self.tags(8)])
            builder = builder.custom_created_at(sdk.Timestamp.from_secs(self.random.randrange(2**32)))
            events.append(builder.finalize(keys).as_json())
        for line, answer in zip(events, self.linkstr.json("event", "verify", lines=events), strict=True):
            if answer != {"id": json.loads(line)["id"], "valid": True, "error": None}:
                fail("linkstr refuses an event signed by nostr-sdk", answer, line)
        return len(events)

    def refused_by_both(self):
        """A control: what one refuses the other must refuse."""
        keys = self.keys()
        changed = []
        for _ in range(50):
            event = json.loads(sdk.EventBuilder(sdk.Kind(1), texts.text(self.random)).finalize(keys).as_json())
            field = self.random.choice(["content", "sig", "created_at", "id"])
            if field == "content":
                event["content"] += "x"
            elif field == "created_at":
                event["created_at"] += 1
            else:
                place = self.random.randrange(64)
                digit = "0" if event[field][place] != "0" else "1"
                event[field] = event[field][:place] + digit + event[field][place + 1:]
            changed.append(json.dumps(event))
        answers = [json.loads(line) for line in self.linkstr.run("event", "verify", lines=changed, code=65)]
        for line, answer in zip(changed, answers, strict=True):
            if answer["valid"] or sdk.Event.from_json(line).verify():
                fail("a changed event is accepted", line)
        return len(changed)

    # NIP-19

    def identifiers(self):
        count = self.counts["identifiers"]
        keys = [self.keys() for _ in range(count)]
        public = [one.public_key() for one in keys]
        hexes = [one.to_hex() for one in public]
        npubs = [one.to_bech32() for one in public]
        equal("npub", self.linkstr.run("encode", "npub", "-", lines=hexes), npubs)
        equal("npub", [one["pubkey"] for one in self.linkstr.json("decode", "-", lines=npubs)], hexes)
        nsecs = [one.secret_key().to_bech32() for one in keys]
        secrets = [one.secret_key().to_hex() for one in keys]
        equal("nsec", [one["secret"] for one in self.linkstr.json("decode", "-", lines=nsecs)], secrets)
        for nsec, secret, key in list(zip(nsecs, secrets, hexes))[:5]:
            equal("nsec", self.linkstr.run("encode", "nsec", secret), [nsec])
            equal("public key", self.linkstr.run("key", "public", nsec), [key])
        notes = [sdk.EventId.parse(one).to_bech32() for one in secrets]
        equal("note", self.linkstr.run("encode", "note", "-", lines=secrets), notes)
        equal("note", [one["id"] for one in self.linkstr.json("decode", "-", lines=notes)], secrets)

        relays = ["wss://relay.example.com", "wss://other.example.org/path"]
        urls = [sdk.RelayUrl.parse(one) for one in relays]
        options = [word for one in relays for word in ("--relay", one)]
        profiles = self.linkstr.run("encode", "nprofile", *options, "-", lines=hexes)
        for text, key in zip(profiles, hexes, strict=True):
            profile = sdk.Nip19Profile.from_bech32(text)
            equal("nprofile", (key, relays), (profile.public_key().to_hex(), [str(one) for one in profile.relays()]))
        theirs = [sdk.Nip19Profile(one, urls).to_bech32() for one in public]
        for answer, key in zip(self.linkstr.json("decode", "-", lines=theirs), hexes, strict=True):
            equal("nprofile", answer, {"type": "nprofile", "pubkey": key, "relays": relays})

        events = self.linkstr.run("encode", "nevent", *options, "--author", hexes[0], "--kind", "30023", "-", lines=secrets)
        for text, identifier in zip(events, secrets, strict=True):
            event = sdk.Nip19Event.from_bech32(text)
            equal("nevent", (identifier, hexes[0], 30023, relays), (
                event.event_id().to_hex(), event.author().to_hex(), event.kind().as_u16(), [str(one) for one in event.relays()]
            ))
        theirs = [sdk.Nip19Event(sdk.EventId.parse(one), public[0], sdk.Kind(1), urls).to_bech32() for one in secrets]
        for answer, identifier in zip(self.linkstr.json("decode", "-", lines=theirs), secrets, strict=True):
            equal("nevent", answer, {"type": "nevent", "id": identifier, "relays": relays, "author": hexes[0], "kind": 1})

        for key, name in list(zip(public, ["", "plain", "ünï códe 🎉", "x" * 200])):
            text, = self.linkstr.run("encode", "naddr", "--kind", "30023", "--author", key.to_hex(), "-d", name, *options)
            coordinate = sdk.Nip19Coordinate.from_bech32(text).coordinate()
            equal("naddr", (30023, key.to_hex(), name), (
                coordinate.kind().as_u16(), coordinate.public_key().to_hex(), coordinate.identifier()
            ))
            text = sdk.Nip19Coordinate(sdk.Coordinate(sdk.Kind(30023), key, name), urls).to_bech32()
            equal("naddr", self.linkstr.json("decode", text), [
                {"type": "naddr", "identifier": name, "author": key.to_hex(), "kind": 30023, "relays": relays}
            ])
        return count * 9 + 8

    # NIP-44, NIP-49, NIP-06

    def payloads(self):
        ours, theirs = self.keys(), self.keys()
        plain = [texts.text(self.random, 60).replace("\n", " ").replace("\r", " ") or "x" for _ in range(self.counts["payloads"])]
        plain += ["x" * length for length in (1, 31, 32, 33, 255, 256, 257, 1024, 1025, 40_000, 65_535)]
        options = ["--sec", ours.secret_key().to_hex(), "--to", theirs.public_key().to_hex()]
        made = self.linkstr.run("nip44", "encrypt", "--lines", *options, lines=plain)
        for text, payload in zip(plain, made, strict=True):
            equal("NIP-44", text, sdk.nip44_decrypt(theirs.secret_key(), ours.public_key(), payload))
        # nostr-sdk writes no text that is padded to 65,536 bytes.
        count = len(made)
        plain = [one for one in plain if len(one) < 65_535]
        made = [sdk.nip44_encrypt(theirs.secret_key(), ours.public_key(), one, sdk.Nip44Version.V2) for one in plain]
        options = ["--sec", ours.secret_key().to_hex(), "--from", theirs.public_key().to_hex()]
        read = [one["plaintext"] for one in self.linkstr.json("nip44", "decrypt", "--json", *options, lines=made)]
        equal("NIP-44", read, plain)
        return count + len(plain)

    def encrypted_keys(self):
        for index in range(self.counts["encrypted keys"]):
            key = self.keys().secret_key()
            passphrase = ["nostr", "ÅΩẛ̣", "ﬁ ½ Ⅷ", "密码 🔑"][index % 4]
            log_n = 4 + index % 8
            ours, = self.linkstr.with_passphrase(passphrase, "key", "encrypt", "--log-n", str(log_n), key.to_hex())
            equal("NIP-49", key.to_hex(), sdk.EncryptedSecretKey.from_bech32(ours).decrypt(passphrase).to_hex())
            theirs = sdk.EncryptedSecretKey(key, passphrase, log_n, sdk.KeySecurity.MEDIUM).to_bech32()
            equal("NIP-49", self.linkstr.with_passphrase(passphrase, "key", "decrypt", theirs), [key.to_hex()])
        return self.counts["encrypted keys"] * 2

    def words(self):
        for index in range(self.counts["words"]):
            made, = self.linkstr.json("key", "words", "--count", "12" if index % 2 else "24", "--json")
            equal("NIP-06", made["secret"], sdk.Keys.from_mnemonic(made["words"]).secret_key().to_hex())
        return self.counts["words"]

    def run(self):
        checks = [
            ("id of every Unicode scalar", self.id_of_every_scalar), ("ids of mixed texts", self.ids_of_mixed_texts),
            ("signed here, verified there", self.signed_here), ("signed there, verified here", self.signed_there),
            ("changed events refused by both", self.refused_by_both), ("NIP-19 both ways", self.identifiers),
            ("NIP-44 both ways", self.payloads), ("NIP-49 both ways", self.encrypted_keys),
            ("NIP-06 words", self.words), ("wrapped here, opened there", self.wraps_made_here),
            ("wrapped there, opened here", self.wraps_made_there), ("wraps refused by both", self.wraps_refused_by_both),
        ]
        for name, check in checks:
            start = time.monotonic()
            count = check()
            print(f"{name:32} {count:>9}  {time.monotonic() - start:6.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--linkstr", required=True, help="the executable")
    parser.add_argument("--full", action="store_true", help="the counts of the proof instead of a share of them")
    parser.add_argument("--quick", action="store_true", help="few of everything, for a slow build")
    parser.add_argument("--texts", type=int, help="how many mixed texts")
    parser.add_argument("--wraps", type=int, help="how many gift wraps each way")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts = {"texts": 20_000, "events": 1000, "identifiers": 100, "payloads": 200, "encrypted keys": 8, "words": 6,
              "wraps": 50}
    if options.full:
        counts.update({"texts": 1_000_000, "identifiers": 1000, "payloads": 2000, "encrypted keys": 40, "words": 50,
                       "wraps": 1000})
    if options.quick:
        counts = {"texts": 1000, "events": 50, "identifiers": 10, "payloads": 10, "encrypted keys": 4, "words": 2,
                  "wraps": 10}
    if options.texts is not None:
        counts["texts"] = options.texts
    if options.wraps is not None:
        counts["wraps"] = options.wraps
    print(f"seed {options.seed}")
    Interop(Linkstr(options.linkstr), counts, options.seed).run()


main()
