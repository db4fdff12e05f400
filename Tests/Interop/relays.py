"""linkstr as a client of other people's relays: nostr-sdk's local relay, open and in its AUTH modes, and nostr-relay.

Run it through scripts/interop.sh. Each check has a control; the first difference ends the run.
"""
import argparse
import asyncio
import json
import os
import subprocess

import nostr_sdk as sdk

from relay_processes import NostrRelay

SECRET = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"


def fail(what, *details):
    raise SystemExit("DIFFERENT: " + what + "".join("\n  " + str(one)[:2000] for one in details))


class Client:
    def __init__(self, program):
        self.program = program

    async def run(self, *arguments, lines=(), secret=None, code=0):
        environment = {"PATH": os.environ["PATH"]} | ({"LINKSTR_SECRET": secret} if secret else {})
        process = await asyncio.create_subprocess_exec(
            self.program, *arguments, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        output, errors = await process.communicate("".join(line + "\n" for line in lines).encode())
        if process.returncode != code:
            fail(f"exit code of {' '.join(arguments)}", f"{process.returncode} instead of {code}", errors.decode())
        return output.decode().splitlines()

    async def note(self, number):
        return (await self.run(
            "event", "new", "--kind", "1", "--content", f"note {number}", "--created-at", str(1_700_000_000 + number),
            "--tag", "t=interop", "--sec", SECRET,
        ))[0]


async def exchange(client, url, notes, secret=None, counts=True):
    """Publishes, asks back, and counts (nostr-relay does not answer COUNT)."""
    done = 0
    for line in await client.run("publish", "--json", url, lines=notes, secret=secret):
        if not json.loads(line)["accepted"]:
            fail(f"{url} does not accept a note", line)
        done += 1
    ids = [json.loads(note)["id"] for note in notes]
    # Sent again it is a duplicate, which counts as taken.
    await client.run("publish", url, lines=notes[:1], secret=secret)
    found = [json.loads(line)["id"] for line in await client.run("req", "--kind", "1", "--tag", "t=interop", url, secret=secret)]
    if sorted(found) != sorted(ids):
        fail(f"{url} returns other notes", ids, found)
    newest = await client.run("req", "--kind", "1", "--limit", "3", url, secret=secret)
    if [json.loads(line)["id"] for line in newest] != ids[:-4:-1]:
        fail(f"{url} returns other newest notes", ids, newest)
    if await client.run("req", "--kind", "1", "--tag", "t=other", url, secret=secret):
        fail(f"{url} returns notes that were not asked for")
    if counts:
        line = (await client.run("count", "--json", "--kind", "1", url, secret=secret))[0]
        if json.loads(line)["count"] != len(notes):
            fail(f"{url} counts otherwise", line)
    return done + len(found) + 3


async def sdk_relays(client, notes):
    done = 0
    relay = sdk.LocalRelayBuilder().build()
    await relay.run()
    url = str(await maybe(relay.url()))
    done += await exchange(client, url, notes)
    report = json.loads((await client.run("relay", "test", "--json", url))[0])
    if report["error"] is not None:
        fail("relay test finds fault with nostr-sdk's relay", report)
    relay.shutdown()
    for mode, refuses_reading, refuses_writing in [
        (sdk.LocalRelayBuilderNip42Mode.READ, True, False),
        (sdk.LocalRelayBuilderNip42Mode.WRITE, False, True),
        (sdk.LocalRelayBuilderNip42Mode.BOTH, True, True),
    ]:
        relay = sdk.LocalRelayBuilder().nip42(sdk.LocalRelayBuilderNip42(mode=mode)).build()
        await relay.run()
        url = str(await maybe(relay.url()))
        done += await exchange(client, url, notes, secret=SECRET)
        # Without a key the relay refuses what its mode says, and nothing else.
        await client.run("publish", url, lines=notes[:1], code=69 if refuses_writing else 0)
        await client.run("req", "--kind", "1", url, code=69 if refuses_reading else 0)
        done += 2
        relay.shutdown()
    return done


async def maybe(value):
    return await value if asyncio.iscoroutine(value) or asyncio.isfuture(value) else value


async def nostr_relay(client, notes):
    relay = NostrRelay()
    try:
        info = json.loads((await client.run("relay", "info", "--json", relay.url))[0])
        if info["name"] != "interop":
            fail("nostr-relay's information", info)
        return await exchange(client, relay.url, notes, counts=False) + 1
    finally:
        relay.stop()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--linkstr", required=True)
    parser.add_argument("--notes", type=int, default=20)
    arguments = parser.parse_args()
    client = Client(arguments.linkstr)
    notes = [await client.note(number) for number in range(arguments.notes)]
    print(f"nostr-sdk's relay, open and with authentication: {await sdk_relays(client, notes)} checks")
    print(f"nostr-relay: {await nostr_relay(client, notes)} checks")


asyncio.run(main())
