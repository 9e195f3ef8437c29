! SPDX-License-Identifier: MIT
!
! Regions in a module procedure and in the main program.
module ocean
  integer :: total = 0
contains
  subroutine relax(n)
    integer, intent(in) :: n
    !$omp parallel num_threads(2) ! /* mark: module */
    !$omp critical (update)
    total = total + n ! /* mark: in_module */
    !$omp end critical (update)
    !$omp end parallel
  end subroutine
end module

program heat
  use ocean
  call relax(3)
  !$omp parallel num_threads(2) ! /* mark: program */
  !$omp critical (finish)
  total = total + 1 ! /* mark: in_program */
  !$omp end critical (finish)
  !$omp end parallel
  print *, total
end program
