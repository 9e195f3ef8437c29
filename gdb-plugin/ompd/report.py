# SPDX-License-Identifier: MIT
"""Answers for programs: JSON."""

import json

import gdb

from ompd.errors import OmpdError


def write_json(value):
    """One line for each element of an array, so that a reader may go by lines, too."""
    if isinstance(value, list) and value:
        gdb.write("[" + ",\n ".join(json.dumps(item) for item in value) + "]\n")
    else:
        gdb.write(json.dumps(value) + "\n")


def place_facts(place):
    """A frames.Place, or None, as keys of an object."""
    return {"function": place.function if place else None,
            "file": place.file if place else None,
            "line": place.line if place else None}


def known(ask):
    """What ASK returns, or None when an OmpdError says that it cannot be had."""

    try:
        return ask()
    except OmpdError:
        return None
