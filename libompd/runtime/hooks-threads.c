/* SPDX-License-Identifier: MIT
 *
 * The threads of a process with hooks: found by their operating system id through the
 * index, or all of them by walking the slabs.
 */
#include "libompd/runtime/hooks.h"

enum rc hooks_tool(struct instance *instance, enum tool_interface *out)
{
    if (!hooks_state(instance)->field[FIELD_root_tool].size)
        return RC_UNSUPPORTED;
    struct hooks_bytes root;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    switch (hooks_field(instance, root.bytes, FIELD_root_tool)) {
    case TOOL_NONE:
        *out = TOOL_INTERFACE_NONE;
        return RC_OK;
    case TOOL_OMPT_5:
        *out = TOOL_INTERFACE_OMPT;
        return RC_OK;
    case TOOL_OMPT_2:
        *out = TOOL_INTERFACE_OMPT_2;
        return RC_OK;
    case TOOL_OF_RUNTIME:
        *out = TOOL_INTERFACE_RUNTIME;
        return RC_OK;
    default:
        return RC_UNSUPPORTED;
    }
}

enum rc hooks_forks(struct instance *instance, uint32_t *out)
{
    struct hooks_bytes root;
    if (!hooks_state(instance)->field[FIELD_root_forks].size)
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc == RC_OK)
        *out = (uint32_t)hooks_field(instance, root.bytes, FIELD_root_forks);
    return rc;
}

/* All that is recorded of a loop is what a thread waits for in a doacross loop. */
enum rc hooks_loop(struct instance *instance, struct ref thread, struct loop_facts *out)
{
    struct hooks_bytes record;
    if (!hooks_state(instance)->field[FIELD_thread_awaited].size)
        return RC_UNSUPPORTED;
    enum rc rc = hooks_fetch_ref(instance, RECORD_thread, thread, &record);
    if (rc != RC_OK)
        return rc;
    uint64_t awaited = hooks_field(instance, record.bytes, FIELD_thread_awaited);
    if (!awaited)
        return RC_UNAVAILABLE;
    *out = (struct loop_facts){.awaited = {KNOWN, awaited - 1}};
    return RC_OK;
}

enum rc hooks_records_image(struct instance *instance, const struct image *image)
{
    struct hooks_bytes root;
    unsigned char listed[HOOKS_RUNTIMES_MAX * 8];
    unsigned size = instance->space->sizes.sizeof_pointer;
    if (!image->entry || !hooks_state(instance)->field[FIELD_root_runtimes].size)
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    taddr runtimes = hooks_field(instance, root.bytes, FIELD_root_runtimes);
    uint64_t count = hooks_field(instance, root.bytes, FIELD_root_runtime_count);
    if (count > HOOKS_RUNTIMES_MAX)
        count = HOOKS_RUNTIMES_MAX;
    rc = count ? target_read(instance->space, runtimes, count * size, listed) : RC_UNAVAILABLE;
    for (uint64_t i = 0; rc == RC_OK && i < count; i++)
        if (target_decode(instance->space, listed + i * size, size) == image->entry)
            return RC_OK;
    return rc == RC_OK ? RC_UNAVAILABLE : rc;
}

bool hooks_reports_image(struct instance *instance, const struct image *image, bool *alone)
{
    struct hooks_bytes root;
    if (!image->entry || !hooks_state(instance)->field[FIELD_root_ompt_runtime].size ||
        hooks_read_tracked_root(instance, &root) != RC_OK)
        return false;
    *alone = !hooks_field(instance, root.bytes, FIELD_root_runtime_count);
    hooks_state(instance)->shares_words =
        hooks_field(instance, root.bytes, FIELD_root_ompt_shared) != 0;
    return hooks_field(instance, root.bytes, FIELD_root_ompt_runtime) == image->entry;
}

enum rc hooks_reported_record(struct instance *instance, taddr value, taddr *out)
{
    struct hooks_bytes word;
    *out = value;
    if (!hooks_state(instance)->shares_words)
        return RC_OK;
    enum rc rc = hooks_fetch(instance, RECORD_word, value, &word);
    if (rc == RC_OK)
        *out = hooks_field(instance, word.bytes, FIELD_word_record);
    return rc;
}

void hooks_show_reported(struct instance *instance, bool alone)
{
    hooks_state(instance)->shows_reported = true;
    hooks_state(instance)->is_alone = alone;
}

static bool is_hidden(const struct instance *instance, const void *bytes)
{
    return hooks_hides_reported(instance) &&
           hooks_field(instance, bytes, FIELD_thread_flags) & THREAD_REPORTED;
}

struct facts_walk {
    thread_visitor *visit;
    void *arg;
};

