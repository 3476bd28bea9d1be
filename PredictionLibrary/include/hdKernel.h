/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Kernels: the functions that hdexecute runs as the tasks of a graph.
 *
 * A custom kernel is a shared object that has the name of the kernel in the
 * graph, such as SCALE.so. Its source includes this header:
 *
 *     #include <hdKernel.h>
 *     static int scale(const hdKernelCall *call) { ...; return 0; }
 *     HDKERNELS({ "SCALE", scale, 0 })
 *
 *     cc -shared -fPIC -O3 -o SCALE.so scale.c
 *
 * hdexecute first searches for a kernel among the built-in kernels (see
 * hdexecute(1)). Then it searches in the directories on its command line: first
 * in objects with the name of the kernel, then in objects with the name
 * fallback.so.
 */
#ifndef HD_KERNEL_H
#define HD_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Row and column of data and tasks without a tile. */
#define HDKERNEL_NO_TILE UINT32_MAX

/** An input or output of a task: a data set. */
typedef struct hdKernelBuffer {
	void *data;   /**< Aligned to 64 bytes; inputs are read-only. */
	size_t size;  /**< In bytes, from the graph. */
	uint32_t row; /**< Row of the producer's tile, or HDKERNEL_NO_TILE. */
	uint32_t column; /**< Column of that tile, or HDKERNEL_NO_TILE. */
} hdKernelBuffer;

/** A variable of the kernel, with the value from the task. */
typedef struct hdKernelVariable {
	const char *id;
	double value;
} hdKernelVariable;

/**
 * A task to run. All data are valid only during the call.
 *
 * New members are only ever added at the end.
 */
typedef struct hdKernelCall {
	const char *kernel;        /**< Its name, in the graph. */
	const char *task;          /**< Name of the task. */
	const hdKernelBuffer *in;  /**< Inputs, in the order of the kernel. */
	const hdKernelBuffer *out; /**< Outputs, in the order of the kernel. */
	const hdKernelVariable *variables;
	uint32_t inCount, outCount, variableCount;
	uint32_t row, column;     /**< Tile of the task, or HDKERNEL_NO_TILE. */
	const char *architecture; /**< Of its PEs; NULL: unknown. */
	const char
		*pe; /**< Id of its PE, or of the first one; NULL: unknown. */
	const int *cpus;   /**< CPUs of its PEs, or NULL. */
	uint32_t cpuCount; /**< Their number; 0: the PEs have no fixed CPUs. */
	/** PEs that the task has: the number of threads to use, with the
	 * calling one. 0 counts as 1. */
	uint32_t peCount;
} hdKernelCall;

/**
 * Run a task.
 *
 * Several threads call it at the same time, for different tasks. It must not
 * leave threads running, and it may change only its outputs. The calling thread
 * may run on all CPUs of the task, so threads that it starts may, too.
 *
 * @param call The task.
 *
 * @retval 0 Success: all outputs are written.
 * @return Any other value: failure. The text of a negative errno value is
 *         printed.
 */
typedef int hdKernelFunction(const hdKernelCall *call);

/** A kernel. */
typedef struct hdKernel {
	/** Its name, or a glob(7) pattern of names. With "@" and a pattern of
	 * architectures behind it, such as "GEMM@A15": only for PEs of these,
	 * before kernels for all architectures. */
	const char *id;
	hdKernelFunction *run;
	/** Number of the input, from 1, that the kernel modifies in place as
	 * its first output; otherwise 0. When the kernel is called, the output
	 * contains the data of the input. The input and the output share a
	 * buffer if the graph has inout for this output, and no other task
	 * needs the input. */
	uint32_t inout;
} hdKernel;

/** The kernels of a shared object; an element without a name ends the list. */
extern const hdKernel hdK_kernels[];

/** Define the kernels: hdKernel values in braces, separated by commas. */
#define HDKERNELS(...) \
	const hdKernel hdK_kernels[] = { __VA_ARGS__, { NULL, NULL, 0 } };

/**
 * Get a variable.
 *
 * @param call The task.
 * @param id Name of the variable.
 * @param otherwise Value to return if the variable does not exist.
 *
 * @return Value of the variable.
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
