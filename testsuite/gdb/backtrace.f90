! SPDX-License-Identifier: MIT
!
! A region and a task in a module procedure, met by the main program's region.
module ocean
  integer :: total = 0
contains
  subroutine relax(n)
    integer, intent(in) :: n
    !$omp parallel do num_threads(2) schedule(dynamic, 1) ! /* mark: loop */
    do i = 1, 2
      if (i == 2) then
        total = total + n ! /* mark: in_loop */
      end if
    end do
    !$omp end parallel do
  end subroutine
  subroutine later
    total = total + 1 ! /* mark: in_task */
  end subroutine
end module

program heat
  use ocean
  !$omp parallel num_threads(2) ! /* mark: program */
  !$omp single
  call relax(3)
  !$omp task ! /* mark: task */
  call later
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, total
end program
