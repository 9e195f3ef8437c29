# SPDX-License-Identifier: MIT
"""What sources.py asks of C and C++: before the bar what a line is to be told to lie in."""

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
]
