/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of CPUs: integers, floating point numbers, and vectors. Each lasts
 * some ten microseconds; see core/kind.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "LoadLevels/core/kind.h"

#define KERNEL_ROUNDS 10000
/* Fits into any cache of the first level. */
#define KERNEL_VECTOR 1024

/* One of these, so that results are not optimised away. */
struct cpuKernel {
	uint64_t integer;
	double number;
	float vector[KERNEL_VECTOR];
};

static int kernelOpen(const struct hdLoadSetup *setup, void **state)
{
	struct cpuKernel *self = calloc(1, sizeof(*self));

	(void)setup;
	if (!self)
		return -ENOMEM;
	self->integer = 88172645463325252;
	self->number = 1.000001;
	for (int i = 0; i < KERNEL_VECTOR; i++)
		self->vector[i] = 1 + (float)i / KERNEL_VECTOR;
	*state = self;
	return 0;
}

/* Marsaglia's xorshift. */
static int64_t kernelInteger(void *state)
{
	struct cpuKernel *self = state;
	uint64_t x = self->integer;

	for (int i = 0; i < KERNEL_ROUNDS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	self->integer = x;
	return 1;
}

static int64_t kernelFloat(void *state)
{
	struct cpuKernel *self = state;
	double x = self->number, y = 0.999999;

	for (int i = 0; i < KERNEL_ROUNDS / 2; i++) {
		x = x * 0.9999999 + y * 1e-9;
		y = y * 1.0000001 - x * 1e-9;
	}
	self->number = x > 1e-3 && x < 1e3 ? x : 1.000001;
	return 1;
}

static int64_t kernelVector(void *state)
{
	struct cpuKernel *self = state;
	float *vector = self->vector;

	for (int round = 0; round < 3 * KERNEL_ROUNDS / KERNEL_VECTOR;
	     round++) {
		for (int i = 0; i < KERNEL_VECTOR; i++)
			vector[i] = vector[i] * 0.5F + 0.75F;
	}
	return 1;
}

const struct hdLoadKind hdLoadCpuInt = {
	.name = "cpu-int",
	.unit = "operations",
	.scale = HD_LOAD_BUSY,
	.isPerCpu = true,
	.tolerance = 1,
	.open = kernelOpen,
	.operate = kernelInteger,
	.close = free,
};

const struct hdLoadKind hdLoadCpuFloat = {
	.name = "cpu-float",
	.unit = "operations",
	.scale = HD_LOAD_BUSY,
	.isPerCpu = true,
	.tolerance = 1,
	.open = kernelOpen,
	.operate = kernelFloat,
	.close = free,
};

const struct hdLoadKind hdLoadCpuVector = {
	.name = "cpu-vector",
	.unit = "operations",
	.scale = HD_LOAD_BUSY,
	.isPerCpu = true,
	.tolerance = 1,
	.open = kernelOpen,
	.operate = kernelVector,
	.close = free,
};
