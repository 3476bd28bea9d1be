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
#include <unistd.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/machine/cpubusy.h"
#include "PowerTracingLibrary/src/machine/cpuset.h"
#include "PowerTracingLibrary/src/machine/sensor.h"
#include "common/clock.h"
#include "common/counter.h"
#include "common/machine/netdevice.h"
#include "common/powermodel/powermodel.h"
#include "recording/integral.h"

#define MODEL_TEXT_MAX 65536
#define MODEL_CLOCK "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq"
#define MODEL_SECTOR 512
#define MODEL_NAME_MAX 64
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

/* What an interface or a disk has read and written. */
struct modelFlow {
	char name[MODEL_NAME_MAX];
	uint64_t identity; /* The kernel's number; 0: it tells none. */
	int device;        /* Of interfaces: enum hdNetDevice; of disks: 0. */
	struct hdCounter in, out;
	bool isSeen, isNew;
};

/* All interfaces, or all disks. */
struct modelFlows {
	struct modelFlow *list;
	size_t count;
	int counted;              /* What devices must be to count. */
	bool isUnread, wasUnread; /* They could not be read, now and before. */
};

struct modelState {
	struct hdPowerModel model;
	struct ptBusy busy;
	int networkFd;        /* Or -1. */
	struct ptCpuSet cpus; /* Whose clocks count. */
	bool hasClock;
	bool hasDisks;
	struct modelFlows network, disks;
	char source[PT_SOURCE_MAX];
	char powerError[MODEL_RESOLUTION_MAX];
	char energyError[MODEL_RESOLUTION_MAX];
	enum modelQuantity *columns;
	size_t count;
	int64_t beganNs;
};

/* ---- Counters ---------------------------------------------------------- */

/* They have 64 bits. */
static const struct hdCounterLaw modelLaw;

static struct modelFlow *modelFlowNew(struct modelFlows *flows,
				      const char *name)
{
	struct modelFlow *list =
		realloc(flows->list, (flows->count + 1) * sizeof(*list));

	if (!list)
		return NULL;
	flows->list = list;
	list += flows->count++;
	*list = (struct modelFlow){ .isSeen = false };
	snprintf(list->name, sizeof(list->name), "%s", name);
	return list;
}

/* Follow the counters of a device. One that has the name of another device
 * begins anew: what it counted before is not of this interval. */
static void modelFlowSee(struct modelFlows *flows, const char *name,
			 uint64_t identity, uint64_t in, uint64_t out)
{
	struct modelFlow *flow = NULL;
	int64_t now = ptNow();

	for (size_t i = 0; i < flows->count && !flow; i++)
		if (strcmp(flows->list[i].name, name) == 0)
			flow = &flows->list[i];
	if (flow && flow->identity == identity) {
		hdCounterFollow(&flow->in, &modelLaw, in, now);
		hdCounterFollow(&flow->out, &modelLaw, out, now);
	} else {
		if (!flow)
			flow = modelFlowNew(flows, name);
		if (!flow)
			return;
		flow->identity = identity;
		flow->isNew = true;
		hdCounterBegin(&flow->in, in, now);
		hdCounterBegin(&flow->out, out, now);
	}
	flow->isSeen = true;
}

/* Forget devices that are gone. */
static void modelFlowsSweep(struct modelFlows *flows)
{
	size_t left = 0;

	for (size_t i = 0; i < flows->count; i++) {
		if (!flows->list[i].isSeen)
			continue;
		flows->list[left] = flows->list[i];
		flows->list[left++].isSeen = false;
	}
	flows->count = left;
}

/* What the devices have read and written since the last time; NaN: unknown, for
 * an amount of two intervals is not one of the last. */
static void modelFlowsTake(struct modelFlows *flows, double *in, double *out)
{
	bool isKnown = !flows->isUnread && !flows->wasUnread;

	*in = *out = isKnown ? 0 : NAN;
	for (size_t i = 0; i < flows->count; i++) {
		uint64_t amount;

		bool counts = flows->list[i].device == flows->counted;

		if (hdCounterTake(&flows->list[i].in, &amount) && counts)
			*in += (double)amount;
		if (hdCounterTake(&flows->list[i].out, &amount) && counts)
			*out += (double)amount;
	}
	flows->wasUnread = flows->isUnread;
}

/* Find out what the interfaces are. As in libRUT, those count that are
 * hardware; without any, those that may be a way out. */
static void modelFlowsClassify(struct modelFlows *flows, const char *root)
{
	flows->counted = HD_NET_WAY_OUT;
	for (size_t i = 0; i < flows->count; i++) {
		struct modelFlow *flow = &flows->list[i];

		if (flow->isNew)
			flow->device = (int)hdNetDeviceOf(root, flow->name);
		flow->isNew = false;
		if (flow->device == HD_NET_HARDWARE)
			flows->counted = HD_NET_HARDWARE;
	}
}

/* Read all interfaces. */
static void modelReadNetwork(const struct ptDevice *dev,
			     struct modelFlows *flows, int fd)
{
	/* Not of the thread: each thread of a program with libPT would have it
	 * on its stack. */
	char *text = malloc(MODEL_TEXT_MAX);
	char *rest = text, *line;

