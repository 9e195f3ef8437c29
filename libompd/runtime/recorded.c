/* SPDX-License-Identifier: MIT
 *
 * A process with two witnesses: which runtimes are asked, and whose object is meant.
 */
#include "libompd/runtime/recorded.h"

struct instance *recorded_next_runtime(struct recorded *state, const struct instance *last)
{
    struct instance *all = state->records.space->instances;
    if (!last && RUNTIME->reader)
        return RUNTIME;
    unsigned place = last ? last->place + 1 : 1;
    for (; state->rules->records_name && place < INSTANCES_MAX; place++)
        if (all[place].reader == &gomp_reader)
            return &all[place];
    return NULL;
}

struct instance *recorded_next(struct recorded *state, const struct instance *last)
{
    struct instance *next = recorded_next_runtime(state, last);
    while (next && next != RUNTIME && !next->recorded)
        next = recorded_next_runtime(state, next);
    return next;
}

struct instance *recorded_maker(struct recorded *state, struct ref ref, bool is_thread)
{
    if (state->rules->records_name && !ref_is_made(ref))
        return RECORDS;
    unsigned place = ref_place(ref, is_thread);
    struct instance *made = NULL;
    while ((made = recorded_next(state, made)) && made->place != place)
        ;
    return made;
}

bool recorded_goes_on(struct recorded *state)
{
    bool alone;
    return state->rules->records_name || ON(RECORDS, reports_image, &RUNTIME->image, &alone);
}
