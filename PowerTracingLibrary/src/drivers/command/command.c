/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for meters that have a command-line tool: readings are the numbers in
 * the lines that a program prints.
 *
 * A program that prints again and again is read while it runs: each line is a
 * reading, at the time at which it arrives. A program that prints once is run
 * in each cycle. Which of them a program is shows when it ends: one that
 * succeeds is run again at the next multiple of the cycle.
 *
 * The program is the user's own choice, as the file is that names it. It never
 * runs while no trace is recorded.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/drivers/command/child.h"
#include "PowerTracingLibrary/src/drivers/command/lineparse.h"
#include "common/clock.h"
#include "common/net.h"

#define INPUTS 32
/* No reading for so long, and at least so many cycles, is silence. */
#define SILENCE_NS (10 * HD_NS_PER_S)
#define SILENCE_CYCLES 3
/* So many times in a row that there was no reading, and the device is lost. */
#define FAILURES_MAX 3
/* Intervals that tell the cycle of a program that goes on printing. */
#define INTERVALS 8
/* It is another cycle than the configured one from this fraction on. */
#define CYCLE_TOLERANCE 0.02
/* So many readings in a row that arrive with another one were buffered. */
#define LATE_MAX 3

static const struct ptQuantity commandQuantities[] = {
	{ "P", DOUBLE, "W", "Power", "power, Raw * slope= + offset=" },
	{ "E", DOUBLE, "J", "Energy",
	  "energy since a fixed start, Raw * slope= + offset=",
	  .kind = HD_KIND_COUNTER },
	{ "U", DOUBLE, "V", "Voltage", "voltage, Raw * slope= + offset=" },
	{ "I", DOUBLE, "A", "Current", "current, Raw * slope= + offset=" },
	{ "Raw", DOUBLE, "", "Raw", "number as printed" },
	{ NULL },
};
#define QUANTITY_RAW 4

static const char *const commandOptions[] = { "command", "match", NULL };

struct commandColumn {
	unsigned int input;
	double slope, offset;
};

struct commandState {
	struct ptChild child;
	const char *command, *match;
	char source[80];
	int64_t cycleNs;
	size_t inputs;     /* Numbers that a reading must have. */
	int64_t beganNs;   /* Start of the first cycle; ptNow(). */
	int64_t slot;      /* Cycle in which the program was started. */
	int64_t lastSlot;  /* The same of the last reading. */
	uint64_t readings; /* Of this run. */
	bool hasLast;      /* There was a reading since the start. */
	int64_t lastNs;
	unsigned int failures; /* In a row. */
	unsigned int late;     /* The same. */
	int64_t intervals[INTERVALS];
	uint64_t intervalCount;
	size_t count;
	struct commandColumn columns[];
};

/* ---- Configuration ----------------------------------------------------- */

static int commandResolve(const struct ptSetup *setup, const char *channel,
			  size_t index, unsigned int *number,
			  char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	if (!ptSetupOption(setup, "command")) {
		snprintf(why, whySize,
			 "the device needs the key command= in [General]");
		return -EINVAL;
	}
	if (channel && strcmp(channel, "*") == 0) {
		snprintf(why, whySize,
			 "the count of numbers in a line is unknown; expected "
			 "1 to %d",
			 INPUTS);
		return -EINVAL;
	}
	/* A program with one number need not say so. */
	return ptChannelResolve(INPUTS, channel ? channel : "1", index, number,
				label, why, whySize);
}

static int commandCheckOption(const char *name, const char *value, char *why,
			      size_t whySize)
{
	(void)name;
	snprintf(why, whySize, "must not be empty");
	return *value ? 0 : -EINVAL;
}

