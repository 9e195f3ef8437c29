/* SPDX-License-Identifier: MIT
 *
 * A malloc of the program's own that counts calls which nobody should make.
 */
#ifndef POISON_H
#define POISON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* False: the program is built with something that has a malloc of its own. */
extern const bool poison_works;

/* From here to there calls of malloc, calloc, realloc and free count, except between
 * pause and resume. */
void poison_begin(void);
unsigned poison_end(void);
void poison_pause(void);
void poison_resume(void);

#endif
