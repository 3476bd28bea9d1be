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
#include "HDTraceTools/model/units.h"

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

static const char *kernelCostAttributeOf(const hdIGroup *group,
					 const char *name)
{
	return attributeFind(group->attributes, group->attributeCount, name);
}

GArray *kernelsFind(const hdIProject *project)
{
	GArray *kernels = g_array_new(FALSE, TRUE, sizeof(struct kernel));

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		const char *kind = kernelCostAttributeOf(group, "probeKind");
		struct kernel kernel = {
			.group = group,
			.name = kernelCostAttributeOf(group, "probe"),
			.ratio = NAN,
			.hasDispatch = g_strcmp0(kind, "kernel") == 0,
		};

		if (kernel.name && group->isReadable &&
		    (kernel.hasDispatch || g_strcmp0(kind, "timer") == 0))
			g_array_append_val(kernels, kernel);
	}
	return kernels;
}

/* ---- What they did ----------------------------------------------------- */

static ssize_t kernelCostColumnOf(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, name) == 0 &&
		    group->values[i].type != HDI_STRING)
			return (ssize_t)i;
	}
	return -1;
}

/** Add a count as a number of a group tells it: none where it tells none, and
 * as much as there is room for. */
static void kernelCostAddCount(uint64_t *sum, double value)
{
	uint64_t count = value > 0 ? (uint64_t)MIN(value, 0x1p63) : 0;

	*sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
}

/** A part takes so many seconds in an interval. */
static int kernelCostAddUse(struct sorter *changes, guint activity,
			    int64_t start, int64_t end, double seconds)
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
static int kernelCostReadPart(const struct amounts *amounts,
			      const hdIBlock *block, size_t column,
			      struct sorter *changes, guint activity,
			      double *sum)
{
	int ret = 0;

	for (size_t i = 0; i < block->count && ret == 0; i++) {
		double seconds = amountsGet(amounts, column, i);

		if (!isfinite(seconds))
			continue;
		*sum += seconds;
		ret = kernelCostAddUse(changes, activity, block->start[i],
				       block->end[i], seconds);
	}
	return ret;
}

/** Add up events of a block, where both are known. */
static void readEvents(const struct amounts *amounts, const hdIBlock *block,
		       const ssize_t *columns, double *sums)
{
	if (columns[0] < 0 || columns[1] < 0)
		return;
	for (size_t i = 0; i < block->count; i++) {
		double instructions =
			amountsGet(amounts, (size_t)columns[0], i);
		double cycles = amountsGet(amounts, (size_t)columns[1], i);

		if (!isfinite(instructions) || !isfinite(cycles))
			continue;
		sums[0] += instructions;
		sums[1] += cycles;
	}
}

/** Add up a kernel, and say when it ran. */
static int readKernel(const hdIProject *project, struct kernel *kernel,
		      guint place, struct sorter *changes)
{
	static const char *const names[] = { "Body", "Dispatch" };
	const ssize_t instances =
		kernelCostColumnOf(kernel->group, "Instances");
	const ssize_t events[] = {
		kernelCostColumnOf(kernel->group, "Instructions"),
		kernelCostColumnOf(kernel->group, "Cycles")
	};
	double sums[2] = { 0 };
	ssize_t columns[KERNEL_PARTS];
	hdIStatReader *reader = diagnosticsOpenStat(project, kernel->group,
						    &diagnosticsDropped);
	struct amounts *amounts;
	const hdIBlock *block;
	int ret = 0;

	if (!reader)
		return 0;
	for (int part = 0; part < KERNEL_PARTS; part++)
		columns[part] = kernelCostColumnOf(kernel->group, names[part]);
	amounts = amountsNew(kernel->group);
	while (ret == 0 && hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		readEvents(amounts, block, events, sums);
		for (size_t i = 0; instances >= 0 && i < block->count; i++)
			kernelCostAddCount(
				&kernel->instances,
				amountsGet(amounts, (size_t)instances, i));
		for (guint part = 0; part < KERNEL_PARTS && ret == 0; part++) {
			if (columns[part] < 0)
				continue;
			ret = kernelCostReadPart(amounts, block,
						 (size_t)columns[part], changes,
						 place * KERNEL_PARTS + part,
						 &kernel->seconds[part]);
		}
	}
	kernel->ratio = sums[1] > 0 ? sums[0] / sums[1] : NAN;
	amountsFree(amounts);
	hdI_closeStat(reader);
	return ret;
}

/* ---- What that cost ---------------------------------------------------- */

/** A node's energy, and that of parts of it which tell theirs. */
struct meter {
	struct powerSeries **series; /**< Of the node first; NULL: none. */
	struct powerCursor **cursors;
	int64_t *known; /**< Time that was known until the last time. */
	guint count;
};

/** What there was until a time, since the beginning. */
struct total {
	powerPico pico;   /**< Without the parts'. */
	int64_t measured; /**< Time in which all is known, in ns. */
	/** Energy of a whole thread (if there was less than one, of as much as
	 *  there was, at the node's price of a thread) by 2^-26 pJ and
	 *  billionth of a thread: what an activity took is its usage times what
	 *  this grew by. */
	__int128 price;
};

/* What powerPicoOf() gives at the most, by so many bits, has room. */
#define PRICE_BITS 26
#define PICO_MOST ((powerPico)1 << 100)

/** An activity, since it last changed. */
struct activity {
	int64_t usage;
	int64_t since;
	struct total total;
};

