# SPDX-License-Identifier: MIT
"""LLVM's runtime and library: what can be said of a program of clang, and that a library
of another vendor is spoken to."""

import glob
import os
import re
import subprocess

import harness

t = harness.begin(__file__, program="many.c")
import gdb  # noqa: E402

from openmp_inspect.core import errors  # noqa: E402
from openmp_inspect.bindings import library  # noqa: E402
from openmp_inspect.code import outlined, symbol_names as names_of  # noqa: E402
from gdb_openmp.host import process  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

theirs = sorted(glob.glob("/usr/lib/llvm-*/lib/libompd.so"))
if not theirs:
    t.skip("LLVM's OMPD library", "it is not installed")
else:
    t.stop_at("here")
    found = library.load_checked(theirs[-1])
    t.equal((found.dialect.name, found.dialect.extended),
            ("OMPD of OpenMP 5.x (%d)" % found.dialect.version, False),
            "LLVM's library speaks the interface of OpenMP 5.x without our extension")
    t.ok(found.dialect.version_string(), "it says what it is")
    here = address_space.current()
    try:
        found.dialect.open(here, found)
        failure = None
    except errors.OmpdError as error:
        failure = error
        t.note(error)
    t.ok(failure is not None, "it cannot read a program of GCC, and says so")
    t.equal(len(t.threads()), 8, "which ours can")
    t.run("kill")

program = t.by_clang("many.c", "clang")
if program is None:
    t.skip("a program of clang", "clang with OpenMP is not installed")
else:
    gdb.execute("file " + program)
    for switch in ("off", "on"):
        if switch == "on":
            t.run("ompd on")
        gdb.execute("set args 4")
        t.stop_at("here")
        rows = t.threads()
        t.equal(sorted(row["OMP"] for row in rows), ["%d/4" % n for n in range(4)],
                "hooks %s: the threads of a program of clang" % switch)
        t.like(t.run("ompd parallel"), r"^region%s +main \(\) at many\.c:\d+ +4 threads: 1-4 " %
               (" 1" if switch == "on" else ""), "hooks %s: its region" % switch)
        t.like(t.run("ompd icvs"), r"^nthreads-var +\d+ ", "hooks %s: control variables" % switch)
        t.like(t.run("ompd status"), r"^runtime +LLVM libomp \d\d", "hooks %s: the status" % switch)
        t.like(t.run("ompd status"), r"^library +%s/lib/libompd\.so" % t.stage,
               "hooks %s: by our library" % switch)
        if theirs:
            t.run("set ompd library " + theirs[-1])
            said = t.error("ompd parallel") or ""
            t.note(said)
            t.ok(said, "hooks %s: LLVM's is asked when it is named" % switch)
            t.run("set ompd library")
        t.run("kill")

# A runtime that names a library for debuggers is not hidden by the hooks, which name theirs.
VENDOR = os.path.join(t.scratch, "libompd-of-vendor.so")
vendor = t.written("vendor.c", """
        static const char *const locations[] = {"%s", 0};
        const char *const *ompd_dll_locations = LOCATIONS;
        void ompd_dll_locations_valid(void) {}
        void GOMP_parallel(void) {}
        void __kmpc_fork_call(void) {}
        int omp_get_thread_num(void) { return 0; }
        double omp_get_wtime_(void) { return 0; }
        void vendor_stores(void) { ompd_dll_locations = locations; }
        int vendor(void) { return 0; }
    """ % VENDOR)
caller = t.written("user.c", "int vendor(void); void vendor_stores(void);"
                   "int main(void) { vendor_stores(); return vendor(); }")
versions = t.written("map", "VERSION { global: *; };")
compiler = os.environ.get("CC", "gcc").split()
REFUSED = r"^The OMPD library of libomp\.so\.5, %s, lies outside of gdb's auto-load safe-path" % \
    re.escape(VENDOR)
for versioned in (True, False):
    library = os.path.join(t.scratch, "libomp.so.5")
    subprocess.run(compiler + ["-shared", "-fPIC", "-Wl,-soname,libomp.so.5", "-o", library,
                               "-DLOCATIONS=" + ("locations" if versioned else "0"), vendor] +
                   ["-Wl,--version-script=" + versions] * versioned, check=True)
    user = os.path.join(t.scratch, "user")
    subprocess.run(compiler + ["-g", caller, library,
                               "-Wl,-rpath," + t.scratch, "-o", user], check=True)
    gdb.execute("file " + user)
    gdb.execute("set args")
    for switch in ("off", "on"):
        t.error("ompd " + switch)
        gdb.Breakpoint("vendor", temporary=True)
        t.run("run")
        kind = "a runtime with a library, %s symbols, hooks %s" % (
            "versioned" if versioned else "plain", switch)
        t.like(t.error("ompd icvs") or "", REFUSED, kind + ": its library is meant")
        t.run("kill")
t.error("ompd off")

# What clang makes of bodies has no names: the functions around them stand for them.
CALLERS = {1: "relax<int>", 2: "relax<double>", 3: "main::$_0::operator()", 4: "later",
           5: "nested", 6: "inside", 7: "alone"}
LABELS = {1: "template", 2: "template", 3: "lambda", 4: "task", 5: "inner", 6: "undeferred",
          7: "alone"}


