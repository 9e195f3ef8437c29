#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages name each command and each verdict there is, and promise of none less certainty
than the programs of why/ get, or more than any. The README's picture shows a screen of its own text,
and installed documents link to each other."""

import os
import re
import sys

TOP, STAGE = os.environ["top_srcdir"], os.environ["stage"]
INSTALLED = os.path.join(STAGE, "share/ompd")
sys.path[1:1] = [os.path.join(TOP, "testsuite/common"), os.path.join(TOP, "testsuite/why"),
                 os.path.join(TOP, "testsuite/gdb"),
                 os.path.join(STAGE, "share/ompd/python")]
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
import cases  # noqa: E402  pylint: disable=wrong-import-position
import screen_svg  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis import verdict_words  # noqa: E402  pylint: disable=wrong-import-position
from ompd_command import arguments  # noqa: E402  pylint: disable=wrong-import-position

CERTAINTIES = (None, cases.POSSIBLE, cases.LIKELY, cases.CERTAIN)
# Of these the programs show less than there can be.
ELSEWHERE = ("wait-cycle", "task-cycle", "runtime")


def entries(page, section):
    """{name: its text} of what a SECTION of a manual page lists."""
    with open(os.path.join(TOP, "ompd", page), encoding="utf-8") as stream:
        text = re.search(r"^\.S[HS] %s\n(.*?)(?=^\.SH |\Z)" % section, stream.read(),
                         re.M | re.S).group(1)
    return dict(re.findall(r"^\.TP\n\.B ([a-z-]+)\n(.*?)(?=^\.(?:TP|SS)|\Z)", text,
                           re.M | re.S))


def highest(words):
    return max((CERTAINTIES.index(word) for word in re.findall(r"at\s+most\s+(\w+)", words, re.I)),
               default=0)


def picture(tap):
    """The session of the picture is one of the README's."""
    with open(os.path.join(TOP, "doc/why.svg"), encoding="utf-8") as stream:
        shown = screen_svg.screen(stream.read())
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as stream:
        text = stream.read()
    tap.ok(len(shown) > 4 and "".join("    %s\n" % line for line in shown) in text,
           "doc/why.svg is a screen of README.md", *shown)


def routines(tap):
    """The page for authors of debuggers has each routine of the extension, and each callback."""
    with open(os.path.join(TOP, "doc/debugger-authors.md"), encoding="utf-8") as stream:
        page = stream.read()
    with open(os.path.join(TOP, "libompd/abi-5/libompd.abilist"), encoding="utf-8") as stream:
        names = re.findall(r"\bompd_ext_\w+", stream.read())
    with open(os.path.join(TOP, "libompd/abi-5/omp-tools-ompd.h"), encoding="utf-8") as stream:
        table = re.search(r"typedef struct ompd_callbacks_t \{(.*?)\}", stream.read(), re.S).group(1)
    tap.equal(sorted(set(names) ^ set(re.findall(r"\bompd_ext_(?!object_t)\w+", page))), [],
              "doc/debugger-authors.md has each routine of the extension, and no other")
    tap.equal([name for name in re.findall(r"(\w+);", table) if "`%s`" % name not in page], [],
              "and each callback")


def absent(text, folder):
    """Documents that TEXT names as code and that are not installed with it, but for those of which
    the paragraph or row says that the sources have them."""
    return [name for part in re.split(r"\n\n|\n(?=\|)", text)
            for name in re.findall(r"`([\w./-]+\.md)`", part)
            if "sources" not in part and not any(
                os.path.exists(os.path.join(place, name)) for place in (folder, INSTALLED))]


def links(tap):
    """Where documents are installed, the others that they link to or name are there."""
    found, broken = 0, []
    for folder, _, names in os.walk(INSTALLED):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    text = stream.read()
                targets = re.findall(r"\]\(([^):#]+)(?=[)#])", text)
                found += len(targets)
                broken += ["%s: %s" % (name, other) for other in absent(text, folder)]
                broken += ["%s: %s" % (name, target) for target in targets
                           if not os.path.exists(os.path.join(folder, target))]
    tap.ok(found > 10 and not broken, "links of installed documents lead somewhere, "
           "and those that they name are there", *broken)


def main():
    tap = Tap()
    picture(tap)
    links(tap)
    routines(tap)
    commands = entries("ompd.1", "Commands")
    tap.equal(sorted(set(arguments.COMMANDS) - set(commands)), [], "ompd(1) has each command")
    with open(os.path.join(TOP, "gdb-plugin/gdb_openmp/ui/commands/__init__.py"),
              encoding="utf-8") as stream:
        names = re.search(r"_MODULES = (.*)", stream.read()).group(1)
    with open(os.path.join(TOP, "doc/cheat-sheet.md"), encoding="utf-8") as stream:
        sheet = stream.read()
    tap.equal([name for name in {*arguments.COMMANDS, *re.findall(r'"(\w+)"', names)}
               if "`ompd " + name not in sheet], [], "the cheat sheet has each command")
    told = entries("ompd.7", "VERDICTS")
    tap.equal(sorted(told), sorted({own for own, _ in verdict_words.VERDICTS}),
              "ompd(7) has each verdict, and no other")
    seen = {}
    for case in cases.CASES:
        for verdict, certainty in (case.bare, case.recorded):
            seen[verdict] = max(seen.get(verdict, 0), CERTAINTIES.index(certainty))
    promised = {own: highest(words) for own, words in told.items()
                if not own.startswith("crash-") and own not in ELSEWHERE}
    tap.equal(promised, {own: seen.get(own, 0) for own in promised},
              "and how certain each of them can be")
    tap.end()


main()
