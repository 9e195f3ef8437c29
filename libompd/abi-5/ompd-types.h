/* SPDX-License-Identifier: MIT
 *
 * Kinds of threads, memory segments and devices, compatible with the official
 * ompd-types.h of OpenMP 5.0 to 6.0. Unlike that one it may be included first.
 */
#ifndef OMPD_OMPD_TYPES_H
#define OMPD_OMPD_TYPES_H

#include "omp-tools.h"

#ifndef _OMPD_TYPES_H

/* Date of the edition these values are those of, as year, month and day. */
#define OMPD_TYPES_VERSION 20180906

/* How a native thread is named. This library knows the first two. */
#define OMPD_THREAD_ID_PTHREAD ((ompd_thread_id_t)0)
#define OMPD_THREAD_ID_LWP ((ompd_thread_id_t)1)
#define OMPD_THREAD_ID_WINTHREAD ((ompd_thread_id_t)2)
#define OMPD_THREAD_ID_CUDALOGICAL ((ompd_thread_id_t)3)
#define OMPD_THREAD_ID_LO ((ompd_thread_id_t)1000000) /* kinds outside the standard */
#define OMPD_THREAD_ID_HI ((ompd_thread_id_t)1100000)

/* How a CUDA thread is named; not used by this library. */
typedef struct ompd_dim3_t {
    ompd_addr_t x;
    ompd_addr_t y;
    ompd_addr_t z;
} ompd_dim3_t;

typedef struct ompd_cudathread_coord_t {
    ompd_addr_t cudaDevId;
    ompd_addr_t cudaContext;
    ompd_addr_t warpSize;
    ompd_addr_t gridId;
    ompd_dim3_t gridDim;
    ompd_dim3_t blockDim;
    ompd_dim3_t blockIdx;
    ompd_dim3_t threadIdx;
} ompd_cudathread_coord_t;

/* Segments of addresses. Those of this library are all unspecified. */
#define OMPD_SEGMENT_UNSPECIFIED ((ompd_seg_t)0)
#define OMPD_SEGMENT_CUDA_PTX_UNSPECIFIED ((ompd_seg_t)0)
#define OMPD_SEGMENT_CUDA_PTX_CODE ((ompd_seg_t)1)
#define OMPD_SEGMENT_CUDA_PTX_REG ((ompd_seg_t)2)
#define OMPD_SEGMENT_CUDA_PTX_SREG ((ompd_seg_t)3)
#define OMPD_SEGMENT_CUDA_PTX_CONST ((ompd_seg_t)4)
#define OMPD_SEGMENT_CUDA_PTX_GLOBAL ((ompd_seg_t)5)
#define OMPD_SEGMENT_CUDA_PTX_LOCAL ((ompd_seg_t)6)
#define OMPD_SEGMENT_CUDA_PTX_PARAM ((ompd_seg_t)7)
#define OMPD_SEGMENT_CUDA_PTX_SHARED ((ompd_seg_t)8)
#define OMPD_SEGMENT_CUDA_PTX_SURF ((ompd_seg_t)9)
#define OMPD_SEGMENT_CUDA_PTX_TEX ((ompd_seg_t)10)
#define OMPD_SEGMENT_CUDA_PTX_TEXSAMPLER ((ompd_seg_t)11)
#define OMPD_SEGMENT_CUDA_PTX_GENERIC ((ompd_seg_t)12)
#define OMPD_SEGMENT_CUDA_PTX_IPARAM ((ompd_seg_t)13)
#define OMPD_SEGMENT_CUDA_PTX_OPARAM ((ompd_seg_t)14)
#define OMPD_SEGMENT_CUDA_PTX_FRAME ((ompd_seg_t)15)

/* Kinds of devices. */
#define OMPD_DEVICE_KIND_HOST ((ompd_device_t)1)
#define OMPD_DEVICE_KIND_CUDA ((ompd_device_t)2)
#define OMPD_DEVICE_IMPL_LO ((ompd_device_t)1000000) /* kinds outside the standard */
#define OMPD_DEVICE_IMPL_HI ((ompd_device_t)1100000)
#define OMPD_DEVICE_KIND_HSA OMPD_DEVICE_IMPL_LO /* this library's own */

#endif
#endif
