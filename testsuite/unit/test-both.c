/* SPDX-License-Identifier: MIT
 *
 * Both installed libraries in one debugger: each keeps its own state, and neither binds to
 * the other's routines of the same name.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "frame.h"

static void *open_library(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lib/%s", getenv("stage"), name);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    return library;
}

/* Object and function pointers have one representation wherever dlsym() exists. */
static void *function(void *library, const char *name)
{
    void *found = dlsym(library, name);
    ck_assert_msg(found != NULL, "%s", name);
    return found;
}

TEST(side_by_side)
{
    void *two = open_library("libompd-2.so");
    void *five = open_library("libompd.so");
    static const char *const shared[] = {"ompd_initialize", "ompd_finalize",
                                         "ompd_get_version_string", "ompd_get_state",
                                         "ompd_process_initialize"};
    for (unsigned i = 0; i < sizeof shared / sizeof *shared; i++)
        ck_assert_ptr_ne(function(two, shared[i]), function(five, shared[i]));

    int version = 0;
    int (*get_version)(int *) = (int (*)(int *))function(two, "ompd_get_version");
    ck_assert_int_eq(get_version(&version), 0);
    ck_assert_int_eq(version, 2);
    long api = 0;
    int (*get_api)(long *) = (int (*)(long *))function(five, "ompd_get_api_version");
    ck_assert_int_eq(get_api(&api), 0);
    ck_assert_int_ge(api, 201811);

    /* Callbacks that are only looked at: one library is initialised, the other not. */
    void *table[11];
    for (unsigned i = 0; i < 11; i++)
        table[i] = function(two, "ompd_finalize");
    int (*initialize)(void *) = (int (*)(void *))function(two, "ompd_initialize");
    int (*finalize_2)(void) = (int (*)(void))function(two, "ompd_finalize");
    int (*finalize_5)(void) = (int (*)(void))function(five, "ompd_finalize");
    ck_assert_int_eq(initialize(table), 0);
    ck_assert_int_eq(finalize_5(), 5);
    ck_assert_int_eq(finalize_2(), 0);
    ck_assert_int_eq(dlclose(two), 0);
    ck_assert_int_eq(get_api(&api), 0);
    ck_assert_int_eq(dlclose(five), 0);
}
