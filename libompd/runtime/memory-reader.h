/* SPDX-License-Identifier: MIT
 *
 * What the readers of a runtime's own memory share: each operation is one query, facts that need
 * reads of their own are marked, and ids are made of what an object holds.
 */
#ifndef LIBOMPD_MEMORY_READER_H
#define LIBOMPD_MEMORY_READER_H

#include "libompd/array.h"
#include "libompd/runtime/pthreads.h"
#include "libompd/runtime/query.h"
#include "libompd/runtime/reader.h"

/* How a fact is known that took reads of its own. */
static inline enum known memory_mark(enum rc rc)
{
    return rc == RC_OK            ? KNOWN
           : rc == RC_UNAVAILABLE ? NONE_HERE
           : rc_is_unreadable(rc) ? (enum known)(UNREADABLE + rc - RC_READ_ERROR)
                                  : IMPOSSIBLE;
}

/* An id: the address of an object, with the runtime's place, and above it the low bits of a hash.
 */
enum { MEMORY_ADDRESS_BITS = 48 };
#define MEMORY_ADDRESS_MASK ((UINT64_C(1) << MEMORY_ADDRESS_BITS) - 1)
static inline uint64_t memory_id(const struct instance *instance, taddr address, uint64_t bits)
{
    return (address & MEMORY_ADDRESS_MASK) | bits << MEMORY_ADDRESS_BITS | ID_IS_MADE |
           id_of_place(instance->place, false);
}
static inline taddr memory_address(const struct instance *instance, struct ref ref)
{
    return ref.id & MEMORY_ADDRESS_MASK & ~id_of_place(instance->place, false);
}

/* The same of a thread, of its kernel id. */
static inline uint64_t memory_thread_id(const struct instance *instance, uint64_t tid)
{
    return tid | ID_IS_MADE | id_of_place(instance->place, true);
}
static inline uint64_t memory_tid(const struct instance *instance, struct ref ref)
{
    return ref.id & ~memory_thread_id(instance, 0);
}

