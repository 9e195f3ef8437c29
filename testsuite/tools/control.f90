! SPDX-License-Identifier: MIT
!
! omp_control_tool from Fortran, for registration.py.
program control
  implicit none
  integer, external :: omp_control_tool
  integer :: argument, sum
  sum = 0
  !$omp parallel num_threads(2) reduction(+:sum)
  sum = sum + 1
  !$omp end parallel
  argument = 5
  print '(a,i0,1x,i0)', 'program: control ', omp_control_tool(3, 0, argument), &
      omp_control_tool(99, 1, argument)
end program control
