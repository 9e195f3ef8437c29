# SPDX-License-Identifier: MIT
"""The stops: programs of ../host and ../gdb with the arguments and marks at which their tests
stop them, and those that come to rest by themselves."""

from collections import namedtuple

Case = namedtuple("Case", "source arguments mark chance flags short defect more "
                  "clang settings")
CASES = []


def stops(source, marks="", arguments="", chance="", flags="-O0", short="", defect=None,
          more=None, clang=False, settings=()):
    """A case for each of MARKS, or one without. CHANCE: at which of them it is chance which
    thread does what, "all": at each. SHORT: which are in `make check`, too, "all": each.
    DEFECT: what is known to be wrong, which makes the case an expected failure. MORE: what
    only records know here, of compare.MORE. CLANG: compiled by it. SETTINGS: of the environment;
    threads that wait actively spin."""
    for mark in marks.split() or [""]:
        CASES.append(Case(source, tuple(arguments.split()), mark,
                          chance == "all" or mark in chance.split(), flags,
                          short == "all" or mark in short.split(), defect, more,
                          clang, dict(settings)))


for construct in ("work critical unnamed lock nest_lock atomic barrier end ordered taskwait "
                  "taskgroup nested serial icvs icvs_final depend").split():
    stops("host/park.c", arguments=construct, flags="-O1",
          short="all" if construct in ("atomic", "ordered", "icvs_final", "depend") else "")
for situation in "two locks dependences".split():
    stops("host/gomp-still.c", arguments=situation, flags="-O1", chance="all",
          short="all" if situation in ("locks", "dependences") else "")

stops("gdb/waits.c", "all_wait ended", short="all_wait")
stops("gdb/nested.c", "call deep idle", short="deep idle")
stops("gdb/tasks.c", "child_runs in_ordered late in_loop", chance="child_runs", short="child_runs")
stops("gdb/depends.c", "here", chance="all", short="here")
stops("gdb/teams.c", "first all_here after")
stops("gdb/teams.c", "all_here", "one", short="all")
stops("gdb/created.c", "leaf served", chance="all")
stops("gdb/many.c", "here barrier end", "8")
stops("gdb/stuck.c", chance="all")
stops("gdb/stuck.c", "inside", chance="all")
for scene in "levels loop doacross cancel child".split():
    stops("gdb/causes.c", scene, scene, chance="all" if scene == "loop" else "",
          short="all" if scene in ("doacross", "child") else "")
stops("gdb/forks.c", "in_child in_parent")
stops("gdb/moments.c", "in_child exit")
for level in "-O0", "-O2":
    for how in "critical", "crossed":
        stops("gdb/hung.c", "", how, flags=level, short="all" if (how, level) == ("critical", "-O2") else "")
    for how in "stays", "stays_within", "stays_in_task":
        stops("gdb/hung.c", "", how, flags=level, chance="all" if "task" in how else "",
              more="left frame" if (how, level) == ("stays_in_task", "-O2") else None)
stops("gdb/witnesses.c", "", "barriers", short="all")
stops("gdb/witnesses.c", "", "target", short="all", more="target")
stops("gdb/witnesses.c", "first", chance="all")
stops("gdb/backtrace.c", "nested leaf last loop held in_league team in_taskloop handler serial",
      chance="all", short="leaf in_league")
stops("gdb/backtrace.f90", "in_loop in_task", chance="all", short="in_task")
stops("gdb/loops.c", "callee before static after dynamic between in_section in_single in_ordered "
      "in_update in_task in_other in_taskgroup in_master in_both", chance="all",
      short="in_section in_both")
stops("gdb/loops.c", "callee in_update", chance="all", flags="-O2")
stops("gdb/loops.cc", "relaxed in_member outer elsewhere in_inner lambda caught", chance="all")
stops("gdb/loops.f90", "before in_do after in_section in_labelled between in_critical in_main_do "
      "in_single in_combined", chance="all")
stops("gdb/scopes.c", "inside after orphan", chance="all")  # not in_task, likewise
stops("gdb/scopes.cc", "member lambda caught blind", chance="all")
stops("gdb/scopes.f90", "inside", chance="all")
stops("gdb/names.cc", "held lambda_body", chance="all", short="lambda_body")
stops("gdb/foreign.cc", "stop", chance="all")
stops("gdb/hung.c", "", "again", chance="all")
stops("gdb/hung.c", "", "again", clang=True, settings={"KMP_BLOCKTIME": "0"}, chance="all", short="all")
stops("gdb/hung.c", "", "leagues", clang=True, settings={"KMP_TEAMS_THREAD_LIMIT": "8"}, short="all")
stops("why/barriers.c", "", "mismatch_of_two", settings={"OMP_WAIT_POLICY": "active"}, short="all")
