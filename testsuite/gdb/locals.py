# SPDX-License-Identifier: MIT
""""ompd locals": variables of a body and around it, by class, in C, C++ and Fortran."""

import harness

t = harness.begin(__file__, program="scopes.c")
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.source import clauses  # noqa: E402
from openmp_inspect.model.objects import Region  # noqa: E402

NO_BODY = 'The selected frame is in no body of an OpenMP construct: "info locals" lists its ' \
          "variables."


def listed():
    """[(title, {variable: (class, value)})] of what is printed."""
    result = []
    for line in t.run("ompd locals").splitlines():
        row = re.match(r"  (\S+) +(\w+) = (.*)$", line)
        if row:
            result[-1][1][row.group(2)] = row.group(1), row.group(3)
        else:
            result.append((line, {}))
    return result


def classes(rows, *names):
    return {name: rows.get(name, ("-", "-")) for name in names} if names else rows


def same(kind, wanted):
    """The classes and values of the body, those around it, and the title of these."""
    selected = gdb.selected_thread().num, gdb.selected_frame()
    found = listed()
    for number, (title, rows) in enumerate(wanted):
        if number >= len(found):
            t.ok(False, "%s: %s" % (kind, title), found)
            break
        t.like(found[number][0], title, "%s: title %d" % (kind, number + 1))
        t.equal(found[number][1], rows, "%s: variables %d" % (kind, number + 1))
    t.equal(len(found), len(wanted), kind + ": and no more")
    t.equal((gdb.selected_thread().num, gdb.selected_frame()), selected,
            kind + ": what was selected stays selected")


def of_c(inside, source):
    """SOURCE: whether the program's source can be read."""
    rows = {
        "inner": ("local", "2"), "sized": ("shared", "{20, 21, 22}"),
        "numbers": ("shared", "{29.5, 30.5, 31.5, 32.5}"),
        "pair": ("shared", "{first = 1, second = 2.5}"), "first": ("firstprivate", "4"),
        "mine": ("private", "4"), "sum": ("reduction", "2"), "common": ("shared", "5"),
        "last": ("shared", "4")}
    if not source:
        for name in ("first", "sum"):
            rows[name] = "private", rows[name][1]
    around = {
        "first": ("encloser's", "2"), "mine": ("encloser's", "3"),
        "sum": ("encloser's", "100"), "not_named": ("encloser's", "9"),
        "length": ("encloser's", "3"), "lasting": ("encloser's", "8")}
    master = next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "0/4")
    return [(r"^main \(\) at %s:$" % t.mark("inside"), rows),
            (r"^around it main \(\) at scopes\.c:\d+, in thread %s:$" % master, around)]


def full(kind):
    """gdb's own "bt -full" shows the body's variables, and nothing in the place of others."""
    t.equal(sorted(re.findall(r"^ {8}(\w+) = ", t.run("bt -full 1"), re.M)),
            sorted(re.findall(r"^(\w+) = ", t.run("info locals"), re.M)),
            kind + ": bt -full has what info locals has")


def in_c(kind, source=True):
    full(kind)
    found = listed()
    argc = found[1][1].pop("argc", None) if len(found) > 1 else None
    argv = found[1][1].pop("argv", None) if len(found) > 1 else None
    t.equal((argc, argv[0] if argv else None), (("encloser's", "1"), "encloser's"),
            kind + ": arguments of the function around")
    wanted = of_c("inside", source)
    for number, (title, rows) in enumerate(wanted):
        t.like(found[number][0], title, "%s: title %d" % (kind, number + 1))
        t.equal(found[number][1], rows, "%s: variables %d" % (kind, number + 1))
    t.equal(len(found), 2, kind + ": and no more")


