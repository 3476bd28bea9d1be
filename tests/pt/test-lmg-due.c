/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cycles are missing by time alone: meters whose cycles are known, and
 * whose messages arrive as they are told to. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include <glib.h>

#include "PowerTracingLibrary/src/drivers/lmg/due.h"

#define MS INT64_C(1000000)
#define MESSAGES_MAX 5000

/* What arrives. */
struct arrivals {
	int count;
	int64_t atNs[MESSAGES_MAX];
	uint64_t missing[MESSAGES_MAX]; /* Before it, in truth. */
};

/* A message, so many cycles after the last. */
static void arrive(struct arrivals *arrivals, int64_t ns, uint64_t missing)
{
	g_assert_cmpint(arrivals->count, <, MESSAGES_MAX);
	arrivals->missing[arrivals->count] = missing;
	arrivals->atNs[arrivals->count++] = ns;
}

/* Do with them what the driver does: how many are missing before one? */
static uint64_t take(struct ptLmgDue *due, const struct arrivals *arrivals,
		     int i)
{
	int64_t ns = arrivals->atNs[i];
	uint64_t missing = ptLmgDueMissing(due, ns);

	if (missing > 0 && i + 1 < arrivals->count &&
	    arrivals->atNs[i + 1] <= ptLmgDueUntil(due, ns))
		missing = 0;
	ptLmgDueTake(due, ns, missing);
	return missing;
}

/* All of them, each with what is true. */
static void check(const struct arrivals *arrivals, int64_t cycleNs)
{
	struct ptLmgDue due;

	ptLmgDueStart(&due, cycleNs);
	for (int i = 0; i < arrivals->count; i++) {
		uint64_t found = take(&due, arrivals, i);

		if (found != arrivals->missing[i])
			g_error("message %d at %.3f ms: %d are missing, not %d",
				i, (double)arrivals->atNs[i] / 1e6,
				(int)arrivals->missing[i], (int)found);
	}
}

/* ---- By hand ----------------------------------------------------------- */

/* Times in tenths of a cycle of 50 ms, and what is missing; ended by -1. */
static const struct row {
	const char *name;
	int times[16];
	int missing[16];
} rows[] = {
	{ "even", { 0, 10, 20, 30, 40, -1 }, { 0 } },
	{ "one lost", { 0, 10, 20, 40, 50, 60, -1 }, { 0, 0, 0, 1 } },
	{ "three lost", { 0, 10, 20, 60, 70, -1 }, { 0, 0, 0, 3 } },
	{ "the second lost", { 0, 20, 30, 40, -1 }, { 0, 1 } },
	{ "every second lost", { 0, 20, 40, 60, 80, -1 }, { 0, 1, 1, 1, 1 } },
	{ "one that was delayed", { 0, 10, 28, 30, 40, 50, -1 }, { 0 } },
	{ "delayed by more than a cycle",
	  { 0, 10, 36, 36, 40, 50, -1 },
	  { 0 } },
	{ "by several", { 0, 10, 58, 58, 58, 58, 60, 70, 80, -1 }, { 0 } },
	{ "the first was late", { 9, 12, 20, 30, 40, 50, -1 }, { 0 } },
	{ "the first was late by much, and one is lost",
	  { 32, 32, 32, 32, 40, 50, 60, 80, 90, -1 },
	  { 0, 0, 0, 0, 0, 0, 0, 1 } },
	{ "whole periods of the mains",
	  { 0, 8, 20, 28, 40, 48, 60, 80, 88, 100, -1 },
	  { 0, 0, 0, 0, 0, 0, 0, 1 } },
	{ "one lost, and the next was delayed",
	  { 0, 10, 20, 44, 50, 60, -1 },
	  { 0, 0, 0, 1 } },
};

static void testRow(gconstpointer data)
{
	const struct row *row = data;
	struct arrivals arrivals = { 0 };

	for (int i = 0; row->times[i] >= 0; i++)
		arrive(&arrivals, row->times[i] * 5 * MS,
		       (uint64_t)row->missing[i]);
	check(&arrivals, 50 * MS);
}

/* ---- Cycles that are not what they should be --------------------------- */

