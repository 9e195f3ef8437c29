! SPDX-License-Identifier: MIT
program step
  use omp_lib
  implicit none
  integer :: before, cells(8), i
  before = 1 !/* mark: plain_before */
  !$omp parallel num_threads(2) private(i)
  i = omp_get_thread_num() !/* mark: plain_first */
  call work(i) !/* mark: plain_last */
  !$omp end parallel
  call work(before) !/* mark: plain_after */
  before = 2 !/* mark: loop_before */
  !$omp parallel do num_threads(2)
  do i = 1, 8
     cells(i) = i !/* mark: loop_first */
  end do
  !$omp end parallel do
  call work(cells(1))
  before = 3 !/* mark: task_before */
  !$omp task if(.false.)
  cells(2) = 1 !/* mark: task_first */
  !$omp end task
  call work(cells(2)) !/* mark: task_after */
contains
  subroutine work(n)
    integer, intent(in) :: n
    before = before + n
  end subroutine work
end program step
