/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Compares what the GPUs of this machine say of their power, integrated, with
 * their counters of energy; `make verify-nvml`.
 *
 *     nvml-check [SECONDS [CYCLE_MS [TOLERANCE_PERCENT]]]
 *
 * For each GPU it prints the range of its power, both energies, how often
 * either value moved, and what a reading costs; run it once idle and once with
 * a load. Both energies are those between the first and the last step of the
 * counter. Exits with 1 if they differ by more than the tolerance, and with 77
 * if there is no GPU.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "common/clock.h"

#define GPUS_MAX 64

extern const struct ptDriver ptNvmlDriver;

/* A GPU, and what it said. */
struct gpu {
	char label[PT_CHANNEL_MAX];
	size_t powerColumn;
	size_t energyColumn;
	float power;
	float least, most;
	double integral; /* Of power, since the first step of energy. */
	double seconds;
	double energy;
	/* The three at the last step. */
	double integralThen, secondsThen, energyThen;
	unsigned long powerMoves, energyMoves, readings;
};

static void gpuTake(struct gpu *gpu, float power, double energy, double seconds)
{
	double mean = (gpu->power + power) / 2;

	if (isnan(power) || isnan(energy))
		return;
	if (gpu->readings++ == 0) {
		gpu->least = gpu->most = mean = power;
	} else if (power != gpu->power) {
		gpu->powerMoves++;
	}
	gpu->least = fminf(gpu->least, power);
	gpu->most = fmaxf(gpu->most, power);
	gpu->power = power;
	gpu->integral += mean * seconds;
	gpu->seconds += seconds;
	gpu->energy += energy;
	if (energy <= 0)
		return;
	if (gpu->energyMoves++ == 0)
		gpu->integral = gpu->seconds = gpu->energy = 0;
	gpu->integralThen = gpu->integral;
	gpu->secondsThen = gpu->seconds;
	gpu->energyThen = gpu->energy;
}

/* Print what was found and tell whether it is well. */
static bool gpuPrint(const struct gpu *gpu, double seconds, double tolerance)
{
	double percent;

	printf("%s: power %.3f to %.3f W, %.1f new values a second; energy "
	       "%.1f steps a second\n",
	       gpu->label, (double)gpu->least, (double)gpu->most,
	       (double)gpu->powerMoves / seconds,
	       (double)gpu->energyMoves / seconds);
	if (gpu->energyMoves < 2) {
		printf("%s: the counter of energy does not move\n", gpu->label);
		return false;
	}
	percent = 100 * (gpu->integralThen / gpu->energyThen - 1);
	printf("%s: in %.3f s %.3f J by the counter, that is %.3f W; %.3f J by "
	       "power: %+.2f %%\n",
	       gpu->label, gpu->secondsThen, gpu->energyThen,
	       gpu->energyThen / gpu->secondsThen, gpu->integralThen, percent);
	return fabs(percent) <= tolerance;
}

static void printOne(void *context, const char *label, const char *description,
		     bool works)
{
	(void)context;
	printf("%s%s: %s\n", works ? "" : "does not work: ", label,
	       description);
}

/* Find the GPUs; two columns of each. */
static size_t findGpus(const struct ptSetup *setup, struct gpu *gpus,
		       struct ptColumn *columns)
{
	size_t count = 0;
	char why[256];

	while (count < GPUS_MAX &&
	       ptNvmlDriver.resolve(
		       setup, "*", count, &columns[2 * count].channel,
		       columns[2 * count].label, why, sizeof(why)) == 0) {
		struct ptColumn *column = &columns[2 * count];

		column[1] = column[0];
		column[0].quantity = &ptNvmlDriver.quantities[0];
		column[1].quantity = &ptNvmlDriver.quantities[1];
		memcpy(gpus[count].label, column->label, PT_CHANNEL_MAX);
		gpus[count].powerColumn = 2 * count;
		gpus[count].energyColumn = 2 * count + 1;
		count++;
	}
	if (count == 0)
		printf("%s\n", why);
	return count;
}

/* Read for some time; returns the mean cost of a reading in microseconds. */
static double measure(struct ptDevice *dev, struct gpu *gpus, size_t count,
		      double seconds, int64_t cycleNs)
{
	static union hdCell cells[2 * GPUS_MAX];
	int64_t next = hdMonotonicNow();
	int64_t end = next + (int64_t)(seconds * 1e9);
	int64_t spent = 0, readings = 0;

	ptNvmlDriver.start(dev);
	while (next < end) {
		struct timespec until;
		struct ptReading reading;
		int64_t began;

		next += cycleNs;
		until.tv_sec = next / 1000000000;
		until.tv_nsec = next % 1000000000;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until,
				       NULL) != 0)
			;
		began = hdMonotonicNow();
		if (ptNvmlDriver.read(dev, cells, &reading) < 0)
			break;
		spent += hdMonotonicNow() - began;
		readings++;
		for (size_t i = 0; i < count; i++)
			gpuTake(&gpus[i], cells[gpus[i].powerColumn].f,
				cells[gpus[i].energyColumn].d,
				(double)reading.lengthNs / 1e9);
	}
	return readings > 0 ? (double)spent / 1e3 / (double)readings : 0;
}

int main(int argc, char **argv)
{
	static struct gpu gpus[GPUS_MAX];
	static struct ptColumn columns[2 * GPUS_MAX];
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	double cycleMs = argc > 2 ? atof(argv[2]) : 20;
	double tolerance = argc > 3 ? atof(argv[3]) : 10;
	struct ptDevice dev = {
		.driver = &ptNvmlDriver,
		.setup = { .root = "",
			   .wakeFd = -1,
			   .cycleNs = (int64_t)(cycleMs * 1e6) },
	};
	bool isWell = true;
	size_t count;
	double us;

	if (!(seconds > 0) || !(cycleMs >= 1) || !(tolerance > 0)) {
		fprintf(stderr, "usage: nvml-check [SECONDS [CYCLE_MS "
				"[TOLERANCE_PERCENT]]]\n");
		return 2;
	}
	hdLogSetLevel(&ptLogger, HD_LOG_WARNING);
	ptNvmlDriver.list(&dev.setup, printOne, NULL);
	count = findGpus(&dev.setup, gpus, columns);
	if (count == 0)
		return 77;
	if (ptNvmlDriver.open(&dev, columns, 2 * count) < 0)
		return 1;
	us = measure(&dev, gpus, count, seconds, dev.setup.cycleNs);
	ptNvmlDriver.close(&dev);
	printf("a reading takes %.1f us\n", us);
	for (size_t i = 0; i < count; i++) {
		if (!gpuPrint(&gpus[i], seconds, tolerance))
			isWell = false;
	}
	return isWell ? 0 : 1;
}
