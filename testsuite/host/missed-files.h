/* SPDX-License-Identifier: MIT
 *
 * What to tell a person whose core needs files that are not here.
 */
#ifndef HOST_MISSED_FILES_H
#define HOST_MISSED_FILES_H

#include <stdbool.h>

struct target;
struct why;

/* One sentence about the most important program or library of a core that is not on this
 * machine, or is another build here. False when there is none. */
bool missed_files(struct target *target, struct why *why);

#endif
