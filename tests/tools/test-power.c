/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Energy of intervals and of states, and work in several threads. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/model/powerseries.h"
#include "HDTraceTools/model/profile.h"
#include "tests/lib/testlib.h"

#define SECOND INT64_C(1000000000)

/* ---- Series ------------------------------------------------------------ */

/* More than the pages that a cursor keeps. */
#define ENTRIES 20000

/** A group with power and energy, in memory. */
struct entries {
	hdIValue values[2];
	hdIGroup group;
	int64_t start[ENTRIES];
	int64_t end[ENTRIES];
	double power[ENTRIES];
	float energy[ENTRIES];
	hdIColumn columns[2];
	hdIBlock block;
};

static const struct powerPart parts[] = {
	{ .column = 0, .scale = 1000 },
	{ .column = 1, .scale = 1, .isEnergy = true },
};

/** Entries of any length, none too, with gaps and without values. */
static struct entries *makeEntries(struct testRandom *random)
{
	struct entries *self = g_new0(struct entries, 1);
	int64_t time = SECOND;

	self->values[0] = (hdIValue){
		.name = "P", .type = HDI_DOUBLE, .unit = "kW", .grouping = ""
	};
	self->values[1] = (hdIValue){
		.name = "E", .type = HDI_FLOAT, .unit = "J", .grouping = ""
	};
	self->group.values = self->values;
	self->group.valueCount = 2;
	for (size_t i = 0; i < ENTRIES; i++) {
		if (testRandomBelow(random, 50) == 0)
			time += (int64_t)testRandomBelow(random, 1000);
		self->start[i] = time;
		if (testRandomBelow(random, 20) != 0)
			time += 1 + (int64_t)testRandomBelow(random, 1000);
		self->end[i] = time;
		self->power[i] = (double)testRandomBelow(random, 1000);
		self->energy[i] = (float)testRandomBelow(random, 1000);
		if (testRandomBelow(random, 10) == 0)
			self->power[i] = i % 2 ? (double)NAN : (double)INFINITY;
		if (testRandomBelow(random, 10) == 0)
			self->energy[i] = NAN;
	}
	self->columns[0].float64 = self->power;
	self->columns[1].float32 = self->energy;
	self->block = (hdIBlock){
		.count = ENTRIES,
		.start = self->start,
		.end = self->end,
		.columns = self->columns,
	};
	return self;
}

static struct powerSeries *makeSeries(const struct entries *entries)
{
	struct powerSeries *series = powerSeriesNew(&entries->group, parts, 2);

	g_assert_cmpint(powerSeriesAdd(series, &entries->block), ==, 0);
	g_assert_cmpint(powerSeriesEnd(series), ==, 0);
	return series;
}

/** The integral over ]start, end], entry by entry. */
static struct powerAmount integrate(const struct entries *entries,
				    int64_t start, int64_t end)
{
	struct powerAmount sum = { .energy = 0 };

	for (size_t i = 0; i < ENTRIES; i++) {
		int64_t from = MAX(entries->start[i], start);
		int64_t to = MIN(entries->end[i], end);
		int64_t length = entries->end[i] - entries->start[i];
		double part = length ? (double)(to - from) / (double)length : 1;
		double power = entries->power[i] * 1000;
		double energy = (double)entries->energy[i];

		if (to < from || (to == from && length > 0) ||
		    (length == 0 && to == start))
			continue;
		if (isfinite(power))
			sum.energy += power * (double)(to - from) / 1e9;
		if (!isnan(energy))
			sum.energy += energy * part;
		if (isfinite(power) && !isnan(energy))
			sum.measured += to - from;
	}
	return sum;
}

static void assertNear(double value, double expected)
{
	g_assert_cmpfloat_with_epsilon(value, expected,
				       1e-9 + 1e-7 * fabs(expected));
}

