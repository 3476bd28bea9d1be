/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States of CPUs: reading them; see cpustates.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/cpustates.h"
#include "PowerTracingLibrary/src/machine/procstat.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

/* How often a CPU is looked for that is gone. */
#define RETRY_NS HD_NS_PER_S

/* Where a column comes from. */
struct place {
	size_t cpu;         /* Of state.cpus; of all: the number of these. */
	unsigned int place; /* As of ptCpuPlaceOf(). */
	/* Of all CPUs: the name of the state, which has another place on
	 * another kind of CPU. */
	char name[PT_CHANNEL_MAX];
};

struct state {
	const struct ptCpuKind *kind;
	struct ptCpu *cpus;
	size_t cpuCount;
	struct place *places;
	size_t placeCount;
	struct ptCpuSet online;
	struct ptProcStat stat;
	bool hasStat;
	int64_t beganNs;
};

/* ---- A CPU ------------------------------------------------------------- */

static void cpuStatesCloseCpu(struct ptCpu *cpu)
{
	for (size_t i = 0; cpu->fds && i < cpu->count; i++)
		if (cpu->fds[i] >= 0)
			hdOwnedClose(&cpu->owned[i], cpu->fds[i]);
	free(cpu->fds);
	free(cpu->owned);
	free(cpu->labels);
	ptResidencyClear(&cpu->residency);
	cpu->fds = NULL;
	cpu->owned = NULL;
	cpu->labels = NULL;
	cpu->count = 0;
	cpu->isOpen = false;
}

/* Find the states of a CPU and open what tells about them; -ENOENT: it has
 * none, perhaps since it is off. */
static int cpuStatesOpenCpu(const struct ptCpuKind *kind,
			    const struct ptSetup *setup, struct ptCpu *cpu)
{
	ssize_t count = kind->list(setup, cpu->number, &cpu->labels);

	cpu->retryNs = ptNow() + RETRY_NS;
	if (count < 0)
		return (int)count;
	cpu->count = (size_t)count;
	cpu->fds = malloc((cpu->count + 1) * sizeof(*cpu->fds));
	for (size_t i = 0; cpu->fds && i < cpu->count; i++)
		cpu->fds[i] = -1;
	cpu->owned = calloc(cpu->count + 1, sizeof(*cpu->owned));
	if (!cpu->fds || !cpu->owned ||
	    ptResidencyInit(&cpu->residency, cpu->count) < 0) {
		cpuStatesCloseCpu(cpu);
		return -ENOMEM;
	}
	kind->open(setup, cpu);
	for (size_t i = 0; i < cpu->count; i++)
		hdOwnedSet(&cpu->owned[i], cpu->fds[i]);
	cpu->isOpen = true;
	return 0;
}

/* Whether the CPU has slept since a counter moved, or worked. */
static bool cpuIsAsleep(const struct state *state, struct ptCpu *cpu,
			int64_t nowNs)
{
	int64_t idleNs;

	if (!state->hasStat)
		return false;
	idleNs = ptProcStatIdle(&state->stat, cpu->number);
	if (idleNs < 0)
		return false;
	if (!cpu->residency.isCounting || ptResidencyMoved(&cpu->residency)) {
		cpu->idleChangeNs = idleNs;
		return false;
	}
	return idleNs - cpu->idleChangeNs >=
	       (nowNs - cpu->residency.changeNs) / 2;
}

/* Read a CPU and divide the interval; one that is off has none. */
static void cpuStatesReadCpu(struct state *state, const struct ptSetup *setup,
			     struct ptCpu *cpu)
{
	int64_t nowNs = ptNow();
	bool isAsleep;

	cpu->elapsedNs = 0;
	if (!ptCpuSetHas(&state->online, cpu->number)) {
		if (cpu->isOpen)
			ptResidencyForget(&cpu->residency);
		return;
	}
	if (!cpu->isOpen && (nowNs < cpu->retryNs ||
			     cpuStatesOpenCpu(state->kind, setup, cpu) < 0))
		return;
	if (state->kind->read(setup, cpu) < 0) {
		/* It went off at this moment, or its states are others now. */
		cpuStatesCloseCpu(cpu);
		cpu->retryNs = nowNs + RETRY_NS;
		return;
	}
	isAsleep = cpuIsAsleep(state, cpu, nowNs);
	cpu->elapsedNs = ptResidencyTake(&cpu->residency, nowNs, isAsleep);
	cpu->restNs = cpu->elapsedNs;
	for (size_t i = 0; i < cpu->count; i++)
		cpu->restNs -= cpu->residency.states[i].givenNs;
}

