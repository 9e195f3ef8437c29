/* SPDX-License-Identifier: MIT
 *
 * Sets of ICVs: each combination of values is stored once and never freed; see icvs.h.
 */
#include "state/icvs.h"
#include "core/environment.h"
#include "core/lock.h"
#include "records/memory.h"

#include <stdlib.h>
#include <string.h>

#define BUCKET_BITS 10
#define MAX_SETS 4096

/* omp_sched_t of omp.h */
#define SCHEDULE_MONOTONIC 0x80000000u

struct set {
    struct rec_icvs rec;
    struct set *next; /* hash chain; insertion at its head, no removal */
};

bool icvs_have_places;
bool icvs_device_set;

static struct set *buckets[1 << BUCKET_BITS];
static unsigned count;
static uint32_t first_device; /* OMP_DEFAULT_DEVICE */

static bool same(const struct rec_icvs *a, const struct rec_icvs *b)
{
    return memcmp((const char *)a + sizeof(a->id), (const char *)b + sizeof(b->id),
                  sizeof(*a) - sizeof(a->id)) == 0;
}

static unsigned bucket_of(const struct rec_icvs *icvs)
{
    uint64_t hash = 0;
    const char *bytes = (const char *)icvs + sizeof(icvs->id);
    for (size_t i = 0; i + 4 <= sizeof(*icvs) - sizeof(icvs->id); i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof(word));
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return (unsigned)records_hash(hash, BUCKET_BITS);
}

static uintptr_t find(unsigned bucket, const struct rec_icvs *icvs)
{
    struct set *set = __atomic_load_n(&buckets[bucket], __ATOMIC_ACQUIRE);
    while (set && !same(&set->rec, icvs))
        set = set->next;
    return (uintptr_t)set;
}

/* The stored set with these values, whose padding must be 0. */
static uintptr_t intern(const struct rec_icvs *icvs)
{
    unsigned bucket = bucket_of(icvs);
    uintptr_t found = find(bucket, icvs);
    if (found)
        return found;
    hooks_lock();
    found = find(bucket, icvs);
    struct set *set = NULL;
    if (!found && count < MAX_SETS)
        set = memory_piece(sizeof(*set));
    if (set) {
        memcpy(&set->rec, icvs, sizeof(*icvs));
        set->next = buckets[bucket];
        publish_order();
        set->rec.id = ++count;
        __atomic_store_n(&buckets[bucket], set, __ATOMIC_RELEASE);
        found = (uintptr_t)set;
    }
    hooks_unlock();
    return found;
}

void icvs_start(const struct runtime *real)
{
    const char *device = getenv("OMP_DEFAULT_DEVICE");
    unsigned value;
    if (device && environment_number(device, &value))
        first_device = value;
    icvs_have_places = real->omp_get_num_places && real->omp_get_num_places() > 0;
}

/* The rest of the lists of OMP_NUM_THREADS and OMP_PROC_BIND, for regions at deeper
 * levels. */
static void set_lists(struct rec_icvs *icvs, unsigned level)
{
    const struct environment_lists *lists = environment_lists();
    if (level + 1 < lists->nthreads_count) {
        icvs->nthreads_count = lists->nthreads_count - level - 1;
        icvs->nthreads_list = (uintptr_t)&lists->nthreads[level + 1];
    } else {
        icvs->nthreads_count = 0;
        icvs->nthreads_list = 0;
    }
    if (level + 1 < lists->bind_count) {
        icvs->bind_count = lists->bind_count - level - 1;
        icvs->bind_list = (uintptr_t)&lists->bind[level + 1];
    } else {
        icvs->bind_count = 0;
        icvs->bind_list = 0;
    }
}

/* ICVs that depend on the nesting level. */
static void query_nesting(const struct runtime *real, struct rec_icvs *icvs)
{
    icvs->nthreads = (uint32_t)real->omp_get_max_threads();
    icvs->bind = real->omp_get_proc_bind();
    icvs->thread_limit = (uint32_t)real->omp_get_thread_limit();
    set_lists(icvs, (unsigned)real->omp_get_level());
}

