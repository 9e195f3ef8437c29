/* SPDX-License-Identifier: MIT
 *
 * How a library of either dialect is loaded, opened on a process, and closed: abi2-library.c
 * and abi5-library.c include this behind
 *
 *   static const struct named_routine names[]     the routines of struct routines
 *   static bool initialize(...)                   the right version, with our callbacks
 *   static enum answer load_lists(s)              what is asked once; unload_lists(abi) frees it
 */
#ifndef HOST_ABI_LIBRARY_H
#define HOST_ABI_LIBRARY_H

static bool load_routines(void *dl, struct routines *call, struct why *why)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *routine = dlsym(dl, names[i].name);
        if (!routine && !(names[i].flags & MAY_LACK))
            return why_set(why, "The library lacks %s.", names[i].name);
        memcpy((char *)call + names[i].offset, &routine, sizeof routine);
    }
    return true;
}

enum answer ABI(open)(struct session *s, struct why *why)
{
    struct abi *abi = calloc(1, sizeof *abi);
    if (!abi) {
        why_set(why, "Out of memory.");
        return ANSWER_NOMEM;
    }
    enum answer answer = ANSWER_ERROR;
    if (load_routines(s->dl, &abi->call, why) && initialize(s, abi, &answer, why)) {
        ompd_rc_t rc = abi->call.process_initialize(ABI(context)(s), &abi->space);
        answer = ABI(answer)(rc);
        if (rc == ompd_rc_ok) {
            s->state = abi;
            answer = load_lists(s);
            if (answer == ANSWER_OK)
                return answer;
            unload_lists(abi);
            abi->call.rel_address_space_handle(abi->space);
        }
        why_set(why, "%s cannot work on this %s: %s.", s->library, s->target->ops->kind,
                answer_name(answer));
        abi->call.finalize();
    }
    free(abi);
    return answer;
}

void ABI(close)(struct session *s)
{
    struct abi *abi = s->state;
    unload_lists(abi);
    abi->call.rel_address_space_handle(abi->space);
    abi->call.finalize();
    free(abi);
}

#endif
