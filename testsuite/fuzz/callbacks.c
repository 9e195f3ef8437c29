/* SPDX-License-Identifier: MIT
 *
 * The debugger's callbacks over a process with hooks: they check what the library passes
 * and, where they fail, leave rubbish in the out-parameters.
 */
#include <string.h>

#include "target.h"

int callback_sizes(void *context, int *sizeof_long, int *sizeof_pointer)
{
    const struct target *target = context;
    if (callback_fails()) {
        watch.other_failed = true;
        return RC_error;
    }
    *sizeof_long = target->sizeof_long;
    *sizeof_pointer = target->sizeof_pointer;
    return RC_ok;
}

int callback_symbol(void *context, const char *file, const char *name, uint64_t *out)
{
    (void)file; /* there is no list of images */
    const struct target *target = context;
    watch.lookups++;
    *out = 0x1234;
    if (callback_fails()) {
        watch.lookup_failed = true;
        /* Of other symbols, the list of images among them, there is none anyway. */
        watch.other_failed =
            !strcmp(name, HOOKS_SYMBOL_DESCRIPTOR) || !strcmp(name, HOOKS_SYMBOL_ROOT);
        return RC_error;
    }
    if (strcmp(name, HOOKS_SYMBOL_DESCRIPTOR) == 0)
        *out = target->fake.descriptor;
    else if (strcmp(name, HOOKS_SYMBOL_ROOT) == 0)
        *out = target->fake.root;
    else
        return RC_unavailable;
    return RC_ok;
}

/* Memory that is the input, again and again. */
static void read_raw(const struct target *target, uint64_t address, uint64_t bytes,
                     unsigned char *out)
{
    size_t at = (size_t)(address % target->raw_size), size;
    for (uint64_t done = 0; done < bytes; done += size, at = 0) {
        size = target->raw_size - at;
        if (size > bytes - done)
            size = bytes - done;
        memcpy(out + done, target->raw_bytes + at, size);
    }
}

static bool is_of_descriptor(const struct target *target, uint64_t address)
{
    return address >= target->base && address < target->program->fake->root;
}

int callback_read(void *context, uint64_t address, uint64_t bytes, void *out)
{
    const struct target *target = context;
    callback_count_read(address, bytes, out);
    if (target->fake.pointer_size == 4 && !target->sizes_changed &&
        address + (bytes - 1) > UINT32_MAX)
        fuzz_fail("a read at %llx of a 32-bit process", (unsigned long long)address);
    bool raw = target->raw && (target->raw_descriptor || !is_of_descriptor(target, address));
    bool mapped = address >= target->base && address <= target->fake.end &&
                  bytes <= target->fake.end - address;
    raw = raw || (target->everywhere && !mapped);
    int rc = callback_read_fails(callback_fails() || !(raw || mapped));
    if (rc != RC_ok) {
        /* Half of it came before the failure. */
        memset(out, 0xEE, bytes / 2);
        return rc;
    }
    if (raw)
        read_raw(target, address, bytes, out);
    else
        memcpy(out, target->fake.bytes + (address - target->base), bytes);
    return RC_ok;
}

int callback_to_host(void *context, const void *in, int unit, int count, void *out)
{
    const struct target *target = context;
    if (callback_fails()) {
        watch.other_failed = true;
        return RC_error;
    }
    static const uint16_t probe = 1;
    bool host_is_big = *(const unsigned char *)&probe == 0;
    const unsigned char *from = in;
    unsigned char *to = out;
    for (int i = 0; i < count; i++, from += unit, to += unit) {
        for (int b = 0; b < unit; b++)
            to[b] = from[host_is_big == target->says_big_endian ? b : unit - 1 - b];
    }
    return RC_ok;
}

/* Nobody asks about the threads of a process with hooks. */
int callback_thread(void *context, uint64_t bytes, const void *lwp, void **out)
{
    (void)context;
    (void)lwp;
    (void)out;
    fuzz_fail("a thread with an id of %llu bytes", (unsigned long long)bytes);
    return RC_error;
}
