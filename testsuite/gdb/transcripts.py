# SPDX-License-Identifier: MIT
"""Sessions with gdb as rows of a file, NAME.rows: what is typed, and the screen that follows.

    === waits.c -O1 | hold | stock hooks attached:7 core
    --- all_wait
    (gdb) ompd thread 2
    [Switching to OpenMP thread 2/6, thread {two?} …
    [hooks](gdb) ompd history

`===` names a program with its flags, its arguments, and the modes in which all below is done:
"stock", "hooks" (what is recorded), "live", "core", "attached" with the number of its threads. `---`
runs or continues to a mark of the program. A screen is compared line by line, two blanks being as good
as more; in it {MARK} is the number of the line of a mark, {MARK+1} of the one below, {NAME?} any
number, the same one at this stop, in commands, too, {#} one that only a recorded program has, {stage},
{scratch} and {pid} what they say; "≈" is "~" in a program that is not recorded, and nothing in another
one; "…" is any text, and alone any lines; addresses, kernel ids and numbers of values may differ.
Rows of tables may come in any order: gdb numbers the threads that it finds in an order of its own.
"[hooks core]" before a line or a command has it in these modes alone, "[!core]" in others; "gcc" and
"clang" are modes, too. "! " stands before an error's message, "//" before a comment.

--write has the rows that fail say what was printed: to be read before it is kept."""

import difflib
import itertools
import os
import re
import shlex
import sys

import harness

MODES = ("stock", "hooks", "live", "core", "attached", "gcc", "clang")
COMPILER = "clang" if harness.CLANG else "gcc"
TAG = re.compile(r"\[((?:!?(?:%s) ?)+)\] ?" % "|".join(MODES))
TABLES = "ompd threads", "ompd parallel", "ompd tasks", "ompd locks", "ompd locals", "ompd stacks"
TOKEN = re.compile(r"(…|≈| \{#\} +|\{\w+\?\}|\{\w+(?:[+-]\d+)?\}|0x[0-9a-f]+|LWP \d+|process \d+| {2,}|^\$\d+ = )")


def holds(tag, mode):
    """True if a line with this TAG, the words in brackets, is of a MODE, a set of words."""
    return all((word.lstrip("!") in mode) != word.startswith("!") for word in tag.split())


def untagged(line):
    """(its tag, what follows)"""
    found = TAG.match(line)
    return (found.group(1), line[found.end():]) if found else ("", line)


class Row:
    """A command and its screen; of ===, --- and comments what stands there."""

    def __init__(self, text):
        self.text, self.lines, self.failed = text, [], {}  # {mode: what was printed, or None}
        self.tag, self.typed = untagged(text)

    def screen(self, mode):
        return [line for tag, line in map(untagged, self.lines) if holds(tag, mode)]


def read(path):
    """[Row] of a file."""
    rows = []
    with open(path, encoding="utf-8") as stream:
        for text in stream.read().splitlines():
            if untagged(text)[1].startswith(("=== ", "--- ", "(gdb) ", "//")):
                rows.append(Row(text))
            else:
                rows[-1].lines.append(text)
    for row in rows:
        while row.lines and not row.lines[-1]:
            row.lines.pop()
    return rows


def parts(rows, sign):
    """[(row that begins with SIGN, those below it)]; first what stands above the first one."""
    found = [(None, [])]
    for row in rows:
        if row.typed.startswith(sign):
            found.append((row, []))
        else:
            found[-1][1].append(row)
    return found


# Comparison


def pattern(line, names, bound):
    """The regular expression of a line of a screen."""
    found = ""
    for token in TOKEN.split(line.rstrip()):
        if token.strip() in ("≈", "{#}"):
            found += names[token.strip()]
            continue
        name, offset = re.fullmatch(r"\{?(\w*)([+-]\d+)?\??\}?", token).groups() \
            if token.startswith("{") and TOKEN.fullmatch(token) else ("", None)
        if token == "…":
            found += ".*?"
        elif token.endswith("?}"):
            found += str(bound[name]) if name in bound else "(?P=%s)" % name \
                if "(?P<%s>" % name in found else r"(?P<%s>\d+)" % name
        elif name in names:
            found += re.escape(str(names[name] + int(offset) if offset else names[name]))
        elif token.startswith("$") and token.endswith(" = "):
            found += r"\$\d+ = "
        elif TOKEN.fullmatch(token) and not name:
            found += " {2,}" if token.isspace() else re.match("0x|[A-Za-z]+ ", token).group() + "[0-9a-f]+"
        else:
            found += re.escape(token)
    return found + "$"


