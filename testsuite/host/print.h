/* SPDX-License-Identifier: MIT
 *
 * A snapshot as JSON.
 */
#ifndef HOST_PRINT_H
#define HOST_PRINT_H

#include <stdio.h>
#include "icv-list.h"
#include "snapshot.h"

struct extension;

/* Without `icvs` when that is NULL, as with the extension. One object: target, threads,
 * regions, tasks, counts. A value that the library did not give is the name of its answer, as a
 * string. region_index and task_index count the entries of regions and tasks; -1 is none. */
void print_json(FILE *out, const struct snapshot *snapshot, const struct icv_list *icvs,
                const struct extension *extension);

/* "wait critical", ... for a value of the report's section 15.9; NULL when it is none. */
const char *state_name(uint64_t state);

/* The parts: print-icvs.c, print-extension.c, print-devices.c, and what they share with print.c. */
void json_icvs(FILE *out, const struct icv_list *icvs);
void json_extension(FILE *out, struct target *target, const struct extension *extension);
void json_devices(FILE *out, struct session *session);
/* With quotes around it. */
void json_string(FILE *out, const char *string);
/* Function, file and line of the call that returns to this address. */
void json_call_place(FILE *out, struct target *target, uint64_t return_address);

#endif
