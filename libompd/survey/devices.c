/* SPDX-License-Identifier: MIT
 *
 * Devices, and what is mapped to them, as each runtime's own memory has them, and who has mapped it, as it
 * is recorded.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

static bool take_device(void *arg, const struct device_facts *facts)
{
    return collect(arg, facts);
}

static bool take_mapping(void *arg, const struct mapping_facts *facts)
{
    return collect(arg, facts);
}

static enum rc of_runtime(struct instance *own, bool mappings, struct array *out)
{
    struct collector collector = {out, SURVEY_MAPPINGS_MAX, RC_OK};
    *out = array_of(own->space->ops,
                    mappings ? sizeof(struct mapping_facts) : sizeof(struct device_facts));
    enum rc rc = mappings ? own->reader->each_mapping(own, take_mapping, &collector)
                          : own->reader->each_device(own, take_device, &collector);
    return rc_join(rc, collector.rc);
}

static bool take_mapped(void *arg, const struct mapped_facts *facts)
{
    return collect(arg, facts);
}

/* What libgomp maps is recorded by its range, which is that of the mapping; what stays for ever has not
 * been mapped by a construct that lists it. */
static bool is_same(const struct mapped_facts *made, const struct mapping_facts *mapping)
{
    if (made->device != mapping->device || made->host != mapping->host)
        return false;
    if (made->copy)
        return mapping->address.known == KNOWN && mapping->address.value == made->copy;
    return made->bytes == mapping->bytes && mapping->forever.known == KNOWN &&
           !mapping->forever.value;
}

/* Who has mapped it is known of some, and of none where there is no memory. */
static void add_places(struct instance *instance, struct array *mappings)
{
    struct array all = array_of(mappings->ops, sizeof(struct mapped_facts));
    struct collector collector = {&all, SURVEY_MAPPINGS_MAX, RC_OK};
    enum rc rc = instance->reader->mapped
                     ? instance->reader->mapped(instance, take_mapped, &collector)
                     : RC_UNSUPPORTED;
    const struct mapped_facts *made = all.elements;
    struct mapping_facts *mapping = mappings->elements;
    for (size_t i = 0; rc == RC_OK && collector.rc == RC_OK && i < mappings->count; i++) {
        uint64_t latest = 0;
        for (size_t k = 0; k < all.count; k++) {
            if (made[k].id < latest || made[k].runtime != instance->image.entry ||
                !is_same(&made[k], &mapping[i]))
                continue;
            latest = made[k].id;
            mapping[i].codeptr =
                (struct fact){made[k].codeptr ? KNOWN : NONE_HERE, made[k].codeptr};
        }
    }
    array_free(&all);
}

/* Of one runtime all that it answers. One that has not looked for devices has none. */
static enum rc join(enum rc all, enum rc own)
{
    if (all == RC_NOMEM || own == RC_NOMEM)
        return RC_NOMEM;
    if (rc_is_answer(all) && rc_is_answer(own))
        return rc_join(all, own);
    enum rc answer = rc_is_answer(all) ? all : own, other = rc_is_answer(all) ? own : all;
    return !rc_is_answer(answer) || other == RC_UNAVAILABLE ? answer : RC_INCOMPLETE;
}

enum rc survey_devices(struct space *space, bool mappings, struct survey_parts *parts)
{
    parts->count = 0;
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    instances_refresh(space);
    rc = RC_UNAVAILABLE;
    for (unsigned place = 0; place < INSTANCES_MAX && rc != RC_NOMEM; place++) {
        struct instance *instance = &space->instances[place];
        if (!instance->serial || !instance->image.entry)
            continue; /* records only */
        struct instance *own = reader_own_memory(instance);
        struct survey_part *part = &parts->part[parts->count];
        *part = (struct survey_part){.instance = instance};
        enum rc found = own ? of_runtime(own, mappings, &part->elements) : RC_UNSUPPORTED;
        if (!rc_is_answer(found))
            array_free(&part->elements);
        else if (mappings)
            add_places(instance, &part->elements);
        rc = parts->count++ ? join(rc, found) : found;
    }
    return rc;
}
