"""A client of private sessions by itself: payloads, recipients and state as the protocol describes them, keys, gift wraps and
relay connections by nostr-sdk. It shares nothing with linkstr.

It is a plain member or creator of sessions: it keeps every authentic statement that it has fetched and folds them anew whenever it
is asked what a session is like.
"""
import hashlib
import json
import secrets
import time
from datetime import timedelta

import nostr_sdk as sdk

TIME = timedelta(seconds=10)
BLANKS = (
    "\u0009\u000a\u000b\u000c\u000d\u0020\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
    "\u2028\u2029\u202f\u205f\u3000"
)
# The fields of each kind: those that must be there, and those that may.
FIELDS = {
    "session_create": ({"session_name": str, "member_pubkeys": list}, {}),
    "session_members": ({"member_pubkeys": list}, {"session_name": str}),
    "session_delete": ({}, {}),
    "root": ({"url": str}, {"note": str}),
    "root_delete": ({}, {}),
    "reaction": ({"emoji": str, "reaction_active": bool}, {}),
}


def check(what, condition, *details):
    if not condition:
        raise SystemExit("WRONG: " + what + "".join("\n  " + str(one)[:2000] for one in details))


class Statement:
    """One authentic rumor."""

    def __init__(self, rumor, sender, wrap):
        payload = json.loads(rumor["content"])
        self.id, self.time, self.tags = rumor["id"], rumor["created_at"], rumor["tags"]
        self.sender, self.wrap, self.payload = sender, wrap, payload
        self.kind = payload["kind"]
        self.session = payload["conversation_id"].strip(BLANKS)
        self.target = payload["root_id"].strip(BLANKS)

    @property
    def order(self):
        return (self.time, self.id)


def check_wire(statement, wrap, seal):
    """What other clients rely on: shapes, types, and times."""
    payload, kind = statement.payload, statement.kind
    check("a wrap carries one p tag and nothing else", [tag[0] for tag in wrap["tags"]] == ["p"] and len(wrap["tags"][0]) == 2, wrap)
    check("a seal has the kind 13 and no tags", seal["kind"] == 13 and seal["tags"] == [], seal)
    now = time.time()
    for event in (wrap, seal):
        check("wraps and seals are back-dated by two days at most", now - 172_830 <= event["created_at"] <= now + 2, event)
    check("a wrap is signed by a key of its own", wrap["pubkey"] not in (seal["pubkey"], wrap["tags"][0][1]), wrap)
    check("a kind of payload is known", kind in FIELDS, payload)
    wanted, possible = FIELDS[kind]
    common = {"conversation_id": str, "root_id": str, "kind": str, "timestamp": int}
    for field, value in payload.items():
        known = common | wanted | possible
        check(f"a {kind} has only its fields, each of its type", field in known and type(value) is known[field], payload)
    check(f"a {kind} has all its fields", set(common | wanted) <= set(payload), payload)
    if kind in ("reaction", "root_delete"):
        check(f"a {kind} names its post in a tag", statement.tags == [["e", payload["root_id"], "", "root"]], statement.tags)
    else:
        check(f"a {kind} has no tags", statement.tags == [], statement.tags)
    if kind == "root":
        check("a root names no other", payload["root_id"] == "", payload)


