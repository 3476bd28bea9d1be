/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers of loads; see worker.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "LoadLevels/control/worker.h"
#include "LoadLevels/core/load.h"
#include "common/clock.h"

/* Amounts that were not done in time are made up for, up to this time. */
#define WORKER_DEBT_S 0.25
/* Operations that wait longer are counted as arrived later. */
#define WORKER_BACKLOG_NS 1e9

static int64_t workerCpuNow(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return hdClockToNs(&now);
}

static bool workerIsStopped(const struct hdLoadWorker *self)
{
	return atomic_load_explicit(&self->crew->isStopped,
				    memory_order_relaxed) ||
	       atomic_load_explicit(&self->error, memory_order_relaxed) < 0;
}

static void workerRest(struct hdLoadWorker *self, int64_t untilNs)
{
	struct hdLoadCrew *crew = self->crew;
	struct timespec until = hdClockToTimespec(untilNs);
	int ret = 0;

	atomic_store_explicit(&self->cpuNs, workerCpuNow(),
			      memory_order_relaxed);
	pthread_mutex_lock(&crew->lock);
	while (!atomic_load(&crew->isStopped) && ret == 0)
		ret = pthread_cond_timedwait(&crew->changed, &crew->lock,
					     &until);
	pthread_mutex_unlock(&crew->lock);
}

/* Do one operation; its amount. */
static int64_t workerOperate(struct hdLoadWorker *self, size_t phase)
{
	int64_t amount = self->kind->operate(self->state);

	if (amount < 0) {
		atomic_store(&self->error, (int)amount);
		return 0;
	}
	atomic_fetch_add_explicit(&self->amount, amount, memory_order_relaxed);
	atomic_fetch_add_explicit(&self->operations[phase], 1,
				  memory_order_relaxed);
	return amount;
}

/* ---- A period, by what is measured --------------------------------------- */

/* Be busy for a share of the period. @return CPU time that was too much. */
static int64_t workerBeBusy(struct hdLoadWorker *self, size_t phase,
			    double share, int64_t debt, int64_t endNs,
			    int64_t lengthNs)
{
	int64_t begin = workerCpuNow(), used = 0;
	int64_t budget = (int64_t)(share * (double)lengthNs) - debt;

	while (!workerIsStopped(self) && hdMonotonicNow() < endNs &&
	       (share >= 1 || used < budget)) {
		workerOperate(self, phase);
		used = workerCpuNow() - begin;
	}
	atomic_store_explicit(&self->cpuNs, begin + used, memory_order_relaxed);
	/* What could not be done is left to the controller. */
	return used > budget && share < 1 ? used - budget : 0;
}

/* Do so much per second. @return Amount that was too much, or is owed. */
static double workerKeepRate(struct hdLoadWorker *self, size_t phase,
			     double share, double credit, int64_t endNs,
			     int64_t lengthNs)
{
	double rate = share * atomic_load(&self->maximum);
	/* 100 % of what calibrations measured is as much as is possible. */
	bool isAll = share >= 1 && !(self->crew->job->rate > 0);

	credit += rate * (double)lengthNs / 1e9;
	while (!workerIsStopped(self) && hdMonotonicNow() < endNs &&
	       (isAll || credit > 0))
		credit -= (double)workerOperate(self, phase);
	return isAll ? 0 : fmin(credit, rate * WORKER_DEBT_S);
}

static void workerHold(struct hdLoadWorker *self, size_t phase, double target,
		       int64_t endNs)
{
	int64_t before = -1, held = 0;

	while (!workerIsStopped(self) && hdMonotonicNow() < endNs &&
	       held != before) {
		before = held;
		held = self->kind->hold(self->state, target);
		if (held < 0)
			atomic_store(&self->error, (int)held);
		else if (held != atomic_exchange(&self->amount, held))
			atomic_fetch_add(&self->operations[phase], 1);
	}
}

