! SPDX-License-Identifier: MIT
!
! The calls that set control variables from Fortran, with default and with eight-byte
! integers, and the event of a detachable task.
program fortran_settings
    use omp_lib
    implicit none
    integer(8) :: two = 2, one = 1, zero = 0
    integer(omp_sched_kind) :: kind
    integer(omp_event_handle_kind) :: event
    integer :: chunk, done
    logical :: good
    character(len=20) :: format

    good = .true.
    call omp_set_num_threads(3)
    good = good .and. omp_get_max_threads() == 3
    call omp_set_num_threads(two)
    good = good .and. omp_get_max_threads() == 2
    call omp_set_dynamic(.true._4)
    good = good .and. omp_get_dynamic()
    call omp_set_dynamic(.false._8)
    good = good .and. .not. omp_get_dynamic()
    call omp_set_nested(.true._4)
    good = good .and. omp_get_max_active_levels() > 1
    call omp_set_nested(.false._8)
    good = good .and. omp_get_max_active_levels() == 1
    call omp_set_max_active_levels(2)
    good = good .and. omp_get_max_active_levels() == 2
    call omp_set_max_active_levels(one)
    good = good .and. omp_get_max_active_levels() == 1
    call omp_set_schedule(omp_sched_guided, 7)
    call omp_get_schedule(kind, chunk)
    good = good .and. kind == omp_sched_guided .and. chunk == 7
    call omp_set_schedule(omp_sched_dynamic, two)
    call omp_get_schedule(kind, chunk)
    good = good .and. kind == omp_sched_dynamic .and. chunk == 2
    call omp_set_default_device(1)
    good = good .and. omp_get_default_device() == 1
    call omp_set_default_device(zero)
    good = good .and. omp_get_default_device() == 0
    call omp_set_default_allocator(omp_pteam_mem_alloc)
    good = good .and. omp_get_default_allocator() == omp_pteam_mem_alloc
    call omp_set_default_allocator(omp_default_mem_alloc)
    call omp_set_num_teams(4)
    good = good .and. omp_get_max_teams() == 4
    call omp_set_num_teams(two)
    good = good .and. omp_get_max_teams() == 2
    call omp_set_teams_thread_limit(4)
    good = good .and. omp_get_teams_thread_limit() == 4
    call omp_set_teams_thread_limit(two)
    good = good .and. omp_get_teams_thread_limit() == 2
    call omp_set_affinity_format('thread %n')
    good = good .and. omp_get_affinity_format(format) == 9
    good = good .and. format(1:9) == 'thread %n'
    good = good .and. omp_get_num_devices() >= 0

    done = 0
    !$omp parallel num_threads(2) shared(done, good) private(event)
    !$omp single
    !$omp task detach(event) shared(done)
    !$omp atomic
    done = done + 1
    !$omp end task
    call omp_fulfill_event(event)
    !$omp taskwait
    if (done /= 1) good = .false.
    !$omp end single
    !$omp end parallel

    if (good) then
        print '(a)', 'fortran_settings: as expected'
    else
        print '(a)', 'fortran_settings: FAILED'
        stop 1
    end if
end program fortran_settings
