/* SPDX-License-Identifier: MIT
 *
 * The parts of the hooks reader: what it keeps of a process, and how they fetch records.
 */
#ifndef LIBOMPD_HOOKS_H
#define LIBOMPD_HOOKS_H

#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"
#include "runtime-hooks/records/layout.h"

/* Bounds on what a target may claim. They are far above what a process can have and keep
 * a nonsensical one from being walked for ever. */
enum {
    HOOKS_RECORDS_MAX = 64,
    HOOKS_FIELDS_MAX = 1024,
    HOOKS_RECORD_BYTES_MAX = 4096,
    HOOKS_SLABS_MAX = 1 << 12,
    HOOKS_TEAM_MAX = 1 << 16,
    HOOKS_RUNTIMES_MAX = 16,
    HOOKS_INDEX_BITS_MAX = 28,
    HOOKS_WALK_READS_MAX = 1 << 13,
    HOOKS_THREADS_MAX = 1 << 17,
    HOOKS_SETTINGS_BYTES_MAX = 1 << 16,
    HOOKS_EVENTS_MAX = 1 << 14, /* of one thread */
    HOOKS_SUMS_MAX = 1 << 12,   /* likewise */
    HOOKS_LIST_MAX = 256,
};

/* Per process. The last six are in the root record. Tracking stays on once it is. The
 * index may be replaced; one that has been is empty, so that what is kept of it is a hint
 * that cannot mislead. */
struct hooks_state {
    taddr root;
    uint32_t record_size[RECORD_COUNT];
    uint32_t record_need[RECORD_COUNT];          /* bytes up to the last field that we know */
    struct hooks_field_place field[FIELD_COUNT]; /* size 0: the target has no such field */

    bool shows_reported;
    bool is_alone;      /* the memory of the runtime that reports is not read */
    struct query query; /* where objects of that runtime lead to records one by one */
    bool reported;      /* a runtime reports by OMPT */
    bool shares_words;  /* with a tool that is chained to it */
    bool tracking;
    taddr loop_task;
    uint32_t loop_origin;
    taddr index;
    uint32_t index_bits;
    uint32_t index_window;
};

/* A record as it was read. */
struct hooks_bytes {
    unsigned char bytes[HOOKS_RECORD_BYTES_MAX];
};

static inline struct hooks_state *hooks_state(const struct instance *instance)
{
    return instance->reader_state;
}

/* hooks-layout.c: reads and validates the descriptor. RC_INCOMPATIBLE: it is none, or of
 * a version that this library does not know, or contradicts itself. */
enum rc hooks_read_layout(struct instance *instance, taddr descriptor, struct hooks_state *out);

/* One read. */
enum rc hooks_fetch(const struct instance *instance, enum hooks_record record, taddr address,
                    struct hooks_bytes *out);

/* The id of a record that a reference can name: a thread, region, task or lock. 0: the
 * record is not in use. */
uint64_t hooks_id(const struct instance *instance, enum hooks_record record, const void *bytes);

/* As hooks_fetch, and the record must still be the one that was meant. */
enum rc hooks_fetch_ref(const struct instance *instance, enum hooks_record record, struct ref ref,
                        struct hooks_bytes *out);

/* 0 when the target does not have the field. */
uint64_t hooks_field(const struct instance *instance, const void *bytes, enum hooks_field field);

/* The same with its mark: NOT_HELD when the target does not have the field. */
struct fact hooks_fact(const struct instance *instance, const void *bytes, enum hooks_field field);

/* A reference; NONE_HERE when both parts are 0, IMPOSSIBLE when only one is. */
struct ref_fact hooks_ref_fact(const struct instance *instance, const void *bytes,
                               enum hooks_field address, enum hooks_field id);

/* hooks-threads.c */
enum rc hooks_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                          struct ref *out);
enum rc hooks_walk_threads(struct instance *instance, ref_visitor *visit, void *arg);
enum rc hooks_forks(struct instance *instance, uint32_t *out);
enum rc hooks_loop(struct instance *instance, struct ref thread, struct loop_facts *out);
enum rc hooks_tool(struct instance *instance, enum tool_interface *out);

