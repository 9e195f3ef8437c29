# SPDX-License-Identifier: MIT
"""What lldb says otherwise than gdb and the command, and why: compared is what all have.

    names of source files   lldb resolves them, and does not keep what the compiler had
    functions of Fortran    lldb reads lines of it alone, so that they have the linker's names
"""

import os

import same_facts

COMMANDS = ("why", "threads", "stacks", "locks")


def _plain(value, is_fortran, key=None):
    if isinstance(value, dict):
        return {name: _plain(one, is_fortran, name) for name, one in value.items()
                if not (is_fortran and name == "function")}
    if isinstance(value, list):
        return [_plain(one, is_fortran, key) for one in value]
    return os.path.basename(value) if isinstance(value, str) and key == "file" else value


def normal(answers, is_fortran=False):
    """As same_facts.normal(), without those; {} where a command was not asked."""
    if not all(command in answers for command in COMMANDS):
        return {}
    found = _plain(same_facts.normal(answers), is_fortran)
    if is_fortran and isinstance(found["stacks"], dict):
        found["stacks"] = sorted(found["stacks"])  # whose are alike
    return found
