# SPDX-License-Identifier: MIT
"""What lldb says otherwise than gdb and the command, and why: compared is what all have.

    names of source files   lldb resolves them, and does not keep what the compiler had
"""

import os

import same_facts

COMMANDS = ("why", "threads", "stacks", "locks")


def _plain(value, key=None):
    if isinstance(value, dict):
        return {name: _plain(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, key) for one in value]
    return os.path.basename(value) if isinstance(value, str) and key == "file" else value


def normal(answers):
    """As same_facts.normal(), without those; {} where a command was not asked."""
    if not all(command in answers for command in COMMANDS):
        return {}
    return _plain(same_facts.normal(answers))
