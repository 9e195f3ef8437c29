/* SPDX-License-Identifier: MIT
 *
 * Between the two halves of `agree`: the headers of OMPT 5.x and of the 2016 report use
 * the same names for different types, so each has a file of its own.
 */
#ifndef TOOLS_AGREE_H
#define TOOLS_AGREE_H

#include <stdint.h>

/* What a tool of OpenMP 5.x is told of the calling thread. */
struct five {
    int state, thread_num, team_size;
    uint64_t wait_id;
};
void five_ask(struct five *five);

#endif
