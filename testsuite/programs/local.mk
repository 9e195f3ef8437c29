# What testsuite/programs builds and runs.
