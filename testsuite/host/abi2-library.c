/* SPDX-License-Identifier: MIT
 *
 * A library of the report is loaded, opened on a process, and closed.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "abi2.h"

static bool load_routines(void *dl, struct routines *call, struct why *why)
{
#define X(name) \
    *(void **)&call->name = dlsym(dl, "ompd_" #name); \
    if (!call->name) \
        return why_set(why, "The library lacks ompd_%s.", #name);
    REQUIRED(X)
#undef X
#define X(name) *(void **)&call->name = dlsym(dl, "ompd_" #name);
    OPTIONAL(X)
#undef X
    return true;
}

enum answer abi2_open(struct session *s, struct why *why)
{
    struct abi2 *abi = calloc(1, sizeof *abi);
    if (!abi) {
        why_set(why, "Out of memory.");
        return ANSWER_NOMEM;
    }
    enum answer answer = ANSWER_ERROR;
    int version = 0;
    ompd_rc_t rc;
    if (!load_routines(s->dl, &abi->call, why)) {
        ;
    } else if (abi->call.get_version(&version) != ompd_rc_ok || version != 2) {
        why_set(why, "%s speaks version %d of the interface, not 2.", s->library, version);
    } else if ((rc = abi->call.initialize(&abi2_callbacks)) != ompd_rc_ok) {
        answer = abi2_answer(rc);
        why_set(why, "%s cannot be initialised: %s.", s->library, answer_name(answer));
    } else {
        rc = abi->call.process_initialize(abi2_context(s), &abi->space);
        answer = abi2_answer(rc);
        if (rc == ompd_rc_ok) {
            s->state = abi;
            return answer;
        }
        why_set(why, "%s cannot work on this %s: %s.", s->library, s->target->ops->kind,
                answer_name(answer));
        abi->call.finalize();
    }
    free(abi);
    return answer;
}

void abi2_close(struct session *s)
{
    struct abi2 *abi = s->state;
    abi->call.release_address_space_handle(abi->space);
    abi->call.finalize();
    free(abi);
}
