# SPDX-License-Identifier: MIT
"""What sources.py asks of Fortran; see sourcecases.py."""

CASES = [
    ("free form", ".f90", "", r"""
               |subroutine f(n)
               |  character(9) :: s = '!$omp do', t = "it's"
               |  !$omp do
do             |  do i = 1, n ! do
do             |    do 10 j = 1, n
do             |      if (i == j) cycle
do             |10  continue
do             |    s = 'end do'; t = "!"
do             |  end do
               |  x = 1
               |  !$OMP  Do  Schedule(dynamic, &
               |  !$omp&   4) &
               |  !$omp private(j)
do             |  outer: DO i = 1, &
do             |    n
do             |    inner: do while (j < 3)
do             |    enddo inner
do             |  ENDDO outer
               |  !$omp end do nowait
               |  x = 1
               |  !$omp critical (Update) ! a comment
critical (update)|  x = 1
               |  !$omp end critical (update)
               |  x = 1
               |end subroutine
"""),
    ("more of free form", ".F90", "", r"""
                      |#include "omp.h"
                      |subroutine f(n)
                      |  include 'omp_lib.h'
                      |!$ integer :: omp
                      |  x = 1
                      |  !$omp single
single                |  print *, 'a &
single                |    ! isn't it
single                |    &b'
single                |  !$omp critical
critical, single      |  x = 1
single                |  !$omp endcritical
single                |  x = 1
                      |  !$omp end single copyprivate(x)
                      |  !$omp sections
sections              |  x = 1
sections              |  !$omp section
section, sections     |  x = 1
section, sections     |  x = 2
sections              |  !$omp section
section, sections     |  x = 3
                      |  !$omp end sections nowait
                      |  !$omp masked
masked                |  block
masked                |    x = 1
masked                |  end block
                      |  x = 1
                      |  !$omp workshare
workshare             |  a = b
                      |  !$omp end workshare
                      |#ifdef _OPENMP
                      |  !$omp taskgroup
taskgroup             |#endif
taskgroup             |  x = 1
                      |  !$omp end taskgroup
                      |  !$omp do ordered
do ordered            |  do concurrent (i = 1:n)
do ordered            |    !$omp ordered
ordered, do ordered   |    doi = f(1, 2)
do ordered            |    !$omp end ordered
do ordered            |    !$omp ordered depend(source)
do ordered            |    end = 3
do ordered            |  end do
                      |  !$omp end do
                      |end subroutine f
"""),
    ("loops that end together", ".f90", "", r"""
   |subroutine f(n)
   |  !$omp do
do |  do 10 i = 1, n
do |    do 10 j = 1, n
do |      x = 1
do |10 a(i) = 1
   |  x = 1
   |  !$omp do
do |  do i = 1, n; x = 1
do |    x = 2; end do
   |  !$omp do
do |  do i = 1, n
   |  end do; x = 2
   |  x = 3
   |end
"""),
    ("fixed form", ".f", "", r"""
              |#include "x.h"
              |      SUBROUTINE F(N)
              |C$OMP DO SCHEDULE(DYNAMIC,
              |C$OMP+ 4)
do            |      DO 10 I = 1, N
do            |C     a comment, isn't it
do            |      X = 'it''s'
do            |   10 CONTINUE
              |      X = 1
              |*$omp critical (a)
critical (a)  |      X = 1 + 2 + 3                                                         ' sequence
critical (a)  |     & + 3
              |!$omp end critical (a)
              |      X = 1
              |c$omp  do
do            |      D O I = 1,
do            |     1    N
do            |c$    X = 3
do            |      DO2I = 5
do            |      E N D D O
              |      X = 1
              |!     $omp do
              |	X = 2
              |      END
"""),
    ("fixed form by an option, as wide as it likes", ".f90", "-g -ffixed-form "
     "-ffixed-line-length-none", r"""
       |      subroutine f
       |c$omp single
single |      x = '                                                                      '
single |     & + 1
       |c$omp end single
       |      end
"""),
    ("free form by an option", ".f", "-ffree-form", r"""
       |subroutine f
       |!$omp single
single |x = 1
       |!$omp end single
       |end
"""),
]

BODIES = [
    ("Fortran", ".f90", r"""
program p
  !$omp parallel do
  do i = 1, 2
    !$omp critical
    x = 1
    !$omp end critical
    x = 2
  end do
  !$omp end parallel do
  !$omp parallel
  !$omp do
  do i = 1, 2
    x = 1
  end do
  !$omp task
  x = 2
  !$omp end task
  !$omp end parallel
end program
""", [(5, {"body": {2}}, "critical"), (7, {"body": {2}}, ""), (13, {"body": {10}}, "do"),
      (13, {"body": {2}}, ""), (16, {"body": {15}}, ""), (13, {"first": 1}, "")]),
]
