#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what completes the words of `ompd` in a shell: gen-completion.py FILE, by the name that the
shell looks for. Commands and options are those of ompd_command/arguments.py, which is in PYTHONPATH."""

import shlex
import sys

from ompd_command import arguments, watchdog_options

RUN = "run"
FILES = {"FILE", "DIR"}  # what an option takes that a shell knows


def options(command):
    """(name, metavar or None, help) of each."""
    return watchdog_options.OPTIONS if command == RUN else (
        *arguments.options(arguments.COMMANDS[command]), *arguments.COMMON, *arguments.OF_TARGETS)


def commands():
    """{name: help}"""
    return {**{name: arguments.summary(row) for name, row in arguments.COMMANDS.items()},
            RUN: arguments.RUN, "merge": arguments.MERGE,
            "help": "what a command takes"}


def bash():
    yield "# What bash completes for ompd; made of its table of options."
    yield "_ompd()\n{\n    local words"
    yield "    case ${COMP_WORDS[1]} in"
    for name in (*arguments.COMMANDS, RUN):
        yield "    %s) words='%s' ;;" % (name, " ".join("-" + one[0] for one in options(name)))
    yield "    help) words='%s' ;;" % " ".join(arguments.COMMANDS)
    yield "    esac"
    yield "    [ $COMP_CWORD -gt 1 ] || words='%s'" % " ".join(commands())
    yield "    COMPREPLY=($(compgen -W \"$words $(pgrep -u \"$UID\" 2>/dev/null)\" -- \"$2\"))"
    yield "}\ncomplete -o default -F _ompd ompd"


def zsh():
    yield "#compdef ompd\n# What zsh completes for ompd; made of its table of options."
    yield "local -a commands=(%s)" % " ".join(
        shlex.quote("%s:%s" % one) for one in commands().items())
    yield "if (( CURRENT == 2 )); then\n    _describe command commands\n    _files\n    return\nfi"
    yield "case $words[2] in"
    for name in (*arguments.COMMANDS, RUN):
        yield "%s) _arguments %s '*:target:_pids -- _files' ;;" % (name, " ".join(
            shlex.quote("-%s[%s]%s" % (one, words.replace("[", "(").replace("]", ")").replace(":", ","),
                                       "" if metavar is None else ":%s:%s" % (
                                           metavar, "_files" if metavar in FILES else "")))
            for one, metavar, words in options(name)))
    yield "*) _files ;;\nesac"


def fish():
    yield "# What fish completes for ompd; made of its table of options."
    for name, words in commands().items():
        yield "complete -c ompd -n __fish_use_subcommand -a %s -d %s" % (name, shlex.quote(words))
    for name in (*arguments.COMMANDS, RUN):
        for one, metavar, words in options(name):
            yield "complete -c ompd -n '__fish_seen_subcommand_from %s' -o %s%s -d %s" % (
                name, one, "" if metavar is None else " -r", shlex.quote(words))


print("\n".join({"ompd": bash, "_ompd": zsh, "ompd.fish": fish}[sys.argv[1]]()))
