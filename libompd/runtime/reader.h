/* SPDX-License-Identifier: MIT
 *
 * A runtime, as the layers above see it: a source of facts.
 */
#ifndef LIBOMPD_READER_H
#define LIBOMPD_READER_H

#include "libompd/core.h"
#include "libompd/runtime/query.h"

/* False ends the walk, which then answers RC_OK. */
typedef bool ref_visitor(void *arg, struct ref ref);
typedef bool thread_visitor(void *arg, struct ref ref, const struct thread_facts *facts);
typedef bool task_visitor(void *arg, struct ref ref, const struct task_facts *facts);
typedef bool depender_visitor(void *arg, const struct depender *depender);
typedef bool event_visitor(void *arg, const struct event_facts *facts);
typedef bool order_visitor(void *arg, const struct order_facts *facts);
typedef bool sum_visitor(void *arg, const struct sum_facts *facts);
typedef bool device_visitor(void *arg, const struct device_facts *facts);
typedef bool mapping_visitor(void *arg, const struct mapping_facts *facts);
typedef bool mapped_visitor(void *arg, const struct mapped_facts *facts);
typedef bool lock_visitor(void *arg, struct ref ref, const struct lock_facts *facts);

/* What makes an image a runtime; wrappers of libgomp, as our hooks, do not export it. */
#define RUNTIME_ENTRY "omp_get_thread_num"
#define RUNTIME_ENTRY_OF_KMP "__kmpc_fork_call" /* besides */

enum { BARRIERS_MAX = 2 }; /* at which members of a team can wait at once */

/* The members of a team: its threads, or their implicit tasks. */
enum members { MEMBER_THREADS, MEMBER_TASKS };

/* To add a runtime: fill this table in a file of its own and name it in detect.c. Where
 * several know of one process, recorded.h composes them.
 *
 * Every function answers RC_OK or says why not:
 *   RC_STALE_HANDLE    the object at ref.address has another id than ref.id
 *   RC_NEEDS_TRACKING  the target does not record this, and could
 *   RC_READ_ERROR, RC_NONSENSE, RC_NOMEM
 * Facts are fetched in one read of the target; every walk is bounded.
 */
struct reader {
    const char *name;

    /* Does the process run this runtime? By evidence found in the target, checked by
     * invariants. RC_UNAVAILABLE: no. RC_INCOMPATIBLE: yes, but of a kind that cannot be
     * read. On success instance->reader_state is set. */
    enum rc (*open)(struct instance *instance);
    void (*close)(struct instance *instance);

    /* False: the process can record what this reader reads, and does not so far. One read.
     * NULL: there are no records; the reader reads what the runtime keeps for itself. */
    enum rc (*records)(struct instance *instance, bool *out);

    /* RC_UNAVAILABLE: not an OpenMP thread. */
    enum rc (*find_thread)(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                           struct ref *out);
    enum rc (*walk_threads)(struct instance *instance, ref_visitor *visit, void *arg);

    enum rc (*thread)(struct instance *instance, struct ref ref, struct thread_facts *out);
    enum rc (*region)(struct instance *instance, struct ref ref, struct region_facts *out);
    enum rc (*task)(struct instance *instance, struct ref ref, struct task_facts *out);

    /* By rising thread number; those that have not begun their part are left out. */
    enum rc (*walk_members)(struct instance *instance, struct ref region, enum members members,
                            ref_visitor *visit, void *arg);

    /* One of them by its number. RC_BAD_INPUT: the team has no such number.
     * RC_UNAVAILABLE: it has not begun its part. */
    enum rc (*find_member)(struct instance *instance, struct ref region, enum members members,
                           uint32_t number, struct ref *out);

    /* The id of the object at an address that was read in a torn pair. RC_UNAVAILABLE:
     * the object has been released. */
    enum rc (*region_id)(struct instance *instance, taddr address, uint64_t *out);
    enum rc (*task_id)(struct instance *instance, taddr address, uint64_t *out);

    /* What follows may be NULL: this runtime does not hold it. */

    /* The versions of the runtime that keep their data as this one does. */
    void (*versions)(const struct instance *instance, struct fact *first, struct fact *last);

    /* The first object whose contents no state of the runtime leaves: the facts of threads that it
     * is about are impossible. RC_UNAVAILABLE: none was found. */
    enum rc (*damage)(struct instance *instance, taddr *out);

