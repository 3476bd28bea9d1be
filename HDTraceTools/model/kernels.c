/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What kernels cost, from what their probes have counted.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kernels.h"

/** One thread, all the time. */
#define WHOLE INT64_C(1000000000)
/** More threads than that have no time of their own. */
#define USAGE_MAX (INT64_C(1000000) * WHOLE)

/** From a time on, a part of a kernel uses more, or less. */
struct change {
	int64_t time;
	guint activity; /**< Place among those read times KERNEL_PARTS, and
			 *   part. */
	int64_t usage;  /**< Billionths of a thread. */
};

/* ---- Which there are --------------------------------------------------- */

static const char *attributeOf(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->attributeCount; i++) {
		if (strcmp(group->attributes[i].name, name) == 0)
			return group->attributes[i].value;
	}
	return NULL;
}

GArray *kernelsFind(const hdIProject *project)
{
	GArray *kernels = g_array_new(FALSE, TRUE, sizeof(struct kernel));

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		const char *kind = attributeOf(group, "probeKind");
		struct kernel kernel = {
			.group = group,
			.name = attributeOf(group, "probe"),
			.hasDispatch = g_strcmp0(kind, "kernel") == 0,
		};

		if (kernel.name && group->isReadable &&
		    (kernel.hasDispatch || g_strcmp0(kind, "timer") == 0))
			g_array_append_val(kernels, kernel);
	}
	return kernels;
}

/* ---- What they did ----------------------------------------------------- */

static ssize_t columnOf(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, name) == 0 &&
		    group->values[i].type != HDI_STRING)
			return (ssize_t)i;
	}
	return -1;
}

/** A count as a number of a group tells it; 0 where it tells none. */
static uint64_t countOf(double value)
{
	return value > 0 ? (uint64_t)MIN(value, 0x1p63) : 0;
}

/** A part takes so many seconds in an interval. */
static int addUse(struct sorter *changes, guint activity, int64_t start,
		  int64_t end, double seconds)
{
	double usage = seconds / (double)(end - start) * 1e18;
	struct change change;
	int ret;

	if (end <= start || !(usage > 0))
		return 0;
	memset(&change, 0, sizeof(change));
	change.activity = activity;
	change.time = start;
	change.usage = (int64_t)nearbyint(MIN(usage, (double)USAGE_MAX));
	ret = sorterAdd(changes, &change);
	if (ret < 0)
		return ret;
	change.time = end;
	change.usage = -change.usage;
	return sorterAdd(changes, &change);
}

/** Add up a part of a kernel in a block, and say when it ran. */
static int readPart(const struct amounts *amounts, const hdIBlock *block,
		    size_t column, struct sorter *changes, guint activity,
		    double *sum)
{
	int ret = 0;

	for (size_t i = 0; i < block->count && ret == 0; i++) {
		double seconds = amountsGet(amounts, column, i);

		if (!isfinite(seconds))
			continue;
		*sum += seconds;
		ret = addUse(changes, activity, block->start[i], block->end[i],
			     seconds);
	}
	return ret;
}

/** Add up a kernel, and say when it ran. */
static int readKernel(const hdIProject *project, struct kernel *kernel,
		      guint place, struct sorter *changes)
{
	static const char *const names[] = { "Body", "Dispatch" };
	const ssize_t instances = columnOf(kernel->group, "Instances");
	ssize_t columns[KERNEL_PARTS];
	hdIStatReader *reader = diagnosticsOpenStat(project, kernel->group,
						    &diagnosticsDropped);
	struct amounts *amounts;
	const hdIBlock *block;
	int ret = 0;

	if (!reader)
		return 0;
	for (int part = 0; part < KERNEL_PARTS; part++)
		columns[part] = columnOf(kernel->group, names[part]);
	amounts = amountsNew(kernel->group);
	while (ret == 0 && hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		for (size_t i = 0; instances >= 0 && i < block->count; i++)
			kernel->instances += countOf(
				amountsGet(amounts, (size_t)instances, i));
		for (guint part = 0; part < KERNEL_PARTS && ret == 0; part++) {
			if (columns[part] < 0)
				continue;
			ret = readPart(amounts, block, (size_t)columns[part],
				       changes, place * KERNEL_PARTS + part,
				       &kernel->seconds[part]);
		}
	}
	amountsFree(amounts);
	hdI_closeStat(reader);
	return ret;
}

/* ---- What that cost ---------------------------------------------------- */

