/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device that may vanish; see meter.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/meter.h"
#include "PowerTracingLibrary/src/core/transport.h"
#include "common/backoff.h"
#include "common/clock.h"

/* How long to wait before a device that is lost is tried again. */

/* Opening a device may take so long, and the way to it what leaves enough for
 * the rest. */
#define OPEN_NS (19 * HD_NS_PER_S / 10)
#define CONNECT_NS (HD_NS_PER_S / 2)

/* After so many failures the device is opened anew. */
#define FAILURES_MAX 3

static void meterCount(uint64_t *count, uint64_t more)
{
	__atomic_add_fetch(count, more, __ATOMIC_RELAXED);
}

/* A meter goes its own pace: say so if another one was asked for. */
static void meterFindCycle(struct ptMeter *meter)
{
	const struct ptConfig *config = meter->config;
	int64_t cycleNs = meter->device.found.cycleNs;

	if (cycleNs == 0)
		cycleNs = config->cycleNs;
	__atomic_store_n(&meter->cycleNs, cycleNs, __ATOMIC_RELAXED);
	if (config->isCycleGiven && cycleNs != config->cycleNs)
		ptMessage(HD_LOG_WARNING,
			  "%s: the meter gives a reading every %g ms (%g Hz), "
			  "not every %g ms",
			  config->name, (double)cycleNs / 1e6,
			  1e9 / (double)cycleNs, (double)config->cycleNs / 1e6);
}

/* Missing cycles may be found in another way than before. */
static void meterFindGaps(struct ptMeter *meter)
{
	const char *now = meter->device.found.gapsFoundBy;

	if (!now)
		return;
	if (meter->gapsFoundBy[0] && strcmp(meter->gapsFoundBy, now) != 0)
		ptMessage(HD_LOG_WARNING,
			  "%s: lost cycles are now found by %s instead of %s",
			  meter->config->name, now, meter->gapsFoundBy);
	snprintf(meter->gapsFoundBy, sizeof(meter->gapsFoundBy), "%s", now);
}

