/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for machines without a meter: power estimated from the use of CPUs,
 * network and disks by a model that hdtrace power-model fitted.
 *
 *     P = idle + sum over components of f(load)
 *     f of CPUs * (clock / clock of the model) ^ exponent
 *     E = P * length of the interval
 *
 * Nothing is measured; every value says so, with the error of the model.
 * Components whose load this driver cannot see count as idle, and the source of
 * the values names them.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/machine/cpubusy.h"
#include "PowerTracingLibrary/src/machine/cpuset.h"
#include "PowerTracingLibrary/src/machine/netbytes.h"
#include "PowerTracingLibrary/src/machine/sensor.h"
#include "common/clock.h"
#include "common/powermodel/powermodel.h"
#include "recording/integral.h"

#define MODEL_CLOCK "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq"
#define MODEL_SECTOR 512
#define MODEL_RESOLUTION_MAX 64

enum modelQuantity { MODEL_POWER, MODEL_ENERGY };

static const struct ptQuantity modelQuantities[] = {
	[MODEL_POWER] = { "P", FLOAT, "W", "Power",
			  "power estimated by the model" },
	[MODEL_ENERGY] = { "E", DOUBLE, "J", "Energy",
			   "energy since the previous entry",
			   .kind = HD_KIND_DELTA },
	{ .name = NULL },
};

/* Bytes since the system started. */
struct modelCounts {
	double reads, writes;
};

struct modelState {
	struct hdPowerModel model;
	struct ptBusy busy;
	struct ptNetBytes network; /* Its fd may be -1. */
	struct ptCpuSet cpus;      /* Whose clocks count. */
	bool hasClock;
	bool hasDisks;
	struct modelCounts counts;
	char source[PT_SOURCE_MAX];
	char powerError[MODEL_RESOLUTION_MAX];
	char energyError[MODEL_RESOLUTION_MAX];
	enum modelQuantity *columns;
	size_t count;
	int64_t beganNs;
};

/* ---- Counters ---------------------------------------------------------- */

/* Whether a block device is no disk, or stands for others. */
static bool modelIsVirtual(const char *name)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-",
						"md",   "sr",  "fd" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

