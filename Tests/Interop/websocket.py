#!/usr/bin/env python3
"""Our WebSocket against PyPI's `websockets`, each as client and as server, with and without compression.

    websocket.py --wsecho FILE [--messages N] [--seed N]

What is sent comes back from the other implementation byte for byte, in whole messages however it was fragmented; pings
are answered; the code and reason of a close arrive. Prints what was checked and fails on the first difference.
"""
import argparse
import asyncio
import random
import sys

import websockets
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory

WORDS = ["relay", "wrap", "événement", "セッション", "🜁🜂", '{"kind":1059}', "\0", "link " * 50]
SETTINGS = [
    dict(),
    dict(server_no_context_takeover=True),
    dict(client_no_context_takeover=True),
    dict(server_no_context_takeover=True, client_no_context_takeover=True),
    dict(server_max_window_bits=9),
    dict(client_max_window_bits=9),
    dict(server_max_window_bits=12, client_max_window_bits=10, server_no_context_takeover=True),
]


def random_message(rng):
    length = rng.choice([0, 1, 125, 126, 127, 1000, 65_535, 65_536, rng.randrange(200_000)])
    if rng.random() < 0.5:
        return rng.randbytes(length) if rng.random() < 0.5 else bytes(length)
    text = ""
    while len(text) < length:
        text += rng.choice(WORDS)
    return text[:length]


def fragments(rng, message):
    """The message as `websockets` takes it: whole, or as an iterable that becomes one frame each."""
    if len(message) < 2 or rng.random() < 0.7:
        return message
    cuts = sorted(rng.randrange(len(message)) for _ in range(rng.randrange(1, 6)))
    return [message[start:end] for start, end in zip([0, *cuts], [*cuts, len(message)])]


async def exchange(connection, rng, count):
    messages = [random_message(rng) for _ in range(count)]

    async def send():
        for message in messages:
            await connection.send(fragments(rng, message))
            if rng.random() < 0.1:
                await (await connection.ping(rng.randbytes(rng.randrange(1, 126))))

    sending = asyncio.create_task(send())
    for number, message in enumerate(messages):
        answer = await connection.recv()
        if answer != message:
            raise SystemExit(f"message {number} of {len(message)} came back as {len(answer)} other ones")
    await sending
    return count


async def our_server(wsecho, rng, count):
    process = await asyncio.create_subprocess_exec(wsecho, "server", "0", stdout=asyncio.subprocess.PIPE)
    try:
        line = (await process.stdout.readline()).decode()
        url = "ws://" + line.split()[-1]
        checked = 0
        for setting in [None, *SETTINGS]:
            extensions = [] if setting is None else [ClientPerMessageDeflateFactory(**setting)]
            async with connect(url, compression=None, extensions=extensions, max_size=None) as connection:
                agreed = connection.protocol.extensions
                if bool(agreed) != (setting is not None):
                    raise SystemExit(f"our server answered {setting} with {agreed}")
                checked += await exchange(connection, rng, count)
                await connection.close(4001, "genug")
            if connection.close_code != 4001:
                raise SystemExit(f"our server closed with {connection.close_code}")
        return checked
    finally:
        process.kill()
        await process.wait()


async def our_client(wsecho, rng, count):
    """Speaks as a fuzzing server does: so many cases, each a connection whose messages are sent back."""
    checked = []
    failure = []

    def cases(setting):
        async def case(connection):
            path = connection.request.path
            if path.startswith("/getCaseCount"):
                await connection.send("2")
            elif path.startswith("/runCase"):
                try:
                    agreed = connection.protocol.extensions
                    if bool(agreed) != (setting is not None):
                        raise SystemExit(f"our client took {agreed} for {setting}")
                    checked.append(await exchange(connection, rng, count))
                    await connection.close(4002, "assez")
                    if connection.close_code != 4002:
                        raise SystemExit(f"our client closed with {connection.close_code}")
                except BaseException as error:
                    failure.append(error)
                    raise

        return case

    for setting in [None, *SETTINGS]:
        extensions = [] if setting is None else [ServerPerMessageDeflateFactory(**setting)]
        async with serve(cases(setting), "127.0.0.1", 0, compression=None, extensions=extensions, max_size=None) as server:
            port = server.sockets[0].getsockname()[1]
            process = await asyncio.create_subprocess_exec(
                wsecho, "client", f"ws://127.0.0.1:{port}", stdout=asyncio.subprocess.DEVNULL
            )
            code = await asyncio.wait_for(process.wait(), 300)
        if failure or code:
            raise SystemExit(f"our client with {setting}: exit code {code}, {failure}")
    if len(checked) != 2 * (1 + len(SETTINGS)):
        raise SystemExit(f"our client ran {len(checked)} cases")
    return sum(checked)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wsecho", required=True)
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    server = await our_server(options.wsecho, rng, options.messages)
    client = await our_client(options.wsecho, rng, options.messages)
    print(
        f"websockets {websockets.__version__}: {server} messages through our server, {client} through our client, "
        f"{1 + len(SETTINGS)} ways to compress"
    )


asyncio.run(main())
