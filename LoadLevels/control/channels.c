/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Channels of a load: workers, measurement, calibration; see channels.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "LoadLevels/control/channels.h"

/* A counter of the system counts if it sees so much of the own amount. */
#define CHANNEL_COUNTED 0.9

/* ---- Channels and workers ------------------------------------------------ */

static size_t levelWorkersOf(const struct hdLevelJob *job,
			     const struct hdLoadKind *kind)
{
	return kind->isPerCpu ? job->cpuCount : 1;
}

static int levelOpenWorker(struct levelRun *self, struct levelChannel *channel,
			   size_t cpu)
{
	const struct hdLevelJob *job = self->job;
	struct hdLoadWorker *worker = &self->workers[self->workerCount];
	int ret;

	*worker = (struct hdLoadWorker){
		.crew = &self->crew,
		.kind = channel->kind,
		.cpu = channel->kind->isPerCpu ? job->cpus[cpu] : -1,
		.trace = job->cpu && channel->kind == job->kinds[0] &&
					 channel->kind->scale == HD_LOAD_BUSY
				 ? job->cpu[cpu]
				 : NULL,
		.sharePhase = SIZE_MAX,
	};
	hdLoadArrivalsBegin(&worker->arrivals,
			    (enum hdLoadArrivalsKind)job->arrivals,
			    job->seed + self->workerCount);
	worker->operations =
		calloc(job->phases.count + 1, sizeof(*worker->operations));
	if (!worker->operations)
		return -ENOMEM;
	ret = channel->kind->open(&job->setup, &worker->state);
	if (ret < 0) {
		free((void *)worker->operations);
		return ret;
	}
	self->workerCount++;
	channel->workerCount++;
	return 0;
}

static int levelAddChannel(struct levelRun *self, const struct hdLoadKind *kind,
			   size_t firstCpu, size_t count)
{
	struct levelChannel *channel = &self->channels[self->channelCount++];
	int ret = 0;

	*channel = (struct levelChannel){
		.kind = kind,
		.workers = &self->workers[self->workerCount],
		.cpu = firstCpu,
		.maximum = self->job->rate,
	};
	/* The rate is that of all CPUs. */
	if (kind->scale == HD_LOAD_BUSY)
		channel->maximumOperations = self->job->rate * (double)count /
					     (double)self->job->cpuCount;
	for (size_t i = 0; i < count && ret == 0; i++)
		ret = levelOpenWorker(self, channel, firstCpu + i);
	if (ret == 0 && kind->scale == HD_LOAD_HELD)
		channel->maximum =
			(double)kind->operate(channel->workers->state);
	return ret;
}

static int levelAddKind(struct levelRun *self, const struct hdLoadKind *kind)
{
	int ret = 0;

	if (kind->scale != HD_LOAD_BUSY || self->job->isOfNode)
		return levelAddChannel(self, kind, 0,
				       levelWorkersOf(self->job, kind));
	for (size_t i = 0; i < self->job->cpuCount && ret == 0; i++)
		ret = levelAddChannel(self, kind, i, 1);
	return ret;
}

int hdLevelOpenWorkers(struct levelRun *self, const struct hdLoadKind **failed)
{
	const struct hdLevelJob *job = self->job;
	size_t count = 0;
	int ret = 0;

	for (size_t i = 0; i < job->kindCount; i++)
		count += levelWorkersOf(job, job->kinds[i]);
	self->workers = calloc(count + 1, sizeof(*self->workers));
	self->channels = calloc(count + 1, sizeof(*self->channels));
	if (!self->workers || !self->channels)
		return -ENOMEM;
	for (size_t i = 0; i < job->kindCount && ret == 0; i++) {
		*failed = job->kinds[i];
		ret = levelAddKind(self, job->kinds[i]);
	}
	if (ret == 0)
		*failed = NULL;
	return ret;
}

void hdLevelCloseWorkers(struct levelRun *self)
{
	for (size_t i = 0; i < self->workerCount; i++) {
		self->workers[i].kind->close(self->workers[i].state);
		free((void *)self->workers[i].operations);
	}
	free(self->workers);
	free(self->channels);
}

/* Each worker has its part of the maximum. */
void hdLevelTellMaximum(const struct levelChannel *channel)
{
	for (size_t i = 0; i < channel->workerCount; i++) {
		double count = (double)channel->workerCount;

		atomic_store(&channel->workers[i].maximum,
			     channel->maximum / count);
		atomic_store(&channel->workers[i].maximumOperations,
			     channel->maximumOperations / count);
	}
}

/* ---- Measurement --------------------------------------------------------- */

