# What testsuite/host builds and runs.
