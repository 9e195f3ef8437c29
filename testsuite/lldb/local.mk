# The lldb extension: as it is typed, on damaged cores, and beside gdb and the command.
lldb_tests = \
	testsuite/lldb/catch.py \
	testsuite/lldb/commands.py \
	testsuite/lldb/dap.py \
	testsuite/lldb/hostile.py \
	testsuite/lldb/optimised.py \
	testsuite/lldb/short.sh \
	testsuite/lldb/step.py \
	testsuite/lldb/watched.py
TESTS += $(lldb_tests)
