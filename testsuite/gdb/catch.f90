! SPDX-License-Identifier: MIT
module events
  use omp_lib
  implicit none
  integer :: total = 0
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    integer :: x, y
    r = n
    if (n < 2) return
    !$omp task shared(x) !/* mark: task */
    x = fib(n - 1)
    !$omp end task
    y = fib(n - 2)
    !$omp taskwait !/* mark: taskwait */
    r = x + y
  end function fib
end module events
program catch
  use events
  implicit none
  integer(omp_lock_kind) :: lock
  integer :: me
  call omp_init_lock(lock)
  !$omp parallel num_threads(2) private(me) !/* mark: region */
  me = omp_get_thread_num() !/* mark: first */
  !$omp critical (adds) !/* mark: critical */
  total = total + me
  !$omp end critical (adds)
  call omp_set_lock(lock) !/* mark: lock */
  total = total + 1
  call omp_unset_lock(lock)
  !$omp barrier !/* mark: barrier */
  !$omp single
  total = total + fib(3)
  !$omp end single
  !$omp end parallel
  print *, total
end program catch
