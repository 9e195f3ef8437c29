/* SPDX-License-Identifier: MIT
 *
 * The list of recorded runtimes; see runtime-list.h.
 */
#include "records/runtime-list.h"
#include "core/lock.h"
#include "records/records.h"

#define MAX_LISTED 16 /* more are not listed */

static uintptr_t runtimes[MAX_LISTED];

void runtime_list_add(uintptr_t runtime)
{
    hooks_lock();
    uint32_t count = ompd_hooks_root.runtime_count, i = 0;
    while (i < count && runtimes[i] != runtime)
        i++;
    if (i == count && count < MAX_LISTED) {
        runtimes[count] = runtime;
        ompd_hooks_root.runtimes = (uintptr_t)runtimes;
        __atomic_store_n(&ompd_hooks_root.runtime_count, count + 1, __ATOMIC_RELEASE);
    }
    hooks_unlock();
}
