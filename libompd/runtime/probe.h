/* SPDX-License-Identifier: MIT
 *
 * Traces the code of a runtime's exported accessors: omp_get_thread_num() and the like are a
 * handful of instructions that load one field of the thread's structure, which gives that
 * structure's address and the offset. Nothing is executed.
 */
#ifndef LIBOMPD_PROBE_H
#define LIBOMPD_PROBE_H

#include "libompd/core.h"

/* "Thread" is the thread's structure, "field" what was loaded from it. */
enum probe_step_kind {
    PROBE_THREAD_LOAD,    /* of thread + offset */
    PROBE_FIELD_LOAD,     /* of (field at thread + field) + offset */
    PROBE_FIELD_ADDRESS,  /* (field at thread + field) + offset, not loaded */
    PROBE_GLOBAL_LOAD,    /* of address */
    PROBE_GLOBAL_ADDRESS, /* address, not loaded */
};

struct probe_step {
    enum probe_step_kind kind;
    int32_t field;
    int32_t offset;
    unsigned size;
    taddr address;
    taddr pointer; /* see struct probe_value; probe_code() leaves 0 */
};

enum probe_machine { PROBE_X86_64, PROBE_AARCH64, PROBE_MACHINES };

enum { PROBE_STEPS_MAX = 16, PROBE_CODE_BYTES = 192, PROBE_CODE_BYTES_MIN = 16 };

/* What an accessor does, as far as it could be followed. */
struct probe_trace {
    /* libgomp: the structure is at the thread pointer plus the word at `slot`, or, in a
     * static program, plus `distance`, a part of which the linker may have moved into each
     * offset: then all are off by the same. LLVM: it is an element of the array of pointers
     * that the word at `slot` points to. */
    bool has_slot;
    bool has_distance;
    taddr slot, slot_pointer;
    int64_t distance;
    bool contradictory; /* two slots */
    bool unresolved;    /* it ends at a pointer that has no address near the code (yet) */
    bool returns;       /* followed to the end; and with a jump to another function: */
    taddr tail;
    unsigned count;
    struct probe_step step[PROBE_STEPS_MAX];
};

/* Traces code at `at` until it returns or has an unknown instruction. */
void probe_x86_64(const unsigned char *code, size_t bytes, taddr at, struct probe_trace *out);
void probe_aarch64(const unsigned char *code, size_t bytes, taddr at, struct probe_trace *out);

/* The same of a function of the target, and of an exported one of the instance's image. */
enum rc probe_code(const struct instance *instance, enum probe_machine machine, taddr at,
                   struct probe_trace *out);
enum rc probe_function(const struct instance *instance, enum probe_machine machine,
                       const char *symbol, struct probe_trace *out);

/* The version of the first of these symbols that the instance's image has, 0: it has none. */
struct probe_version {
    const char *symbol;
    unsigned version;
};
unsigned probe_version(const struct instance *instance, const struct probe_version *versions,
                       size_t count);

/* Is a version between those that others may look like? One to come has all symbols of the newest,
 * the first of `versions`, and one older than all layouts may have their code. */
static inline bool probe_is_certain(const struct probe_version *versions, unsigned oldest,
                                    unsigned version)
{
    return version >= oldest && version < versions[0].version;
}

/* The first step of a kind, or NULL. */
const struct probe_step *probe_find(const struct probe_trace *trace, enum probe_step_kind kind);

/* What a register holds. For the two machine files. */
enum probe_value_kind {
    PROBE_UNKNOWN,
    PROBE_CONSTANT,       /* `number` */
    PROBE_THREAD_POINTER, /* + number */
    PROBE_SLOT,           /* the word at `number` */
    PROBE_ELEMENT,        /* the address of an element of the array that the word points to */
    PROBE_THREAD,         /* + number */
    PROBE_FIELD,          /* the value of the field at thread + `field`, + number */
};

/* Variables may be reached by an entry of the global offset table: where `pointer` is not 0, the
 * number is relative to the address that the word there holds. */
struct probe_value {
    enum probe_value_kind kind;
    int64_t number;
    int32_t field;
    taddr pointer;
};

struct probe_value probe_add(struct probe_trace *trace, struct probe_value a, struct probe_value b);
struct probe_value probe_constant(int64_t number);

/* The address of one of the elements of this size behind a pointer. */
struct probe_value probe_element(struct probe_value pointer, unsigned size);

/* Records a load of `size` bytes at an address; answers what it yields. */
struct probe_value probe_load(struct probe_trace *trace, struct probe_value address, unsigned size);
void probe_address(struct probe_trace *trace, struct probe_value address);

#endif
