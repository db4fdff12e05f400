#!/usr/bin/env python3
"""Writes the tables of cases that the tests read from Packages/*/Tests/*/Cases, with implementations made by others.

    python3 -m venv VENV && VENV/bin/pip install -r scripts/peers.txt && VENV/bin/python scripts/generate-cases.py
    VENV/bin/python scripts/generate-cases.py schnorr bech32      only these

A table is one function marked with `@table`, which returns what is written as JSON. "Random" values come from `draw`, so
that the same script and the same versions of the peers write the same bytes.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import sys
import unicodedata

import coincurve
import mnemonic
import nostr_sdk
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = {}


def table(package):
    """Registers a function: what it returns goes to Cases/<its name, with hyphens>.json of the package's tests."""

    def register(function):
        name = function.__name__.replace("_", "-")
        TABLES[name] = (ROOT / f"Packages/{package}/Tests/{package}Tests/Cases/{name}.json", function)
        return function

    return register


def draw(label, count=32):
    """`count` bytes that depend on the label alone."""
    return hashlib.shake_256(label.encode()).digest(count)


# --- secp256k1 in plain integers, to judge what the peers cannot be asked ---------------------------------------------

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def lift(x):
    """The point with this x and even y, or None (BIP-340)."""
    if x >= FIELD:
        return None
    square = (pow(x, 3, FIELD) + 7) % FIELD
    y = pow(square, (FIELD + 1) // 4, FIELD)
    if y * y % FIELD != square:
        return None
    return (x, y if y % 2 == 0 else FIELD - y)


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0]:
        if p[1] != q[1]:
            return None
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, FIELD) % FIELD
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, FIELD) % FIELD
    x = (slope * slope - p[0] - q[0]) % FIELD
    return (x, (slope * (p[0] - x) - p[1]) % FIELD)


def multiply(p, scalar):
    result = None
    for bit in bin(scalar)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, p)
    return result


def tagged(tag, data):
    prefix = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(prefix + prefix + data).digest()


def verifies(x, message, signature):
    """BIP-340 verification."""
    point = lift(int.from_bytes(x))
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
    if point is None or r >= FIELD or s >= ORDER:
        return False
    e = int.from_bytes(tagged("BIP0340/challenge", signature[:32] + x + message)) % ORDER
    nonce = add(multiply(GENERATOR, s), multiply(point, ORDER - e)) if e else multiply(GENERATOR, s)
    return nonce is not None and nonce[1] % 2 == 0 and nonce[0] == r


def public_key(secret):
    return coincurve.PublicKeyXOnly.from_secret(secret).format()


def secret_key(label):
    return (int.from_bytes(draw(label)) % (ORDER - 1) + 1).to_bytes(32)


# --- NostrCrypto: keys ------------------------------------------------------------------------------------------------


