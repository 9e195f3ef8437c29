/* SPDX-License-Identifier: MIT
 *
 * Follows an accessor's x86-64 code: the few instructions that compilers make of them.
 * Conditional jumps are taken as not taken; what is not understood ends the trace, since
 * its length is not known.
 */
#include <string.h>

#include "libompd/runtime/probe.h"

enum { REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { RAX = 0, RCX, RDX, RSP = 4, RSI = 6, RDI, R8, R11 = 11, REGISTERS = 16 };

struct reader {
    const unsigned char *code;
    size_t bytes;
    size_t next;
    bool ended; /* the code is shorter than the instruction */
    taddr at;
};

struct instruction {
    bool fs;
    unsigned rex;
    unsigned opcode; /* 0x0f.. for those of two bytes */
    unsigned reg;
    bool is_memory;
    bool is_absolute; /* fs: without a register */
    unsigned rm;      /* a register when it is none */
    struct probe_value address;
};

static unsigned byte(struct reader *r)
{
    if (r->next >= r->bytes) {
        r->ended = true;
        return 0;
    }
    return r->code[r->next++];
}

static int32_t number32(struct reader *r)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)byte(r) << (8 * i);
    return (int32_t)value;
}

/* The operand bytes. `immediate` bytes follow them, which addresses relative to the
 * instruction pointer count. False: a form that accessors do not have. */
static bool operands(struct reader *r, struct probe_trace *trace, const struct probe_value *value,
                     struct instruction *out, unsigned immediate)
{
    static const struct probe_value pointer = {.kind = PROBE_THREAD_POINTER};
    unsigned modrm = byte(r);
    unsigned mod = modrm >> 6, rm = modrm & 7;
    out->reg = (modrm >> 3 & 7) | (out->rex & REX_R ? 8 : 0);
    out->is_memory = mod != 3;
    if (!out->is_memory) {
        out->rm = rm | (out->rex & REX_B ? 8 : 0);
        return true;
    }
    struct probe_value base;
    if (mod == 0 && rm == 5) {
        int64_t distance = number32(r);
        base = probe_constant((int64_t)(r->at + r->next + immediate) + distance);
        out->address = base;
        return !out->fs;
    }
    if (rm == 4) {
        unsigned sib = byte(r);
        unsigned index = (sib >> 3 & 7) | (out->rex & REX_X ? 8 : 0);
        if (mod == 0 && (sib & 7) == 5) { /* without a base: fs:displacement */
            out->is_absolute = index == RSP && out->fs;
            out->address = probe_constant(number32(r));
            return out->is_absolute;
        }
        base = value[(sib & 7) | (out->rex & REX_B ? 8 : 0)];
        if (index != RSP)
            base = probe_element(base, 1u << (sib >> 6));
    } else {
        base = value[rm | (out->rex & REX_B ? 8 : 0)];
    }
    int32_t displacement = mod == 1 ? (int8_t)byte(r) : mod == 2 ? number32(r) : 0;
    if (out->fs)
        base = probe_add(trace, pointer, base);
    out->address = probe_add(trace, base, probe_constant(displacement));
    return true;
}

static struct probe_value load(struct probe_trace *trace, const struct instruction *in,
                               unsigned size)
{
    if (!in->is_absolute)
        return probe_load(trace, in->address, size);
    if (in->address.number == 0 && size == 8) /* the thread pointer's copy of itself */
        return (struct probe_value){.kind = PROBE_THREAD_POINTER};
    if (in->address.number < 0) { /* linked statically: distance and offset in one */
        struct probe_value thread =
            probe_add(trace, (struct probe_value){.kind = PROBE_THREAD_POINTER}, probe_constant(0));
        return probe_load(trace, probe_add(trace, thread, in->address), size);
    }
    return (struct probe_value){.kind = PROBE_UNKNOWN};
}

