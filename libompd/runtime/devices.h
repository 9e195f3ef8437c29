/* SPDX-License-Identifier: MIT
 *
 * What the readers of devices share: where code of the runtime has the address of a variable, by
 * which numbers in that code a layout is recognised, and the walk over trees of mapped ranges.
 */
#ifndef LIBOMPD_DEVICES_H
#define LIBOMPD_DEVICES_H

#include "libompd/array.h"
#include "libompd/runtime/memory-reader.h"

/* Bounds on what a target may claim, far above what a process can have. */
enum {
    DEVICES_MAX = 1 << 10,
    DEVICE_MAPPINGS_MAX = 1 << 16, /* of one device */
    DEVICE_NODE_BYTES_MAX = 128,
    DEVICE_CODE_BYTES = 512,
    DEVICE_CODE_BYTES_MIN = 64,
};

/* Code of x86-64; less of it is read where a mapping ends. */
struct device_code {
    taddr at;
    size_t bytes;
    unsigned char code[DEVICE_CODE_BYTES];
};
enum rc device_code_read(const struct instance *instance, taddr at, struct device_code *out);

/* Which of these words are in it, as displacements or as parts of instructions: a bit for each. */
enum { DEVICE_EVIDENCE = 2, DEVICE_EVIDENCE_ALL = (1 << DEVICE_EVIDENCE) - 1 };
unsigned device_code_find(const struct device_code *code, const uint32_t evidence[DEVICE_EVIDENCE]);

/* What the next instruction of a kind refers to by its distance, from the byte *at on, which moves
 * behind it. False: there is none. */
enum device_operand {
    DEVICE_CALL,
    DEVICE_LEA,  /* of 8 bytes */
    DEVICE_LOAD, /* of 8 bytes */
};
bool device_code_next(const struct device_code *code, enum device_operand kind, size_t *at,
                      taddr *out);

/* The ranges that are mapped to a device: a binary tree by rising addresses of the host. */
struct device_tree {
    taddr root;
    uint32_t left, right, key; /* where a node has them */
    uint32_t bytes;            /* that are read of a node */
    struct fact count;         /* of nodes, where the tree has a word for it */
    bool is_locked;            /* it may be mid-update */
};

/* Where a runtime has its devices. */
struct device_list {
    const void *layout; /* the reader's own */
    taddr first;
    uint32_t count;
};

struct device_source {
    /* As reader->each_device. */
    enum rc (*find)(const struct instance *instance, struct device_list *out);
    /* All facts but the number. RC_NONSENSE: no device is there. */
    enum rc (*read)(const struct instance *instance, const struct device_list *list,
                    uint32_t number, struct device_facts *facts, struct device_tree *tree);
    /* All facts but the device. */
    enum rc (*decode)(const struct instance *instance, const struct device_list *list,
                      const unsigned char *node, struct mapping_facts *out);
};

/* Visits devices, or else, where NULL, their mappings. RC_INCOMPLETE: not all of these. */
enum rc devices_visit(const struct instance *instance, const struct device_source *source,
                      device_visitor *visit_device, mapping_visitor *visit_mapping, void *arg);

#endif
