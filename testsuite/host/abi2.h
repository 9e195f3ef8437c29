/* SPDX-License-Identifier: MIT
 *
 * What the files of the report's dialect share.
 */
#ifndef HOST_ABI2_H
#define HOST_ABI2_H

#include "libompd/abi-2/ompd.h"
#include "session.h"
#include "testsuite/common/ompd-routines.h"

/* What differs from abi5.h. */
#define ABI(name) abi2_##name
#define THREAD_ID(in_5, here) ompd_osthread_##here
#define RC_READ_ERROR ompd_rc_target_read_error
#define RC_WRITE_ERROR ompd_rc_target_write_error
#define RC_INCOMPLETE ompd_rc_error /* unknown to the report */
#define CFA(frame) (frame).address
typedef ompd_address_t frame_of_abi;
typedef ompd_tword_t length_of_abi;

/* Members have the names of 5.x where both interfaces have the routine. */
struct routines {
#define ROUTINE_2(name, name_5, ...) __typeof__(ompd_##name) *name_5;
#define LISTED_2(name, flags) __typeof__(ompd_##name) *name;
#include "testsuite/common/ompd-routines.def"
};

struct abi {
    struct routines call;
    ompd_address_space_handle_t *space;
};

/* Neutral handle types stand for the library's: these casts are where the two meet. */
#define CALL(s) (&((struct abi *)(s)->state)->call)
#define THREAD(t) ((ompd_thread_handle_t *)(t))
#define REGION(r) ((ompd_parallel_handle_t *)(r))
#define TASK(t) ((ompd_task_handle_t *)(t))

/* abi2-callbacks.c: the table, and the context of the one address space there is. */
extern const ompd_callbacks_t abi2_callbacks;
ompd_address_space_context_t *abi2_context(struct session *s);
enum answer abi2_answer(ompd_rc_t rc);

/* abi2-library.c */
enum answer abi2_open(struct session *s, struct why *why);
void abi2_close(struct session *s);

/* abi2-icvs.c */
const struct icv *abi2_icvs(struct session *s, size_t *count);
enum answer abi2_icv_number(struct session *s, size_t icv, void *handle, int64_t *number);
enum answer abi2_icv_text(struct session *s, size_t icv, void *handle, char **text);
enum answer abi2_settings(struct session *s, char ***list, size_t *count);

#endif