static void query_rest(const struct runtime *real, struct rec_icvs *icvs)
{
    icvs->dynamic = real->omp_get_dynamic() != 0;
    icvs->max_active_levels = (uint32_t)real->omp_get_max_active_levels();
    unsigned kind = 0;
    int chunk = 0;
    real->omp_get_schedule(&kind, &chunk);
    icvs->schedule = kind & ~SCHEDULE_MONOTONIC;
    icvs->schedule_monotonic = (kind & SCHEDULE_MONOTONIC) != 0;
    icvs->schedule_chunk = (uint32_t)chunk;
    if (icvs_device_set)
        icvs->default_device = (uint32_t)real->omp_get_default_device();
    if (real->omp_get_default_allocator)
        icvs->default_allocator = real->omp_get_default_allocator();
}

/* All ICVs, with all places: omp_get_partition_num_places() would bind an initial thread
 * to its first place. */
static void query_all(const struct runtime *real, struct rec_icvs *icvs)
{
    memset(icvs, 0, sizeof(*icvs));
    icvs->default_device = first_device;
    query_nesting(real, icvs);
    query_rest(real, icvs);
    if (icvs_have_places)
        icvs->place_count = (uint32_t)real->omp_get_num_places();
}

/* Routines that set the ICVs of a runtime that reports by OMPT are not seen; a debugger reads
 * them in its memory. */
uintptr_t icvs_of_initial_task(const struct runtime *real)
{
    struct rec_icvs icvs;
    if (!real->recorded)
        return 0;
    query_all(real, &icvs);
    return intern(&icvs);
}

/* A proc_bind clause changes bind-var unless that is false. Nothing is inherited from a
 * task of another runtime. */
uintptr_t icvs_of_region(const struct region *r)
{
    const struct runtime *real = r->arg.real;
    const struct rec_task *encountering = (const struct rec_task *)r->rec.encountering_task;
    if (unlikely(real != r->outer.real))
        return icvs_of_initial_task(real);
    const struct rec_icvs *outer = (const struct rec_icvs *)encountering->icvs;
    if (unlikely(!outer))
        return 0;
    const struct environment_lists *lists = environment_lists();
    bool levels_differ = lists->nthreads_count || lists->bind_count;
    if (likely(!levels_differ && r->rec.kind != REGION_TEAMS) &&
        (!outer->bind || outer->bind == real->omp_get_proc_bind()))
        return encountering->icvs;
    struct rec_icvs icvs;
    memcpy(&icvs, outer, sizeof(icvs));
    query_nesting(real, &icvs);
    return same(&icvs, outer) ? encountering->icvs : intern(&icvs);
}

/* Regions either keep the partition or divide it, so one of equal size is unchanged. */
uintptr_t icvs_in_partition(const struct runtime *real, uintptr_t outer)
{
    if (!outer || !real->omp_get_partition_num_places || !real->omp_get_partition_place_nums)
        return outer;
    uint32_t size = (uint32_t)real->omp_get_partition_num_places();
    if (likely(size == ((const struct rec_icvs *)outer)->place_count) || !size)
        return outer;
    struct rec_icvs icvs;
    memcpy(&icvs, (const void *)outer, sizeof(icvs));
    int few[64];
    int *places = size <= 64 ? few : malloc(size * sizeof(*places));
    if (!places)
        return 0;
    real->omp_get_partition_place_nums(places);
    icvs.place_first = (uint32_t)places[0];
    icvs.place_count = size;
    if (places != few)
        free(places);
    return intern(&icvs);
}

void icvs_changed(struct thread *t, const struct runtime *real)
{
    struct rec_task *task = current_task(t);
    if (!task)
        return;
    struct rec_icvs icvs;
    if (unlikely(!task->icvs)) {
        query_all(real, &icvs);
        task->icvs = intern(&icvs);
        if (icvs_have_places && task->kind != TASK_INITIAL)
            task->icvs = icvs_in_partition(real, task->icvs);
        return;
    }
    memcpy(&icvs, (const void *)task->icvs, sizeof(icvs));
    icvs.nthreads = (uint32_t)real->omp_get_max_threads();
    query_rest(real, &icvs);
    if (!same(&icvs, (const struct rec_icvs *)task->icvs))
        task->icvs = intern(&icvs);
}
