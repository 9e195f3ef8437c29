! SPDX-License-Identifier: MIT
!
! A barrier in a loop of which threads make different numbers of trips, a loop that not all
! encounter, and a critical section that is entered by what it calls.
module sums
  implicit none
  integer :: total = 0
contains
  ! A barrier in a single construct: that of those who wait at its end.
  subroutine refresh()
    total = total + 1
    !$omp barrier
    total = total * 2
  end subroutine refresh

  subroutine add(value)
    integer, intent(in) :: value
    !$omp critical (sum_lock) ! add-wants
    total = total + value
    !$omp end critical (sum_lock)
  end subroutine add

  subroutine add_all(values)
    integer, intent(in) :: values(:)
    integer :: i
    !$omp critical (sum_lock)
    do i = 1, size(values)
      call add(values(i)) ! add-in
    end do
    total = total + 1
    !$omp end critical (sum_lock)
  end subroutine add_all

  subroutine trips()
    use omp_lib
    integer :: i
    do i = 1, 12 - 3 * (omp_get_thread_num() / 3)
      !$omp barrier ! trip-barrier
    end do
  end subroutine trips

  subroutine scale(values)
    use omp_lib
    integer, intent(inout) :: values(:)
    integer :: i
    if (omp_get_thread_num() == 1) return
    !$omp do ! scale-loop
    do i = 1, size(values)
      values(i) = 2 * values(i)
    end do
    !$omp end do
    total = values(1)
  end subroutine scale

  integer function traced(i)
    integer, intent(in) :: i
    traced = i
    !$omp parallel num_threads(2)
    write (6, *) 'traced', i ! writes-in
    !$omp end parallel
  end function traced
end module sums

program hangs
  use sums
  implicit none
  character(len=16) :: how
  integer :: list(64) = 1
  call get_command_argument(1, how)
  if (how == 'trips') then
    !$omp parallel num_threads(4) ! trip-end
    call trips()
    total = 1
    !$omp end parallel
  else if (how == 'leaves') then
    !$omp parallel num_threads(3)
    call scale(list)
    !$omp end parallel
  else if (how == 'inside') then
    !$omp parallel num_threads(3)
    !$omp single ! inside-single
    call refresh()
    !$omp end single
    call add(1)
    !$omp end parallel
  else if (how == 'writes') then
    write (6, *) traced(1)
  else
    !$omp parallel num_threads(3)
    call add_all([1, 2, 3])
    !$omp end parallel
  end if
end program hangs
