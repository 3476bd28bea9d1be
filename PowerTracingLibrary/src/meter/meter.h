/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A device that is traced: it may vanish, and come back.
 *
 * Used by one thread at a time, but for ptMeterGetCounts(). What is told to a
 * device that is out of reach is told when it is back.
 *
 * What failed at first is said once; attempts to open a lost device again
 * are silent but for PT_VERBOSITY=3. A driver need not know: hdLogIsQuiet.
 */
#ifndef PT_METER_H
#define PT_METER_H

#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/meter/sink.h"
#include "common/backoff.h"

/** What happened so far. */
struct ptCounts {
	uint64_t readings;
	uint64_t lost;       /**< Cycles that are missing. */
	uint64_t errors;     /**< Readings that failed. */
	uint64_t reconnects; /**< Times that the device came back. */
	uint64_t late; /**< Times of readings that passed unused; host only. */
};

struct ptMeter {
	struct ptDevice device;
	const struct ptConfig *config;
	struct ptSink *sinks;
	union hdCell *cells;
	struct ptCounts counts;
	int64_t cycleNs;      /**< See ptMeterCycle(). */
	char gapsFoundBy[16]; /**< As struct ptFound had it last. */
	bool isOpen;
	bool isMeasuring;
	unsigned int failures; /**< Readings that failed, one after another. */
	bool isUntried;        /**< It was not even tried to open it. */
	int64_t lostNs;        /**< Monotonic time since when it is lost. */
	struct hdBackoff backoff;
};

/**
 * Prepare a meter; its device is not open yet.
 *
 * @param config Lives as long as the meter; the columns are filled in.
 * @param root As of struct ptSetup.
 * @param wakeFd As of struct ptSetup.
 *
 * @return 0 or PT_EMEMORY.
 */
int ptMeterInit(struct ptMeter *meter, const struct ptConfig *config,
		const char *root, int wakeFd);

/** Add what takes the readings: before it measures, or in a call of a sink. */
void ptMeterAddSink(struct ptMeter *meter, struct ptSink *sink);

/**
 * Open the device.
 *
 * @return 0, PT_EMEMORY or PT_EDEVICE.
 */
int ptMeterOpen(struct ptMeter *meter);

/**
 * Go on without a device, as if it had been lost.
 *
 * @param wasTried Whether it is known why it cannot be opened; else it is said
 *        when it is tried.
 */
void ptMeterAwait(struct ptMeter *meter, bool wasTried);

/** Begin to measure. */
void ptMeterStart(struct ptMeter *meter);

/**
 * Take or wait for a reading and give it to the sinks.
 *
 * If the device is lost: look whether it is back when it is time to.
 */
void ptMeterRead(struct ptMeter *meter);

/** End measuring, for a while or for ever. */
void ptMeterStop(struct ptMeter *meter);

/**
 * Get the time between readings in nanoseconds: the meter's own where it has
 * one, else the configured one. Of a device that is lost, what it was.
 */
int64_t ptMeterCycle(const struct ptMeter *meter);

/** Get what happened so far. */
void ptMeterGetCounts(const struct ptMeter *meter, struct ptCounts *counts);

/** Close the device. */
void ptMeterClose(struct ptMeter *meter);

#endif