/* What a CPU was in a place, in nanoseconds of the interval. */
static int64_t cpuGiven(const struct ptCpu *cpu, unsigned int place)
{
	if (place == PT_CPU_REST)
		return cpu->restNs;
	/* It may have come back with less. */
	if (place - PT_CPU_STATE >= cpu->count)
		return 0;
	return cpu->residency.states[place - PT_CPU_STATE].givenNs;
}

/* ---- Opening ----------------------------------------------------------- */

static void cpuStatesStateFree(struct state *state)
{
	for (size_t i = 0; i < state->cpuCount; i++)
		cpuStatesCloseCpu(&state->cpus[i]);
	if (state->hasStat)
		ptProcStatClose(&state->stat);
	free(state->cpus);
	free(state->places);
	free(state);
}

/* Get the place of a CPU among those that are read; they are in order. */
static size_t findCpu(const struct state *state, unsigned int number)
{
	size_t low = 0, high = state->cpuCount;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (state->cpus[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Choose the CPUs that columns need. */
static int chooseCpus(struct state *state, const struct ptSetup *setup,
		      const struct ptColumn *columns, size_t count)
{
	struct ptCpuSet present, wanted = { 0 };
	int ret = ptCpuPresent(setup->root, &present);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < count; i++) {
		unsigned int cpu = ptCpuOf(columns[i].channel);

		if (cpu == PT_CPU_ALL)
			wanted = present;
	}
	for (size_t i = 0; i < count; i++) {
		unsigned int cpu = ptCpuOf(columns[i].channel);

		if (cpu == PT_CPU_ALL)
			continue;
		wanted.words[cpu / 64] |= UINT64_C(1) << cpu % 64;
		if (wanted.end <= cpu)
			wanted.end = cpu + 1;
	}
	state->cpus = calloc(wanted.end + 1, sizeof(*state->cpus));
	if (!state->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < wanted.end; cpu++)
		if (ptCpuSetHas(&wanted, cpu))
			state->cpus[state->cpuCount++].number = cpu;
	return 0;
}

/* Choose what a column is; -EINVAL if its channel has no such quantity. */
static int choosePlace(struct state *state, struct ptDevice *dev,
		       struct ptColumn *column, struct place *place)
{
	unsigned int cpu = ptCpuOf(column->channel);
	bool isClock =
		column->quantity - dev->driver->quantities == PT_CPU_CLOCK;

	place->place = ptCpuPlaceOf(column->channel);
	if (isClock != (place->place == PT_CPU_CLOCK_PLACE)) {
		ptMessage(HD_LOG_ERROR, "%s: %s has no %s; %s",
			  dev->driver->name, column->label,
			  column->quantity->name,
			  isClock ? "inputs of clocks are cpu0 and so on"
				  : state->kind->nothing);
		return -EINVAL;
	}
	place->cpu = cpu == PT_CPU_ALL ? state->cpuCount : findCpu(state, cpu);
	if (cpu == PT_CPU_ALL)
		snprintf(place->name, sizeof(place->name), "%s",
			 column->label + strlen("all-"));
	column->source = state->kind->where;
	column->resolution = isClock ? "1 kHz" : state->kind->resolution;
	return 0;
}

int ptCpuOpen(const struct ptCpuKind *kind, struct ptDevice *dev,
	      struct ptColumn *columns, size_t count)
{
	struct state *state = calloc(1, sizeof(*state));
	size_t open = 0;
	int ret = -ENOMEM;

	if (!state)
		return -ENOMEM;
	state->kind = kind;
	state->placeCount = count;
	state->places = calloc(count + 1, sizeof(*state->places));
	if (!state->places)
		goto fail;
	ret = chooseCpus(state, &dev->setup, columns, count);
	for (size_t i = 0; ret == 0 && i < count; i++)
		ret = choosePlace(state, dev, &columns[i], &state->places[i]);
	if (ret < 0)
		goto fail;
	for (size_t i = 0; i < state->cpuCount; i++) {
		ret = cpuStatesOpenCpu(kind, &dev->setup, &state->cpus[i]);
		open += ret == 0;
		/* One that is off may be on later. */
		if (ret == -ENOMEM)
			goto fail;
	}
	for (size_t i = 0; open == 0 && i < count; i++)
		if (state->places[i].place != PT_CPU_CLOCK_PLACE) {
			ptMessage(HD_LOG_ERROR, "%s: %s", dev->driver->name,
				  kind->nothing);
			ret = -ENODEV;
			goto fail;
		}
	state->hasStat = kind->isLate &&
			 strcmp(ptSetupOptionOr(&dev->setup, "asleep", "now"),
				"now") == 0 &&
			 ptProcStatOpen(&state->stat, dev->setup.root) == 0;
	dev->state = state;
	return 0;

fail:
	cpuStatesStateFree(state);
	return ret;
}

/* ---- Reading ----------------------------------------------------------- */

static void cpuStatesReadAll(struct state *state, struct ptDevice *dev)
{
	/* Without CPUs that can be switched off there is no such list. */
	if (ptCpuSetRead(dev->setup.root, "online", &state->online) < 0) {
		memset(state->online.words, 0xff, sizeof(state->online.words));
		state->online.end = PT_CPUS_MAX;
	}
	if (state->hasStat && ptProcStatRead(&state->stat) < 0)
		state->stat.text[0] = '\0';
	for (size_t i = 0; i < state->cpuCount; i++)
		cpuStatesReadCpu(state, &dev->setup, &state->cpus[i]);
}

/* The mean of all CPUs that are on. */
static double shareOfAll(const struct state *state, const struct place *place)
{
	double given = 0, elapsed = 0;

	for (size_t i = 0; i < state->cpuCount; i++) {
		const struct ptCpu *cpu = &state->cpus[i];

		if (cpu->elapsedNs == 0)
			continue;
		elapsed += (double)cpu->elapsedNs;
		if (place->place == PT_CPU_REST)
			given += (double)cpu->restNs;
		for (size_t k = 0;
		     place->place != PT_CPU_REST && k < cpu->count; k++)
			if (strcmp(cpu->labels[k], place->name) == 0)
				given += (double)cpu->residency.states[k]
						 .givenNs;
	}
	return elapsed > 0 ? 100 * given / elapsed : NAN;
}

static double cpuStatesCellOf(const struct state *state, struct ptDevice *dev,
			      const struct place *place)
{
	const struct ptCpu *cpu;
	double hertz;

	if (place->cpu == state->cpuCount)
		return shareOfAll(state, place);
	cpu = &state->cpus[place->cpu];
	if (place->place == PT_CPU_CLOCK_PLACE)
		return ptCpuSetHas(&state->online, cpu->number) &&
				       state->kind->readClock(&dev->setup,
							      cpu->number,
							      &hertz) == 0
			       ? hertz
			       : NAN;
	return cpu->elapsedNs > 0 ? 100 * (double)cpuGiven(cpu, place->place) /
					    (double)cpu->elapsedNs
				  : NAN;
}

int ptCpuStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->beganNs = ptNow();
	/* What was before belongs to nothing. */
	for (size_t i = 0; i < state->cpuCount; i++)
		if (state->cpus[i].isOpen)
			ptResidencyForget(&state->cpus[i].residency);
	cpuStatesReadAll(state, dev);
	return 0;
}

int ptCpuRead(struct ptDevice *dev, union hdCell *cells,
	      struct ptReading *reading)
{
	struct state *state = dev->state;
	int64_t nowNs = ptNow();
	int64_t wallNs = hdClockNow();

	cpuStatesReadAll(state, dev);
	for (size_t i = 0; i < state->placeCount; i++) {
		double value = cpuStatesCellOf(state, dev, &state->places[i]);

		if (state->places[i].place == PT_CPU_CLOCK_PLACE)
			cells[i].d = value;
		else
			cells[i].f = (float)value;
	}
	*reading = (struct ptReading){
		.endNs = wallNs,
		.lengthNs = nowNs - state->beganNs,
	};
	state->beganNs = nowNs;
	return 0;
}

void ptCpuClose(struct ptDevice *dev)
{
	cpuStatesStateFree(dev->state);
	dev->state = NULL;
}
