/* SPDX-License-Identifier: MIT
 *
 * What the files of the dialect of OpenMP 5.x share.
 */
#ifndef HOST_ABI5_H
#define HOST_ABI5_H

#include "libompd/abi-5/omp-tools.h"
#include "libompd/abi-5/ompd-types.h"
#include "libompd/ext/ompd-ext.h"
#include "session.h"
#include "testsuite/common/ompd-routines.h"

/* What differs from abi2.h. */
#define ABI(name) abi5_##name
#define THREAD_ID(here, in_2) OMPD_THREAD_ID_##here
#define RC_READ_ERROR ompd_rc_device_read_error
#define RC_WRITE_ERROR ompd_rc_device_write_error
#define RC_INCOMPLETE ompd_rc_incomplete
#define CFA(frame) (frame).frame_address.address
typedef ompd_frame_info_t frame_of_abi;
typedef ompd_size_t length_of_abi;

/* Those of the extension are NULL when the library has none. */
struct routines {
#define ROUTINE_5(name, name_5, ...) __typeof__(ompd_##name) *name;
#define LISTED_5(name, flags) __typeof__(ompd_##name) *name;
#include "testsuite/common/ompd-routines.def"
};

enum { MAX_ICVS = 128, MAX_STATES = 128 };

struct named_state {
    ompd_word_t value;
    char *name;
};

struct abi {
    struct routines call;
    ompd_address_space_handle_t *space;
    struct named_state states[MAX_STATES];
    size_t state_count;
    struct icv icvs[MAX_ICVS];
    ompd_icv_id_t icv_ids[MAX_ICVS];
    ompd_scope_t icv_scopes[MAX_ICVS];
    size_t icv_count;
};

/* Neutral handle types stand for the library's: these casts are where the two meet. */
#define CALL(s) (&((struct abi *)(s)->state)->call)
#define THREAD(t) ((ompd_thread_handle_t *)(t))
#define REGION(r) ((ompd_parallel_handle_t *)(r))
#define TASK(t) ((ompd_task_handle_t *)(t))

/* abi5-callbacks.c: the table, and the context of the one address space there is. */
extern const ompd_callbacks_t abi5_callbacks;
ompd_address_space_context_t *abi5_context(struct session *s);
enum answer abi5_answer(ompd_rc_t rc);

/* abi5-library.c */
enum answer abi5_open(struct session *s, struct why *why);
void abi5_close(struct session *s);
/* The name that the library's list has for the state of a thread. */
enum answer abi5_state_name(struct session *s, struct omp_thread *thread, char **text);

/* abi5-icvs.c. Fills the list of ICVs. */
enum answer abi5_load_icvs(struct session *s);
/* An ICV by name, in a scope that may be another than the one it is listed with. */
enum answer abi5_number(struct session *s, const char *name, void *handle, ompd_scope_t scope,
                        int64_t *number);

const struct icv *abi5_icvs(struct session *s, size_t *count);
enum answer abi5_icv_number(struct session *s, size_t icv, void *handle, int64_t *number);
enum answer abi5_icv_text(struct session *s, size_t icv, void *handle, char **text);
enum answer abi5_settings(struct session *s, char ***list, size_t *count);

#endif
