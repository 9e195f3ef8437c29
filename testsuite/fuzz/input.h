/* SPDX-License-Identifier: MIT
 *
 * The input as a stream of numbers (zeros behind its end), and the codes in it. seeds.c
 * writes what engine.c reads.
 *
 *   flags, threads, then operations until the end. An operation is one byte and its
 *   arguments: OP_CALL + routine (4 bytes of arguments), or an enum op.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_flag {
    INPUT_32BIT = 1,
    INPUT_BIG_ENDIAN = 2,
    INPUT_RAW = 4,            /* memory is the input itself, repeated for ever */
    INPUT_RAW_DESCRIPTOR = 8, /* the descriptor too */
    INPUT_OTHER_KIND = 16,    /* the second process is of the other width and order */
    INPUT_NO_HANDLES = 32,    /* begin without handles of all kinds */
    INPUT_EVERYWHERE = 64,    /* where the process has no memory the input is, repeated */
};

enum op {
    OP_FIELD,      /* record u16, field u8, value */
    OP_BYTES,      /* address u16, size u8, value */
    OP_COPY,       /* record u16, record u16: the second is reused for the first */
    OP_REUSE,      /* record u16, id value */
    OP_TORN,       /* thread u16: its seq becomes odd */
    OP_DESCRIPTOR, /* word u16, value */
    OP_FAIL,       /* callback u8, counted from now; how u8 */
    OP_RELEASE,    /* handle u8 */
    OP_COMPARE,    /* three handles u8 */
    OP_RESTORE,    /* the process is as it was at first */
    OP_PROCESS,    /* the other process from now on */
    OP_SYMBOL,     /* which u8, value */
    OP_SIZES,      /* what the debugger says of the target's types u8, byte order u8 */
    OP_RESTART,    /* finalize and initialize, with handles alive */
    OP_OLDER,      /* records u8: an older minor version, which has fewer kinds of them */
    OP_COUNT,
    OP_CALL = 0x80,
};

/* A value is one byte of enum value and its arguments. */
enum value {
    VALUE_SMALL,   /* u8 */
    VALUE_U32,     /* u32 */
    VALUE_U64,     /* u64 */
    VALUE_ADDRESS, /* record u16 */
    VALUE_NEAR,    /* record u16, distance i8 */
    VALUE_ID,      /* record u16 */
    VALUE_EXTREME, /* u8, into a table */
    VALUE_STATUS,  /* record u16, state u8: a region's id and a thread's state */
    VALUE_COUNT,
};

/* The second byte of a call's arguments: what is passed as the handle. */
enum { HANDLE_FITTING = 0x80 }; /* + number: of the right kind; else any slot of the pool */

struct input {
    const unsigned char *data;
    size_t size;
    size_t at;
};

static inline unsigned input_u8(struct input *in)
{
    return in->at < in->size ? in->data[in->at++] : 0;
}

static inline uint64_t input_number(struct input *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)input_u8(in) << (8 * i);
    return value;
}

#endif
