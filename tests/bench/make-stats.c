/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics that make-project writes. */
#include "config.h"

#include <math.h>
#include <stdbool.h>

#include <hdStats.h>
#include "tests/bench/make-project.h"

/** Nodes that show what is not as it should be. */
#define GAP_NODE 1
#define BROKEN_NODE 2

/** What a node does in an interval. */
struct load {
	double busy; /**< Part of its ranks that compute. */
	double net;  /**< In bytes per s. */
	double read;
	double written;
	double age; /**< Part of the run that is over. */
};

static struct load loadOf(const struct makeShape *shape, int64_t host,
			  int64_t from, int64_t to)
{
	struct load load = { .age = (double)to / (double)shape->runtime };
	int64_t solved = makeStepStart(shape, shape->steps);
	int64_t ranks = shape->ranksOfNode;
	double computing = 0;

	if (to <= shape->solve || from >= solved || shape->step == 0) {
		load.busy = 0.12;
		load.read = to <= shape->solve ? 180e6 : 0;
		load.written = to <= shape->solve ? 0 : 240e6;
		return load;
	}
	for (int64_t step = makeLater(from - shape->solve, 0) / shape->step;
	     step < shape->steps && makeStepStart(shape, step) < to; step++) {
		int64_t first = makeLater(from, makeStepStart(shape, step));

		for (int64_t rank = host * ranks; rank < (host + 1) * ranks;
		     rank++) {
			int64_t last = makeStepStart(shape, step) +
				       makeComputeTime(shape, rank, step);

			if (last > to)
				last = to;
			computing += (double)makeLater(last - first, 0);
		}
	}
	load.busy = computing / (double)(to - from) / (double)ranks;
	load.net = 60e6 * (1 - load.busy);
	return load;
}

/** A value of a group. */
struct column {
	const char *name;
	hdStatsValueType type;
	const char *unit;
	const char *grouping;
	const char *resolution;
	double (*get)(const struct load *load);
	double noise; /**< Part by which it differs by chance. */
};

static double getTotal(const struct load *load)
{
	return 98 * load->busy;
}

static double getUser(const struct load *load)
{
	return 94 * load->busy;
}

static double getSystem(const struct load *load)
{
	return 6 * load->busy + 1;
}

static double getWaiting(const struct load *load)
{
	return (load->read + load->written) * 25e-8;
}

static double getUsed(const struct load *load)
{
	return 8e9 + 40e9 * fmin(10 * load->age, 1);
}

static double getCached(const struct load *load)
{
	return 2e9 + 20e9 * load->age;
}

static double getFree(const struct load *load)
{
	return 128e9 - getUsed(load) - getCached(load);
}

static double getNet(const struct load *load)
{
	return load->net;
}

static double getRead(const struct load *load)
{
	return load->read;
}

static double getWritten(const struct load *load)
{
	return load->written;
}

static double getRunning(const struct load *load)
{
	return 8 * load->busy + 1;
}

static double getPower(const struct load *load)
{
	return 92 + 148 * load->busy + 1e-8 * (load->read + load->written);
}

static double getVoltage(const struct load *load)
{
	return 230.5 - 0.8 * load->busy;
}

static double getCurrent(const struct load *load)
{
	return getPower(load) / getVoltage(load);
}

static double getTemperature(const struct load *load)
{
	return 34 + 26 * (1 - exp(-12 * load->age)) + 6 * load->busy;
}

static const struct column utilization[] = {
	{ "CPU_TOTAL", FLOAT, "%", "CPU", "10 us", getTotal, 0.02 },
	{ "CPU_USER", FLOAT, "%", "CPU", "10 us", getUser, 0.02 },
	{ "CPU_SYSTEM", FLOAT, "%", "CPU", "10 us", getSystem, 0.3 },
	{ "CPU_IOWAIT", FLOAT, "%", "CPU", "10 us", getWaiting, 0.2 },
	{ "MEM_USED", INT64, "B", "MEM", NULL, getUsed, 0.001 },
	{ "MEM_FREE", INT64, "B", "MEM", NULL, getFree, 0.001 },
	{ "MEM_CACHED", INT64, "B", "MEM", NULL, getCached, 0.001 },
	{ "NET_IN", INT64, "B/s", "NET", NULL, getNet, 0.4 },
	{ "NET_OUT", INT64, "B/s", "NET", NULL, getNet, 0.4 },
	{ "HDD_READ", INT64, "B/s", "HDD", NULL, getRead, 0.3 },
	{ "HDD_WRITE", INT64, "B/s", "HDD", NULL, getWritten, 0.3 },
	{ "RUNNING", INT32, NULL, NULL, NULL, getRunning, 0.2 },
};

