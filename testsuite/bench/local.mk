# What testsuite/bench builds and runs.
