"""The client of nostr-sdk (rust-nostr) against linkstr's relay, and, as a control, against nostr-sdk's own relay.

Run it through scripts/interop.sh. The same checks run against both; the first difference ends the run.
"""
import argparse
import asyncio
import pathlib
import subprocess
import tempfile
from datetime import timedelta

import nostr_sdk as sdk

TIME = timedelta(seconds=10)


def check(what, condition, *details):
    if not condition:
        raise SystemExit("WRONG: " + what + "".join("\n  " + str(one)[:2000] for one in details))


class OwnRelay:
    """linkstr relay serve."""

    def __init__(self, linkstr, auth):
        options = ["--auth", auth] if auth != "wraps" else ["--protect-wraps"]
        self.process = subprocess.Popen(
            [linkstr, "relay", "serve", "--listen", "127.0.0.1:0", "--in-memory", *options], stdout=subprocess.PIPE
        )

    async def url(self):
        return sdk.RelayUrl.parse(self.process.stdout.readline().decode().strip())

    def stop(self):
        self.process.terminate()
        check("linkstr relay serve ends with 0", self.process.wait(10) == 0)


class OtherRelay:
    """nostr-sdk's relay, in memory."""

    def __init__(self, auth):
        builder = sdk.LocalRelayBuilder().rate_limit(sdk.RateLimit(max_reqs=1000, notes_per_minute=1_000_000))
        builder = builder.default_filter_limit(5_000).max_filter_limit(5_000)
        modes = {"write": sdk.LocalRelayBuilderNip42Mode.WRITE, "both": sdk.LocalRelayBuilderNip42Mode.BOTH}
        if auth in modes:
            builder = builder.nip42(sdk.LocalRelayBuilderNip42(mode=modes[auth]))
        if auth == "wraps":
            builder = builder.auth_dm(True)
        self.relay = builder.build()

    async def url(self):
        await self.relay.run()
        return await self.relay.url()

    def stop(self):
        self.relay.shutdown()


async def client(url, keys=None, folder=None):
    builder = sdk.ClientBuilder()
    if keys:
        builder = builder.authenticator(sdk.SignerAuthenticator(keys))
    if folder:
        builder = builder.database(await database(folder))
    built = builder.build()
    await built.add_relay(url)
    await built.connect(TIME)
    return built


async def database(folder):
    return await sdk.NostrLmdb.open(folder) if hasattr(sdk.NostrLmdb, "open") else sdk.NostrLmdb(folder)


def note(keys, text, kind=1, tags=(), at=None):
    builder = sdk.EventBuilder(sdk.Kind(kind), text).tags([sdk.Tag.parse(tag) for tag in tags])
    if at is not None:
        builder = builder.custom_created_at(sdk.Timestamp.from_secs(at))
    return builder.finalize(keys)


async def send(one, event):
    """Nil if a relay has accepted it, else why not."""
    output = await one.send_event(event)
    return None if output.success else "; ".join(output.failed.values())


async def fetch(one, *filters):
    return await one.fetch_events(sdk.ReqTarget.auto(list(filters)), TIME)


def ids(events):
    return sorted(event.id().to_hex() for event in events)


async def publish_and_fetch(url, report):
    keys, one = sdk.Keys.generate(), await client(url)
    events = [note(keys, f"note {number} ü \"quoted\"\n", tags=[["t", f"t{number % 5}"], ["p", "ab" * 32]], at=1_700_000_000 + number)
              for number in range(300)]
    for event in events:
        refusal = await send(one, event)
        check("an event is accepted", refusal is None, refusal)
    author = sdk.Filter().author(keys.public_key())
    check("all are found", ids(await fetch(one, author)) == ids(events))
    found = await fetch(one, author.hashtag("t3"))
    check("a tag is found", ids(found) == ids(events[3::5]))
    newest = await fetch(one, author.limit(10))
    check("the limit gives the newest", ids(newest) == ids(events[-10:]))
    between = author.since(sdk.Timestamp.from_secs(1_700_000_100)).until(sdk.Timestamp.from_secs(1_700_000_109))
    check("a time is found", ids(await fetch(one, between)) == ids(events[100:110]))
    check("contents are unchanged", {e.as_json() for e in found} == {e.as_json() for e in events[3::5]})
    deletion = note(keys, "", kind=5, tags=[["e", events[0].id().to_hex()]])
    check("a deletion is accepted", await send(one, deletion) is None)
    check("what was deleted is gone", await fetch(one, sdk.Filter().id(events[0].id())) == [])
    # Other relays disagree about the author, so that the other's deletion must do nothing is checked here.
    stranger = sdk.Keys.generate()
    await send(one, note(stranger, "", kind=5, tags=[["e", events[1].id().to_hex()]]))
    check("others delete nothing", ids(await fetch(one, sdk.Filter().id(events[1].id()))) == ids(events[1:2]))
    old, new = (note(keys, text, kind=10_002, at=at) for text, at in [("old", 1_700_000_000), ("new", 1_700_000_001)])
    await send(one, new)
    await send(one, old)
    replaced = await fetch(one, author.kind(sdk.Kind(10_002)))
    check("the newest version stays", ids(replaced) == ids([new]))
    await one.shutdown()
    report("publish and fetch", len(events))


