# SPDX-License-Identifier: MIT
"""What lldb says otherwise than gdb and the command, and why: compared is what all have.

    names of source files   lldb resolves them, and does not keep what the compiler had
    lines at OTHER_LINES    lldb keeps the last of several rows at one address; so is what the source
                            has there
    what is inlined         lldb before 20 finds none in functions of which the compiler has put a
                            part elsewhere, as C++ with exceptions has; none finds those of Fortran:
                            the cases of INLINED are left out
"""

import os

import same_facts

# (source, how, optimisation)
OTHER_LINES = (("barriers.c", "copyprivate", 2), ("polls.c", "polls", 2))
OF_LINES = ("line", "state", "waits_for", "derived", "inferred")
# (source, how or None for all, optimisation): the first lldb that finds what is inlined there
INLINED = {("locks.cc", None, 2): 20, ("hangs.f90", "critical", 2): None,
           ("hangs.f90", "leaves", 2): None, ("hangs.f90", "trips", 2): None}
COMMANDS = ("why", "threads", "stacks", "locks")


def finds_inlined(source, how, level, version):
    """Whether an lldb of a VERSION does in that case."""
    first = [INLINED[place] for place in ((source, None, level), (source, how, level))
             if place in INLINED]
    return not first or first[0] is not None and version >= first[0]


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
