/* SPDX-License-Identifier: MIT
 *
 * A library that the user names, opened once: what was checked is what is loaded.
 */
#ifndef HOST_LIBRARY_FILE_H
#define HOST_LIBRARY_FILE_H

#include "target.h"

enum { LIBRARY_NAME_BYTES = 32 };

/* A name under which dlopen() finds the file that was checked, as long as the process lives.
 * False, and why: it or a directory above it is not root's or the user's alone. */
bool library_file(const char *path, char name[LIBRARY_NAME_BYTES], struct why *why);

#endif
