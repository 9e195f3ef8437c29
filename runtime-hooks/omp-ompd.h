/* SPDX-License-Identifier: MIT
 *
 * What an OpenMP program may call of its runtime for the sake of a debugger
 * (report 2.000, section 2) or a tool. Provided by libompd-hooks.so.
 */
#ifndef OMP_OMPD_H
#define OMP_OMPD_H

#if defined(_OPENMP) && _OPENMP >= 201811
#include <omp.h> /* OpenMP 5.0: it has omp_control_tool(), but GCC 16's */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NULL until the first use of OpenMP; then a NULL-terminated vector of paths of OMPD
 * libraries. Owned by the runtime, never changed again. */
extern const char **ompd_dll_locations;

/* Called once, as soon as ompd_dll_locations is valid: a place for a breakpoint. */
void ompd_dll_locations_valid(void);

/* Turns the recording of state for debuggers on; it stays on. May be called from any
 * thread and from a constructor. Regions that were open before stay unknown, so it should
 * come before the first OpenMP construct. */
void omp_ompd_enable(void);

/* Hands a command to the tool that was started through ompt_start_tool() (OpenMP 5.0):
 * omp_control_tool_notool without one, omp_control_tool_nocallback if it takes no
 * commands, else what it answers. From 64 on commands are the tool's own. Fortran calls
 * the second. Here is what the compiler's omp.h lacks; LLVM's has it, also without
 * -fopenmp, and then comes before this file. */
#if !defined(__OMP_H) &&                                                                           \
    (!defined(_OPENMP) || _OPENMP < 201811 || (defined(__GOMP_NOTHROW) && __GNUC__ <= 16))
typedef enum omp_control_tool_result_t {
    omp_control_tool_notool = -2,
    omp_control_tool_nocallback = -1,
    omp_control_tool_success = 0,
    omp_control_tool_ignored = 1
} omp_control_tool_result_t;

typedef enum omp_control_tool_t {
    omp_control_tool_start = 1,
    omp_control_tool_pause = 2,
    omp_control_tool_flush = 3,
    omp_control_tool_end = 4
} omp_control_tool_t;

int omp_control_tool(int command, int modifier, void *arg);
#endif
int omp_control_tool_(const int *command, const int *modifier, void *arg);

/* Called on the thread concerned, once for each event: places for breakpoints
 * (report 2.000, section 12). */
void ompd_bp_parallel_begin(void);
void ompd_bp_parallel_end(void);
void ompd_bp_teams_begin(void);
void ompd_bp_teams_end(void);
void ompd_bp_task_begin(void);
void ompd_bp_task_end(void);
void ompd_bp_thread_begin(void);
void ompd_bp_thread_end(void);
void ompd_bp_target_begin(void); /* on the thread of the construct (OpenMP 6.0) */
void ompd_bp_target_end(void);
void ompd_bp_device_begin(void); /* of LLVM from 17 on: libgomp's initialization is not seen */
void ompd_bp_device_end(void);

#ifdef __cplusplus
}
#endif

#endif
