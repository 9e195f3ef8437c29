/* SPDX-License-Identifier: MIT
 *
 * What the code of an accessor means, whatever machine it is for.
 */
#include <string.h>

#include "libompd/runtime/probe.h"
#include "libompd/target/target.h"

/* Fields of these structures are not further in than this. */
enum { OFFSET_MAX = 4096 };

struct probe_value probe_constant(int64_t number)
{
    return (struct probe_value){.kind = PROBE_CONSTANT, .number = number};
}

static const struct probe_value unknown = {.kind = PROBE_UNKNOWN};

static bool is_number(struct probe_value value)
{
    return value.kind == PROBE_CONSTANT && !value.pointer;
}

/* What points into a variable, when the word that was loaded is the variable's address. */
static struct probe_value variable_at(struct probe_value slot)
{
    if (slot.pointer || !slot.number)
        return unknown;
    return (struct probe_value){.kind = PROBE_CONSTANT, .pointer = (taddr)slot.number};
}

static void take_slot(struct probe_trace *trace, struct probe_value slot)
{
    if (trace->has_distance || (trace->has_slot && (trace->slot != (taddr)slot.number ||
                                                    trace->slot_pointer != slot.pointer)))
        trace->contradictory = true;
    trace->has_slot = true;
    trace->slot = (taddr)slot.number;
    trace->slot_pointer = slot.pointer;
}

static void take_distance(struct probe_trace *trace, int64_t distance)
{
    if (trace->has_slot || (trace->has_distance && trace->distance != distance))
        trace->contradictory = true;
    trace->has_distance = true;
    trace->distance = distance;
}

/* Of a thread pointer and what says how far from it the thread's data are. */
static struct probe_value thread_at(struct probe_trace *trace, struct probe_value pointer,
                                    struct probe_value distance)
{
    struct probe_value thread = {.kind = PROBE_THREAD, .number = pointer.number};
    if (distance.kind == PROBE_SLOT)
        take_slot(trace, distance);
    else
        take_distance(trace, distance.number);
    return thread;
}

struct probe_value probe_add(struct probe_trace *trace, struct probe_value a, struct probe_value b)
{
    if (b.kind == PROBE_THREAD_POINTER) {
        struct probe_value swap = a;
        a = b;
        b = swap;
    }
    if (a.kind == PROBE_THREAD_POINTER && (b.kind == PROBE_SLOT || is_number(b)))
        return thread_at(trace, a, b);
    if (is_number(b) && !b.number)
        return a;
    if (is_number(b) && a.kind == PROBE_SLOT)
        a = variable_at(a);
    if (is_number(b) &&
        (a.kind == PROBE_CONSTANT || a.kind == PROBE_THREAD || a.kind == PROBE_FIELD)) {
        a.number += b.number;
        return a;
    }
    return unknown;
}

struct probe_value probe_element(struct probe_value pointer, unsigned size)
{
    if (pointer.kind != PROBE_SLOT || size != sizeof(taddr))
        return unknown;
    pointer.kind = PROBE_ELEMENT;
    return pointer;
}

static void take_step(struct probe_trace *trace, struct probe_step step)
{
    if (trace->count < PROBE_STEPS_MAX)
        trace->step[trace->count++] = step;
}

static bool is_offset(int64_t number)
{
    return number >= 0 && number < OFFSET_MAX;
}

/* The load of a pointer that is now known as one is replaced by the address that it gave. */
static void was_pointer(struct probe_trace *trace, taddr pointer)
{
    for (unsigned i = 0; i < trace->count; i++) {
        struct probe_step *step = &trace->step[i];
        if (step->kind == PROBE_GLOBAL_LOAD && !step->pointer && step->address == pointer)
            *step = (struct probe_step){.kind = PROBE_GLOBAL_ADDRESS, .pointer = pointer};
    }
}

struct probe_value probe_load(struct probe_trace *trace, struct probe_value address, unsigned size)
{
    struct probe_step step = {.size = size, .field = address.field};
    if (address.kind == PROBE_SLOT)
        address = variable_at(address);
    switch (address.kind) {
    case PROBE_CONSTANT:
        if (address.pointer)
            was_pointer(trace, address.pointer);
        step.kind = PROBE_GLOBAL_LOAD;
        step.address = (taddr)address.number;
        step.pointer = address.pointer;
        take_step(trace, step);
        return size == 8 ? (struct probe_value){.kind = PROBE_SLOT,
                                                .number = address.number,
                                                .pointer = address.pointer}
                         : unknown;
    case PROBE_ELEMENT:
        if (size != sizeof(taddr))
            return unknown;
        take_slot(trace, address);
        return (struct probe_value){.kind = PROBE_THREAD};
    case PROBE_THREAD:
    case PROBE_FIELD:
        if (!is_offset(address.number) && !(address.kind == PROBE_THREAD && trace->has_distance &&
                                            address.number == (int32_t)address.number))
            return unknown;
        step.kind = address.kind == PROBE_THREAD ? PROBE_THREAD_LOAD : PROBE_FIELD_LOAD;
        step.offset = (int32_t)address.number;
        take_step(trace, step);
        return address.kind == PROBE_THREAD && size == 8
                   ? (struct probe_value){.kind = PROBE_FIELD, .field = step.offset}
                   : unknown;
    default:
        return unknown;
    }
}

void probe_address(struct probe_trace *trace, struct probe_value address)
{
    struct probe_step step = {.field = address.field};
    if (is_number(address)) {
        step.kind = PROBE_GLOBAL_ADDRESS;
        step.address = (taddr)address.number;
    } else if (address.kind == PROBE_FIELD && is_offset(address.number)) {
        step.kind = PROBE_FIELD_ADDRESS;
        step.offset = (int32_t)address.number;
    } else {
        return;
    }
    take_step(trace, step);
}

const struct probe_step *probe_find(const struct probe_trace *trace, enum probe_step_kind kind)
{
    for (unsigned i = 0; i < trace->count; i++) {
        if (trace->step[i].kind == kind)
            return &trace->step[i];
    }
    return NULL;
}
