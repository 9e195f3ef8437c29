/* SPDX-License-Identifier: MIT
 *
 * Calls each routine of the extension once.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "abi5.h"
#include "extension.h"

enum answer extension_threads(struct session *s, ompd_ext_thread_t **threads, ompd_size_t *count)
{
    struct abi *abi = s->state;
    return abi5_answer(abi->call.ext_get_threads(abi->space, sizeof **threads, threads, count));
}

enum answer extension_lock(struct session *s, uint64_t address, ompd_ext_lock_kind_t kind,
                           ompd_ext_lock_t *lock)
{
    struct abi *abi = s->state;
    return abi5_answer(abi->call.ext_get_lock(abi->space, address, kind, sizeof *lock, lock));
}

#define TAKE(list, routine)                                                                        \
    ((list).answer = abi5_answer(                                                                  \
         abi->call.routine(abi->space, sizeof *(list).items, &(list).items, &(list).count)))

bool extension_take(struct session *s, struct extension *out)
{
    static uint64_t stops;
    memset(out, 0, sizeof *out);
    if (s->dialect != &dialect_abi5)
        return false;
    struct abi *abi = s->state;
    bool has_all = true; /* the extension and, in any case, what is no part of it */
#define ROUTINE_5(name, ...) has_all = has_all && abi->call.name;
#define LISTED_5(name, flags) has_all = has_all && abi->call.name;
#include "testsuite/common/ompd-routines.def"
    if (!has_all || abi->call.ext_get_version(&out->version) != ompd_rc_ok ||
        abi->call.ext_set_stop(abi->space, ++stops) != ompd_rc_ok)
        return false;
    abi->call.get_omp_version(abi->space, &out->omp_version);
    abi->call.get_omp_version_string(abi->space, &out->omp_name);
    TAKE(out->threads, ext_get_threads);
    TAKE(out->tasks, ext_get_tasks);
    TAKE(out->dependences, ext_get_dependences);
    out->locks.answer = out->waiters.answer = abi5_answer(
        abi->call.ext_get_locks(abi->space, sizeof *out->locks.items, &out->locks.items,
                                &out->locks.count, &out->waiters.items, &out->waiters.count));
    TAKE(out->barriers, ext_get_barriers);
    TAKE(out->regions, ext_get_regions);
    uint64_t symbols = s->counts.symbols;
    TAKE(out->runtimes, ext_get_runtimes);
    s->counts.symbols = symbols; /* this query alone looks symbols up, as opening does */
    out->files = calloc(out->runtimes.count + 1, sizeof *out->files);
    for (ompd_size_t i = 0; out->files && i < out->runtimes.count; i++)
        abi->call.ext_get_runtime_file(abi->space, out->runtimes.items[i].number, &out->files[i]);
    return abi->call.ext_set_stop(abi->space, 0) == ompd_rc_ok;
}

void extension_free(struct extension *extension)
{
    host_free((void *)(uintptr_t)extension->omp_name);
    host_free(extension->threads.items);
    host_free(extension->tasks.items);
    host_free(extension->dependences.items);
    host_free(extension->locks.items);
    host_free(extension->waiters.items);
    host_free(extension->barriers.items);
    host_free(extension->regions.items);
    for (ompd_size_t i = 0; extension->files && i < extension->runtimes.count; i++)
        host_free((void *)(uintptr_t)extension->files[i]);
    free(extension->files);
    host_free(extension->runtimes.items);
}