static void testSeries(void)
{
	struct testRandom random = { testSeed() };
	struct entries *entries = makeEntries(&random);
	struct powerSeries *series = makeSeries(entries);
	struct powerCursor *cursor = powerCursorNew(series);
	int64_t last = entries->end[ENTRIES - 1];

	for (int i = 0; i < 2000; i++) {
		int64_t start = (int64_t)testRandomBelow(
			&random, (uint64_t)last + SECOND);
		int64_t end = start + (int64_t)testRandomBelow(
					      &random, UINT64_C(1) << (i % 30));
		struct powerAmount expected, amount;

		/* Borders of entries are where mistakes are made. */
		if (i % 3 == 0)
			start = entries->end[(size_t)start % ENTRIES];
		if (i % 4 == 0)
			end = entries->end[(size_t)end % ENTRIES];
		amount = powerCursorGet(cursor, start, end);
		expected = integrate(entries, start, end);
		if (end <= start)
			expected = (struct powerAmount){ .energy = 0 };
		assertNear(amount.energy, expected.energy);
		g_assert_cmpint(amount.measured, ==, expected.measured);
	}
	g_assert_cmpint(powerCursorError(cursor), ==, 0);
	powerCursorFree(cursor);
	powerSeriesFree(series);
	g_free(entries);
}

static void testNoEntries(void)
{
	hdIGroup group = { .valueCount = 0 };
	struct powerSeries *series = powerSeriesNew(&group, NULL, 0);
	struct powerCursor *cursor = powerCursorNew(series);

	g_assert_cmpint(powerSeriesEnd(series), ==, 0);
	g_assert_cmpint(powerCursorGet(cursor, 0, SECOND).measured, ==, 0);
	powerCursorFree(cursor);
	powerSeriesFree(series);
	powerCursorFree(NULL);
	powerSeriesFree(NULL);
}

/* ---- Profiles ---------------------------------------------------------- */

/** A state that was made up. */
struct state {
	int name;
	int parent; /**< Position, or -1. */
	int64_t start;
	int64_t end;
};

static const char *const names[] = { "A", "B", "C", "D" };

/** Write states that lie in one, and what is written before it: its children;
 *  returns when it ends. */
static int64_t writeStates(struct testRandom *random, FILE *file,
			   GArray *states, int parent, int depth, int64_t time)
{
	int count = (int)testRandomBelow(random, depth == 0 ? 40 : 4);

	if (depth > 5)
		count = 0;
	if (count)
		fputs("<Nested>\n", file);
	for (int i = 0; i < count; i++) {
		struct state state = {
			.name = (int)testRandomBelow(random, 4),
			.parent = parent,
		};
		guint at = states->len;

		time += (int64_t)testRandomBelow(random, 5000);
		state.start = time;
		g_array_append_val(states, state);
		time = writeStates(random, file, states, (int)at, depth + 1,
				   time);
		time += (int64_t)testRandomBelow(random, 5000);
		g_array_index(states, struct state, at).end = time;
		fprintf(file,
			"<%s time='%" PRId64 ".%09" PRId64 "' end='%" PRId64
			".%09" PRId64 "'/>\n",
			names[state.name], state.start / SECOND,
			state.start % SECOND, time / SECOND, time % SECOND);
	}
	if (count)
		fputs("</Nested>\n", file);
	return time;
}

/** What the states of a name should come to. */
struct expected {
	uint64_t count, outer;
	int64_t longest;
	int64_t own, total;
	double ownEnergy, totalEnergy;
};

static struct expected expect(const GArray *states, struct powerCursor *cursor,
			      int name)
{
	struct expected sum = { .count = 0 };

	for (guint i = 0; i < states->len; i++) {
		const struct state *state =
			&g_array_index(states, struct state, i);
		int64_t length = state->end - state->start;
		double energy =
			powerCursorGet(cursor, state->start, state->end).energy;
		bool isOuter = true;

		if (state->parent >= 0 &&
		    g_array_index(states, struct state, state->parent).name ==
			    name) {
			sum.own -= length;
			sum.ownEnergy -= energy;
		}
		if (state->name != name)
			continue;
		for (int k = state->parent; k >= 0;
		     k = g_array_index(states, struct state, k).parent)
			isOuter &=
				g_array_index(states, struct state, k).name !=
				name;
		sum.count++;
		sum.longest = MAX(sum.longest, length);
		sum.own += length;
		sum.ownEnergy += energy;
		if (!isOuter)
			continue;
		sum.outer++;
		sum.total += length;
		sum.totalEnergy += energy;
	}
	return sum;
}

/** What one of four has that are always active. */
static struct attributionShare *makeQuarter(void)
{
	struct claims *claims = claimsNew(4, ATTRIBUTION_EQUAL);
	struct attributionShare *share;

	for (size_t i = 0; i < 4; i++)
		claimsAdd(claims, i, INT64_MIN, INT64_MAX);
	claimsEnd(claims);
	share = attributionShareOf(claimsShare(claims, 1), NULL);
	claimsFree(claims);
	return share;
}

