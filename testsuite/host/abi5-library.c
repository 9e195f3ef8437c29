/* SPDX-License-Identifier: MIT
 *
 * A library of OpenMP 5.x is loaded, opened on a process, and closed, with its own list
 * of states.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "abi5.h"

enum { OPENMP_6_0 = 202411 }; /* what this host was written for */

static const struct named_routine names[] = {
#define LISTED_5(name, flags) {"ompd_" #name, offsetof(struct routines, name), flags},
#define ROUTINE_5(name, name_5, takes, gives, cost, reads, flags, arguments)                       \
    {"ompd_" #name, offsetof(struct routines, name), flags},
#include "testsuite/common/ompd-routines.def"
};

static bool initialize(struct session *s, struct abi *abi, enum answer *answer, struct why *why)
{
    *answer = abi5_answer(abi->call.initialize(OPENMP_6_0, &abi5_callbacks));
    return *answer == ANSWER_OK ||
           why_set(why, "%s cannot be initialised: %s.", s->library, answer_name(*answer));
}

/* States of the library's own list. */
static enum answer load_states(struct session *s)
{
    struct abi *abi = s->state;
    ompd_word_t state = ompt_state_undefined, more = 1;
    while (more && abi->state_count < MAX_STATES) {
        const char *name;
        ompd_rc_t rc = abi->call.enumerate_states(abi->space, state, &state, &name, &more);
        if (rc != ompd_rc_ok)
            return abi5_answer(rc);
        abi->states[abi->state_count++] = (struct named_state){state, (char *)name};
    }
    return more ? ANSWER_OTHER : ANSWER_OK;
}

enum answer abi5_state_name(struct session *s, struct omp_thread *thread, char **text)
{
    struct abi *abi = s->state;
    ompd_word_t got;
    enum answer answer = abi5_answer(abi->call.get_state(THREAD(thread), &got, NULL));
    for (size_t i = 0; answer == ANSWER_OK && i < abi->state_count; i++)
        if (abi->states[i].value == got) {
            void *copy;
            answer = host_alloc(strlen(abi->states[i].name) + 1, &copy);
            if (answer == ANSWER_OK)
                *text = strcpy(copy, abi->states[i].name);
            return answer;
        }
    return answer == ANSWER_OK ? ANSWER_OTHER : answer;
}

static enum answer load_lists(struct session *s)
{
    enum answer answer = abi5_load_icvs(s);
    return answer == ANSWER_OK ? load_states(s) : answer;
}

static void unload_lists(struct abi *abi)
{
    for (size_t i = 0; i < abi->state_count; i++)
        host_free(abi->states[i].name);
    for (size_t i = 0; i < abi->icv_count; i++)
        host_free((char *)abi->icvs[i].name);
}

#include "abi-library.h"
