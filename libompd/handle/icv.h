/* SPDX-License-Identifier: MIT
 *
 * ICVs: listed, and asked for as numbers or as words. tables/icvs.def says what there is.
 */
#ifndef LIBOMPD_ICV_H
#define LIBOMPD_ICV_H

#include "libompd/handle/handle.h"

/* What an ICV belongs to; the values are those of the 5.x interface. */
enum scope {
    SCOPE_global = 1,
    SCOPE_address_space,
    SCOPE_thread,
    SCOPE_parallel,
    SCOPE_implicit_task,
    SCOPE_task,
    SCOPE_teams,
    SCOPE_target,
};

/* Versions of the interface that enumerate other ICVs. */
enum { ICV_VERSION_5_0 = 201811, ICV_VERSION_6_0 = 202411 };

/* Numbers of ICVs begin with 1; the scope is that under which the version has it.
 * RC_BAD_INPUT: there is none with this number. */
enum rc icv_name(uint64_t icv, uint64_t version, const char **name, enum scope *scope);

/* How many there are in a version. */
uint64_t icv_count(uint64_t version);

/* At most two reads, two more for ICVs of a task through its thread. RC_INCOMPLETE: *out is the first of several parts. RC_INCOMPATIBLE:
 * it is no number. RC_BAD_INPUT: not an ICV of that scope. RC_OTHER_HANDLE: the handle is
 * not of that scope. */
enum rc icv_number(const void *handle, enum scope scope, uint64_t icv, int64_t *out);

/* The whole value as words, in memory of the debugger. Lists and strings cost reads of
 * their own, one for each list or page. */
enum rc icv_words(const void *handle, enum scope scope, uint64_t icv, char **out);

/* The runtime that a handle of any kind belongs to. RC_STALE_HANDLE: it is none;
 * RC_OTHER_HANDLE: it is of another kind than the scope asks for; RC_BAD_INPUT: no such
 * scope. */
enum rc scope_check(const void *handle, enum scope scope, struct instance **out);

/* scope.c: the word that a tool of the process has attached to a thread, region or task.
 * RC_UNAVAILABLE: there is no tool. */
enum rc tool_data(const void *handle, enum scope scope, uint64_t *out);

/* scope.c: how a tool inside the process is served. RC_UNSUPPORTED: not recorded. */
enum rc tool_of_space(struct space *space, enum tool_interface *out);

/* A copy of a string in the debugger's memory. */
enum rc string_copy(const struct target_ops *ops, const char *text, char **out);

#endif
