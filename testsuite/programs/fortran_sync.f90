! SPDX-License-Identifier: MIT
!
! Locks, nest locks, critical, atomic, barriers, single with copyprivate from Fortran.
program fortran_sync
    use omp_lib
    implicit none
    integer, parameter :: threads = 4, rounds = 300
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: i, counter, named, nested, tested, told, depth, atomics, unnamed
    logical :: good, got

    good = .true.
    counter = 0
    named = 0
    nested = 0
    tested = 0
    atomics = 0
    unnamed = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    call omp_set_lock(lock)
    good = good .and. .not. omp_test_lock(lock)
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    good = good .and. omp_test_nest_lock(nest) == 2
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)

    !$omp parallel num_threads(threads) private(i, told, depth, got) shared(counter, named)
    do i = 1, rounds
        call omp_set_lock(lock)
        counter = counter + 1
        call omp_unset_lock(lock)
        call omp_set_nest_lock(nest)
        call omp_set_nest_lock(nest)
        nested = nested + 1
        call omp_unset_nest_lock(nest)
        call omp_unset_nest_lock(nest)
        do
            got = omp_test_lock(lock)
            if (got) exit
            !$omp taskyield
        end do
        tested = tested + 1
        call omp_unset_lock(lock)
        do
            depth = omp_test_nest_lock(nest)
            if (depth > 0) exit
        end do
        call omp_unset_nest_lock(nest)
        !$omp critical (fortran_name)
        named = named + 1
        !$omp end critical (fortran_name)
        !$omp critical
        unnamed = unnamed + 1
        !$omp end critical
        !$omp atomic
        atomics = atomics + 1
    end do
    !$omp barrier
    if (counter /= threads * rounds) good = .false.
    !$omp single
    told = 77
    !$omp end single copyprivate(told)
    if (told /= 77) good = .false.
    !$omp masked
    if (omp_get_thread_num() /= 0) good = .false.
    !$omp end masked
    !$omp end parallel

    good = good .and. nested == counter .and. tested == counter .and. atomics == counter &
        .and. named == counter .and. unnamed == counter
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
    print '(4i6)', counter, nested, tested, atomics
    if (.not. good) then
        print '(a)', 'fortran_sync: FAILED'
        stop 1
    end if
    print '(a)', 'fortran_sync: as expected'
end program fortran_sync
