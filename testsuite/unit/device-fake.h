/* SPDX-License-Identifier: MIT
 *
 * Devices of a process that exists only here: code that has the addresses of variables, and trees of
 * mapped ranges, for either runtime.
 */
#ifndef DEVICE_FAKE_H
#define DEVICE_FAKE_H

#include <stdarg.h>
#include <stdlib.h>

#include "gomp-fake.h"
#include "libompd/runtime/reader.h"

enum { DF_RANGES = 40, DF_STEP = 0x10000 };

/* Writes a function: bytes in hex, "is" a word and "to" the distance to an address, of which each is
 * a further taddr. Answers where it is. */
static inline taddr df_code(struct gf *of, const char *name, const char *code, ...)
{
    taddr start = gf_memory(of, 512), at = start;
    va_list values;
    va_start(values, code);
    for (; *code; code += code[2] ? 3 : 2) {
        bool is_word = *code == 'i' || *code == 't';
        taddr value = is_word ? va_arg(values, taddr) : strtoul(code, NULL, 16);
        gf_number(of, at, is_word ? 4 : 1, *code == 't' ? value - (at + 4) : value);
        at += is_word ? 4 : 1;
    }
    va_end(values);
    if (name)
        gf_symbol(of, name, start);
    return start;
}

/* Ranges from `first` up to `last`, as a balanced tree; `make` answers the address of one's node,
 * and `left` and `right` are where that has its children. */
static inline taddr df_tree(struct gf *of, unsigned first, unsigned last, unsigned left,
                            unsigned right, taddr (*make)(unsigned number))
{
    if (first >= last)
        return 0;
    unsigned middle = (first + last) / 2;
    taddr node = make(middle);
    gf_number(of, node + left, 8, df_tree(of, first, middle, left, right, make));
    gf_number(of, node + right, 8, df_tree(of, middle + 1, last, left, right, make));
    return node;
}

/* What was visited. */
struct df_found {
    unsigned devices, mappings;
    struct device_facts device[4];
    struct mapping_facts mapping[DF_RANGES]; /* by its number */
};

static inline bool df_take_device(void *arg, const struct device_facts *facts)
{
    struct df_found *found = arg;
    ck_assert_uint_lt(found->devices, 4);
    found->device[found->devices++] = *facts;
    return true;
}

static inline bool df_take_mapping(void *arg, const struct mapping_facts *facts)
{
    struct df_found *found = arg;
    ck_assert_uint_lt(facts->host / DF_STEP, DF_RANGES);
    ck_assert_uint_eq(found->mapping[facts->host / DF_STEP].bytes, 0); /* none is visited twice */
    found->mapping[facts->host / DF_STEP] = *facts;
    found->mappings++;
    return true;
}

#define DF_ASK(found)                                                                              \
    (*(found) = (struct df_found){0},                                                              \
     rc_join(ASK(each_device, df_take_device, found), ASK(each_mapping, df_take_mapping, found)))

/* Each callback of both questions fails in turn: nothing is leaked, and what is said to be all is. */
#define DF_FAIL_EACH(of, found)                                                                    \
    for (unsigned n = 1;; n++) {                                                                   \
        int alive = (of)->alive;                                                                   \
        (of)->fail_at = n;                                                                         \
        (of)->callbacks = 0;                                                                       \
        enum rc rc = DF_ASK(found);                                                                \
        bool reached = (of)->callbacks >= n;                                                       \
        (of)->fail_at = 0;                                                                         \
        ck_assert_int_le((of)->alive, alive + 1);                                                  \
        ck_assert(rc != RC_OK || (found)->mappings == DF_RANGES);                                  \
        if (!reached)                                                                              \
            break;                                                                                 \
    }

#endif
