/* SPDX-License-Identifier: MIT
 *
 * Handles of address spaces, threads, regions and tasks, and the queries that begin with
 * one.
 *
 * A pointer without the magic number is NULL, released or something else: functions that
 * take a handle answer RC_STALE_HANDLE. Whether the object of a handle still exists is
 * checked when its facts are fetched.
 */
#ifndef LIBOMPD_HANDLE_H
#define LIBOMPD_HANDLE_H

#include <stdalign.h>

#include "libompd/core.h"

enum handle_kind {
    HANDLE_THREAD,
    HANDLE_PARALLEL,
    HANDLE_TASK,
    HANDLE_IMPLICIT, /* the implicit parallel region: implicit-region.c */
    HANDLE_DEVICE,   /* the address space of a device: device.c */
};

struct handle {
    uint64_t magic;
    struct space *space; /* checked first: the instance goes with it */
    struct instance *instance;
    uint32_t serial; /* that the instance had */
    struct ref ref;
    struct handle *next, **link; /* in the list of the space */
};

#define SPACE_MAGIC UINT64_C(0x6f6d70642d737063)

/* space.c. RC_INCOMPATIBLE: no reader fits the process. Its handles end with it. */
enum rc space_create(const struct target_ops *ops, void *context, struct space **out);
void space_destroy(struct space *space);
static inline enum rc space_check(const struct space *space)
{
    if (!space || (uintptr_t)space % alignof(struct space) != 0 || space->magic != SPACE_MAGIC)
        return RC_STALE_HANDLE;
    return RC_OK;
}

/* The first runtime, which a query is about that begins with the address space and has one
 * answer. Once a process records that did not before, the records are read, too, and objects
 * that have one are named by it. RC_UNAVAILABLE: the runtime has been closed. */
enum rc space_instance(struct space *space, struct instance **out);

/* Whether the process records what it does, beyond what its runtime needs. */
enum rc space_records(struct space *space, bool *out);

/* handle.c */
enum rc handle_create(struct instance *instance, enum handle_kind kind, struct ref ref,
                      struct handle **out);
void handle_destroy(struct handle *handle);
enum rc handle_check(const struct handle *handle, enum handle_kind kind);
enum rc handle_release(struct handle *handle, enum handle_kind kind);

/* A total order in which handles are equal exactly when the objects are the same. */
enum rc handle_compare(const struct handle *a, const struct handle *b, enum handle_kind kind,
                       int *out);

/* The same of two handles that have been checked and are of one kind, or of two
 * processes. */
int handle_order(const struct handle *a, const struct handle *b);

/* object.c: the handle of a reference. RC_BAD_INPUT: it is none. RC_STALE_HANDLE: its runtime has
 * been closed. */
enum rc handle_of_object(struct space *space, enum handle_kind kind, struct ref object,
                         struct handle **out);

/* The place of the runtime that something belongs to that this instance says: of a region with
 * these facts, or, without, of a thread. */
struct fact runtime_of(const struct instance *instance, const struct region_facts *region);

/* implicit-region.c: the implicit parallel region that OpenMP 5.x puts around what an
 * initial thread does outside of every explicit region. It has no object of its own: its
 * handle names the thread. These take and make handles of both sorts of region. */
enum rc region_check(const struct handle *region);
enum rc region_release(struct handle *region);
enum rc region_compare(const struct handle *a, const struct handle *b, int *out);
enum rc facts_of_any_region(const struct handle *region, struct region_facts *out);
enum rc any_region_of_thread(const struct handle *thread, struct handle **out);
enum rc any_region_of_region(const struct handle *region, struct handle **out);
enum rc any_region_of_task(const struct handle *task, struct handle **out);
enum rc thread_in_any_region(const struct handle *region, int number, struct handle **out);
enum rc task_in_any_region(const struct handle *region, int number, struct handle **out);