static void modelCountDisks(const char *root, struct modelCounts *counts)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/block");

	counts->reads = counts->writes = count < 0 ? NAN : 0;
	for (ssize_t i = 0; i < count; i++) {
		unsigned long long in, out;
		char line[512];

		if (modelIsVirtual(names[i]) ||
		    ptSysGetLine(line, sizeof(line), root, "/sys/block/%s/stat",
				 names[i]) < 0 ||
		    sscanf(line, "%*u %*u %llu %*u %*u %*u %llu", &in, &out) !=
			    2)
			continue;
		counts->reads += (double)in * MODEL_SECTOR;
		counts->writes += (double)out * MODEL_SECTOR;
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

static struct modelCounts modelCount(const struct ptDevice *dev)
{
	const struct modelState *state = dev->state;
	struct modelCounts counts = { NAN, NAN };

	if (state->hasDisks)
		modelCountDisks(dev->setup.root, &counts);
	return counts;
}

/* ---- Power ------------------------------------------------------------- */

/* A rate in percent of its maximum. */
static double modelPercent(const struct hdPowerComponent *part, double bytes,
			   int64_t lengthNs)
{
	if (!(bytes >= 0) || lengthNs <= 0 || part->max <= 0)
		return 0;
	return 100 * bytes * 1e9 / (double)lengthNs / part->max;
}

/* The mean clock of all CPUs now, in MHz; NaN: unknown. As libRUT has it, and
 * so hdtrace power-model. */
static double modelClock(const char *root, const struct ptCpuSet *cpus)
{
	double sum = 0;
	size_t count = 0;

	for (unsigned int cpu = 0; cpu < cpus->end; cpu++) {
		uint64_t khz;

		/* One that is offline has no clock. */
		if (!ptCpuSetHas(cpus, cpu) ||
		    ptSysGetNumber(&khz, root, MODEL_CLOCK, cpu) < 0)
			continue;
		sum += (double)khz / 1e3;
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static double modelCpuPower(const struct ptDevice *dev, double busy)
{
	const struct modelState *state = dev->state;
	const struct hdPowerComponent *cpu = hdPowerModelCpu(&state->model);
	double power, clock;

	if (!cpu)
		return 0;
	power = hdPowerComponentWatts(cpu, 100 * busy);
	if (!state->hasClock)
		return power;
	clock = modelClock(dev->setup.root, &state->cpus);
	return clock > 0
		       ? power * pow(clock / cpu->clockMhz, cpu->clockExponent)
		       : power;
}

static double modelPower(const struct ptDevice *dev, double busy,
			 struct modelCounts now, int64_t lengthNs)
{
	struct modelState *state = dev->state;
	double power = state->model.idle + modelCpuPower(dev, busy);
	double network = ptNetBytesTake(&state->network);

	for (size_t i = 0; i < state->model.count; i++) {
		const struct hdPowerComponent *part =
			&state->model.components[i];
		double percent = 0;

		/* Counters of disks that fell were reset. */
		if (strcmp(part->name, "network") == 0)
			percent = modelPercent(part, network, lengthNs);
		else if (strcmp(part->name, "disk-read") == 0)
			percent = modelPercent(part,
					       now.reads - state->counts.reads,
					       lengthNs);
		else if (strcmp(part->name, "disk-write") == 0)
			percent = modelPercent(
				part, now.writes - state->counts.writes,
				lengthNs);
		power += hdPowerComponentWatts(part, percent);
	}
	state->counts = now;
	return power;
}

/* ---- The model --------------------------------------------------------- */

struct modelProblem {
	const char *path;
	char text[200];
	long line;
};

/* Keeps the first one. */
static void modelTakeProblem(void *context, long line, const char *text)
{
	struct modelProblem *problem = context;

	if (problem->text[0])
		return;
	problem->line = line;
	snprintf(problem->text, sizeof(problem->text), "%s", text);
}

static int modelLoad(const char *path, struct hdPowerModel *model)
{
	struct modelProblem problem = { .path = path };
	int ret = hdPowerModelRead(path, modelTakeProblem, &problem, model);

	if (ret == -EINVAL && problem.text[0])
		ptMessage(HD_LOG_ERROR, "model: %s:%ld: %s", path, problem.line,
			  problem.text);
	else if (ret < 0)
		ptMessage(HD_LOG_ERROR, "model: %s: cannot read: %s", path,
			  strerror(-ret));
	return ret;
}

static bool modelSees(const struct modelState *state, const char *name)
{
	const struct hdPowerComponent *cpu = hdPowerModelCpu(&state->model);

	if (strcmp(name, "network") == 0)
		return state->network.fd >= 0;
	if (strcmp(name, "disk-read") == 0 || strcmp(name, "disk-write") == 0)
		return state->hasDisks;
	return cpu && strcmp(cpu->name, name) == 0;
}

/* Whether the power of CPUs depends on a clock that this driver cannot see. */
static bool modelLacksClock(const struct modelState *state)
{
	const struct hdPowerComponent *cpu = hdPowerModelCpu(&state->model);

	return cpu && cpu->clockMhz > 0 && !state->hasClock;
}

/* "estimated by node.model, error 1.2 W; without memory-bandwidth" */
static void modelDescribe(struct modelState *state, const char *path,
			  int64_t cycleNs)
{
	const char *name = strrchr(path, '/');
	size_t used = 0;
	bool isFirst = true;

	snprintf(state->source, sizeof(state->source),
		 "estimated by %s, error %.4g W", name ? name + 1 : path,
		 state->model.error);
	for (size_t i = 0; i < state->model.count; i++) {
		const char *part = state->model.components[i].name;

		if (modelSees(state, part))
			continue;
		used = strlen(state->source);
		snprintf(state->source + used, sizeof(state->source) - used,
			 "%s%s", isFirst ? "; without " : ", ", part);
		isFirst = false;
	}
	if (modelLacksClock(state)) {
		used = strlen(state->source);
		snprintf(state->source + used, sizeof(state->source) - used,
			 "%sCPU clock", isFirst ? "; without " : ", ");
	}
	snprintf(state->powerError, sizeof(state->powerError), "%.4g W",
		 state->model.error);
	snprintf(state->energyError, sizeof(state->energyError), "%.4g J",
		 state->model.error * (double)cycleNs / 1e9);
}

/* ---- The driver -------------------------------------------------------- */

static const char *const modelOptions[] = { "model", NULL };

static int modelResolve(const struct ptSetup *setup, const char *channel,
			size_t index, unsigned int *number,
			char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	snprintf(why, whySize, "the only input is host");
	if (index > 0)
		return -ENOENT;
	if (channel && strcmp(channel, "*") != 0 &&
	    strcmp(channel, "host") != 0)
		return -EINVAL;
	*number = 0;
	strcpy(label, "host");
	return 0;
}

static void modelList(const struct ptSetup *setup, ptDriverPrint *print,
		      void *context)
{
	(void)setup;
	print(context, "host",
	      "estimated by a model; model=FILE of hdtrace power-model", true);
}

static void modelClose(struct ptDevice *dev)
{
	struct modelState *state = dev->state;

	ptBusyClose(&state->busy);
	ptNetBytesClose(&state->network);
	free(state->columns);
	free(state);
	dev->state = NULL;
}

static void modelOpenClock(struct ptDevice *dev, struct modelState *state)
{
	const struct hdPowerComponent *cpu = hdPowerModelCpu(&state->model);

	if (!cpu || cpu->clockMhz <= 0)
		return;
	state->hasClock =
		ptCpuSetRead(dev->setup.root, "present", &state->cpus) == 0 &&
		modelClock(dev->setup.root, &state->cpus) > 0;
	if (!state->hasClock)
		ptMessage(HD_LOG_WARNING,
			  "model: no CPU shows its clock (cpufreq); its power "
			  "is estimated at %.4g MHz",
			  cpu->clockMhz);
}

static int modelOpenCounters(struct ptDevice *dev, struct modelState *state)
{
	int ret = ptBusyOpen(&state->busy, dev->setup.root);

	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "model: %s/proc/stat: %s",
			  dev->setup.root, strerror(-ret));
		return ret;
	}
	if (hdPowerModelFind(&state->model, "network"))
		ptNetBytesOpen(&state->network, dev->setup.root);
	modelOpenClock(dev, state);
	if (hdPowerModelFind(&state->model, "disk-read") ||
	    hdPowerModelFind(&state->model, "disk-write")) {
		struct modelCounts counts;

		modelCountDisks(dev->setup.root, &counts);
		state->hasDisks = !isnan(counts.reads);
	}
	return 0;
}

static int modelOpen(struct ptDevice *dev, struct ptColumn *columns,
		     size_t count)
{
	const char *path = ptSetupOption(&dev->setup, "model");
	struct modelState *state = calloc(1, sizeof(*state));
	int ret = -ENOMEM;

	if (state) {
		state->network.fd = -1;
		state->columns = calloc(count + 1, sizeof(*state->columns));
	}
	if (!state || !state->columns) {
		ptMessage(HD_LOG_ERROR, "model: out of memory");
		goto fail;
	}
	ret = -EINVAL;
	if (!path) {
		ptMessage(HD_LOG_ERROR, "model: missing option: model=FILE of "
					"hdtrace power-model");
		goto fail;
	}
	ret = modelLoad(path, &state->model);
	if (ret == 0)
		ret = modelOpenCounters(dev, state);
	if (ret < 0)
		goto fail;
	modelDescribe(state, path, dev->setup.cycleNs);
	state->count = count;
	for (size_t i = 0; i < count; i++) {
		state->columns[i] = (enum modelQuantity)(columns[i].quantity -
							 modelQuantities);
		columns[i].source = state->source;
		columns[i].resolution = state->columns[i] == MODEL_POWER
						? state->powerError
						: state->energyError;
		columns[i].isSimulated = true;
	}
	dev->state = state;
	return 0;

fail:
	if (state) {
		ptNetBytesClose(&state->network);
		free(state->columns);
	}
	free(state);
	return ret;
}

static int modelStart(struct ptDevice *dev)
{
	struct modelState *state = dev->state;

	state->beganNs = ptNow();
	state->counts = modelCount(dev);
	ptNetBytesTake(&state->network);
	return ptBusyBegin(&state->busy);
}

static int modelTake(struct ptDevice *dev, union hdCell *cells,
		     struct ptReading *reading)
{
	struct modelState *state = dev->state;
	int64_t now = ptNow();
	int64_t lengthNs = now - state->beganNs;
	int64_t wallNs = hdClockNow();
	double busy, power;
	int ret = ptBusyTake(&state->busy, &busy);

	if (ret < 0) {
		ptMessage(HD_LOG_WARNING, "model: %s/proc/stat: %s",
			  dev->setup.root, strerror(-ret));
		return ret;
	}
	power = modelPower(dev, busy, modelCount(dev), lengthNs);
	for (size_t i = 0; i < state->count; i++) {
		if (state->columns[i] == MODEL_POWER)
			cells[i].f = (float)power;
		else
			cells[i].d = hdIntegralOf(power, lengthNs);
	}
	*reading = (struct ptReading){ .endNs = wallNs, .lengthNs = lengthNs };
	state->beganNs = now;
	return 0;
}

const struct ptDriver ptModelDriver = {
	.name = "model",
	.description = "no meter: power estimated by a fitted power model",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = modelQuantities,
	.options = modelOptions,
	.resolve = modelResolve,
	.list = modelList,
	.open = modelOpen,
	.start = modelStart,
	.read = modelTake,
	.close = modelClose,
};
