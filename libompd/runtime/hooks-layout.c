/* SPDX-License-Identifier: MIT
 *
 * The descriptor that the hooks export, read once and not believed until it has been
 * checked; and records decoded by what it says.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

/* What this library knows of each field: the record it belongs to and its type. */
enum field_type { TYPE_u32, TYPE_u64, TYPE_addr };

static const struct {
    unsigned char record;
    unsigned char type;
} known_field[FIELD_COUNT] = {
#define RECORD(r, comment)
#define FIELD(r, type, f) {RECORD_##r, TYPE_##type},
#define END_RECORD(r)
#include "runtime-hooks/records/records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
};

/* Every target of our major version has these records. */
enum { LAST_RECORD_OF_1_0 = RECORD_task };

/* The descriptor's numbers in the order of this machine. */
struct descriptor {
    uint32_t version_minor;
    uint32_t record_count;
    uint32_t field_count;
    uint32_t pointer_size;
    uint32_t record_size[HOOKS_RECORDS_MAX];
    struct hooks_field_place field[HOOKS_FIELDS_MAX];
};

static uint32_t decode_u32(const struct instance *instance, const void *bytes, size_t offset)
{
    return (uint32_t)target_decode(instance->space, (const char *)bytes + offset, 4);
}

static enum rc read_header(const struct instance *instance, taddr at, struct descriptor *out)
{
    unsigned char raw[sizeof(struct hooks_descriptor_header)];
    enum rc rc = target_read(instance->space, at, sizeof raw, raw);
    if (rc != RC_OK)
        return rc;
#define HEADER(member) decode_u32(instance, raw, offsetof(struct hooks_descriptor_header, member))
    if (memcmp(raw, HOOKS_COOKIE, sizeof HOOKS_COOKIE) != 0 ||
        HEADER(byte_order) != HOOKS_BYTE_ORDER || HEADER(version_major) != HOOKS_VERSION_MAJOR)
        return RC_INCOMPATIBLE;
    out->version_minor = HEADER(version_minor);
    out->record_count = HEADER(record_count);
    out->field_count = HEADER(field_count);
    out->pointer_size = HEADER(pointer_size);
#undef HEADER
    if (out->record_count <= LAST_RECORD_OF_1_0 || out->record_count > HOOKS_RECORDS_MAX ||
        out->field_count > HOOKS_FIELDS_MAX ||
        out->pointer_size != instance->space->sizes.sizeof_pointer)
        return RC_INCOMPATIBLE;
    return RC_OK;
}

static enum rc read_tables(const struct instance *instance, taddr at, struct descriptor *out)
{
    unsigned char raw[HOOKS_RECORDS_MAX * 4 + HOOKS_FIELDS_MAX * 8];
    size_t bytes = (size_t)out->record_count * 4 + (size_t)out->field_count * 8;
    enum rc rc =
        target_read(instance->space, at + sizeof(struct hooks_descriptor_header), bytes, raw);
    if (rc != RC_OK)
        return rc;
    for (uint32_t i = 0; i < out->record_count; i++)
        out->record_size[i] = decode_u32(instance, raw, i * 4);
    size_t places = (size_t)out->record_count * 4;
    for (uint32_t i = 0; i < out->field_count; i++) {
        out->field[i].offset = decode_u32(instance, raw, places + i * 8);
        out->field[i].size = decode_u32(instance, raw, places + i * 8 + 4);
    }
    return RC_OK;
}

static bool type_has_size(const struct descriptor *d, unsigned type, uint32_t size)
{
    return size == (type == TYPE_u32 ? 4 : type == TYPE_u64 ? 8 : d->pointer_size);
}

/* Matches the target's fields with ours, record by record. The fields of a record ascend
 * from offset 0, so a field at offset 0 opens the next record; a target of a newer minor
 * version may have more fields in a record, and more records, than we know. */
