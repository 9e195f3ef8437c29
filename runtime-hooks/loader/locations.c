/* SPDX-License-Identifier: MIT
 *
 * Sets ompd_dll_locations, to the libraries in the directory of this one.
 */
#include "loader/loader.h"
#include "state/events.h"
#include "omp-ompd.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

EXPORT const char **ompd_dll_locations;

/* From the directory of this library to that of the debugger libraries. The 32-bit hooks
 * are in a subdirectory, but the debugger loads libraries of its own ELF class. */
#ifndef LIBRARIES_BESIDE
#define LIBRARIES_BESIDE ""
#endif

#define LIBRARY_COUNT 2
static const char *const library[LIBRARY_COUNT] = {LIBRARIES_BESIDE "libompd.so",
                                                   LIBRARIES_BESIDE "libompd-2.so"};
static char path[LIBRARY_COUNT][PATH_MAX + 16];
static const char *locations[LIBRARY_COUNT + 1];

/* The vector is complete before it is published (report 2.000, section 2). */
static void publish(const char **vector)
{
    __atomic_store_n(&ompd_dll_locations, vector, __ATOMIC_RELEASE);
    event_ompd_dll_locations_valid();
}

/* What has to come, in either order: the constructor, which finds the libraries, and the first use
 * of a runtime. */
enum { FOUND = 1, USED = 2, VALID = FOUND | USED };

static void reach(unsigned what)
{
    static unsigned reached;
    unsigned before = __atomic_fetch_or(&reached, what, __ATOMIC_ACQ_REL);
    if (before != VALID && (before | what) == VALID)
        publish(locations);
}

void locations_publish(void)
{
    reach(USED);
}

void locations_start(void)
{
    int saved_errno = errno;
    Dl_info self;
    char *file = path[0];
    if (dladdr(&ompd_dll_locations, &self) && realpath(self.dli_fname, file)) {
        size_t directory = (size_t)(strrchr(file, '/') + 1 - file);
        for (unsigned i = LIBRARY_COUNT; i-- > 0;) {
            memmove(path[i], file, directory);
            strcpy(path[i] + directory, library[i]);
            locations[i] = path[i];
        }
    }
    errno = saved_errno;
    reach(FOUND);
}

/* Publishes the vector of another runtime that supports OMPD. If its variable is not set
 * yet, its own store will set ours, which interposes it in every scope. */
void locations_forward(const char ***other)
{
    if (other && *other && !ompd_dll_locations)
        publish(*other);
}
