! SPDX-License-Identifier: MIT
!
! A region in a module procedure whose arrays have their bounds in its caller.
module ocean
    use omp_lib
    implicit none
    integer :: level = 12
    integer, volatile :: arrived = 0
contains
    subroutine relax(grid, n, flow)
        integer, intent(in) :: n
        real, intent(inout) :: grid(n)
        real, intent(inout) :: flow(:)
        integer :: i, total, start, me, unused
        real, allocatable :: taken(:)
        character(len=5) :: word
        allocate(taken(3))
        taken = 2.5
        total = 0
        start = 4
        unused = 6
        word = 'hello'
!$omp parallel num_threads(3) private(me) & ! mark: region here
!$omp& firstprivate(start) reduction(+:total)
        me = omp_get_thread_num()
        start = start + me
        total = total + me
        grid(me + 1) = me + taken(1) + flow(1) + level
        if (word == 'xx') grid(1) = 0
!$omp atomic
        arrived = arrived + 1
        do while (arrived < 3)
        end do
        if (me == 1) then
            arrived = 100 ! mark: inside here
        end if
        do while (arrived < 100)
        end do
!$omp do
        do i = 1, n
            grid(i) = grid(i) + flow(i)
        end do
!$omp end parallel
        if (total /= 3 .or. unused /= 6) stop 1
    end subroutine
end module

program heat
    use ocean
    implicit none
    real :: a(4), b(4)
    a = 1
    b = [1.0, 2.0, 3.0, 4.0]
    call relax(a, 4, b)
end program
