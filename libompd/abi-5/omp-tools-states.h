/* SPDX-License-Identifier: MIT
 *
 * The two enumerations that OMPD shares with OMPT: what a thread is doing and what the
 * address of a frame means. Include <ompd/omp-tools.h> instead.
 */
#ifndef OMP_TOOLS_STATES_H
#define OMP_TOOLS_STATES_H

/* Values that ompd_get_state gives and ompd_enumerate_states names. Those marked with
 * "never" are part of the standard and never given by this library: the GNU runtime has
 * no such state, or does not distinguish it. */
typedef enum ompt_state_t {
    ompt_state_work_serial = 0x000,     /* user code outside every parallel region */
    ompt_state_work_parallel = 0x001,   /* user code of a parallel region */
    ompt_state_work_reduction = 0x002,  /* combines a reduction */
    ompt_state_work_free_agent = 0x003, /* 6.0; never */
    ompt_state_work_induction = 0x004,  /* 6.0; never */

    ompt_state_wait_barrier = 0x010,                    /* of a kind that is not known */
    ompt_state_wait_barrier_implicit_parallel = 0x011,  /* from 5.1 on: at the end of a region */
    ompt_state_wait_barrier_implicit_workshare = 0x012, /* likewise, of a worksharing construct */
    ompt_state_wait_barrier_implicit = 0x013,           /* at the end of a region or construct */
    ompt_state_wait_barrier_explicit = 0x014,
    ompt_state_wait_barrier_implementation = 0x015, /* never */
    ompt_state_wait_barrier_teams = 0x016,          /* never */

    ompt_state_wait_taskwait = 0x020,
    ompt_state_wait_taskgroup = 0x021,

    ompt_state_wait_mutex = 0x040, /* never */
    ompt_state_wait_lock = 0x041,  /* a simple or nestable lock */
    ompt_state_wait_critical = 0x042,
    ompt_state_wait_atomic = 0x043,
    ompt_state_wait_ordered = 0x044,

    ompt_state_wait_target = 0x080,        /* never */
    ompt_state_wait_target_map = 0x081,    /* never */
    ompt_state_wait_target_update = 0x082, /* never */

    ompt_state_idle = 0x100,     /* member of no team */
    ompt_state_overhead = 0x101, /* inside the runtime without waiting */
    ompt_state_undefined = 0x102
} ompt_state_t;

/* A frame's flags: whose frame it is, or'ed with what its address is. */
typedef enum ompt_frame_flag_t {
    ompt_frame_runtime = 0x00,
    ompt_frame_application = 0x01,
    ompt_frame_cfa = 0x10,
    ompt_frame_framepointer = 0x20,
    ompt_frame_stackaddress = 0x30
} ompt_frame_flag_t;

#endif
