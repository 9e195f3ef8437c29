/* SPDX-License-Identifier: MIT
 *
 * The ICVs of tables/icvs.def and where their values come from.
 */
#include "libompd/handle/icv-value.h"

enum {
    ICV_NONE,
#define ICV(icv, name, kind) ICV_##icv,
#define AT(icv, scope, facts, member)
#define AT_5_0(icv, scope, facts, member)
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
#undef AT_5_0
    ICV_END
};

static const struct {
    const char *name;
    enum icv_kind kind;
} icvs[ICV_END] = {
#define ICV(icv, name, kind) [ICV_##icv] = {name, KIND_##kind},
#define AT(icv, scope, facts, member)
#define AT_5_0(icv, scope, facts, member)
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
#undef AT_5_0
};

enum source {
    SOURCE_globals,
    SOURCE_numbering,
    SOURCE_icvs,
    SOURCE_thread_icvs, /* of a thread's current task */
    SOURCE_thread,
    SOURCE_region,
    SOURCE_task,
};

/* The list members begin with their first value, so that one offset serves all. */
_Static_assert(offsetof(struct list_fact, first) == 0, "lists begin with a fact");

static const struct place {
    unsigned char icv;
    unsigned char scope;
    unsigned char source;
    bool is_5_0;           /* see AT_5_0 */
    unsigned short offset; /* of a struct fact in the facts */
} places[] = {
#define ICV(icv, name, kind)
#define PLACE(icv, scope, facts, member, is_5_0)                                                   \
    {ICV_##icv, SCOPE_##scope, SOURCE_##facts, is_5_0, offsetof(FACTS_##facts, member)},
#define AT(icv, scope, facts, member) PLACE(icv, scope, facts, member, false)
#define AT_5_0(icv, scope, facts, member) PLACE(icv, scope, facts, member, true)
#define FACTS_globals struct global_facts
#define FACTS_numbering struct numbering_facts
#define FACTS_icvs struct icv_facts
#define FACTS_thread_icvs struct icv_facts
#define FACTS_thread struct thread_facts
#define FACTS_region struct region_facts
#define FACTS_task struct task_facts
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
#undef AT_5_0
};

static const size_t place_count = sizeof places / sizeof *places;

uint64_t icv_count(uint64_t version)
{
    return version <= ICV_VERSION_5_0  ? ICV_place_partition - 1
           : version < ICV_VERSION_6_0 ? ICV_num_devices - 1
                                       : ICV_END - 1;
}

enum rc icv_name(uint64_t icv, uint64_t version, const char **name, enum scope *scope)
{
    if (!icv || icv >= ICV_END)
        return RC_BAD_INPUT;
    const struct place *found = NULL;
    for (const struct place *place = places; place < places + place_count; place++) {
        if (place->icv == icv && (!found || (place->is_5_0 && version <= ICV_VERSION_5_0)))
            found = place;
    }
    *name = icvs[icv].name;
    *scope = found->scope;
    return RC_OK;
}

static enum rc fetch(const void *handle, enum source source, union icv_source *out)
{
    switch (source) {
    case SOURCE_globals:
        return globals_of_any_space(handle, &out->globals);
    case SOURCE_numbering:
        return numbering_of_any_space(handle, &out->numbering);
    case SOURCE_icvs:
        return icvs_of_task(handle, &out->icvs);
    case SOURCE_thread_icvs:
        return icvs_of_thread(handle, &out->icvs);
    case SOURCE_thread:
        return facts_of_thread(handle, &out->thread);
    case SOURCE_region:
        return facts_of_any_region(handle, &out->region);
    case SOURCE_task:
        return facts_of_task(handle, &out->task);
    }
    return RC_UNSUPPORTED;
}

static enum rc icv_value(const void *handle, enum scope scope, uint64_t icv, struct icv_value *out)
{
    if (!icv || icv >= ICV_END)
        return RC_BAD_INPUT;
    const struct place *place = places;
    while (place < places + place_count && (place->icv != icv || place->scope != scope))
        place++;
    if (place == places + place_count)
        return RC_BAD_INPUT;
    enum rc rc = scope_check(handle, scope, &out->instance);
    if (rc == RC_OK)
        rc = fetch(handle, place->source, &out->facts);
    if (rc != RC_OK)
        return rc;
    out->kind = icvs[icv].kind;
    out->is_5_0 = place->is_5_0;
    out->fact = (const struct fact *)((const char *)&out->facts + place->offset);
    return out->fact->known == NOT_HELD ? any_space_lacks(handle) : RC_OK;
}

enum rc icv_number(const void *handle, enum scope scope, uint64_t icv, int64_t *out)
{
    struct icv_value value;
    enum rc rc = icv_value(handle, scope, icv, &value);
    return rc == RC_OK ? icv_value_number(&value, out) : rc;
}

enum rc icv_words(const void *handle, enum scope scope, uint64_t icv, char **out)
{
    struct icv_value value;
    enum rc rc = icv_value(handle, scope, icv, &value);
    struct words words = {.length = 0};
    if (rc == RC_OK)
        rc = icv_value_words(&value, &words);
    return rc == RC_OK ? string_copy(value.instance->space->ops, words.text, out) : rc;
}