    /* Is what the runtime of another image does in the records? RC_UNAVAILABLE: it is not, so far.
     * Two reads. */
    enum rc (*records_image)(struct instance *instance, const struct image *image);

    /* Does the runtime of an image report to the records what it does, so that its objects name
     * them? *alone: and there are no regions of others in them. One read. */
    bool (*reports_image)(struct instance *instance, const struct image *image, bool *alone);

    /* The record whose address a data word of that runtime has, which it shares with a tool: what
     * the word has the address of leads to it. One read where it does. */
    enum rc (*reported_record)(struct instance *instance, taddr value, taddr *out);

    /* What is recorded of a task that has not begun and has no record, by the function and the block
     * that the runtime has of it: its construct, parent and region. RC_UNAVAILABLE: it is no such
     * task. One read where it may be. */
    enum rc (*planned_task)(struct instance *instance, taddr function, taddr block,
                            struct task_facts *facts);

    /* From here on the records are those of that runtime, which until then they leave out.
     * `alone`: its memory is not read. */
    void (*show_reported)(struct instance *instance, bool alone);

    /* The address by which the runtime itself knows the lock of a variable. RC_UNSUPPORTED:
     * the lock is in the variable. */
    enum rc (*lock_object)(struct instance *instance, taddr address, enum lock_kind kind,
                           taddr *out);

    /* The task whose data word is at an address. One read. */
    enum rc (*task_of_word)(struct instance *instance, taddr word, struct ref *out);

    /* The instance that reads the runtime's own memory, of a reader that is made of others. */
    struct instance *(*own_memory)(const struct instance *instance);

    /* Around questions that belong together, one within the other if need be: what they
     * share need not be read again. */
    void (*begin)(struct instance *instance);
    void (*end)(struct instance *instance);

    /* Two reads each, of records. */
    enum rc (*icvs)(struct instance *instance, struct ref task, struct icv_facts *out);
    enum rc (*globals)(struct instance *instance, struct global_facts *out);

    /* Settings as strings "name=value", each ended by NUL, in memory of the debugger that
     * the caller releases; of a runtime's own memory only what the environment has. RC_UNAVAILABLE:
     * none are kept yet. */
    enum rc (*settings)(struct instance *instance, char **out, size_t *bytes);

    /* How a tool inside the process is served. RC_UNSUPPORTED: in a way not known here. */
    enum rc (*tool)(struct instance *instance, enum tool_interface *out);

    /* Facts of many, read in pieces. RC_INCOMPLETE: there are more than the reader is
     * willing to read, or a list has a cycle; what was visited is right. */
    enum rc (*each_thread)(struct instance *instance, thread_visitor *visit, void *arg);
    enum rc (*each_task)(struct instance *instance, task_visitor *visit, void *arg);
    enum rc (*each_lock)(struct instance *instance, lock_visitor *visit, void *arg);

    /* Devices, and what is mapped to them. RC_UNSUPPORTED: it is not known where this version has
     * them. RC_UNAVAILABLE: the program has not asked for devices yet. RC_INCOMPLETE: also where a
     * list was mid-update. */
    enum rc (*each_device)(struct instance *instance, device_visitor *visit, void *arg);
    enum rc (*each_mapping)(struct instance *instance, mapping_visitor *visit, void *arg);

    /* Who has mapped what, as far as it is recorded, of all runtimes, in no order. */
    enum rc (*mapped)(struct instance *instance, mapped_visitor *visit, void *arg);

    /* The barriers in which members of a team wait, of a runtime that counts them. Of one
     * without this function the facts of threads are used. */
    enum rc (*barriers)(struct instance *instance, struct ref region,
                        struct barrier_facts out[BARRIERS_MAX], unsigned *count);

    /* A lock by its address, of a runtime that has no list of them. RC_BAD_INPUT: what
     * is there is no lock of that kind. */
    enum rc (*lock)(struct instance *instance, taddr address, enum lock_kind kind,
                    struct lock_facts *out);

    /* The loop that a thread is in, provided that it is in one: a runtime need not keep
     * that. RC_UNAVAILABLE: it is in none. */
    enum rc (*loop)(struct instance *instance, struct ref thread, struct loop_facts *out);

    /* The last events of a thread, oldest first. RC_UNAVAILABLE: none are kept. */
    enum rc (*history)(struct instance *instance, struct ref thread, event_visitor *visit,
                       void *arg);

