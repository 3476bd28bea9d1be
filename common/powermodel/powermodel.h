/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power models: the power of a node from the utilization of its components.
 *
 *     power = idle + sum over components of f(utilization)
 *
 * Each f is 0 at 0 %, continuous, and linear between its knots. hdtrace
 * power-model writes such files, and doc/power-model.md describes them.
 */
#ifndef HD_POWER_MODEL_H
#define HD_POWER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/ini.h"

/** The version of files. */
#define HD_POWER_MODEL_VERSION 1
/** Components of a model, and segments of a component, at most. */
#define HD_POWER_COMPONENTS_MAX 16
#define HD_POWER_SEGMENTS_MAX 8
/** Longest name of a component, with its final zero byte. */
#define HD_POWER_NAME_SIZE 32

/** A component. Utilization is in percent. */
struct hdPowerComponent {
	char name[HD_POWER_NAME_SIZE]; /**< As hdload names it, or "cpu". */
	size_t segments;
	double knots[HD_POWER_SEGMENTS_MAX]; /**< Borders between segments. */
	/** W per percent of each segment, and its 95 % interval. */
	double slope[HD_POWER_SEGMENTS_MAX];
	double low[HD_POWER_SEGMENTS_MAX];
	double high[HD_POWER_SEGMENTS_MAX];
	double max; /**< The rate that is 100 %; 0: it is no rate. */
	/** CPU clock for which the slopes hold, in MHz; 0: any. Others multiply
	 *  them by (clock / clockMhz) to the power of clockExponent. */
	double clockMhz;
	double clockExponent;
};

/** A model; all zero: 0 W. */
struct hdPowerModel {
	double idle; /**< In W, and its 95 % interval. */
	double idleLow;
	double idleHigh;
	double error; /**< Of predictions, root mean square, in W. */
	struct hdPowerComponent components[HD_POWER_COMPONENTS_MAX];
	size_t count;
};

/** Find a component; NULL: there is none. */
const struct hdPowerComponent *hdPowerModelFind(
	const struct hdPowerModel *model, const char *name);

/** Get the component that stands for all use of CPUs: "cpu", or the first one
 *  whose name begins with "cpu-"; NULL: there is none. */
const struct hdPowerComponent *hdPowerModelCpu(
	const struct hdPowerModel *model);

/**
 * Get the power of a component, in W.
 *
 * @param percent Utilization; below 0 counts as 0.
 */
double hdPowerComponentWatts(const struct hdPowerComponent *component,
			     double percent);

/** Write a model; errors are found by the caller, in the stream. */
void hdPowerModelWrite(const struct hdPowerModel *model, FILE *file);

/**
 * Read a model.
 *
 * @param report Gets each error in the file.
 *
 * @retval 0 Success.
 * @retval -EINVAL It has errors.
 * @return Another negative errno, of opening and reading.
 */
int hdPowerModelRead(const char *path, hdIniReport *report, void *context,
		     struct hdPowerModel *model);

#endif
