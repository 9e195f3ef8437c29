/* SPDX-License-Identifier: MIT
 *
 * The stack of a thread. glibc keeps it in struct pthread as three words, its lowest address,
 * size and guard, of which it tells no offset. It also puts struct pthread itself at the
 * upper end of that stack, so the words are known by what they say:
 *
 *   0x7f58ad54f000 0x802000 0x1000    struct pthread is at 0x7f58ad5506c0 + 0x800000
 *
 * The program may have brought a stack that is not aligned to pages: then nothing is known.
 */
#include "libompd/runtime/gomp.h"

enum { PTHREAD_BYTES_MAX = 8192, PAGE_BYTES = 4096 };

static bool is_stack(taddr pthread, const struct stack_facts *stack)
{
    return stack->low && stack->low % PAGE_BYTES == 0 && stack->high > stack->low &&
           stack->high % PAGE_BYTES == 0 && stack->guard % PAGE_BYTES == 0 &&
           stack->low < pthread && pthread < stack->high &&
           stack->guard < pthread - stack->low;
}

enum rc gomp_stack(struct instance *instance, struct ref thread, struct stack_facts *out)
{
    unsigned char bytes[PTHREAD_BYTES_MAX];
    struct gomp_thread own;
    unsigned pointer = instance->space->sizes.sizeof_pointer;
    uint32_t size = gomp_state(instance)->pthreads.size;
    enum rc rc = gomp_read_thread_ref(instance, thread, &own);
    if (rc == RC_OK && (size < 3 * pointer || size > PTHREAD_BYTES_MAX))
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK)
        rc = gomp_read(instance, own.pthread, size, bytes);
    if (rc != RC_OK)
        return rc;
    taddr pthread = own.pthread;
    unsigned found = 0;
    for (uint32_t i = 0; i + 3 * pointer <= size; i += pointer) {
        struct stack_facts stack = {
            .low = target_decode(instance->space, bytes + i, pointer)};
        stack.high =
            stack.low + target_decode(instance->space, bytes + i + pointer, pointer);
        stack.guard = target_decode(instance->space, bytes + i + 2 * pointer, pointer);
        if (!is_stack(pthread, &stack))
            continue;
        *out = stack;
        found++;
    }
    return found == 1 ? RC_OK : RC_UNAVAILABLE;
}
