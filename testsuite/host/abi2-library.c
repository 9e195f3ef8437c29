/* SPDX-License-Identifier: MIT
 *
 * A library of the report is loaded, opened on a process, and closed.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "abi2.h"

static const struct named_routine names[] = {
#define LISTED_2(name, flags) {"ompd_" #name, offsetof(struct routines, name), flags},
#define ROUTINE_2(name, name_5, takes, gives, cost, reads, flags, arguments)                       \
    {"ompd_" #name, offsetof(struct routines, name_5), flags},
#include "testsuite/common/ompd-routines.def"
};

static bool initialize(struct session *s, struct abi *abi, enum answer *answer, struct why *why)
{
    int version = 0;
    if (abi->call.get_version(&version) != ompd_rc_ok || version != 2)
        return why_set(why, "%s speaks version %d of the interface, not 2.", s->library, version);
    *answer = abi2_answer(abi->call.initialize(&abi2_callbacks));
    return *answer == ANSWER_OK ||
           why_set(why, "%s cannot be initialised: %s.", s->library, answer_name(*answer));
}

static enum answer load_lists(struct session *s)
{
    (void)s; /* this interface has none */
    return ANSWER_OK;
}

static void unload_lists(struct abi *abi)
{
    (void)abi;
}

#include "abi-library.h"
