# What local.mk builds for the 2.000 interface, for that of 5.x and the extension. Libraries
# of their own, because the two interfaces share names that mean different things.
check_LTLIBRARIES += testsuite/unit/libunit5.la
testsuite_unit_libunit5_la_SOURCES = \
	testsuite/unit/unit5.h testsuite/unit/unit-interface.h testsuite/unit/unit-parts.h \
	testsuite/unit/unit5.c \
	testsuite/unit/questions.h testsuite/unit/questions.c $(common_routines) \
	testsuite/common/ompd-routines-5.c \
	testsuite/unit/why-evidence.h testsuite/unit/why-tests.h
testsuite_unit_libunit5_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/libompd/abi-5
testsuite_unit_libunit5_la_CFLAGS = $(unit_cflags)
testsuite_unit_libunit5_la_LIBADD = testsuite/unit/libframe.la testsuite/unit/libfake.la \
	libompd/libompd-abi-5.la $(CHECK_LIBS)

unit5_programs = \
	testsuite/unit/test5-interface testsuite/unit/test5-icvs \
	testsuite/unit/test5-extension testsuite/unit/test5-failing \
	testsuite/unit/test5-bounds testsuite/unit/test5-memory \
	testsuite/unit/test5-locks testsuite/unit/test5-threads testsuite/unit/test5-tasks \
	testsuite/unit/test5-regions testsuite/unit/test5-tools \
	testsuite/unit/test5-why testsuite/unit/test5-why-locks \
	testsuite/unit/test5-why-polls testsuite/unit/test5-why-waits
testsuite/unit/test5-%.o: private AM_CPPFLAGS += -I$(srcdir)/libompd/abi-5
$(unit5_programs): testsuite/unit/libunit5.la
$(unit5_programs): private LIBS += testsuite/unit/libunit5.la $(CHECK_LIBS)
testsuite_unit_test5_memory_SOURCES = testsuite/unit/test5-memory.c \
	testsuite/unit/memory-tests.h testsuite/unit/poison.h testsuite/unit/poison.c