/* device.c: the address space of a device, by the device's number in the target's byte order. It
 * holds what cannot change. What is not answered of a device is in the log, with the reason.
 * RC_BAD_INPUT: there is no such device of that kind, or numbers have another size. RC_UNAVAILABLE: it
 * is not in use. RC_UNSUPPORTED: it is not known which one it is. */
enum rc device_create(struct space *space, enum device_kind kind, size_t size, const void *number,
                      struct handle **out);

/* These take address spaces of both sorts. *space is that of the process; the runtime is the one
 * that answers. RC_UNSUPPORTED: the device has code and memory of its own. */
enum rc any_space_check(const void *handle, struct space **space);
enum rc host_memory_check(const void *handle);
enum rc any_space_runtime(const void *handle, struct instance **out);
enum rc any_space_release(void *handle);
enum rc thread_of_any_space(void *handle, enum os_thread_kind kind, size_t size, const void *os_id,
                            struct handle **out);
enum rc globals_of_any_space(const void *handle, struct global_facts *out);

/* What is answered where a fact is not held that was asked for by a handle of any kind. */
enum rc any_space_lacks(const void *handle);

/* ICVs that number devices. */
struct numbering_facts {
    struct fact num_devices, device_num;
};
enum rc numbering_of_any_space(const void *handle, struct numbering_facts *out);

/* handle-string.c: a string in the debugger's memory, equal for equal handles only. */
enum rc handle_string(const struct handle *handle, enum handle_kind kind, char **out);

/* handle-vector.c: a vector in the debugger's memory, NULL when it is empty. With `out`
 * NULL the handles are only counted. */
enum rc threads_of_space(struct space *space, struct handle ***out, int *count);
enum rc threads_of_region(const struct handle *region, struct handle ***out, int *count);
enum rc implicit_tasks_of_region(const struct handle *region, struct handle ***out, int *count);

/* handle-navigation.c: the handle of the object that another one points to. */
enum rc thread_of_os_id(struct space *space, enum os_thread_kind kind, size_t size,
                        const void *os_id, struct handle **out);
enum rc region_of_thread(const struct handle *thread, struct handle **out);
enum rc task_of_thread(const struct handle *thread, struct handle **out);
enum rc region_of_region(const struct handle *region, struct handle **out);
enum rc master_of_region(const struct handle *region, struct handle **out);
enum rc thread_in_region(const struct handle *region, int number, struct handle **out);
enum rc task_in_region(const struct handle *region, int number, struct handle **out);
enum rc region_of_task(const struct handle *task, struct handle **out);
enum rc parent_of_task(const struct handle *task, struct handle **out);
enum rc scheduling_task_of_task(const struct handle *task, struct handle **out);

/* handle-navigation.c too. Writes the thread's id as the operating system knows it, in the
 * target's byte order. RC_BAD_INPUT: an id of that kind does not have that size. */
enum rc os_id_of_thread(const struct handle *thread, enum os_thread_kind kind, size_t size,
                        void *out);

/* facts.c */
enum rc facts_of_thread(const struct handle *thread, struct thread_facts *out);
enum rc facts_of_region(const struct handle *region, struct region_facts *out);
enum rc facts_of_task(const struct handle *task, struct task_facts *out);

/* The runtime's own number of a region or task that still lives. */
enum rc number_of_region(const struct handle *region, uint64_t *out);
enum rc number_of_task(const struct handle *task, uint64_t *out);

/* RC_UNSUPPORTED: this runtime holds none. */
enum rc globals_of_space(struct space *space, struct global_facts *out);
enum rc icvs_of_task(const struct handle *task, struct icv_facts *out);
enum rc icvs_of_thread(const struct handle *thread, struct icv_facts *out);

/* The one place where a mark becomes an answer; *out is written on RC_OK only. */
enum rc fact_value(struct fact fact, uint64_t *out);

/* The same for references. A torn one is settled here, for one more read. */
enum rc fact_ref(struct instance *instance, enum handle_kind kind, struct ref_fact fact,
                 struct ref *out);

#endif
