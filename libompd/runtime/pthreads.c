/* SPDX-License-Identifier: MIT
 *
 * Where glibc has its threads, by the descriptors that it has for libthread_db, and the stack
 * of one.
 */
#include "libompd/runtime/pthreads.h"

/* Bounds on what glibc's descriptors say. */
enum { PTHREAD_OFFSET_MAX = 4096, PTHREAD_BYTES_MAX = 8192 };

enum { PAGE_BYTES = 4096, TLS_ALIGNMENT = 64 };

static enum rc read_descriptor(const struct space *space, const char *name, uint32_t *offset)
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

/* glibc keeps the stack in struct pthread as three words, its lowest address, size and guard, of
 * which it gives no offset. It also puts struct pthread itself at the upper end of that stack, so
 * the words are known by what they say:
 *
 *   0x7f58ad54f000 0x802000 0x1000    struct pthread is at 0x7f58ad5506c0 + 0x800000
 *
 * A size that is none of whole pages, as LLVM's runtime asks for, ends where struct pthread does.
 * The program may have brought a stack that is not aligned to pages: then nothing is known. */
static bool is_stack(taddr pthread, uint32_t size, const struct stack_facts *stack)
{
    bool is_end = stack->high % PAGE_BYTES == 0 ||
                  (stack->high >= pthread + size && stack->high - (pthread + size) < TLS_ALIGNMENT);
    return stack->low && stack->low % PAGE_BYTES == 0 && stack->high > stack->low && is_end &&
           stack->guard % PAGE_BYTES == 0 && stack->low < pthread && pthread < stack->high &&
           stack->guard < pthread - stack->low;
}

enum rc pthreads_stack(const struct space *space, struct query *query, const struct pthreads *place,
                       taddr pthread, struct stack_facts *out)
{
    unsigned char bytes[PTHREAD_BYTES_MAX];
    unsigned pointer = space->sizes.sizeof_pointer;
    uint32_t size = place->size;
    if (size < 3 * pointer || size > PTHREAD_BYTES_MAX)
        return RC_UNSUPPORTED;
    enum rc rc = query_read(space, query, pthread, size, bytes);
    if (rc != RC_OK)
        return rc;
    unsigned found = 0;
    for (uint32_t i = 0; i + 3 * pointer <= size; i += pointer) {
        struct stack_facts stack = {.low = target_decode(space, bytes + i, pointer)};
        stack.high = stack.low + target_decode(space, bytes + i + pointer, pointer);
        stack.guard = target_decode(space, bytes + i + 2 * pointer, pointer);
        if (!is_stack(pthread, size, &stack))
            continue;
        *out = stack;
        found++;
    }
    return found == 1 ? RC_OK : RC_UNAVAILABLE;
}
