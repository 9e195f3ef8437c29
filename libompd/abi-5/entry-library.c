/* SPDX-License-Identifier: MIT
 *
 * The library, the processes it works on, and the states it knows.
 */
#include "config.h"

#include <string.h>

#include "libompd/abi-5/abi.h"

#define RC(name, name2, value2, name5, value5)                                           \
    _Static_assert(ompd_rc_##name5 == value5, "tables/rc.def and ompd-5.h differ");
#include "libompd/tables/rc.def"
#undef RC

/* The version of which everything that is exported so far is part. */
enum { INTERFACE_VERSION = 201811 };

ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
    if (!version)
        return ompd_rc_bad_input;
    *version = INTERFACE_VERSION;
    return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
    if (!string)
        return ompd_rc_bad_input;
    *string = PACKAGE_STRING ", OMPD of OpenMP 5.x, for GCC's libgomp with runtime hooks";
    return ompd_rc_ok;
}

ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
                                  ompd_address_space_handle_t **handle)
{
    if (!context || !handle)
        return ompd_rc_bad_input;
    const struct target_ops *ops = abi_ops();
    if (!ops)
        return ompd_rc_error;
    struct space *space;
    enum rc rc = space_create(ops, context, &space);
    if (rc == RC_OK)
        *handle = (ompd_address_space_handle_t *)space;
    return abi_answer(rc);
}

ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
    enum rc rc = space_check(abi_space(handle));
    if (rc == RC_OK)
        space_destroy(abi_space(handle));
    return abi_answer(rc);
}

/* In the order of the table; where two rows share a value the first one counts. The last
 * is the state that enumeration begins with. */
static const struct state_name {
    ompd_word_t value;
    const char *name;
} states[] = {
#define STATE(name2, value2, name5, value5) {value5, "ompt_state_" #name5},
#include "libompd/tables/states.def"
#undef STATE
};

enum { STATES = sizeof states / sizeof *states };

static bool is_first_of_value(unsigned i)
{
    for (unsigned j = 0; j < i; j++) {
        if (states[j].value == states[i].value)
            return false;
    }
    return true;
}

/* STATES: there is none. */
static unsigned next_distinct(unsigned i)
{
    while (i < STATES && !is_first_of_value(i))
        i++;
    return i;
}

ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
                                ompd_word_t current_state, ompd_word_t *next_state,
                                const char **next_state_name, ompd_word_t *more_enums)
{
    if (!next_state || !next_state_name || !more_enums)
        return ompd_rc_bad_input;
    struct space *space = abi_space(address_space_handle);
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return abi_answer(rc);
    unsigned next = 0;
    if (current_state != states[STATES - 1].value) {
        while (next < STATES && states[next].value != current_state)
            next++;
        if (next == STATES)
            return ompd_rc_bad_input;
        next = next_distinct(next + 1);
    }
    size_t bytes = strlen(states[next].name) + 1;
    void *name;
    rc = space->ops->alloc(bytes, &name);
    if (rc != RC_OK)
        return abi_answer(rc);
    memcpy(name, states[next].name, bytes);
    *next_state = states[next].value;
    *next_state_name = name;
    *more_enums = next_distinct(next + 1) < STATES;
    return ompd_rc_ok;
}
