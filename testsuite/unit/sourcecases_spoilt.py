# SPDX-License-Identifier: MIT
"""Sources in which sources.py finds no construct, or that are none."""

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
