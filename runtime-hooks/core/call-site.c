/* SPDX-License-Identifier: MIT
 *
 * Decodes call instructions of x86-64; see call-site.h. On other machines every call site
 * is CALL_UNKNOWN.
 */
#include "core/call-site.h"

#include <string.h>

#ifdef __x86_64__

static int32_t displacement(uintptr_t address)
{
    int32_t value;
    memcpy(&value, (const void *)address, sizeof(value));
    return value;
}

/* Where a PLT entry jumps: `jmp *slot(%rip)`, after an optional endbr64 and bnd prefix.
 * `target` itself if it is no PLT entry. */
static uintptr_t through_stub(uintptr_t target)
{
    const unsigned char *code = (const unsigned char *)target;
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        code += 4;
    if (*code == 0xf2)
        code++;
    if (code[0] != 0xff || code[1] != 0x25)
        return target;
    uintptr_t next = (uintptr_t)code + 6;
    return *(const uintptr_t *)(next + (uintptr_t)(intptr_t)displacement(next - 4));
}

enum call_kind call_site(uintptr_t return_address, uintptr_t start, uintptr_t *target)
{
    if (return_address - start < 6)
        return CALL_UNKNOWN;
    const unsigned char *code = (const unsigned char *)return_address;
    uintptr_t operand = return_address + (uintptr_t)(intptr_t)displacement(return_address - 4);
    if (code[-6] == 0xff && code[-5] == 0x15) /* call *slot(%rip) */
        *target = *(const uintptr_t *)operand;
    else if (code[-5] == 0xe8) /* call function */
        *target = through_stub(operand);
    else
        return CALL_UNKNOWN;
    return CALL_TARGET;
}

#else

enum call_kind call_site(uintptr_t return_address, uintptr_t start, uintptr_t *target)
{
    (void)return_address, (void)start, (void)target;
    return CALL_UNKNOWN;
}

#endif
