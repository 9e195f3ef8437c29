# SPDX-License-Identifier: MIT
"""Programs without symbols, as distributions have them: code is named as its file and offset,
functions by where they begin, and regions by what encountered them."""

import harness

t = harness.begin(__file__, program="stripped.c")
import re  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

ARROW = " \u2192 "
START = {}  # function -> its address in the file
BODY = ".omp_outlined." if harness.CLANG else "opening._omp_fn.0"


def end(name):
    """Where the function that follows begins."""
    return min(address for address in START.values() if address > START[name])


def offsets(text, file):
    """Offsets in FILE that a text names."""
    return [int(offset, 16) for offset in
            re.findall(r"(?<![\w/])%s\+0x([0-9a-f]+)" % re.escape(file), text)]


def check(kind, file, has_dynamic):
    body = START[BODY]
    opening = "opening" if has_dynamic else "%s+%#x" % (file, START["opening"])
    rows = {r["OMP"]: r for r in t.threads()}
    for number in ("1/4", "2/4"):
        (at,) = offsets(rows[number]["Where"], file)
        t.ok(START["hold"] <= at < end("hold"), "%s: where thread %s is" % (kind, number),
             rows[number])
    t.ok(rows["1/4"]["Where"] != rows["2/4"]["Where"], kind + ": at different calls")

    stacks = t.noted("ompd stacks")
    lines = stacks.splitlines()
    hold = [line for line in lines if "%s+%#x" % (file, START["hold"]) in line]
    t.ok(len(hold) == 1 and re.search(r"[\u251c\u2514]\u2500 2  ", hold[0]),
         kind + ": threads in one function are merged", stacks)
    t.ok("#pragma omp parallel%s%s+%#x" % (ARROW, file, body) in stacks.replace("\u2502", " "),
         kind + ": the body by where it begins", stacks)
    t.ok(ARROW + opening in lines[1], kind + ": and what encountered the region", stacks)
    apart = t.run("ompd stacks -lines")
    t.ok(not any("%s+%#x" % (file, START["hold"]) in line for line in apart.splitlines()),
         kind + ": -lines keeps the calls apart", apart)

    for command in ("ompd bt", "bt"):
        printed = t.run(command)
        t.ok("??" not in printed, kind + ": %s names all" % command,
             printed)
        inside = [at for at in offsets(printed, file) if body <= at < end(BODY)]
        t.equal(len(inside), 1, kind + ": %s names the body's frame" % command)
        t.ok("__libc_start" not in printed, kind + ": %s ends with main()" % command, printed)
    region = t.run("ompd parallel")
    if harness.CLANG:  # its runtime has the body's address
        t.equal(offsets(region, file), [body], kind + ": the region")
    elif has_dynamic:
        t.like(region, r"^region +~opening \(\) +4 threads: 1-4 ", kind + ": the region")
    else:
        (at,) = offsets(region, file)
        t.ok(START["opening"] <= at < end("opening"), kind + ": the region", region)


# Of the same layout, without the table of symbols.
for name, flags, has_dynamic in (("stripped-all", "-s", False),
                                 ("stripped-dynamic", "-s -rdynamic", True),
                                 ("stripped-fixed", "-s -no-pie", False)):
    whole = t.build("stripped.c", name + "-whole", "-O1 -g0 " + flags.replace("-s", ""))
    symbols = subprocess.run(["nm", whole], check=True, capture_output=True, text=True).stdout
    START.clear()
    START.update((symbol, int(address, 16)) for address, symbol in
                 re.findall(r"^([0-9a-f]+) [tT] (\S+)$", symbols, re.M))
    gdb.execute("file " + t.build("stripped.c", name, "-O1 -g0 " + flags))
    t.run("run")
    for where in t.live_and_core():
        check(name + where, name, has_dynamic)

# Without debug information, and with a function that is called as one of libc.
gdb.execute("file " + t.build("stripped.c", "stripped-poll", "-O1 -g0 -Dhold=poll"))
t.run("run")
for row in t.threads():
    if row["OMP"] in ("1/4", "2/4"):
        t.equal(row["Where"], "poll ()", "the program's poll(): where thread %s is" % row["OMP"])
t.run("kill")
t.done()