static int kernelCostCompareChanges(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/** The sum, or as much of it as there is room for. */
static powerPico kernelCostSumOf(powerPico a, powerPico b)
{
	const powerPico most = (powerPico)1 << 120;

	/* None of the two is larger than that. */
	return CLAMP(a + b, -most, most);
}

/** What the node took until a time, without its parts, and for how long all was
 *  known since the time before: what one of them lacked then, none makes up for
 *  later. */
static powerPico meterUntil(struct meter *meter, int64_t time, int64_t *grown)
{
	powerPico all = 0;

	*grown = 0;
	for (guint i = 0; i < meter->count; i++) {
		int64_t known = 0, more;
		powerPico pico;

		if (!meter->cursors[i])
			continue;
		pico = powerCursorUntil(meter->cursors[i], time, &known);
		all = kernelCostSumOf(all, i == 0 ? pico : -pico);
		more = known - meter->known[i];
		meter->known[i] = known;
		*grown = i == 0 ? more : MIN(*grown, more);
	}
	return all;
}

/** All that the node took goes on until a time. */
static void kernelCostAdvance(struct total *total, struct meter *meter,
			      int64_t time, __int128 usage)
{
	powerPico pico;
	int64_t grown;

	pico = meterUntil(meter, time, &grown);
	/* Parts that tell more than the node leave nothing. */
	if (usage > 0 && pico > total->pico)
		total->price = kernelCostSumOf(
			total->price,
			(MIN(pico - total->pico, PICO_MOST) << PRICE_BITS) /
				MAX(usage, WHOLE));
	total->pico = pico;
	total->measured += grown;
}

/** What a usage has of what the price grew by. */
static powerPico kernelCostCostOf(__int128 price, int64_t usage)
{
	__int128 cost;

	return __builtin_mul_overflow(price, usage, &cost) ? PICO_MOST
							   : cost >> PRICE_BITS;
}

/** An activity has had its usage until now: charge it with that. */
static powerPico kernelCostSettle(struct kernel *kernel, guint part,
				  struct activity *activity,
				  const struct total *now, int64_t time)
{
	struct attributionAmount *energy = &kernel->energy[part];
	powerPico pico = 0;

	if (activity->usage > 0) {
		pico = kernelCostCostOf(now->price - activity->total.price,
					activity->usage);
		energy->pico = kernelCostSumOf(energy->pico, pico);
		energy->measured += now->measured - activity->total.measured;
		kernel->busy[part] += time - activity->since;
	}
	activity->since = time;
	activity->total = *now;
	return pico;
}

/** From change to change: what was charged in all. Each change costs the same,
 *  however many kernels run at that time. */
static int kernelCostCharge(GPtrArray *kernels, struct sorter *changes,
			    struct meter *meter, powerPico *charged)
{
	struct activity *activities =
		g_new0(struct activity, kernels->len * KERNEL_PARTS + 1);
	struct total total = { 0 };
	__int128 sum = 0;
	int64_t last = INT64_MIN;
	struct change change;
	int ret;

	*charged = 0;
	while ((ret = sorterNext(changes, &change)) == 1) {
		struct activity *activity = &activities[change.activity];
		struct kernel *kernel =
			kernels->pdata[change.activity / KERNEL_PARTS];

		if (change.time != last)
			kernelCostAdvance(&total, meter, change.time, sum);
		last = change.time;
		*charged = kernelCostSumOf(
			*charged,
			kernelCostSettle(kernel, change.activity % KERNEL_PARTS,
					 activity, &total, change.time));
		activity->usage += change.usage;
		sum += change.usage;
	}
	g_free(activities);
	return ret;
}

static struct powerSeries *kernelCostReadPower(const hdIProject *project,
					       const hdIGroup *power,
					       const bool *isPower, int *error)
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

static void meterOpen(struct meter *meter, const hdIProject *project,
		      const struct kernelMeter *meters, guint count, int *error)
{
	meter->series = g_new0(struct powerSeries *, count + 1);
	meter->cursors = g_new0(struct powerCursor *, count + 1);
	meter->known = g_new0(int64_t, count + 1);
	meter->count = count;
	for (guint i = 0; i < count && *error == 0; i++) {
		meter->series[i] = kernelCostReadPower(
			project, meters[i].group, meters[i].isPower, error);
		if (meter->series[i])
			meter->cursors[i] = powerCursorNew(meter->series[i]);
	}
}

static void meterClose(struct meter *meter, int *error)
{
	for (guint i = 0; i < meter->count; i++) {
		if (meter->cursors[i] && *error == 0)
			*error = powerCursorError(meter->cursors[i]);
		powerCursorFree(meter->cursors[i]);
		powerSeriesFree(meter->series[i]);
	}
	g_free(meter->known);
	g_free(meter->cursors);
	g_free(meter->series);
}

/** Those whose power a group tells: pointers into @p kernels. */
static GPtrArray *kernelCostFindOwn(GArray *kernels, const hdIGroup *power)
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
		const struct kernelMeter *meters, guint count, powerPico *rest)
{
	GPtrArray *own =
		kernelCostFindOwn(kernels, count ? meters[0].group : NULL);
	struct sorter *changes =
		sorterNew(sizeof(struct change), kernelCostCompareChanges);
	struct meter meter;
	powerPico charged = 0;
	int64_t grown;
	int error = 0;

	*rest = 0;
	for (guint i = 0; i < own->len && error == 0; i++)
		error = readKernel(project, own->pdata[i], i, changes);
	meterOpen(&meter, project, meters, count, &error);
	if (error == 0)
		error = kernelCostCharge(own, changes, &meter, &charged);
	if (error == 0)
		*rest = meterUntil(&meter, INT64_MAX, &grown) - charged;
	meterClose(&meter, &error);
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
