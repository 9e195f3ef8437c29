/* SPDX-License-Identifier: MIT
 *
 * What functions of the target do, by the tracer of its machine.
 */
#include <string.h>

#include "libompd/runtime/probe.h"
#include "libompd/target/target.h"

/* Until the dynamic linker has relocated an image its pointers are 0 or as they are in the file.
 * Variables of an image are as near to its code as an instruction can reach. */
static bool add_pointed(const struct instance *instance, taddr code, taddr pointer, taddr *address)
{
    static const taddr near = UINT64_C(1) << 32;
    unsigned char bytes[8];
    if (!pointer)
        return true;
    if (target_read(instance->space, pointer, sizeof bytes, bytes) != RC_OK)
        return false;
    taddr base = target_decode(instance->space, bytes, sizeof bytes);
    *address += base;
    return (base > code ? base - code : code - base) < near;
}

/* The trace ends at the first step that cannot be resolved. */
static void resolve(const struct instance *instance, taddr at, struct probe_trace *trace)
{
    bool good = add_pointed(instance, at, trace->slot_pointer, &trace->slot);
    trace->slot_pointer = 0;
    trace->contradictory |= !good;
    unsigned i = 0;
    for (; i < trace->count && good; i++) {
        struct probe_step *step = &trace->step[i];
        if (!add_pointed(instance, at, step->pointer, &step->address))
            break;
        step->pointer = 0;
    }
    trace->unresolved = i < trace->count || !good;
    trace->count = i;
}

/* Less code is read where a mapping ends. */
enum rc probe_code(const struct instance *instance, enum probe_machine machine, taddr at,
                   struct probe_trace *out)
{
    unsigned char code[PROBE_CODE_BYTES];
    enum rc rc = RC_OK;
    memset(out, 0, sizeof *out);
    for (size_t bytes = PROBE_CODE_BYTES; bytes >= PROBE_CODE_BYTES_MIN; bytes /= 2) {
        rc = target_read(instance->space, at, bytes, code);
        if (rc == RC_OK) {
            (machine == PROBE_AARCH64 ? probe_aarch64 : probe_x86_64)(code, bytes, at, out);
            resolve(instance, at, out);
            return rc;
        }
    }
    return rc;
}

enum rc probe_function(const struct instance *instance, enum probe_machine machine,
                       const char *symbol, struct probe_trace *out)
{
    taddr at;
    memset(out, 0, sizeof *out);
    enum rc rc = target_image_symbol(instance, symbol, &at);
    return rc == RC_OK ? probe_code(instance, machine, at, out) : rc;
}

unsigned probe_version(const struct instance *instance, const struct probe_version *versions,
                       size_t count)
{
    taddr unused;
    for (size_t i = 0; i < count; i++)
        if (target_image_symbol(instance, versions[i].symbol, &unused) == RC_OK)
            return versions[i].version;
    return 0;
}
