/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gauges: groups that are written when a number changes.
 *
 * The time of a change is taken with the lock held that protects the number, so
 * the entries have the order of the changes.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hdStats.h>
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/stats.h"
#include "common/clock.h"
#include "common/format/entry.h"
#include "common/thread.h"

/* Pending, two of its extremes, and Bytes, of eight bytes each. */
#define ENTRY_MAX 32

/* How often, and how long, a thread waits for a lock that may be its own. */
#define PAUSES 1000
#define PAUSE_NS 1000000

struct _hdS_gauge {
	pthread_mutex_t lock;
	hdStatsGroup *group;
	struct hdOutfile *file; /* Of the group. */
	int64_t interval;
	bool isEnabled;
	int64_t value;
	uint64_t negatives;
	/* Of the interval at hand, which began at `begin`. */
	int64_t begin;
	int64_t time; /* Up to here it has been summed up. */
	int64_t min, max;
	int64_t bytes;
	long double sum; /* Of number times nanoseconds. */
};

/* How many locks of gauges this thread has, or waits for. */
static __thread volatile int inside;

/*
 * Take a lock that may be this thread's own. If so pthread_mutex_timedlock()
 * says it at once, but for the moment between taking a lock and noting whose it
 * is: for that, and not for another thread's writing, there is the limit.
 */
static bool gaugeTakeInside(hdS_gauge *gauge)
{
	const struct timespec past = { 0, 0 }, pause = { 0, PAUSE_NS };
	int saved = errno, error = 0, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	for (int i = 0; i < PAUSES; i++) {
		error = pthread_mutex_timedlock(&gauge->lock, &past);
		if (error != ETIMEDOUT)
			break;
		nanosleep(&pause, NULL);
	}
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return error == 0;
}

/*
 * To block signals takes two system calls, more time than all that is done with
 * the lock at a change; so a handler may interrupt that. If it calls exit(),
 * what runs then is inside to the end, and may come to the gauge whose lock its
 * own thread has and never gives back: then it goes on without. Whether it has
 * it.
 */
static bool gaugeTake(hdS_gauge *gauge, volatile int *own)
{
	if (__builtin_expect((*own)++ > 0, 0))
		return gaugeTakeInside(gauge);
	pthread_mutex_lock(&gauge->lock);
	return true;
}

static void gaugeGive(hdS_gauge *gauge, bool isTaken, volatile int *own)
{
	if (__builtin_expect(isTaken, 1))
		pthread_mutex_unlock(&gauge->lock);
	(*own)--;
}

/* A lock that knows whose it is. */
static void gaugeInitLock(hdS_gauge *gauge)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&gauge->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

/* How a gauge is held for what is done seldom. */
struct gaugeGuard {
	struct hdOutfileGuard guard;
	bool isTaken;
};

static void gaugeLock(hdS_gauge *gauge, struct gaugeGuard *guard)
{
	hdOutfileGuardEnter(&guard->guard);
	guard->isTaken = gaugeTake(gauge, &inside);
}

/* What a caller gets is -1 with errno, also where the lock was held. */
static int gaugeUnlock(hdS_gauge *gauge, const struct gaugeGuard *guard,
		       int ret)
{
	hdOutfileTakeSignal(gauge->file, &guard->guard);
	gaugeGive(gauge, guard->isTaken, &inside);
	hdOutfileGuardLeave(&guard->guard);
	return hdResult(ret);
}

/* Get the time, which does not decrease: 0, or -HD_ERR_GET_TIME and the last
 * one. */
static int gaugeTime(const hdS_gauge *gauge, int64_t *now)
{
	*now = hdClockNow();
	if (*now < gauge->time) {
		int ret = *now < 0 ? -HD_ERR_GET_TIME : 0;

		*now = gauge->time;
		return ret;
	}
	return 0;
}

/* Begin an interval. */
static void gaugeBegin(hdS_gauge *gauge, int64_t now)
{
	gauge->begin = now;
	gauge->time = now;
	gauge->min = gauge->value;
	gauge->max = gauge->value;
	gauge->bytes = 0;
	gauge->sum = 0;
}

/* The number has held until now. */
static void gaugeSum(hdS_gauge *gauge, int64_t now)
{
	if (gauge->interval > 0)
		gauge->sum += (long double)gauge->value * (now - gauge->time);
	gauge->time = now;
}

