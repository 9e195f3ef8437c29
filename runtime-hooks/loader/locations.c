/* SPDX-License-Identifier: MIT
 *
 * ompd_dll_locations: the debugger libraries are found beside this one, wherever it was
 * installed.
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

/* From here to the debugger's libraries: the hooks for 32-bit programs stand elsewhere,
 * but what reads them is of the debugger's class. */
#ifndef LIBRARIES_BESIDE
#define LIBRARIES_BESIDE ""
#endif

#define LIBRARY_COUNT 2
static const char *const library[LIBRARY_COUNT] = {LIBRARIES_BESIDE "libompd.so",
                                                   LIBRARIES_BESIDE "libompd-2.so"};
static char path[LIBRARY_COUNT][PATH_MAX + 16];
static const char *locations[LIBRARY_COUNT + 1];

/* The vector is complete before the variable says so (report 2.000, section 2). */
static void publish(const char **vector)
{
    __atomic_store_n(&ompd_dll_locations, vector, __ATOMIC_RELEASE);
    event_ompd_dll_locations_valid();
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
}

void locations_publish(void)
{
    publish(locations);
}

/* Another runtime brings its own: what it says is the answer. It may not have said it
 * yet; then its own store goes to our variable, which stands before its in every scope.
 */
void locations_hand_on(const char ***other)
{
    if (other && *other && !ompd_dll_locations)
        publish(*other);
}
