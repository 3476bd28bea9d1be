/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device of the service; see served.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <PT.h>
#include "PowerTracingLibrary/service/core/served.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/meter/runner.h"
#include "PowerTracingLibrary/src/meter/writer.h"
#include "common/clock.h"
#include "recording/integral.h"

/* After so many cycles without a reading the last one is stale. */
#define STALE_CYCLES 3

struct ptServed {
	struct ptSink sink; /* First: it is what the meter knows. */
	struct ptSite *site;
	const struct ptSiteDevice *device;
	struct ptServedContext context;
	struct ptConfig config; /* The device's, but for project and host. */
	struct ptRunner runner;
	struct ptStore *store;
	int watchers; /* Atomic, as is isNew. */
	bool isNew;
	/* Of the device's thread. */
	struct ptWriter *writer;
	bool hasNoWriter; /* It could not be created. */
	double *values;
	bool hasGap;
	int64_t lastMono;
	pthread_mutex_t mutex; /* Protects what follows. */
	struct ptServedColumn *columns;
	struct ptServedSum *sums;
	struct ptHealth health;
	int64_t cycleNs;
};

static struct ptServed *servedOf(struct ptSink *sink)
{
	return (struct ptServed *)(void *)sink;
}

/* ---- The device's thread ----------------------------------------------- */

/* What a column is known by belongs to the driver, until it closes. */
static void servedDescribe(struct ptServed *served)
{
	for (size_t i = 0; i < served->config.columnCount; i++) {
		const struct ptColumn *from = &served->config.columns[i];
		struct ptServedColumn *to = &served->columns[i];

		snprintf(to->source, sizeof(to->source), "%s",
			 from->source ? from->source : "");
		snprintf(to->resolution, sizeof(to->resolution), "%s",
			 from->resolution ? from->resolution : "");
		to->isSimulated = from->isSimulated;
	}
}

static void servedChange(struct ptServed *served, bool isUp)
{
	struct ptHealth *health = &served->health;

	pthread_mutex_lock(&served->mutex);
	health->isUp = isUp;
	health->changes++;
	health->changeWall = hdClockNow();
	health->changeMono = hdMonotonicNow();
	served->cycleNs = ptMeterCycle(&served->runner.meter);
	if (isUp)
		servedDescribe(served);
	pthread_mutex_unlock(&served->mutex);
}

static void servedWake(struct ptServed *served)
{
	if (__atomic_load_n(&served->watchers, __ATOMIC_RELAXED) > 0 &&
	    !__atomic_exchange_n(&served->isNew, true, __ATOMIC_ACQ_REL))
		eventfd_write(served->context.wakeFd, 1);
}

/* Begin the files, once it is known what the device is. */
static void servedTrace(struct ptServed *served)
{
	const struct ptServedContext *context = &served->context;
	bool isThere;

	if (served->config.nodeCount == 0 || served->writer ||
	    served->hasNoWriter)
		return;
	served->hasNoWriter = true;
	if (context->project(context->data, &served->config) < 0)
		return;
	isThere = ptWriterCreate(&served->config,
				 &served->runner.meter.device.found, NULL,
				 &served->writer) == 0;
	if (context->begun(context->data, &served->config, isThere) < 0 &&
	    isThere) {
		ptWriterDestroy(served->writer);
		served->writer = NULL;
	}
	if (!served->writer)
		return;
	served->hasNoWriter = false;
	ptMeterAddSink(&served->runner.meter, ptWriterSink(served->writer));
	ptMessage(HD_LOG_INFO, "%s: tracing into %s.proj", served->device->name,
		  served->config.project);
}

static void servedOpened(struct ptSink *sink)
{
	struct ptServed *served = servedOf(sink);

	servedChange(served, true);
	servedTrace(served);
	served->hasGap = true;
	servedWake(served);
}