def fits(wanted, lines, names, bound, in_order):
    """The numbers that names stand for if the LINES are those wanted, else None."""
    if not wanted:
        return None if lines else bound
    if not in_order:  # more lines may be anywhere
        wanted = sorted(wanted, key=lambda line: line == "…")
    if wanted[0] == "…":
        return next((found for found in (fits(wanted[1:], lines[at:], names, bound, in_order)
                                         for at in range(len(lines) + 1)) if found is not None),
                    None) if in_order else bound
    shape = re.compile(pattern(wanted[0], names, bound))
    for at, line in enumerate(lines[:1] if in_order else lines):
        match = shape.match(line)
        found = match and fits(wanted[1:], lines[:at] + lines[at + 1:], names,
                               dict(bound, **match.groupdict()), in_order)
        if found is not None:
            return found
    return None


class Look:
    """A program of t's in one way: stock or with hooks, in a process and its cores."""

    def __init__(self, t, head, stops, kind, place):
        words, arguments, self.modes = map(shlex.split, head.typed[4:].split("|"))
        self.t, self.source, self.arguments, self.stops = t, words[0], arguments, stops
        self.kind, self.place = kind, place
        self.names = dict(harness.marks(t.source), stage=t.stage, scratch=t.scratch,
                          **({"≈": "~", "{#}": " +"} if kind == "stock" else {"≈": "", "{#}": r" \d+ +"}))

    def rows(self, mark, rows, place):
        """At a MARK, in the process or a core: PLACE."""
        mode, bound = {self.kind, COMPILER, place} | ({"attached"} & {self.place.split(":")[0]}), {}
        for row in rows:
            if row.typed.startswith("//") or not holds(row.tag, mode):
                continue
            command = re.sub(r"\{(\w+)\??\}", lambda name: str(dict(self.names, **bound).get(
                name.group(1), name.group())), row.typed[6:])
            lines = self.printed(command)
            found = fits(row.screen(mode), lines, self.names, bound,
                         not row.typed[6:].startswith(TABLES))
            bound = bound if found is None else found
            row.failed[tuple(sorted(mode))] = None if found is not None else lines
            self.t.ok(found is not None, "%s %s, %s: %s" % (
                self.source, mark, " ".join(word for word in MODES if word in mode), command),
                "printed:", *lines, "wanted:", *row.screen(mode))

    def printed(self, command):
        """Its lines, those of an error marked as such."""
        try:
            return [line.rstrip() for line in self.t.run(command).rstrip().splitlines()]
        except harness.gdb.error as error:
            return ["! " + line for line in str(error).splitlines()]

    def process(self):
        """Looks at all stops of the process; [(mark, rows, thread, core)]."""
        t, gdb, cores = self.t, harness.gdb, []
        for stop, rows in self.stops:
            if stop and not holds(stop.tag, {self.kind, COMPILER}):
                continue
            mark = stop.typed[4:] if stop else ""
            if mark:
                t.stop_at(mark, "continue" if gdb.selected_inferior().pid else "run")
            self.names["pid"] = gdb.selected_inferior().pid
            if "core" in self.modes and self.names["pid"]:
                cores.append((mark, rows, gdb.selected_thread().ptid[1],
                              os.path.join(t.scratch, "core%d" % len(cores))))
                t.run("generate-core-file " + cores[-1][3])
            self.rows(mark, rows, self.place.split(":")[0])
        return cores

    def run(self):
        t = self.t
        if self.place == "live":
            t.run("ompd on" if self.kind == "hooks" else "info line")
            t.run("set args " + " ".join(self.arguments))
            cores = self.process()
            if "ends" in self.modes:
                t.ends("%s ends as it should" % self.source)
            elif harness.gdb.selected_inferior().pid:
                t.run("kill")
            t.run("delete")
            t.error("ompd off")
        else:
            with t.attached(t.program, *self.arguments, threads=int(self.place[9:]),
                            recorded=self.kind == "hooks"):
                cores = self.process()
        for mark, rows, lwp, path in cores:
            t.run("core-file " + path)
            for thread in harness.gdb.selected_inferior().threads():
                if thread.ptid[1] == lwp:
                    thread.switch()
            self.rows(mark, rows, "core")
            t.run("core-file")


# Writing


def templated(line, t, marks):
    """With marks in the place of lines' numbers."""
    def of_mark(found):
        number = int(found.group(2))
        near = sorted((abs(at - number), name) for name, at in marks.items() if abs(at - number) < 4)
        offset = number - marks[near[0][1]] if near else 0
        return "%s{%s%s}" % (found.group(1), near[0][1], "%+d" % offset if offset else "") \
            if near else found.group()
    for text, shorter in ((t.stage, "{stage}"), (t.scratch, "{scratch}"), (os.path.dirname(t.source), "…")):
        line = line.replace(text, shorter)
    line = re.sub(r"^\$\d+ = ", "$1 = ", re.sub("0x[0-9a-f]{6,}", "0x…", re.sub(r"LWP \d+", "LWP …", line)))
    line = re.sub(r"^([├└]─)?( ?region)(?: \d+)?  +", lambda found: "…" * bool(found.group(1)) +
                  found.group(2) + " {#}  ", line)
    line = re.sub(r"^([* ]) \d+( +)((?:\d+/\d+(?: · )?)+)", lambda found: "%s {t%s?}%s%s" % (
        found.group(1), "".join(re.findall(r"(\d+)/", found.group(3))), *found.groups()[1:]), line)
    line = re.sub(r"(held by |thread )\d+ \((\d+)/", r"\1{t\2?} (\2/", line)
    return re.sub(r"(%s:)(\d+)" % re.escape(os.path.basename(t.source)), of_mark, line)