/* Serve operations that arrive; sleep until the next one. */
static void workerServe(struct hdLoadWorker *self, size_t phase, int64_t endNs)
{
	struct hdLoadArrivals *arrivals = &self->arrivals;

	while (!workerIsStopped(self)) {
		int64_t now = hdMonotonicNow();

		if (now >= endNs)
			break;
		if (arrivals->nextNs > (double)now) {
			workerRest(self, arrivals->nextNs < (double)endNs
						 ? (int64_t)arrivals->nextNs
						 : endNs);
			continue;
		}
		if (arrivals->nextNs < (double)now - WORKER_BACKLOG_NS)
			arrivals->nextNs = (double)now - WORKER_BACKLOG_NS;
		workerOperate(self, phase);
		hdLoadArrivalsTake(arrivals);
		atomic_store_explicit(&self->cpuNs, workerCpuNow(),
				      memory_order_relaxed);
	}
}

/* ---- Phases -------------------------------------------------------------- */

static void workerTellEdge(struct hdLoadWorker *self, double target)
{
	int fd = self->crew->job->edgesFd;

	if (fd > 0 && self->kind->scale == HD_LOAD_BUSY &&
	    dprintf(fd, "%" PRId64 " %d %.3f\n", hdMonotonicNow(), self->cpu,
		    target) < 0)
		atomic_store(&self->crew->isEdgeLost, true);
	self->told = target;
}

static void workerBeginPhase(struct hdLoadWorker *self,
			     const struct hdLevelPhase *phase)
{
	double rate = phase->target * atomic_load(&self->maximumOperations);

	workerTellEdge(self, phase->target);
	hdLoadArrivalsSetRate(&self->arrivals, rate, hdMonotonicNow());
	if (!self->trace)
		return;
	hdT_logStateStart(self->trace, phase->target > 0 ? "Load" : "Idle");
	if (phase->target > 0)
		hdT_logAttributeDouble(self->trace, "load", phase->target);
}

static double workerGetShare(const struct hdLoadWorker *self, size_t number)
{
	const struct hdLevelPhase *phase =
		&self->crew->job->phases.list[number];

	if (phase->isCalibration || phase->target >= 1)
		return 1;
	if (phase->target <= 0)
		return 0;
	return atomic_load(&self->sharePhase) == number
		       ? atomic_load(&self->share)
		       : phase->target;
}

/* Short periods, so that a load is even; without any load there is none: a
 * worker that wakes up 200 times per second takes up to 1 % of a CPU. */
static int64_t workerPeriod(const struct hdLoadWorker *self,
			    const struct hdLevelPhase *phase)
{
	return phase->target > 0 || self->kind->scale == HD_LOAD_HELD
		       ? HD_LOAD_PERIOD_NS
		       : phase->endNs - phase->startNs;
}

static void workerRunPhase(struct hdLoadWorker *self, size_t number)
{
	const struct hdLevelPhase *phase =
		&self->crew->job->phases.list[number];
	int64_t end = self->crew->startNs + phase->endNs;
	int64_t at = self->crew->startNs + phase->startNs;
	int64_t debt = 0;
	double credit = 0;

	workerBeginPhase(self, phase);
	while (at < end && !workerIsStopped(self)) {
		int64_t next = at + workerPeriod(self, phase);
		double share = workerGetShare(self, number);

		next = next < end ? next : end;
		if (self->kind->scale == HD_LOAD_HELD)
			workerHold(self, number, phase->target, next);
		else if (self->arrivals.kind != HD_LOAD_ARRIVALS_NONE &&
			 !phase->isCalibration)
			workerServe(self, number, next);
		else if (self->kind->scale == HD_LOAD_BUSY)
			debt = workerBeBusy(self, number, share, debt, next,
					    next - at);
		else
			credit = workerKeepRate(self, number, share, credit,
						next, next - at);
		if (hdMonotonicNow() < next)
			workerRest(self, next);
		at = next;
	}
	if (self->trace)
		hdT_logStateEnd(self->trace);
}

void *hdLoadWorkerRun(void *context)
{
	struct hdLoadWorker *self = context;
	const struct hdLevelPhases *phases = &self->crew->job->phases;
	int ret = self->cpu >= 0 ? hdLoadPin(self->cpu) : 0;

	if (ret < 0)
		atomic_store(&self->error, ret);
	workerRest(self, self->crew->startNs);
	for (size_t i = 0; i < phases->count && !workerIsStopped(self); i++)
		workerRunPhase(self, i);
	if (self->told > 0)
		workerTellEdge(self, 0);
	return NULL;
}