/* Of a field of 4 bytes that has a sign. */
static inline uint64_t memory_signed(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static inline uint64_t memory_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Before and after the facts of a thread are found. `rc`: why its team, pool or task could not be
 * read; that is the mark of all facts but its ids, then. */
void memory_thread_begin(struct thread_facts *facts);
enum rc memory_thread_end(struct thread_facts *facts, uint64_t tid, taddr pthread, enum rc rc);

/* Where a thread was found before: its struct pthread, or that of the runtime. What is there is
 * read and compared before use. */
struct thread_hint {
    uint32_t tid;
    taddr at;
};

/* A forked child has its parent's list of threads, until libc or the runtime has cleared it, and
 * only one of those threads. Only the debugger knows that. One that knows none of a process's
 * threads by kernel id is not believed; where it knows two of them there are no ghosts. */
struct ghosts {
    bool debugger_answers; /* it has known a thread of this process */
    /* Both of the query under way: one that it has known, and whether it has known two. */
    uint64_t alive;
    bool none;
};

/* What each of these readers keeps of a process; its state begins with it. */
struct memory {
    struct pthreads pthreads;
    struct array hints; /* of struct thread_hint */
    struct ghosts ghosts;
    bool proven; /* the layout is certain: by the version, or as a thread was as it says */
    struct query query;
};
static inline struct memory *memory_of(const struct instance *instance)
{
    return instance->reader_state;
}

/* Gives an instance its state, the runtime's own part of which is filled in, and opens it if its
 * threads agree with the layout. RC_INCOMPATIBLE: they do not. */
typedef bool threads_agree(struct instance *instance);
enum rc memory_open(struct instance *instance, struct memory *state, size_t bytes,
                    threads_agree *agree);
void memory_close(struct instance *instance);

/* Around each query, which what follows is a part of. True: it is not within another one. */
bool memory_begin(struct instance *instance);
void memory_end(struct instance *instance);
static inline enum rc memory_read(const struct instance *instance, taddr address, size_t bytes,
                                  void *out)
{
    return query_read(instance->space, &memory_of(instance)->query, address, bytes, out);
}
/* RC_NONSENSE: it is not aligned. */
enum rc memory_pointer(const struct instance *instance, taddr address, taddr *out);

/* Without memory for it there is one hint less. */
void memory_keep_hint(struct instance *instance, uint64_t tid, taddr at);

/* Does the debugger know a thread by its kernel id? RC_UNAVAILABLE: it does not. */
enum rc memory_has_thread(const struct instance *instance, uint64_t tid);

/* Does a thread not exist, of which memory has an id? One whose list the runtime still has is not
 * asked for where there are no ghosts. */
bool memory_is_gone(const struct instance *instance, uint64_t tid);
bool memory_is_ghost(const struct instance *instance, uint64_t tid);

/* Of a region, as the reader keeps it, by rising number. RC_UNAVAILABLE leaves a member out. */
typedef enum rc member_ref(struct instance *instance, const void *region, uint32_t number,
                           struct ref *out);
enum rc memory_walk_members(struct instance *instance, const void *region, uint32_t count,
                            enum members members, member_ref *find, ref_visitor *visit, void *arg);

/* environment.c: variables of OpenMP in the environment, as reader->settings() gives them.
 * RC_UNSUPPORTED: libc's list of it is not found. */
enum rc memory_settings(const struct instance *instance, char **out, size_t *bytes);

/* Each call from the layers above is one query: query_FUNCTION() of what RUNTIME_FUNCTION() does.
 * `too_long` is the return code when it takes more steps than it may. */
#define QUESTION(too_long, runtime, function, asked, parameters, ...)                              \
    static enum rc query_##function parameters                                                     \
    {                                                                                              \
        runtime##_begin(instance);                                                                 \
        bool agree = memory_of(instance)->proven || runtime##_threads_agree(instance);             \
        enum rc rc = agree ? asked(__VA_ARGS__) : RC_INCOMPATIBLE;                                 \
        memory_end(instance);                                                                      \
        return rc == RC_INCOMPLETE ? too_long : rc;                                                \
    }
#define QUERY(runtime, function, ...)                                                              \
    QUESTION(RC_NONSENSE, runtime, function, runtime##_##function, __VA_ARGS__)

/* Of many objects: what was visited is right. */
#define SURVEY(runtime, function, ...)                                                             \
    QUESTION(RC_INCOMPLETE, runtime, function, runtime##_##function, __VA_ARGS__)

/* Of the facts of one object, and of a walk. */
#define QUERY_FACTS(runtime, function, type)                                                       \
    QUERY(runtime, function, (struct instance * instance, struct ref ref, struct type * out),      \
          instance, ref, out)
#define SURVEY_ALL(runtime, function, visitor)                                                     \
    SURVEY(runtime, function, (struct instance * instance, visitor * visit, void *arg), instance,  \
           visit, arg)

/* Of the first thread whose memory no state of the runtime leaves. */
struct damage {
    struct instance *instance;
    bool found;
    taddr at;
};

/* Threads, by what each reader has of its own: RUNTIME_walk_known(), which sets *part where it
 * leaves one out that cannot be read, RUNTIME_thread_ref(), RUNTIME_read_thread_ref(),
 * RUNTIME_is_damaged(), and fill_thread(). */
#define MEMORY_THREADS(runtime)                                                                    \
    static enum rc facts_of(struct instance *instance, const struct runtime##_thread *thread,      \
                            struct thread_facts *out)                                              \
    {                                                                                              \
        struct thread_facts facts;                                                                 \
        memory_thread_begin(&facts);                                                               \
        enum rc rc = fill_thread(instance, thread, &facts);                                        \
        rc = memory_thread_end(&facts, thread->tid, thread->pthread, rc);                          \
        if (rc == RC_OK)                                                                           \
            *out = facts;                                                                          \
        return rc;                                                                                 \
    }                                                                                              \
    static enum rc runtime##_thread(struct instance *instance, struct ref ref,                     \
                                    struct thread_facts *out)                                      \
    {                                                                                              \
        struct runtime##_thread thread;                                                            \
        enum rc rc = runtime##_read_thread_ref(instance, ref, &thread);                            \
        return rc == RC_OK ? facts_of(instance, &thread, out) : rc;                                \
    }                                                                                              \
    static bool compare_damage(void *arg, const struct runtime##_thread *thread)                   \
    {                                                                                              \
        struct damage *damage = arg;                                                               \
        damage->found = runtime##_is_damaged(damage->instance, thread, &damage->at);               \
        return !damage->found;                                                                     \
    }                                                                                              \
    static enum rc runtime##_damage(struct instance *instance, taddr *out)                         \
    {                                                                                              \
        struct damage damage = {.instance = instance};                                             \
        bool part = false;                                                                         \
        enum rc rc = runtime##_walk_known(instance, compare_damage, &damage, &part);               \
        if (damage.found)                                                                          \
            *out = damage.at;                                                                      \
        return rc == RC_OK && !damage.found ? RC_UNAVAILABLE : rc;                                 \
    }                                                                                              \
    struct thread_walk {                                                                           \
        struct instance *instance;                                                                 \
        ref_visitor *visit_ref; /* one of the two */                                               \
        thread_visitor *visit_facts;                                                               \
        void *arg;                                                                                 \
        enum rc rc;                                                                                \
    };                                                                                             \
    static bool visit_thread(void *arg, const struct runtime##_thread *thread)                     \
    {                                                                                              \
        struct thread_walk *walk = arg;                                                            \
        struct ref ref = runtime##_thread_ref(walk->instance, thread);                             \
        struct thread_facts facts;                                                                 \
        if (walk->visit_ref)                                                                       \
            return walk->visit_ref(walk->arg, ref);                                                \
        walk->rc = facts_of(walk->instance, thread, &facts);                                       \
        return walk->rc == RC_OK && walk->visit_facts(walk->arg, ref, &facts);                     \
    }                                                                                              \
    static enum rc runtime##_walk_threads(struct instance *instance, ref_visitor *visit,           \
                                          void *arg)                                               \
    {                                                                                              \
        struct thread_walk walk = {instance, visit, NULL, arg, RC_OK};                             \
        bool part = false;                                                                         \
        return runtime##_walk_known(instance, visit_thread, &walk, &part);                         \
    }                                                                                              \
    static enum rc runtime##_each_thread(struct instance *instance, thread_visitor *visit,         \
                                         void *arg)                                                \
    {                                                                                              \
        struct thread_walk walk = {instance, NULL, visit, arg, RC_OK};                             \
        bool part = false;                                                                         \
        enum rc rc = runtime##_walk_known(instance, visit_thread, &walk, &part);                   \
        if (rc == RC_OK)                                                                           \
            rc = walk.rc;                                                                          \
        return rc == RC_OK && part ? RC_INCOMPLETE : rc;                                           \
    }

/* Members of a region, by what each reader has of its own: RUNTIME_member(), RUNTIME_thread_ref(),
 * and task_ref(). `size`: how many there are. */
#define MEMORY_MEMBERS(runtime, type, read, size)                                                  \
    static enum rc thread_ref(struct instance *instance, const void *region, uint32_t number,      \
                              struct ref *out)                                                     \
    {                                                                                              \
        struct runtime##_thread member;                                                            \
        enum rc rc = runtime##_member(instance, region, number, &member);                          \
        if (rc == RC_OK)                                                                           \
            *out = runtime##_thread_ref(instance, &member);                                        \
        return rc;                                                                                 \
    }                                                                                              \
    enum rc runtime##_walk_members(struct instance *instance, struct ref ref,                      \
                                   enum members members, ref_visitor *visit, void *arg)            \
    {                                                                                              \
        type region;                                                                               \
        enum rc rc = read(instance, ref, &region);                                                 \
        return rc == RC_OK                                                                         \
                   ? memory_walk_members(instance, &region, size(&region), members,                \
                                         members == MEMBER_THREADS ? thread_ref : task_ref, visit, \
                                         arg)                                                      \
                   : rc;                                                                           \
    }                                                                                              \
    enum rc runtime##_find_member(struct instance *instance, struct ref ref, enum members members, \
                                  uint32_t number, struct ref *out)                                \
    {                                                                                              \
        type region;                                                                               \
        enum rc rc = read(instance, ref, &region);                                                 \
        if (rc != RC_OK)                                                                           \
            return rc;                                                                             \
        return (members == MEMBER_THREADS ? thread_ref : task_ref)(instance, &region, number,      \
                                                                   out);                           \
    }

