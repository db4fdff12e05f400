#!/usr/bin/env python3
"""Measures linkstr and linkstrd as a person meets them: whole commands from start to end, over the loopback, in homes that are
gone afterwards. scripts/apps-bench.sh builds and calls it."""
import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", help="where linkstr and linkstrd are")
parser.add_argument("--posts", type=int, default=10_000, help="posts of the large home (default 10000)")
parser.add_argument("--accounts", type=int, default=50, help="accounts of the large daemon (default 50)")
parser.add_argument("--runs", type=int, default=31, help="runs of each command (default 31)")
parser.add_argument("--idle", type=int, default=20, help="seconds for which an idle daemon is watched (default 20)")
parser.add_argument("--only", choices=["small", "many", "large"], help="one part instead of all")
options = parser.parse_args()
binaries = pathlib.Path(options.folder)
work = pathlib.Path(tempfile.mkdtemp(prefix="linkstr-bench-"))
running = []


def home(name, relays):
    """A home whose relays are these alone."""
    path = work / name
    path.mkdir(mode=0o700)
    relays_file = path / "relays.json"
    relays_file.write_text(json.dumps({"relays": [{"url": url, "enabled": True} for url in relays]}))
    relays_file.chmod(0o600)
    return path


def linkstr(path, *arguments, text=None):
    done = subprocess.run(
        [binaries / "linkstr", "--home", path, *arguments], input=text, capture_output=True, text=True, close_fds=False
    )
    if done.returncode != 0:
        sys.exit(f"linkstr {' '.join(arguments)} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def daemon(path, *arguments):
    """A daemon that is ready, and the address of its relay, if it is one."""
    log = open(path / "log", "w+")
    process = subprocess.Popen([binaries / "linkstrd", "run", "--home", path, *arguments], stderr=log, stdout=log)
    running.append(process)
    while "ready accounts=" not in (text := (path / "log").read_text()):
        if process.poll() is not None:
            sys.exit(f"linkstrd ends: {text}")
        time.sleep(0.02)
    relay = [line.split("address=")[1] for line in text.splitlines() if "relay listening" in line]
    return process, relay[0] if relay else None


def end(process):
    process.terminate()
    process.wait()
    running.remove(process)


class Control:
    """A connection to a daemon's control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path / "run/linkstrd.sock"))
        self.lines = self.socket.makefile("r")
        self.last = 0

    def send(self, method, **parameters):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters}
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def answer(self):
        while True:
            message = json.loads(self.lines.readline())
            if "error" in message:
                sys.exit(f"the daemon says {message['error']}")
            if "result" in message:
                return message["result"]

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.answer()

    def item(self):
        while True:
            message = json.loads(self.lines.readline())
            if message.get("method") == "item":
                return message["params"]["item"]


def row(what, times, aim, used=None):
    times = sorted(times)
    used = f"   processor {statistics.median(used) * 1e3:6.1f}" if used else ""
    print(
        f"{what:58} p50 {statistics.median(times) * 1e3:6.1f} ms   best {times[0] * 1e3:6.1f}   "
        f"p90 {times[len(times) * 9 // 10] * 1e3:6.1f}{used}   aim {aim}",
        flush=True,
    )


def timed(path, *words):
    """How long a command takes from start to end, and the processor time that it uses, which other processes hardly change."""
    begun = time.perf_counter()
    process = subprocess.Popen([binaries / "linkstr", "--home", path, *words], stdout=subprocess.DEVNULL, close_fds=False)
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"linkstr {' '.join(words)} ends with {process.returncode}")
    return taken, usage.ru_utime + usage.ru_stime


def measure(what, aim, path, *arguments, runs=options.runs):
    times, used = zip(*(timed(path, *(word.replace("RUN", str(run)) for word in arguments)) for run in range(runs)))
    row(what, times, aim, used)


def memory(process):
    """Resident memory and the part of it that no file backs, in megabytes."""
    fields = dict(
        line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    )
    return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]


def ticks(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def fill(path, count):
    """Posts many links through one connection, a few at a time."""
    control = Control(path)
    waiting = 0
    for number in range(count):
        control.send("post", arguments={"session": "Films", "url": f"https://example.com/{number}"})
        waiting += 1
        if waiting == 16:
            control.answer()
            waiting -= 1
    while waiting:
        control.answer()
        waiting -= 1


def small():
    measure("linkstr --help", "15 ms", work, "--help")
    ann = home("ann", [])
    process, relay = daemon(ann, "--relay-listen", "127.0.0.1:0")
    linkstr(ann, "account", "new")
    linkstr(ann, "session", "new", "Films")
    measure("post through the daemon, until its relay has accepted it", "15 ms", ann, "post", "Films", "example.com/RUN")
    measure("feed of a small home, through the daemon", "-", ann, "feed")
    time.sleep(2)
    before = ticks(process)
    time.sleep(options.idle)
    share = (ticks(process) - before) / os.sysconf("SC_CLK_TCK") / options.idle
    resident, anonymous = memory(process)
    print(f"{'idle daemon, one account and its own relay':58} {resident:.0f} MB, {anonymous:.1f} MB of it anonymous; "
          f"{share:.2%} of a processor   aim 40 MB, 0.1 %")

    ben = home("ben", [relay])
    linkstr(ben, "account", "new")
    linkstr(ben, "config", "set", "requests_by_strangers", "false")
    npub = linkstr(ben, "account", "show").split()[0]
    linkstr(ben, "sync")
    linkstr(ben, "session", "new", "Alone")
    measure("post without a daemon, caught up before", "150 ms", ben, "post", "Alone", "example.com/RUN")
    linkstr(ann, "session", "new", "Both", "--member", npub, "--yes", "--not-a-contact")
    other, _ = daemon(ben)
    sender, receiver = Control(ann), Control(ben)
    receiver.call("sync")
    receiver.call("subscribe", notify=True)
    delivered, accepted = [], []
    for run in range(4 * options.runs):
        arrived = []
        listener = threading.Thread(target=lambda: (receiver.item(), arrived.append(time.perf_counter())))
        listener.start()
        begun = time.perf_counter()
        sender.call("post", arguments={"session": "Both", "url": f"https://example.com/both/{run}"})
        accepted.append(time.perf_counter() - begun)
        listener.join()
        delivered.append(arrived[0] - begun)
    row("post in one daemon until the watcher of another has it", delivered, "20 ms")
    row("the same until the relay has accepted both copies", accepted, "-")
    end(other)
    end(process)


def large():
    ann = home("large", [])
    process, relay = daemon(ann, "--relay-listen", "127.0.0.1:0")
    linkstr(ann, "account", "new")
    linkstr(ann, "session", "new", "Films")
    fill(ann, options.posts)
    measure(f"feed of {options.posts:,} posts, through the daemon", "-", ann, "feed")
    secret = linkstr(ann, "account", "export", "--yes")
    fresh = home("fresh", [relay])
    linkstr(fresh, "account", "import", text=secret)
    taken, used = timed(fresh, "sync")
    print(f"{f'first restore of {options.posts:,} gift wraps':58} {taken:.2f} s, {taken / options.posts * 1e6:.0f} µs each, "
          f"{used / options.posts * 1e6:.0f} of processor time")
    end(process)
    measure(f"feed of {options.posts:,} posts, without a daemon", "60 ms", ann, "feed")
    measure(f"feed --limit {options.posts}, without a daemon", "-", ann, "feed", "--limit", str(options.posts), runs=5)


def many():
    crowd = home("crowd", [])
    for _ in range(options.accounts):
        linkstr(crowd, "account", "new")
    process, _ = daemon(crowd, "--relay-listen", "127.0.0.1:0")
    control = Control(crowd)
    while any(account["stage"] != "ready" for account in control.call("accounts")):
        time.sleep(0.1)
    resident, anonymous = memory(process)
    print(f"{f'daemon with {options.accounts} accounts and its own relay':58} {resident:.0f} MB, "
          f"{anonymous:.1f} MB of it anonymous   aim 150 MB")
    end(process)


try:
    for part in [small, many, large]:
        if options.only in (None, part.__name__):
            part()
finally:
    for process in running:
        process.kill()
    shutil.rmtree(work)
