/* SPDX-License-Identifier: MIT
 *
 * The threads of a process, from glibc's own lists, by the descriptors that glibc has for
 * libthread_db.
 */
#include "libompd/runtime/gomp.h"

/* Bounds on what glibc's descriptors say. */
enum { PTHREAD_OFFSET_MAX = 4096, PTHREAD_BYTES_MAX = 8192 };

static enum rc read_descriptor(const struct instance *instance, const char *name,
                               uint32_t *offset)
{
    taddr at;
    unsigned char bytes[12]; /* bits, count, byte offset */
    enum rc rc = target_symbol(instance->space, name, &at);
    if (rc == RC_OK)
        rc = target_read(instance->space, at, sizeof bytes, bytes);
    if (rc == RC_OK)
        *offset = (uint32_t)target_decode(instance->space, bytes + 8, 4);
    return rc;
}

/* The heads of glibc's two lists of threads, in the dynamic linker's data. Before glibc
 * 2.34, and in static programs, they are variables. */
static void find_lists(const struct instance *instance, struct gomp_pthreads *out)
{
    static const struct {
        const char *field, *variable, *old_variable;
    } list[] = {
        {"_thread_db_rtld_global__dl_stack_user", "_dl_stack_user", "__stack_user"},
        {"_thread_db_rtld_global__dl_stack_used", "_dl_stack_used", "stack_used"},
    };
    taddr loader, at;
    uint32_t offset;
    bool has_loader = target_symbol(instance->space, "_rtld_global", &loader) == RC_OK;
    for (unsigned i = 0; i < 2; i++) {
        if (has_loader && read_descriptor(instance, list[i].field, &offset) == RC_OK)
            out->list[out->list_count++] = loader + offset;
        else if (target_symbol(instance->space, list[i].variable, &at) == RC_OK ||
                 target_symbol(instance->space, list[i].old_variable, &at) == RC_OK)
            out->list[out->list_count++] = at;
    }
}

/* What is not there stays 0; infer_offsets() may find it later. */
void gomp_find_pthreads(const struct instance *instance, struct gomp_pthreads *out)
{
    taddr at;
    unsigned char bytes[4];
    find_lists(instance, out);
    if (target_symbol(instance->space, "_thread_db_sizeof_pthread", &at) == RC_OK &&
        target_read(instance->space, at, sizeof bytes, bytes) == RC_OK)
        out->size = (uint32_t)target_decode(instance->space, bytes, 4);
    if (out->size > PTHREAD_BYTES_MAX)
        out->size = 0;
    uint32_t list, tid;
    if (read_descriptor(instance, "_thread_db_pthread_list", &list) != RC_OK ||
        read_descriptor(instance, "_thread_db_pthread_tid", &tid) != RC_OK ||
        list > PTHREAD_OFFSET_MAX || tid > PTHREAD_OFFSET_MAX)
        return;
    out->list_offset = list;
    out->tid_offset = tid;
}

/* A circular list of nodes that begin with a pointer to the next one. */
static enum rc walk_list(struct instance *instance, taddr head, uint32_t *budget,
                         gomp_pthread_visitor *visit, void *arg, bool *stopped)
{
    const struct gomp_pthreads *place = &gomp_state(instance)->pthreads;
    struct cycle cycle = {0};
    taddr node;
    enum rc rc = gomp_pointer(instance, head, &node);
    /* Both ends of a list that is not initialised yet are 0. */
    while (rc == RC_OK && node && node != head) {
        if (!*budget || !cycle_advance(&cycle, node, GOMP_THREADS_MAX) ||
            node < place->list_offset)
            return RC_NONSENSE;
        --*budget;
        taddr pthread = node - place->list_offset;
        taddr next;
        unsigned char bytes[4];
        rc = gomp_pointer(instance, node, &next);
        if (rc == RC_OK)
            rc = gomp_read(instance, pthread + place->tid_offset, sizeof bytes, bytes);
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
    struct gomp_pthreads *place = &gomp_state(instance)->pthreads;
    if (gomp_state(instance)->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    for (unsigned i = 0; i < place->list_count; i++) {
        unsigned char bytes[BEFORE];
        taddr node;
        if (gomp_pointer(instance, place->list[i], &node) != RC_OK || !node ||
            node == place->list[i] || node < BEFORE ||
            gomp_read(instance, node - BEFORE, sizeof bytes, bytes) != RC_OK)
            continue;
        for (uint32_t offset = SELF + 8; offset <= BEFORE; offset += 8) {
            uint64_t self =
                target_decode(instance->space, bytes + BEFORE - offset + SELF, 8);
            if (self != node - offset)
                continue;
            place->list_offset = offset;
            place->tid_offset = offset + NODE;
            return RC_OK;
        }
    }
    return RC_UNSUPPORTED;
}

enum rc gomp_walk_pthreads(struct instance *instance, gomp_pthread_visitor *visit,
                           void *arg)
{
    const struct gomp_pthreads *place = &gomp_state(instance)->pthreads;
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
