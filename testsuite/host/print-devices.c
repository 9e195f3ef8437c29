/* SPDX-License-Identifier: MIT
 *
 * The address spaces of devices, which OpenMP 5.x has: how the library answers when one is opened as
 * each kind, and what it says of one that it opens.
 */
#include "config.h"

#include <inttypes.h>

#include "abi5.h"
#include "print.h"

enum { DEVICES = 4 };

static void json_device(FILE *out, struct abi *abi, ompd_address_space_handle_t *device)
{
    const struct routines *call = &abi->call;
    ompd_word_t number;
    ompd_rc_t rc = call->get_omp_version(device, &number);
    fprintf(out, ",\"version\":%" PRId64 ",\"icvs\":{", rc == ompd_rc_ok ? number : 0);
    for (size_t i = 0, said = 0; i < abi->icv_count; i++) {
        if (abi->icv_scopes[i] != ompd_scope_address_space)
            continue;
        rc = call->get_icv_from_scope(device, abi->icv_scopes[i], abi->icv_ids[i], &number);
        fprintf(out, said++ ? "," : "");
        json_string(out, abi->icvs[i].name);
        if (rc == ompd_rc_ok)
            fprintf(out, ":%" PRId64, number);
        else
            fprintf(out, ":\"%s\"", answer_name(abi5_answer(rc)));
    }
    fprintf(out, "}");
}

void json_devices(FILE *out, struct session *s)
{
    static const struct {
        const char *name;
        ompd_device_t kind;
    } kinds[] = {{"host", OMPD_DEVICE_KIND_HOST}, {"cuda", OMPD_DEVICE_KIND_CUDA}};
    struct abi *abi = s->state;
    uint64_t symbols = s->counts.symbols;
    fprintf(out, ",\n\"devices\":[");
    for (int number = 0; number < DEVICES; number++) {
        fprintf(out, "%s\n{", number ? "," : "");
        for (unsigned i = 0; i < 2; i++) {
            ompd_address_space_handle_t *device;
            ompd_rc_t rc = abi->call.device_initialize(abi->space, abi5_context(s), kinds[i].kind,
                                                       sizeof number, &number, &device);
            fprintf(out, "%s\"%s\":\"%s\"", i ? "," : "", kinds[i].name,
                    answer_name(abi5_answer(rc)));
            if (rc != ompd_rc_ok)
                continue;
            json_device(out, abi, device);
            abi->call.rel_address_space_handle(device);
        }
        fprintf(out, "}");
    }
    fprintf(out, "]");
    s->counts.symbols = symbols; /* devices are looked for by symbols, where they are asked for */
}
