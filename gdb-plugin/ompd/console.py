# SPDX-License-Identifier: MIT
"""What gdb's own commands print, as text."""

import re

import gdb

# gdb 18 hands it out in MI's notation when it talks to a front end: a quoted string with
# C's escapes for each line, and "&" before what is a warning.
_RECORD = re.compile(r'[~&]"((?:[^"\\\n]|\\.)*)"\n')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"e": b"\033", b"a": b"\a", b"b": b"\b",
            b"f": b"\f", b"v": b"\v"}


def printed(command):
    """What a command of gdb prints; its errors are the caller's."""
    text = gdb.execute(command, to_string=True)
    records = list(_RECORD.finditer(text))
    if not records or sum(len(record.group()) for record in records) != len(text):
        return text
    whole = "".join(record.group(1) for record in records).encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_letter, whole).decode("utf-8", "replace")


def _letter(escape):
    text = escape.group(1)
    return bytes([int(text, 8) & 0xff]) if len(text) == 3 else _LETTERS.get(text, text)