/* Cycles that are longer or shorter, and by and by: no loss. But what is lost
 * shows, among these too. */
static void testDrift(void)
{
	static const int perMille[] = { -300, -200, -20, -1, 1,
					20,   100,  200, 300 };

	for (size_t i = 0; i < G_N_ELEMENTS(perMille); i++) {
		struct arrivals arrivals = { 0 };
		int64_t cycleNs = 50 * MS + 50 * MS / 1000 * perMille[i];
		int64_t at = 0;

		for (int k = 0; k < 2000; k++) {
			bool isLost = k >= 50 && k % 97 == 0;

			at += cycleNs;
			if (isLost)
				at += 2 * cycleNs;
			arrive(&arrivals, at, isLost ? 2 : 0);
		}
		check(&arrivals, 50 * MS);
	}
}

/* From a fifth too short to a fifth too long, within a thousand cycles. */
static void testGrows(void)
{
	struct arrivals arrivals = { 0 };
	int64_t at = 0;

	for (int k = 0; k < 1000; k++) {
		at += 40 * MS + k * 20 * MS / 1000;
		arrive(&arrivals, at, 0);
	}
	check(&arrivals, 50 * MS);
}

/* ---- By chance --------------------------------------------------------- */

/* Messages are late by up to 30 % of a cycle, each for itself; cycles are off
 * by up to a tenth, and one in twenty is lost. Each is found where it is. */
static void testJitter(void)
{
	for (int turn = 0; turn < 200; turn++) {
		static const int64_t cycles[] = { 50 * MS, 100 * MS,
						  2500 * MS };
		int64_t cycleNs = cycles[turn % 3];
		int64_t trueNs = cycleNs / 100 * g_test_rand_int_range(90, 110);
		struct arrivals arrivals = { 0 };
		int64_t number = 0;

		for (int k = 0; k < 1000; k++) {
			uint64_t missing = 0;

			while (k >= 30 && g_test_rand_int_range(0, 20) == 0)
				missing++;
			number += 1 + (int64_t)missing;
			arrive(&arrivals,
			       number * trueNs +
				       trueNs / 1000 *
					       g_test_rand_int_range(0, 300),
			       missing);
		}
		check(&arrivals, cycleNs);
	}
}

/* This host is busy for up to five cycles now and then: what came meanwhile it
 * sees at once. Where one is lost may show up to so many later; but what is
 * missing in all is right, and that is nothing where nothing is lost. */
static void testBusy(void)
{
	for (int turn = 0; turn < 200; turn++) {
		bool loses = turn % 2;
		struct arrivals arrivals = { 0 };
		int64_t number = 0, busyUntil = 0;
		uint64_t truth = 0, found = 0;
		struct ptLmgDue due;
		int calm = 0;

		for (int k = 0; k < 1000; k++) {
			uint64_t missing = loses && k >= 30 && k < 980 &&
					   g_test_rand_int_range(0, 50) == 0;
			int64_t at;

			truth += missing;
			number += 1 + (int64_t)missing;
			at = number * 50 * MS;
			if (++calm > 20 && k < 980 &&
			    g_test_rand_int_range(0, 20) == 0) {
				busyUntil =
					at + g_test_rand_int_range(0, 250) * MS;
				calm = 0;
			}
			arrive(&arrivals, MAX(at, busyUntil), missing);
		}
		ptLmgDueStart(&due, 50 * MS);
		for (int i = 0; i < arrivals.count; i++)
			found += take(&due, &arrivals, i);
		/* A stall just when one is lost cannot be told from two that
		 * are lost. */
		g_assert_cmpuint(found, >=, truth);
		g_assert_cmpuint(found, <=, loses ? truth + 3 : truth);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *path = g_strdup_printf("/lmg-due/%s", rows[i].name);

		g_test_add_data_func(path, &rows[i], testRow);
		g_free(path);
	}
	g_test_add_func("/lmg-due/drift", testDrift);
	g_test_add_func("/lmg-due/grows", testGrows);
	g_test_add_func("/lmg-due/jitter", testJitter);
	g_test_add_func("/lmg-due/busy", testBusy);
	return g_test_run();
}
