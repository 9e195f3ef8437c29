/* SPDX-License-Identifier: MIT
 *
 * Entry points of libgomp that compilers called once and binaries still call. Their
 * declarations are ours, written from what the ABI is, as no installed header has them.
 */
#ifndef PROGRAMS_OLDABI_H
#define PROGRAMS_OLDABI_H

#include <stdbool.h>

typedef void outlined(void *);
typedef unsigned long long ull;

void GOMP_parallel_start(outlined *, void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_sections_start(outlined *, void *, unsigned, unsigned);
unsigned GOMP_sections_start(unsigned);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void);

/* num_threads, start, end, increment, chunk */
#define PARALLEL_LOOP_START(kind)                                                      \
    void GOMP_parallel_loop_##kind##_start(outlined *, void *, unsigned, long, long,   \
                                           long, long)
PARALLEL_LOOP_START(static);
PARALLEL_LOOP_START(dynamic);
PARALLEL_LOOP_START(guided);
void GOMP_parallel_loop_runtime_start(outlined *, void *, unsigned, long, long, long);

/* The same and flags. */
#define PARALLEL_LOOP(kind)                                                            \
    void GOMP_parallel_loop_##kind(outlined *, void *, unsigned, long, long, long,     \
                                   long, unsigned)
PARALLEL_LOOP(static);
PARALLEL_LOOP(dynamic);
PARALLEL_LOOP(guided);
PARALLEL_LOOP(nonmonotonic_dynamic);
PARALLEL_LOOP(nonmonotonic_guided);
#define PARALLEL_LOOP_RUNTIME(kind)                                                    \
    void GOMP_parallel_loop_##kind(outlined *, void *, unsigned, long, long, long,     \
                                   unsigned)
PARALLEL_LOOP_RUNTIME(runtime);
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime);
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime);

#define LOOP(kind)                                                                     \
    bool GOMP_loop_##kind##_start(long, long, long, long, long *, long *);             \
    bool GOMP_loop_##kind##_next(long *, long *);                                      \
    bool GOMP_loop_ull_##kind##_start(bool, ull, ull, ull, ull, ull *, ull *);         \
    bool GOMP_loop_ull_##kind##_next(ull *, ull *)
LOOP(static);
LOOP(dynamic);
LOOP(guided);
LOOP(nonmonotonic_dynamic);
LOOP(nonmonotonic_guided);
LOOP(ordered_static);
LOOP(ordered_dynamic);
LOOP(ordered_guided);
#define LOOP_RUNTIME(kind)                                                             \
    bool GOMP_loop_##kind##_start(long, long, long, long *, long *);                   \
    bool GOMP_loop_##kind##_next(long *, long *);                                      \
    bool GOMP_loop_ull_##kind##_start(bool, ull, ull, ull, ull *, ull *);              \
    bool GOMP_loop_ull_##kind##_next(ull *, ull *)
LOOP_RUNTIME(runtime);
LOOP_RUNTIME(nonmonotonic_runtime);
LOOP_RUNTIME(maybe_nonmonotonic_runtime);
LOOP_RUNTIME(ordered_runtime);

void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
bool GOMP_cancel(int, bool);
bool GOMP_cancellation_point(int);
bool GOMP_single_start(void);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_taskwait(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_task(outlined *, void *, void (*)(void *, void *), long, long, bool, unsigned,
               ...);

#endif
