"""The other side of the rows of `bench` that have nostr-sdk beside them: opens and makes gift wraps when it is told to, and says
how many seconds of processor time that took."""
import json
import sys
import time

import nostr_sdk as sdk

setup = json.loads(sys.stdin.readline())
owner, sender = sdk.Keys.parse(setup["owner"]), sdk.Keys.parse(setup["sender"])
recipient = owner.public_key()


def open_wraps():
    for text in setup["wraps"]:
        event = sdk.Event.from_json(text)
        if not event.verify():
            raise SystemExit("a wrap that is not genuine")
        opened = sdk.UnwrappedGift.from_gift_wrap(owner, event)
    if opened.sender().to_hex() != sender.public_key().to_hex():
        raise SystemExit("another sender")


def make_wraps():
    rumor = sdk.UnsignedEvent.from_json(setup["rumor"])
    for _ in setup["wraps"]:
        sdk.nip59_make_gift_wrap(sender, recipient, rumor).as_json()


for line in sys.stdin:
    work = {"open": open_wraps, "make": make_wraps}[line.strip()]
    start = time.process_time()
    work()
    print(time.process_time() - start, flush=True)
