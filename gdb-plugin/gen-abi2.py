# SPDX-License-Identifier: MIT
"""Writes the numbers of libompd/abi-2/ompd.h as a Python module.

Usage: gen-abi2.py OMPD_H >abi2.py
"""

import re
import sys


def enumeration(text, prefix):
    """Enumerators `PREFIXname = value` as a dictionary without the prefix."""
    pairs = re.findall(r"\b%s(\w+)\s*=\s*(0x[0-9a-fA-F]+|\d+)" % prefix, text)
    if not pairs:
        sys.exit("no enumerators %s* in the header" % prefix)
    return {name: int(value, 0) for name, value in pairs}


def main():
    with open(sys.argv[1], encoding="utf-8") as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    table = re.search(r"typedef struct\s*\{([^}]*)\}\s*ompd_callbacks_t;", text)
    if table is None:
        sys.exit("no ompd_callbacks_t in the header")
    states = enumeration(text, "ompd_state_")
    states.pop("first", None)  # begins an enumeration, is no state
    print("# Generated from libompd/abi-2/ompd.h by gen-abi2.py; do not edit.")
    for name, value in (("RC", enumeration(text, "ompd_rc_")), ("STATE", states),
                        ("OSTHREAD", enumeration(text, "ompd_osthread_")),
                        ("CALLBACKS", re.findall(r"\w+\s+(\w+);", table.group(1)))):
        print("%s = %r" % (name, value))


main()