/* Tell the sinks; not all of them want to know. */
#define meterTell(meter, call, ...)                                       \
	do {                                                              \
		for (struct ptSink *sink_ = (meter)->sinks; sink_;        \
		     sink_ = sink_->next)                                 \
			if (sink_->calls->call)                           \
				sink_->calls->call(sink_, ##__VA_ARGS__); \
	} while (0)

static int meterConnect(struct ptMeter *meter)
{
	const struct ptConfig *config = meter->config;
	struct ptDevice *device = &meter->device;
	struct ptLine line = config->driver->line;
	int64_t now = hdMonotonicNow();
	int ret;

	line.baud = config->baud;
	device->setup.deadlineNs = now + OPEN_NS;
	if (config->driver->needsPort) {
		ret = ptTransportOpen(config->address, &line,
				      device->setup.wakeFd, now + CONNECT_NS,
				      &device->transport);
		if (ret < 0)
			return ret;
	}
	device->found = (struct ptFound){ 0 };
	ret = config->driver->open(device, config->columns,
				   config->columnCount);
	if (ret < 0) {
		ptTransportClose(device->transport);
		device->transport = NULL;
		return ret;
	}
	meter->isOpen = true;
	meter->failures = 0;
	meterFindCycle(meter);
	meterTell(meter, opened);
	return 0;
}

static void meterDisconnect(struct ptMeter *meter)
{
	struct ptDevice *device = &meter->device;

	device->driver->close(device);
	ptTransportClose(device->transport);
	device->transport = NULL;
	meter->isOpen = false;
	meter->isMeasuring = false;
}

int ptMeterInit(struct ptMeter *meter, const struct ptConfig *config,
		const char *root, int wakeFd)
{
	*meter = (struct ptMeter){
		.config = config,
		.device = { .driver = config->driver,
			    .setup = { .cycleNs = config->cycleNs,
				       .baud = config->baud,
				       .address = config->address,
				       .root = root,
				       .wakeFd = wakeFd,
				       .options = config->options } },
	};
	meter->cells = calloc(config->columnCount, sizeof(*meter->cells));
	return meter->cells ? 0 : PT_EMEMORY;
}

void ptMeterAddSink(struct ptMeter *meter, struct ptSink *sink)
{
	sink->next = meter->sinks;
	meter->sinks = sink;
}

int ptMeterOpen(struct ptMeter *meter)
{
	int ret = meterConnect(meter);

	if (ret == 0) {
		meterFindGaps(meter);
		return 0;
	}
	return ret == -ENOMEM ? PT_EMEMORY : PT_EDEVICE;
}

void ptMeterAwait(struct ptMeter *meter, bool wasTried)
{
	meter->isUntried = !wasTried;
	meter->lostNs = hdMonotonicNow();
	hdBackoffBegin(&meter->backoff, !wasTried);
}

/* Whoever found the reason has said it. */
static void meterLose(struct ptMeter *meter, const char *why)
{
	ptMessage(HD_LOG_WARNING,
		  "%s: connection lost: %s; continuing when it is back",
		  meter->config->name, why);
	meterTell(meter, lost);
	meterDisconnect(meter);
	meterTell(meter, stop);
	ptMeterAwait(meter, true);
}

/* Try to open a device that is lost; says what is wrong once only. */
static bool meterRetry(struct ptMeter *meter)
{
	int ret;

	hdLogIsQuiet = !meter->isUntried;
	ret = meterConnect(meter);
	hdLogIsQuiet = false;
	if (ret == 0)
		meterFindGaps(meter);
	if (ret == 0 && meter->isUntried) {
		meter->isUntried = false;
		return true;
	}
	if (ret == 0) {
		meterCount(&meter->counts.reconnects, 1);
		ptMessage(HD_LOG_WARNING, "%s: reconnected after %.1f s",
			  meter->config->name,
			  (double)(hdMonotonicNow() - meter->lostNs) / 1e9);
		return true;
	}
	/* What was interrupted has not been tried. */
	if (ret != -EINTR) {
		meter->isUntried = false;
		hdBackoffFail(&meter->backoff);
	}
	return false;
}

void ptMeterStart(struct ptMeter *meter)
{
	int ret;

	if (!meter->isOpen &&
	    (!hdBackoffIsDue(&meter->backoff) || !meterRetry(meter)))
		return;
	ret = meter->device.driver->start(&meter->device);
	if (ret == 0)
		meter->isMeasuring = true;
	else if (ret != -EINTR)
		meterLose(meter, strerror(-ret));
}

static void meterFail(struct ptMeter *meter, int error)
{
	meterCount(&meter->counts.errors, 1);
	meterTell(meter, gap);
	if (error != -ETIMEDOUT && error != -EPROTO)
		meterLose(meter, strerror(-error));
	else if (++meter->failures >= FAILURES_MAX)
		meterLose(meter, error == -EPROTO ? "invalid data" : "no data");
}

void ptMeterRead(struct ptMeter *meter)
{
	struct ptReading reading = { 0 };
	int ret;

	if (!meter->isMeasuring) {
		ptMeterStart(meter);
		return;
	}
	ret = meter->device.driver->read(&meter->device, meter->cells,
					 &reading);
	if (ret == -EINTR)
		return;
	if (ret < 0) {
		meterFail(meter, ret);
		return;
	}
	/* Some need a while to find out how fast they are. */
	if (meter->device.found.cycleNs > 0 &&
	    meter->device.found.cycleNs != meter->cycleNs)
		meterFindCycle(meter);
	meter->failures = 0;
	meterCount(&meter->counts.readings, 1);
	meterCount(&meter->counts.lost, reading.lost);
	meterTell(meter, add, meter->cells, &reading);
}

void ptMeterStop(struct ptMeter *meter)
{
	int ret = 0;

	if (meter->isMeasuring)
		ret = ptDriverStop(&meter->device);
	meter->isMeasuring = false;
	if (ret < 0 && ret != -EINTR)
		meterLose(meter, strerror(-ret));
	meterTell(meter, stop);
}

int64_t ptMeterCycle(const struct ptMeter *meter)
{
	return __atomic_load_n(&meter->cycleNs, __ATOMIC_RELAXED);
}

void ptMeterGetCounts(const struct ptMeter *meter, struct ptCounts *counts)
{
	const struct ptCounts *c = &meter->counts;

	counts->readings = __atomic_load_n(&c->readings, __ATOMIC_RELAXED);
	counts->lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
	counts->errors = __atomic_load_n(&c->errors, __ATOMIC_RELAXED);
	counts->reconnects = __atomic_load_n(&c->reconnects, __ATOMIC_RELAXED);
	counts->late = 0;
}

void ptMeterClose(struct ptMeter *meter)
{
	if (meter->isOpen)
		meterDisconnect(meter);
	free(meter->cells);
	meter->cells = NULL;
}
