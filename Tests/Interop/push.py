"""The push gateway against a client that nobody here wrote: events signed by nostr-sdk, requests by Python's http.client, and a
look-alike of Apple's push service on PyPI's h2.

Run it through scripts/push.sh. The first difference ends the run. Beside the rows of the protocol it kills the gateway at random
instants, and runs two gateways on one database while connections break: nothing that was answered with 202 is lost, and what
arrives twice is counted.
"""
import argparse
import base64
import collections
import contextlib
import datetime
import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import uuid

import nostr_sdk as sdk

# How the program that is tested is called: linkstrd itself, or the role alone.
PREFIX, CHECK = "LINKSTRD_", "check-config"
HERE = pathlib.Path(__file__).resolve().parent
DEVICE = {"device_token": "abc", "apns_environment": "sandbox"}


def check(what, condition, *details):
    if not condition:
        raise SystemExit("WRONG: " + what + "".join("\n  " + str(one)[:2000] for one in details))


def until(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        check(what, time.monotonic() < end)
        time.sleep(0.01)


class Apple:
    """The look-alike, with certificates and keys of its own."""

    def __init__(self, folder):
        self.folder = folder
        run = lambda *words: subprocess.run(words, check=True, capture_output=True)
        curve = ["-pkeyopt", "ec_paramgen_curve:prime256v1"]
        self.certificate, self.key = folder / "cert.pem", folder / "key.pem"
        run("openssl", "req", "-x509", "-newkey", "ec", *curve, "-nodes", "-keyout", self.key, "-out", self.certificate,
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
        self.p8 = folder / "AuthKey.p8"
        run("openssl", "genpkey", "-algorithm", "EC", *curve, "-out", self.p8)
        run("openssl", "pkey", "-in", self.p8, "-pubout", "-out", folder / "public.pem")
        self.p8.chmod(0o600)
        self.process = subprocess.Popen(
            [os.sys.executable, HERE / "apns_server.py", "--certificate", self.certificate, "--key", self.key, "--signer",
             folder / "public.pem"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.requests, self.told = [], 0
        # The status of each answer by connection and stream, and when the look-alike broke which connection off.
        self.answers, self.broken = {}, {}
        # Of a notification only what tells whether it was sent twice, for a run of an hour.
        self.is_brief, self.attempts = False, collections.defaultdict(list)
        self.port = json.loads(self.process.stdout.readline())["port"]
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "fields" in message:
                message["fields"] = dict(message["fields"])
                message["token"] = message["fields"][":path"].rsplit("/", 1)[-1]
                message["json"] = json.loads(base64.b64decode(message["body"]))
                if self.is_brief:
                    one = Attempt(
                        message["at"], message["connection"], message["stream"], key_id(message), tuple(message["wrong"])
                    )
                    self.attempts[message["json"]["event_id"], message["token"]].append(one)
                else:
                    self.requests.append(message)
            elif "answered" in message:
                self.answers[message["connection"], message["answered"]] = message["status"]
            elif message.get("broken"):
                self.broken[message["ended"]] = message["at"]
            elif "told" in message:
                self.told = message["told"]

    def tell(self, token, **what):
        wanted = self.told + 1
        self.process.stdin.write(json.dumps({"token": token, **what}) + "\n")
        self.process.stdin.flush()
        until("the look-alike hears", lambda: self.told >= wanted)

    def take(self, count):
        """Waits for so many requests, and a little longer for those that should not come."""
        until(f"{count} notifications arrive", lambda: len(self.requests) >= count)
        time.sleep(0.3)
        check("no more notifications arrive", len(self.requests) == count, self.requests)
        taken, self.requests = self.requests, []
        for one in taken:
            check("a notification is as Apple wants it", one["wrong"] == [], one)
        return taken


# A notification that arrived: when, where, and from which gateway.
Attempt = collections.namedtuple("Attempt", "at connection stream gateway wrong")


def key_id(message):
    """The key id in the provider token of a request."""
    head = message["fields"]["authorization"].removeprefix("bearer ").split(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


class Gateway:
    """One process. The key id in its provider tokens is its own, so that it is known who has sent what."""

    all = {}

    def __init__(self, command, apple, folder, **more):
        self.name = f"{len(Gateway.all):010d}"
        Gateway.all[self.name] = self
        self.database = folder / "push.db"
        # When it was killed, and what it had then taken from the queue and not finished: event and token.
        self.killed, self.unfinished = None, set()
        self.environment = {
            **os.environ,
            PREFIX + "HOME": str(folder / "home"),
            PREFIX + "PUSH_LISTEN": "127.0.0.1:0",
            PREFIX + "PUSH_DATABASE": str(self.database),
            PREFIX + "PUSH_TOPIC": "com.example.linkstr",
            PREFIX + "PUSH_KEY_ID": self.name,
            PREFIX + "PUSH_TEAM_ID": "TEAM567890",
            PREFIX + "PUSH_KEY_FILE": str(apple.p8),
            PREFIX + "PUSH_APNS_PRODUCTION": f"127.0.0.1:{apple.port}",
            PREFIX + "PUSH_APNS_SANDBOX": f"127.0.0.1:{apple.port}",
            PREFIX + "PUSH_APNS_CA": str(apple.certificate),
            PREFIX + "PUSH_ACCOUNT_RATE": "100000",
            PREFIX + "PUSH_ADDRESS_RATE": "100000",
            **{PREFIX + "PUSH_" + name.upper(): value for name, value in more.items()},
        }
        self.command = command
        self.log = folder / f"gateway-{self.name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [command, "push"], env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        with self.process.stdout as output:
            line = output.readline().strip()
        check("the gateway prints its address", line.startswith("127.0.0.1:"), line, self.said())
        self.port = int(line.rsplit(":", 1)[1])

    def said(self):
        return self.log.read_text()

    def stop(self):
        self.process.terminate()
        check("the gateway ends with 0", self.process.wait(20) == 0, self.said())

    def kill(self):
        self.killed = time.time()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def look(self):
        """What is leased, just after a kill: by this process or by another."""
        with contextlib.closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True, timeout=30)) as database:
            self.unfinished = set(
                database.execute(
                    "SELECT notification.collapse, device.token FROM job JOIN notification ON notification.id = job.notification"
                    " JOIN device ON device.id = job.device WHERE job.lease IS NOT NULL"
                )
            )

    def has_said(self, words, begin, end):
        """Whether it has said in this time that something waits for another try; it says the same once in ten seconds."""
        return any(begin - 11 <= time_ <= end and words in sentence for time_, sentence in self.complaints())

    def complaints(self):
        for line in self.said().splitlines():
            if found := re.match(r"(\S+Z) warning +a notification waits for another try: (.*)", line):
                yield datetime.datetime.fromisoformat(found[1]).timestamp(), found[2]

    def ask(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            text = answer.read()
            check("the answer is JSON", answer.headers["content-type"] == "application/json", answer.headers)
            return answer.status, json.loads(text)
        finally:
            connection.close()


class Account:
    def __init__(self):
        self.keys = sdk.Keys.generate()
        self.key = self.keys.public_key().to_hex()

    def header(self, method, path, body, *, kind=27235, age=0, nonce=None, tags=None, change=None):
        tags = tags if tags is not None else {
            "method": method, "path": path, "payload_sha256": hashlib.sha256(body).hexdigest(),
            "nonce": uuid.uuid4().hex if nonce is None else nonce,
        }
        builder = sdk.EventBuilder(sdk.Kind(kind), "").tags([sdk.Tag.parse([name, value]) for name, value in tags.items()])
        event = builder.custom_created_at(sdk.Timestamp.from_secs(int(time.time()) - age)).finalize(self.keys).as_json()
        if change:
            event = change(event)
        return "Nostr " + base64.b64encode(event.encode()).decode()

    def ask(self, gateway, method, path, body, *, sent=None, request=None, **how):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": self.header(method, path, raw, **how), "Content-Type": "application/json"}
        return gateway.ask(method, request or path, raw if sent is None else sent, headers)

    def register(self, gateway, token, environment="sandbox"):
        return self.ask(
            gateway, "POST", "/v1/devices/register", {"device_token": token, "apns_environment": environment}
        )

    def unregister(self, gateway, token):
        return self.ask(gateway, "POST", "/v1/devices/unregister", {"device_token": token})

    def archive(self, gateway, archived, known=None):
        body = {"archived_conversation_ids": archived}
        if known is not None:
            body["known_conversation_ids"] = known
        return self.ask(gateway, "PUT", "/v1/conversations/archive-state", body)

    def post(self, gateway, event, session, recipients, **more):
        body = {
            "notification_type": "new_post", "event_id": event, "conversation_id": session,
            "recipient_pubkeys": [one.key for one in recipients], **more,
        }
        return self.ask(gateway, "POST", "/v1/push", body)


def authentication(gateway):
    """Every row of the rules of authentication, each with its control."""
    alice = Account()
    path = "/v1/devices/register"
    count = 0

    def expect(what, wanted, status):
        nonlocal count
        check(f"{what}: {wanted}", status[0] == wanted, status)
        count += 1

    ask = lambda **how: alice.ask(gateway, "POST", path, DEVICE, **how)
    tags = lambda **change: {
        name: value
        for name, value in {
            "method": "POST", "path": path,
            "payload_sha256": hashlib.sha256(json.dumps(DEVICE).encode()).hexdigest(), "nonce": uuid.uuid4().hex, **change,
        }.items()
        if value is not None
    }
    rows = [
        ("another kind", dict(kind=1)), ("no method", dict(tags=tags(method=None))),
        ("another method", dict(tags=tags(method="PUT"))), ("no path", dict(tags=tags(path=None))),
        ("another path", dict(tags=tags(path="/v1/push"))), ("a path with a query", dict(tags=tags(path=path + "?x"))),
        ("no hash", dict(tags=tags(payload_sha256=None))),
        ("the hash in upper case", dict(tags=tags(payload_sha256=hashlib.sha256(json.dumps(DEVICE).encode()).hexdigest().upper()))),
        ("no nonce", dict(tags=tags(nonce=None))), ("a blank nonce", dict(tags=tags(nonce=" "))),
        ("301 s old", dict(age=301)), ("301 s ahead", dict(age=-302)),
        ("a body changed after signing", dict(sent=json.dumps({**DEVICE, "device_token": "abd"}).encode())),
        ("a broken signature", dict(change=lambda event: event.replace('"sig":"', '"sig":"0000')[:-6] + '"}')),
        ("another content than signed", dict(change=lambda event: event.replace('"content":""', '"content":"x"'))),
        ("no event", dict(change=lambda event: "{}")),
    ]
    for what, how in rows:
        expect(what, 401, ask(**how))
        expect("control of " + what, 202, ask())
    for what, how in [("299 s old", dict(age=299)), ("299 s ahead", dict(age=-299)), ("a request with a query", dict(request=path + "?a=b"))]:
        expect(what, 202, ask(**how))
    raw = json.dumps(DEVICE).encode()
    expect("no header", 401, gateway.ask("POST", path, raw, {}))
    header = alice.header("POST", path, raw)
    for what, value in [("another scheme", header.replace("Nostr", "Basic")), ("no base64", "Nostr ???"), ("nothing", "Nostr ")]:
        expect(what, 401, gateway.ask("POST", path, raw, {"Authorization": value}))
    expect("the same header right", 202, gateway.ask("POST", path, raw, {"Authorization": header}))
    expect("the same header again", 401, gateway.ask("POST", path, raw, {"Authorization": header}))
    bad = alice.header("POST", path, b"{}")
    expect("a refused body", 400, gateway.ask("POST", path, b"{}", {"Authorization": bad}))
    expect("uses its nonce up", 401, gateway.ask("POST", path, b"{}", {"Authorization": bad}))
    alice.unregister(gateway, "abc")
    return count


def bodies(gateway):
    """Every row of the endpoints."""
    alice = Account()
    post = {"notification_type": "new_post", "event_id": "e", "conversation_id": "S", "recipient_pubkeys": [alice.key]}
    reaction = {**post, "notification_type": "new_emoji_reaction", "emoji": "👍"}
    without = lambda body, name: {key: value for key, value in body.items() if key != name}
    register, unregister = ("POST", "/v1/devices/register"), ("POST", "/v1/devices/unregister")
    archive, push = ("PUT", "/v1/conversations/archive-state"), ("POST", "/v1/push")
    rows = [
        (202, register, DEVICE), (400, register, without(DEVICE, "device_token")),
        (400, register, without(DEVICE, "apns_environment")), (400, register, {**DEVICE, "device_token": " "}),
        (400, register, {**DEVICE, "device_token": 1}), (400, register, {**DEVICE, "apns_environment": "test"}),
        (202, register, {**DEVICE, "apns_environment": " PRODUCTION "}), (400, register, b"no json"), (400, register, []),
        (400, register, b""), (202, unregister, {"device_token": "abc"}), (400, unregister, {}),
        (202, archive, {"archived_conversation_ids": []}), (400, archive, {}),
        (400, archive, {"archived_conversation_ids": None}), (400, archive, {"archived_conversation_ids": "a"}),
        (202, archive, {"archived_conversation_ids": ["a"], "known_conversation_ids": None}),
        (202, archive, {"archived_conversation_ids": [], "known_conversation_ids": []}),
        (202, archive, {"archived_conversation_ids": ["a"], "known_conversation_ids": ["a", "b"]}),
        (400, archive, {"archived_conversation_ids": ["c"], "known_conversation_ids": ["a", "b"]}),
        (400, archive, {"archived_conversation_ids": [], "known_conversation_ids": [" a"]}),
        (400, archive, {"archived_conversation_ids": [], "known_conversation_ids": [""]}),
        (202, push, post), (202, push, reaction), (400, push, without(reaction, "emoji")),
        (400, push, {**reaction, "emoji": " "}), (400, push, {**post, "notification_type": "x"}),
        *[(400, push, without(post, name)) for name in post], *[(400, push, {**post, name: 1}) for name in post],
        (202, push, {**post, "unknown": [1]}), (202, register, json.dumps(DEVICE).encode().ljust(65536)),
        (400, register, json.dumps(DEVICE).encode().ljust(65537)),
    ]
    for status, (method, path), body in rows:
        answer = alice.ask(gateway, method, path, body)
        check(f"{method} {path} {str(body)[:200]}: {status}", answer[0] == status, answer)
        check("a refusal says why", ("error" in answer[1]) == (status != 202), answer)
    for status, method, path in [(404, "POST", "/v1/other"), (404, "GET", "/"), (405, "GET", "/v1/push"), (405, "PUT", "/v1/push")]:
        check(f"{method} {path}: {status}", alice.ask(gateway, method, path, {})[0] == status)
    check("health", gateway.ask("GET", "/healthz", None, {}) == (200, {"status": "ok"}))
    alice.unregister(gateway, "abc")
    return len(rows) + 5


def delivery(gateway, apple):
    """What arrives at Apple, byte for byte, and what never does."""
    author, member, other = Account(), Account(), Account()
    author.register(gateway, "author")
    member.register(gateway, "member", "production")
    member.register(gateway, "tablet")
    event = uuid.uuid4().hex * 2
    before = int(time.time())
    answer = author.post(gateway, event, "SESSION", [author, member, other])
    check("counts", answer == (202, {"status": "accepted", "recipient_count": 1, "candidate_devices": 2}), answer)
    arrived = apple.take(2)
    check("each device once", sorted(one["token"] for one in arrived) == ["member", "tablet"])
    expected = (
        '{"aps":{"alert":{"title":"New post in linkstr","body":"Open linkstr to see it."},"sound":"default",'
        f'"thread-id":"SESSION"}},"type":"new_post","event_id":"{event}","conversation_id":"SESSION"}}'
    )
    for one in arrived:
        check("the payload", base64.b64decode(one["body"]).decode() == expected, one["body"])
        fields = one["fields"]
        check("topic", fields["apns-topic"] == "com.example.linkstr")
        check("priority and type", (fields["apns-priority"], fields["apns-push-type"]) == ("10", "alert"))
        check("collapse id", fields["apns-collapse-id"] == event)
        check("expiration", 0 <= int(fields["apns-expiration"]) - before - 900 <= 2, fields)
    check("a repetition tells nobody", author.post(gateway, event, "SESSION", [member])[1]["recipient_count"] == 0)
    reaction = {
        "notification_type": "new_emoji_reaction", "event_id": "r1", "conversation_id": "SESSION", "emoji": "👍",
        "post_id": event, "recipient_pubkeys": [author.key],
    }
    member.ask(gateway, "POST", "/v1/push", reaction)
    check(
        "a reaction",
        apple.take(1)[0]["json"]
        == {
            "aps": {
                "alert": {"title": "New reaction 👍 in linkstr", "body": "Open linkstr to see it."}, "sound": "default",
                "thread-id": "SESSION",
            },
            "type": "new_emoji_reaction", "event_id": "r1", "conversation_id": "SESSION", "emoji": "👍", "post_id": event,
        },
    )
    member.archive(gateway, ["SESSION"], ["SESSION"])
    author.post(gateway, "e2", "SESSION", [member])
    author.post(gateway, "e3", "OTHER", [member])
    check("nothing of an archived session", {one["json"]["event_id"] for one in apple.take(2)} == {"e3"})
    member.archive(gateway, [], ["SESSION"])
    author.post(gateway, "e4", "SESSION", [member])
    apple.take(2)
    member.unregister(gateway, "tablet")
    author.post(gateway, "e5", "SESSION", [member])
    check("an unregistered device is quiet", [one["token"] for one in apple.take(1)] == ["member"])
    for reason, status in [("BadDeviceToken", 400), ("DeviceTokenNotForTopic", 400), ("Unregistered", 410)]:
        member.register(gateway, "gone")
        apple.tell("gone", status=status, reason=reason, times=1)
        author.post(gateway, reason + "1", "SESSION", [member])
        apple.take(2)
        author.post(gateway, reason + "2", "SESSION", [member])
        check(f"{reason} removes the device", [one["token"] for one in apple.take(1)] == ["member"])
    for what in [dict(status=503, reason="ServiceUnavailable"), dict(reset=2), dict(close=True), dict(status=429, reason="TooManyRequests"),
                 dict(status=403, reason="InvalidProviderToken")]:
        apple.tell("member", times=1, **what)
        start = time.time()
        author.post(gateway, uuid.uuid4().hex, "SESSION", [member])
        until("it is sent again", lambda: len(apple.requests) >= 2)
        waited = apple.requests[1]["at"] - start
        check(f"after about two seconds ({what})", 1.8 < waited < 5, waited)
        apple.take(2)
    for account, token in [(author, "author"), (member, "member")]:
        account.unregister(gateway, token)


def privacy(command, apple, folder):
    gateway = Gateway(command, apple, folder, private="true", path_prefix="/push")
    author, member = Account(), Account()
    raw = json.dumps(DEVICE).encode()
    for request in ["/push/v1/devices/register", "/v1/devices/register"]:
        header = member.header("POST", "/push/v1/devices/register", raw)
        check("a signed prefix", gateway.ask("POST", request, raw, {"Authorization": header})[0] == 202)
    check("a path without the prefix", member.register(gateway, "abc")[0] == 401)
    for body in [
        {"notification_type": "new_post", "event_id": "SECRETEVENT1", "conversation_id": "SECRETSESSION"},
        {"notification_type": "new_emoji_reaction", "event_id": "SECRETEVENT2", "conversation_id": "SECRETSESSION", "emoji": "👍"},
    ]:
        body["recipient_pubkeys"] = [member.key]
        check("accepted", author.ask(gateway, "POST", "/push/v1/push", body)[0] == 202)
    arrived = apple.take(2)
    check("posts and reactions look alike", len({one["body"] for one in arrived}) == 1)
    check("nothing is told", all("SECRET" not in json.dumps(one) for one in arrived))
    gateway.stop()
    check("nothing is logged", "SECRET" not in gateway.said() and "abc" not in gateway.said())


def killed(command, apple, folder, kills, seed):
    """kill -9 at random instants: what was answered with 202 arrives."""
    chance = random.Random(seed)
    member, author = Account(), Account()
    gateway = Gateway(command, apple, folder)
    member.register(gateway, "survivor")
    accepted, sent = set(), 0
    for _ in range(kills):
        stop = threading.Event()
        current = gateway

        def post():
            nonlocal sent
            while not stop.is_set():
                sent += 1
                event = f"k{seed}-{sent}"
                try:
                    if author.post(current, event, "S", [member])[0] == 202:
                        accepted.add(event)
                except (OSError, http.client.HTTPException):
                    return

        thread = threading.Thread(target=post)
        thread.start()
        time.sleep(chance.uniform(0.05, 0.6))
        gateway.kill()
        stop.set()
        thread.join()
        gateway = Gateway(command, apple, folder)
    arrived = lambda: collections.Counter(one["json"]["event_id"] for one in apple.requests)
    # What was leased when the process was killed waits for the end of the lease.
    until("everything that was accepted arrives", lambda: accepted <= set(arrived()), 60)
    member.unregister(gateway, "survivor")
    gateway.stop()
    twice = sum(count - 1 for count in arrived().values())
    apple.requests = []
    return len(accepted), twice


def two(command, apple, folder, seconds, seed):
    """Two processes on one database, with faults: nothing is lost; what comes twice is counted and explained."""
    chance = random.Random(seed)
    gateways = [Gateway(command, apple, folder) for _ in range(2)]
    author = Account()
    members = [Account() for _ in range(20)]
    for number, member in enumerate(members):
        check("registered", member.register(gateways[number % 2], f"m{number}")[0] == 202)
    end = time.monotonic() + seconds
    apple.attempts.clear()
    apple.is_brief = True
    wanted, faults, kills, number = set(), 0, 0, 0
    while time.monotonic() < end:
        # No faster than the look-alike takes them, or the queue would grow until notifications expire.
        time.sleep(0.02)
        until("notifications arrive", lambda: len(wanted) - len(apple.attempts) < 1000, 120)
        number += 1
        event = f"t{seed}-{number}"
        some = chance.sample(range(len(members)), chance.randint(1, 10))
        fault = chance.random()
        if fault < 0.2:
            what = chance.choice([dict(close=True), dict(reset=2), dict(reset=7), dict(shutdown=True), dict(goaway=True),
                                  dict(status=503, reason="Shutdown"), dict(status=500), dict(delay=0.2)])
            apple.tell(f"m{chance.choice(some)}", times=1, **what)
            faults += 1
        elif fault < 0.205:
            which = chance.randrange(2)
            gateways[which].kill()
            gateways[which].look()
            kills += 1
            gateways[which] = Gateway(command, apple, folder)
        answer = author.post(gateways[number % 2], event, "S", [members[one] for one in some])
        if answer[0] == 202:
            check("each member is told", answer[1]["recipient_count"] == len(some), answer)
            wanted |= {(event, f"m{one}") for one in some}
    until("everything that was accepted arrives", lambda: len(apple.attempts) >= len(wanted), 120)
    for gateway in gateways:
        gateway.stop()
    apple.is_brief = False
    attempts = dict(apple.attempts)
    check("what was accepted arrives, and nothing else", attempts.keys() == wanted, attempts.keys() ^ wanted)
    wrong = [(what, one) for what, many in attempts.items() for one in many if one.wrong]
    check("a notification is as Apple wants it", not wrong, wrong)
    twice = collections.Counter(
        repeated(apple, what, one, next_)
        for what, many in attempts.items()
        for one, next_ in zip(many, many[1:])
    )
    return len(wanted), faults, kills, twice


def repeated(apple, what, one, next_):
    """Why a notification that had arrived was sent again. There is a reason, or something is wrong.

    That the look-alike has answered does not mean that the gateway has got the answer, and that it has got it not that it could
    still write it down. Both are looked at where they happen, not guessed from when something arrived: on a busy machine each of
    the processes may stand still for seconds.
    """
    status = apple.answers.get((one.connection, one.stream))
    if status is None:
        return "without an answer"
    if status != 200:
        return "refused"
    gateway = Gateway.all[one.gateway]
    if gateway.killed and gateway.killed < next_.at and what in gateway.unfinished:
        return "answered, and the gateway was killed before it had written that down"
    broken = apple.broken.get(one.connection, 0)
    if one.at <= broken <= next_.at and gateway.has_said("ended before its answer", broken, next_.at):
        return "answered on a connection that broke before the gateway had read it"
    # It may have been given up some time before the look-alike saw it.
    if gateway.has_said("did not answer in time", one.at - 20, next_.at):
        return "answered after the gateway had given up"
    check("what was delivered is not sent again", False, what, one, next_, gateway.killed, gateway.said()[-1500:])


class Person:
    """Somebody with a home of their own, whose only relay is the given one."""

    def __init__(self, command, folder, name, relay, secret=None):
        self.command, self.home = command, folder / name
        self.home.mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "LINKSTR_HOME": str(self.home), "LINKSTRD_HOME": str(self.home),
            "ASAN_OPTIONS": "detect_leaks=0", "SWIFT_BACKTRACE": "enable=no",
        }
        relays = self.home / "relays.json"
        relays.write_text(json.dumps({"relays": [{"url": relay, "enabled": True}]}))
        relays.chmod(0o600)
        if secret:
            self.run("account", "import", "--name", name, input=secret)
        else:
            self.run("account", "new", "--name", name)
        self.run("config", "set", "requests_by_strangers", "false")
        self.npub = json.loads(self.run("account", "show", "--json"))["npub"]

    def run(self, *words, input="", code=0):
        done = subprocess.run(
            [self.command, *words], env=self.environment, input=input, capture_output=True, text=True, timeout=60
        )
        check(f"linkstr {' '.join(words)} ends with {code}", done.returncode == code, done)
        return done.stdout.strip()

    def daemon(self, linkstrd):
        process = subprocess.Popen([linkstrd, "run"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def is_live():
            status = subprocess.run([self.command, "status", "--json"], env=self.environment, capture_output=True, text=True)
            return status.returncode == 0 and json.loads(status.stdout)["live"]

        until("the daemon is there", is_live, 60)
        return process


def apps(linkstr, linkstrd, apple, folder):
    """From end to end: the author posts with linkstr, and the member's phone is woken once; for nothing else is it."""
    folder = folder / "apps"
    folder.mkdir()
    gateway = Gateway(linkstrd, apple, folder)
    service = f"http://127.0.0.1:{gateway.port}"
    relay = subprocess.Popen(
        [linkstr, "relay", "serve", "--in-memory", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
    )
    url = relay.stdout.readline().strip()
    ann, ben = (Person(linkstr, folder, name, url) for name in ["Ann", "Ben"])
    for person, token in [(ann, "a" * 64), (ben, "b" * 64)]:
        person.run("config", "set", "push_service", service)
        person.run("push", "register", token, code=64)
        registered = json.loads(person.run("push", "register", "--environment", "sandbox", "--json", input=token + "\n"))
        check("what is printed of a token", registered == {"token": token[:8], "environment": "sandbox", "service": service}, registered)
    status = json.loads(ben.run("push", "status", "--json"))
    check("the service answers", status["reachable"] and status["untold_archive"] == 0, status)
    looked = [json.loads(line) for line in ben.run("doctor", "--json").splitlines()]
    check("the doctor finds the service well", any(one["check"].endswith(service) and one["ok"] for one in looked), looked)
    ben.run("push", "test")
    check("a trial wakes the own phone", [one["token"] for one in apple.take(1)] == ["b" * 64])

    ann.run("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
    post = ann.run("post", "Films", "example.com/a")
    woken = apple.take(1)[0]
    check("a post wakes the member, once, and not the author", woken["token"] == "b" * 64, woken)
    check("with the post's id", woken["json"]["type"] == "new_post" and woken["json"]["event_id"] == post, woken)
    ben.run("sync")
    session = json.loads(ben.run("session", "show", "Films", "--json"))["id"]
    check("and the session's", woken["json"]["conversation_id"] == session, woken)
    ben.run("react", post[:8], "👍")
    woken = apple.take(1)[0]
    check("a reaction wakes the author", woken["token"] == "a" * 64 and woken["json"]["post_id"] == post, woken)
    ben.run("react", post[:8], "👍")
    ben.run("react", post[:8], "👍", "--off")
    ann.run("session", "rename", "Films", "Pictures", "--yes")
    apple.take(0)

    # What comes from relays wakes nobody: on another device, read anew, or in a daemon that begins.
    other = Person(linkstr, folder, "Ann-2", url, secret=ann.run("account", "export", "--yes"))
    other.run("config", "set", "push_service", service)
    for person in [other, ann, ben]:
        person.run("sync")
        person.run("sync", "--full")
    daemon = ann.daemon(linkstrd)
    apple.take(0)
    second = ann.run("post", "Pictures", "example.com/b")
    check("through a daemon, too", [one["json"]["event_id"] for one in apple.take(1)] == [second])
    status = json.loads(ann.run("push", "status", "--json"))
    check("the daemon says the same", status["reachable"] and [one["token"] for one in status["devices"]] == ["a" * 8], status)
    ann.run("post", "delete", second[:8], "--yes")
    daemon.terminate()
    check("the daemon ends with 0", daemon.wait(20) == 0)
    ann.daemon(linkstrd).send_signal(signal.SIGKILL)
    apple.take(0)

    ben.run("sync")
    ben.run("session", "archive", "Pictures")
    ann.run("post", "Pictures", "example.com/c")
    apple.take(0)
    ben.run("session", "unarchive", "Pictures")
    third = ann.run("post", "Pictures", "example.com/d")
    check("archived sessions are quiet until they are not", [one["json"]["event_id"] for one in apple.take(1)] == [third])
    ben.run("push", "unregister", "bbbb")
    ann.run("post", "Pictures", "example.com/e")
    apple.take(0)
    ann.run("config", "unset", "push_service")
    ben.run("push", "register", "-", input="b" * 64)
    ann.run("post", "Pictures", "example.com/f")
    apple.take(0)
    ann.environment["LINKSTR_PUSH_SERVICE_BASE_URL"] = service
    ann.run("post", "Pictures", "example.com/g")
    apple.take(1)
    secret = ben.run("account", "export", "--yes")
    ben.run("account", "logout", "--yes")
    ann.run("post", "Pictures", "example.com/after-logout")
    apple.take(0)
    ben.run("account", "import", input=secret)
    check("who has logged out has no device", json.loads(ben.run("push", "status", "--json"))["devices"] == [])
    ben.run("push", "register", "-", input="b" * 64)
    ann.run("post", "Pictures", "example.com/after-return")
    apple.take(1)
    gateway.stop()
    begun = time.monotonic()
    check("a post counts without the service", len(ann.run("post", "Pictures", "example.com/h")) == 64)
    check("and does not wait for it", time.monotonic() - begun < 10)
    status = json.loads(ben.run("push", "status", "--json"))
    check("the status says that it is gone", not status["reachable"] and status["problem"], status)
    check("and so does a trial", ben.run("push", "test", code=69) == "")
    check("and the doctor", f"at {service}" in ben.run("doctor", code=1))
    ben.run("account", "logout", "--yes")
    relay.terminate()
    relay.wait(20)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gateway", required=True, help="linkstrd")
    parser.add_argument("--linkstr", help="linkstr; without it the one beside linkstrd")
    parser.add_argument("--kills", type=int, default=int(os.environ.get("LINKSTR_PUSH_KILLS", "5")))
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("LINKSTR_PUSH_SECONDS", "10")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for databases and logs, which stays")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(mode=0o700)
    with contextlib.nullcontext(arguments.keep) if arguments.keep else tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).absolute()
        apple = Apple(folder)
        gateway = Gateway(arguments.gateway, apple, folder)
        done = subprocess.run([arguments.gateway, CHECK], env=gateway.environment, capture_output=True, text=True)
        check("the check finds nothing wrong", done.returncode == 0 and done.stderr == "", done)
        apple.tell("0" * 64, status=403, reason="InvalidProviderToken", times=1)
        done = subprocess.run([arguments.gateway, CHECK], env=gateway.environment, capture_output=True, text=True)
        check("the check says what Apple says", done.returncode == 78 and "InvalidProviderToken" in done.stdout + done.stderr, done)
        apple.take(4)
        print(f"authentication: {authentication(gateway)} rows")
        print(f"endpoints: {bodies(gateway)} rows")
        delivery(gateway, apple)
        print("delivery: payloads, fields, archive, devices that are gone, repetitions")
        gateway.stop()
        said = gateway.said()
        check("the log has no token and no session", not any(one in said for one in ["SESSION", "member", "tablet"]), said)
        privacy(arguments.gateway, apple, folder)
        print("privacy and prefix")
        linkstr = arguments.linkstr or str(pathlib.Path(arguments.gateway).with_name("linkstr"))
        begun = time.monotonic()
        apps(linkstr, arguments.gateway, apple, folder)
        print(f"linkstr, linkstrd, relay and gateway from end to end: {time.monotonic() - begun:.0f} s")
        accepted, twice = killed(arguments.gateway, apple, folder, arguments.kills, arguments.seed)
        print(f"kill -9, {arguments.kills} times: {accepted} accepted, none lost, {twice} twice")
        wanted, faults, kills, twice = two(arguments.gateway, apple, folder, arguments.seconds, arguments.seed)
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(twice.items()))
        print(f"two gateways, {arguments.seconds} s, {faults} faults, {kills} kills: {wanted} accepted, none lost")
        print(f"sent again: {sum(twice.values())} ({reasons or 'none'})")


main()
