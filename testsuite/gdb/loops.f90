! SPDX-License-Identifier: MIT
!
! Constructs that have no function of their own.
module ocean
  integer, volatile :: total = 0
contains
  subroutine relax(n)
    integer, intent(in) :: n
    total = total + 1 ! /* mark: before */
    !$omp do schedule(static) ! /* mark: do */
    do i = 1, n
      call update(i) ! /* mark: in_do */
    end do
    total = total + 1 ! /* mark: after */
    !$omp sections ! /* mark: sections */
    !$omp section ! /* mark: section */
    total = total + 1 ! /* mark: in_section */
    !$omp end sections
    !$omp do schedule(dynamic) private(j) ! /* mark: labelled */
    do 10 i = 1, n
      do 10 j = 1, 2
        if (i == 2) total = total + 1 ! /* mark: in_labelled */
10  continue
    total = total + 1 ! /* mark: between */
  end subroutine
  subroutine update(n)
    integer, intent(in) :: n
    !$omp critical (up) ! /* mark: critical */
    total = total + n ! /* mark: in_critical */
    !$omp end critical (up)
  end subroutine
end module

program heat
  use ocean
  !$omp parallel num_threads(2) ! /* mark: region */
  call relax(3)
  !$omp do ! /* mark: main_do */
  do k = 1, 3
    total = total + 1 ! /* mark: in_main_do */
  end do
  !$omp end do
  !$omp single ! /* mark: single */
  total = total + 1 ! /* mark: in_single */
  !$omp end single
  !$omp end parallel
  !$omp parallel do num_threads(2) ! /* mark: combined */
  do k = 1, 3
    total = total + 1 ! /* mark: in_combined */
  end do
end program