/* Write the entry of the interval that ends now, and begin the next. */
static int gaugeWrite(hdS_gauge *gauge, int64_t now)
{
	char entry[ENTRY_MAX], *to = entry;
	double mean = (double)gauge->value;
	uint64_t bits;
	int ret;

	if (gauge->interval == 0) {
		hdEntryPut64(to, (uint64_t)gauge->value);
		to += 8;
	} else {
		if (now > gauge->begin)
			mean = (double)(gauge->sum / (now - gauge->begin));
		memcpy(&bits, &mean, sizeof(bits));
		hdEntryPut64(to, bits);
		hdEntryPut64(to + 8, (uint64_t)gauge->min);
		hdEntryPut64(to + 16, (uint64_t)gauge->max);
		to += 24;
	}
	hdEntryPut64(to, (uint64_t)gauge->bytes);
	to += 8;
	ret = hdStatsWriteAt(gauge->group, entry, (size_t)(to - entry), now);
	ret = ret < 0 ? -errno : 0;
	gaugeBegin(gauge, now);
	return ret;
}

static bool gaugeIsForeign(const hdS_gauge *gauge)
{
	return hdOutfileIsForeign(gauge->file);
}

/* ---- Creation ---------------------------------------------------------- */

static int gaugeAddValue(hdStatsGroup *group, const char *name,
			 hdStatsValueType type, const char *unit,
			 const char *kind)
{
	if (hdS_addValue(group, name, type, unit,
			 *kind == 'g' ? "Pending" : NULL) < 0 ||
	    hdS_addAttribute(group, "kind", kind) < 0)
		return -1;
	return *kind == 'g' ? hdS_addAttribute(group, "written", "change") : 0;
}

static int gaugeAddValues(hdStatsGroup *group, int64_t interval)
{
	if (gaugeAddValue(group, "Pending", interval ? DOUBLE : INT64,
			  "operations", "gauge") < 0)
		return -1;
	if (interval && (gaugeAddValue(group, "PendingMin", INT64, "operations",
				       "gauge") < 0 ||
			 gaugeAddValue(group, "PendingMax", INT64, "operations",
				       "gauge") < 0))
		return -1;
	if (gaugeAddValue(group, "Bytes", INT64, "B", "delta") < 0)
		return -1;
	return hdS_commitGroup(group);
}

hdS_gauge *hdS_gaugeCreate(const char *layer, hdTopoNode *topoNode,
			   int topoLevel, int64_t interval)
{
	int saved = errno, error;
	struct timespec when;
	hdS_gauge *gauge;
	int64_t now;

	if (interval < 0)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	now = hdClockNow();
	if (now < 0)
		return hdFailNull(-HD_ERR_GET_TIME);
	gauge = calloc(1, sizeof(*gauge));
	if (!gauge)
		return hdFailNull(-HD_ERR_MALLOC);
	gauge->group = hdS_createGroup(layer, topoNode, topoLevel);
	if (!gauge->group)
		goto fail;
	if (gaugeAddValues(gauge->group, interval) < 0) {
		error = errno;
		hdS_finalize(gauge->group);
		errno = error;
		goto fail;
	}
	/* No change may be missing: the number would be wrong from there on. */
	gauge->file = hdStatsFile(gauge->group);
	gauge->file->dropOnFull = false;
	gauge->interval = interval;
	gauge->isEnabled = true;
	gaugeInitLock(gauge);
	when = hdClockToTimespec(now);
	hdS_enableGroupAt(gauge->group, &when);
	gaugeBegin(gauge, now);
	errno = saved;
	return gauge;

fail:
	error = errno;
	free(gauge);
	errno = error;
	return NULL;
}

/* ---- Changes ----------------------------------------------------------- */

static void gaugeChange(hdS_gauge *gauge, int64_t change)
{
	bool was = gauge->value < 0;
	int state;

	/* Beyond what a number can be it goes round, as unsigned ones do. */
	gauge->value = (int64_t)((uint64_t)gauge->value + (uint64_t)change);
	if (gauge->value < gauge->min)
		gauge->min = gauge->value;
	if (gauge->value > gauge->max)
		gauge->max = gauge->value;
	if (was || gauge->value >= 0)
		return;
	if (gauge->negatives++ > 0)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	hdMessage(HD_LOG_WARNING, "%s: more operations have ended than begun",
		  gauge->file->path);
	pthread_setcancelstate(state, NULL);
}

/* With the lock held: 0 or negative. */
static int gaugeCount(hdS_gauge *gauge, int64_t change, int64_t bytes)
{
	int ret = 0, late;
	int64_t now;
	bool isNew;

	if (!gauge->isEnabled) {
		gaugeChange(gauge, change);
		return 0;
	}
	late = gaugeTime(gauge, &now);
	gauge->bytes += bytes;
	gaugeSum(gauge, now);
	isNew = now - gauge->begin >= gauge->interval;
	if (isNew)
		ret = gaugeWrite(gauge, now);
	gaugeChange(gauge, change);
	/* What was before belongs to the interval before. */
	if (isNew) {
		gauge->min = gauge->value;
		gauge->max = gauge->value;
	}
	return ret < 0 ? ret : late;
}

