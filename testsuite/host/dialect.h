/* SPDX-License-Identifier: MIT
 *
 * The questions a debugger asks an OMPD library, in words that belong to no version of the
 * interface. abi2.c (report 2.000) and abi5.c (OpenMP 5.x) each fill one table.
 *
 * To add a version of the interface: fill a struct dialect and name it in session.c.
 *
 * Handles are those of the library behind an opaque type. Every handle that a function
 * gives out is the caller's and goes back with the release function of its kind; lists
 * also with host_free(). Out-parameters change only when the answer is ANSWER_OK.
 */
#ifndef HOST_DIALECT_H
#define HOST_DIALECT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target.h"

enum answer {
    ANSWER_OK,
    ANSWER_UNAVAILABLE,
    ANSWER_STALE_HANDLE,
    ANSWER_BAD_INPUT,
    ANSWER_ERROR,
    ANSWER_UNSUPPORTED, /* also when the library lacks the routine */
    ANSWER_NEEDS_STATE_TRACKING,
    ANSWER_INCOMPATIBLE,
    ANSWER_READ_ERROR,
    ANSWER_WRITE_ERROR,
    ANSWER_NOMEM,
    ANSWER_INCOMPLETE, /* the first item of a list; written nevertheless */
    ANSWER_OTHER,      /* a code that this host does not know */
};

const char *answer_name(enum answer answer);

struct session;
struct omp_thread;
struct omp_region;
struct omp_task;

enum thread_id_kind { ID_PTHREAD, ID_LWP };

struct task_frame {
    uint64_t exit, enter; /* canonical frame addresses, 0 for none */
};

/* What an ICV belongs to, and so which handle a question about it takes. */
enum icv_scope { ICV_OF_PROCESS, ICV_OF_THREAD, ICV_OF_REGION, ICV_OF_TASK, ICV_SCOPES };

/* Names are those of OpenMP 5.1; "nest-var" and "in-parallel" are this host's for what only
 * the report asks. */
struct icv {
    const char *name;
    enum icv_scope scope;
    bool is_of_devices; /* which the library looks for, by symbols, where it is asked for them */
};

struct dialect {
    int abi;
    const char *library; /* last component of its file name */

    /* Looks up the routines in s->dl, initialises the library and the process. */
    enum answer (*open)(struct session *s, struct why *why);
    void (*close)(struct session *s);

    enum answer (*threads)(struct session *s, struct omp_thread ***list, size_t *count);
    /* BAD_INPUT or UNAVAILABLE when that thread is no OpenMP thread. */
    enum answer (*thread_by_id)(struct session *s, enum thread_id_kind kind, uint64_t id,
                                struct omp_thread **thread);
    enum answer (*thread_id)(struct session *s, struct omp_thread *thread, enum thread_id_kind kind,
                             uint64_t *id);
    enum answer (*thread_state)(struct session *s, struct omp_thread *thread, uint64_t *state,
                                uint64_t *wait_id);
    enum answer (*thread_num)(struct session *s, struct omp_thread *thread, int64_t *num);
    enum answer (*thread_region)(struct session *s, struct omp_thread *thread,
                                 struct omp_region **region);
    enum answer (*thread_task)(struct session *s, struct omp_thread *thread,
                               struct omp_task **task);
    enum answer (*thread_string)(struct session *s, struct omp_thread *thread, char **text);
    enum answer (*thread_compare)(struct session *s, struct omp_thread *a, struct omp_thread *b,
                                  int *order);
    enum answer (*thread_release)(struct session *s, struct omp_thread *thread);

    enum answer (*region_id)(struct session *s, struct omp_region *region, uint64_t *id);
    enum answer (*region_size)(struct session *s, struct omp_region *region, int64_t *size);
    enum answer (*region_function)(struct session *s, struct omp_region *region, uint64_t *address);
    enum answer (*region_parent)(struct session *s, struct omp_region *region,
                                 struct omp_region **parent);
    enum answer (*region_master)(struct session *s, struct omp_region *region,
                                 struct omp_thread **thread);
    enum answer (*region_threads)(struct session *s, struct omp_region *region,
                                  struct omp_thread ***list, size_t *count);
    enum answer (*region_tasks)(struct session *s, struct omp_region *region,
                                struct omp_task ***list, size_t *count);
    enum answer (*region_string)(struct session *s, struct omp_region *region, char **text);
    enum answer (*region_compare)(struct session *s, struct omp_region *a, struct omp_region *b,
                                  int *order);
    enum answer (*region_release)(struct session *s, struct omp_region *region);

    enum answer (*task_id)(struct session *s, struct omp_task *task, uint64_t *id);
    enum answer (*task_function)(struct session *s, struct omp_task *task, uint64_t *address);
    enum answer (*task_frame)(struct session *s, struct omp_task *task, struct task_frame *frame);
    enum answer (*task_parent)(struct session *s, struct omp_task *task, struct omp_task **parent);
    enum answer (*task_region)(struct session *s, struct omp_task *task,
                               struct omp_region **region);
    enum answer (*task_level)(struct session *s, struct omp_task *task, int64_t *level);
    enum answer (*task_active_level)(struct session *s, struct omp_task *task, int64_t *level);
    enum answer (*task_implicit)(struct session *s, struct omp_task *task, int64_t *implicit);
    enum answer (*task_final)(struct session *s, struct omp_task *task, int64_t *final);
    enum answer (*task_string)(struct session *s, struct omp_task *task, char **text);
    enum answer (*task_compare)(struct session *s, struct omp_task *a, struct omp_task *b,
                                int *order);
    enum answer (*task_release)(struct session *s, struct omp_task *task);

    /* The name that the library itself has for the thread's state; NULL: it names none. */
    enum answer (*thread_state_name)(struct session *s, struct omp_thread *thread, char **text);

    /* ICVs by their index in this list, which lives as long as the session. The handle is
     * of the kind that the scope asks for, and ignored for those of the process. */
    const struct icv *(*icvs)(struct session *s, size_t *count);
    enum answer (*icv_number)(struct session *s, size_t icv, void *handle, int64_t *number);
    enum answer (*icv_text)(struct session *s, size_t icv, void *handle, char **text);

    /* Display control variables, "name=value" each; settings_free takes them. */
    enum answer (*settings)(struct session *s, char ***list, size_t *count);
};

/* For the dialects: a copy of such a list that ends with NULL. */
enum answer settings_copy(const char *const *from, char ***list, size_t *count);
void settings_free(char **list, size_t count);

extern const struct dialect dialect_abi2, dialect_abi5;

#endif
