#!/usr/bin/env python3
"""Writes Packages/NostrCrypto/Sources/NostrCrypto/EnglishWords.swift, the BIP-39 list, from the PyPI package `mnemonic`.

    python3 -m venv VENV && VENV/bin/pip install -r scripts/peers.txt && VENV/bin/python scripts/generate-wordlist.py
"""
import hashlib
import pathlib
import sys

import mnemonic

DIGEST = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"  # of english.txt of BIP-39
TARGET = (
    pathlib.Path(__file__).resolve().parent.parent / "Packages/NostrCrypto/Sources/NostrCrypto/EnglishWords.swift"
)

source = pathlib.Path(mnemonic.__file__).parent / "wordlist/english.txt"
text = source.read_bytes()
if hashlib.sha256(text).hexdigest() != DIGEST:
    sys.exit(f"generate-wordlist.py: {source} is not the list of BIP-39")
words = text.decode("ascii").split()
assert len(words) == 2048 and words == sorted(words) and max(map(len, words)) <= 8

lines, line = [], ""
for word in words:
    if len(line) + 1 + len(word) > 112:
        lines.append(line)
        line = ""
    line += (" " if line else "") + word
lines.append(line)
body = "".join(f"        {line}\n" for line in lines)
TARGET.write_text(
    f'''// Written by scripts/generate-wordlist.py.

/// The English list of BIP-39: 2048 words in the order of their bytes.
enum EnglishWords {{
    static let all = text.split(whereSeparator: \\.isWhitespace).map(String.init)

    private static let text = """
{body}        """
}}
'''
)