static void servedAddUp(struct ptServed *served, int64_t lengthNs,
			const struct ptStored *reading)
{
	pthread_mutex_lock(&served->mutex);
	served->health.lastWall = reading->wall;
	served->health.lastMono = reading->mono;
	for (size_t i = 0; i < served->device->lineCount; i++) {
		const struct ptSiteLine *line = &served->device->lines[i];
		struct ptServedSum *sum = &served->sums[i];
		double value = served->values[line->values[0].column];

		if (sum->isPower)
			sum->watts = value;
		if (sum->isEnergy && isfinite(value))
			sum->joules += value;
		else if (sum->isPower && isfinite(value))
			sum->joules += hdIntegralOf(value, lengthNs);
	}
	pthread_mutex_unlock(&served->mutex);
}

/* A length that can be told. */
static int64_t servedLength(int64_t ns)
{
	if (ns < 0)
		return 0;
	return ns < HD_FIELD_NS_MAX ? ns : HD_FIELD_NS_MAX;
}

static void servedAdd(struct ptSink *sink, const union hdCell *cells,
		      const struct ptReading *reading)
{
	struct ptServed *served = servedOf(sink);
	int64_t now = hdMonotonicNow();
	struct ptStored stored = {
		.wall = reading->endNs - served->config.delayNs,
		.length = servedLength(reading->lengthNs),
		.lost = reading->lost > UINT32_MAX ? UINT32_MAX
						   : (uint32_t)reading->lost,
		.marks = served->hasGap || reading->lost > 0 ? PT_WIRE_GAP : 0,
	};

	/* Its end by the other clock, which never goes back. */
	stored.mono = stored.wall - ptWallAhead();
	if (stored.mono > now)
		stored.mono = now;
	if (stored.mono < served->lastMono)
		stored.mono = served->lastMono;
	served->lastMono = stored.mono;
	for (size_t i = 0; i < served->config.columnCount; i++)
		/* Whatever a meter says. */
		served->values[i] = hdFieldValueOf(hdCellNumber(
			served->config.columns[i].quantity->type, cells[i]));
	servedAddUp(served, reading->lengthNs, &stored);
	ptStoreAdd(served->store, &stored, served->values);
	served->hasGap = false;
	servedWake(served);
}

static void servedGap(struct ptSink *sink)
{
	servedOf(sink)->hasGap = true;
}

static void servedLost(struct ptSink *sink)
{
	struct ptServed *served = servedOf(sink);

	servedChange(served, false);
	served->hasGap = true;
	servedWake(served);
}

static const struct ptSinkCalls servedCalls = {
	.opened = servedOpened,
	.add = servedAdd,
	.gap = servedGap,
	.stop = servedGap,
	.lost = servedLost,
};

/* ---- The service's thread ---------------------------------------------- */

static void servedSums(struct ptServed *served)
{
	for (size_t i = 0; i < served->device->lineCount; i++) {
		const char *unit =
			served->device->lines[i].values[0].quantity->unit;
		struct ptServedSum *sum = &served->sums[i];

		sum->watts = NAN;
		sum->isPower = unit && strcmp(unit, "W") == 0;
		sum->isEnergy = unit && strcmp(unit, "J") == 0;
	}
}

static int servedAllocate(struct ptServed *served)
{
	size_t columns = served->config.columnCount;

	served->values = calloc(columns + 1, sizeof(*served->values));
	served->columns = calloc(columns + 1, sizeof(*served->columns));
	served->sums =
		calloc(served->device->lineCount + 1, sizeof(*served->sums));
	served->store = ptStoreCreate(columns, served->context.memory);
	if (!served->values || !served->columns || !served->sums ||
	    !served->store)
		return PT_EMEMORY;
	servedSums(served);
	return 0;
}

static void servedFree(struct ptServed *served)
{
	ptStoreDestroy(served->store);
	free(served->values);
	free(served->columns);
	free(served->sums);
	pthread_mutex_destroy(&served->mutex);
	ptSiteUnref(served->site);
	free(served);
}

int ptServedCreate(struct ptSite *site, const struct ptSiteDevice *device,
		   const struct ptServedContext *context,
		   struct ptServed **result)
{
	struct ptServed *served;
	int ret;

