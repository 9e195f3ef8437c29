/* SPDX-License-Identifier: MIT
 *
 * What threads are doing.
 */
#include "libompd/abi-5/abi.h"
#include "libompd/handle/icv.h"

static const struct {
    uint64_t ours; /* the 2.000 value */
    ompd_word_t value;
    const char *name;
} states[] = {
#define STATE(name2, value2, name5, value5) {value2, ompt_state_##name5, "ompt_state_" #name5},
#define STATE_5_1(name5) {UINT64_MAX, ompt_state_##name5, "ompt_state_" #name5},
#include "libompd/tables/states.def"
#undef STATE
};

enum { STATES = sizeof states / sizeof *states };

#define STATE(name2, value2, name5, value5)                                                        \
    _Static_assert(ompt_state_##name5 == value5, "tables/states.def and the header differ");
#include "libompd/tables/states.def"
#undef STATE

enum rc abi_state(uint64_t state, ompd_word_t *out)
{
    for (size_t i = 0; i < STATES; i++) {
        if (states[i].ours == state) {
            *out = states[i].value;
            return RC_OK;
        }
    }
    return RC_NONSENSE;
}

/* OpenMP 5.1 divides implicit barriers by what they end, and deprecates their common state. */
static ompd_word_t divided(ompd_word_t state, struct fact barrier)
{
    enum { DIVIDED_FROM = 202011 };
    if (state != ompt_state_wait_barrier_implicit || abi_version() < DIVIDED_FROM ||
        barrier.known != KNOWN || barrier.value == BARRIER_NONE)
        return state;
    return barrier.value == BARRIER_END ? ompt_state_wait_barrier_implicit_parallel
                                        : ompt_state_wait_barrier_implicit_workshare;
}

/* Rows that share a 5.x value are adjacent; the first counts. */
static size_t next_row(size_t row)
{
    size_t next = row + 1;
    while (next < STATES && states[next].value == states[row].value)
        next++;
    return next;
}

/* "undefined" is the last row of the table and of the enumeration, and also begins it. */
ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
                                ompd_word_t current_state, ompd_word_t *next_state,
                                const char **next_state_name, ompd_word_t *more_enums)
{
    if (!next_state || !next_state_name || !more_enums)
        return ompd_rc_bad_input;
    struct space *space;
    enum rc rc = any_space_check(address_space_handle, &space);
    if (rc != RC_OK)
        return abi_answer(rc);
    size_t row = 0;
    if (current_state != ompt_state_undefined) {
        while (row < STATES && states[row].value != current_state)
            row++;
        if (row == STATES)
            return ompd_rc_bad_input;
        row = next_row(row);
    }
    char *name;
    rc = string_copy(space->ops, states[row].name, &name);
    if (rc == RC_OK) {
        *next_state = states[row].value;
        *next_state_name = name;
        *more_enums = next_row(row) < STATES;
    }
    return abi_answer(rc);
}

ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
                         ompd_wait_id_t *wait_id)
{
    if (!state)
        return ompd_rc_bad_input;
    struct thread_facts facts;
    enum rc rc = facts_of_thread(abi_thread(thread_handle), &facts);
    uint64_t what, wait;
    ompd_word_t value;
    if (rc == RC_OK)
        rc = fact_value(facts.state, &what);
    if (rc == RC_OK)
        rc = abi_state(what, &value);
    if (rc == RC_OK)
        rc = fact_value(facts.wait_id, &wait);
    if (rc == RC_OK) {
        *state = divided(value, facts.barrier);
        if (wait_id)
            *wait_id = wait;
    }
    return abi_answer(rc);
}
