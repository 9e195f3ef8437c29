/* SPDX-License-Identifier: MIT
 *
 * A tool of OMPT that is a state machine over all callbacks: what its files share.
 *
 * Each data word points to an object of ours, and objects are never given back, so that a
 * word that is handed out after its object's end is known as such. Scopes (sync regions,
 * work, regions, targets) nest within the task that opens them, not within the thread.
 *
 * What contradicts the standard is written to $CHECKER_REPORT, a line for each, the
 * moment it is seen. $CHECKER_EXCEPT names rules that are not to be checked.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include <omp-tools.h>

enum kind { THREAD = 0x7468, REGION = 0x7265, TASK = 0x7461 };

struct object {
    uint32_t kind;
    uint32_t generation; /* of the process: a forked child has none of its parent's */
    uint64_t id;
    struct object *older;
};

struct scope {
    enum { SYNC = 1, WAIT, WORK, TEAM, DEVICE } what;
    int kind;
    void *of;
};

enum { SCOPES = 64, HELD = 64 };

struct region {
    struct object object;
    struct task *parent;
    int flags;
    uint32_t ended, actual, begun, index0_ended;
    uint8_t *taken;
};

enum life { CREATED = 1, RUNNING, SUSPENDED, DETACHED, COMPLETED };

/* The tasks that named an address last, as a set, and the set before. */
struct set {
    unsigned count;
    struct task **tasks;
};

struct address {
    uint64_t value;
    int kind;
    struct set last, before;
    struct address *next;
};

struct task {
    struct object object;
    int flags;
    unsigned index;
    _Atomic(enum life) life;
    bool depends, named, fulfilled;
    struct region *region;
    struct task *parent;       /* that created it */
    struct task *outer;        /* that goes on when it ends */
    struct thread *thread;     /* that ran it last */
    struct address *addresses; /* of its children's depend clauses */
    struct set waits_for;
    int depth;
    struct scope scopes[SCOPES];
};

struct held {
    ompt_mutex_t kind;
    ompt_wait_id_t id;
};

struct thread {
    struct object object;
    ompt_thread_t type;
    bool over;
    struct task *current;
    struct held acquiring, held[HELD];
    int held_count;
    uintptr_t low, high; /* of its stack */
};

/* The entry points. */
extern struct entries {
    ompt_set_callback_t set_callback;
    ompt_get_thread_data_t get_thread_data;
    ompt_get_unique_id_t get_unique_id;
    ompt_get_task_info_t get_task_info;
    ompt_get_parallel_info_t get_parallel_info;
    ompt_get_state_t get_state;
} ask;

extern _Thread_local struct thread *me;
extern uint32_t generation;

/* report.c */
void report_open(void);
void report_close(void);
void count_event(void);
void contradiction(const char *rule, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define HOLDS(rule, condition, ...)                                                      \
    do {                                                                                 \
        if (!(condition))                                                                \
            contradiction(#rule, __func__ + 3, __VA_ARGS__);                             \
    } while (0)

/* objects.c */
void *memory(size_t size);
void *object_new(enum kind kind, size_t size, ompt_data_t *word, const char *event);
void *object_of(enum kind kind, const ompt_data_t *word, const char *event);
void objects_check(void);
#define NEW(KIND, type, word)                                                            \
    ((struct type *)object_new(KIND, sizeof(struct type), word, __func__ + 3))
#define OF(KIND, type, word) ((struct type *)object_of(KIND, word, __func__ + 3))
static inline unsigned long id_of(const void *object)
{
    return object ? (unsigned long)((const struct object *)object)->id : 0;
}

/* places.c */
void check_code(const char *event, const void *codeptr);
void check_frame(const char *event, const ompt_frame_t *frame, bool entered);
void stack_bounds(struct thread *thread);

/* scopes.c */
void scope_open(const char *event, int what, int kind, void *of);
void scope_close(const char *event, int what, int kind, void *of);
void scopes_none(const char *event, struct task *task);

/* Begins every callback: the thread is known, and what can be asked agrees. */
bool check_thread(const char *event);
void check_current(const char *event, const ompt_data_t *task, const ompt_data_t *region);
#define BEGIN()                                                                          \
    do {                                                                                 \
        count_event();                                                                   \
        if (!check_thread(__func__ + 3))                                                 \
            return;                                                                      \
    } while (0)

/* The callbacks. */
void on_thread_begin(ompt_thread_t type, ompt_data_t *data);
void on_thread_end(ompt_data_t *data);
void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                       ompt_data_t *parallel, unsigned int requested, int flags,
                       const void *codeptr);
void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                     const void *codeptr);
void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task,
                      unsigned int actual, unsigned int index, int flags);
void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task,
                    int flags, int dependences, const void *codeptr);
void on_dependences(ompt_data_t *task, const ompt_dependence_t *deps, int count);
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
void on_cancel(ompt_data_t *task, int flags, const void *codeptr);
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                    ompt_data_t *parallel, ompt_data_t *task, const void *codeptr);
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                         ompt_data_t *parallel, ompt_data_t *task, const void *codeptr);
void on_work(ompt_work_t kind, ompt_scope_endpoint_t at, ompt_data_t *parallel,
             ompt_data_t *task, uint64_t count, const void *codeptr);
void on_target(ompt_target_t kind, ompt_scope_endpoint_t at, int device,
               ompt_data_t *task, ompt_id_t id, const void *codeptr);
void on_error(ompt_severity_t severity, const char *message, size_t length,
              const void *codeptr);
void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                      ompt_wait_id_t id, const void *codeptr);
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr);
void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr);
void on_nest_lock(ompt_scope_endpoint_t at, ompt_wait_id_t id, const void *codeptr);
void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                  ompt_wait_id_t id, const void *codeptr);
void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr);

#endif
