# SPDX-License-Identifier: MIT
"""What lldb says otherwise than gdb and the command, and why: compared is what all have.

    names of source files   lldb resolves them, and does not keep what the compiler had
    lines at OTHER_LINES    lldb keeps the last of several rows at one address; so is what the source
                            has there
    what is inlined         lldb before 20 finds none in functions of which the compiler has put a
                            part elsewhere, as C++ with exceptions has in the programs of SPLIT
"""

import os

import same_facts

# (source, how, optimisation)
OTHER_LINES = (("barriers.c", "copyprivate", 2), ("locks.c", "polls", 2))
OF_LINES = ("line", "state", "waits_for", "derived", "inferred")
SPLIT = (("locks.cc", 2),)  # (source, optimisation)
COMMANDS = ("why", "threads", "stacks", "locks")


def _plain(value, key=None, lines=True):
    if isinstance(value, dict):
        return {name: _plain(one, name, lines) for name, one in value.items()
                if lines or name not in OF_LINES}
    if isinstance(value, list):
        return [_plain(one, key, lines) for one in value]
    return os.path.basename(value) if isinstance(value, str) and key == "file" else value


def normal(answers, place=()):
    """As same_facts.normal(), without those; {} where a command was not asked. PLACE: maybe one of
    OTHER_LINES."""
    if not all(command in answers for command in COMMANDS):
        return {}
    return _plain(same_facts.normal(answers), lines=place not in OTHER_LINES)