@table("NostrCrypto")
def keys():
    """Which 32 bytes are secret keys and public keys, and how NIP-19 writes them."""
    secrets = [1, 2, 3, ORDER - 1, ORDER // 2] + [int.from_bytes(secret_key(f"keys {i}")) for i in range(8)]
    valid = []
    for number in secrets:
        secret = nostr_sdk.SecretKey.parse(number.to_bytes(32).hex())
        public = nostr_sdk.Keys(secret).public_key()
        assert public.to_hex() == public_key(number.to_bytes(32)).hex()
        valid.append(
            {"secret": secret.to_hex(), "public": public.to_hex(), "nsec": secret.to_bech32(), "npub": public.to_bech32()}
        )
    not_secret = [0, ORDER, ORDER + 1, FIELD, 2**256 - 1]
    coordinates = [0, 5, FIELD, FIELD + 1, 2**256 - 1] + [int.from_bytes(draw(f"no point {i}")) for i in range(16)]
    not_public = [x for x in coordinates if lift(x) is None]
    assert len(not_public) >= 10
    return {
        "valid": valid,
        "notSecret": [x.to_bytes(32).hex() for x in not_secret],
        "notPublic": [x.to_bytes(32).hex() for x in not_public],
    }


@table("NostrCrypto")
def schnorr():
    """BIP-340: signatures to be made byte for byte, and verdicts."""
    signing, verifying = [], []

    def judge(what, x, message, signature):
        verdict = verifies(x, message, signature)
        if len(message) == 32 and lift(int.from_bytes(x)) is not None:
            assert coincurve.PublicKeyXOnly(x).verify(signature, message) == verdict
        verifying.append(
            {
                "what": what,
                "public": x.hex(),
                "message": message.hex(),
                "signature": signature.hex(),
                "isValid": verdict,
            }
        )

    for index in range(12):
        secret, auxiliary = secret_key(f"schnorr {index}"), draw(f"auxiliary {index}")
        message = draw(f"message {index}")
        signature = coincurve.PrivateKey(secret).sign_schnorr(message, auxiliary)
        signing.append(
            {
                "secret": secret.hex(),
                "auxiliary": auxiliary.hex(),
                "message": message.hex(),
                "signature": signature.hex(),
            }
        )
        judge("made by a peer", public_key(secret), message, signature)

    secret, message = secret_key("schnorr 0"), draw("message 0")
    x = public_key(secret)
    signature = coincurve.PrivateKey(secret).sign_schnorr(message, draw("auxiliary 0"))
    r, s = signature[:32], signature[32:]
    for place in (0, 31, 32, 63):
        changed = bytearray(signature)
        changed[place] ^= 1
        judge(f"byte {place} of the signature changed", x, message, bytes(changed))
    judge("another message", x, draw("message 1"), signature)
    judge("another key", public_key(secret_key("schnorr 1")), message, signature)
    judge("halves exchanged", x, message, s + r)
    judge("s negated", x, message, r + (ORDER - int.from_bytes(s)).to_bytes(32))
    judge("s is the order", x, message, r + ORDER.to_bytes(32))
    judge("r is the field's prime", x, message, FIELD.to_bytes(32) + s)
    judge("r is no coordinate", x, message, (5).to_bytes(32) + s)
    judge("zeros", x, message, bytes(64))
    judge("ones", x, message, b"\xff" * 64)
    judge("the key is no point", (5).to_bytes(32), message, signature)
    judge("the key is above the field's prime", (FIELD + 1).to_bytes(32), message, signature)
    judge("the message is cut short", x, message[:31], signature)
    assert sum(row["isValid"] for row in verifying) == 12
    return {"signing": signing, "verifying": verifying}


@table("NostrCrypto")
def ecdh():
    """The unhashed x coordinate, by OpenSSL's curve code instead of libsecp256k1. The other key is taken with even y."""
    rows = []
    for index in range(16):
        secret = secret_key(f"ecdh {index}") if index > 1 else [1, ORDER - 1][index].to_bytes(32)
        x = public_key(secret_key(f"other {index}"))
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x02" + x)
        own = ec.derive_private_key(int.from_bytes(secret), ec.SECP256K1())
        shared = own.exchange(ec.ECDH(), other)
        assert int.from_bytes(shared) == multiply(lift(int.from_bytes(x)), int.from_bytes(secret))[0]
        rows.append({"secret": secret.hex(), "public": x.hex(), "sharedX": shared.hex()})
    return rows


# --- NostrCrypto: NIP-06 ----------------------------------------------------------------------------------------------


def derive(seed, path):
    """BIP-32: the secret key at a path of (index, is hardened)."""
    digest = hmac.digest(b"Bitcoin seed", seed, "sha512")
    key, chain = int.from_bytes(digest[:32]), digest[32:]
    for index, is_hardened in path:
        if is_hardened:
            data = b"\0" + key.to_bytes(32) + (index + 2**31).to_bytes(4)
        else:
            data = coincurve.PublicKey.from_secret(key.to_bytes(32)).format() + index.to_bytes(4)
        digest = hmac.digest(chain, data, "sha512")
        key, chain = (int.from_bytes(digest[:32]) + key) % ORDER, digest[32:]
    return key.to_bytes(32)


@table("NostrCrypto")
def nip06():
    """Words, seed and keys."""
    words = mnemonic.Mnemonic("english")
    valid = []
    passphrases = ["", "TREZOR", "correct horse", "\u00e9\ufb01 \u212b", "e\u0301fi A\u030a", "\u30d1\u30b9"]
    for index in range(15):
        size = 16 + 4 * (index % 5)
        entropy = [bytes(size), b"\xff" * size, draw(f"entropy {index}", size)][index // 5]
        phrase = words.to_mnemonic(entropy)
        passphrase = passphrases[index % len(passphrases)]
        account = [0, 1, 2, 2**31 - 1][index % 4]
        seed = words.to_seed(phrase, passphrase)
        key = derive(seed, [(44, True), (1237, True), (account, True), (0, False), (0, False)])
        if unicodedata.normalize("NFKD", passphrase) == passphrase:  # what this peer expects
            theirs = nostr_sdk.Keys.from_mnemonic(phrase, passphrase=passphrase, account=account)
            assert theirs.secret_key().to_hex() == key.hex()
        valid.append(
            {
                "entropy": entropy.hex(),
                "phrase": phrase,
                "passphrase": passphrase,
                "seed": seed.hex(),
                "account": account,
                "secret": key.hex(),
                "public": public_key(key).hex(),
            }
        )
    invalid = []

    def refuse(what, phrase):
        assert not words.check(phrase), what
        invalid.append({"what": what, "phrase": phrase})

    for index in (5, 7, 9):
        own = words.to_mnemonic(draw(f"entropy {index}", 16 + 4 * (index % 5))).split()
        refuse("two words exchanged", " ".join(own[1::-1] + own[2:]))
        refuse("last word replaced", " ".join(own[:-1] + ["abandon" if own[-1] != "abandon" else "ability"]))
        refuse("a word missing", " ".join(own[:-1]))
        refuse("a word of no list", " ".join(own[:3] + ["nostrich"] + own[4:]))
    refuse("all words the same", " ".join(["abandon"] * 12))
    refuse("nothing", "")
    return {"valid": valid, "invalid": invalid}


# --- NostrCrypto: normalisation ---------------------------------------------------------------------------------------


@table("NostrCrypto")
def normalization():
    """Forms KD and KC of texts in which marks are reordered, blocked and composed, and a digest over characters.

    Foundation on Linux is no judge: it takes U+10041 for "A" when it composes, and leaves U+AC00 U+11A8 apart.
    """
    assigned = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co", "Cs")]
    digest = hashlib.sha256()
    # All but the ideographs and syllables that are like their neighbours; of those every 16th.
    wanted = [c for c in assigned if ord(c) < 0x3400 or 0xF900 <= ord(c) < 0x1F300 or 0x2F800 <= ord(c) or ord(c) % 16 == 0]
    wanted = [c for c in wanted if ord(c) < 0x30000]
    for character in wanted:
        # Alone, and between marks of class 220 and 230 that compose with many letters.
        text = f"{character} a\u0323{character}\u0301\u0323"
        for form in ("NFKD", "NFKC"):
            digest.update(unicodedata.normalize(form, text).encode())
    busy = [c for c in assigned if unicodedata.combining(c) or unicodedata.normalize("NFKD", c) != c]
    few = (
        "ae\u0300\u0301\u0304\u0308\u030a\u0323\u0328\u0345\u05b0\u3099\u1100\u1161\u11a7\u11a8\uac00\u212b\u1e69"
        "\u0b47\u0b3e\u03b1\u0313\u0342\U00011127\U00011131\U00010041"
    )
    rows = []
    for index in range(240):
        choice = [busy, few, few][index % 3]
        numbers = draw(f"normalization {index}", 4 * (2 + index % 7))
        text = "".join(
            choice[int.from_bytes(numbers[i : i + 4]) % len(choice)] for i in range(0, len(numbers), 4)
        )
        rows.append([text, unicodedata.normalize("NFKD", text), unicodedata.normalize("NFKC", text)])
    return {
        "unicode": unicodedata.unidata_version,
        "characters": len(wanted),
        "digest": digest.hexdigest(),
        "texts": [[text.encode().hex() for text in row] for row in rows],
    }


# --- NostrCrypto: bech32 ----------------------------------------------------------------------------------------------

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CONSTANTS = {"bech32": 1, "bech32m": 0x2BC830A3}


def bech32_text(prefix, values, variant):
    """The checksum as polynomial division over GF(32), by the remainder of the whole text at once (BIP-173)."""
    whole = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values + [0] * 6
    state = 1
    for value in whole:
        top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            state ^= generator if top >> bit & 1 else 0
    state ^= CONSTANTS[variant]
    checksum = [state >> 5 * (5 - i) & 31 for i in range(6)]
    return prefix + "1" + "".join(ALPHABET[value] for value in values + checksum)


def five_bit(data):
    bits = "".join(f"{byte:08b}" for byte in data)
    return [int(bits[i : i + 5].ljust(5, "0"), 2) for i in range(0, len(bits), 5)]


def bech32_of(prefix, data, variant="bech32"):
    return bech32_text(prefix, five_bit(data), variant)


@table("NostrCrypto")
def bech32():
    """Texts of both variants, and broken ones. NIP-19 texts are checked against a peer."""
    for index in range(8):
        secret = nostr_sdk.SecretKey.parse(secret_key(f"bech32 {index}").hex())
        public = nostr_sdk.Keys(secret).public_key()
        assert secret.to_bech32() == bech32_of("nsec", bytes.fromhex(secret.to_hex()))
        assert public.to_bech32() == bech32_of("npub", bytes.fromhex(public.to_hex()))
    # Strings of BIP-350 that say whether the other constant is right.
    assert bech32_text("a", [], "bech32m") == "a1lqfn3a"
    assert bech32_text("?", [], "bech32m") == "?1v759aa"

    valid, invalid = [], []
    prefixes = ["a", "npub", "nevent", "1", "a1b", "!~", "x" * 83]
    for variant in CONSTANTS:
        for index, prefix in enumerate(prefixes):
            for size in (0, 1, 2, 3, 4, 5, 20, 32):
                data = draw(f"bech32 {prefix}", size)
                text = bech32_of(prefix, data, variant)
                if len(text) <= 90:
                    valid.append({"hrp": prefix, "data": data.hex(), "variant": variant, "text": text})

    def refuse(problem, text, limit=90):
        invalid.append({"problem": problem, "text": text, "limit": limit})

    good = bech32_of("npub", draw("bech32 npub"))
    refuse("tooLong", good, len(good) - 1)
    refuse("tooLong", bech32_of("long", draw("long", 100)))
    refuse("noSeparator", good.replace("1", ""))
    refuse("noSeparator", good[4:])
    refuse("noSeparator", "")
    refuse("invalidPrefix", bech32_of("x" * 84, b""), 200)
    refuse("invalidPrefix", bech32_of(" a", b""))
    refuse("invalidPrefix", bech32_of("a\x7f", b""))
    refuse("invalidPrefix", "\u00e9" + good)
    refuse("mixedCase", good[:-1] + good[-1].upper() if good[-1].isalpha() else good[:10] + good[10:].upper())
    refuse("mixedCase", "Npub" + good[4:])
    for character in "1bio\u00e9 -":
        refuse("tooShort" if character == "1" else "invalidCharacter", good[:-1] + character)
    refuse("tooShort", "a1qqqqq")
    for place in range(5, len(good), 3):
        other = ALPHABET[(ALPHABET.index(good[place]) + 1) % 32]
        refuse("wrongChecksum", good[:place] + other + good[place + 1 :])
    refuse("wrongChecksum", "mpub" + good[4:])
    refuse("wrongChecksum", good[:-2] + good[-1] + good[-2])
    refuse("invalidPadding", bech32_text("npub", five_bit(draw("bech32 npub"))[:-1] + [1], "bech32"))
    refuse("invalidPadding", bech32_text("npub", five_bit(b"12345") + [0], "bech32"))
    refuse("invalidPadding", bech32_text("npub", [0], "bech32m"))
    return {"valid": valid, "invalid": invalid}


# --- NostrEvents: ids and signatures ----------------------------------------------------------------------------------

MIXED = ["a", "Z", " ", "/", '"', "\\", "\n", "\t", "\r", "\b", "\f", "\0", "\x01", "\x1f", "\x7f", "\u00e9", "\u2028"]
MIXED += ["\u20ac", "\ufeff", "\uffff", "\ue000", "\U0001f642", "\U0010ffff", "e\u0301", "</script>", "\\u0041", "\\n"]


def mixed(label, most=24):
    """Text of pieces that are special somewhere."""
    stream = draw(label, most + 1)
    return "".join(MIXED[byte % len(MIXED)] for byte in stream[1 : 1 + stream[0] % most])


def event_id(public, created_at, kind, tags, content):
    """What nostr-sdk hashes."""
    return nostr_sdk.EventId.compute(
        nostr_sdk.PublicKey.parse(public.hex()),
        nostr_sdk.Timestamp.from_secs(created_at),
        nostr_sdk.Kind(kind),
        [nostr_sdk.Tag.parse(tag) for tag in tags],
        content,
    ).to_hex()


def signed_event(label, created_at, kind, tags, content):
    """A signed event as a dictionary; the id is nostr-sdk's and the signature libsecp256k1's, and nostr-sdk accepts both."""
    secret = secret_key(label)
    public = public_key(secret)
    digest = event_id(public, created_at, kind, tags, content)
    signature = coincurve.PrivateKey(secret).sign_schnorr(bytes.fromhex(digest), draw(f"{label} auxiliary"))
    event = {
        "id": digest,
        "pubkey": public.hex(),
        "created_at": created_at,
        "kind": kind,
        "tags": tags,
        "content": content,
        "sig": signature.hex(),
    }
    assert nostr_sdk.Event.from_json(json.dumps(event)).verify()
    return event


@table("NostrEvents")
def events():
    """Signed events in several spellings, forged ones, and the ids of contents that together hold every scalar value."""
    valid = []
    for number in range(20):
        label = f"event {number}"
        stream = draw(label, 16)
        tags = []
        for place in range(stream[0] % 5):
            elements = [["e", "p", "t", "-", "d"][place]]
            elements += [mixed(f"{label} tag {place} {i}") for i in range(stream[1 + place] % 4)]
            tags.append(elements)
        kind = [0, 1, 3, 7, 1059, 10002, 20001, 30023, 65535][number % 9]
        created_at = [0, 1, 1700000000, 4294967295, 4294967296][number % 5]
        event = signed_event(label, created_at, kind, tags, mixed(label, 60))
        spellings = [
            json.dumps(event, ensure_ascii=False, separators=(",", ":")),
            json.dumps(event, ensure_ascii=True),
            json.dumps(event, ensure_ascii=True, indent=2, sort_keys=True),
            json.dumps({**event, "extra": {"id": [1.5, None, "x"]}}, ensure_ascii=False).replace("/", "\\/"),
        ]
        assert all(nostr_sdk.Event.from_json(text).verify() for text in spellings)
        valid.append({"event": event, "spellings": spellings})

    event = signed_event("forged", 1700000000, 1, [["t", "a"]], "content")
    forged = []

    def forge(problem, **changed):
        text = json.dumps({**event, **changed})
        try:
            accepted = nostr_sdk.Event.from_json(text).verify()
        except nostr_sdk.NostrSdkError:
            accepted = False
        assert not accepted
        forged.append({"problem": problem, "json": text})

    def flipped(digits, place):
        return digits[:place] + format(int(digits[place], 16) ^ 1, "x") + digits[place + 1 :]

    forge("idMismatch", content="content ")
    forge("idMismatch", created_at=1700000001)
    forge("idMismatch", kind=2)
    forge("idMismatch", tags=[])
    forge("idMismatch", tags=[["t", "a", ""]])
    forge("idMismatch", pubkey=public_key(secret_key("somebody else")).hex())
    for place in (0, 31, 63):
        forge("idMismatch", id=flipped(event["id"], place))
    for place in (0, 63, 64, 127):
        forge("invalidSignature", sig=flipped(event["sig"], place))
    forge("invalidSignature", sig="0" * 128)
    forge("invalidSignature", sig=event["sig"][64:] + event["sig"][:64])
    # A right id over a public key that is no point: nostr-sdk takes no such key, so the hash is written out.
    for number in (0, FIELD, next(x for x in (int.from_bytes(draw(f"no point {i}")) for i in range(16)) if lift(x) is None)):
        public = number.to_bytes(32).hex()
        digest = hashlib.sha256(f'[0,"{public}",1700000000,1,[["t","a"]],"content"]'.encode()).hexdigest()
        forge("invalidPublicKey", pubkey=public, id=digest)

    public = public_key(secret_key("scalars"))
    scalars = [x for x in range(0x110000) if not 0xD800 <= x < 0xE000]
    blocks = []
    for start in range(0, len(scalars), 8192):
        block = scalars[start : start + 8192]
        content = "".join(map(chr, block))
        tags = [["t", chr(x), ""] for x in block[:128]] if start == 0 else []
        blocks.append({"first": block[0], "last": block[-1], "id": event_id(public, 1, 1, tags, content)})
    return {"valid": valid, "forged": forged, "scalars": {"pubkey": public.hex(), "blocks": blocks}}
# --- NostrCrypto: hashes, ciphers, NIP-44, NIP-49 ---------------------------------------------------------------------


@table("NostrCrypto")
def hashes():
    """SHA-256, HMAC and HKDF around the sizes where blocks end."""
    sizes = [0, 1, 31, 32, 33, 54, 55, 56, 57, 63, 64, 65, 66, 119, 120, 128, 1000]
    digests, codes, derived = [], [], []
    for size in sizes:
        message = draw("message", size)
        digests.append({"message": message.hex(), "digest": hashlib.sha256(message).hexdigest()})
        key = draw("key", sizes[(sizes.index(size) * 5 + 3) % len(sizes)])
        codes.append({"key": key.hex(), "message": message.hex(), "code": hmac.digest(key, message, "sha256").hex()})
        salt, info = draw("salt", size % 80), draw("info", size % 70)
        count = 1 + size * 8 % 8160
        extracted = hmac.digest(salt, message, "sha256")
        output = HKDFExpand(algorithm=SHA256(), length=count, info=info).derive(extracted)
        derived.append(
            {
                "material": message.hex(),
                "salt": salt.hex(),
                "info": info.hex(),
                "extracted": extracted.hex(),
                "count": count,
                "outputDigest": hashlib.sha256(output).hexdigest(),
            }
        )
    return {"digests": digests, "codes": codes, "derived": derived}


def chacha20(key, nonce, counter, data):
    full = counter.to_bytes(4, "little") + nonce
    return Cipher(ChaCha20(key, full), mode=None).encryptor().update(data)


def hchacha20(key, nonce):
    """draft-irtf-cfrg-xchacha-03, section 2.2. The keystream block of ChaCha20 is the rounds plus the initial state, so
    the rounds alone are that block minus the initial state."""
    constants = b"expand 32-byte k"
    initial = constants + key + nonce
    block = Cipher(ChaCha20(key, nonce), mode=None).encryptor().update(bytes(64))
    words = [
        (int.from_bytes(block[i : i + 4], "little") - int.from_bytes(initial[i : i + 4], "little")) % 2**32
        for i in range(0, 64, 4)
    ]
    return b"".join(word.to_bytes(4, "little") for word in words[:4] + words[12:])


def xchacha20_poly1305(key, nonce, plaintext, context):
    inner = ChaCha20Poly1305(hchacha20(key, nonce[:16]))
    return inner.encrypt(bytes(4) + nonce[16:], plaintext, context)


@table("NostrCrypto")
def ciphers():
    """The stream cipher and the two that authenticate, at sizes around their blocks."""
    stream, gcm, xchacha = [], [], []
    for size in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 511, 512, 513, 700, 1026]:
        key, plaintext, context = draw(f"key {size}"), draw("plaintext", size), draw("context", size % 40)
        nonce = draw(f"nonce {size}", 24)
        counter = [0, 1, 7, 2**32 - 64][size % 4]
        row = {"key": key.hex(), "plaintext": plaintext.hex()}
        ciphertext = chacha20(key, nonce[:12], counter, plaintext)
        stream.append({**row, "nonce": nonce[:12].hex(), "counter": counter, "ciphertext": ciphertext.hex()})
        row["context"] = context.hex()
        sealed = AESGCM(key).encrypt(nonce[:12], plaintext, context)
        gcm.append({**row, "nonce": nonce[:12].hex(), "sealed": sealed.hex()})
        sealed = xchacha20_poly1305(key, nonce, plaintext, context)
        xchacha.append({**row, "nonce": nonce.hex(), "sealed": sealed.hex()})
    return {"chaCha20": stream, "aesGCM": gcm, "xChaCha20Poly1305": xchacha}


@table("NostrCrypto")
def scrypt():
    rows = []
    for index, (log_n, r, p) in enumerate([(1, 1, 1), (4, 8, 1), (5, 3, 4), (10, 8, 1), (12, 8, 1), (8, 1, 16)]):
        password, salt, count = draw(f"password {index}", index * 9), draw(f"salt {index}", index * 7), 16 + 16 * index
        key = hashlib.scrypt(password, salt=salt, n=2**log_n, r=r, p=p, dklen=count)
        row = {"password": password.hex(), "salt": salt.hex(), "logN": log_n, "r": r, "p": p, "key": key.hex()}
        rows.append(row)
    return rows


def nip44_padded(count):
    """From the pseudocode of NIP-44."""
    if count <= 32:
        return 32
    power = 1 << ((count - 1).bit_length())
    chunk = 32 if power <= 256 else power // 8
    return chunk * ((count - 1) // chunk + 1)


def nip44_payload(conversation, nonce, padded, version=2, break_mac=False):
    keys = HKDFExpand(algorithm=SHA256(), length=76, info=nonce).derive(conversation)
    ciphertext = chacha20(keys[:32], keys[32:44], 0, padded)
    mac = hmac.digest(keys[44:], nonce + ciphertext, "sha256")
    if break_mac:
        mac = mac[:-1] + bytes([mac[-1] ^ 1])
    return base64.b64encode(bytes([version]) + nonce + ciphertext + mac).decode()


def nip44_pad(plaintext):
    count = len(plaintext)
    prefix = count.to_bytes(2) if count < 65536 else bytes(2) + count.to_bytes(4)
    return prefix + plaintext + bytes(nip44_padded(count) - count)


@table("NostrCrypto")
def nip44():
    """Payloads made here and read by a peer, and ones to be refused."""
    messages, long_messages, invalid = [], [], []
    texts = ["a", "\u00e9", "\U0001f642 " * 3, "0123456789abcdef" * 2, "x" * 33, "\u4f60\u597d" * 40, "\0\n\t", "z" * 257]
    texts += [draw(f"text {size}", size).hex()[:size] for size in (64, 65, 255, 256, 320, 321, 700, 1024, 1025)]
    own, other = secret_key("nip44 own"), secret_key("nip44 other")
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x02" + public_key(other))
    shared = ec.derive_private_key(int.from_bytes(own), ec.SECP256K1()).exchange(ec.ECDH(), point)
    conversation = hmac.digest(b"nip44-v2", shared, "sha256")
    keys = {"secret": own.hex(), "public": public_key(other).hex(), "conversation": conversation.hex()}

    def read_by_peer(payload):
        theirs = nostr_sdk.SecretKey.parse(other.hex()), nostr_sdk.PublicKey.parse(public_key(own).hex())
        return nostr_sdk.nip44_decrypt(*theirs, payload)

    for index, text in enumerate(texts):
        nonce = draw(f"nip44 nonce {index}")
        payload = nip44_payload(conversation, nonce, nip44_pad(text.encode()))
        assert read_by_peer(payload) == text
        messages.append({"nonce": nonce.hex(), "plaintext": text, "payload": payload})
    for count in (4096, 40000, 65535, 65536, 65537, 100000, 2**20):
        nonce = draw(f"nip44 long {count}")
        payload = nip44_payload(conversation, nonce, nip44_pad(b"a" * count))
        if count < 65536:
            assert read_by_peer(payload) == "a" * count
        digest = hashlib.sha256(payload.encode()).hexdigest()
        long_messages.append({"nonce": nonce.hex(), "count": count, "payloadDigest": digest})

    def refuse(problem, payload):
        invalid.append({"problem": problem, "payload": payload})

    nonce = draw("nip44 invalid")
    good = nip44_payload(conversation, nonce, nip44_pad(b"abc" * 30))
    invalid_padding = [
        (3).to_bytes(2) + b"abc" + bytes(61),
        (3).to_bytes(2) + b"abc" + bytes(30),
        (33).to_bytes(2) + b"abc" + bytes(29),
        bytes(34),
        bytes(2) + (3).to_bytes(4) + b"abc" + bytes(29),
    ]
    for padded in invalid_padding:
        refuse("wrongPadding", nip44_payload(conversation, nonce, padded))
    for count in (0, 1, 2, 6, 33):
        refuse("payloadTooShort", nip44_payload(conversation, nonce, bytes(count)))
    refuse("wrongMAC", nip44_payload(conversation, nonce, nip44_pad(b"abc"), break_mac=True))
    refuse("wrongMAC", nip44_payload(draw("another conversation"), nonce, nip44_pad(b"abc")))
    for version in (0, 1, 3, 255):
        refuse("unsupportedVersion", nip44_payload(conversation, nonce, nip44_pad(b"abc"), version))
    refuse("unsupportedVersion", "#" + good[1:])
    for text in (good[:-1], good[:-1] + "\n", good.replace("A", "-", 1), good[:-4] + "A===", " " + good[1:], good + "="):
        refuse("notBase64", text)
    for data in (b"\xff", b"\xc3(", b"\xed\xa0\x80", b"ok \xf0\x9f\x99"):
        refuse("plaintextNotUTF8", nip44_payload(conversation, nonce, nip44_pad(data)))
    return {"keys": keys, "messages": messages, "longMessages": long_messages, "invalid": invalid}


@table("NostrCrypto")
def nip49():
    """Encrypted keys made here and opened by a peer, and ones to be refused."""
    valid, invalid = [], []
    passwords = ["nostr", "", "correct horse", "\u212b\u2126\u1e9b\u0323", "\u00e9\ufb01", "\u30d1\u30b9", "p" * 200]

    def text(secret, password, log_n, security=2, version=2, hrp="ncryptsec", cut=0, variant="bech32", damage=0):
        salt, nonce = draw(f"nip49 salt {password}", 16), draw(f"nip49 nonce {password}", 24)
        normal = unicodedata.normalize("NFKC", password).encode()
        key = hashlib.scrypt(normal, salt=salt, n=2**log_n, r=8, p=1, dklen=32, maxmem=2**28)
        sealed = bytearray(xchacha20_poly1305(key, nonce, secret, bytes([security])))
        sealed[5] ^= damage
        content = bytes([version, log_n]) + salt + nonce + bytes([security]) + sealed
        return bech32_of(hrp, content[: len(content) - cut], variant)

    for index, password in enumerate(passwords):
        secret, log_n, security = secret_key(f"nip49 {index}"), [16, 4, 8, 10, 12, 5, 1][index], index % 3
        made = text(secret, password, log_n, security)
        peer = nostr_sdk.EncryptedSecretKey.from_bech32(made)
        assert peer.decrypt(password).to_hex() == secret.hex()
        row = {"passphrase": password, "secret": secret.hex(), "logN": log_n, "keySecurity": security, "text": made}
        valid.append(row)

    def refuse(problem, text, passphrase="nostr"):
        invalid.append({"problem": problem, "text": text, "passphrase": passphrase})

    secret = secret_key("nip49 0")
    refuse("wrongPassphrase", text(secret, "nostr", 4), "Nostr")
    refuse("wrongPassphrase", text(secret, "nostr", 4), "")
    refuse("wrongPassphrase", text(secret, "nostr", 4, damage=1))
    for version in (0, 1, 3):
        refuse("unsupportedVersion", text(secret, "nostr", 4, version=version))
    for cut in (1, 16, 60, 90):
        refuse("wrongLength", text(secret, "nostr", 4, cut=cut))
    refuse("wrongLength", bech32_of("ncryptsec", b""))
    refuse("notEncryptedKey", text(secret, "nostr", 4, hrp="nsec"))
    refuse("notEncryptedKey", text(secret, "nostr", 4, variant="bech32m"))
    refuse("unknownKeySecurity", text(secret, "nostr", 4, security=3))
    refuse("invalidSecretKey", text(bytes(32), "nostr", 4))
    refuse("invalidSecretKey", text(ORDER.to_bytes(32), "nostr", 4))
    return {"valid": valid, "invalid": invalid}


# --- NostrEvents: NIP-19 ----------------------------------------------------------------------------------------------


@table("NostrEvents")
def nip19():
    """Texts that nostr-sdk writes, with what is in them, and texts that are to be refused or read in part."""
    keys = [nostr_sdk.Keys.parse(secret_key(f"nip19 {i}").hex()) for i in range(4)]
    relays = ["wss://relay.example.com", "wss://other.example.com:7777/inbox?a=b", "ws://[2001:db8::1]:8080"]
    valid = []

    def add(text, prefix, **fields):
        valid.append({"text": text, "type": prefix, **fields})

    for number, pair in enumerate(keys):
        public = pair.public_key()
        some = relays[:number]
        hints = [nostr_sdk.RelayUrl.parse(relay) for relay in some]
        event = nostr_sdk.EventId.parse(draw(f"nip19 event {number}").hex())
        author = public if number % 2 else None
        number_of_kind = [None, 1, 30023, 65535][number]
        kind = None if number_of_kind is None else nostr_sdk.Kind(number_of_kind)
        add(public.to_bech32(), "npub", key=public.to_hex())
        add(pair.secret_key().to_bech32(), "nsec", key=pair.secret_key().to_hex())
        add(event.to_bech32(), "note", id=event.to_hex())
        add(nostr_sdk.Nip19Profile(public, hints).to_bech32(), "nprofile", key=public.to_hex(), relays=some)
        add(
            nostr_sdk.Nip19Event(event, author, kind, hints).to_bech32(),
            "nevent",
            id=event.to_hex(),
            author=author.to_hex() if author else None,
            kind=number_of_kind,
            relays=some,
        )
        identifier = ["", "a", "s\u00e9\u6f22 \U0001f44d", "x" * 255][number]
        coordinate = nostr_sdk.Coordinate(nostr_sdk.Kind(30000 + number), public, identifier)
        add(
            nostr_sdk.Nip19Coordinate(coordinate, hints).to_bech32(),
            "naddr",
            author=public.to_hex(),
            kind=30000 + number,
            identifier=identifier,
            relays=some,
        )

    key, event = bytes.fromhex(keys[0].public_key().to_hex()), draw("nip19 event 0")
    no_key = next(x for x in (draw(f"no point {i}") for i in range(16)) if lift(int.from_bytes(x)) is None)

    def entry(number, value):
        return bytes([number, len(value)]) + value

    author, kind = entry(2, key), entry(3, (30023).to_bytes(4))
    read = [
        ("nprofile", entry(9, b"later") + entry(0, key) + entry(200, b""), "unknown entries are ignored"),
        ("nprofile", entry(0, key) + entry(0, no_key), "of two keys the first counts"),
        ("nprofile", entry(0, key) + entry(1, b"\xff\xfe") + entry(1, b"") + entry(1, b"wss://r.example"), "bad hints"),
        ("nevent", entry(3, (1).to_bytes(4)) + entry(0, event), "any order"),
        ("nevent", entry(0, event) + entry(2, no_key), "an author that is no point is only a claim"),
        ("naddr", kind + author + entry(0, b""), "an empty identifier"),
    ]
    refused = [
        ("npub", key[:31], "wrongLength"),
        ("npub", key + b"\0", "wrongLength"),
        ("npub", no_key, "invalidKey"),
        ("nsec", bytes(32), "invalidKey"),
        ("nsec", key[:16], "wrongLength"),
        ("note", b"", "wrongLength"),
        ("nprofile", b"", "missingEntry"),
        ("nprofile", entry(1, b"wss://r.example"), "missingEntry"),
        ("nprofile", entry(0, key[:31]), "wrongLength"),
        ("nprofile", entry(0, no_key), "invalidKey"),
        ("nprofile", entry(0, key)[:-1], "truncated"),
        ("nprofile", entry(0, key) + b"\x01", "truncated"),
        ("nprofile", entry(0, key) + b"\x09\xffshort", "truncated"),
        ("nevent", entry(0, event) + entry(2, key[:20]), "wrongLength"),
        ("nevent", entry(0, event) + entry(3, b"\0\1"), "wrongLength"),
        ("nevent", entry(0, event) + entry(3, (65536).to_bytes(4)), "invalidKind"),
        ("naddr", entry(0, b"d") + author, "missingEntry"),
        ("naddr", entry(0, b"d") + kind, "missingEntry"),
        ("naddr", author + kind, "missingEntry"),
        ("naddr", entry(0, b"\xc3\x28") + author + kind, "invalidIdentifierText"),
        ("nrelay", entry(0, b"wss://r.example"), "unknownPrefix"),
        ("ncryptsec", key, "unknownPrefix"),
    ]
    return {
        "valid": valid,
        "read": [{"what": what, "text": bech32_of(prefix, data)} for prefix, data, what in read],
        "refused": [{"problem": problem, "text": bech32_of(prefix, data)} for prefix, data, problem in refused]
        + [
            {"problem": "wrongChecksumVariant", "text": bech32_of("npub", key, "bech32m")},
            {"problem": "invalidBech32", "text": bech32_of("npub", key)[:-1] + "q"},
            {"problem": "invalidBech32", "text": bech32_of("nprofile", entry(0, key) + entry(9, bytes(250)) * 20)},
        ],
    }


# --- NostrGiftWrap ----------------------------------------------------------------------------------------------------


def conversation_key(secret, public):
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x02" + public)
    shared = ec.derive_private_key(int.from_bytes(secret), ec.SECP256K1()).exchange(ec.ECDH(), point)
    return hmac.digest(b"nip44-v2", shared, "sha256")


def compact(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Forger:
    """Makes a gift wrap from the inside out; each argument bends one thing, and none of them makes it a valid one."""

    def __init__(self, label, kind=14):
        self.label, self.kind = label, kind
        self.owner = public_key(secret_key("wrap owner"))

    def sealed(self, text, secret, public, nonce, break_mac=False):
        return nip44_payload(
            conversation_key(secret, public), draw(f"{self.label} {nonce}"), nip44_pad(text.encode()), break_mac=break_mac
        )

    def wrap(
        self,
        author="wrap author",
        sealer="wrap author",
        rumor=lambda one: one,
        seal_kind=13,
        seal_tags=(),
        seal_for="wrap owner",
        seal=lambda one: one,
        wrap_kind=1059,
        wrap_for="wrap owner",
        break_mac=False,
        wrap=lambda one: one,
    ):
        public = public_key(secret_key(author))
        fields = (public, 1_700_000_000, self.kind, [["p", self.owner.hex()]], f"hello from {self.label}")
        inner = {"id": event_id(*fields), "pubkey": public.hex(), "created_at": fields[1], "kind": self.kind}
        inner |= {"tags": fields[3], "content": fields[4]}
        content = self.sealed(
            compact(rumor(inner)), secret_key(sealer), public_key(secret_key(seal_for)), "seal"
        )
        middle = signed_event(sealer, 1_699_990_000, seal_kind, [list(tag) for tag in seal_tags], content)
        throw_away = f"{self.label} throw-away"
        content = self.sealed(
            compact(seal(middle)), secret_key(throw_away), public_key(secret_key(wrap_for)), "wrap", break_mac
        )
        outer = signed_event(throw_away, 1_699_980_000, wrap_kind, [["p", self.owner.hex()]], content)
        return compact(wrap(outer))


@table("NostrGiftWrap")
def gift_wraps():
    """Gift wraps of which each breaks one rule, beside the same wrap without the fault, which nostr-sdk can read."""
    stranger = signed_event("wrap stranger", 1_700_000_000, 13, [], "x")
    without = lambda *names: lambda one: {name: value for name, value in one.items() if name not in names}
    replace = lambda **changes: lambda one: one | changes
    expiration = ("expiration", "1800000000")
    faults = [
        ("invalidWrap", "the wrap has another event's id", {"wrap": replace(id=stranger["id"])}, 14),
        ("invalidWrap", "the wrap has another event's signature", {"wrap": replace(sig=stranger["sig"])}, 14),
        ("invalidWrap", "the wrap was changed after it was signed", {"wrap": replace(created_at=1_699_980_001)}, 14),
        ("invalidWrap", "the wrap names another key", {"wrap": replace(pubkey=stranger["pubkey"])}, 14),
        ("notAWrap", "the outer event is a note", {"wrap_kind": 1}, 14),
        ("notAWrap", "the outer event is a seal", {"wrap_kind": 13}, 14),
        ("undecryptableWrap", "the wrap was made for somebody else", {"wrap_for": "wrap stranger"}, 14),
        ("undecryptableWrap", "the wrap's MAC is wrong", {"break_mac": True}, 14),
        ("malformedSeal", "the wrap holds no JSON", {"seal": lambda one: "nothing"}, 14),
        ("malformedSeal", "the seal is not signed", {"seal": without("sig")}, 14),
        ("malformedSeal", "the seal's signature is null", {"seal": replace(sig=None)}, 14),
        ("notASeal", "the seal is a note", {"seal_kind": 1}, 14),
        ("notASeal", "the seal is a rumor of its own", {"seal_kind": 14}, 44001),
        ("invalidSeal", "the seal has another event's signature", {"seal": replace(sig=stranger["sig"])}, 14),
        ("invalidSeal", "the seal has another event's id", {"seal": replace(id=stranger["id"])}, 14),
        ("invalidSeal", "the seal names another author", {"seal": replace(pubkey=stranger["pubkey"])}, 14),
        ("sealTags", "the seal has a p tag", {"seal_tags": [("p", stranger["pubkey"])]}, 14),
        ("sealTags", "the seal has an expiration and more", {"seal_tags": [expiration, ("x",)]}, 14),
        ("sealTags", "the seal of a session message has an expiration", {"seal_tags": [expiration]}, 44001),
        ("undecryptableSeal", "the seal was made for somebody else", {"seal_for": "wrap stranger"}, 14),
        ("malformedRumor", "the seal holds an array", {"rumor": lambda one: []}, 14),
        ("malformedRumor", "the rumor has no author", {"rumor": without("pubkey")}, 14),
        ("rumorIDMismatch", "the rumor has another event's id", {"rumor": replace(id=stranger["id"])}, 14),
        ("rumorIDMismatch", "the rumor says something else than its id", {"rumor": replace(content="x")}, 44001),
        ("signedRumor", "the rumor has an empty signature", {"rumor": replace(sig="")}, 14),
        ("signedRumor", "the rumor has a signature", {"rumor": replace(sig=stranger["sig"])}, 44001),
        ("signedRumor", "the rumor's signature is null", {"rumor": replace(sig=None)}, 14),
        ("forgedAuthor", "the rumor is by somebody else than the sealer", {"sealer": "wrap stranger"}, 14),
        ("forgedAuthor", "a file is by somebody else", {"sealer": "wrap stranger"}, 15),
        ("forgedAuthor", "a session message is by somebody else", {"sealer": "wrap stranger"}, 44001),
        ("forgedAuthor", "the owner is made to say something", {"author": "wrap owner", "sealer": "wrap stranger"}, 44001),
    ]
    refused = []
    for index, (problem, what, bent, kind) in enumerate(faults):
        forger = Forger(f"wrap {index}", kind)
        control = forger.wrap()
        wrap = nostr_sdk.Event.from_json(control)
        keys = nostr_sdk.SecretKey.parse(secret_key("wrap owner").hex())
        seal = json.loads(nostr_sdk.nip44_decrypt(keys, wrap.author(), wrap.content()))
        author = nostr_sdk.PublicKey.parse(seal["pubkey"])
        assert json.loads(nostr_sdk.nip44_decrypt(keys, author, seal["content"]))["kind"] == kind
        refused.append({"problem": problem, "what": what, "wrap": forger.wrap(**bent), "control": control})
    accepted = [
        ("an ephemeral wrap", Forger("wrap ephemeral").wrap(wrap_kind=21059)),
        ("a seal with an expiration around a chat message", Forger("wrap expiring").wrap(seal_tags=[expiration])),
        ("a rumor without an id", Forger("wrap without id").wrap(rumor=without("id"))),
        ("members that nobody knows", Forger("wrap extra").wrap(rumor=replace(x=1), seal=replace(x=1), wrap=replace(x=1))),
    ]
    return {
        "owner": secret_key("wrap owner").hex(),
        "author": public_key(secret_key("wrap author")).hex(),
        "refused": refused,
        "accepted": [{"what": what, "wrap": wrap} for what, wrap in accepted],
    }


@table("NostrGiftWrap")
def encrypted_files():
    """Files as kind 15 describes them, under nonces of the lengths that applications use."""
    cases = []
    for count in (8, 12, 16, 32, 64):
        key, nonce = draw(f"file key {count}"), draw(f"file nonce {count}", count)
        plain = draw(f"file {count}", 100)
        sealed = AESGCM(key).encrypt(nonce, plain, None)
        cases.append({"key": key.hex(), "nonce": nonce.hex(), "plain": plain.hex(), "sealed": sealed.hex()})
    return cases


def main():
    names = sys.argv[1:] or list(TABLES)
    for name in names:
        if name not in TABLES:
            sys.exit(f"generate-cases.py: no table {name} (there are {', '.join(TABLES)})")
        path, function = TABLES[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(function(), indent=1, ensure_ascii=True) + "\n")
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


main()