async def stream(url, report):
    keys, reader, writer = sdk.Keys.generate(), await client(url), await client(url)
    policy = sdk.ReqExitPolicy.WAIT_FOR_EVENTS(20)
    wanted = sdk.Filter().author(keys.public_key()).kind(sdk.Kind(1))
    streamed = await reader.stream_events(sdk.ReqTarget.auto([wanted]), timeout=TIME, policy=policy)
    events = [note(keys, f"live {number}", at=1_700_000_000 + number) for number in range(20)]

    async def write():
        for event in events:
            await send(writer, note(sdk.Keys.generate(), "of somebody else"))
            await send(writer, event)

    writing = asyncio.create_task(write())
    received = []
    while len(received) < len(events):
        item = await asyncio.wait_for(streamed.next(), 10)
        check("the stream goes on", item is not None, len(received))
        if item.event:
            received.append(item.event)
    await writing
    check("new events come, and only those", ids(received) == ids(events))
    for one in (reader, writer):
        await one.shutdown()
    report("stream", len(events))


async def reconcile(url, report):
    keys = sdk.Keys.generate()
    events = [note(keys, f"sync {number}", at=1_700_000_000 + number) for number in range(90)]
    one = await client(url)
    for event in events[:60]:
        await send(one, event)
    with tempfile.TemporaryDirectory() as folder:
        other = await client(url, folder=folder)
        for event in events[30:]:
            await other.database().save_event(event)
        wanted = sdk.Filter().author(keys.public_key())
        # A client of nostr-sdk does not always exchange everything in one go.
        sent, received = set(), set()
        for _ in range(5):
            output = await other.sync(wanted, opts=sdk.SyncOptions().direction(sdk.SyncDirection.BOTH))
            check("the relay takes part", len(output.success) == 1, output.failed)
            sent |= {one.to_hex() for one in output.report.sent}
            received |= {one.to_hex() for one in output.report.received}
            if len(sent) == len(received) == 30:
                break
        check("what the client lacked was received", sorted(received) == ids(events[:30]), len(received))
        check("what the relay lacked was sent", sorted(sent) == ids(events[60:]), len(sent))
        check("the client has all", ids(await other.database().query(wanted)) == ids(events))
        await other.shutdown()
    left = await fetch(one, wanted)
    check("the relay has all", ids(left) == ids(events), len(left))
    await one.shutdown()
    report("reconcile both ways", len(events))


async def authenticate(url, report):
    keys = sdk.Keys.generate()
    stranger, member = await client(url), await client(url, keys)
    refusal = await send(stranger, note(keys, "without"))
    check("who is not authenticated may not write", refusal is not None and "auth" in refusal, refusal)
    event = note(keys, "with")
    check("who is authenticated may write", await send(member, event) is None)
    check("who is authenticated may read", ids(await fetch(member, sdk.Filter().id(event.id()))) == ids([event]))
    for one in (stranger, member):
        await one.shutdown()
    report("authenticate", 3)


async def gift_wraps(url, report):
    alice, bob, sender = (sdk.Keys.generate() for _ in range(3))
    writer, reader, other = await client(url), await client(url, alice), await client(url, bob)
    rumors = [sdk.EventBuilder(sdk.Kind(14), f"secret {number}").finalize_unsigned(sender.public_key()) for number in range(5)]
    for rumor in rumors:
        wrap = sdk.nip59_make_gift_wrap(sender, alice.public_key(), rumor)
        check("a gift wrap is accepted", await send(writer, wrap) is None)
    wanted = sdk.Filter().kind(sdk.Kind(1059)).pubkey(alice.public_key())
    wraps = await fetch(reader, wanted)
    opened = [sdk.UnwrappedGift.from_gift_wrap(alice, wrap) for wrap in wraps]
    check("the addressee reads them", sorted(one.rumor().content() for one in opened) == [f"secret {n}" for n in range(5)])
    check("the sender is proven", all(one.sender().to_hex() == sender.public_key().to_hex() for one in opened))
    try:
        stolen = await fetch(other, wanted)
    except Exception:
        stolen = []
    check("nobody else gets them", stolen == [])
    for one in (writer, reader, other):
        await one.shutdown()
    report("gift wraps", len(rumors))


STAGES = [("off", publish_and_fetch), ("off", stream), ("off", reconcile), ("both", authenticate), ("wraps", gift_wraps)]


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--linkstr", required=True, type=pathlib.Path)
    options = parser.parse_args()
    # Its database calls back into Python from threads of its own.
    sdk.uniffi_set_event_loop(asyncio.get_running_loop())
    for name, make in [("nostr-sdk's relay", OtherRelay), ("linkstr's relay", lambda auth: OwnRelay(options.linkstr, auth))]:
        for auth, stage in STAGES:
            relay = make(auth)
            try:
                await stage(await relay.url(), lambda what, count: print(f"{name}: {what}, {count} events", flush=True))
            finally:
                relay.stop()


if __name__ == "__main__":
    asyncio.run(main())