	if (!ptConfigIsHere(device->config.host)) {
		ptMessage(HD_LOG_ERROR,
			  "%s: port: the device is connected to %s, not to "
			  "this host",
			  device->name, device->config.host);
		return PT_EWRONGHOST;
	}
	served = calloc(1, sizeof(*served));
	if (!served)
		return PT_EMEMORY;
	served->sink.calls = &servedCalls;
	served->site = ptSiteRef(site);
	served->device = device;
	served->context = *context;
	served->config = device->config;
	served->lastMono = INT64_MIN;
	served->cycleNs = device->config.cycleNs;
	pthread_mutex_init(&served->mutex, NULL);
	ret = servedAllocate(served);
	if (ret == 0)
		ret = ptRunnerInit(&served->runner, &served->config,
				   context->root);
	if (ret < 0) {
		servedFree(served);
		return ret;
	}
	ptMeterAddSink(&served->runner.meter, &served->sink);
	/* One meter that is not there does not keep the others from serving. */
	if (context->isLater) {
		ptMeterAwait(&served->runner.meter, false);
	} else if (ptMeterOpen(&served->runner.meter) < 0) {
		ptMessage(HD_LOG_WARNING,
			  "%s: not available; continuing when it is",
			  device->name);
		ptMeterAwait(&served->runner.meter, true);
	}
	*result = served;
	return 0;
}

int ptServedBegin(struct ptServed *served)
{
	int ret = ptRunnerBegin(&served->runner);

	if (ret == 0)
		ptRunnerSet(&served->runner, true);
	return ret;
}

void ptServedDestroy(struct ptServed *served)
{
	struct ptCounts counts;

	if (!served)
		return;
	ptRunnerEnd(&served->runner, &counts);
	ptMessage(HD_LOG_INFO,
		  "%s: %llu readings, %llu cycles lost, %llu errors, "
		  "%llu reconnects, %llu late",
		  served->device->name, (unsigned long long)counts.readings,
		  (unsigned long long)counts.lost,
		  (unsigned long long)counts.errors,
		  (unsigned long long)counts.reconnects,
		  (unsigned long long)counts.late);
	if (ptWriterDestroy(served->writer) != 0)
		ptMessage(HD_LOG_ERROR, "%s: incomplete trace",
			  served->device->name);
	servedFree(served);
}

const struct ptSiteDevice *ptServedSite(const struct ptServed *served)
{
	return served->device;
}

struct ptStore *ptServedStore(struct ptServed *served)
{
	return served->store;
}

int64_t ptServedCycle(struct ptServed *served)
{
	int64_t cycleNs;

	pthread_mutex_lock(&served->mutex);
	cycleNs = served->cycleNs;
	pthread_mutex_unlock(&served->mutex);
	return cycleNs > 0 ? cycleNs : HD_NS_PER_S;
}

void ptServedHealth(struct ptServed *served, struct ptHealth *health)
{
	pthread_mutex_lock(&served->mutex);
	*health = served->health;
	pthread_mutex_unlock(&served->mutex);
	ptRunnerGetCounts(&served->runner, &health->counts);
}

double ptServedAge(struct ptServed *served, bool *isStale)
{
	int64_t limit = STALE_CYCLES * ptServedCycle(served), age;
	struct ptHealth health;

	ptServedHealth(served, &health);
	*isStale = true;
	if (health.lastWall == 0)
		return NAN;
	age = hdMonotonicNow() - health.lastMono;
	*isStale = age > (limit > HD_NS_PER_S ? limit : HD_NS_PER_S);
	return (double)age / 1e9;
}

void ptServedColumnGet(struct ptServed *served, size_t column,
		       struct ptServedColumn *known)
{
	pthread_mutex_lock(&served->mutex);
	*known = served->columns[column];
	pthread_mutex_unlock(&served->mutex);
}

void ptServedSumGet(struct ptServed *served, size_t line,
		    struct ptServedSum *sum)
{
	pthread_mutex_lock(&served->mutex);
	*sum = served->sums[line];
	pthread_mutex_unlock(&served->mutex);
}

void ptServedWatch(struct ptServed *served, int change)
{
	__atomic_add_fetch(&served->watchers, change, __ATOMIC_RELAXED);
}

bool ptServedHasNew(struct ptServed *served)
{
	return __atomic_exchange_n(&served->isNew, false, __ATOMIC_ACQ_REL);
}
