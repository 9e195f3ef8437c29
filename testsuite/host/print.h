/* SPDX-License-Identifier: MIT
 *
 * A snapshot as tables for a person or as JSON for a program.
 */
#ifndef HOST_PRINT_H
#define HOST_PRINT_H

#include <stdio.h>
#include "snapshot.h"

void print_tables(FILE *out, const struct snapshot *snapshot);

/* One object: target, threads, regions, tasks, counts. A value that the library did not
 * give is the name of its answer, as a string. */
void print_json(FILE *out, const struct snapshot *snapshot);

/* "wait critical", ... for a value of the report's section 15.9; NULL when it is none. */
const char *state_name(uint64_t state);

#endif
