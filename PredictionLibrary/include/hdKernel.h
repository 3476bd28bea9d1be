/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Kernels: the functions that hdexecute runs as the tasks of a graph.
 *
 * A kernel of your own is a shared object that includes this header, and is
 * called as the kernel is in the graph, SCALE.so:
 *
 *     #include <hdKernel.h>
 *     static int scale(const hdKernelCall *call) { ...; return 0; }
 *     HDKERNELS({ "SCALE", scale, 0 })
 *
 *     cc -shared -fPIC -O3 -o SCALE.so scale.c
 *
 * A kernel is looked for among those that are built in (hdexecute(1) lists
 * them), then in the object of its name, then in the object fallback.so, in
 * each of the directories that hdexecute is given.
 */
#ifndef HD_KERNEL_H
#define HD_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Row and column of what belongs to no tile. */
#define HDKERNEL_NO_TILE UINT32_MAX

/** An input or output of a task: a data set. */
typedef struct hdKernelBuffer {
	void *data;   /**< Aligned to 64 bytes; of inputs not to be changed. */
	size_t size;  /**< In bytes, as the graph says. */
	uint32_t row; /**< Tile of the task that makes it... */
	uint32_t column; /**< ...or HDKERNEL_NO_TILE. */
} hdKernelBuffer;

/** A variable of the kernel, as the task assigns it. */
typedef struct hdKernelVariable {
	const char *id;
	double value;
} hdKernelVariable;

/** A task that is to be run. All of it is valid during the call only. */
typedef struct hdKernelCall {
	const char *kernel;        /**< Its name, in the graph. */
	const char *task;          /**< Name of the task. */
	const hdKernelBuffer *in;  /**< Inputs, as the kernel declares them. */
	const hdKernelBuffer *out; /**< Outputs, likewise. */
	const hdKernelVariable *variables;
	uint32_t inCount, outCount, variableCount;
	uint32_t row, column; /**< Tile of the task, or HDKERNEL_NO_TILE. */
} hdKernelCall;

/**
 * Run a task.
 *
 * Several threads call it at the same time, for different tasks. It starts no
 * threads that stay, and changes nothing but its outputs.
 *
 * @param call What is to be run.
 *
 * @retval 0 Success: all outputs are written.
 * @return Anything else: it failed; a negative errno value is said by its text.
 */
typedef int hdKernelFunction(const hdKernelCall *call);

/** A kernel. */
typedef struct hdKernel {
	const char *id; /**< Its name, or a pattern of names as of glob(7). */
	hdKernelFunction *run;
	/** 0, or the number of an input, from 1, that the first output changes:
	 * when the kernel is called, that output holds what is in that input.
	 * Both are one buffer if nobody needs the input any more. */
	uint32_t inout;
} hdKernel;

/** The kernels of a shared object; the last one has no name. */
extern const hdKernel hdK_kernels[];

/** Define them: hdKernel values in braces, with commas between. */
#define HDKERNELS(...) \
	const hdKernel hdK_kernels[] = { __VA_ARGS__, { NULL, NULL, 0 } };

/**
 * Get a variable.
 *
 * @param call What is to be run.
 * @param id Name of the variable.
 * @param otherwise What to return if there is none.
 *
 * @return Its value.
 */
static inline double hdKernelGet(const hdKernelCall *call, const char *id,
				 double otherwise)
{
	uint32_t i;

	for (i = 0; i < call->variableCount; i++) {
		if (strcmp(call->variables[i].id, id) == 0)
			return call->variables[i].value;
	}
	return otherwise;
}

#ifdef __cplusplus
}
#endif

#endif