static int compareChanges(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/** Divide what there is of an interval among those that ran. */
static powerPico divide(GPtrArray *kernels, const int64_t *usage, int64_t sum,
			struct attributionAmount amount, int64_t length)
{
	uint64_t low = 0;
	powerPico charged = 0;

	for (guint i = 0; i < kernels->len * KERNEL_PARTS; i++) {
		struct kernel *kernel = kernels->pdata[i / KERNEL_PARTS];
		struct attributionAmount *energy =
			&kernel->energy[i % KERNEL_PARTS];
		struct shareStep step = {
			.low = low,
			.high = low + (uint64_t)usage[i],
			.total = (uint64_t)MAX(sum, WHOLE),
		};
		powerPico part;

		if (!usage[i])
			continue;
		part = shareDivide(&step, amount.pico);
		energy->pico += part;
		energy->measured += amount.measured;
		kernel->busy[i % KERNEL_PARTS] += length;
		charged += part;
		low = step.high;
	}
	return charged;
}

/** From change to change: what was charged in all. */
static int charge(GPtrArray *kernels, struct sorter *changes,
		  struct powerCursor *cursor, powerPico *charged)
{
	int64_t *usage = g_new0(int64_t, kernels->len * KERNEL_PARTS + 1);
	int64_t sum = 0, last = INT64_MIN, measuredBefore = 0;
	powerPico before = 0;
	struct change change;
	int ret;

	*charged = 0;
	while ((ret = sorterNext(changes, &change)) == 1) {
		if (change.time != last) {
			int64_t measured = 0;
			powerPico now =
				cursor ? powerCursorUntil(cursor, change.time,
							  &measured)
				       : 0;
			struct attributionAmount amount = {
				.pico = now - before,
				.measured = measured - measuredBefore,
			};

			if (sum > 0)
				*charged += divide(kernels, usage, sum, amount,
						   change.time - last);
			before = now;
			measuredBefore = measured;
			last = change.time;
		}
		usage[change.activity] += change.usage;
		sum += change.usage;
	}
	g_free(usage);
	return ret;
}

static struct powerSeries *readPower(const hdIProject *project,
				     const hdIGroup *power, const bool *isPower,
				     int *error)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, power, &diagnosticsDropped);
	struct powerSeries *series;
	const hdIBlock *block;
	int ret = 0;

	if (!reader)
		return NULL;
	series = powerSeriesOfNode(power, isPower);
	while (ret == 0 && hdI_readStat(reader, &block) == 1)
		ret = powerSeriesAdd(series, block);
	if (ret == 0)
		ret = powerSeriesEnd(series);
	hdI_closeStat(reader);
	if (ret == 0)
		return series;
	powerSeriesFree(series);
	*error = ret;
	return NULL;
}

/** Those whose power a group tells: pointers into @p kernels. */
static GPtrArray *findOwn(GArray *kernels, const hdIGroup *power)
{
	GPtrArray *own = g_ptr_array_new();

	for (guint i = 0; i < kernels->len; i++) {
		struct kernel *kernel =
			&g_array_index(kernels, struct kernel, i);

		if (kernel->power == power)
			g_ptr_array_add(own, kernel);
	}
	return own;
}

int kernelsRead(const hdIProject *project, GArray *kernels,
		const hdIGroup *power, const bool *isPower, powerPico *rest)
{
	GPtrArray *own = findOwn(kernels, power);
	struct sorter *changes =
		sorterNew(sizeof(struct change), compareChanges);
	struct powerSeries *series = NULL;
	struct powerCursor *cursor = NULL;
	powerPico charged = 0;
	int64_t measured;
	int error = 0;

	*rest = 0;
	for (guint i = 0; i < own->len && error == 0; i++)
		error = readKernel(project, own->pdata[i], i, changes);
	if (own->len > 0 && power && error == 0)
		series = readPower(project, power, isPower, &error);
	if (series)
		cursor = powerCursorNew(series);
	if (error == 0)
		error = charge(own, changes, cursor, &charged);
	if (cursor)
		*rest = powerCursorUntil(cursor, INT64_MAX, &measured) -
			charged;
	if (cursor && error == 0)
		error = powerCursorError(cursor);
	powerCursorFree(cursor);
	powerSeriesFree(series);
	sorterFree(changes);
	g_ptr_array_unref(own);
	return error;
}

struct attributionAmount kernelEnergy(const struct kernel *kernel)
{
	const struct attributionAmount *energy = kernel->energy;
	struct attributionAmount sum = energy[KERNEL_BODY];

	sum.pico += energy[KERNEL_DISPATCH].pico;
	if (kernel->busy[KERNEL_DISPATCH])
		sum.measured =
			MIN(sum.measured, energy[KERNEL_DISPATCH].measured);
	return sum;
}