    /* The sums that the process keeps. RC_UNAVAILABLE: it keeps none, or the clock is not known. */
    enum rc (*sums)(struct instance *instance, sum_visitor *visit, void *arg);

    /* RC_UNAVAILABLE: the bounds of its stack are kept nowhere, as of the main thread's. */
    enum rc (*stack)(struct instance *instance, struct ref thread, struct stack_facts *out);

    enum rc (*absence)(struct instance *instance, struct ref region, struct absence_facts *out);

    /* Forks between the process that began to record and this one. */
    enum rc (*forks)(struct instance *instance, uint32_t *out);

    /* The orders in which locks have been acquired, a parent before what is inside of it or after.
     * RC_UNAVAILABLE: none are recorded; RC_INCOMPLETE: there were more. */
    enum rc (*orders)(struct instance *instance, order_visitor *visit, void *arg);

    /* The tasks that wait for a task, of a runtime that keeps them. Of one that does not
     * they are computed from what `dependences` gives. */
    enum rc (*walk_dependers)(struct instance *instance, struct ref task, depender_visitor *visit,
                              void *arg);

    /* The first `count` items of a task's depend clauses; `count` is at most
     * DEPENDENCES_MAX. What one `query` has read is not read again. */
    enum rc (*dependences)(struct instance *instance, struct query *query, taddr array,
                           uint32_t count, struct dependence *out);
};

enum { DEPENDENCES_MAX = 256 };

/* The instance that reads the runtime's own memory, NULL: none does. */
static inline struct instance *reader_own_memory(struct instance *instance)
{
    const struct reader *reader = instance->reader;
    if (reader && reader->own_memory)
        return reader->own_memory(instance);
    return reader && !reader->records ? instance : NULL;
}

static inline void reader_begin(struct instance *instance)
{
    if (instance->reader->begin)
        instance->reader->begin(instance);
}
static inline void reader_end(struct instance *instance)
{
    if (instance->reader->end)
        instance->reader->end(instance);
}

/* reader.c: walk_threads() by each_thread(), of a reader that reads no less for it. */
typedef enum rc threads_walk(struct instance *instance, thread_visitor *visit, void *arg);
enum rc reader_walk_refs(struct instance *instance, threads_walk *each_thread, ref_visitor *visit,
                         void *arg);

/* Gives an instance a copy of its reader's state. */
enum rc reader_keep_state(struct instance *instance, const void *state, size_t bytes);

extern const struct reader hooks_reader;
extern const struct reader gomp_reader;
extern const struct reader kmp_reader;
extern const struct reader recorded_reader;
extern const struct reader annotated_reader;

/* detect.c: opens the readers that fit the process. RC_INCOMPATIBLE: none does. */
enum rc reader_detect(struct instance *instance);

/* The same of readers that read no records: those are read once for a process. */
enum rc reader_open(struct instance *instance);

void reader_close(struct instance *instance);

/* Makes one reader of two, given as instances; `runtime` may lack one. On success it owns their
 * states. */
enum rc recorded_compose(struct instance *instance, const struct instance *runtime,
                         const struct instance *records);

/* Can the witness that is awaited be read by now, too? One read where nothing has changed; where
 * memory is awaited a reader is opened. */
enum rc reader_wake(struct instance *instance);

/* instances.c: finds the runtimes of a process and opens them. RC_INCOMPATIBLE: none can be
 * read. */
enum rc instances_open(struct space *space);
void instances_close(struct space *space);

/* The same again when images were loaded or unloaded, for two reads where none was; false. What
 * is still there stays open. What could not be read is tried again in any case. */
bool instances_refresh(struct space *space);

/* For an instance that could not be read: has it gone? The others are found again. */
bool instance_is_closed(struct instance *instance);

/* Of an instance without a name of its image: which runtime it is, and where, by what symbols are
 * found first. RC_UNAVAILABLE: there is none. */
enum rc instance_identify(struct instance *instance);

/* Is it in the records that are read at place 0? Assumed where it is unknown. */
bool instance_is_recorded(struct instance *instance);

/* Those with a reader in turn, NULL before the first and after the last. Not those that are
 * recorded: their threads are those of the records. */
struct instance *instance_next(struct space *space, const struct instance *last);

#endif
