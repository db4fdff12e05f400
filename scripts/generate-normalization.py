#!/usr/bin/env python3
"""Writes Packages/NostrCrypto/Sources/NostrCrypto/NormalizationTables.swift from the Unicode data of this Python.

Characters that are newer than its Unicode version normalise to themselves; those that are not never change (the stability
policy of Unicode), so a newer Python only adds lines.
"""
import pathlib
import sys
import unicodedata

TARGET = (
    pathlib.Path(__file__).resolve().parent.parent
    / "Packages/NostrCrypto/Sources/NostrCrypto/NormalizationTables.swift"
)
HANGUL = range(0xAC00, 0xAC00 + 11172)  # decomposed by arithmetic


def numbers(text):
    return ".".join(f"{ord(c):X}" for c in text)


decompositions, composites = [], []
for code in range(sys.maxunicode + 1):
    character = chr(code)
    if 0xD800 <= code < 0xE000 or code in HANGUL:
        continue
    whole = unicodedata.normalize("NFKD", character)
    if whole != character:
        decompositions.append(f"{code:X}:{numbers(whole)}")
    single = unicodedata.decomposition(character)
    if single and not single.startswith("<") and unicodedata.normalize("NFC", character) == character:
        first, second = single.split()
        composites.append(f"{code:X}:{first.lstrip('0')}.{second.lstrip('0')}")


def literal(entries):
    lines, line = [], ""
    for entry in entries:
        if len(line) + 1 + len(entry) > 112:
            lines.append(line)
            line = ""
        line += (" " if line else "") + entry
    return "".join(f"        {line}\n" for line in [*lines, line])


TARGET.write_text(
    f'''// Written by scripts/generate-normalization.py.

/// Data of Unicode {unicodedata.unidata_version} for ``Normalization``, as hexadecimal code points.
enum NormalizationTables {{
    /// A character, a colon, and its whole compatibility decomposition. Hangul syllables are left out.
    static let decompositions = """
{literal(decompositions)}        """

    /// A character, a colon, and the two that compose it. Hangul syllables are left out.
    static let composites = """
{literal(composites)}        """
}}
'''
)
print(f"{len(decompositions)} decompositions, {len(composites)} composites")