for recorded, kind in t.both_ways():
    t.stop_at("inside")
    in_c(kind)
    me = gdb.selected_thread().ptid[1]
    core = os.path.join(t.scratch, kind)
    t.run("gcore " + core)
    t.run("ompd thread 0")
    t.run("down 1")
    t.like(t.run("ompd locals"), r"(?m)^main \(\) at scopes\.c:\d+:\n  local +inner = 0$",
           kind + ": of the body that called the selected frame's function")

    t.stop_at("in_task", "continue")
    creator = next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "1/2")
    around = (r"^around it tasks \(\) at scopes\.c:\d+, in thread %s:$" % creator,
              {"argument": ("encloser's", "31"), "by_value": ("encloser's", "32"),
               "not_named": ("encloser's", "5")})
    if harness.CLANG:  # it describes no variable that task and creator share
        around = (r"^tasks \(\) around it is not shown: whether the call of tasks \(\) that "
                  r"created the task has returned is not known\.$", {})
    same(kind + " task", [
        (r"^tasks \(\) at %s:$" % t.mark("in_task"),
         {"deep": ("local", "64"), "by_value": ("captured", "32")} if harness.CLANG else
         {"deep": ("local", "64"), "by_value": ("firstprivate", "32"),
          "result": ("shared", "0")}), around])
    if recorded and not harness.CLANG:
        whole = Region.implicit_tasks
        Region.implicit_tasks = property(lambda region: whole.__get__(region)[-1:])
        t.like(t.run("ompd locals"), around[0], "hooked task: before the master is in its own")
        Region.implicit_tasks = whole
    t.stop_at("after", "continue")
    t.equal(t.error("ompd locals"), NO_BODY, kind + ": outside any region")
    t.run("kill")
    t.run("core-file " + core)
    t.run("thread %d" % next(th.num for th in gdb.selected_inferior().threads()
                             if th.ptid[1] == me))
    in_c(kind + " core")
    if not recorded:
        # Without its source.
        clauses.read, read = lambda path, line: None, clauses.read
        in_c("no source", False)
        clauses.read = read
    t.run("core-file")

t.use("scopes.c", "-O2")
t.stop_at("inside")
found = listed()
t.note(found)
named = {"first": ("firstprivate", "4"), "mine": ("private", "4"), "sum": ("reduction", "2"),
         "common": ("shared", "5"), "inner": ("local", "2")}
if harness.CLANG:  # its debug information has lost the others
    del named["sum"], named["common"]
t.equal(classes(found[0][1], *named), named, "optimised: the body")
t.equal(classes(found[1][1], "not_named", "sum"),
        {"not_named": ("encloser's", "9"), "sum": ("encloser's", "100")},
        "optimised: around it")
t.run("kill")

if harness.CLANG:  # what is left of the description of a copy is the reference to the original
    t.use(t.written("sums.c", """int main(void)
{
    int sum = 2;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
        sum += i;
        if (i == 3)
            __builtin_trap();
    }
    return sum;
}
"""), "-O2")
    t.run("run")
    t.equal(listed()[0][1]["sum"], ("reduction", "<optimized out>"),
            "optimised: a copy of which nothing is known")
    t.like(t.run("ompd print sum"), r": +\(optimized out\)$", "and no value of another variable")
    t.like(t.error('print $_omp_var("sum")'), r"optimized out", "nor for $_omp_var()")
    t.run("kill")

# clang hands to a body the primary thread's copy, and the bound of an array as `vla`.
t.use(t.written("copies.c", """#include <omp.h>
static int own = 7;
#pragma omp threadprivate(own)
int main(int argc, char **argv)
{
    double vla[argc + 1];
    vla[0] = vla[1] = 1.5;
    own = argv[0] ? 70 : 7;
#pragma omp parallel num_threads(2) copyin(own)
    {
        own += omp_get_thread_num();
#pragma omp critical
        vla[0] += 1;
#pragma omp barrier
        vla[1] += own; /* mark: here */
#pragma omp barrier
    }
    return 0;
}
"""))
t.stop_at("here")
t.equal(t.run("ompd print own").split(), "thread 0: 70 thread 1: 71".split(), "copyin: each thread's")
t.like(t.run("ompd print vla[0]"), r"^threads? 0.*:  3\.5$", "an array called vla")
rows = listed()[0][1]
t.equal(rows["vla"][0], "shared", "an array called vla: its class")
t.equal(rows.get("own"), ("threadprivate", "%d" % (70 + int(t.run("p $_omp_thread_num()").split()[-1])))
        if harness.CLANG else None, "copyin: its class")
t.run("kill")

# A region in a task, of which the thread that has encountered it has ended its part.
t.use(t.written("inner.c", """#include <omp.h>
#include "../common/rest.h"
static int count;
int main(void)
{
    int out = 42;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int middle = 7;
#pragma omp task
        {
            int inside = 9;
            count++;
#pragma omp parallel num_threads(2)
            if (omp_get_thread_num() == 1) {
                until_others_rest();
                count++; /* mark: here */
            }
            count += inside;
        }
#pragma omp taskwait
        count += middle;
    }
    return out == 0;
}
"""))
t.stop_at("here")
found = listed()
t.equal([rows for _, rows in found[1:]], [
    {name: ("encloser's", value)} for name, value in (("inside", "9"), ("middle", "7"), ("out", "42"))],
        "a region in a task: around it")
t.equal([re.search(r":(\d+), in ", title).group(1) for title, _ in found[1:]], ["16", "23", "8"],
        "a region in a task: the lines of the constructs, as bt has them")
