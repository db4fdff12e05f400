"""Two people with a daemon each on five relays that do something wrong now and then, for hours.

One posts links all the time, the other reacts. In the end the relays behave, and then everything that was reported as sent
must be in both homes: nothing lost. On the way memory and descriptors of both daemons are looked at every few seconds: both must be
flat, the last quarter of the time beside the second one.

    soak.py --bin DIR --relays FILE [--minutes N] [--seed N] [--report FILE]
"""
import argparse
import atexit
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

# What a daemon may grow by between the second quarter and the last: it keeps more posts by then, and the allocator settles.
MEMORY_SHARE, MEMORY_BYTES, DESCRIPTORS = 0.10, 4_000_000, 4


class Relays:
    def __init__(self, program, seed):
        self.process = subprocess.Popen(
            [program, "5", str(seed), "25"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.urls = [self.process.stdout.readline().strip() for _ in range(5)]

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


class Person:
    """A home with a daemon."""

    def __init__(self, programs, folder, name, relays):
        self.linkstr, self.home = programs / "linkstr", folder / name
        self.home.mkdir(mode=0o700)
        (self.home / "relays.json").write_text('{"relays":[]}')
        for url in relays:
            self.do("relay", "add", url)
        self.log = open(folder / f"{name}.log", "w")
        self.daemon = subprocess.Popen(
            [programs / "linkstrd", "run", "--home", self.home], stdout=self.log, stderr=self.log
        )
        atexit.register(self.daemon.kill)
        deadline = time.monotonic() + 30
        while not (self.home / "run/linkstrd.sock").exists():
            if self.daemon.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"soak: the daemon of {name} does not start, see {self.log.name}")
            time.sleep(0.05)
        self.npub = self.do("account", "new", "--name", name).split()[0]
        self.samples = []

    def attempt(self, *words):
        return subprocess.run(
            [self.linkstr, "--home", self.home, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    def do(self, *words):
        done = self.attempt(*words)
        if done.returncode != 0:
            sys.exit(f"soak: linkstr {' '.join(words)} ends with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def sample(self):
        if self.daemon.poll() is not None:
            sys.exit(f"soak: a daemon ended with {self.daemon.returncode}, see {self.log.name}")
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text()
        memory = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))
        self.samples.append((memory, len(os.listdir(f"/proc/{self.daemon.pid}/fd"))))

    def posts(self):
        lines = self.do("--json", "feed", "Films", "--limit", "100000").splitlines()
        return {one["id"]: one for one in map(json.loads, lines) if "url" in one}

    def judge(self):
        """Memory and descriptors of the second quarter and of the last, and whether they are flat."""
        quarter = max(1, len(self.samples) // 4)
        before, after = self.samples[quarter : 2 * quarter] or self.samples, self.samples[-quarter:]
        memory = [statistics.median(one[0] for one in part) for part in (before, after)]
        descriptors = [max(one[1] for one in part) for part in (before, after)]
        flat = memory[1] <= memory[0] * (1 + MEMORY_SHARE) + MEMORY_BYTES and descriptors[1] <= descriptors[0] + DESCRIPTORS
        return {"anonymous_memory": memory, "descriptors": descriptors, "flat": flat}

    def end(self):
        self.daemon.terminate()
        code = self.daemon.wait(30)
        if code != 0:
            sys.exit(f"soak: a daemon ends with {code}, see {self.log.name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--relays", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=24 * 60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--report", type=pathlib.Path)
    arguments = parser.parse_args()
    os.umask(0o077)
    chance = random.Random(arguments.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="soak"))
    relays = Relays(arguments.relays, arguments.seed)
    print(f"soak: {arguments.minutes:g} minutes, seed {arguments.seed}, in {folder}", flush=True)

    ann, ben = (Person(arguments.bin, folder, name, relays.urls) for name in ("ann", "ben"))
    ann.do("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
    ann.do("post", "Films", "https://example.com/first")
    deadline = time.monotonic() + 30
    while ben.attempt("session", "accept", "Films").returncode != 0:
        if time.monotonic() > deadline:
            sys.exit("soak: the session does not arrive while all relays behave")
        time.sleep(0.2)

    relays.tell("faults")
    sent, reacted, failed, number = [], set(), 0, 0
    end = time.monotonic() + arguments.minutes * 60
    # A day has no more posts than a few hours: what is looked for grows with time, not with posts.
    pause = max(0.3, arguments.minutes * 60 / 5_000)
    next_sample = 0.0
    while time.monotonic() < end:
        number += 1
        done = ann.attempt("post", "Films", f"https://example.com/{number}")
        if done.returncode == 0:
            sent.append(done.stdout.strip())
            if chance.random() < 0.3 and ben.attempt("react", sent[-1], "👍").returncode == 0:
                reacted.add(sent[-1])
        else:
            failed += 1
        if chance.random() < 0.01:
            relays.tell("drop")
        if time.monotonic() >= next_sample:
            ann.sample(), ben.sample()
            next_sample = time.monotonic() + max(1.0, arguments.minutes * 60 / 2_000)
        time.sleep(pause * chance.random() * 2)

    faults = relays.tell("honest")["faults"]
    deadline = time.monotonic() + 120
    while True:
        mine, theirs = ann.posts(), ben.posts()
        missing = [one for one in sent if one not in mine or one not in theirs]
        unheard = [one for one in reacted if not any(reaction["emoji"] == "👍" for reaction in mine.get(one, {}).get("reactions", []))]
        if (not missing and not unheard) or time.monotonic() > deadline:
            break
        time.sleep(1)
    stats = relays.tell("stats")
    people = {"ann": ann.judge(), "ben": ben.judge()}
    report = {
        "minutes": arguments.minutes, "seed": arguments.seed, "posts_sent": len(sent), "posts_refused": failed,
        "reactions_sent": len(reacted), "faults": faults, "posts_lost": len(missing), "reactions_lost": len(unheard),
        "events_on_relays": stats["events"], "daemons": people,
    }
    ann.end(), ben.end()
    relays.end()
    text = json.dumps(report, indent=1)
    print(text)
    if arguments.report:
        arguments.report.write_text(text + "\n")
    if not sent or not reacted or faults == 0:
        sys.exit("soak: nothing was tried")
    if missing or unheard:
        sys.exit(f"soak: lost: {missing + unheard}; the homes are in {folder}")
    if not all(one["flat"] for one in people.values()):
        sys.exit(f"soak: memory or descriptors grow; the logs are in {folder}")
    subprocess.run(["rm", "-rf", folder], check=True)


main()
