/* SPDX-License-Identifier: MIT
 *
 * omp-tools.h as OpenMP 5.0 to 6.0 ask for it, compatible in every type, value and
 * signature with the official header of the same name: the part for debuggers (OMPD), which
 * libompd.so offers, and the part for tools inside the process (OMPT), which
 * libompd-hooks.so offers.
 *
 * It is installed in a directory of its own, include/ompd, and meant to be included as
 * <ompd/omp-tools.h>. Compilers bring an omp-tools.h as well and find it by itself; one
 * of ours straight in include/ would hide theirs from everybody who
 * passes -I for another reason. Where a compiler's header was included before, this one
 * adds nothing, because every declaration is already there.
 */
#ifndef OMPD_OMP_TOOLS_H
#define OMPD_OMP_TOOLS_H

#if !defined(_OMP_TOOLS_H) && !defined(__OMPT__)
#include "omp-tools-states.h"
#include "omp-tools-ompt.h"
#include "omp-tools-ompd.h"
#endif

#endif
