# SPDX-License-Identifier: MIT
#
# Processes without an OpenMP runtime that refer to one: weakly, by dlsym, in a plugin. The
# hooks define the names of libgomp, but must not stand in for it.

from table import case, module, program

WEAK = program("references/weak.c", openmp=False)
LOOKS_UP = program("references/looks_up.c", openmp=False)
OPENS = program("references/opens_plugin.c", openmp=False)
NEEDS_OMP = module("references/needs_omp.c", openmp=False)

case("weak references", WEAK, out="fine\n")
case("weak references with children", WEAK, "child", out="fine\nchild 0\nfine\n")
case("weak references, started by a shell", "sh", "-c", "./weak && ./weak child",
     needs=(WEAK,))
case("weak references, libgomp there",
     program("references/weak.c", name="weak-linked", link=("-Wl,--no-as-needed", "-fopenmp")),
     out="fine\n")
for function in ("omp_get_num_threads", "omp_get_wtime", "omp_get_level", "omp_set_nested",
                 "omp_set_dynamic", "omp_test_lock", "omp_set_schedule",
                 "omp_set_max_active_levels", "omp_control_tool", "GOMP_parallel_start", "GOMP_atomic_start",
                 "GOMP_taskgroup_start", "GOMP_taskyield", "GOMP_loop_end_nowait",
                 "GOMP_sections_next", "GOMP_ordered_start", "GOMP_single_start"):
    case("weak reference to " + function,
         program("references/weak_each.c", "-DFUNCTION=" + function, "-fno-builtin",
                 name="weak-" + function, openmp=False), out="fine\n")
case("dlsym without a runtime", LOOKS_UP)
case("dlsym with a runtime", program("references/looks_up.c", "-Wl,--no-as-needed", "-lgomp",
                                     name="looks_up-linked", openmp=False))
# The C library ends the process when such a plugin calls what nobody has.
case("a plugin that lacks libgomp, bound lazily", OPENS, "lazy", status=127, needs=(NEEDS_OMP,))
case("a plugin that lacks libgomp, bound at once", OPENS, "now", status=4, needs=(NEEDS_OMP,))
case("a plugin that lacks libgomp, opened before", OPENS, "after", needs=(NEEDS_OMP,))
