# SPDX-License-Identifier: MIT
#
# Others who are in the process, or under it: sanitizers, valgrind, preloaded libraries.

import shutil
import tempfile

from table import case, module, program

# Reports hold addresses: what counts is that there is one. They go to files with this name and the
# process's id, which go when the tests end. TSan does not know how libgomp synchronises, so it
# reports no races here.
_REPORTS = tempfile.TemporaryDirectory(prefix="ompd-reports-")
_PATH = "log_path=%s/of" % _REPORTS.name
QUIET = {"ASAN_OPTIONS": _PATH, "LSAN_OPTIONS": _PATH,
         "UBSAN_OPTIONS": _PATH + ":halt_on_error=1",
         "TSAN_OPTIONS": "report_bugs=0:ignore_noninstrumented_modules=1:" + _PATH}
# By hand, the address sanitizer of gcc refuses to come second.
RUNNERS = ("recording", "tool")
# What each finds, and the exit status then.
FAULTS = {"address": (("overflow", 1), ("free", 1), ("leak", 1)), "leak": (("leak", 23),),
          "undefined": (("shift", 1),), "thread": ()}

for sanitizer, faults in FAULTS.items():
    flag = "-fsanitize=" + sanitizer
    modes = RUNNERS if sanitizer == "address" else ("off",) + RUNNERS
    region = program("processes/region.c", flag, name="region-" + sanitizer)
    case("gcc, %s sanitizer" % sanitizer, region, "3", env=QUIET, modes=modes)
    case("gcc, %s sanitizer, by a script" % sanitizer, "sh", "-c", '"$0" 3 && "$0"', region,
         env=QUIET, modes=modes)
    faulty = program("others/faulty.c", flag, "-w", name="faulty-" + sanitizer)
    for fault, status in faults:
        case("gcc, %s sanitizer, %s" % (sanitizer, fault), faulty, fault, env=QUIET,
             status=status, modes=modes)
for sanitizer, library in (("address", "asan"), ("undefined", "ubsan"), ("thread", "tsan")):
    static = program("processes/region.c", "-fsanitize=" + sanitizer, "-static-lib" + library,
                     name="region-static-" + sanitizer)
    case("gcc, %s sanitizer inside" % sanitizer, static, "3", env=QUIET)

# clang's programs come with libomp; a plugin of gcc in them with libgomp.
CLANG = shutil.which("clang")
PLUGIN = module("threads/late.c")
if CLANG:
    for sanitizer in FAULTS:
        flag = "-fsanitize=" + sanitizer
        case("clang, %s sanitizer" % sanitizer,
             program("processes/region.c", flag, name="region-clang-" + sanitizer,
                     compiler=CLANG), "3", env=QUIET)
        case("clang, %s sanitizer, a plugin of gcc" % sanitizer,
             program("threads/unloads.c", flag, name="unloads-clang-" + sanitizer,
                     compiler=CLANG, openmp=False), "./late.so", "2", env=QUIET,
             needs=(PLUGIN,))
    # Recorded by what LLVM's runtime reports, or with a tool of its own. It crashes itself where
    # a tool asks for releases and its thread 0 has ended, as in churn.c.
    for name in ("cancel", "churn", "critical", "nesting", "ordered", "sections", "taskgroup",
                 "tasks_clauses"):
        case("clang, " + name,
             program("../programs/%s.c" % name, "-w", name=name + "-clang", compiler=CLANG),
             modes=("off", "recording") if name == "churn" else ("off",) + RUNNERS)
    # Archer, which tells of itself, only if the runtime finds it, too.
    case("clang, as with tcmalloc",
         program("processes/region.c", "{bin}/annotates.so", "-Wl,--no-as-needed,-rpath,{bin}",
                 name="region-clang-annotated", compiler=CLANG,
                 needs=(module("others/annotates.c", openmp=False),)), "3")
    case("clang, children: among-new",
         program("processes/children.c", name="children-clang", compiler=CLANG), "among-new",
         modes=("off", "recording"))


def no_valgrind():
    return None if shutil.which("valgrind") else "no valgrind"


VALGRIND = ("valgrind", "-q", "--error-exitcode=9")
REGION = program("processes/region.c")
case("valgrind", *VALGRIND, REGION, "2", "1", unless=no_valgrind, timeout=60)
case("valgrind, leaks", *VALGRIND, "--leak-check=full", "--errors-for-leak-kinds=definite",
     "--show-leak-kinds=definite",  # a thread that runs has what may seem lost
     REGION, "2", "1", unless=no_valgrind, timeout=60, long=True)
case("valgrind around ompd-run", *VALGRIND, "--trace-children=yes", "{run}", REGION, "2", "1",
     unless=no_valgrind, modes=RUNNERS, timeout=60)

# A library that stands before libgomp as well. Both see each construct once.
COUNTS = module("others/counts.c", openmp=False)
case("a profiler preloaded after the hooks", REGION, env={"LD_PRELOAD": "{bin}/counts.so"},
     needs=(COUNTS,))
case("a profiler preloaded before the hooks", "sh", "-c",
     'LD_PRELOAD=./counts.so${LD_PRELOAD:+:$LD_PRELOAD} exec "$0"', REGION, needs=(COUNTS,))
case("a profiler linked", program("processes/region.c", "-Wl,--no-as-needed", "{bin}/counts.so",
                                  "-Wl,-rpath,$ORIGIN", name="region-counts", needs=(COUNTS,)))
BANNER = module("others/banner.c", openmp=False)
case("a preloaded library with a banner", "sh", "-c", '"$@" | sort -u', "sh", "{run}", REGION,
     env={"LD_PRELOAD": "{bin}/banner.so"}, needs=(BANNER,), modes=RUNNERS)
