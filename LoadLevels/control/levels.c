/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load levels: workers, measurement, controller, results; see core/levels.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "LoadLevels/control/controller.h"
#include "LoadLevels/control/limits.h"
#include "LoadLevels/control/meter.h"
#include "LoadLevels/control/worker.h"
#include "common/clock.h"
#include "common/thread.h"

/* Threads need that long to be there. */
#define LEVEL_AHEAD_NS INT64_C(20000000)
/* Interval of measurement and control. */
#define LEVEL_TICK_NS INT64_C(200000000)
/* Limits are checked so often. */
#define LEVEL_CHECK_NS HD_NS_PER_S
/* A counter of the system counts if it sees so much of the own amount. */
#define LEVEL_COUNTED 0.9
/* Tolerance of rates of operations that arrive, in points, as of SPEC. */
#define LEVEL_ARRIVALS_TOLERANCE 2.0
#define LEVEL_ARRIVALS_TOLERANCE_FULL 2.5

/* What is controlled together: a CPU, or all workers of a component. */
struct levelChannel {
	const struct hdLoadKind *kind;
	struct hdLoadWorker *workers;
	size_t workerCount;
	size_t cpu; /* Index, of HD_LOAD_BUSY. */
	struct hdLoadController controller;
	double maximum; /* Amount per second, or held, at 100 %. */
	double maximumOperations;
	bool isCounted; /* By the counter of the system. */
	/* Of the last tick. */
	int64_t lastCpuNs;
	int64_t lastAmount;
	/* Sums over the mean of the level, in s. */
	double all;
	double own;
	double steal;
	/* Of calibrations but the first. */
	double calibratedS;
	double calibratedOwn;
	double calibratedCounter;
	double calibratedOperations;
};

struct levelRun {
	const struct hdLevelJob *job;
	struct hdLoadCrew crew;
	struct hdLoadMeter *meter;
	struct hdLoadWorker *workers;
	size_t workerCount;
	struct levelChannel *channels;
	size_t channelCount;
	double seconds; /* Of the mean of the level. */
	size_t calibrations;
	int64_t lastNs;
	int64_t checkedNs;
	int64_t throttled;
	enum hdLevelEnd end;
};

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
	/* Each CPU is a channel. */
	if (kind->scale == HD_LOAD_BUSY)
		channel->maximumOperations =
			self->job->rate / (double)self->job->cpuCount;
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

	if (kind->scale != HD_LOAD_BUSY)
		return levelAddChannel(self, kind, 0,
				       levelWorkersOf(self->job, kind));
	for (size_t i = 0; i < self->job->cpuCount && ret == 0; i++)
		ret = levelAddChannel(self, kind, i, 1);
	return ret;
}

static int levelOpenWorkers(struct levelRun *self,
			    const struct hdLoadKind **failed)
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

static void levelCloseWorkers(struct levelRun *self)
{
	for (size_t i = 0; i < self->workerCount; i++) {
		self->workers[i].kind->close(self->workers[i].state);
		free((void *)self->workers[i].operations);
	}
	free(self->workers);
	free(self->channels);
}

/* Each worker has its part of the maximum. */
static void levelTellMaximum(const struct levelChannel *channel)
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

