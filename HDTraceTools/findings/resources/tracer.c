/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding of the time that the tracer takes for itself.
 */
#include "config.h"

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/polls.h"

/** Of each rank, most first; and the least of any. */
static GArray *tracerRanks(const struct findings *findings, int64_t time,
			   int64_t *least)
{
	GArray *ranks = findingShares();

	*least = INT64_MAX;
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		const struct findingShare share = {
			.rank = trace->rank,
			.time = trace->tracer,
		};

		*least = MIN(*least, trace->tracer);
		if (trace->rank >= 0 && trace->tracer > 0)
			g_array_append_val(ranks, share);
	}
	findingSortShares(ranks, time);
	return ranks;
}

void findingsFindTracer(struct findings *findings)
{
	const struct profileState *state =
		profileFind(findings->profile, POLLS_TRACER);
	struct finding finding = {
		.waits = WAIT_NONE,
		.kind = FINDING_TRACER,
		.title = "The tracer takes time of the program",
		.advice = "Record fewer functions (hdmpirun --classes), fewer "
			  "regions, or a part "
			  "of the run only.",
		.from = findings->start,
		.to = findings->end,
	};

	/* Less than 1 % of all time is nothing to be told. */
	if (!state || !findings->path ||
	    state->own.time <= findings->account.total / 100)
		return;
	finding.count = state->count;
	finding.time = state->own.time;
	if (findings->profile->sources > 0)
		finding.energy = state->own.amounts[FINDINGS_RULE];
	finding.waiting = tracerRanks(findings, finding.time, &finding.saved);
	finding.causing = findingShares();
	finding.nodes = findingShares();
	finding.threads = findingShares();
	finding.confidence = findingConfidenceOf(
		findings, finding.time - finding.energy.measured);
	finding.command = findingCommand(findings, finding.kind, finding.from,
					 finding.to);
	g_array_append_val(findings->list, finding);
}
