/* SPDX-License-Identifier: MIT
 *
 * How ompd-routines-2.c and ompd-routines-5.c expand ompd-routines.def.
 */
#ifndef OMPD_ROUTINES_CALL_H
#define OMPD_ROUTINES_CALL_H

#include "ompd-routines.h"

#define OUT(bit, member) (a->null & 1u << (bit) ? NULL : (void *)&o->member)
#define ID(bit) (a->null & 1u << (bit) ? NULL : a->id)
#define OBJECT (const ompd_ext_object_t *)(const void *)a->object
#define SIZE(type) (a->kind < 6 ? sizeof(type) : a->size * 8)

#define CALL(name, name_5, takes, gives, cost, reads, flags, arguments)                            \
    static int call_##name(const struct args *a, struct outs *o)                                   \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)o;                                                                                   \
        return (int)ompd_##name arguments;                                                         \
    }
#define ROW(name, name_5, takes, gives, cost, reads, flags, arguments)                             \
    {#name, call_##name, KIND_##takes, GIVES_##gives, COST_##cost, reads, flags},

#endif
