/* SPDX-License-Identifier: MIT
 *
 * What the debugger's callbacks share, whatever the process: they count, fail when they
 * are told to, and take memory from the allocator that watches.
 */
#include <string.h>

#include "libompd/target/target.h"
#include "target.h"

struct watch watch;

static unsigned fail_at, fail_how, callbacks, budget;

void watch_begin(void)
{
    memset(&watch, 0, sizeof watch);
    watch.allocated = -allocator_alive();
}

void target_fail_at(unsigned n, unsigned how)
{
    fail_at = n;
    fail_how = how;
    callbacks = 0;
}

void target_budget(unsigned reads)
{
    budget = reads;
}

bool callback_fails(void)
{
    return fail_at && ++callbacks == fail_at;
}

int callback_read_fails(bool fails)
{
    if (fails || !budget) {
        watch.read_failed = true;
        return fail_how & 4 ? RC_error : RC_read_error;
    }
    budget--;
    return RC_ok;
}

int callback_alloc(uint64_t bytes, void **out)
{
    if (!bytes || bytes > 1 << 30 || !out)
        fuzz_fail("%llu bytes are asked for", (unsigned long long)bytes);
    if (callback_fails()) {
        watch.alloc_failed = true;
        if (fail_how & 1)
            *out = NULL;
        return fail_how & 1 ? RC_ok : RC_error;
    }
    *out = allocator_get(bytes);
    return RC_ok;
}

int callback_free(void *memory)
{
    allocator_free(memory);
    return fail_how & 2 ? RC_error : RC_ok;
}

void callback_count_read(uint64_t address, uint64_t bytes, const void *out)
{
    watch.reads++;
    watch.bytes += bytes;
    if (!address || !bytes || bytes > TARGET_BULK_BYTES || !out || address + (bytes - 1) < address)
        fuzz_fail("a read of %llu bytes at %llx", (unsigned long long)bytes,
                  (unsigned long long)address);
}
