/* SPDX-License-Identifier: MIT
 *
 * Operations of a reader by others of its own.
 */
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

enum rc reader_walk_threads(struct instance *instance, ref_visitor *visit, void *arg)
{
    struct ref_walk walk = {visit, arg};
    return instance->reader->each_thread(instance, visit_ref, &walk);
}