/* Own CPU time, or own amount, since the last time; of HD_LOAD_HELD: now. */
static double levelTakeOwn(struct levelChannel *channel)
{
	int64_t cpuNs = 0, amount = 0;
	double own;

	for (size_t i = 0; i < channel->workerCount; i++) {
		cpuNs += atomic_load(&channel->workers[i].cpuNs);
		amount += atomic_load(&channel->workers[i].amount);
	}
	if (channel->kind->scale == HD_LOAD_HELD)
		return (double)amount;
	own = channel->kind->scale == HD_LOAD_BUSY
		      ? (double)(cpuNs - channel->lastCpuNs) / 1e9
		      : (double)(amount - channel->lastAmount);
	channel->lastCpuNs = cpuNs;
	channel->lastAmount = amount;
	return own;
}

int64_t hdLevelOperations(const struct levelChannel *channel, size_t phase)
{
	int64_t sum = 0;

	for (size_t i = 0; i < channel->workerCount; i++)
		sum += atomic_load(&channel->workers[i].operations[phase]);
	return sum;
}

/* Means over the CPUs of a channel; NaN: one is unknown. */
static double levelOfCpus(const struct levelRun *self,
			  const struct levelChannel *channel,
			  double (*get)(const struct hdLoadMeter *, size_t))
{
	double sum = 0;

	for (size_t i = 0; i < channel->workerCount; i++)
		sum += get(self->meter, channel->cpu + i);
	return sum / (double)channel->workerCount;
}

/* Shares of all processes and of the own workers. */
static void levelShares(const struct levelRun *self,
			struct levelChannel *channel, double taken, double *all,
			double *own)
{
	double seconds = hdLoadMeterSeconds(self->meter);
	double counted = NAN;

	*own = NAN;
	switch (channel->kind->scale) {
	case HD_LOAD_BUSY:
		*own = taken / seconds / (double)channel->workerCount;
		counted = levelOfCpus(self, channel, hdLoadMeterBusy);
		break;
	case HD_LOAD_RATE:
		*own = channel->maximum > 0 ? taken / seconds / channel->maximum
					    : NAN;
		if (channel->isCounted)
			counted = hdLoadMeterRate(self->meter,
						  channel->kind->counter) /
				  channel->maximum;
		break;
	case HD_LOAD_HELD:
		*own = taken / channel->maximum;
		break;
	}
	*all = isnan(counted) ? *own : counted;
}

static void levelCalibrate(const struct levelRun *self,
			   struct levelChannel *channel, double taken)
{
	double seconds = hdLoadMeterSeconds(self->meter);

	channel->calibratedOwn += taken;
	channel->calibratedS += seconds;
	if (channel->kind->counter)
		channel->calibratedCounter +=
			seconds *
			hdLoadMeterRate(self->meter, channel->kind->counter);
}

void hdLevelTickChannel(struct levelRun *self, struct levelChannel *channel,
			size_t number, bool isCounted)
{
	const struct hdLevelPhase *phase = &self->job->phases.list[number];
	double seconds = hdLoadMeterSeconds(self->meter);
	double taken = levelTakeOwn(channel);
	double all, own, share, steal;

	levelShares(self, channel, taken, &all, &own);
	if (phase->isCalibration)
		levelCalibrate(self, channel, taken);
	if (isCounted) {
		steal = channel->kind->scale == HD_LOAD_BUSY
				? levelOfCpus(self, channel, hdLoadMeterSteal)
				: 0;
		channel->all += all * seconds;
		channel->own += own * seconds;
		channel->steal += isnan(steal) ? 0 : steal * seconds;
	}
	if (isnan(all))
		return;
	share = hdLoadControl(&channel->controller, phase->target, all, own,
			      seconds);
	for (size_t i = 0; i < channel->workerCount; i++) {
		atomic_store(&channel->workers[i].share, share);
		atomic_store(&channel->workers[i].sharePhase, number);
	}
}

/* ---- Calibrations -------------------------------------------------------- */

/* Whether the system counts what the workers do. */
static bool levelIsCounted(const struct levelChannel *channel)
{
	return channel->kind->counter && channel->calibratedOwn > 0 &&
	       channel->calibratedCounter >=
		       CHANNEL_COUNTED * channel->calibratedOwn;
}

/* The first one warms up, unless it is the only one. */
void hdLevelEndCalibration(struct levelRun *self, size_t number, double lengthS)
{
	self->calibrations++;
	for (size_t i = 0; i < self->channelCount; i++) {
		struct levelChannel *channel = &self->channels[i];
		double operations = (double)hdLevelOperations(channel, number);
		double count = (double)self->calibrations - 1;

		if (self->calibrations <= 2) {
			channel->maximumOperations = operations / lengthS;
		} else {
			channel->maximumOperations +=
				(operations / lengthS -
				 channel->maximumOperations) /
				count;
		}
		if (channel->kind->scale == HD_LOAD_RATE &&
		    channel->calibratedS > 0) {
			channel->isCounted = levelIsCounted(channel);
			channel->maximum =
				channel->calibratedOwn / channel->calibratedS;
		}
		/* The second one replaces the first. */
		if (self->calibrations == 1)
			channel->calibratedS = channel->calibratedOwn =
				channel->calibratedCounter = 0;
		hdLevelTellMaximum(channel);
	}
}
