/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report --format=json: what each rank spent its time and energy on.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/report.h"

/** As keys begin. */
static const char *const kinds[FINDINGS_WORKS] = {
	[FINDINGS_COMPUTATION] = "computation",
	[FINDINGS_MPI] = "mpi",
	[FINDINGS_IO] = "io",
	[FINDINGS_TRACER] = "tracer",
};

static void reportRanksPutNumber(struct outJson *json, const char *kind,
				 const char *unit, double number)
{
	char *key = g_strconcat(kind, unit, NULL);

	outJsonDouble(json, key, number);
	g_free(key);
}

static void reportRanksPutTime(struct outJson *json, const char *kind,
			       int64_t ns)
{
	char *key = g_strconcat(kind, "_s", NULL);

	outJsonSeconds(json, key, ns);
	g_free(key);
}

/** What one kind of work cost; nothing costs nothing, if any power is known. */
static double joulesOf(const struct findingsRank *rank, int kind)
{
	const struct findingsWork *work = &rank->works[kind];

	if (work->amount.measured)
		return attributionEnergy(&work->amount);
	return work->time == 0 && rank->amounts[FINDINGS_RULE].measured ? 0
									: NAN;
}

static void reportRanksPutRank(struct outJson *json,
			       const struct findingsRank *rank)
{
	int64_t all = 0;

	for (int i = 0; i < FINDINGS_WORKS; i++)
		all += rank->works[i].time;
	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rank->node->path);
	outJsonSeconds(json, "total_s", all);
	for (int i = 0; i < FINDINGS_WORKS; i++) {
		const struct findingsWork *work = &rank->works[i];

		reportRanksPutTime(json, kinds[i], work->time);
		reportRanksPutNumber(
			json, kinds[i], "_percent",
			all ? 100.0 * (double)work->time / (double)all : NAN);
		reportRanksPutNumber(json, kinds[i], "_j", joulesOf(rank, i));
	}
	outJsonEnd(json);
}

/** Of a kind of work, over all ranks. */
static void reportRanksPutKind(struct outJson *json, const GArray *ranks,
			       int kind)
{
	int64_t times[3] = { INT64_MAX, 0, INT64_MIN };
	double joules[3] = { INFINITY, 0, -INFINITY };
	static const char *const names[] = { "minimum", "mean", "maximum" };

	for (guint i = 0; i < ranks->len; i++) {
		const struct findingsRank *rank =
			&g_array_index(ranks, struct findingsRank, i);
		const struct findingsWork *work = &rank->works[kind];
		double energy = joulesOf(rank, kind);

		times[0] = MIN(times[0], work->time);
		times[1] += work->time;
		times[2] = MAX(times[2], work->time);
		/* What is not known of one is not of all. */
		joules[0] = isnan(energy) ? NAN : fmin(joules[0], energy);
		joules[1] += energy / ranks->len;
		joules[2] = isnan(energy) ? NAN : fmax(joules[2], energy);
	}
	times[1] /= ranks->len;
	outJsonObject(json, NULL, true);
	outJsonText(json, "kind", kinds[kind]);
	for (int i = 0; i < 3; i++) {
		reportRanksPutTime(json, names[i], times[i]);
		reportRanksPutNumber(json, names[i], "_j",
				     isnan(joules[1]) ? NAN : joules[i]);
	}
	outJsonEnd(json);
}

void reportPutRanks(const struct findings *findings, struct outJson *json)
{
	const GArray *ranks = findings->ranks;

	if (!ranks->len)
		return;
	outJsonArray(json, "ranks", false);
	for (guint i = 0; i < ranks->len; i++)
		reportRanksPutRank(
			json, &g_array_index(ranks, struct findingsRank, i));
	outJsonEnd(json);
	outJsonArray(json, "over_ranks", false);
	for (int i = 0; i < FINDINGS_WORKS; i++)
		reportRanksPutKind(json, ranks, i);
	outJsonEnd(json);
}