/* The clock of events. */
struct hooks_clock {
    uint64_t start_ticks, start_time;
    double rate; /* nanoseconds of a tick; 0: not known */
};

/* hooks-history.c. A clock that does not fit gives no time. */
enum rc hooks_read_clock(struct instance *instance, struct hooks_clock *out);
struct fact hooks_nanoseconds(const struct hooks_clock *clock, uint64_t ticks, uint64_t since);
enum rc hooks_history(struct instance *instance, struct ref thread, event_visitor *visit,
                      void *arg);

/* hooks-mappings.c */
enum rc hooks_mapped(struct instance *instance, mapped_visitor *visit, void *arg);

/* hooks-orders.c */
enum rc hooks_orders(struct instance *instance, order_visitor *visit, void *arg);

/* hooks-sums.c */
enum rc hooks_sums(struct instance *instance, sum_visitor *visit, void *arg);

/* Are regions of the image's runtime recorded? Yes, where it cannot be known: then its threads
 * are not listed twice. Two reads. */
enum rc hooks_records_image(struct instance *instance, const struct image *image);

/* Does the image's runtime report what it does by OMPT? */
bool hooks_reports_image(struct instance *instance, const struct image *image, bool *alone);

/* Are the records of what a runtime reports left out? */
static inline bool hooks_hides_reported(const struct instance *instance)
{
    return !hooks_state(instance)->shows_reported;
}
void hooks_show_reported(struct instance *instance, bool alone);
enum rc hooks_reported_record(struct instance *instance, taddr value, taddr *out);

/* Reads the root record and keeps what of it stays. */
enum rc hooks_read_root(struct instance *instance, struct hooks_bytes *out);

/* The same for questions that only a process that records can answer.
 * RC_NEEDS_TRACKING: it does not. */
enum rc hooks_read_tracked_root(struct instance *instance, struct hooks_bytes *out);

/* hooks-team.c */
enum rc hooks_walk_members(struct instance *instance, struct ref region, enum members members,
                           ref_visitor *visit, void *arg);
enum rc hooks_find_member(struct instance *instance, struct ref region, enum members members,
                          uint32_t number, struct ref *out);

/* Records as facts: hooks.c, hooks-tasks.c. */
void hooks_thread_facts(const struct instance *instance, const void *bytes,
                        struct thread_facts *out);
void hooks_task_facts(const struct instance *instance, const void *bytes, struct ref self,
                      struct task_facts *out);

/* hooks-slabs.c: every record in use of a list of slabs, for at most
 * HOOKS_WALK_READS_MAX reads in all. RC_NONSENSE: it claims more than `max` records or
 * HOOKS_SLABS_MAX slabs, has a cycle, or its headers contradict themselves.
 * RC_INCOMPLETE: the reads did not reach the end of it. RC_UNSUPPORTED: the target's version
 * has no such records. */
typedef bool record_visitor(void *arg, const struct instance *instance, const void *bytes,
                            struct ref ref);
enum rc hooks_walk_slabs(const struct instance *instance, enum hooks_record record, taddr slab,
                         uint32_t max, record_visitor *visit, void *arg);
/* The same of the list that a field of the root record has. */
enum rc hooks_walk_all(struct instance *instance, enum hooks_record record, enum hooks_field slab,
                       uint32_t max, record_visitor *visit, void *arg);

/* hooks-threads.c, hooks-tasks.c, hooks-locks.c */
enum rc hooks_each_thread(struct instance *instance, thread_visitor *visit, void *arg);
enum rc hooks_each_task(struct instance *instance, task_visitor *visit, void *arg);
enum rc hooks_planned_task(struct instance *instance, taddr function, taddr block,
                           struct task_facts *facts);
enum rc hooks_dependences(struct instance *instance, struct query *query, taddr array,
                          uint32_t count, struct dependence *out);
enum rc hooks_each_lock(struct instance *instance, lock_visitor *visit, void *arg);

/* hooks-icvs.c, hooks-settings.c */
enum rc hooks_icvs(struct instance *instance, struct ref task, struct icv_facts *out);
enum rc hooks_globals(struct instance *instance, struct global_facts *out);
enum rc hooks_settings(struct instance *instance, char **out, size_t *bytes);

#endif
