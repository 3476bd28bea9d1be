/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting until a machine is warm; see steady.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <glib.h>

#include "LoadLevels/core/load.h"
#include "PredictionLibrary/command/measure/steady.h"
#include "common/clock.h"

#define LOOK_US 1000000
#define STILL_NS (60 * HD_NS_PER_S)
#define BLIND_NS (180 * HD_NS_PER_S)
#define LONGEST_NS (1800 * HD_NS_PER_S)
#define RISE 1.0

/* One zone; NAN: it tells nothing. @return Whether there is such a zone: those
 * that are off cannot be read. */
static bool readZone(const char *root, int zone, double *celsius)
{
	char *path = g_strdup_printf("%s/sys/class/thermal/thermal_zone%d/temp",
				     root ? root : "", zone);
	char *text = NULL, *end;
	GError *error = NULL;
	bool isThere;

	*celsius = NAN;
	if (g_file_get_contents(path, &text, NULL, &error)) {
		*celsius = g_ascii_strtod(text, &end) / 1000;
		if (end == text)
			*celsius = NAN;
	}
	isThere = !g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
	g_clear_error(&error);
	g_free(text);
	g_free(path);
	return isThere;
}

double steadyTemperature(const char *root)
{
	double highest = NAN, celsius;

	for (int zone = 0; zone < 256 && readZone(root, zone, &celsius); zone++)
		highest = fmax(highest, celsius);
	return highest;
}

void steadyBegin(struct steady *self, int64_t now, double celsius)
{
	*self = (struct steady){ now, now, celsius, 0 };
}

bool steadyIsReached(struct steady *self, int64_t now, double celsius)
{
	int64_t still = isnan(self->highest) ? BLIND_NS : STILL_NS;

	if (self->still)
		still = self->still;
	if (now - self->risen >= still ||
	    now - self->begin >= MAX(LONGEST_NS, 2 * self->still))
		return true;
	if (celsius >= self->highest + RISE) {
		self->highest = celsius;
		self->risen = now;
	}
	return false;
}

static int awaitSteady(const char *root, int64_t still, const atomic_int *stop)
{
	struct steady steady;

	steadyBegin(&steady, hdMonotonicNow(), steadyTemperature(root));
	steady.still = still;
	while (!atomic_load(stop)) {
		if (steadyIsReached(&steady, hdMonotonicNow(),
				    steadyTemperature(root)))
			return 0;
		g_usleep(still ? (gulong)MIN(LOOK_US, MAX(still / 10000, 1000))
			       : LOOK_US);
	}
	return -EINTR;
}

int steadyWait(const char *root, int64_t still, const atomic_int *stop)
{
	struct hdLoadPlan plan = { .count = 0 };
	int *cpus = g_new(int, HD_LOAD_CPUS_MAX);
	size_t count = hdLoadCpus(cpus, HD_LOAD_CPUS_MAX);
	struct hdLoad *load;
	int ret = hdLoadPlanAdd(&plan, 1, LONGEST_NS + BLIND_NS + 2 * still);

	if (ret == 0)
		ret = hdLoadStart(cpus, count, &plan, NULL, &load);
	if (ret == 0) {
		ret = awaitSteady(root, still, stop);
		hdLoadStop(load, NULL);
	}
	hdLoadPlanClear(&plan);
	g_free(cpus);
	return ret;
}
