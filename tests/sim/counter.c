/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Answers to COUNT?.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/sim/counter.h"
#include "tests/sim/law.h"

#define COUNTS 65536
#define STUCK 4711
#define CLOCK_HZ 20

const char *const simCounters[SIM_COUNTERS + 1] = {
	[SIM_COUNT_CYCLES] = "cycles",   [SIM_COUNT_ZERO] = "zero",
	[SIM_COUNT_STUCK] = "stuck",     [SIM_COUNT_HALVES] = "halves",
	[SIM_COUNT_CLOCK] = "clock",     [SIM_COUNT_FRACTION] = "fraction",
	[SIM_COUNT_ERROR] = "error",     [SIM_COUNT_EMPTY] = "empty",
	[SIM_COUNT_MISSING] = "missing", [SIM_COUNT_LAST] = "last",
	[SIM_COUNT_VALUES] = "values",   [SIM_COUNT_CHANNELS] = "channels",
	[SIM_COUNT_ONCE] = "once",
};

int simCounterFind(const char *name)
{
	for (int i = 0; i < SIM_COUNTERS; i++)
		if (!strcmp(name, simCounters[i]))
			return i;
	return -1;
}

static void addNumber(GArray *items, double number)
{
	struct simItem item = {
		.bits = simBits(fmod(number, COUNTS)),
		.whole = number == floor(number),
		.isCount = true,
	};

	g_array_append_val(items, item);
}

static void addText(GArray *items, const char *text)
{
	struct simItem item = { .text = g_strdup(text), .isCount = true };

	g_array_append_val(items, item);
}

/* The last so many values of the message before. */
static void addLast(const struct simDevice *device, GArray *items, guint count)
{
	const GArray *last = device->lastValues;

	for (guint i = last->len - MIN(count, last->len); i < last->len; i++) {
		struct simItem item = {
			.bits = g_array_index(last, uint32_t, i),
			.isCount = true,
		};

		g_array_append_val(items, item);
	}
}

static void refuse(struct simDevice *device)
{
	simDeviceError(device, "-113,\"Undefined header\"");
}

void simCounterAnswer(struct simDevice *device, GArray *items,
		      bool isContinuous)
{
	double count = (double)device->count;

	switch (device->counter) {
	case SIM_COUNT_ZERO:
		addNumber(items, 0);
		break;
	case SIM_COUNT_STUCK:
		addNumber(items, STUCK);
		break;
	case SIM_COUNT_HALVES:
		addNumber(items, floor(count / 2));
		break;
	case SIM_COUNT_CLOCK:
		addNumber(items, floor(device->cycleStart * CLOCK_HZ));
		break;
	case SIM_COUNT_FRACTION:
		addNumber(items, count + 0.5);
		break;
	case SIM_COUNT_ERROR:
		refuse(device);
		addText(items, "-113,\"Undefined header\"");
		break;
	case SIM_COUNT_EMPTY:
		refuse(device);
		addText(items, "");
		break;
	case SIM_COUNT_MISSING:
		refuse(device);
		break;
	case SIM_COUNT_LAST:
		addLast(device, items, 1);
		break;
	case SIM_COUNT_VALUES:
		addLast(device, items, G_MAXUINT);
		break;
	case SIM_COUNT_CHANNELS:
		for (int i = 0; i < SIM_CHANNELS; i++)
			addNumber(items, count);
		break;
	case SIM_COUNT_ONCE:
		addNumber(items, isContinuous ? 0 : count);
		break;
	default:
		addNumber(items, count);
		break;
	}
}

void simCounterNote(struct simDevice *device, const GArray *items)
{
	bool isFirst = true;

	for (guint i = 0; i < items->len; i++) {
		const struct simItem *item =
			&g_array_index(items, struct simItem, i);

		if (item->isCount || item->text)
			continue;
		if (isFirst)
			g_array_set_size(device->lastValues, 0);
		isFirst = false;
		g_array_append_val(device->lastValues, item->bits);
	}
}
