/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load levels: phases, states and results; see core/levels.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "LoadLevels/control/channels.h"
#include "LoadLevels/control/judge.h"
#include "LoadLevels/control/limits.h"
#include "common/clock.h"
#include "common/thread.h"

/* Threads need that long to be there. */
#define LEVEL_AHEAD_NS INT64_C(20000000)
/* Interval of measurement and control. */
#define LEVEL_TICK_NS INT64_C(200000000)
/* Limits are checked so often. */
#define LEVEL_CHECK_NS HD_NS_PER_S
/* A tick within a phase; whether it belongs to the mean of the level. */
static void levelTick(struct levelRun *self, size_t number, bool isCounted)
{
	hdLoadMeterRead(self->meter);
	if (hdLoadMeterSeconds(self->meter) <= 0)
		return;
	for (size_t i = 0; i < self->channelCount; i++)
		hdLevelTickChannel(self, &self->channels[i], number, isCounted);
	if (isCounted)
		self->seconds += hdLoadMeterSeconds(self->meter);
}

/* What short levels owe is made up for in the next one, so that the mean of all
 * is right. */
static void levelClearMean(struct levelRun *self, bool isJudged)
{
	self->seconds = 0;
	for (size_t i = 0; i < self->channelCount; i++) {
		struct levelChannel *channel = &self->channels[i];

		channel->all = channel->own = channel->steal = 0;
		if (isJudged)
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
		result.operations += hdLevelOperations(channel, number);
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
		hdLevelJudgeRate(&result, maximum);
	else
		hdLevelJudgeShare(&result);
	if (!result.isReached)
		hdLevelFindReason(self->job, self->throttled, &result);
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
	bool isJudged = phase->endNs - phase->startNs >= HD_LEVEL_JUDGED_NS;
	int64_t settled = isJudged ? self->crew.startNs + phase->startNs +
					     HD_LEVEL_SETTLE_NS
				   : start;
	int ret = 0;

	levelClearMean(self, isJudged);
	levelBeginStates(self, phase);
	while (now < end && ret == 0 && self->end == HD_LEVEL_COMPLETE) {
		bool isCounted = now >= settled;

		if (!levelSleep(levelNextTick(self, phase, now)))
			self->end = HD_LEVEL_INTERRUPTED;
		levelTick(self, number, isCounted);
		now = hdMonotonicNow();
		if (!isCounted && now >= settled)
			levelClearMean(self, isJudged);
		levelCheckLimits(self, now);
		if (self->job->progress)
			self->job->progress(self->job->context,
					    now - self->crew.startNs);
		ret = levelErrorOf(self, failed);
	}
	if (phase->isCalibration)
		hdLevelEndCalibration(self, number,
				      (double)(now - start) / 1e9);
	levelFinish(self, number, start);
	return ret;
}

static int levelStartThreads(struct levelRun *self, size_t *started)
{
	int ret = 0;

	for (size_t i = 0; i < self->channelCount; i++)
		hdLevelTellMaximum(&self->channels[i]);
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
	ret = hdLevelOpenWorkers(&self, failed);
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
	hdLevelCloseWorkers(&self);
	hdLoadMeterClose(self.meter);
	pthread_cond_destroy(&self.crew.changed);
	pthread_mutex_destroy(&self.crew.lock);
	return ret;
}
