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

static bool load_routines(void *dl, struct routines *call, struct why *why)
{
#define X(name) \
    *(void **)&call->name = dlsym(dl, "ompd_" #name); \
    if (!call->name) \
        return why_set(why, "The library lacks ompd_%s.", #name);
    ROUTINES(X)
#undef X
#define X(name) *(void **)&call->name = dlsym(dl, "ompd_" #name);
    EXTENSION(X)
#undef X
    return true;
}

/* States of the library's own list. */
static enum answer load_states(struct session *s)
{
    struct abi5 *abi = s->state;
    ompd_word_t state = ompt_state_undefined, more = 1;
    while (more && abi->state_count < MAX_STATES) {
        const char *name;
        ompd_rc_t rc =
            abi->call.enumerate_states(abi->space, state, &state, &name, &more);
        if (rc != ompd_rc_ok)
            return abi5_answer(rc);
        abi->states[abi->state_count++] = (struct named_state){state, (char *)name};
    }
    return more ? ANSWER_OTHER : ANSWER_OK;
}

enum answer abi5_state_name(struct session *s, struct omp_thread *thread, char **text)
{
    struct abi5 *abi = s->state;
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

static void forget_lists(struct abi5 *abi)
{
    for (size_t i = 0; i < abi->state_count; i++)
        host_free(abi->states[i].name);
    for (size_t i = 0; i < abi->icv_count; i++)
        host_free((char *)abi->icvs[i].name);
}

enum answer abi5_open(struct session *s, struct why *why)
{
    struct abi5 *abi = calloc(1, sizeof *abi);
    if (!abi) {
        why_set(why, "Out of memory.");
        return ANSWER_NOMEM;
    }
    enum answer answer = ANSWER_ERROR;
    ompd_rc_t rc;
    if (!load_routines(s->dl, &abi->call, why)) {
        ;
    } else if ((rc = abi->call.initialize(OPENMP_6_0, &abi5_callbacks)) != ompd_rc_ok) {
        answer = abi5_answer(rc);
        why_set(why, "%s cannot be initialised: %s.", s->library, answer_name(answer));
    } else {
        rc = abi->call.process_initialize(abi5_context(s), &abi->space);
        answer = abi5_answer(rc);
        if (rc == ompd_rc_ok) {
            s->state = abi;
            answer = abi5_load_icvs(s);
            if (answer == ANSWER_OK)
                answer = load_states(s);
            if (answer == ANSWER_OK)
                return answer;
            forget_lists(abi);
            abi->call.rel_address_space_handle(abi->space);
        }
        why_set(why, "%s cannot work on this %s: %s.", s->library, s->target->ops->kind,
                answer_name(answer));
        abi->call.finalize();
    }
    free(abi);
    return answer;
}

void abi5_close(struct session *s)
{
    struct abi5 *abi = s->state;
    forget_lists(abi);
    abi->call.rel_address_space_handle(abi->space);
    abi->call.finalize();
    free(abi);
}
