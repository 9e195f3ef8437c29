# What testsuite/gdb builds and runs.