for name, value in ("inside", "9"), ("middle", "7"), ("out", "42"):
    t.like(t.run("ompd print " + name), r"^thread 1: +%s$" % value, "a region in a task: " + name)
t.run("kill")

t.use("scopes.cc")
t.stop_at("member")
found = listed()
t.note(found)
t.equal({n: r[0] for n, r in found[0][1].items()},
        {"number": "local", "this": "shared", "local": "shared", "alias": "shared",
         "factor": "firstprivate"}, "C++ member function: classes")
t.like(found[0][1]["alias"][1], "^@0x[0-9a-f]+: 14$", "C++: a reference with what it refers to")
t.equal(found[1][1], {"factor": ("encloser's", "7"), "unused": ("encloser's", "6")},
        "C++ member function: around it")
t.stop_at("lambda", "continue")
found = listed()
t.equal({n: r[0] for n, r in found[0][1].items()},
        {"number": "local", "argument": "shared", "referred": "shared", "copied": "shared"},
        "C++ lambda: classes")
t.stop_at("caught", "continue")
found = listed()
t.equal((found[0][1]["part"], found[1][1]), (("shared", "2.5"), {"whole": ("encloser's", "5")}),
        "C++ template: in a handler")
t.stop_at("blind", "continue")
t.equal(listed()[1][1].get("this", "-")[0], "encloser's",
        "C++: the object that the body does not name")
t.run("kill")

if t.use("scopes.f90"):
    t.stop_at("inside")
    found = listed()
    t.note(found)
    t.equal({n: r for n, r in found[0][1].items() if n != "n"},
            {"grid": ("shared", "(15.5, 16.5, 17.5, 1)"), "taken": ("shared", "(2.5, 2.5, 2.5)"),
             "word": ("shared", "'hello'"), "total": ("reduction", "1"),
             "start": ("firstprivate", "5"), "me": ("private", "1")}, "Fortran: the body")
    t.like(found[0][1]["n"][1], ": 4$", "Fortran: an argument")
    t.equal(classes(found[1][1], "flow", "unused", "start", "total"),
            {"flow": ("encloser's", "(1, 2, 3, 4)"), "unused": ("encloser's", "6"),
             "start": ("encloser's", "4"), "total": ("encloser's", "0")},
            "Fortran: around it")
    t.run("kill")

# What stands in a directive.
for source, name, own, wanted in (
        ("#pragma omp parallel private(a, b) shared(c)", "b", True, "private"),
        ("# pragma omp parallel for lastprivate(conditional: x)\nfor (i = 0;;)", "x", True,
         "lastprivate"),
        ("#pragma omp parallel reduction(+ : a[0:n], b)", "a", False, "reduction"),
        ("#pragma omp parallel reduction(max: a) if (f(b)) \\\n  private(c)", "c", True,
         "private"),
        ("#pragma omp parallel if (f(b))", "b", True, "shared"),
        ("#pragma omp parallel for linear(a: 2) collapse(2)\nfor (int i = 0;;)\n  for (j = 0;;)",
         "j", True, "private"),
        ("#pragma omp parallel for linear(a: 2)\nfor (i = 0;;)\n  for (j = 0;;)", "a", True,
         "linear"),
        ("#pragma omp parallel for\nfor (i = 0;;)\n  for (j = 0;;)", "j", True, "shared"),
        ("#pragma omp parallel default(firstprivate)", "z", True, "firstprivate"),
        ("#pragma omp task /* private(a) */ // private(b)", "a", True, "firstprivate"),
        ("!$OMP PARALLEL DO PRIVATE(A) &\n!$omp& FIRSTPRIVATE(B)\nDO 10 I = 1, N", "b", True,
         "firstprivate"),
        ("!$omp parallel do &\n!$omp private(c) ! why\ndo i = 1, n", "I", True, "private"),
        ("!$omp parallel private(/block/)", "block", True, "private"),
        ("#pragma omp parallel private(", "a", True, "shared"),
        ("#pragma omp parallel \\", "a", True, "shared")):
    directive = clauses.parse(source.splitlines())
    t.equal(directive.class_of(name, own), wanted, "%s in %s" % (name, source.split("\n")[0]))
t.equal([clauses.parse(lines) for lines in ([], [""], ["int x;"], ["! $omp"])], [None] * 4,
        "what is no directive")

t.equal(t.error("ompd locals x"), '"ompd locals" takes no argument.', "with an argument")
t.like(t.run("help ompd locals"), r"^Usage: ompd locals$", "there is help")
t.done()
