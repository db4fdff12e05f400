"""A client that is not linkstr takes part in sessions with the command line: as creator, and as member of a session made there.

The other client is session_client.py. Everything goes through one relay, which --relay names: linkstr's own, nostr-sdk's in a
process of its own, or nostr-relay. The first difference ends the run.
"""
import argparse
import asyncio
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

import nostr_sdk as sdk

from relay_processes import NostrRelay, OwnRelay, SDKRelay
from session_client import TIME, SessionClient, check


RELAYS = {"own": OwnRelay, "nostr-sdk": lambda _: SDKRelay(), "nostr-relay": lambda _: NostrRelay()}


class Person:
    """Somebody who uses the command line in a home of their own.

    With a secret key it is another device of somebody, which knows nothing else.
    """

    def __init__(self, linkstr, url, nsec=None):
        self.linkstr = linkstr
        self.url = url
        self.folder = tempfile.TemporaryDirectory()
        self.home = self.folder.name
        os.chmod(self.home, 0o700)
        relays = pathlib.Path(self.home, "relays.json")
        relays.write_text(json.dumps({"relays": [{"url": url, "enabled": True}]}))
        relays.chmod(0o600)
        self.key = self.json("account", *(["import"] if nsec else ["new", "--name", "Ann"]), input=nsec)[0]["pubkey"]
        self.run("config", "set", "requests_by_strangers", "false")

    def fresh_device(self):
        device = Person(self.linkstr, self.url, self.run("account", "export", "--yes"))
        device.run("sync")
        return device

    def run(self, *arguments, code=0, input=None):
        environment = {"PATH": os.environ["PATH"], "ASAN_OPTIONS": "detect_leaks=0"}
        for name in ("TSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                environment[name] = os.environ[name]
        done = subprocess.run(
            [self.linkstr, "--home", self.home, *arguments], input=(input or "").encode(), capture_output=True, timeout=60, env=environment
        )
        check(f"linkstr {' '.join(arguments)} ends with {code}", done.returncode == code, done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def json(self, *arguments, input=None):
        return [json.loads(line) for line in self.run(*arguments, "--json", input=input).splitlines()]

    def feed(self, session):
        self.run("sync")
        return {post["id"]: post for post in self.json("feed", session)}

    def session(self, session):
        self.run("sync")
        return self.json("session", "show", session)[0]

    def members(self, session):
        return sorted(one["member"] for one in self.json("session", "members", session))


def agree(what, person, other, session):
    """Both sides show the same members, name and posts."""
    ours, theirs = person.feed(session), other.posts(session)
    shown = {
        identity: {
            "author": post["author"], "url": post["url"], "note": post["note"],
            "reactions": {one["emoji"]: set(one["senders"]) for one in post["reactions"]},
        }
        for identity, post in ours.items()
    }
    check(f"{what}: the same posts", shown == theirs, shown, theirs)
    check(f"{what}: the same members", person.members(session) == other.members(session))
    check(f"{what}: the same name", person.session(session)["name"] == other.name(session))
    return 3 + len(shown)


async def as_creator(linkstr, url):
    """The other client makes the session; the command line is a member."""
    ann = Person(linkstr, url)
    other, third = await SessionClient(url).connect(), await SessionClient(url).connect()
    done = 0
    session = await other.create("Films", [ann.key, third.key])
    first = await other.post(session, "https://example.com/a?b=1#c", "worth a look\nreally")
    await third.fetch()
    done += agree("a session made elsewhere", ann, other, session)
    check("its creator is known", ann.session(session)["creator"] == other.key)

    mine = ann.json("post", session, "example.com/mine", "--note", "  from Ann  ")[0]["id"]
    ann.run("react", first, "👍")
    for one in (other, third):
        await one.fetch()
        check("a post of the command line arrives once at each", len(one.wraps_of(mine)) == 1, one.wraps_of(mine))
        check("it says what was said", one.posts(session)[mine]["note"] == "from Ann")
        check("so does a reaction", one.posts(session)[first]["reactions"] == {"👍": {ann.key}})
    await third.react(session, mine, "👀")
    await other.react(session, mine, "👎")
    await other.react(session, mine, "👎", active=False)
    await other.fetch()
    done += agree("reactions", ann, other, session)
    ann.run("react", first, "👍", "--off")
    await other.fetch()
    check("a reaction is taken back", other.posts(session)[first]["reactions"] == {})
    await other.update(session, name="Good films")
    done += agree("another name", ann, other, session)

    # What nobody may do, each beside something that is as good but for one thing.
    foreign = await third.send(
        {"conversation_id": session, "root_id": "X", "kind": "session_members", "session_name": "Mine",
         "member_pubkeys": [third.key, ann.key]}, [ann.key], third.moment(session) + 1,
    )
    await third.send({"conversation_id": session, "root_id": mine, "kind": "root_delete"}, [ann.key], third.moment(session))
    await third.post(session, "https://example.com/early", moment=other.log(session)[0].time - 10, to=[ann.key])
    await third.send(
        {"conversation_id": session, "root_id": "", "kind": "root", "url": "javascript:alert(1)"}, [ann.key], third.moment(session)
    )
    await third.publish(forged_wrap(other, third, session, ann.key))
    genuine = await third.post(session, "https://example.com/genuine")
    await other.fetch()
    posts = ann.feed(session)
    check("a new post by others is unread", posts[genuine]["unread"] and not posts[mine]["unread"], posts)
    check("only the creator changes a session", ann.session(session)["name"] == "Good films", foreign)
    check("what is genuine is shown, and nothing else", set(posts) == {first, mine, genuine}, posts)

    # Out and in again.
    await other.update(session, members=[third.key])
    check("who was removed can read", not ann.session(session)["active"] and set(ann.feed(session)) == {first, mine, genuine})
    ann.run("post", session, "example.com/refused", code=77)
    ann.run("react", first, "👍", code=77)
    before = len(await wraps_to(other, ann.key))
    hidden = await other.post(session, "https://example.com/hidden")
    check("nobody sends to who was removed", len(await wraps_to(other, ann.key)) == before)
    await other.update(session, members=[third.key, ann.key])
    back = await other.post(session, "https://example.com/back")
    check("who is back is active", ann.session(session)["active"])
    check("and sees what is new, not what was missed", set(ann.feed(session)) == {first, mine, genuine, back}, hidden)

    # Deleting.
    await other.delete_post(session, first)
    ann.run("post", "delete", mine, "--yes", "--keep-copies")
    await other.fetch()
    check("posts that were deleted are gone there", set(other.posts(session)) == {genuine, hidden, back})
    check("and here", set(ann.feed(session)) == {genuine, back})
    await other.delete(session)
    ann.run("sync")
    check("so is the session", ann.json("session", "list") == [])
    await other.update(session, name="Again")
    ann.run("sync")
    check("for good", ann.json("session", "list") == [])
    return done + other.checked + third.checked + 22


def forged_wrap(author, signer, session, receiver):
    """A rumor that says to be by somebody else than signed the seal."""
    moment, receiver = sdk.Timestamp.now(), sdk.PublicKey.parse(receiver)
    content = json.dumps({
        "conversation_id": session, "root_id": "", "kind": "root", "url": "https://example.com/forged", "timestamp": moment.as_secs()
    })
    identity = sdk.EventId.compute(author.keys.public_key(), moment, sdk.Kind(44001), [], content).to_hex()
    rumor = json.dumps({
        "id": identity, "pubkey": author.key, "created_at": moment.as_secs(), "kind": 44001, "tags": [], "content": content
    })
    seal = sdk.EventBuilder(sdk.Kind(13), signer.keys.nip44_encrypt(receiver, rumor)).finalize(signer.keys)
    once = sdk.Keys.generate()
    wrap = sdk.EventBuilder(sdk.Kind(1059), once.nip44_encrypt(receiver, seal.as_json()))
    return wrap.tags([sdk.Tag.parse(["p", receiver.to_hex()])]).finalize(once)


async def wraps_to(client, key):
    wanted = sdk.Filter().kind(sdk.Kind(1059)).pubkey(sdk.PublicKey.parse(key))
    return [event.id().to_hex() for event in await client.client.fetch_events(sdk.ReqTarget.auto([wanted]), TIME)]


async def as_member(linkstr, url):
    """The command line makes the session; the other client is a member."""
    ann = Person(linkstr, url)
    other, late = await SessionClient(url).connect(), await SessionClient(url).connect()
    new = ("--yes", "--not-a-contact")
    session = ann.json("session", "new", "Films", "--member", other.npub, *new)[0]["id"]
    digest = hashlib.sha256(f"linkstr session {ann.key}{session[:16]}".encode()).hexdigest()
    check("the id names its creator", session[16:] == digest[:16].upper() and session == session.upper(), session)
    first = ann.json("post", session, "example.com/first", "--note", "erst ü 👀")[0]["id"]
    await other.fetch()
    check("a member is told of the session", other.creator(session) == ann.key and other.name(session) == "Films")
    done = agree("a session made here", ann, other, session)
    theirs = await other.post(session, "https://example.com/theirs", "a note")
    await other.react(session, first, "🦆")
    await other.react(session, theirs, "👍")
    done += agree("what a member says", ann, other, session)
    ann.run("react", theirs, "👍")
    await other.fetch()
    check("reactions of both", other.posts(session)[theirs]["reactions"] == {"👍": {ann.key, other.key}})

    ann.run("session", "rename", session, "Better films", "--yes")
    ann.run("session", "add", session, late.npub, *new)
    second = ann.json("post", session, "example.com/second")[0]["id"]
    for one in (other, late):
        await one.fetch()
    check("who comes late sees nothing older", set(late.posts(session)) == {second}, late.posts(session))
    check("the new name arrives", late.name(session) == other.name(session) == "Better films")
    done += agree("a third member", ann, other, session)
    from_late = await late.post(session, "https://example.com/late")
    await other.fetch()
    done += agree("a post by the third", ann, other, session)

    ann.run("session", "remove", session, other.npub, "--yes")
    await other.fetch()
    check("who is removed is told", other.members(session) == sorted([ann.key, late.key]), other.members(session))
    before = len(await wraps_to(other, other.key))
    third = ann.json("post", session, "example.com/third")[0]["id"]
    ann.run("react", first, "👎")
    check("and sent nothing more", len(await wraps_to(other, other.key)) == before)
    await other.post(session, "https://example.com/afterwards", to=[ann.key])
    await late.fetch()
    posts = set(ann.feed(session))
    check("nor is what it sends shown", posts == {first, theirs, second, from_late, third}, posts)
    check("but what it said before stays", theirs in posts)

    ann.run("session", "add", session, other.npub, *new)
    again = ann.json("post", session, "example.com/again")[0]["id"]
    await other.fetch()
    check("who is back sees what is new", again in other.posts(session) and third not in other.posts(session))
    mine = await other.post(session, "https://example.com/mine")
    check("and is heard", mine in ann.feed(session))
    device = ann.fresh_device()
    check("another device shows the same", device.feed(session).keys() == ann.feed(session).keys(), device.feed(session))
    await other.delete_post(session, mine)
    ann.run("post", "delete", first, "--yes", "--keep-copies")
    await other.fetch()
    check("deleted here and there", {first, mine}.isdisjoint(set(ann.feed(session)) | set(other.posts(session))))
    ann.run("session", "delete", session, "--yes")
    for one in (other, late):
        await one.fetch()
        check("everybody is told of the end", one.is_deleted(session) and one.posts(session) == {})
    check("nothing is left here", ann.json("session", "list") == [])
    return done + other.checked + late.checked + 15


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--linkstr", required=True)
    parser.add_argument("--relay", choices=sorted(RELAYS), action="append")
    arguments = parser.parse_args()
    for name in arguments.relay or RELAYS:
        relay = RELAYS[name](arguments.linkstr)
        try:
            start = time.monotonic()
            counts = [await as_creator(arguments.linkstr, relay.url), await as_member(arguments.linkstr, relay.url)]
            took = time.monotonic() - start
            print(f"sessions with another client over {name}'s relay: {counts[0]} checks as creator, {counts[1]} as member, {took:.0f} s")
        finally:
            relay.stop()


asyncio.run(main())