/* One instruction. False: the trace ends here. */
static bool follow(struct reader *r, struct probe_trace *trace, struct probe_value *value)
{
    struct instruction in;
    memset(&in, 0, sizeof in);
    unsigned op = byte(r);
    while (op == 0x64 || op == 0x66 || op == 0x2e || op == 0xf3) {
        in.fs |= op == 0x64;
        op = byte(r);
    }
    if ((op & 0xf0) == 0x40) {
        in.rex = op & 0xf;
        op = byte(r);
    }
    bool wide = in.rex & REX_W;
    unsigned word = wide ? 8 : 4;
    if (op == 0x0f)
        op = 0x0f00 | byte(r);
    static const struct probe_value unknown = {.kind = PROBE_UNKNOWN};

    if (op >= 0x50 && op <= 0x57) /* push */
        return true;
    if (op >= 0x58 && op <= 0x5f) { /* pop */
        value[(op & 7) | (in.rex & REX_B ? 8 : 0)] = unknown;
        return true;
    }
    if (op >= 0x70 && op <= 0x7f) { /* jcc */
        byte(r);
        return true;
    }
    if (op >= 0x0f40 && op <= 0x0f4f) { /* cmov: either, so keep what was there */
        if (!operands(r, trace, value, &in, 0))
            return false;
        if (in.is_memory)
            load(trace, &in, word);
        return true;
    }
    if (op >= 0x0f80 && op <= 0x0f8f) {
        number32(r);
        return true;
    }
    if (op >= 0xb8 && op <= 0xbf && !wide) {
        unsigned reg = (op & 7) | (in.rex & REX_B ? 8 : 0);
        value[reg] = probe_constant((uint32_t)number32(r));
        return true;
    }
    switch (op) {
    case 0xe8: /* call: what it may change */
        number32(r);
        for (unsigned reg = RAX; reg <= R11; reg++)
            if (reg <= RDX || reg == RSI || reg >= RDI)
                value[reg] = unknown;
        return true;
    case 0xe9: /* jmp */
    case 0xeb: {
        int32_t distance = op == 0xe9 ? number32(r) : (int8_t)byte(r);
        trace->tail = r->at + r->next + (taddr)(int64_t)distance;
        trace->returns = true;
        return true;
    }
    case 0xc3: /* ret */
        trace->returns = true;
        return true;
    case 0x98: /* cltq */
        value[RAX] = unknown;
        return true;
    case 0x63: /* movslq */
        if (!operands(r, trace, value, &in, 0))
            return false;
        value[in.reg] = unknown;
        return true;
    case 0x8b: /* mov */
        if (!operands(r, trace, value, &in, 0))
            return false;
        value[in.reg] = in.is_memory ? load(trace, &in, word) : wide ? value[in.rm] : unknown;
        return true;
    case 0x89: /* mov the other way, and stores, which change nothing that matters */
        if (!operands(r, trace, value, &in, 0))
            return false;
        if (!in.is_memory)
            value[in.rm] = wide ? value[in.reg] : unknown;
        return true;
    case 0x8d: /* lea */
        if (!operands(r, trace, value, &in, 0) || !in.is_memory || in.fs)
            return false;
        value[in.reg] = in.address;
        probe_address(trace, in.address);
        return true;
    case 0x0fb6: /* movzx, movsx */
    case 0x0fbe:
        if (!operands(r, trace, value, &in, 0))
            return false;
        if (in.is_memory)
            load(trace, &in, 1);
        value[in.reg] = unknown;
        return true;
    case 0x03: /* add */
        if (!operands(r, trace, value, &in, 0))
            return false;
        if (wide && in.is_memory)
            value[in.reg] = probe_add(trace, value[in.reg], load(trace, &in, 8));
        else
            value[in.reg] = unknown;
        return true;
    case 0xc7: /* mov of an immediate */
        if (!operands(r, trace, value, &in, 4))
            return false;
        if (!in.is_memory)
            value[in.rm] = probe_constant(number32(r));
        else
            number32(r);
        return true;
    case 0x83: /* arithmetic with an immediate: add keeps what is known, cmp changes
                  nothing */
        if (!operands(r, trace, value, &in, 1))
            return false;
        if (in.is_memory)
            load(trace, &in, word);
        int8_t immediate = (int8_t)byte(r);
        if (!in.is_memory && (in.reg & 7) != 7)
            value[in.rm] = (in.reg & 7) == 0 && wide
                               ? probe_add(trace, value[in.rm], probe_constant(immediate))
                               : unknown;
        return true;
    case 0xf6: /* test with an immediate */
    case 0xf7: {
        unsigned bytes = op == 0xf6 ? 1 : 4;
        if (!operands(r, trace, value, &in, bytes) || (in.reg & 7) > 1)
            return false;
        if (in.is_memory)
            load(trace, &in, bytes);
        for (unsigned i = 0; i < bytes; i++)
            byte(r);
        return true;
    }
    case 0x85: /* test, cmp */
    case 0x39:
    case 0x3b:
        if (!operands(r, trace, value, &in, 0))
            return false;
        if (in.is_memory)
            load(trace, &in, word);
        return true;
    case 0x31: /* xor, sub */
    case 0x33:
    case 0x29:
    case 0x2b:
        if (!operands(r, trace, value, &in, 0) || in.is_memory)
            return false;
        value[op & 2 ? in.reg : in.rm] = unknown;
        return true;
    case 0x0f1e: /* endbr64 and other nops */
    case 0x0f1f:
        return operands(r, trace, value, &in, 0);
    case 0x90:
        return true;
    default:
        return false;
    }
}

void probe_x86_64(const unsigned char *code, size_t bytes, taddr at, struct probe_trace *out)
{
    struct reader r = {.code = code, .bytes = bytes, .at = at};
    struct probe_value value[REGISTERS];
    memset(value, 0, sizeof value);
    memset(out, 0, sizeof *out);
    while (r.next < r.bytes && !out->returns) {
        struct probe_trace before = *out;
        if (!follow(&r, out, value) || r.ended) {
            *out = before;
            return;
        }
    }
}
