/* SPDX-License-Identifier: MIT
 *
 * What readers share.
 */
#include <string.h>

#include "libompd/runtime/reader.h"

struct ref_walk {
    ref_visitor *visit;
    void *arg;
};

static bool visit_ref(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct ref_walk *walk = arg;
    (void)facts;
    return walk->visit(walk->arg, ref);
}

enum rc reader_walk_refs(struct instance *instance, threads_walk *each_thread, ref_visitor *visit,
                         void *arg)
{
    struct ref_walk walk = {visit, arg};
    return each_thread(instance, visit_ref, &walk);
}

enum rc reader_keep_state(struct instance *instance, const void *state, size_t bytes)
{
    void *memory;
    enum rc rc = instance->space->ops->alloc(bytes, &memory);
    if (rc == RC_OK)
        instance->reader_state = memcpy(memory, state, bytes);
    return rc;
}
