/* SPDX-License-Identifier: MIT
 *
 * The threads of a process, from glibc's own lists.
 */
#include "libompd/runtime/gomp.h"

/* A circular list of nodes that begin with a pointer to the next one. */
static enum rc walk_list(struct instance *instance, taddr head, uint32_t *budget,
                         gomp_pthread_visitor *visit, void *arg, bool *stopped)
{
    const struct pthreads *place = &memory_of(instance)->pthreads;
    struct cycle cycle = {0};
    taddr node;
    enum rc rc = memory_pointer(instance, head, &node);
    /* Both ends of a list that is not initialised yet are 0. */
    while (rc == RC_OK && node && node != head) {
        if (!*budget || !cycle_advance(&cycle, node, GOMP_THREADS_MAX) || node < place->list_offset)
            return RC_NONSENSE;
        --*budget;
        taddr pthread = node - place->list_offset;
        taddr next;
        unsigned char bytes[4];
        rc = memory_pointer(instance, node, &next);
        if (rc == RC_OK)
            rc = memory_read(instance, pthread + place->tid_offset, sizeof bytes, bytes);
        if (rc != RC_OK)
            return rc;
        uint64_t tid = target_decode(instance->space, bytes, sizeof bytes);
        /* A thread that has exited has no kernel id; one in a forked child never ran. */
        if (tid && tid <= INT32_MAX && !visit(arg, pthread, tid)) {
            *stopped = true;
            return RC_OK;
        }
        if (!next) /* memory that a core lacks may read as 0 */
            return RC_NONSENSE;
        node = next;
    }
    return rc;
}

/* Without glibc's descriptors, as in static programs: struct pthread of x86-64 has its own
 * address in its third word, the list's node somewhere behind, and the kernel id after
 * the node. Any one thread shows where. */
static enum rc infer_offsets(struct instance *instance)
{
    enum { BEFORE = 1024, SELF = 16, NODE = 16 };
    struct pthreads *place = &memory_of(instance)->pthreads;
    if (gomp_state(instance)->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    for (unsigned i = 0; i < place->list_count; i++) {
        unsigned char bytes[BEFORE];
        taddr node;
        if (memory_pointer(instance, place->list[i], &node) != RC_OK || !node ||
            node == place->list[i] || node < BEFORE ||
            memory_read(instance, node - BEFORE, sizeof bytes, bytes) != RC_OK)
            continue;
        for (uint32_t offset = SELF + 8; offset <= BEFORE; offset += 8) {
            uint64_t self = target_decode(instance->space, bytes + BEFORE - offset + SELF, 8);
            if (self != node - offset)
                continue;
            place->list_offset = offset;
            place->tid_offset = offset + NODE;
            return RC_OK;
        }
    }
    return RC_UNSUPPORTED;
}

/* The dynamic linker writes the word before libgomp can have any thread. Thread-local data
 * are below the thread pointer on x86-64 and above it on aarch64, within DISTANCE_MAX. */
static const int64_t DISTANCE_MAX = INT64_C(1) << 32;
enum rc gomp_distance(struct instance *instance, int64_t *out)
{
    struct gomp_state *state = gomp_state(instance);
    if (!state->distance_known) {
        taddr word;
        enum rc rc = memory_pointer(instance, state->slot, &word);
        if (rc != RC_OK)
            return rc;
        int64_t distance = (int64_t)word;
        bool below = state->machine == PROBE_X86_64;
        if (!distance)
            return RC_UNAVAILABLE;
        if (distance % 8 || (below ? distance > 0 || distance < -DISTANCE_MAX
                                   : distance < 0 || distance > DISTANCE_MAX))
            return RC_NONSENSE;
        state->distance = distance;
        state->distance_known = true;
    }
    *out = state->distance;
    return RC_OK;
}

enum rc gomp_walk_pthreads(struct instance *instance, gomp_pthread_visitor *visit, void *arg)
{
    const struct pthreads *place = &memory_of(instance)->pthreads;
    uint32_t budget = GOMP_THREADS_MAX;
    bool stopped = false;
    int64_t distance;
    enum rc rc = gomp_distance(instance, &distance);
    if (rc != RC_OK)
        return rc == RC_UNAVAILABLE ? RC_OK : rc;
    if (!place->list_count)
        return RC_UNSUPPORTED;
    if (!place->tid_offset)
        rc = infer_offsets(instance);
    for (unsigned i = 0; rc == RC_OK && !stopped && i < place->list_count; i++)
        rc = walk_list(instance, place->list[i], &budget, visit, arg, &stopped);
    return rc;
}