class SessionClient:
    def __init__(self, url):
        self.url = url
        self.keys = sdk.Keys.generate()
        self.key = self.keys.public_key().to_hex()
        self.npub = self.keys.public_key().to_bech32()
        self.statements = {}
        self.wraps = {}
        # Who sends no other client's form is checked; what this client itself sends is not asked of others.
        self.checked = 0

    async def connect(self):
        self.client = sdk.ClientBuilder().build()
        await self.client.add_relay(sdk.RelayUrl.parse(self.url))
        await self.client.connect(TIME)
        return self

    # Receiving

    async def fetch(self):
        wanted = sdk.Filter().kind(sdk.Kind(1059)).pubkey(self.keys.public_key())
        for event in await self.client.fetch_events(sdk.ReqTarget.auto([wanted]), TIME):
            if event.id().to_hex() not in self.wraps:
                self.take(event)
        return self

    def take(self, event):
        wrap = json.loads(event.as_json())
        check("a relay sends what was asked for", event.verify() and wrap["tags"][0][1] == self.key, wrap)
        seal = json.loads(self.keys.nip44_decrypt(sdk.PublicKey.parse(wrap["pubkey"]), wrap["content"]))
        sealed = sdk.Event.from_json(json.dumps(seal))
        check("a seal is signed", sealed.verify(), seal)
        rumor = json.loads(self.keys.nip44_decrypt(sealed.author(), seal["content"]))
        computed = sdk.EventId.compute(
            sdk.PublicKey.parse(rumor["pubkey"]), sdk.Timestamp.from_secs(rumor["created_at"]), sdk.Kind(rumor["kind"]),
            [sdk.Tag.parse(tag) for tag in rumor["tags"]], rumor["content"],
        ).to_hex()
        check("a rumor has the id of its content and no signature", computed == rumor["id"] and "sig" not in rumor, rumor)
        check("a rumor is by the sender of its seal", rumor["pubkey"] == seal["pubkey"], rumor)
        check("a rumor has the kind 44001", rumor["kind"] == 44001, rumor)
        statement = Statement(rumor, seal["pubkey"], wrap["id"])
        self.wraps[wrap["id"]] = statement.id
        if statement.sender != self.key:
            check_wire(statement, wrap, seal)
            self.checked += 1
        self.statements.setdefault(statement.id, statement)

    def wraps_of(self, statement):
        return [wrap for wrap, rumor in self.wraps.items() if rumor == statement]

    # State

    def of(self, session, *kinds):
        found = [one for one in self.statements.values() if one.session == session and one.kind in kinds]
        return sorted(found, key=lambda one: one.order)

    def creator(self, session):
        for one in self.of(session, "session_create", "session_members"):
            named = self.key in one.payload["member_pubkeys"] and one.sender in one.payload["member_pubkeys"]
            if named and one.payload.get("session_name", "").strip(BLANKS):
                return one.sender
        return None

    def log(self, session):
        creator = self.creator(session)
        return [
            one for one in self.of(session, "session_create", "session_members")
            if one.sender == creator and creator in one.payload["member_pubkeys"]
        ]

    def members(self, session):
        log = self.log(session)
        return sorted(set(log[-1].payload["member_pubkeys"])) if log else []

    def everybody(self, session):
        return {key for one in self.log(session) for key in one.payload["member_pubkeys"]}

    def name(self, session):
        names = [one.payload.get("session_name", "").strip(BLANKS) for one in self.log(session)]
        return [name for name in names if name][-1]

    def is_inside(self, session, key, moment):
        inside = False
        for one in self.log(session):
            if one.time > moment:
                break
            inside = key in one.payload["member_pubkeys"]
        return inside

    def is_deleted(self, session):
        return any(one.sender == self.creator(session) for one in self.of(session, "session_delete"))

    def posts(self, session):
        """Posts by id: author, url, note and who reacted with what."""
        if self.is_deleted(session):
            return {}
        deletes = {(one.target, one.sender) for one in self.of(session, "root_delete")}
        posts = {}
        for one in self.of(session, "root"):
            inside = all(self.is_inside(session, key, one.time) for key in (one.sender, self.key))
            if inside and (one.id, one.sender) not in deletes and one.target in ("", one.id):
                note = one.payload.get("note", "").strip(BLANKS) or None
                posts[one.id] = {"author": one.sender, "url": one.payload["url"], "note": note, "reactions": {}}
        slots = {}
        for one in self.of(session, "reaction"):
            inside = all(self.is_inside(session, key, one.time) for key in (one.sender, self.key))
            if inside and one.target in posts:
                slots[one.target, one.payload["emoji"].strip(BLANKS), one.sender] = one.payload["reaction_active"]
        for (post, emoji, sender), active in slots.items():
            if active:
                posts[post]["reactions"].setdefault(emoji, set()).add(sender)
        return posts

    # Sending

    async def send(self, payload, recipients, moment, author=None):
        """Wraps a statement for each recipient and for itself, and gives its id."""
        tags = [["e", payload["root_id"], "", "root"]] if payload["kind"] in ("reaction", "root_delete") else []
        payload = payload | {"timestamp": moment}
        author = author or self.keys.public_key()
        content = json.dumps(payload)
        identity = sdk.EventId.compute(
            author, sdk.Timestamp.from_secs(moment), sdk.Kind(44001), [sdk.Tag.parse(tag) for tag in tags], content
        ).to_hex()
        rumor = sdk.UnsignedEvent.from_json(json.dumps({
            "id": identity, "pubkey": author.to_hex(), "created_at": moment, "kind": 44001, "tags": tags, "content": content
        }))
        for recipient in [self.key, *sorted(set(recipients) - {self.key})]:
            await self.publish(self.wrap(rumor, recipient))
        await self.fetch()
        return identity

    def wrap(self, rumor, recipient):
        return sdk.nip59_make_gift_wrap(self.keys, sdk.PublicKey.parse(recipient), rumor)

    async def publish(self, event):
        output = await self.client.send_event(event)
        check("the relay takes a wrap", output.success, output.failed)

    def moment(self, session, after=0):
        """Now, but not before the newest list of members."""
        log = self.log(session)
        return max(int(time.time()), log[-1].time + after) if log else int(time.time())

    async def create(self, name, members):
        nonce = secrets.token_hex(8).upper()
        digest = hashlib.sha256(f"linkstr session {self.key}{nonce}".encode()).hexdigest()
        session = nonce + digest[:16].upper()
        members = [self.key, *members]
        await self.send(
            {"conversation_id": session, "root_id": secrets.token_hex(16).upper(), "kind": "session_create",
             "session_name": name, "member_pubkeys": members},
            members, self.moment(session),
        )
        return session

    async def update(self, session, members=None, name=None):
        before = self.members(session)
        members = sorted({self.key, *(before if members is None else members)})
        moment = self.moment(session, after=1)
        if not set(before) <= set(members):
            # What was said in this very second by those who are left out still counts.
            moment = max(moment, int(time.time()) + 1)
        return await self.send(
            {"conversation_id": session, "root_id": secrets.token_hex(16).upper(), "kind": "session_members",
             "session_name": name or self.name(session), "member_pubkeys": members},
            {*before, *members}, moment,
        )

    async def post(self, session, url, note=None, moment=None, to=None):
        payload = {"conversation_id": session, "root_id": "", "kind": "root", "url": url}
        if note:
            payload["note"] = note
        return await self.send(payload, to or self.members(session), moment or self.moment(session))

    async def react(self, session, post, emoji, active=True):
        slot = [
            one.time for one in self.of(session, "reaction")
            if (one.target, one.payload["emoji"], one.sender) == (post, emoji, self.key)
        ]
        moment = max([self.moment(session), *(moment + 1 for moment in slot)])
        return await self.send(
            {"conversation_id": session, "root_id": post, "kind": "reaction", "emoji": emoji, "reaction_active": active},
            self.members(session), moment,
        )

    async def delete_post(self, session, post):
        return await self.send(
            {"conversation_id": session, "root_id": post, "kind": "root_delete"}, self.everybody(session), self.moment(session)
        )

    async def delete(self, session):
        return await self.send(
            {"conversation_id": session, "root_id": secrets.token_hex(16).upper(), "kind": "session_delete"},
            self.everybody(session), self.moment(session),
        )
