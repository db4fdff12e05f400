"""Texts that are hard on a serialiser, the same for the same seed."""

SPECIAL = [
    "\n", "\r", "\t", "\b", "\f", '"', "\\", "/", "\0", "\x01", "\x1f", "\x7f", "\x80", "\x9f", "\u2028", "\u2029",
    "\u202e", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff", "\\u0000", "\\n",
    "é", "e\u0301", "日本", "👩‍👩‍👧‍👦", "</script>", "',\"", "]]", "{}",
]


def every_scalar():
    return "".join(chr(n) for n in range(0x110000) if not 0xD800 <= n <= 0xDFFF)


def scalar(random):
    kind = random.randrange(6)
    if kind == 0:
        return chr(random.randrange(0x20))
    if kind == 1:
        return chr(random.randrange(0x20, 0x80))
    if kind == 2:
        return chr(random.randrange(0x80, 0x800))
    if kind == 3:
        return chr(random.choice([random.randrange(0x800, 0xD800), random.randrange(0xE000, 0x10000)]))
    if kind == 4:
        return chr(random.randrange(0x10000, 0x110000))
    return random.choice(SPECIAL)


def text(random, longest=24):
    return "".join(scalar(random) for _ in range(random.randrange(longest)))
