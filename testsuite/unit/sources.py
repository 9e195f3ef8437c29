# SPDX-License-Identifier: MIT
"""Which constructs the lines of a source lie in, from tables of sources that are hard to
read, and from what is no source at all. Needs no gdb."""

import os
import random
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from openmp_inspect.core import caches  # noqa: E402  pylint: disable=C0413
from openmp_inspect.source import clauses, directives, extents, source_file  # noqa: E402  pylint: disable=C0413
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
import sourcecases as c_cases  # noqa: E402  pylint: disable=wrong-import-position
import sourcecases_fortran as fortran_cases  # noqa: E402  pylint: disable=wrong-import-position
from sourcecases_spoilt import EMPTY  # noqa: E402  pylint: disable=wrong-import-position

CASES = c_cases.CASES + fortran_cases.CASES
BODIES = c_cases.BODIES + fortran_cases.BODIES

tap = Tap()
ok = tap.ok
scratch = tempfile.mkdtemp(prefix="ompd-sources-")


def write(name, text):
    path = os.path.join(scratch, name)
    with open(path, "wb") as stream:
        stream.write(text if isinstance(text, bytes) else text.encode())
    return path


def told(path, line, **given):
    return ", ".join(extent.words for extent in extents.around(path, line, **given))


def columns(table):
    """(expected, source) of each line of a table."""
    rows = [row.partition("|") for row in table.strip("\n").split("\n")]
    return [(wanted.strip(), source) for wanted, _, source in rows]


for name, suffix, options, table in CASES:
    rows = columns(table)
    path = write("case" + suffix, "\n".join(source for _, source in rows) + "\n")
    caches.forget_code()
    found = [told(path, line, first=1, options=options) for line in range(1, len(rows) + 1)]
    ok(found == [wanted for wanted, _ in rows], "%s: %s" % (suffix, name),
       "\n".join("%s %-24s| %s" % (" " if found[at] == wanted else "*", found[at], source)
                 for at, (wanted, source) in enumerate(rows)))
    dos = write("dos" + suffix, "\r\n".join(source for _, source in rows) + "\r\n")
    ok([told(dos, line, first=1, options=options) for line in range(1, len(rows) + 1)] == found,
       "%s: %s, with the line ends of DOS" % (suffix, name))

for name, suffix, source, asked in BODIES:
    path = write("body" + suffix, source.lstrip("\n"))
    caches.forget_code()
    for line, given, wanted in asked:
        found = told(path, line, **given)
        ok(found == wanted, "%s: %s, line %d, %s" % (suffix, name, line, given), found, wanted)

slowest = 0
for name, suffix, source in EMPTY:
    path = write("empty" + suffix, source)
    caches.forget_code()
    lines = source.count("\n" if isinstance(source, str) else b"\n") + 1
    began = time.process_time()
    found = {told(path, line, first=1) for line in range(1, min(lines, 200) + 1)}
    took = time.process_time() - began
    ok(found == {""}, "%s: %s: no answer" % (suffix, name), found)
    ok(took < 5, "%s: %s: soon" % (suffix, name), took)
    slowest = max(slowest, took)

print("# the slowest: %.0f ms" % (slowest * 1e3))

