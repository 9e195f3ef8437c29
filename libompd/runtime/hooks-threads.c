/* SPDX-License-Identifier: MIT
 *
 * The threads of a process with hooks: found by their operating system id through the
 * index, or all of them by walking the slabs.
 */
#include "libompd/runtime/hooks.h"

enum rc hooks_read_root(struct space *space, struct hooks_bytes *out)
{
    struct hooks_state *state = hooks_state(space);
    enum rc rc = hooks_fetch(space, RECORD_root, state->root, out);
    if (rc != RC_OK)
        return rc;
    taddr index = hooks_field(space, out->bytes, FIELD_root_index);
    uint64_t bits = hooks_field(space, out->bytes, FIELD_root_index_bits);
    uint64_t window = hooks_field(space, out->bytes, FIELD_root_index_window);
    if (index) {
        if (!bits || bits > HOOKS_INDEX_BITS_MAX || !window ||
            window > TARGET_BULK_BYTES / state->record_size[RECORD_index])
            return RC_NONSENSE;
        state->index = index;
        state->index_bits = (uint32_t)bits;
        state->index_window = (uint32_t)window;
    }
    state->tracking = hooks_field(space, out->bytes, FIELD_root_tracking) != 0;
    return RC_OK;
}

static enum rc walk_threads(const struct space *space, const struct hooks_bytes *root,
                            record_visitor *visit, void *arg)
{
    return hooks_walk_slabs(space, RECORD_thread,
                            hooks_field(space, root->bytes, FIELD_root_slab),
                            HOOKS_THREADS_MAX, visit, arg);
}

struct ref_walk {
    ref_visitor *visit;
    void *arg;
};

static bool visit_ref(void *arg, const struct space *space, const void *bytes,
                      struct ref ref)
{
    (void)space;
    (void)bytes;
    struct ref_walk *walk = arg;
    return walk->visit(walk->arg, ref);
}

enum rc hooks_walk_threads(struct space *space, ref_visitor *visit, void *arg)
{
    struct hooks_bytes root;
    enum rc rc = hooks_read_root(space, &root);
    if (rc != RC_OK)
        return rc;
    if (!hooks_state(space)->tracking)
        return RC_NEEDS_TRACKING;
    struct ref_walk walk = {visit, arg};
    return walk_threads(space, &root, visit_ref, &walk);
}

struct facts_walk {
    thread_visitor *visit;
    void *arg;
};

static bool visit_facts(void *arg, const struct space *space, const void *bytes,
                        struct ref ref)
{
    struct facts_walk *walk = arg;
    struct thread_facts facts;
    hooks_thread_facts(space, bytes, &facts);
    return walk->visit(walk->arg, ref, &facts);
}

enum rc hooks_each_thread(struct space *space, thread_visitor *visit, void *arg)
{
    struct hooks_bytes root;
    enum rc rc = hooks_read_root(space, &root);
    if (rc != RC_OK)
        return rc;
    if (!hooks_state(space)->tracking)
        return RC_NEEDS_TRACKING;
    struct facts_walk walk = {visit, arg};
    return walk_threads(space, &root, visit_facts, &walk);
}

struct search {
    enum hooks_field field;
    uint64_t key;
    struct ref found;
};

static bool compare_record(void *arg, const struct space *space, const void *bytes,
                           struct ref ref)
{
    struct search *search = arg;
    if (hooks_field(space, bytes, search->field) != search->key)
        return true;
    search->found = ref;
    return false;
}

/* One read: the entries in which the key can stand. RC_UNAVAILABLE: in none of them. */
static enum rc search_index(const struct space *space, uint64_t key, struct ref *out)
{
    const struct hooks_state *state = hooks_state(space);
    uint32_t size = state->record_size[RECORD_index];
    unsigned char window[TARGET_BULK_BYTES];
    taddr first = state->index + records_hash(key, state->index_bits) * size;
    if (first < state->index)
        return RC_NONSENSE;
    enum rc rc = target_read(space, first, (size_t)state->index_window * size, window);
    if (rc != RC_OK)
        return rc;
    for (uint32_t i = 0; i < state->index_window; i++) {
        const unsigned char *entry = window + (size_t)i * size;
        if (hooks_field(space, entry, FIELD_index_key) != key)
            continue;
        struct ref ref = {hooks_field(space, entry, FIELD_index_thread),
                          hooks_field(space, entry, FIELD_index_thread_id)};
        if (!ref.address || !ref.id)
            continue;
        *out = ref;
        return RC_OK;
    }
    return RC_UNAVAILABLE;
}

/* Both kinds of id are keys of one index; the kernel's are below this. */
#define LWP_LIMIT (UINT64_C(1) << 22)

enum rc hooks_find_thread(struct space *space, enum os_thread_kind kind, uint64_t os_id,
                          struct ref *out)
{
    struct hooks_state *state = hooks_state(space);
    struct hooks_bytes root;
    bool root_is_fresh = false;
    if (!state->tracking || !state->index) {
        enum rc rc = hooks_read_root(space, &root);
        if (rc != RC_OK)
            return rc;
        root_is_fresh = true;
    }
    if (!state->tracking)
        return RC_NEEDS_TRACKING;
    if (!os_id || (kind == OS_THREAD_LWP) != (os_id <= LWP_LIMIT))
        return RC_UNAVAILABLE;
    if (state->index) {
        enum rc rc = search_index(space, os_id, out);
        if (rc != RC_UNAVAILABLE)
            return rc;
    }
    if (!root_is_fresh) {
        enum rc rc = hooks_read_root(space, &root);
        if (rc != RC_OK)
            return rc;
    }
    if (state->index && !hooks_field(space, root.bytes, FIELD_root_index_overflow))
        return RC_UNAVAILABLE;
    struct search search = {
        .field = kind == OS_THREAD_LWP ? FIELD_thread_lwp : FIELD_thread_pthread,
        .key = os_id,
    };
    enum rc rc = walk_threads(space, &root, compare_record, &search);
    if (rc != RC_OK)
        return rc;
    if (!search.found.id)
        return RC_UNAVAILABLE;
    *out = search.found;
    return RC_OK;
}