	/* The file is never empty: it has two lines of titles. */
	flows->isUnread =
		fd < 0 || !text || ptSysRead(fd, text, MODEL_TEXT_MAX) <= 0;
	if (flows->isUnread) {
		free(text);
		return;
	}
	while ((line = strsep(&rest, "\n")) != NULL) {
		unsigned long long in, out;
		char name[MODEL_NAME_MAX];
		uint64_t identity = 0;
		int length = 0;

		if (sscanf(line, " %63[^: ]:%n", name, &length) != 1 ||
		    length == 0 ||
		    sscanf(line + length,
			   "%llu %*u %*u %*u %*u %*u %*u %*u %llu", &in,
			   &out) != 2)
			continue;
		ptSysGetNumber(&identity, dev->setup.root,
			       "/sys/class/net/%s/ifindex", name);
		modelFlowSee(flows, name, identity, in, out);
	}
	free(text);
	modelFlowsSweep(flows);
	modelFlowsClassify(flows, dev->setup.root);
}

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

/* Read all disks. */
static void modelReadDisks(const struct ptDevice *dev, struct modelFlows *flows)
{
	const char *root = dev->setup.root;
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/block");

	flows->isUnread = count < 0;
	if (count < 0)
		return;
	for (ssize_t i = 0; i < count; i++) {
		unsigned long long in, out;
		uint64_t identity = 0;
		char line[512];

		if (modelIsVirtual(names[i]) ||
		    ptSysGetLine(line, sizeof(line), root, "/sys/block/%s/stat",
				 names[i]) < 0 ||
		    sscanf(line, "%*u %*u %llu %*u %*u %*u %llu", &in, &out) !=
			    2)
			continue;
		ptSysGetNumber(&identity, root, "/sys/block/%s/diskseq",
			       names[i]);
		modelFlowSee(flows, names[i], identity, in, out);
	}
	ptSysFreeNames(names, (size_t)count);
	modelFlowsSweep(flows);
}

/* What moved since the last time, in bytes. */
struct modelAmounts {
	double network, reads, writes;
};

static struct modelAmounts modelCount(const struct ptDevice *dev)
{
	struct modelState *state = dev->state;
	struct modelAmounts amounts = { NAN, NAN, NAN };
	double in, out;

	if (state->networkFd >= 0) {
		modelReadNetwork(dev, &state->network, state->networkFd);
		modelFlowsTake(&state->network, &in, &out);
		amounts.network = in + out;
	}
	if (state->hasDisks) {
		modelReadDisks(dev, &state->disks);
		modelFlowsTake(&state->disks, &in, &out);
		amounts.reads = in * MODEL_SECTOR;
		amounts.writes = out * MODEL_SECTOR;
	}
	return amounts;
}

/* ---- Power ------------------------------------------------------------- */

/* The power of a component that is there for a rate in percent of its maximum;
 * NaN: unknown. */
static double modelRateWatts(const struct hdPowerComponent *part, double amount,
			     int64_t lengthNs)
{
	if (isnan(amount))
		return NAN;
	if (lengthNs <= 0 || part->max <= 0)
		return 0;
	return hdPowerComponentWatts(
		part, 100 * amount * 1e9 / (double)lengthNs / part->max);
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
			 struct modelAmounts moved, int64_t lengthNs)
{
	const struct modelState *state = dev->state;
	double power = state->model.idle + modelCpuPower(dev, busy);

	for (size_t i = 0; i < state->model.count; i++) {
		const struct hdPowerComponent *part =
			&state->model.components[i];

		if (state->networkFd >= 0 && strcmp(part->name, "network") == 0)
			power += modelRateWatts(part, moved.network, lengthNs);
		else if (state->hasDisks &&
			 strcmp(part->name, "disk-read") == 0)
			power += modelRateWatts(part, moved.reads, lengthNs);
		else if (state->hasDisks &&
			 strcmp(part->name, "disk-write") == 0)
			power += modelRateWatts(part, moved.writes, lengthNs);
	}
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
		return state->networkFd >= 0;
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
	if (state->networkFd >= 0)
		close(state->networkFd);
	free(state->network.list);
	free(state->disks.list);
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
	modelOpenClock(dev, state);
	if (hdPowerModelFind(&state->model, "network"))
		state->networkFd = ptSysOpen(dev->setup.root, "/proc/net/dev");
	if (hdPowerModelFind(&state->model, "disk-read") ||
	    hdPowerModelFind(&state->model, "disk-write")) {
		modelReadDisks(dev, &state->disks);
		state->hasDisks = !state->disks.isUnread;
	}
	return 0;
}

static int modelOpen(struct ptDevice *dev, struct ptColumn *columns,
		     size_t count)
{
	const char *path = ptSetupOption(&dev->setup, "model");
	struct modelState *state = calloc(1, sizeof(*state));
	int ret = -ENOMEM;

	if (state)
		state->columns = calloc(count + 1, sizeof(*state->columns));
	if (!state || !state->columns) {
		ptMessage(HD_LOG_ERROR, "model: out of memory");
		goto fail;
	}
	state->networkFd = -1;
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
		free(state->disks.list);
		free(state->columns);
	}
	free(state);
	return ret;
}

static int modelStart(struct ptDevice *dev)
{
	struct modelState *state = dev->state;

	state->beganNs = ptNow();
	modelCount(dev);
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