static int commandOpen(struct ptDevice *dev, struct ptColumn *columns,
		       size_t count)
{
	struct commandState *state = calloc(
		1, sizeof(*state) + count * sizeof(struct commandColumn));

	if (!state)
		return -ENOMEM;
	state->command = ptSetupOption(&dev->setup, "command");
	state->match = ptSetupOption(&dev->setup, "match");
	state->cycleNs = dev->setup.cycleNs;
	state->count = count;
	snprintf(state->source, sizeof(state->source), "command: %s",
		 state->command);
	for (size_t i = 0; i < count; i++) {
		const struct ptScale *scale = &columns[i].scale;
		bool isRaw =
			columns[i].quantity == &commandQuantities[QUANTITY_RAW];

		state->columns[i] = (struct commandColumn){
			.input = columns[i].channel,
			.slope = !isRaw && scale->set & PT_SCALE_SLOPE
					 ? scale->slope
					 : 1,
			.offset = !isRaw && scale->set & PT_SCALE_OFFSET
					  ? scale->offset
					  : 0,
		};
		if (columns[i].channel > state->inputs)
			state->inputs = columns[i].channel;
		columns[i].source = state->source;
	}
	dev->state = state;
	return 0;
}

/* ---- The program ------------------------------------------------------- */

/* Run the program in a cycle, which has begun. */
static int commandRun(struct commandState *state, int64_t slot)
{
	int ret = ptChildStart(&state->child, state->command);

	state->slot = slot;
	state->readings = 0;
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "command: cannot run the shell: %s",
			  strerror(-ret));
	return ret;
}

static int commandStart(struct ptDevice *dev)
{
	struct commandState *state = dev->state;

	state->beganNs = ptNow();
	state->hasLast = false;
	state->lastSlot = -1;
	state->failures = state->late = 0;
	state->intervalCount = 0;
	return commandRun(state, 0);
}

static int commandStop(struct ptDevice *dev)
{
	struct commandState *state = dev->state;

	(void)ptChildEnd(&state->child, false);
	return 0;
}

/* There was no reading: -EPROTO or -ETIMEDOUT, or after several times -ENODEV.
 */
static int commandFail(struct commandState *state, int error)
{
	if (++state->failures < FAILURES_MAX)
		return error;
	state->failures = 0;
	ptMessage(HD_LOG_ERROR, "command: %d failures in a row", FAILURES_MAX);
	return -ENODEV;
}