# Cut anywhere and changed at random: never a label that the whole does not have there, but
# for what a change has made so; never an exception.
random.seed(7)
for name, suffix, options, table in CASES:
    rows = columns(table)
    text = "\n".join(source for _, source in rows) + "\n"
    path = write("cut" + suffix, text)
    caches.forget_code()
    whole = [told(path, line, first=1, options=options) for line in range(1, len(rows) + 1)]
    wrong = []
    for at in range(0, len(text), max(1, len(text) // 30)):
        caches.forget_code()
        write("cut" + suffix, text[:at])
        for line in range(1, text[:at].count("\n") + 1):
            found = told(path, line, first=1, options=options)
            if not set(filter(None, found.split(", "))) <= set(whole[line - 1].split(", ")):
                wrong.append((at, line, found))
        for _ in range(4):
            place = random.randrange(len(text))
            write("cut" + suffix, text[:place] + random.choice("(){}[];\"'\\#/*\n&!1") +
                  text[place + random.randrange(2):])
            caches.forget_code()
            told(path, random.randint(1, len(rows)), first=1, options=options)
    ok(not wrong, "%s: %s, cut" % (suffix, name), wrong[:5])

# When and how the program was made.
path = write("age.c", "void f() {\n#pragma omp single\n    g();\n}\n")
stamp = int(os.stat(path).st_mtime)
ok(told(path, 3, first=1, built=stamp) == "single", "a source as old as the program")
ok(told(path, 3, first=1, built=stamp - 1) == "", "one that is newer: no answer")
write("age.c", "void f() {\n\n    g();\n}\n")
os.utime(path, (stamp + 2, stamp + 2))
ok(told(path, 3, first=1) == "", "a source that was changed is read again")
os.unlink(path)
ok(told(path, 3, first=1) == "", "a source that is no more")
ok(told(scratch, 1, first=1) == "", "a directory")
os.mkfifo(path)
ok(told(path, 3, first=1) == "", "one that has no end")
ok(directives.above(path, 3, None) == ((), 3), "nor does it hold up who seeks a directive")
ok(clauses.read(path, 3) is None, "or its clauses")
for source, threads in (("parallel num_threads(4)", 4), ("parallel num_threads( strict: 12 )", 12),
                        ("parallel private(x)", 0), ("parallel num_threads(n)", None),
                        ("parallel num_threads(4) if(n > 1)", None),
                        ("parallel if(n > 1) num_threads(4)", None)):
    ok(clauses.parse(["#pragma omp " + source]).threads == threads, source)
path = write("parts.c", "void f(void)\n{\n#pragma omp parallel for collapse(2)\n"
             "    for (i = 0; i < n; i++)\n        for (j = 0; j < n; j++) {\n"
             "            for (k = 0; k < n; k++)\n                g();\n        } /* end */\n"
             "#pragma omp parallel sections\n    {\n#pragma omp section\n        g();\n    }\n}\n")
ok(directives.loops(path, 3) == directives.loops(path, 4) == [4, 5], "loops of a directive")
ok(directives.loops(path, 9) == directives.loops(path, 99) == [], "one without")
ok([line for line in range(16) if directives.is_section(path, line)] == [11], "sections")
ok([line for line in range(16) if directives.is_at(path, line)] == [3, 9, 11], "directives")
ok([line for line in range(16) if directives.is_no_code(path, line)] == [2, 8, 10, 13, 14],
   "lines of brackets")
path = write("parts.c", "#pragma omp parallel for collapse(999999999)\nfor (;;)\n" + "f();\n" * 90)
ok(directives.loops(path, 1) == [2], "more loops than any program has")
ok(source_file.lines("/proc/self/status") == [], "nor is /proc read")

# What may be sent to others has a name of a source file itself.
path = write("feed.c", "int a;\n\f\n#pragma omp barrier\n")
ok(source_file.lines(path)[2] == "#pragma omp barrier", "a form feed ends no line")
write("secret", "key\n")
for name, target in (("secret.c", "secret"), ("feed", "feed.c")):
    os.symlink(target, os.path.join(scratch, name))
for root, name, is_shown in (("", "feed.c", True), ("", "feed", True), ("", "secret", False),
                             ("", "secret.c", False), (scratch, "/feed.c", True), (scratch, "/feed", False),
                             (scratch, "/secret.c", False)):
    source_file.are_below(lambda: root)  # pylint: disable=cell-var-from-loop
    try:
        found = source_file.shown(name if root else os.path.join(scratch, name))[0][2:]
    except OSError:
        found = None
    ok(found == (["#pragma omp barrier", ""] if is_shown else None), "%s below %r" % (name, root), found)
source_file.are_below(lambda: "")
ok(told("/dev/zero", 1, first=1) == "" and told("x\0y.c", 1, first=1) == "", "no file at all")

# Long, but good: it is read once.
loop = "#pragma omp for\nfor (int i = 0; i < n; i++) { g(\"{\", '}'); }\n"
text = "void f(int n) {\n" + loop * 9000
path = write("long.c", text + "}\n")
began = time.process_time()
ok(told(path, 16001, first=1) == "for", "18000 lines")
took = time.process_time() - began
print("# %.0f ms for %d KiB" % (took * 1e3, len(text) / 1024))
ok(took < 10, "are read within seconds", took)
began = time.process_time()
for line in range(2, 1002):
    told(path, line, first=1)
print("# %.2f ms for each further line" % (time.process_time() - began))
ok(time.process_time() - began < 30, "and not again")

# One long line of the same, twice as long in twice the time: nothing of it is read again.
PIECES = {".c": ("# ", "a#", "/**/#", '"/*" ', '\\"', "[[", "'", "(", "{", "if(x)", 'R"x(', "1'",
                 "_Pragma(", "#pragma omp for ", "\\\n", "case 1:"),
          ".f90": (" ", "!", "'", "&\n", "do i=1,2;", "!$omp do ", "(", "x=", ";"),
          ".f": (" ", "!", "'", "do i=1,2;", "(", "x=")}
LONG = 120000
for suffix, pieces in PIECES.items():
    slow = []
    for lead in ("", "#if A /*" if suffix == ".f90" else "#define A ", "x = "):
        for piece in pieces + ("/* ",):
            text = lead + piece * (LONG // len(piece)) + "\n"
            path = write("wide" + suffix, "#pragma omp single\n!$omp single\n" + text)
            caches.forget_code()
            began = time.process_time()
            for line in (1, 3, 4):
                told(path, line, first=1)
                directives.above(path, line, None)
                clauses.read(path, line)
            took = time.process_time() - began
            if took > 5:
                slow.append((lead, piece, took))
    ok(not slow, "%s: long lines" % suffix, *slow)
path = write("first.c", "void f() {\n/* a\n*/ /* b */ # /* c */ pragma omp single\n    g();\n}\n")
ok(told(path, 4, first=1) == "single", "a directive behind comments on its line")

for name in os.listdir(scratch):
    os.unlink(os.path.join(scratch, name))
os.rmdir(scratch)
tap.end()
