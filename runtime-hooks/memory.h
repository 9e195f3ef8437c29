/* SPDX-License-Identifier: MIT
 *
 * Memory for records: from the kernel, zeroed, never given back, so that a reader with an
 * old address finds memory there. The program's allocator is left alone.
 */
#ifndef OMPD_HOOKS_MEMORY_H
#define OMPD_HOOKS_MEMORY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Page-aligned, or NULL. Leaves errno alone. */
void *memory_pages(size_t size);

/* Aligned to 64 bytes, or NULL. Small pieces share pages. The hooks' lock must be held.
 */
void *memory_piece(size_t size);

#pragma GCC visibility pop

#endif