/* The program has ended. */
static int commandEnded(struct commandState *state)
{
	int status = ptChildEnd(&state->child, true);

	if (WIFSIGNALED(status))
		ptMessage(HD_LOG_WARNING,
			  "command: the program was killed by signal %d",
			  WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		ptMessage(HD_LOG_WARNING,
			  "command: the program failed with exit status %d",
			  WEXITSTATUS(status));
	else if (state->readings == 0)
		ptMessage(HD_LOG_WARNING,
			  "command: the program printed no line with %zu "
			  "number%s%s%s",
			  state->inputs, state->inputs == 1 ? "" : "s",
			  state->match ? " and the text of match=" : "",
			  state->match ? "" : "; set input= and match=");
	else
		return 0;
	return commandFail(state, -EPROTO);
}

/* Wait for the next cycle, and run the program. */
static int commandRunAgain(struct commandState *state, int wakeFd)
{
	int64_t nowNs = ptNow(), slot, startNs;

	slot = (nowNs - state->beganNs) / state->cycleNs;
	if (slot <= state->slot)
		slot = state->slot + 1;
	startNs = state->beganNs + slot * state->cycleNs;
	while (nowNs < startNs) {
		int ret = hdNetWait(-1, 0, wakeFd,
				    hdMonotonicNow() + startNs - nowNs);

		if (ret != -ETIMEDOUT)
			return ret;
		nowNs = ptNow();
	}
	return commandRun(state, slot);
}

/* ---- Readings ---------------------------------------------------------- */

static int commandCompare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Note an interval between readings of one run, and count the readings that are
 * missing in it: by the median of the last intervals. */
static uint64_t commandMissing(struct ptDevice *dev, int64_t intervalNs)
{
	struct commandState *state = dev->state;
	int64_t sorted[INTERVALS], medianNs, differenceNs;

	state->intervals[state->intervalCount++ % INTERVALS] = intervalNs;
	if (state->intervalCount < INTERVALS)
		return 0;
	memcpy(sorted, state->intervals, sizeof(sorted));
	qsort(sorted, INTERVALS, sizeof(*sorted), commandCompare);
	medianNs = sorted[INTERVALS / 2];
	if (medianNs <= 0)
		return 0;
	differenceNs = llabs(medianNs - state->cycleNs);
	dev->found.cycleNs =
		(double)differenceNs > CYCLE_TOLERANCE * (double)state->cycleNs
			? medianNs
			: 0;
	if (2 * intervalNs <= 3 * medianNs)
		return 0;
	return (uint64_t)((intervalNs + medianNs / 2) / medianNs - 1);
}

/* Set the time of a reading that arrived. */
static void commandSetTime(struct ptDevice *dev, struct ptReading *reading)
{
	struct commandState *state = dev->state;
	int64_t nowNs = state->child.arrivedNs, intervalNs;

	if (state->hasLast && nowNs <= state->lastNs)
		nowNs = state->lastNs + 1;
	intervalNs = state->hasLast ? nowNs - state->lastNs : state->cycleNs;
	reading->lost = 0;
	if (state->hasLast && state->readings == 0)
		reading->lost = (uint64_t)(state->slot - state->lastSlot - 1);
	else if (state->hasLast)
		reading->lost = commandMissing(dev, intervalNs);
	reading->lengthNs = intervalNs / (int64_t)(reading->lost + 1);
	reading->endNs = nowNs + ptWallAhead();
	state->hasLast = true;
	state->lastNs = nowNs;
	state->lastSlot = state->slot;
	state->readings++;
	state->failures = 0;
}

/* Say once that output arrives in blocks: their times are wrong. */
static void commandWatchBuffering(struct commandState *state, bool isLate)
{
	if (state->late > LATE_MAX)
		return;
	state->late = isLate && state->hasLast ? state->late + 1 : 0;
	if (state->late > LATE_MAX)
		ptMessage(HD_LOG_WARNING,
			  "command: several readings arrive at once, so their "
			  "times are wrong; run the program by \"stdbuf -oL\"");
}

/* Take the values of a line; whether it is a reading. */
static bool commandValues(const struct commandState *state, const char *line,
			  union hdCell *cells)
{
	double numbers[INPUTS];

	if (state->match && !strstr(line, state->match))
		return false;
	if (ptLineParse(line, numbers, state->inputs) < state->inputs)
		return false;
	for (size_t i = 0; i < state->count; i++) {
		const struct commandColumn *column = &state->columns[i];

		cells[i].d = numbers[column->input - 1] * column->slope +
			     column->offset;
	}
	return true;
}

static int commandRead(struct ptDevice *dev, union hdCell *cells,
		       struct ptReading *reading)
{
	struct commandState *state = dev->state;
	int64_t waitNs = SILENCE_CYCLES * state->cycleNs;
	int64_t deadlineNs;

	if (waitNs < SILENCE_NS)
		waitNs = SILENCE_NS;
	deadlineNs = ptNow() + waitNs;
	for (;;) {
		bool isLate;
		char *line;
		int ret = 0;

		if (state->child.pid == 0)
			ret = commandRunAgain(state, dev->setup.wakeFd);
		if (ret == 0)
			ret = ptChildLine(&state->child, dev->setup.wakeFd,
					  deadlineNs, &line, &isLate);
		if (ret == 0 && commandValues(state, line, cells)) {
			commandWatchBuffering(state, isLate);
			commandSetTime(dev, reading);
			return 0;
		}
		if (ret == -ENODATA) {
			ret = commandEnded(state);
			deadlineNs = ptNow() + waitNs;
		}
		if (ret == -ETIMEDOUT) {
			ptMessage(HD_LOG_WARNING,
				  "command: no reading for %.1f s",
				  (double)waitNs / (double)HD_NS_PER_S);
			return commandFail(state, ret);
		}
		if (ret < 0)
			return ret;
	}
}

static void commandClose(struct ptDevice *dev)
{
	struct commandState *state = dev->state;

	(void)ptChildEnd(&state->child, false);
	free(state);
	dev->state = NULL;
}

const struct ptDriver ptCommandDriver = {
	.name = "command",
	.description = "numbers that a program prints: any meter with a "
		       "command-line tool",
	.timing = PT_TIMED_BY_METER,
	.minCycleMs = 10,
	.maxCycleMs = 60000,
	.scales = PT_SCALE_SLOPE | PT_SCALE_OFFSET,
	.quantities = commandQuantities,
	.options = commandOptions,
	.checkOption = commandCheckOption,
	.resolve = commandResolve,
	.open = commandOpen,
	.start = commandStart,
	.read = commandRead,
	.stop = commandStop,
	.close = commandClose,
};
