/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that looks at processes and probes; see watch.h. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "NodeStatus/local/node.h"
#include "NodeStatus/local/probes.h"
#include "NodeStatus/local/watch.h"
#include "common/thread.h"

/* Seconds between looks at processes, at least and at most; and what part of a
 * CPU they may take: where there are many, they are looked at less often. */
#define WATCH_S 10.0
#define WATCH_MAX_S 60.0
#define WATCH_PART 0.0003

/* Somebody who wants probes. */
struct ask {
	struct ask *next;
	bool isReset;
	hdNodeProbesDone *done;
	void *context;
};

struct nodeWatch {
	struct hdNodeLocal *local;
	struct nodeProbes probes; /* Of the thread alone. */
	pthread_t thread;
	pthread_mutex_t mutex; /* For all below. */
	pthread_cond_t changed;
	bool isDue, isEnding;
	struct ask *asks, **lastAsk;
};

/* ---- Processes --------------------------------------------------------- */

static double watchCpuS(void)
{
	struct timespec is = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &is);
	return (double)is.tv_sec + (double)is.tv_nsec / 1e9;
}

/* Take what the samples since the last look have added up. */
static void watchTakeBusy(struct hdNodeLocal *local, double *seconds,
			  double *busyS)
{
	pthread_mutex_lock(&local->mutex);
	*seconds = local->sinceProcessesS;
	*busyS = local->busyS;
	local->sinceProcessesS = local->busyS = 0;
	pthread_mutex_unlock(&local->mutex);
}

static void watchForeign(struct hdNodeLocal *local, double seconds,
			 double foreignS, size_t count)
{
	pthread_mutex_lock(&local->mutex);
	/* Links may have changed, too. */
	g_hash_table_remove_all(local->links);
	local->ourCount = count;
	local->foreignOfS = seconds;
	local->foreignCpus = local->hasLooked && seconds > 0
				     ? MAX(foreignS, 0) / seconds
				     : NAN;
	local->hasLooked = true;
	pthread_mutex_unlock(&local->mutex);
}

/* Look at the probes of those that have some. */
static void watchMissed(struct nodeWatch *watch, double seconds)
{
	struct hdNodeLocal *local = watch->local;
	pid_t *list;
	size_t count = nodeProcessesProbes(local->processes, &list);
	double missed = nodeProbesMissed(&watch->probes, list, count);

	pthread_mutex_lock(&local->mutex);
	free(local->probed);
	local->probed = list;
	local->probedCount = count;
	local->missedPerS = count == 0 ? 0 : missed / seconds;
	pthread_mutex_unlock(&local->mutex);
}

static void watchProcesses(struct nodeWatch *watch)
{
	struct hdNodeLocal *local = watch->local;
	double cpuS = watchCpuS(), seconds, busyS, ours, nextS;
	size_t count;

	watchTakeBusy(local, &seconds, &busyS);
	if (!nodeProcessesLook(local->processes, &ours, &count))
		return;
	nextS = fmin(fmax((watchCpuS() - cpuS) / WATCH_PART, WATCH_S),
		     WATCH_MAX_S);
	pthread_mutex_lock(&local->mutex);
	local->processesS = nextS;
	pthread_mutex_unlock(&local->mutex);
	watchForeign(local, seconds, busyS - ours, count);
	watchMissed(watch, seconds);
}

/* ---- Probes for others ------------------------------------------------- */

static json_t *watchRead(struct nodeWatch *watch, bool isReset)
{
	struct hdNodeLocal *local = watch->local;
	json_t *result;
	pid_t *list;
	size_t count;

	pthread_mutex_lock(&local->mutex);
	count = local->probedCount;
	list = g_memdup2(local->probed, count * sizeof(*list));
	pthread_mutex_unlock(&local->mutex);
	result = nodeProbesRead(&watch->probes, list, count, isReset);
	g_free(list);
	return result;
}

/* Answer all that were asking: one reading for all but those that reset. Nobody
 * changes it, and references are given back in this thread. */
static void watchAnswer(struct nodeWatch *watch, struct ask *asks)
{
	json_t *shared = NULL;

	while (asks) {
		struct ask *ask = asks;

		asks = ask->next;
		if (ask->isReset) {
			ask->done(ask->context, watchRead(watch, true));
		} else {
			if (!shared)
				shared = watchRead(watch, false);
			ask->done(ask->context, json_incref(shared));
		}
		free(ask);
	}
	json_decref(shared);
}

/* ---- The thread -------------------------------------------------------- */

/* Wait until there is something to do. */
static bool watchNext(struct nodeWatch *watch, bool *isDue, struct ask **asks)
{
	bool isEnding;

	pthread_mutex_lock(&watch->mutex);
	while (!watch->isDue && !watch->asks && !watch->isEnding)
		pthread_cond_wait(&watch->changed, &watch->mutex);
	*isDue = watch->isDue && !watch->isEnding;
	*asks = watch->asks;
	watch->asks = NULL;
	watch->lastAsk = &watch->asks;
	isEnding = watch->isEnding && !*asks;
	pthread_mutex_unlock(&watch->mutex);
	return !isEnding;
}

static void watchLooked(struct nodeWatch *watch)
{
	pthread_mutex_lock(&watch->mutex);
	watch->isDue = false;
	pthread_mutex_unlock(&watch->mutex);
}

static void *watchRun(void *context)
{
	struct nodeWatch *watch = context;
	struct ask *asks;
	bool isDue;

	while (watchNext(watch, &isDue, &asks)) {
		watchAnswer(watch, asks);
		if (!isDue)
			continue;
		watchProcesses(watch);
		watchLooked(watch);
	}
	return NULL;
}

static void watchFree(struct nodeWatch *watch)
{
	pthread_mutex_destroy(&watch->mutex);
	pthread_cond_destroy(&watch->changed);
	nodeProbesClear(&watch->probes);
	free(watch);
}

int nodeWatchStart(struct hdNodeLocal *local, struct nodeWatch **result)
{
	struct nodeWatch *watch = calloc(1, sizeof(*watch));
	int ret;

	if (!watch)
		return -ENOMEM;
	watch->local = local;
	watch->lastAsk = &watch->asks;
	pthread_mutex_init(&watch->mutex, NULL);
	pthread_cond_init(&watch->changed, NULL);
	ret = hdThreadStart(&watch->thread, watchRun, watch);
	if (ret < 0)
		watchFree(watch);
	else
		*result = watch;
	return ret;
}

void nodeWatchLook(struct nodeWatch *watch)
{
	pthread_mutex_lock(&watch->mutex);
	watch->isDue = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->mutex);
}

void nodeWatchAsk(struct nodeWatch *watch, bool isReset, hdNodeProbesDone *done,
		  void *context)
{
	struct ask *ask = calloc(1, sizeof(*ask));

	if (!ask) {
		done(context, NULL);
		return;
	}
	*ask = (struct ask){ NULL, isReset, done, context };
	pthread_mutex_lock(&watch->mutex);
	*watch->lastAsk = ask;
	watch->lastAsk = &ask->next;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->mutex);
}

void nodeWatchStop(struct nodeWatch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->mutex);
	watch->isEnding = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->mutex);
	pthread_join(watch->thread, NULL);
	watchFree(watch);
}
