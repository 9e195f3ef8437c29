# SPDX-License-Identifier: MIT
"""What sources.py asks: before the bar what a line is to be told to lie in."""

# (name, suffix, options of the compiler, table); a function that begins on line 1 is asked for
CASES = [
    ("plain", ".c", "", r"""
                  |void f(int n) {
                  |    g();
                  |#pragma omp for
for               |    for (int i = 0; i < n; i++)
for               |        g();
                  |    g();
                  |  #  pragma   omp   for simd schedule(static)
for simd          |    for (int i = 0; i < n; i++) {
for simd          |        if (i) { g(); }
for simd          |    }
                  |#pragma omp simd
                  |    for (int i = 0; i < n; i++) { g(); }
                  |#pragma omp critical (update) hint(1)
critical (update) |    g();
                  |    g();
                  |#pragma omp single nowait
single            |    {
single            |#pragma omp flush
single            |        g();
single            |    }
                  |#pragma omp barrier
                  |    g();
                  |#pragma omp atomic
                  |    n++;
                  |#pragma omp ordered depend(sink: i - 1)
                  |    g();
                  |}
"""),
    ("nested", ".c", "", r"""
                       |void f(int n) {
                       |#pragma omp for ordered
for ordered            |    for (int i = 0; i < n; i++) {
for ordered            |#pragma omp ordered
ordered, for ordered   |        { g(); }
for ordered            |        while (n)
for ordered            |#pragma omp critical
critical, for ordered  |            if (n)
critical, for ordered  |                g();
critical, for ordered  |            else if (i)
critical, for ordered  |                g();
critical, for ordered  |            else
critical, for ordered  |                g();
for ordered            |        g();
for ordered            |#pragma omp master
master, for ordered    |#pragma omp critical
critical, master, for ordered|do
critical, master, for ordered|    g();
critical, master, for ordered|while (n);
for ordered            |    }
                       |    g();
                       |}
"""),
    ("sections", ".c", "", r"""
                    |void f(int n) {
                    |#pragma omp sections
sections            |    {
sections            |        g();
sections            |#pragma omp section
section, sections   |        g();
section, sections   |        g();
sections            |#pragma omp section
section, sections   |        {
section, sections   |#pragma omp critical
critical, section, sections|    g();
section, sections   |        }
sections            |    }
                    |    g();
                    |}
"""),
    ("several statements on a line", ".c", "", r"""
         |void f(int n) {
         |#pragma omp for
for      |    for (int i = 0; i < n; i++) g(i);
         |#pragma omp for
         |    for (int i = 0; i < n; i++) g(i); h();
         |#pragma omp for
for      |    for (int i = 0; i < n; i++) {
for      |        g(i);
         |    } h();
         |#pragma omp master
         |    g(); } void k(void) {
         |#pragma omp single
single   |    { { g();
single   |#pragma omp critical
single   |    g(); }
         |    } }
"""),
    ("comments and literals", ".c", "", r"""
          |void f(int n) {
          |/* #pragma omp for */
          |    for (;;) g();
          |// \
          |#pragma omp for
          |    for (;;) g();
          |    s = "\
          |#pragma omp for";
          |    for (;;) g();
          |#pragma omp single /* { */ // {
single    |    { // }
single    |        s = "}\"}", t = '}', u = '\'', v = '"', w = L"}", x = u8"}" "}";
single    |        /* } } }
single    |        } */ y = "/*"; z = "//";
single    |    }
          |    g(); // *\/
          |/* a */ #pragma omp critical
critical  |    g('"', '{', "'");
          |/* a comment
          |   of two lines */ #pragma omp master
master    |    g();
          |}
"""),
    ("continued lines", ".c", "", r"""
          |void f(int n) {
          |#pragma omp \
          |    for \
          |    schedule(dynamic, \
          |             4)
for       |    for (int i = 0; \
for       |         i < n; i++) \
for       |        g();
          |#define M(x) do { \
          |    _Pragma("omp critical") \
          |    { x; \
          |} while (0)
          |    g();
          |#pragma omp critical (a\
          |)
critical (a)|    g();
          |}
"""),
    ("_Pragma", ".c", "", r"""
          |void f(int n) {
          |    _Pragma("omp for")
for       |    for (int i = 0; i < n; i++)
for       |        g();
          |    _Pragma("omp critical (\"x\")") g();
          |    _Pragma("omp single") {
single    |        g();
          |    } _Pragma ( "omp master" )
master    |    g();
          |    _Pragma("GCC ivdep") g();
          |}
"""),
    ("conditions that are known", ".c", "", r"""
          |void f(int n) {
          |#ifdef _OPENMP
          |#pragma omp for
for       |#endif
for       |    for (int i = 0; i < n; i++)
for       |        g();
          |#if 0
          |    it isn't "read
          |#pragma omp for
          |#endif
          |    for (;;) g();
          |#ifndef _OPENMP
          |#pragma omp single
          |#else
          |#pragma omp master
master    |#endif
master    |    g();
          |#if defined(_OPENMP)
          |#  pragma omp critical
critical  |#elif defined(OTHER)
          |#  pragma omp single
critical  |#endif
critical  |    { g();
critical  |    }
          |#if !defined(_OPENMP) /* none */
          |    {
          |#else
          |#pragma omp single
single    |    {
single    |#endif
single    |    }
          |}
"""),
    ("conditions that are not", ".c", "", r"""
          |void f(int n) {
          |#ifdef THIS
          |#pragma omp for
          |#endif
          |    for (int i = 0; i < n; i++)
          |        g();
          |#ifdef THIS
          |#pragma omp for
for       |    for (int i = 0; i < n; i++)
for       |        g();
          |#else
          |#pragma omp single
single    |    g();
          |    {
          |#pragma omp master
master    |        {
          |#endif
          |        }
          |#pragma omp critical
          |    {
          |        g();
          |#if THAT
critical  |    }
          |#else
critical  |        g(); }
          |#endif
          |    g();
          |#pragma omp critical
          |#if THAT
critical  |    g();
          |#endif
          |    g();
          |}
          |void h(void) {
          |#pragma omp critical
critical  |    {
critical  |#if THAT
critical  |        g();
critical  |#else
critical  |        { h(); }
critical  |#endif
critical  |    }
          |}
"""),
    ("a parallel region that may not be", ".c", "", r"""
          |void f(int n) {
          |#pragma omp critical
critical  |    {
critical  |        g();
critical  |#ifdef THIS
critical  |#pragma omp parallel
          |#endif
          |        g();
critical  |        g();
critical  |    }
          |}
"""),
    ("macros", ".c", "", r"""
          |void f(int n) {
          |#pragma omp for
          |    FOR_EACH(i, n) {
          |        g();
          |    }
          |    g();
          |}
          |void h(void) {
          |#pragma omp critical
          |    LOCKED g();
          |    g();
          |}
          |void k(void) {
          |#pragma omp critical
          |    WITH(x) g();
          |    g();
          |}
          |void l(void) {
          |#pragma omp critical
          |    BEGIN
          |    {
          |        g();
          |    }
          |    g();
          |}
          |void m(void) {
          |#pragma omp CONSTRUCT
          |    {
          |#pragma omp critical
critical  |        g();
          |    }
          |}
"""),
    ("an unknown directive", ".c", "", r"""
          |void f(int n) {
          |#pragma omp critical
critical  |    {
critical  |#pragma omp frobnicate
          |        { g(); }
critical  |        g();
critical  |    }
          |}
"""),
    ("loop transformations", ".c", "", r"""
          |void f(int n) {
          |#pragma omp for
for       |#pragma omp tile sizes(4)
for       |    for (int i = 0; i < n; i++)
for       |        g();
          |#pragma omp loop bind(parallel)
loop      |    for (int i = 0; i < n; i++)
loop      |        g();
          |#pragma omp target data map(x)
          |#pragma omp masked filter(1)
masked    |    g();
          |    g();
          |}
"""),
    ("members, lambdas, literals", ".cc", "", r'''
          |void f(int n) {
          |    auto s = R"x(
          |#pragma omp for
          |)" }} )x";
          |#pragma omp for
for       |    for (int i = 0; i < 1'000'000; i += 0x1'0'ff) {
for       |        auto l = [&](int k) { return k; };
for       |    }
          |#pragma omp critical
critical  |    std::for_each(v.begin(), v.end(), [&](auto &x) {
critical  |        x = T{1, 2}.y;
critical  |    });
          |    g();
          |#pragma omp single
single    |    try {
single    |        g();
single    |    } catch (const E &e) {
single    |        g();
single    |    } catch (...) {
single    |    }
          |    g();
          |#pragma omp master
master    |    if constexpr (sizeof(n) == 4)
master    |        g<3>(u8R"(})", LR"(")");
master    |    else
master    |        a::b(n) = new int[3]{1, 2, 3};
          |#pragma omp taskgroup
taskgroup |    x = X{1};
          |#pragma omp for
for       |    for (auto &i : v)
for       |        i = n < 3 ? 'a' : L'\'';
          |    g();
          |}
'''),
    ("brackets in a header's guard", ".h", "", r"""
         |#ifndef H
         |#define H
         |#ifdef __cplusplus
         |extern "C" {
         |#endif
         |static inline void f(int n) {
         |#pragma omp single
single   |    g();
         |}
         |#ifdef __cplusplus
         |}
         |#endif
         |#endif
"""),
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

# (name, suffix, source, [(line, the function that it is in, expected)])
BODIES = [
    ("regions and tasks", ".c", r"""
void f(int n) {
#pragma omp parallel
    {
        g();
#pragma omp for
        for (int i = 0; i < n; i++) {
            g();
#pragma omp task
            {
                g();
#pragma omp critical
                g();
            }
            g();
        }
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical
        g();
        g();
    }
}
""", [(4, {"body": {2}}, ""), (7, {"body": {2}}, "for"), (7, {"body": {4, 7}}, ""),
      (7, {"first": 1}, ""), (8, {"body": {2}}, "for"), (10, {"body": {8}}, ""),
      (12, {"body": {8}}, "critical"), (12, {"body": {12}}, ""), (12, {"body": {2}}, ""),
      (14, {"body": {2}}, "for"), (14, {"body": {8}}, ""), (20, {"body": {17}}, "critical"),
      (21, {"body": {17}}, ""), (17, {"body": {17}}, ""), (17, {"first": 1}, ""),
      (20, {"body": {2}}, "")]),
    ("functions inside", ".cc", r"""
void f(int n) {
#pragma omp critical
    {
        auto l = [&](int k) {
            g();
#pragma omp single
            g();
        };
        l(1);
    }
}
""", [(5, {"first": 4}, ""), (5, {"first": 1}, "critical"), (7, {"first": 4}, "single"),
      (9, {"first": 1}, "critical")]),
    ("a body that a macro makes", ".c", r"""
#define TASK _Pragma("omp task")
void f(int n) {
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < n; i++) {
        TASK
        g();
#pragma omp critical
        TASK g();
    }
}
""", [(7, {"body": {6, 7}}, ""), (9, {"body": {9}}, ""), (7, {"body": {3, 4, 7}}, "for")]),
    ("a region of which the end is not known", ".c", r"""
void f(int n) {
#pragma omp for
    for (int i = 0; i < n; i++) {
#pragma omp parallel
#ifdef THIS
        g();
#endif
        g();
        g();
    }
    g();
}
""", [(8, {"body": {4}}, ""), (9, {"body": {4}}, ""), (9, {"first": 1}, ""),
      (3, {"first": 1}, "for"), (11, {"first": 1}, "")]),
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

_OPEN = "void f() {\n#pragma omp single\n    { g();\n"

# (name, suffix, source)
EMPTY = [
    ("no OpenMP", ".c", "void f() {\n    g();\n}\n"),
    ("nothing", ".c", ""),
    ("nothing", ".f90", ""),
    ("a block that never ends", ".c", _OPEN),
    ("brackets of two kinds", ".c", _OPEN + "    ( } )\n}\n"),
    ("a comment that never ends", ".c", _OPEN + "} }\n/* more\n"),
    ("a string that never ends", ".c", _OPEN + "    x = \"; } }\n"),
    ("a raw string that never ends", ".cc", _OPEN + "    x = R\"(; } }\n"),
    ("no statement", ".c", "void f() {\n#pragma omp single\n}\n"),
    ("a declaration by macro", ".c", "void f() {\n#pragma omp for\nLOOP\n{ g(); }\n}\n"),
    ("lines of another file", ".c", "#line 7 \"x.y\"\nvoid f() {\n#pragma omp single\n g();\n}\n"),
    ("a preprocessed file", ".c", "# 1 \"x.c\"\nvoid f() {\n#pragma omp single\n g();\n}\n"),
    ("an #endif too many", ".c", "#endif\nvoid f() {\n#pragma omp single\n g();\n}\n"),
    ("an #endif too few", ".c", "#if 1\nvoid f() {\n#pragma omp single\n g();\n}\n"),
    ("many #if", ".c", "#if X\n" * 5000 + "#endif\n" * 5000 + "#pragma omp single\ng();\n"),
    ("attributes", ".cc", "void f() {\n#pragma omp single\n{\n[[omp::directive(parallel)]]\n"
     "g();\n}\n}\n"),
    ("digraphs", ".c", "void f() <%\n#pragma omp single\ng();\n%>\n"),
    ("OpenACC", ".c", "void f() {\n#pragma omp single\n{\n#pragma acc parallel\ng();\n}\n}\n"),
    ("an included statement", ".c", "void f() {\n#pragma omp single\n#include \"x\"\n g();\n}\n"),
    ("zero bytes", ".c", b"void f() {\n#pragma omp single\n g();\n\0}\n"),
    ("junk", ".c", bytes((i * 7919 + i // 251) % 255 + 1 for i in range(200000)) + b"omp "),
    ("junk", ".f90", bytes((i * 7919 + i // 251) % 255 + 1 for i in range(200000)) + b"omp "),
    ("10 MB on a line", ".c", _OPEN + "x" * 10000000 + ";\n}\n}\n"),
    ("a long line of quotes", ".c", _OPEN + "'\"" * 500000 + "\n}\n}\n"),
    ("a long line of stars", ".c", _OPEN + "/*" * 500000 + "\n}\n}\n"),
    ("a long line of brackets", ".c", _OPEN + "([{" * 300000 + "\n}\n}\n"),
    ("many blocks that never end", ".c", "void f() {\n" + "#pragma omp single\n{\n" * 20000),
    ("many ifs", ".c", "void f() {\n#pragma omp single\n" + "if (x)\n" * 100000 + "g();\n}\n"),
    ("many directives on one another", ".c", "void f() {\n" + "#pragma omp for\n" * 20000 +
     "g();\n}\n"),
    ("a long word", ".c", "void f() {\n#pragma omp " + "taskloop" * 100000 + "\ng();\n}\n"),
    ("a long expression", ".c", "void f() {\n" + "#pragma omp single\n" * 200 + "a" + "+ a" * 300000
     + ";\n}\n"),
    ("a loop that never ends", ".f90", "subroutine f\n!$omp do\ndo i = 1, 2\nx = 1\nend\n"),
    ("no loop", ".f90", "subroutine f\n!$omp do\nx = 1\nend do\nend\n"),
    ("an end too many", ".f90", "subroutine f\n!$omp single\nx = 1\n!$omp end single\n"
     "!$omp end single\nend\n"),
    ("ends crossed", ".f90", "subroutine f\n!$omp single\n!$omp critical\nx = 1\n!$omp end single\n"
     "!$omp end critical\nend\n"),
    ("a literal that never ends", ".f90", "subroutine f\n!$omp single\nx = 'a\n"
     "!$omp end single\nend\n"),
    ("a line that goes on", ".f90", "subroutine f\n!$omp single\nx = &\n"),
    ("a directive of another language", ".f90", "subroutine f\n!$omp single\n!$acc loop\nx = 1\n"
     "!$omp end single\nend\n"),
    ("an included text", ".F90", "subroutine f\n!$omp single\n#include \"x\"\nx = 1\n"
     "!$omp end single\nend\n"),
    ("an included text", ".f", "      do i = 1, 2\n      include 'x'\nc$omp single\n      x = 1\n"
     "c$omp end single\n      end do\n      end\n"),
    ("a condition that is not known", ".F90", "subroutine f\n#ifdef A\n!$omp single\n#endif\n"
     "x = 1\n#ifdef A\n!$omp end single\n#endif\nend\n"),
    ("10 MB on a line", ".f90", "subroutine f\n!$omp single\nx = " + "1" * 10000000 +
     "\n!$omp end single\nend\n"),
    ("many brackets", ".f90", "subroutine f\n!$omp do\ndo i = " + "(" * 300000 + ")" * 300000 +
     "\nend do\nend\n"),
    ("many blocks", ".f90", "!$omp single\n" * 20000),
    ("lines that go on for ever", ".f90", "!$omp single &\n" * 50000),
]
