/* SPDX-License-Identifier: MIT
 *
 * Follows an accessor's aarch64 code. Conditional branches are taken as not taken; an
 * instruction that is not understood is taken to change its lowest register, and the one that a
 * load or store counts up.
 */
#include <string.h>

#include "libompd/runtime/probe.h"

enum { REGISTERS = 32, ZERO = 31, LAST_CHANGED_BY_CALL = 17, LINK = 30 };

static const struct probe_value unknown = {.kind = PROBE_UNKNOWN};

static uint32_t word_at(const unsigned char *code)
{
    return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
           (uint32_t)code[3] << 24;
}

/* Of an adr in bytes, of an adrp in pages of 4096. */
static int64_t address_distance(uint32_t word)
{
    uint32_t distance = (word >> 29 & 3) | (word >> 5 & 0x7ffff) << 2;
    return distance & 1u << 20 ? (int64_t)distance - (1 << 21) : distance;
}

/* Of a b or bl. */
static int64_t branch_distance(uint32_t word)
{
    int64_t distance = (int64_t)(word & 0x3ffffff) << 2;
    return word & 1u << 25 ? distance - (INT64_C(1) << 28) : distance;
}

static void call(struct probe_value *value)
{
    for (unsigned reg = 0; reg <= LAST_CHANGED_BY_CALL; reg++)
        value[reg] = unknown;
    value[LINK] = unknown;
}

/* A load or store that also writes its base register, before or after; of one register or two. */
static bool writes_base(uint32_t word)
{
    return (word & 0x3b200400) == 0x38000400 || (word & 0x3a800000) == 0x28800000;
}

/* False: the trace ends here. */
static bool follow(uint32_t word, taddr at, struct probe_trace *trace, struct probe_value *value)
{
    unsigned to = word & 31, n = word >> 5 & 31, m = word >> 16 & 31;
    uint32_t immediate = word >> 10 & 0xfff;
    struct probe_value result = unknown;

    if ((word & 0xfffffc1f) == 0xd65f0000) { /* ret */
        trace->returns = true;
        return false;
    }
    if ((word & 0xfc000000) == 0x14000000) { /* b */
        trace->tail = at + (taddr)branch_distance(word);
        trace->returns = true;
        return false;
    }
    if ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000) {
        call(value); /* bl, blr */
        return true;
    }
    if (writes_base(word) && n != ZERO)
        value[n] = unknown;
    if ((word & 0x3a000000) == 0x28000000) { /* stp and the like, ldp */
        bool loads = word & 1u << 22;
        if (loads && to != ZERO)
            value[to] = unknown;
        if (loads && (word >> 10 & 31) != ZERO)
            value[word >> 10 & 31] = unknown;
        return true;
    }
    if ((word & 0xfffff01f) == 0xd503201f || (word & 0x7c000000) == 0x34000000 ||
        (word & 0xff000010) == 0x54000000 || (word & 0x7f20001f) == 0x6b00001f)
        return true; /* hints as nop and bti, cbz, tbz, b.cond, cmp */
    if ((word & 0x3b000000) == 0x39000000 && !(word & 0x00400000))
        return true;                         /* stores */
    if ((word & 0xffffffe0) == 0xd53bd040) { /* mrs from tpidr_el0 */
        result.kind = PROBE_THREAD_POINTER;
    } else if ((word & 0x9f000000) == 0x90000000) { /* adrp */
        result = probe_constant((int64_t)(at & ~(taddr)0xfff) + address_distance(word) * 4096);
    } else if ((word & 0x9f000000) == 0x10000000) { /* adr */
        result = probe_constant((int64_t)at + address_distance(word));
        probe_address(trace, result);
    } else if ((word & 0x3fc00000) == 0x39400000) { /* ldr, ldrh, ldrb by immediate */
        unsigned size = 1u << (word >> 30);
        result = probe_load(
            trace, probe_add(trace, value[n], probe_constant((int64_t)immediate * size)), size);
    } else if ((word & 0x3fe0fc00) == 0x38606800) { /* ldr by register */
        unsigned size = 1u << (word >> 30);
        result = probe_load(trace, probe_add(trace, value[n], value[m]), size);
    } else if ((word & 0xffe05c00) == 0xf8605800) { /* ldr of an element of 8 bytes */
        result = probe_load(trace, probe_element(value[n], 8), 8);
    } else if ((word & 0xff800000) == 0x91000000) { /* add of an immediate */
        if (word & 1u << 22)
            immediate <<= 12;
        result = probe_add(trace, value[n], probe_constant(immediate));
        probe_address(trace, result);
    } else if ((word & 0xffe0fc00) == 0x8b000000) { /* add of registers */
        result = probe_add(trace, value[n], value[m]);
    } else if ((word & 0xffe0ffe0) == 0xaa0003e0) { /* mov */
        result = value[m];
    } else if ((word & 0xff800000) == 0xd2800000) { /* movz: the distance when static */
        result = probe_constant((int64_t)(word >> 5 & 0xffff) << (word >> 21 & 3) * 16);
    }
    if (to != ZERO)
        value[to] = result;
    return true;
}

void probe_aarch64(const unsigned char *code, size_t bytes, taddr at, struct probe_trace *out)
{
    struct probe_value value[REGISTERS];
    memset(value, 0, sizeof value);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        if (!follow(word_at(code + i), at + i, out, value))
            return;
    }
}
