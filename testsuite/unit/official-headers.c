/* SPDX-License-Identifier: MIT
 *
 * Prints what an omp-tools.h says of OMPD, one fact a line: enumerators, sizes and offsets
 * of types. official-headers.sh compiles it with ours and with others' headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef OURS
#include "ompd-types.h"
#else
#include TOOLS
#endif

#define SIGNED(type) ((type)-1 < (type)1)
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name));
#define SIZE(type) printf("%s size_%zu signed_%d\n", #type, sizeof(type), SIGNED(type));
#define STRUCT(type) printf("%s size_%zu\n", #type, sizeof(type));
#define MEMBER(type, member)                                                             \
    printf("%s.%s offset_%zu size_%zu\n", #type, #member, offsetof(type, member),        \
           sizeof(((type *)0)->member));

int main(void)
{
    VALUE(ompd_scope_global)
    VALUE(ompd_scope_address_space)
    VALUE(ompd_scope_thread)
    VALUE(ompd_scope_parallel)
    VALUE(ompd_scope_implicit_task)
    VALUE(ompd_scope_task)
    VALUE(ompd_rc_ok)
    VALUE(ompd_rc_unavailable)
    VALUE(ompd_rc_stale_handle)
    VALUE(ompd_rc_bad_input)
    VALUE(ompd_rc_error)
    VALUE(ompd_rc_unsupported)
    VALUE(ompd_rc_needs_state_tracking)
    VALUE(ompd_rc_incompatible)
    VALUE(ompd_rc_device_read_error)
    VALUE(ompd_rc_device_write_error)
    VALUE(ompd_rc_nomem)
    VALUE(ompt_state_work_serial)
    VALUE(ompt_state_work_parallel)
    VALUE(ompt_state_work_reduction)
    VALUE(ompt_state_wait_barrier)
    VALUE(ompt_state_wait_barrier_implicit_parallel)
    VALUE(ompt_state_wait_barrier_implicit_workshare)
    VALUE(ompt_state_wait_barrier_implicit)
    VALUE(ompt_state_wait_barrier_explicit)
    VALUE(ompt_state_wait_barrier_implementation)
    VALUE(ompt_state_wait_taskwait)
    VALUE(ompt_state_wait_taskgroup)
    VALUE(ompt_state_wait_mutex)
    VALUE(ompt_state_wait_lock)
    VALUE(ompt_state_wait_critical)
    VALUE(ompt_state_wait_atomic)
    VALUE(ompt_state_wait_ordered)
    VALUE(ompt_state_wait_target)
    VALUE(ompt_state_wait_target_map)
    VALUE(ompt_state_wait_target_update)
    VALUE(ompt_state_idle)
    VALUE(ompt_state_overhead)
    VALUE(ompt_state_undefined)
    VALUE(ompt_frame_runtime)
    VALUE(ompt_frame_application)
    VALUE(ompt_frame_cfa)
    VALUE(ompt_frame_framepointer)
    VALUE(ompt_frame_stackaddress)
    SIZE(ompd_size_t)
    SIZE(ompd_wait_id_t)
    SIZE(ompd_addr_t)
    SIZE(ompd_word_t)
    SIZE(ompd_seg_t)
    SIZE(ompd_device_t)
    SIZE(ompd_thread_id_t)
    SIZE(ompd_icv_id_t)
    SIZE(ompd_scope_t)
    SIZE(ompd_rc_t)
    SIZE(ompt_state_t)
    SIZE(ompt_frame_flag_t)
    STRUCT(ompd_address_t)
    MEMBER(ompd_address_t, segment)
    MEMBER(ompd_address_t, address)
    STRUCT(ompd_frame_info_t)
    MEMBER(ompd_frame_info_t, frame_address)
    MEMBER(ompd_frame_info_t, frame_flag)
    STRUCT(ompd_device_type_sizes_t)
    MEMBER(ompd_device_type_sizes_t, sizeof_char)
    MEMBER(ompd_device_type_sizes_t, sizeof_short)
    MEMBER(ompd_device_type_sizes_t, sizeof_int)
    MEMBER(ompd_device_type_sizes_t, sizeof_long)
    MEMBER(ompd_device_type_sizes_t, sizeof_long_long)
    MEMBER(ompd_device_type_sizes_t, sizeof_pointer)
    STRUCT(ompd_callbacks_t)
    MEMBER(ompd_callbacks_t, alloc_memory)
    MEMBER(ompd_callbacks_t, free_memory)
    MEMBER(ompd_callbacks_t, print_string)
    MEMBER(ompd_callbacks_t, sizeof_type)
    MEMBER(ompd_callbacks_t, symbol_addr_lookup)
    MEMBER(ompd_callbacks_t, read_memory)
    MEMBER(ompd_callbacks_t, write_memory)
    MEMBER(ompd_callbacks_t, read_string)
    MEMBER(ompd_callbacks_t, device_to_host)
    MEMBER(ompd_callbacks_t, host_to_device)
    MEMBER(ompd_callbacks_t, get_thread_context_for_thread_id)
    VALUE(ompd_segment_none)
    /* Newer than the oldest headers. Enumerators cannot be asked for; a script can. */
#if defined OURS || defined HAVE_5_1
    VALUE(ompd_rc_incomplete)
    VALUE(ompd_rc_callback_error)
    VALUE(ompt_state_wait_barrier_teams)
#endif
#if defined OURS || defined HAVE_6_0
    VALUE(ompd_scope_teams)
    VALUE(ompd_scope_target)
    VALUE(ompd_rc_incompatible_handle)
    VALUE(ompt_state_work_free_agent)
    VALUE(ompt_state_work_induction)
    VALUE(ompd_generator_program)
    VALUE(ompd_generator_parallel)
    VALUE(ompd_generator_teams)
    VALUE(ompd_generator_target)
#endif
    return 0;
}
