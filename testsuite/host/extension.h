/* SPDX-License-Identifier: MIT
 *
 * What a libompd.so tells beyond the standard (ompd-ext.h), gathered once.
 */
#ifndef HOST_EXTENSION_H
#define HOST_EXTENSION_H

#include "libompd/ext/ompd-ext.h"
#include "session.h"

/* A list with the answer that came with it; ANSWER_INCOMPLETE goes with a list as well. */
#define EXTENSION_LIST(type, name)                                                                 \
    struct {                                                                                       \
        enum answer answer;                                                                        \
        type *items;                                                                               \
        ompd_size_t count;                                                                         \
    } name

struct extension {
    ompd_word_t version, omp_version; /* the latter 0 where it is not known */
    const char *omp_name;
    EXTENSION_LIST(ompd_ext_thread_t, threads);
    EXTENSION_LIST(ompd_ext_task_t, tasks);
    EXTENSION_LIST(ompd_ext_dependence_t, dependences);
    EXTENSION_LIST(ompd_ext_lock_t, locks);
    EXTENSION_LIST(ompd_ext_object_t, waiters); /* of the locks, which say whose */
    EXTENSION_LIST(ompd_ext_barrier_t, barriers);
    EXTENSION_LIST(ompd_ext_region_t, regions);
    EXTENSION_LIST(ompd_ext_runtime_t, runtimes);
    const char **files; /* of the runtimes, NULL where it is not known */
};

/* False when the library has no extension. `out` is filled in either case. */
bool extension_take(struct session *session, struct extension *out);
void extension_free(struct extension *extension);

/* All threads at once and nothing else; host_free takes the list. */
enum answer extension_threads(struct session *session, ompd_ext_thread_t **threads,
                              ompd_size_t *count);

/* The lock of one address. */
enum answer extension_lock(struct session *s, uint64_t address, ompd_ext_lock_kind_t kind,
                           ompd_ext_lock_t *lock);

#endif