static const struct column energy[] = {
	{ "P", DOUBLE, "W", "Power", "0.1 W", getPower, 0.01 },
	{ "U", DOUBLE, "V", NULL, "0.01 V", getVoltage, 0.001 },
	{ "I", DOUBLE, "A", NULL, "1 mA", getCurrent, 0.01 },
	{ "TEMP", FLOAT, "C", NULL, NULL, getTemperature, 0.01 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
_Static_assert(COUNT(utilization) + COUNT(energy) == MAKE_VALUES, "values");

static void writeValue(hdStatsGroup *group, const struct column *column,
		       double value)
{
	int ret = -1;

	switch (column->type) {
	case INT32:
		ret = hdS_writeInt32Value(group, (int32_t)value);
		break;
	case INT64:
		ret = hdS_writeInt64Value(group, (int64_t)value);
		break;
	case FLOAT:
		ret = hdS_writeFloatValue(group, (float)value);
		break;
	case DOUBLE:
		ret = hdS_writeDoubleValue(group, value);
		break;
	case STRING:
		break;
	}
	makeCheck(ret == 0, column->name);
}

static void writeEntry(const struct makeShape *shape, hdStatsGroup *group,
		       const struct column *columns, size_t count, int64_t host,
		       int64_t from, int64_t to)
{
	struct load load = loadOf(shape, host, from, to);
	struct timespec when = makeTime(to);
	bool isBroken =
		host == BROKEN_NODE && load.age > 0.3 && load.age < 0.32;

	makeCheck(hdS_setEntryTime(group, &when) == 0, "hdS_setEntryTime");
	for (size_t i = 0; i < count; i++) {
		const struct column *column = &columns[i];
		double luck = 2 * makeChance(shape, MAKE_VALUE, host,
					     (to << 4) + (int64_t)i) -
			      1;
		double value = column->get(&load) * (1 + column->noise * luck);

		if (isBroken && column->get == getTemperature)
			value = (double)NAN;
		writeValue(group, column, value);
	}
}

static hdStatsGroup *createGroup(hdTopoNode *node, const char *name,
				 const struct column *columns, size_t count)
{
	hdStatsGroup *group = hdS_createGroup(name, node, 1);
	struct timespec begin = makeTime(0);

	makeCheck(group, name);
	for (size_t i = 0; i < count; i++) {
		const struct column *column = &columns[i];

		makeCheck(hdS_addValue(group, column->name, column->type,
				       column->unit, column->grouping) == 0,
			  column->name);
		if (column->resolution)
			makeCheck(hdS_addAttribute(group, "resolution",
						   column->resolution) == 0,
				  "resolution");
	}
	makeCheck(hdS_commitGroup(group) == 0, "hdS_commitGroup");
	makeCheck(hdS_setTimeBase(group, HD_TIME_AS_GIVEN) == 0,
		  "hdS_setTimeBase");
	makeCheck(hdS_enableGroupAt(group, &begin) == 0, "hdS_enableGroupAt");
	return group;
}

static void writeGroup(const struct makeShape *shape, hdTopology *topology,
		       int64_t host, const char *name,
		       const struct column *columns, size_t count)
{
	hdTopoNode *node = makeNode(topology, host, -1);
	hdStatsGroup *group = createGroup(node, name, columns, count);
	int64_t last = 0;
	int64_t shift = 0;

	for (int64_t i = 0; i < shape->entries; i++) {
		int64_t to = (i + 1) * shape->period + shift;

		if (host == GAP_NODE && i == shape->entries / 2) {
			struct timespec again;

			shift = shape->entries / 50 * shape->period;
			last += shift;
			to += shift;
			again = makeTime(last);
			hdS_disableGroup(group);
			makeCheck(hdS_enableGroupAt(group, &again) == 0,
				  "hdS_enableGroupAt");
		}
		if (makeChance(shape, MAKE_LATE, host, i) < 1e-4)
			to += shape->period * 3 / 5;
		writeEntry(shape, group, columns, count, host, last, to);
		last = to;
	}
	makeCheck(hdS_finalize(group) == 0, "hdS_finalize");
	hdT_destroyTopoNode(node);
}

void makeGroups(const struct makeShape *shape, hdTopology *topology,
		int64_t host)
{
	writeGroup(shape, topology, host, "Energy", energy, COUNT(energy));
	writeGroup(shape, topology, host, "Utilization", utilization,
		   COUNT(utilization));
}