static bool match_fields(const struct descriptor *d, struct hooks_state *out)
{
    static const uint32_t known_minor = HOOKS_VERSION_MINOR;
    bool may_lack_fields = d->version_minor < known_minor;
    uint32_t theirs = 0;
    unsigned ours = 0;
    for (uint32_t record = 0; record < d->record_count; record++) {
        uint32_t size = d->record_size[record];
        if (!size || size > HOOKS_RECORD_BYTES_MAX)
            return false;
        uint32_t end = 0;
        uint32_t first = theirs;
        uint32_t need = 0;
        while (theirs < d->field_count && (theirs == first || d->field[theirs].offset)) {
            struct hooks_field_place place = d->field[theirs++];
            if ((place.size != 4 && place.size != 8) || place.offset < end || place.offset > size ||
                size - place.offset < place.size)
                return false;
            end = place.offset + place.size;
            if (record >= RECORD_COUNT || ours >= FIELD_COUNT || known_field[ours].record != record)
                continue;
            if (!type_has_size(d, known_field[ours].type, place.size))
                return false;
            out->field[ours++] = place;
            need = end;
        }
        if (theirs == first || d->field[first].offset)
            return false;
        if (record >= RECORD_COUNT)
            continue;
        out->record_size[record] = size;
        out->record_need[record] = need;
        for (; ours < FIELD_COUNT && known_field[ours].record == record; ours++) {
            if (!may_lack_fields)
                return false;
        }
    }
    return theirs == d->field_count && (ours == FIELD_COUNT || may_lack_fields);
}

enum rc hooks_read_layout(struct instance *instance, taddr descriptor, struct hooks_state *out)
{
    struct descriptor d;
    enum rc rc = read_header(instance, descriptor, &d);
    if (rc == RC_OK)
        rc = read_tables(instance, descriptor, &d);
    if (rc != RC_OK)
        return rc;
    return match_fields(&d, out) ? RC_OK : RC_INCOMPATIBLE;
}

enum rc hooks_fetch(const struct instance *instance, enum hooks_record record, taddr address,
                    struct hooks_bytes *out)
{
    struct hooks_state *state = hooks_state(instance);
    return query_read(instance->space, &state->query, address, state->record_need[record],
                      out->bytes);
}

static const enum hooks_field id_field[RECORD_COUNT] = {
    [RECORD_thread] = FIELD_thread_id, [RECORD_region] = FIELD_region_id,
    [RECORD_task] = FIELD_task_id,     [RECORD_lock] = FIELD_lock_id,
    [RECORD_order] = FIELD_order_id,
};

uint64_t hooks_id(const struct instance *instance, enum hooks_record record, const void *bytes)
{
    return hooks_field(instance, bytes, id_field[record]);
}

enum rc hooks_fetch_ref(const struct instance *instance, enum hooks_record record, struct ref ref,
                        struct hooks_bytes *out)
{
    enum rc rc = hooks_fetch(instance, record, ref.address, out);
    if (rc != RC_OK)
        return rc;
    return hooks_id(instance, record, out->bytes) == ref.id ? RC_OK : RC_STALE_HANDLE;
}

uint64_t hooks_field(const struct instance *instance, const void *bytes, enum hooks_field field)
{
    struct hooks_field_place place = hooks_state(instance)->field[field];
    return target_decode(instance->space, (const char *)bytes + place.offset, place.size);
}

struct fact hooks_fact(const struct instance *instance, const void *bytes, enum hooks_field field)
{
    if (!hooks_state(instance)->field[field].size)
        return (struct fact){.known = NOT_HELD};
    return (struct fact){.known = KNOWN, .value = hooks_field(instance, bytes, field)};
}

struct ref_fact hooks_ref_fact(const struct instance *instance, const void *bytes,
                               enum hooks_field address, enum hooks_field id)
{
    const struct hooks_state *state = hooks_state(instance);
    if (!state->field[address].size || !state->field[id].size)
        return (struct ref_fact){.known = NOT_HELD};
    struct ref ref = {hooks_field(instance, bytes, address), hooks_field(instance, bytes, id)};
    if (!ref.address && !ref.id)
        return (struct ref_fact){.known = NONE_HERE};
    if (!ref.address || !ref.id)
        return (struct ref_fact){.known = IMPOSSIBLE};
    return (struct ref_fact){.known = KNOWN, .ref = ref};
}