static int64_t levelOperations(const struct levelChannel *channel, size_t phase)
{
	int64_t sum = 0;

	for (size_t i = 0; i < channel->workerCount; i++)
		sum += atomic_load(&channel->workers[i].operations[phase]);
	return sum;
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
		*own = taken / seconds;
		counted = hdLoadMeterBusy(self->meter, channel->cpu);
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

static void levelTickChannel(struct levelRun *self,
			     struct levelChannel *channel, size_t number,
			     bool isCounted)
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
				? hdLoadMeterSteal(self->meter, channel->cpu)
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

/* A tick within a phase; whether it belongs to the mean of the level. */
static void levelTick(struct levelRun *self, size_t number, bool isCounted)
{
	hdLoadMeterRead(self->meter);
	if (hdLoadMeterSeconds(self->meter) <= 0)
		return;
	for (size_t i = 0; i < self->channelCount; i++)
		levelTickChannel(self, &self->channels[i], number, isCounted);
	if (isCounted)
		self->seconds += hdLoadMeterSeconds(self->meter);
}

static void levelClearMean(struct levelRun *self)
{
	self->seconds = 0;
	for (size_t i = 0; i < self->channelCount; i++) {
		struct levelChannel *channel = &self->channels[i];

		channel->all = channel->own = channel->steal = 0;
		hdLoadControllerReset(&channel->controller);
	}
}

/* ---- States -------------------------------------------------------------- */

static void levelBeginStates(const struct levelRun *self,
			     const struct hdLevelPhase *phase)
{
	for (size_t i = 0; i < self->job->kindCount && self->job->host; i++) {
		if (!phase->isPause)
			hdT_logStateStart(self->job->host, "Level");
	}
}

static void levelEndState(const struct levelRun *self,
			  const struct hdLevelResult *result)
{
	hdTrace *trace = self->job->host;
	char target[32], reached[32], own[32];

	if (!trace || result->phase->isPause)
		return;
	snprintf(target, sizeof(target), "%.10g", 100 * result->phase->target);
	snprintf(reached, sizeof(reached), "%.4f", 100 * result->reached);
	snprintf(own, sizeof(own), "%.4f", 100 * result->own);
	hdT_logAttributeString(trace, "component", result->kind->name);
	hdT_logAttributeString(trace, "target", target);
	if (!isnan(result->reached))
		hdT_logAttributeString(trace, "reached", reached);
	if (!isnan(result->own))
		hdT_logAttributeString(trace, "own", own);
	hdT_logAttributeInt64(trace, "operations", result->operations);
	if (result->phase->isCalibration)
		hdT_logAttributeInt64(trace, "calibration", 1);
	if (result->steal > HD_LEVEL_STEAL)
		hdT_logAttributeInt64(trace, "disturbed", 1);
	hdT_logStateEnd(trace);
}

/* ---- Results ------------------------------------------------------------- */

static void levelJudgeShare(struct hdLevelResult *result)
{
	double tolerance = result->kind->tolerance / 100;
	double target = result->phase->target;
	double least = target - tolerance;
	double most = target >= 1 ? INFINITY : target + tolerance;

	result->isReached =
		!(result->reached < least) && !(result->reached > most);
}

static void levelJudgeRate(struct hdLevelResult *result, double maximum)
{
	double target = result->phase->target;
	double error = 100 * (result->rate / maximum - target);
	double below = target > 0.85 ? LEVEL_ARRIVALS_TOLERANCE_FULL
				     : LEVEL_ARRIVALS_TOLERANCE;

	result->isReached =
		error <= LEVEL_ARRIVALS_TOLERANCE && error >= -below;
}

static void levelFindReason(const struct levelRun *self,
			    struct hdLevelResult *result)
{
	double tolerance = result->kind->tolerance / 100;

	result->quota = hdLoadQuota(self->job->root);
	if (result->quota < result->phase->target * (double)self->job->cpuCount)
		result->reason = "CPU quota of the control group";
	else if (result->reached - result->own > tolerance)
		result->reason = "other processes use the component";
	else if (hdLoadThrottled(self->job->root) > self->throttled)
		result->reason = "CPUs throttled by heat";
	else if (result->steal > HD_LEVEL_STEAL)
		result->reason = "the hypervisor took CPU time";
	else
		result->reason = "";
}

/* Means over the channels of a component. */
static struct hdLevelResult levelResultOf(const struct levelRun *self,
					  const struct hdLoadKind *kind,
					  size_t number, double lengthS)
{
	const struct hdLevelPhase *phase = &self->job->phases.list[number];
	struct hdLevelResult result = { .kind = kind,
					.phase = phase,
					.reason = "" };
	double maximum = 0, count = 0;

	for (size_t i = 0; i < self->channelCount; i++) {
		const struct levelChannel *channel = &self->channels[i];

		if (channel->kind != kind)
			continue;
		count++;
		result.reached += channel->all / self->seconds;
		result.own += channel->own / self->seconds;
		result.steal += channel->steal / self->seconds;
		result.operations += levelOperations(channel, number);
		maximum += channel->maximumOperations;
	}
	result.reached /= count;
	result.own /= count;
	result.steal /= count;
	result.rate = (double)result.operations / lengthS;
	result.isReached = true;
	result.isJudged = !phase->isPause && !phase->isCalibration &&
			  phase->endNs - phase->startNs >= HD_LEVEL_JUDGED_NS &&
			  self->end == HD_LEVEL_COMPLETE &&
			  !isnan(result.reached);
	if (!result.isJudged)
		return result;
	if (self->job->arrivals != HD_LOAD_ARRIVALS_NONE && maximum > 0)
		levelJudgeRate(&result, maximum);
	else
		levelJudgeShare(&result);
	if (!result.isReached)
		levelFindReason(self, &result);
	return result;
}

static void levelFinish(struct levelRun *self, size_t number, int64_t startNs)
{
	double lengthS = (double)(hdMonotonicNow() - startNs) / 1e9;

	/* Nested states end in reverse order. */
	for (size_t i = self->job->kindCount; i > 0; i--) {
		struct hdLevelResult result = levelResultOf(
			self, self->job->kinds[i - 1], number, lengthS);

		levelEndState(self, &result);
		if (self->job->done && !result.phase->isPause)
			self->job->done(self->job->context, &result);
	}
}

/* ---- Calibrations -------------------------------------------------------- */

/* Whether the system counts what the workers do. */
static bool levelIsCounted(const struct levelChannel *channel)
{
	return channel->kind->counter && channel->calibratedOwn > 0 &&
	       channel->calibratedCounter >=
		       LEVEL_COUNTED * channel->calibratedOwn;
}

/* The first one warms up, unless it is the only one. */
static void levelEndCalibration(struct levelRun *self, size_t number,
				double lengthS)
{
	self->calibrations++;
	for (size_t i = 0; i < self->channelCount; i++) {
		struct levelChannel *channel = &self->channels[i];
		double operations = (double)levelOperations(channel, number);
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
		levelTellMaximum(channel);
	}
}

/* ---- The run ------------------------------------------------------------- */

/* Sleep until a time; false: a signal came. */
static bool levelSleep(int64_t untilNs)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	int64_t left = untilNs - hdMonotonicNow();
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&set, signals[i]);
	while (left > 0) {
		struct timespec wait = hdClockToTimespec(left);

		if (sigtimedwait(&set, NULL, &wait) > 0)
			return false;
		left = untilNs - hdMonotonicNow();
	}
	return true;
}

