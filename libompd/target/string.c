/* SPDX-License-Identifier: MIT
 *
 * Strings of the target, whose length is only known when they have been read.
 */
#include <string.h>

#include "libompd/target/target.h"

enum { PAGE = 4096 };

enum rc target_string(const struct space *space, taddr address, char *out, size_t room)
{
    for (size_t done = 0; done < room;) {
        size_t now = PAGE - (address + done) % PAGE;
        if (now > room - done)
            now = room - done;
        enum rc rc = target_read(space, address + done, now, out + done);
        if (rc != RC_OK)
            return rc;
        if (memchr(out + done, '\0', now))
            return RC_OK;
        done += now;
    }
    return RC_NONSENSE;
}
