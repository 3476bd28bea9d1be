/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding kernels and running them; hdKernel.h says what a kernel is.
 */
#ifndef HD_KERNELS_H
#define HD_KERNELS_H

#include <stddef.h>

#include <hdKernel.h>

/** Where kernels are found. */
struct hdKernelSet;

/** Where kernels are looked for besides, directories with colons between. */
#define HD_KERNEL_PATH "HDTRACE_KERNELS"
/** The library of BLAS and LAPACK, or "none". */
#define HD_KERNEL_BLAS "HDTRACE_BLAS"

/**
 * Get ready to find kernels; one thread at a time.
 *
 * BLAS and LAPACK are opened, too, once a process, for one thread each.
 *
 * @param directories With colons between; NULL: those of HDTRACE_KERNELS.
 * @param[out] set To be freed with hdKernelSetFree().
 *
 * @retval 0 Success.
 * @retval -ENOMEM No memory.
 */
int hdKernelSetNew(const char *directories, struct hdKernelSet **set);

/** Free it, and close shared objects; NULL does nothing. */
void hdKernelSetFree(struct hdKernelSet *set);

/**
 * Find a kernel; not from several threads.
 *
 * @param id Its name.
 * @param architecture Of the PEs that it runs on.
 * @param[out] kernel As long as the set lives.
 * @param[out] why One line on why there is none.
 *
 * @retval 0 Success.
 * @retval -ENOENT There is none.
 * @retval -ENOEXEC There is an object of its name that cannot be used.
 * @retval -ENOMEM No memory.
 */
int hdKernelFind(struct hdKernelSet *set, const char *id,
		 const char *architecture, const hdKernel **kernel, char *why,
		 size_t whySize);

/** Run a kernel, after what its first output changes was copied, if that is
 *  another buffer; as hdKernelFunction. */
int hdKernelRun(const hdKernel *kernel, const hdKernelCall *call);

/** Name of what does linear algebra: a library, or "plain C". */
const char *hdKernelBlasName(void);

/** Why it is not what HDTRACE_BLAS asks for; NULL: it is. */
const char *hdKernelBlasWrong(void);

/** The kernels that are built in; the last one has no name. */
extern const hdKernel hdKernelBuiltins[];

#endif