/* What a thread could be cancelled in while it has the lock (messages, files)
 * sees to that itself. */
int hdS_gaugeAdd(hdS_gauge *gauge, int64_t change, int64_t bytes)
{
	volatile int *own = &inside;
	int *error = &errno, saved = *error, ret;
	bool isTaken;

	if (!gauge)
		return -1;
	if (gaugeIsForeign(gauge))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	HD_THREAD_KEEP(own);
	isTaken = gaugeTake(gauge, own);
	ret = gaugeCount(gauge, change, bytes);
	gaugeGive(gauge, isTaken, own);
	*error = saved;
	return hdResult(ret);
}

/* Write what holds until now. */
static int gaugeSettle(hdS_gauge *gauge)
{
	int64_t now;
	int late = gaugeTime(gauge, &now), ret;

	gaugeSum(gauge, now);
	ret = gaugeWrite(gauge, now);
	return ret < 0 ? ret : late;
}

int hdS_gaugeFlush(hdS_gauge *gauge)
{
	struct gaugeGuard guard;
	int ret = 0;

	if (!gauge)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (gaugeIsForeign(gauge))
		return 0;
	gaugeLock(gauge, &guard);
	if (gauge->isEnabled)
		ret = gaugeSettle(gauge);
	if (hdS_flush(gauge->group) < 0)
		ret = -errno;
	return gaugeUnlock(gauge, &guard, ret);
}

int hdS_gaugeDisable(hdS_gauge *gauge)
{
	struct gaugeGuard guard;
	bool was;

	if (!gauge)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (gaugeIsForeign(gauge))
		return 1;
	gaugeLock(gauge, &guard);
	was = gauge->isEnabled;
	if (was) {
		/* What fails here shows when the gauge is finalized. */
		gaugeSettle(gauge);
		hdS_disableGroup(gauge->group);
		gauge->isEnabled = false;
	}
	gaugeUnlock(gauge, &guard, 0);
	return !was;
}

int hdS_gaugeEnable(hdS_gauge *gauge)
{
	struct gaugeGuard guard;
	struct timespec when;
	int64_t now;
	bool was;

	if (!gauge)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (gaugeIsForeign(gauge))
		return 1;
	gaugeLock(gauge, &guard);
	was = gauge->isEnabled;
	if (!was) {
		gaugeTime(gauge, &now);
		when = hdClockToTimespec(now);
		hdS_enableGroupAt(gauge->group, &when);
		gaugeBegin(gauge, now);
		gauge->isEnabled = true;
	}
	gaugeUnlock(gauge, &guard, 0);
	return was;
}

int64_t hdS_gaugeValue(hdS_gauge *gauge)
{
	struct gaugeGuard guard;
	int64_t value;

	if (!gauge || gaugeIsForeign(gauge))
		return 0;
	gaugeLock(gauge, &guard);
	value = gauge->value;
	gaugeUnlock(gauge, &guard, 0);
	return value;
}

uint64_t hdS_gaugeNegatives(hdS_gauge *gauge)
{
	struct gaugeGuard guard;
	uint64_t negatives;

	if (!gauge || gaugeIsForeign(gauge))
		return 0;
	gaugeLock(gauge, &guard);
	negatives = gauge->negatives;
	gaugeUnlock(gauge, &guard, 0);
	return negatives;
}

int hdS_gaugeLosses(hdS_gauge *gauge, hdLosses *losses)
{
	struct gaugeGuard guard;

	if (!gauge || !losses)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (gaugeIsForeign(gauge)) {
		*losses = (hdLosses){ 0 };
		return 0;
	}
	gaugeLock(gauge, &guard);
	hdS_getLosses(gauge->group, losses);
	return gaugeUnlock(gauge, &guard, 0);
}

int hdS_gaugeFinalize(hdS_gauge *gauge)
{
	int saved = errno, ret;

	if (!gauge)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!gaugeIsForeign(gauge)) {
		/* What fails here shows when the file is closed. */
		if (gauge->isEnabled)
			gaugeSettle(gauge);
		pthread_mutex_destroy(&gauge->lock);
	}
	ret = hdS_finalize(gauge->group) < 0 ? -errno : 0;
	free(gauge);
	errno = saved;
	return hdResult(ret);
}
