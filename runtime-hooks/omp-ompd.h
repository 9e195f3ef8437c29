/* SPDX-License-Identifier: MIT
 *
 * What an OpenMP program may call of its runtime for the sake of a debugger
 * (report 2.000, section 2) or a tool. Provided by libompd-hooks.so.
 */
#ifndef OMP_OMPD_H
#define OMP_OMPD_H

#ifdef __cplusplus
extern "C" {
#endif

/* NULL until valid; then a NULL-terminated vector of paths of debugger libraries. Owned
 * by the runtime, never changed again. */
extern const char **ompd_dll_locations;

/* Called once when ompd_dll_locations is valid: a place for a breakpoint. */
void ompd_dll_locations_valid(void);

/* Turns the recording of state for debuggers on; it stays on. May be called from any
 * thread and from a constructor. Regions that were open before stay unknown, so it should
 * come before the first OpenMP construct. */
void omp_ompd_enable(void);

/* Hands a command to the tool that was started through ompt_start_tool() (OpenMP 5.0):
 * -2 without one, -1 if it takes no commands, else what it answers, 0 for success and 1
 * for a command that it ignores. 1 starts, 2 pauses, 3 flushes, 4 ends monitoring; from 64
 * on commands are the tool's own. Fortran calls the second. */
int omp_control_tool(int command, int modifier, void *arg);
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

#ifdef __cplusplus
}
#endif

#endif
