# What testsuite/unit builds and runs.
