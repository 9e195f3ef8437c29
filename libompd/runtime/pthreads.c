/* SPDX-License-Identifier: MIT
 *
 * Where glibc has its threads, by the descriptors that it has for libthread_db.
 */
#include "libompd/runtime/pthreads.h"

/* Bounds on what glibc's descriptors say. */
enum { PTHREAD_OFFSET_MAX = 4096, PTHREAD_BYTES_MAX = 8192 };

static enum rc read_descriptor(const struct space *space, const char *name,
                               uint32_t *offset)
{
    taddr at;
    unsigned char bytes[12]; /* bits, count, byte offset */
    enum rc rc = target_symbol(space, name, &at);
    if (rc == RC_OK)
        rc = target_read(space, at, sizeof bytes, bytes);
    if (rc == RC_OK)
        *offset = (uint32_t)target_decode(space, bytes + 8, 4);
    return rc;
}

/* The heads of glibc's two lists of threads, in the dynamic linker's data. Before glibc
 * 2.34, and in static programs, they are variables. */
static void find_lists(const struct space *space, struct pthreads *out)
{
    static const struct {
        const char *field, *variable, *old_variable;
    } list[] = {
        {"_thread_db_rtld_global__dl_stack_user", "_dl_stack_user", "__stack_user"},
        {"_thread_db_rtld_global__dl_stack_used", "_dl_stack_used", "stack_used"},
    };
    taddr loader, at;
    uint32_t offset;
    bool has_loader = target_symbol(space, "_rtld_global", &loader) == RC_OK;
    for (unsigned i = 0; i < 2; i++) {
        if (has_loader && read_descriptor(space, list[i].field, &offset) == RC_OK)
            out->list[out->list_count++] = loader + offset;
        else if (target_symbol(space, list[i].variable, &at) == RC_OK ||
                 target_symbol(space, list[i].old_variable, &at) == RC_OK)
            out->list[out->list_count++] = at;
    }
}

/* What is not there stays 0. */
void pthreads_find(const struct space *space, struct pthreads *out)
{
    taddr at;
    unsigned char bytes[4];
    find_lists(space, out);
    if (target_symbol(space, "_thread_db_sizeof_pthread", &at) == RC_OK &&
        target_read(space, at, sizeof bytes, bytes) == RC_OK)
        out->size = (uint32_t)target_decode(space, bytes, 4);
    if (out->size > PTHREAD_BYTES_MAX)
        out->size = 0;
    uint32_t list, tid;
    if (read_descriptor(space, "_thread_db_pthread_list", &list) != RC_OK ||
        read_descriptor(space, "_thread_db_pthread_tid", &tid) != RC_OK ||
        list > PTHREAD_OFFSET_MAX || tid > PTHREAD_OFFSET_MAX)
        return;
    out->list_offset = list;
    out->tid_offset = tid;
}