static void checkProfile(struct testRandom *random, const char *path,
			 const struct powerSeries *series)
{
	GArray *states = g_array_new(FALSE, FALSE, sizeof(struct state));
	struct powerCursor *cursor = powerCursorNew(series);
	struct attributionShare *share = makeQuarter();
	struct profileSource source = { attributionCursorNew(series, share) };
	struct profile *profile;
	hdIProject *project;
	FILE *file = fopen(path, "w");

	g_assert_nonnull(file);
	fputs("<Program timeAdjustment='0'>\n", file);
	/* Those of no state: what a cut file leaves. */
	fputs("<Nested><E time='0.1' end='0.2'/></Nested>\n"
	      "<Event name='e' time='0.3'/>\n",
	      file);
	writeStates(random, file, states, -1, 0, SECOND);
	/* The last block belongs to it, but starts later. */
	fputs("<Z time='1' end='1'/>\n</Program>\n", file);
	fclose(file);
	project = hdI_openProject(path, NULL, NULL);
	g_assert_nonnull(project);
	g_assert_cmpint(profileRead(project, project->traces[0], NULL, &source,
				    1, INT64_MIN, INT64_MAX, true, NULL, NULL,
				    &profile),
			==, 0);
	g_assert_cmpuint(profile->stateCount, ==, states->len + 2);
	g_assert_cmpuint(profile->eventCount, ==, 1);
	for (int name = 0; name < 4; name++) {
		struct expected sum = expect(states, cursor, name);
		const struct profileState *state =
			profileFind(profile, names[name]);

		if (!state) {
			g_assert_cmpuint(sum.count, ==, 0);
			continue;
		}
		g_assert_cmpuint(state->count, ==, sum.count);
		g_assert_cmpuint(state->outer, ==, sum.outer);
		g_assert_cmpint(state->longest, ==, sum.longest);
		g_assert_cmpint(state->own.time, ==, sum.own);
		g_assert_cmpint(state->total.time, ==, sum.total);
		assertNear(attributionEnergy(&state->own.amounts[0]),
			   sum.ownEnergy / 4);
		assertNear(attributionEnergy(&state->total.amounts[0]),
			   sum.totalEnergy / 4);
	}
	g_assert_cmpint(profileFind(profile, "E")->own.time, ==, SECOND / 10);
	profileFree(profile);
	hdI_closeProject(project);
	attributionCursorFree(source.cursor);
	attributionShareFree(share);
	powerCursorFree(cursor);
	g_array_unref(states);
}

static void testProfiles(void)
{
	struct testRandom random = { testSeed() };
	struct entries *entries = makeEntries(&random);
	struct powerSeries *series = makeSeries(entries);
	const char *path = "random.trc";

	for (int i = 0; i < 200; i++)
		checkProfile(&random, path, series);
	unlink(path);
	powerSeriesFree(series);
	g_free(entries);
}

/* ---- Tasks ------------------------------------------------------------- */

#define TASKS 5000

struct count {
	int done[TASKS];
	size_t taken;
};

static void run(struct tasks *tasks, void *data, size_t number)
{
	struct count *count = data;

	if (number % 3)
		tasksWaitFor(tasks, number - number % 3);
	/* ThreadSanitizer sees whether it is read in order. */
	count->done[number] =
		1 +
		(number % 3 ? count->done[number - 1 - (number % 3 == 2)] : 0);
}

static void take(void *data, size_t number)
{
	struct count *count = data;

	g_assert_cmpuint(number, ==, count->taken);
	g_assert_cmpint(count->done[number], ==, number % 3 ? 2 : 1);
	count->taken++;
}

static void testTasks(void)
{
	struct count *count = g_new0(struct count, 1);

	for (int i = 0; i < 5; i++) {
		memset(count, 0, sizeof(*count));
		tasksDo(TASKS, run, take, count);
		g_assert_cmpuint(count->taken, ==, TASKS);
	}
	count->taken = 0;
	tasksDo(0, run, take, count);
	tasksDo(1, run, take, count);
	g_assert_cmpuint(count->taken, ==, 1);
	g_free(count);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/power/series", testSeries);
	g_test_add_func("/power/none", testNoEntries);
	g_test_add_func("/power/profiles", testProfiles);
	g_test_add_func("/power/tasks", testTasks);
	return testRun();
}