static void levelCheckLimits(struct levelRun *self, int64_t now)
{
	const struct hdLevelJob *job = self->job;

	if (now - self->checkedNs < LEVEL_CHECK_NS)
		return;
	self->checkedNs = now;
	if (job->maxTemperature > 0 &&
	    hdLoadTemperature(job->root) > job->maxTemperature)
		self->end = HD_LEVEL_TOO_HOT;
	if (job->minFree > 0 &&
	    (hdLoadFreeMemory(job->root) < job->minFree ||
	     hdLoadFreeSpace(job->setup.directory) < job->minFree))
		self->end = HD_LEVEL_NO_SPACE;
}

static int levelErrorOf(const struct levelRun *self,
			const struct hdLoadKind **failed)
{
	for (size_t i = 0; i < self->workerCount; i++) {
		int error = atomic_load(&self->workers[i].error);

		if (error < 0) {
			*failed = self->workers[i].kind;
			return error;
		}
	}
	return 0;
}

/* The next tick: at most so long, and not beyond a border. */
static int64_t levelNextTick(const struct levelRun *self,
			     const struct hdLevelPhase *phase, int64_t now)
{
	int64_t end = self->crew.startNs + phase->endNs;
	int64_t settled =
		self->crew.startNs + phase->startNs + HD_LEVEL_SETTLE_NS;
	int64_t next = now + LEVEL_TICK_NS;

	if (settled > now && settled < next)
		next = settled;
	/* No tick just before the end. */
	return next > end - LEVEL_TICK_NS / 4 ? end : next;
}