static bool visit_facts(void *arg, const struct instance *instance, const void *bytes,
                        struct ref ref)
{
    struct facts_walk *walk = arg;
    struct thread_facts facts;
    if (is_hidden(instance, bytes))
        return true;
    hooks_thread_facts(instance, bytes, &facts);
    return walk->visit(walk->arg, ref, &facts);
}

enum rc hooks_each_thread(struct instance *instance, thread_visitor *visit, void *arg)
{
    struct facts_walk walk = {visit, arg};
    return hooks_walk_all(instance, RECORD_thread, FIELD_root_slab, HOOKS_THREADS_MAX, visit_facts,
                          &walk);
}

enum rc hooks_walk_threads(struct instance *instance, ref_visitor *visit, void *arg)
{
    return reader_walk_refs(instance, hooks_each_thread, visit, arg);
}

struct search {
    enum hooks_field field;
    uint64_t key;
    struct ref found;
};

static bool compare_record(void *arg, const struct instance *instance, const void *bytes,
                           struct ref ref)
{
    struct search *search = arg;
    if (hooks_field(instance, bytes, search->field) != search->key || is_hidden(instance, bytes))
        return true;
    search->found = ref;
    return false;
}

/* One read: the entries in which the key can be. RC_UNAVAILABLE: in none of them. */
static enum rc search_index(const struct instance *instance, uint64_t key, struct ref *out)
{
    const struct hooks_state *state = hooks_state(instance);
    uint32_t size = state->record_size[RECORD_index];
    unsigned char window[TARGET_BULK_BYTES];
    taddr first = state->index + records_hash(key, state->index_bits) * size;
    if (first < state->index)
        return RC_NONSENSE;
    enum rc rc = target_read(instance->space, first, (size_t)state->index_window * size, window);
    if (rc != RC_OK)
        return rc;
    for (uint32_t i = 0; i < state->index_window; i++) {
        const unsigned char *entry = window + (size_t)i * size;
        if (hooks_field(instance, entry, FIELD_index_key) != key)
            continue;
        struct ref ref = {hooks_field(instance, entry, FIELD_index_thread),
                          hooks_field(instance, entry, FIELD_index_thread_id)};
        if (!ref.address || !ref.id)
            continue;
        *out = ref;
        return RC_OK;
    }
    return RC_UNAVAILABLE;
}

/* One more read where a runtime reports. */
static enum rc show(const struct instance *instance, enum rc rc, struct ref ref)
{
    struct hooks_bytes record;
    if (rc != RC_OK || !hooks_state(instance)->reported || !hooks_hides_reported(instance))
        return rc;
    rc = hooks_fetch_ref(instance, RECORD_thread, ref, &record);
    return rc == RC_OK && is_hidden(instance, record.bytes) ? RC_UNAVAILABLE : rc;
}

/* Both kinds of id are keys of one index; the kernel's are below this. */
#define LWP_LIMIT (UINT64_C(1) << 22)

/* The index is tried where it was last; a miss there costs the root, which says whether
 * it has been replaced since (the old one is left empty) and whether it holds all
 * threads. */
enum rc hooks_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                          struct ref *out)
{
    struct hooks_state *state = hooks_state(instance);
    bool is_possible = os_id && (kind == OS_THREAD_LWP) == (os_id <= LWP_LIMIT);
    if (state->tracking && !is_possible)
        return RC_UNAVAILABLE;
    taddr searched = 0;
    uint32_t searched_bits = state->index_bits;
    if (state->tracking && state->index) {
        searched = state->index;
        enum rc rc = search_index(instance, os_id, out);
        if (rc != RC_UNAVAILABLE)
            return show(instance, rc, *out);
    }
    struct hooks_bytes root;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    if (!is_possible)
        return RC_UNAVAILABLE;
    if (state->index && (state->index != searched || state->index_bits != searched_bits)) {
        rc = search_index(instance, os_id, out);
        if (rc != RC_UNAVAILABLE)
            return show(instance, rc, *out);
    }
    if (state->index && !hooks_field(instance, root.bytes, FIELD_root_index_overflow))
        return RC_UNAVAILABLE;
    struct search search = {
        .field = kind == OS_THREAD_LWP ? FIELD_thread_lwp : FIELD_thread_pthread,
        .key = os_id,
    };
    rc = hooks_walk_slabs(instance, RECORD_thread,
                          hooks_field(instance, root.bytes, FIELD_root_slab), HOOKS_THREADS_MAX,
                          compare_record, &search);
    if (rc == RC_INCOMPLETE)
        return RC_NONSENSE; /* no process has as many threads as that walk has passed */
    if (rc != RC_OK)
        return rc;
    if (!search.found.id)
        return RC_UNAVAILABLE;
    *out = search.found;
    return RC_OK;
}
