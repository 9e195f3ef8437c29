/* SPDX-License-Identifier: MIT
 *
 * Who has mapped what to devices, as far as it is recorded.
 */
#include "libompd/runtime/hooks.h"

enum { MAPPED_MAX = 1 << 12 };

struct mapped_walk {
    mapped_visitor *visit;
    void *arg;
};

static bool visit_mapping(void *arg, const struct instance *instance, const void *bytes,
                          struct ref ref)
{
    const struct mapped_walk *walk = arg;
#define FIELD_OF(name) hooks_field(instance, bytes, FIELD_mapping_##name)
    struct mapped_facts facts = {
        .id = ref.id,
        .runtime = FIELD_OF(runtime),
        .device = (uint32_t)FIELD_OF(device),
        .host = FIELD_OF(host),
        .bytes = FIELD_OF(bytes),
        .copy = FIELD_OF(copy),
        .codeptr = FIELD_OF(codeptr),
    };
#undef FIELD_OF
    return walk->visit(walk->arg, &facts);
}

enum rc hooks_mapped(struct instance *instance, mapped_visitor *visit, void *arg)
{
    struct hooks_bytes root;
    struct mapped_walk walk = {visit, arg};
    if (!hooks_state(instance)->field[FIELD_root_mapping_slab].size)
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    return hooks_walk_slabs(instance, RECORD_mapping,
                            hooks_field(instance, root.bytes, FIELD_root_mapping_slab), MAPPED_MAX,
                            visit_mapping, &walk);
}
