/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What libRUT measures of a load: busy CPUs, stolen time, and amounts.
 */
#ifndef HD_LOAD_METER_H
#define HD_LOAD_METER_H

#include <stddef.h>

struct hdLoadMeter;

/**
 * Open the sources and begin the first interval.
 *
 * @param root In front of /proc and /sys; "" but for tests.
 * @param cpus CPUs whose use is measured.
 *
 * @retval -ENOMEM Out of memory.
 */
int hdLoadMeterOpen(const char *root, const int *cpus, size_t count,
		    struct hdLoadMeter **result);

/** End an interval, and begin the next one. */
void hdLoadMeterRead(struct hdLoadMeter *self);

/** Get the length of the last interval, in s. */
double hdLoadMeterSeconds(const struct hdLoadMeter *self);

/** Get the fraction of the last interval in which a CPU was busy, or was not
 *  available because the hypervisor ran something else; NaN if unknown. */
double hdLoadMeterBusy(const struct hdLoadMeter *self, size_t cpu);
double hdLoadMeterSteal(const struct hdLoadMeter *self, size_t cpu);

/** Get the amount per second that a value of libRUT counted; NaN if unknown. */
double hdLoadMeterRate(const struct hdLoadMeter *self, const char *value);

/** Close it; NULL does nothing. */
void hdLoadMeterClose(struct hdLoadMeter *self);

#endif
