/* SPDX-License-Identifier: MIT
 *
 * The ICVs of tables/icvs.def and where their values come from.
 */
#include "libompd/handle/icv-value.h"

enum {
    ICV_NONE,
#define ICV(icv, name, kind) ICV_##icv,
#define AT(icv, scope, facts, member)
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
    ICV_END
};

static const struct {
    const char *name;
    enum icv_kind kind;
} icvs[ICV_END] = {
#define ICV(icv, name, kind) [ICV_##icv] = {name, KIND_##kind},
#define AT(icv, scope, facts, member)
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
};

enum source { SOURCE_globals, SOURCE_icvs, SOURCE_thread, SOURCE_region, SOURCE_task };

/* The list members begin with their first value, so that one offset serves all. */
_Static_assert(offsetof(struct list_fact, first) == 0, "lists begin with a fact");

static const struct place {
    unsigned char icv;
    unsigned char scope;
    unsigned char source;
    unsigned short offset; /* of a struct fact in the facts */
} places[] = {
#define ICV(icv, name, kind)
#define AT(icv, scope, facts, member)                                                    \
    {ICV_##icv, SCOPE_##scope, SOURCE_##facts, offsetof(FACTS_##facts, member)},
#define FACTS_globals struct global_facts
#define FACTS_icvs struct icv_facts
#define FACTS_thread struct thread_facts
#define FACTS_region struct region_facts
#define FACTS_task struct task_facts
#include "libompd/tables/icvs.def"
#undef ICV
#undef AT
};

static const size_t place_count = sizeof places / sizeof *places;

uint64_t icv_count(bool with_6_0)
{
    return with_6_0 ? ICV_END - 1 : ICV_num_devices - 1;
}

enum rc icv_name(uint64_t icv, const char **name, enum scope *scope)
{
    if (!icv || icv >= ICV_END)
        return RC_BAD_INPUT;
    const struct place *place = places;
    while (place->icv != icv)
        place++;
    *name = icvs[icv].name;
    *scope = place->scope;
    return RC_OK;
}

static enum rc fetch(const void *handle, enum source source, union icv_source *out)
{
    switch (source) {
    case SOURCE_globals:
        return globals_of_space((struct space *)handle, &out->globals);
    case SOURCE_icvs:
        return icvs_of_task(handle, &out->icvs);
    case SOURCE_thread:
        return facts_of_thread(handle, &out->thread);
    case SOURCE_region:
        return facts_of_region(handle, &out->region);
    case SOURCE_task:
        return facts_of_task(handle, &out->task);
    }
    return RC_UNSUPPORTED;
}

static enum rc icv_value(const void *handle, enum scope scope, uint64_t icv,
                         struct icv_value *out)
{
    if (!icv || icv >= ICV_END)
        return RC_BAD_INPUT;
    const struct place *place = places;
    while (place < places + place_count && (place->icv != icv || place->scope != scope))
        place++;
    if (place == places + place_count)
        return RC_BAD_INPUT;
    enum rc rc = scope_check(handle, scope, &out->space);
    if (rc == RC_OK)
        rc = fetch(handle, place->source, &out->facts);
    if (rc != RC_OK)
        return rc;
    out->kind = icvs[icv].kind;
    out->fact = (const struct fact *)((const char *)&out->facts + place->offset);
    return RC_OK;
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
    return rc == RC_OK ? string_copy(value.space->ops, words.text, out) : rc;
}