/* The operations that all of these readers have, and their rows in the table. References are
 * never torn, so an id is never asked for alone. */
#define MEMORY_READER(runtime)                                                                     \
    QUERY(runtime, find_thread,                                                                    \
          (struct instance * instance, enum os_thread_kind kind, uint64_t id, struct ref * out),   \
          instance, kind, id, out)                                                                 \
    QUERY(runtime, walk_threads, (struct instance * instance, ref_visitor * visit, void *arg),     \
          instance, visit, arg)                                                                    \
    QUERY_FACTS(runtime, thread, thread_facts)                                                     \
    QUERY(runtime, damage, (struct instance * instance, taddr * out), instance, out)               \
    QUERY_FACTS(runtime, region, region_facts)                                                     \
    QUERY_FACTS(runtime, task, task_facts)                                                         \
    QUERY(runtime, walk_members,                                                                   \
          (struct instance * instance, struct ref region, enum members members,                    \
           ref_visitor * visit, void *arg),                                                        \
          instance, region, members, visit, arg)                                                   \
    QUERY(runtime, find_member,                                                                    \
          (struct instance * instance, struct ref region, enum members members, uint32_t number,   \
           struct ref * out),                                                                      \
          instance, region, members, number, out)                                                  \
    QUERY_FACTS(runtime, icvs, icv_facts)                                                          \
    SURVEY_ALL(runtime, each_thread, thread_visitor)                                               \
    SURVEY_ALL(runtime, each_task, task_visitor)                                                   \
    SURVEY(runtime, walk_dependers,                                                                \
           (struct instance * instance, struct ref task, depender_visitor * visit, void *arg),     \
           instance, task, visit, arg)                                                             \
    QUERY(                                                                                         \
        runtime, lock,                                                                             \
        (struct instance * instance, taddr address, enum lock_kind kind, struct lock_facts * out), \
        instance, address, kind, out)                                                              \
    QUESTION(RC_NONSENSE, runtime, settings, memory_settings,                                      \
             (struct instance * instance, char **out, size_t *bytes), instance, out, bytes)        \
    static enum rc runtime##_stack(struct instance *instance, struct ref ref,                      \
                                   struct stack_facts *out)                                        \
    {                                                                                              \
        struct runtime##_thread thread;                                                            \
        enum rc rc = runtime##_read_thread_ref(instance, ref, &thread);                            \
        struct memory *memory = memory_of(instance);                                               \
        return rc == RC_OK ? pthreads_stack(instance->space, &memory->query, &memory->pthreads,    \
                                            thread.pthread, out)                                   \
                           : rc;                                                                   \
    }                                                                                              \
    QUERY_FACTS(runtime, stack, stack_facts)                                                       \
    static void versions(const struct instance *instance, struct fact *first, struct fact *last)   \
    {                                                                                              \
        *first = (struct fact){KNOWN, runtime##_state(instance)->layout->first_version};           \
        *last = (struct fact){KNOWN, runtime##_state(instance)->layout->last_version};             \
    }                                                                                              \
    static enum rc no_id(struct instance *instance, taddr address, uint64_t *out)                  \
    {                                                                                              \
        (void)instance;                                                                            \
        (void)address;                                                                             \
        (void)out;                                                                                 \
        return RC_UNAVAILABLE;                                                                     \
    }

#define MEMORY_READER_ROWS(runtime)                                                                \
    .name = #runtime, .open = runtime##_open, .begin = runtime##_begin, .end = memory_end,         \
    .versions = versions, .find_thread = query_find_thread, .walk_threads = query_walk_threads,    \
    .damage = query_damage, .thread = query_thread, .region = query_region, .task = query_task,    \
    .walk_members = query_walk_members, .find_member = query_find_member, .icvs = query_icvs,      \
    .each_thread = query_each_thread, .each_task = query_each_task,                                \
    .walk_dependers = query_walk_dependers, .lock = query_lock, .settings = query_settings,        \
    .stack = query_stack, .region_id = no_id, .task_id = no_id

#endif
