! SPDX-License-Identifier: MIT
!
! Arrays, loops, workshare, sections, reductions and the query routines from Fortran.
program fortran_loops
    use omp_lib
    implicit none
    integer, parameter :: n = 1000
    real(8) :: a(n), b(n), total
    integer :: i, members, hits(n), marks(4)
    logical :: good
    integer(8) :: wide, wide_sum

    good = .true.
    call omp_set_dynamic(.false.)
    call omp_set_num_threads(3)
    good = good .and. omp_get_max_threads() == 3

    members = 0
    !$omp parallel reduction(+:members)
    members = members + 1
    if (.not. omp_in_parallel()) members = members + 100
    if (omp_get_num_threads() /= 3) members = members + 1000
    !$omp end parallel
    good = good .and. members == 3

    hits = 0
    !$omp parallel do schedule(dynamic, 7)
    do i = 1, n
        a(i) = real(i, 8)
        hits(i) = hits(i) + 1
    end do
    !$omp end parallel do
    good = good .and. all(hits == 1)

    !$omp parallel
    !$omp workshare
    b = 2 * a
    !$omp end workshare
    !$omp do schedule(guided)
    do i = 1, n
        b(i) = b(i) + 1
    end do
    !$omp end do nowait
    !$omp end parallel

    total = 0
    !$omp parallel do reduction(+:total) schedule(static, 5)
    do i = 1, n
        total = total + b(i)
    end do
    good = good .and. total == n * (n + 1) + n

    marks = 0
    !$omp parallel sections num_threads(2)
    !$omp section
    marks(1) = 1
    !$omp section
    marks(2) = 2
    !$omp section
    marks(3) = 3
    !$omp section
    marks(4) = 4
    !$omp end parallel sections
    good = good .and. sum(marks) == 10

    wide_sum = 0
    !$omp parallel do ordered schedule(dynamic) reduction(+:wide_sum)
    do wide = 1_8, 100_8
        !$omp ordered
        wide_sum = wide_sum + wide
        !$omp end ordered
    end do
    good = good .and. wide_sum == 5050

    call omp_set_schedule(omp_sched_guided, 3)
    hits = 0
    !$omp parallel do schedule(runtime)
    do i = 1, n
        hits(i) = hits(i) + 1
    end do
    good = good .and. all(hits == 1)

    print '(a, f12.1, i6)', 'total', total, wide_sum
    if (.not. good) then
        print '(a)', 'fortran_loops: FAILED'
        stop 1
    end if
    print '(a)', 'fortran_loops: as expected'
end program fortran_loops