static int levelRunPhase(struct levelRun *self, size_t number,
			 const struct hdLoadKind **failed)
{
	const struct hdLevelPhase *phase = &self->job->phases.list[number];
	int64_t start = hdMonotonicNow(), now = start;
	int64_t end = self->crew.startNs + phase->endNs;
	int64_t settled = phase->endNs - phase->startNs >= HD_LEVEL_JUDGED_NS
				  ? self->crew.startNs + phase->startNs +
					    HD_LEVEL_SETTLE_NS
				  : start;
	int ret = 0;

	levelClearMean(self);
	levelBeginStates(self, phase);
	while (now < end && ret == 0 && self->end == HD_LEVEL_COMPLETE) {
		bool isCounted = now >= settled;

		if (!levelSleep(levelNextTick(self, phase, now)))
			self->end = HD_LEVEL_INTERRUPTED;
		levelTick(self, number, isCounted);
		now = hdMonotonicNow();
		if (!isCounted && now >= settled)
			levelClearMean(self);
		levelCheckLimits(self, now);
		if (self->job->progress)
			self->job->progress(self->job->context,
					    now - self->crew.startNs);
		ret = levelErrorOf(self, failed);
	}
	if (phase->isCalibration)
		levelEndCalibration(self, number, (double)(now - start) / 1e9);
	levelFinish(self, number, start);
	return ret;
}

static int levelStartThreads(struct levelRun *self, size_t *started)
{
	int ret = 0;

	for (size_t i = 0; i < self->channelCount; i++)
		levelTellMaximum(&self->channels[i]);
	self->crew.startNs = hdMonotonicNow() + LEVEL_AHEAD_NS;
	for (*started = 0; *started < self->workerCount && ret == 0;) {
		struct hdLoadWorker *worker = &self->workers[*started];

		ret = hdThreadStart(&worker->thread, hdLoadWorkerRun, worker);
		if (ret == 0)
			++*started;
	}
	return ret;
}

static void levelStopThreads(struct levelRun *self, size_t started,
			     bool isComplete)
{
	if (!isComplete) {
		pthread_mutex_lock(&self->crew.lock);
		atomic_store(&self->crew.isStopped, true);
		pthread_cond_broadcast(&self->crew.changed);
		pthread_mutex_unlock(&self->crew.lock);
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(self->workers[i].thread, NULL);
}

static int levelRunThreads(struct levelRun *self,
			   const struct hdLoadKind **failed)
{
	size_t started;
	int ret = levelStartThreads(self, &started);

	if (ret == 0) {
		if (!levelSleep(self->crew.startNs))
			self->end = HD_LEVEL_INTERRUPTED;
		hdLoadMeterRead(self->meter);
	}
	for (size_t i = 0; i < self->job->phases.count && ret == 0 &&
			   self->end == HD_LEVEL_COMPLETE;
	     i++)
		ret = levelRunPhase(self, i, failed);
	levelStopThreads(self, started,
			 ret == 0 && self->end == HD_LEVEL_COMPLETE);
	if (ret == 0)
		ret = levelErrorOf(self, failed);
	return ret;
}

static int levelInitCrew(struct hdLoadCrew *crew, const struct hdLevelJob *job)
{
	pthread_condattr_t attributes;
	int error = pthread_mutex_init(&crew->lock, NULL);

	crew->job = job;
	if (error)
		return -error;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	error = pthread_cond_init(&crew->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (error)
		pthread_mutex_destroy(&crew->lock);
	return -error;
}

int hdLevelRun(const struct hdLevelJob *job, enum hdLevelEnd *end,
	       const struct hdLoadKind **failed)
{
	struct levelRun self = { .job = job };
	int ret = levelInitCrew(&self.crew, job);

	*failed = NULL;
	*end = HD_LEVEL_COMPLETE;
	if (ret < 0)
		return ret;
	ret = levelOpenWorkers(&self, failed);
	if (ret == 0)
		ret = hdLoadMeterOpen(job->root, job->cpus, job->cpuCount,
				      &self.meter);
	self.throttled = hdLoadThrottled(job->root);
	if (ret == 0)
		ret = levelRunThreads(&self, failed);
	*end = self.end == HD_LEVEL_COMPLETE &&
			       atomic_load(&self.crew.isEdgeLost)
		       ? HD_LEVEL_EDGE_LOST
		       : self.end;
	levelCloseWorkers(&self);
	hdLoadMeterClose(self.meter);
	pthread_cond_destroy(&self.crew.changed);
	pthread_mutex_destroy(&self.crew.lock);
	return ret;
}
