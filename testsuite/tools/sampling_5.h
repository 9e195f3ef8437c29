/* SPDX-License-Identifier: MIT
 *
 * The part of the sampling profiler that is a tool of OpenMP 5.x; its header and that of
 * the 2016 report do not go together.
 */
#ifndef SAMPLING_5_H
#define SAMPLING_5_H

#include <stdbool.h>
#include <stdint.h>

#define FACTS_5(X)                                                                       \
    X(five_state, "5.x: the state is known, and that of the Collector")                  \
    X(five_wait, "5.x: the wait id is that of the Collector")                            \
    X(five_thread, "5.x: the thread keeps its data word")                                \
    X(five_regions, "5.x: enclosing regions end, have teams and their data words")       \
    X(five_tasks, "5.x: tasks end, have kinds, frames, numbers and their data words")    \
    X(five_root, "5.x: the last task is an initial one")                                 \
    X(five_places, "5.x: places and processors are as at the start")                     \
    X(five_target, "5.x: there is no target region and no task memory")                  \
    X(five_unique, "5.x: ids are unique")                                                \
    X(five_lists, "5.x: states and mutexes can be listed")

enum {
#define X(name, text) BIT_##name,
    FACTS_5(X)
#undef X
};

bool sampling_5_started(void);

/* The facts that do not hold, a bit for each. The Collector says `state` and `wait_id`.
 */
unsigned sampling_5_ask(int state, uintptr_t wait_id);

#endif
