/* SPDX-License-Identifier: MIT
 *
 * Values of ICVs as numbers and as words a person reads. Words are those of the
 * environment variables that set the ICVs, in lower case.
 */
#include <string.h>

#include "libompd/handle/icv-value.h"
#include "libompd/target/target.h"

enum { LIST_MAX = 256 };

static const char *const boolean_word[] = {"false", "true"};
static const char *const enabled_word[] = {"disabled", "enabled"};
static const char *const schedule_word[] = {NULL, "static", "dynamic", "guided", "auto"};
static const char *const bind_word[] = {"false", "true", "primary", "close", "spread"};
static const char *const offload_word[] = {"default", "mandatory", "disabled"};
static const char *const wait_word[] = {"passive", "active", "unspecified"};
static const char *const allocator_word[] = {
    NULL,
    "omp_default_mem_alloc",
    "omp_large_cap_mem_alloc",
    "omp_const_mem_alloc",
    "omp_high_bw_mem_alloc",
    "omp_low_lat_mem_alloc",
    "omp_cgroup_mem_alloc",
    "omp_pteam_mem_alloc",
    "omp_thread_mem_alloc",
};

static const struct list_fact *as_list(const struct icv_value *value)
{
    return (const struct list_fact *)value->fact;
}

enum rc icv_value_number(const struct icv_value *value, int64_t *out)
{
    switch (value->kind) {
    case KIND_TEXT:
    case KIND_TEXT_OR_NOTHING:
    case KIND_TEXT_OR_DISABLED:
        return RC_INCOMPATIBLE;
    default:
        break;
    }
    uint64_t number;
    enum rc rc = fact_value(*value->fact, &number);
    if (rc != RC_OK)
        return rc;
    /* A schedule is no list of which its kind would be the first item. */
    if (value->kind == KIND_SCHEDULE &&
        (value->facts.icvs.schedule_chunk.value || value->facts.icvs.schedule_monotonic.value))
        return RC_INCOMPATIBLE;
    /* An empty list has no first item. */
    if (value->kind == KIND_PLACES && !value->facts.icvs.place_count.value)
        return RC_INCOMPATIBLE;
    bool is_all = true;
    if (value->kind == KIND_NUMBERS || value->kind == KIND_BINDS)
        is_all = as_list(value)->rest_count == 0 && !value->is_5_0;
    else if (value->kind == KIND_PLACES)
        is_all = value->facts.icvs.place_count.value == 1;
    *out = (int64_t)number;
    return is_all ? RC_OK : RC_INCOMPLETE;
}

static enum rc put(struct words *words, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof words->text - words->length)
        return RC_NONSENSE;
    memcpy(words->text + words->length, text, length + 1);
    words->length += length;
    return RC_OK;
}

static enum rc put_number(struct words *words, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    *--at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    return put(words, at);
}

/* A value that has no name is put as the number it is. */
static enum rc put_word(struct words *words, const char *const *word, size_t count, uint64_t value)
{
    if (value < count && word[value])
        return put(words, word[value]);
    return put_number(words, (int64_t)value);
}
#define PUT_WORD(words, table, value) put_word(words, table, sizeof table / sizeof *table, value)

static enum rc put_item(struct words *words, enum icv_kind kind, uint64_t item)
{
    return kind == KIND_BINDS ? PUT_WORD(words, bind_word, item) : put_number(words, (int64_t)item);
}

static enum rc put_list(struct words *words, const struct icv_value *value)
{
    const struct list_fact *list = as_list(value);
    enum rc rc = put_item(words, value->kind, list->first.value);
    if (rc != RC_OK || !list->rest_count)
        return rc;
    unsigned char bytes[LIST_MAX * 4];
    if (list->rest_count > LIST_MAX)
        return RC_NONSENSE;
    rc = target_read(value->instance->space, list->rest, (size_t)list->rest_count * 4, bytes);
    for (uint32_t i = 0; i < list->rest_count && rc == RC_OK; i++) {
        rc = put(words, ",");
        if (rc == RC_OK)
            rc = put_item(words, value->kind,
                          target_decode(value->instance->space, bytes + (size_t)i * 4, 4));
    }
    return rc;
}

static enum rc put_schedule(struct words *words, const struct icv_facts *icvs)
{
    enum rc rc = RC_OK;
    if (icvs->schedule_monotonic.value)
        rc = put(words, "monotonic:");
    if (rc == RC_OK)
        rc = PUT_WORD(words, schedule_word, icvs->schedule.value);
    if (rc == RC_OK && icvs->schedule_chunk.value) {
        rc = put(words, ",");
        if (rc == RC_OK)
            rc = put_number(words, (int64_t)icvs->schedule_chunk.value);
    }
    return rc;
}

/* As OMP_PLACES writes intervals: {first}:count; nothing when the runtime has no places.
 */
static enum rc put_places(struct words *words, const struct icv_facts *icvs)
{
    if (!icvs->place_count.value)
        return put(words, "");
    enum rc rc = put(words, "{");
    if (rc == RC_OK)
        rc = put_number(words, (int64_t)icvs->place_first.value);
    if (rc == RC_OK)
        rc = put(words, "}");
    if (rc == RC_OK && icvs->place_count.value != 1) {
        rc = put(words, ":");
        if (rc == RC_OK)
            rc = put_number(words, (int64_t)icvs->place_count.value);
    }
    return rc;
}

static enum rc put_target_text(struct words *words, const struct icv_value *value, taddr address)
{
    if (address)
        return target_string(value->instance->space, address, words->text, sizeof words->text);
    switch (value->kind) {
    case KIND_TEXT_OR_NOTHING:
        return put(words, "");
    case KIND_TEXT_OR_DISABLED:
        return put(words, "disabled");
    default:
        return RC_UNAVAILABLE;
    }
}

enum rc icv_value_words(const struct icv_value *value, struct words *words)
{
    uint64_t number;
    enum rc rc = fact_value(*value->fact, &number);
    if (rc != RC_OK)
        return rc;
    switch (value->kind) {
    case KIND_NUMBER:
        return put_number(words, (int64_t)number);
    case KIND_BOOLEAN:
        return PUT_WORD(words, boolean_word, number);
    case KIND_ENABLED:
        return PUT_WORD(words, enabled_word, number);
    case KIND_SCHEDULE:
        return put_schedule(words, &value->facts.icvs);
    case KIND_DEF_SCHEDULE:
        return PUT_WORD(words, schedule_word, number);
    case KIND_BINDS:
    case KIND_NUMBERS:
        return put_list(words, value);
    case KIND_PLACES:
        return put_places(words, &value->facts.icvs);
    case KIND_OFFLOAD:
        return PUT_WORD(words, offload_word, number);
    case KIND_WAIT:
        return PUT_WORD(words, wait_word, number);
    case KIND_ALLOCATOR:
        return PUT_WORD(words, allocator_word, number);
    case KIND_TEXT:
    case KIND_TEXT_OR_NOTHING:
    case KIND_TEXT_OR_DISABLED:
        return put_target_text(words, value, number);
    }
    return RC_UNSUPPORTED;
}
