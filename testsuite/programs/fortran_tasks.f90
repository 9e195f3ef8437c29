! SPDX-License-Identifier: MIT
!
! Tasks from Fortran: recursion, dependences, taskloop, taskgroup, nested regions, and an
! allocatable array captured by value.
module tree
    implicit none
contains
    recursive integer function fib(n) result(f)
        integer, intent(in) :: n
        integer :: a, b
        if (n < 2) then
            f = n
            return
        end if
        !$omp task shared(a) firstprivate(n)
        a = fib(n - 1)
        !$omp end task
        !$omp task shared(b) firstprivate(n) if(n > 5)
        b = fib(n - 2)
        !$omp end task
        !$omp taskwait
        f = a + b
    end function fib
end module tree

program fortran_tasks
    use omp_lib
    use tree
    implicit none
    integer :: f, i, chain, total, leaves, inner
    integer, allocatable :: block(:)
    logical :: good

    good = .true.
    f = 0
    chain = 0
    total = 0
    leaves = 0
    inner = 0
    allocate (block(20000))
    block = 3
    !$omp parallel num_threads(3) shared(f, chain, total, leaves, block, good)
    !$omp single
    f = fib(14)
    do i = 1, 50
        !$omp task depend(inout: chain) firstprivate(i)
        if (chain /= i - 1) good = .false.
        chain = i
        !$omp end task
    end do
    !$omp taskgroup
    do i = 1, 10
        !$omp task firstprivate(block) shared(total)
        !$omp atomic
        total = total + block(1) + block(20000)
        !$omp end task
    end do
    !$omp end taskgroup
    if (total /= 60) good = .false.
    !$omp taskloop num_tasks(7) reduction(+:leaves)
    do i = 1, 200
        leaves = leaves + 1
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2) reduction(+:inner)
    !$omp parallel num_threads(2) reduction(+:inner)
    inner = inner + omp_get_level()
    !$omp end parallel
    !$omp end parallel
    good = good .and. f == 377 .and. chain == 50 .and. leaves == 200 .and. inner == 8
    print '(5i6)', f, chain, total, leaves, inner
    if (.not. good) then
        print '(a)', 'fortran_tasks: FAILED'
        stop 1
    end if
    print '(a)', 'fortran_tasks: as expected'
end program fortran_tasks
