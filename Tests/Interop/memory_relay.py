"""nostr-sdk's relay, in memory and without limits on how much may come, for scripts/relay-bench.sh --peer.

Prints its address, and works until standard input ends.
"""
import asyncio
import sys

import nostr_sdk as sdk


async def main():
    builder = sdk.LocalRelayBuilder().rate_limit(sdk.RateLimit(max_reqs=1_000_000, notes_per_minute=1_000_000_000))
    relay = builder.default_filter_limit(5_000).max_filter_limit(5_000).build()
    await relay.run()
    print(await relay.url(), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    relay.shutdown()


asyncio.run(main())
