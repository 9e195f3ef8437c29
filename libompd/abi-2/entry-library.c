/* SPDX-License-Identifier: MIT
 *
 * Sections 4 and 7.1: the library and the processes it works on.
 */
#include "config.h"

#include "libompd/abi-2/abi.h"

#define RC(name, name2, value2, name5, value5)                                                     \
    _Static_assert(ompd_rc_##name2 == value2, "tables/rc.def and ompd.h differ");
#include "libompd/tables/rc.def"
#undef RC
#define STATE(name2, value2, name5, value5)                                                        \
    _Static_assert(ompd_state_##name2 == value2, "tables/states.def and ompd.h differ");
#include "libompd/tables/states.def"
#undef STATE

enum { INTERFACE_VERSION = 2 };

ompd_rc_t ompd_get_version(int *version)
{
    if (!version)
        return ompd_rc_bad_input;
    *version = INTERFACE_VERSION;
    return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
    if (!string)
        return ompd_rc_bad_input;
    *string = PACKAGE_STRING ", OMPD 2.000, for GCC's libgomp and LLVM's libomp";
    return ompd_rc_ok;
}
