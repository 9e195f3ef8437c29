# SPDX-License-Identifier: MIT
"""The three commands while every thread of a team waits for something else."""

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

t.run("ompd on")
t.stop_at("all_wait")
before = gdb.selected_thread().num, gdb.selected_frame().name()
gdb.execute("up")
up = gdb.selected_frame()

rows = t.threads()
t.equal(len(rows), 7, "one row for each thread")
t.equal([r["Id"] for r in rows if r["Id"].startswith("*")], ["* 1"],
        "the selected thread is marked")
t.equal(gdb.selected_frame(), up, "the selected frame stays")
t.equal(gdb.selected_thread().num, before[0], "the selected thread stays")

with open(t.source, encoding="utf-8") as stream:
    text = stream.read().splitlines()


def line_of(code):
    return next(number for number, line in enumerate(text, 1) if line.strip() == code)


def held(code):
    """Held by the first thread, which acquired it on the line of this CODE."""
    return "held by 1 (0/6) since waits.c:%d" % line_of(code)


wanted = {
    "0/6": ("work", "-", "hold () at " + t.mark("all_wait")),
    "1/6": ("wait critical", '"update", ' + held("#pragma omp critical(update)"),
            "add_up () at " + t.mark("critical")),
    "2/6": ("wait critical", "unnamed, " + held("#pragma omp critical"),
            "anonymous () at " + t.mark("unnamed")),
    "3/6": ("wait lock", "grid_lock, " + held("omp_set_lock(&grid_lock);"),
            "compute () at " + t.mark("lock")),
    "4/6": ("wait nest lock", "table.nest[1], " + held("omp_set_nest_lock(&table.nest[1]);"),
            "compute () at " + t.mark("nest_lock")),
    "5/6": ("wait barrier", "explicit, 1 of 6 arrived", "compute () at " + t.mark("barrier")),
    "-": ("not OpenMP", "-", "poll_net () at " + t.mark("net")),
}
for row in rows:
    number = row["OMP"]
    t.equal((row["State"], row["Waits for"], row["Where"]), wanted.get(number),
            "the row of %s" % number)
t.equal(sorted(r["OMP"] for r in rows), sorted(wanted), "every thread has its row")
found = {row["number"]: row for row in t.json("threads") if row["path"] is not None}
t.equal(sorted((held["kind"], held["object"], held["function"]) for held in found[0]["holds"]),
        [("critical", '"update"', "compute"), ("critical", "unnamed", "compute"),
         ("nest", "table.nest[1]", "compute"), ("simple", "grid_lock", "compute")],
        "what the thread holds")
t.equal({held["object"]: held["line"] for held in found[0]["holds"]
         if held["kind"] in ("nest", "simple")},
        {"grid_lock": line_of("omp_set_lock(&grid_lock);"),
         "table.nest[1]": line_of("omp_set_nest_lock(&table.nest[1]);")}, "where it acquired them")
body = gdb.newest_frame()
while not body.name().startswith((".omp_outlined", "compute")):
    body = body.older()
# LLVM's runtime does not report in which frame a lock is acquired.
t.equal({held["frame"] for held in found[0]["holds"]},
        {None if harness.CLANG else hex(int(body.read_register("sp")))},
        "in a frame that is still there")
locks = {row["name"]: row for row in t.json("locks")}
first = next(row["id"] for row in found.values() if row["number"] == 0)
t.equal({name: (row["kind"], row["line"] if "lock" in row["kind"] else None, [one["thread"] for one in row["owners"]],
                [found[number]["id"] for number in (1, 2, 3, 4)].index(*row["waiters"]))
         for name, row in locks.items()},
        {'"update"': ("critical", None, [first], 0),
         "unnamed": ("critical", None, [first], 1),
         "grid_lock": ("lock", line_of("omp_set_lock(&grid_lock);"), [first], 2),
         "table.nest[1]": ("nest lock", line_of("omp_set_nest_lock(&table.nest[1]);"), [first], 3)},
        "who holds what since where, and who waits for it")
t.like(t.run("ompd locks"), r'(?m)^grid_lock +lock +1 \(0/6\) +.* at waits.c:\d+ +\d$', "as a table")
t.ok(not any(row["holds"] for number, row in found.items() if number), "nobody else holds any")
gdb.execute("set width 80")
narrow = t.shown("ompd threads")
t.note(narrow)
t.ok(all(len(line) <= 80 for line in narrow.splitlines()), "eighty columns are enough", narrow)
t.equal({r["OMP"]: r["Waits for"] for r in harness.table(narrow)}["1/6"],
        '"update", held by 1', "where owners have one number")
gdb.execute("set width 0")
t.ok("\033" not in t.run("ompd threads"), "no escape sequences where gdb has no terminal")

printed = t.noted("ompd parallel")
t.like(printed, r"^region \d+ +compute \(\) at %s +6 threads: 1 3-7 +encountered by thread 1$" %
       t.mark("region"), "the region, its function and line, its team and its master")
t.equal(len(printed.splitlines()), 1, "one region")

printed = t.noted("ompd status")
t.like(printed, r"^runtime +LLVM libomp \d\d( to \d\d)?, .*/libomp\.so\.5" if harness.CLANG else
       r"^runtime +GCC libgomp \d\d( to \d\d)?, .*/libgomp\.so\.1", "the runtime")
t.like(printed, r"^hooks +%s$" % t.hooks, "the hooks")
t.like(printed, r"^library +%s/lib/libompd\.so" % t.stage, "the library")
t.like(printed, r"^ABI +OMPD of OpenMP 5\.x \(202411\), extended", "the ABI")
t.like(printed, r"^tracking +on$", "tracking")

gdb.execute("set scheduler-locking off")
t.stop_at("ended", "continue")
states = [r["State"] for r in t.threads()]
t.equal(states.count("work"), 1, "after the region the master works")
t.equal(states.count("idle"), 5, "and its workers are idle")
t.equal(t.run("ompd parallel").strip(), "No thread is in a parallel region.",
        "there is no region any more")
t.ends("the program ends as it should")
t.done()