def tags_of(modes, every):
    """The shortest words in brackets that tell MODES from the rest of EVERY; where none do those of
    each."""
    words = [sign + word for word in MODES for sign in ("", "!")]
    for chosen in itertools.chain.from_iterable(itertools.combinations(words, n) for n in range(4)):
        if {one for one in every if holds(" ".join(chosen), one)} == modes:
            return ["[%s] " % " ".join(chosen) if chosen else ""]
    return ["[%s] " % " ".join(word for word in MODES if word in mode) for mode in modes]


def less_certain(screens):
    """The same {mode: lines} with "≈" where a program that is recorded has the same without "~"."""
    def words(line):
        return re.sub(" {2,}", "  ", line).split(" ")

    sure = {line for mode, lines in screens.items() if "hooks" in mode for line in lines}
    sure = {line.replace("~", ""): line for line in map(" ".join, map(words, sure))}
    found, known = {}, {}
    for mode, lines in sorted(screens.items(), key=lambda one: "hooks" in one[0]):
        found[mode] = []
        for line in lines:
            key = " ".join(words(line)).replace("~", "")
            other = words(sure.get(key, ""))
            if "stock" in mode and len(other) == len(words(line)) and " ".join(other) != " ".join(words(line)):
                for word in {one for one, two in zip(words(line), other) if one != two}:
                    line = line.replace(word, word.replace("~", "≈"))
                known[key] = line
            found[mode].append(known.get(key, line))
    return found


def merged(screens, in_order):
    """Lines, with tags, of {mode: lines}."""
    found = []  # [(line, its modes)]
    if not in_order:
        modes = {}
        for mode, line in ((mode, line) for mode, lines in screens.items() for line in lines):
            modes.setdefault(re.sub(" {2,}", "  ", line), (line, set()))[1].add(mode)
        found, screens = list(modes.values()), dict.fromkeys(screens, ())
    for mode, lines in screens.items() if in_order else ():
        old, new = ([re.sub(" {2,}", "  ", line) for line in one]
                    for one in ([line for line, _ in found], lines))
        made = []
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            made += [(line, modes | {mode} if kind == "equal" else modes) for line, modes in found[a:b]]
            made += [(line, {mode}) for line in lines[c:d] if kind != "equal"]
        found = made
    return [tag + line for line, modes in found for tag in tags_of(modes, set(screens))]


def rewrite(t, rows):
    """What has failed becomes what was printed, and stays as it is for the other compiler."""
    marks = harness.marks(t.source)
    for row in (row for row in rows if any(one is not None for one in row.failed.values())):
        screens = {}
        for mode, printed in row.failed.items():
            mode = frozenset(mode)
            screens[mode] = row.screen(mode) if printed is None else [
                templated(line, t, marks) for line in printed]
            other = mode - {COMPILER} | ({"gcc", "clang"} - {COMPILER})
            if row.lines and holds(row.tag, other):
                screens[other] = row.screen(other)
        row.lines = merged(less_certain(screens), not row.typed[6:].startswith(TABLES))


def inside(t, path):
    rows = read(path)
    for head, below in parts(rows, "=== ")[1:]:
        source, *flags = head.typed[4:].split("|")[0].split()
        if not holds(head.tag, {COMPILER}) or \
                t.use(os.path.join(os.path.dirname(path), source), " ".join(flags)) is None:
            continue
        t.program = harness.gdb.current_progspace().filename
        modes = head.typed.split("|")[2].split()
        for kind, place in itertools.product(("stock", "hooks"), modes):
            if kind in modes and place.startswith(("live", "attached")):
                Look(t, head, parts(below, "--- "), kind, place).run()
        if os.environ.get("OMPD_WRITE"):
            rewrite(t, below)
    if os.environ.get("OMPD_WRITE"):
        with open(path, "w", encoding="utf-8") as stream:
            for row in rows:
                stream.writelines(line + "\n" for line in (row.text, *row.lines))
    t.done()


if harness.gdb is None:
    os.environ["OMPD_ROWS"] = os.path.abspath(sys.argv[-1])
    if "--write" in sys.argv:
        os.environ["OMPD_WRITE"] = "1"
inside(harness.begin(__file__, timeout=800), os.environ["OMPD_ROWS"])