# gdb 10 reads no function that has the linker's name only, as a task's has, nor what is inlined
# into it: it is seen where the body is a function of its own.
unread = set()


def bodies(kind):
    """Each stop in a body: the functions of its frames, and the line of the construct."""
    t.stop_at("stop")
    t.run("break " + t.mark("stop"))
    seen = set()
    while gdb.selected_inferior().pid:
        number = int(gdb.parse_and_eval("number"))
        if number not in seen:
            printed = t.noted("bt")
            names = [re.match(r"#\d+ +(.*?) \(", line).group(1)
                     for line in printed.splitlines() if line.startswith("#")]
            t.equal(names[:2], ["stop", CALLERS[number]], "%s: the body of %s" % (
                kind, LABELS[number]))
            if LABELS[number] == "task" and "-O0" in kind and \
                    gdb.selected_frame().older().function() is None:
                unread.update(("task", "undeferred"))
            inlined = "-O2" in kind and LABELS[number] in unread
            if inlined:
                t.skip("%s: the construct is %s" % (kind, LABELS[number]),
                       "this gdb does not see inlined bodies of tasks")
            elif LABELS[number] == "undeferred":
                t.equal(names[2:3], ["inside"], kind + ": in the body of the region around it")
                t.equal(re.findall("#pragma omp (\\w+)", printed), ["task", "parallel"],
                        kind + ": whose constructs are both told")
            t.ok(".omp" not in printed and "__context" not in printed,
                 "%s: nothing of clang's own in %s" % (kind, LABELS[number]), printed)
            if not inlined:
                t.like(printed, r"^ +\S+ #pragma omp \w+(?: \(.*\))? at (.*/)?%s$" %
                       t.mark(LABELS[number]),
                       "%s: and its construct is %s" % (kind, LABELS[number]))
            t.like(t.run("ompd threads"), r"^\* .* stop \(\) at ", kind + ": where it is")
        seen.add(number)
        t.run("continue")
    t.equal(seen, set(CALLERS), kind + ": all of them")
    t.run("delete")


def steps(kind):
    """Into the body, past what clang puts in front of it, and out again."""
    line = lambda: gdb.newest_frame().find_sal().line  # noqa: E731
    region = t.line("template")
    for command in ("ompd finish", "ompd next"):
        t.run("tbreak relax<int>")
        t.run("run")
        t.equal(line(), region, kind + ": at the region")
        t.like(t.run("ompd step"), r"^\[entering #pragma omp parallel at \S*foreign\.cc:%d" %
               region, kind + ": a step into it")
        t.equal(line(), region + 2, kind + ": ends in the first line of its body")
        printed = t.run(command)
        for _ in range(4 * (command == "ompd next")):
            if "leaving" in printed:
                break
            printed = t.run(command)
        t.like(printed, r"^\[leaving #pragma omp parallel at \S*foreign\.cc:%d\]" % region,
               "%s: %s leaves it" % (kind, command))
        t.ok(line() > region + 3 and gdb.newest_frame().name().startswith(("relax<", "main")),
             "%s: for what follows" % kind, t.run("frame"))
        t.run("kill")


t.source = t.source.replace("many.c", "foreign.cc")
for level in ("-O0", "-O2"):
    program = t.by_clang("foreign.cc", "clang", level)
    kind = "clang++ " + level
    if program is None:
        t.skip(kind + ": bodies", "clang++ with OpenMP is not installed")
        continue
    gdb.execute("file " + program)
    t.run("set environment OMP_MAX_ACTIVE_LEVELS 2")
    bodies(kind)
    if level == "-O0":
        steps(kind)
if program is not None:
    # Where the code does not tell which instance a body belongs to, none is named.
    t.stop_at("stop")
    if outlined.around(gdb.newest_frame().older().name()) is not None:
        t.skip("two may be meant: none is named", "this clang says it in the name")
    else:
        takes, outlined._takes = outlined._takes, lambda process, pc, address: False
        printed = t.run("bt")
        outlined._takes = takes
        t.like(printed, r"^#\d+ +<body of #pragma omp parallel> \(",
               "two may be meant: none is named")
    t.run("kill")
    gdb.execute("file " + t.by_clang("foreign.cc", "bare", "-O0", "-g0"))
    t.run("break stop")
    t.run("run")
    t.like(t.run("bt"), r"^#\d+ +(0x\w+ in )?(<body of an OpenMP construct>|relax<int>) \(",
           "without debug information it is the name alone that may tell")
for name, wanted in ((".omp_outlined..3", outlined.NAMELESS), ("main.omp_outlined", "main"),
                     ("main.omp_outlined_debug__.1", "main"), (".omp_task_entry..2",
                                                               outlined.NAMELESS),
                     ("_ZN4Grid5relaxIiEEvT_.omp_outlined.omp_outlined_debug__",
                      "Grid::relax<int>"),
                     ("_Z5relaxIiEvT_.omp_outlined_debug__.2(int &) const",
                      "relax<int>"), ("_QMgridPrelax..omp_par.1", "_QMgridPrelax"),
                     ("omp_outlines", "omp_outlines")):
    t.equal(names_of.programmers(process.current(), name), wanted, "the name " + name)
t.done()
