/* SPDX-License-Identifier: MIT
 *
 * recursion.c in C++: what the tasks capture has a copy constructor, so the runtime
 * copies it by a function of the compiler, and a destructor, which runs as often.
 */
#define COPIED
#include "recursion.c"
