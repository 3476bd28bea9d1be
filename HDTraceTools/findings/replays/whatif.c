/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What-if: how long the run would take if something was changed.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/messages.h"

/** What is asked. */
struct question {
	enum {
		ASK_NO_WAIT,
		ASK_RANK,
		ASK_FUNCTION,
		ASK_LATENCY,
		ASK_BANDWIDTH,
		ASK_BALANCED,
	} what;
	enum waitKind kind; /**< WAIT_NONE: all. */
	int64_t rank;
	double factor;
};

/* ---- Reading ----------------------------------------------------------- */

static bool questionReadKind(struct question *question, const char *text)
{
	question->what = ASK_NO_WAIT;
	question->kind = WAIT_NONE;
	if (strcmp(text, "all") == 0)
		return true;
	for (int i = 0; i < WAIT_KINDS; i++) {
		question->kind = (enum waitKind)i;
		if (strcmp(waitKindInfo(question->kind)->name, text) == 0)
			return true;
	}
	return false;
}

static bool questionReadRank(struct question *question, const char *text)
{
	const char *end = strstr(text, "=median");
	char *number = g_strndup(text, end ? (gsize)(end - text) : 0);
	bool isOne = end && strcmp(end, "=median") == 0 &&
		     messagesReadNumber(number, &question->rank);

	g_free(number);
	question->what = ASK_RANK;
	return isOne;
}

/** "NAME=-20%" */
static bool questionReadFunction(struct question *question, const char *text)
{
	const char *value = strrchr(text, '=');
	char *end;
	double percent;

	question->what = ASK_FUNCTION;
	if (!value || value == text)
		return false;
	percent = g_ascii_strtod(value + 1, &end);
	question->factor = 1 + percent / 100;
	return end != value + 1 && strcmp(end, "%") == 0 &&
	       question->factor >= 0 && question->factor <= 1000;
}

static bool questionReadFactor(struct question *question, const char *text)
{
	char *end;

	question->factor = g_ascii_strtod(text, &end);
	return end != text && *end == '\0' && question->factor > 0 &&
	       question->factor <= 1e6;
}

static bool questionRead(struct question *question, const char *text)
{
	*question = (struct question){ .what = ASK_BALANCED };
	if (strcmp(text, "balanced") == 0)
		return true;
	if (g_str_has_prefix(text, "no-wait:"))
		return questionReadKind(question, text + 8);
	if (g_str_has_prefix(text, "rank:"))
		return questionReadRank(question, text + 5);
	if (g_str_has_prefix(text, "function:"))
		return questionReadFunction(question, text + 9);
	if (g_str_has_prefix(text, "latency=")) {
		question->what = ASK_LATENCY;
		return questionReadFactor(question, text + 8);
	}
	question->what = ASK_BANDWIDTH;
	return g_str_has_prefix(text, "bandwidth=") &&
	       questionReadFactor(question, text + 10);
}

int findingsCheckWhatIf(struct findings *findings)
{
	struct question question;

	for (size_t i = 0; findings->questions && findings->questions[i]; i++) {
		if (!questionRead(&question, findings->questions[i]))
			return toolUsage(
				findings->tool,
				"--what-if: invalid question \"%s\"; expected "
				"no-wait:KIND, no-wait:all, balanced, "
				"rank:N=median, function:NAME=PERCENT%%, "
				"latency=FACTOR or bandwidth=FACTOR",
				findings->questions[i]);
	}
	if (!findings->waitingText ||
	    strcmp(findings->waitingText, "busy") == 0)
		return -1;
	if (strcmp(findings->waitingText, "idle") != 0)
		return toolUsage(findings->tool,
				 "--waiting: invalid \"%s\"; expected busy or "
				 "idle",
				 findings->waitingText);
	return findings->idlePower >= 0
		       ? -1
		       : toolNeeds(findings->tool, "waiting", "idle-power");
}

/* ---- Answering --------------------------------------------------------- */

int64_t findingsWithoutWaits(const struct findings *findings,
			     enum waitKind kind)
{
	int64_t run = findingsRunTime(findings);
	int64_t longest = 0;

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		int64_t waits = kind == WAIT_NONE
					? trace->waitMpi + trace->waitIo +
						  trace->waitOpenmp +
						  trace->waitIdle
					: trace->waits[kind];

		if (trace->start != INT64_MAX)
			longest = MAX(longest, run - waits);
	}
	return longest;
}

static int compareTimes(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/** Factors of the computation of all traces, so that a rank computes as long
 *  as the median; NULL: there is no such rank. */
static double *medianFactors(const struct findings *findings, int64_t rank)
{
	size_t count = findings->project->traceCount;
	double *factors = g_new(double, count + 1);
	int64_t *times = g_new(int64_t, count + 1);
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(int64_t));
	bool isThere = false;
	int64_t median;

	for (size_t i = 0; i < count; i++) {
		times[i] =
			replayUseful(findings->replay, i, INT64_MIN, INT64_MAX);
		if (findings->traces[i].rank >= 0)
			g_array_append_val(ranks, times[i]);
	}
	if (ranks->len)
		qsort(ranks->data, ranks->len, sizeof(int64_t), compareTimes);
	median = ranks->len ? g_array_index(ranks, int64_t, ranks->len / 2) : 0;
	for (size_t i = 0; i < count; i++) {
		bool isIt = findings->traces[i].rank == rank && times[i] > 0;

		factors[i] = isIt ? (double)median / (double)times[i] : 1;
		isThere |= isIt;
	}
	g_array_unref(ranks);
	g_free(times);
	if (!isThere) {
		g_free(factors);
		return NULL;
	}
	return factors;
}

/** Run it with a model; what is not known stays unknown. */
static int answerReplay(const struct findings *findings,
			const struct replayModel *model,
			struct findingWhatIf *answer)
{
	int64_t run = findingsRunTime(findings);
	int ret = findingsReplayModel(findings, model, &answer->time);

	if (ret < 0)
		return ret == -EDEADLK ? 0 : ret;
	answer->spared = replaySpared(findings->replay);
	answer->isKnown = true;
	answer->method = "replay of the dependencies";
	answer->low = MIN(answer->time, run);
	answer->high = MAX(answer->time, run);
	return 0;
}

static int answerQuestion(struct findings *findings,
			  const struct question *question,
			  struct calls *const *named,
			  struct findingWhatIf *answer)
{
	struct replayModel model = REPLAY_MODEL;
	double *factors = NULL;
	int ret;

	switch (question->what) {
	case ASK_NO_WAIT:
		answer->time = answer->low = answer->high =
			findingsWithoutWaits(findings, question->kind);
		answer->isKnown = findings->account.total > 0;
		answer->method = "run time less the waits of each rank";
		return 0;
	case ASK_BALANCED:
		model.isBalanced = true;
		break;
	case ASK_RANK:
		factors = medianFactors(findings, question->rank);
		if (!factors)
			return 0;
		model.factors = factors;
		break;
	case ASK_FUNCTION:
		model.states = *named;
		model.statesFactor = question->factor;
		break;
	case ASK_LATENCY:
		model.latency = question->factor;
		break;
	case ASK_BANDWIDTH:
		model.bandwidth = question->factor;
		break;
	}
	ret = answerReplay(findings, &model, answer);
	g_free(factors);
	return ret;
}

int findingsAnswerWhatIf(struct findings *findings)
{
	struct calls *const *named = findings->named;
	int ret = 0;

	findingsAddAccount(findings);
	for (size_t i = 0;
	     ret == 0 && findings->questions && findings->questions[i]; i++) {
		struct findingWhatIf answer = {
			.spec = g_strdup(findings->questions[i]),
			.energy = NAN,
		};
		struct question question;

		questionRead(&question, answer.spec);
		ret = answerQuestion(findings, &question, named, &answer);
		named += question.what == ASK_FUNCTION;
		g_array_append_val(findings->whatIf, answer);
	}
	return ret;
}

/* ---- Energy ------------------------------------------------------------- */

/** Mean power of one rank while it computes, and while it waits. */
struct whatIfPower {
	double computing;
	double waiting;
	double idle; /**< The same, if it waits without work. */
};

static double whatIfWatts(const struct attributionAmount *amount)
{
	return amount->measured > 0 ? attributionEnergy(amount) /
					      ((double)amount->measured / 1e9)
				    : NAN;
}

static struct whatIfPower whatIfPowers(const struct findings *findings)
{
	const struct findingsWaiting *waiting = &findings->waiting;
	struct attributionAmount computing = { 0, 0 };
	struct attributionAmount idle = waiting->energy;
	struct whatIfPower power;

	for (guint i = 0; i < findings->ranks->len; i++) {
		const struct attributionAmount *amount =
			&g_array_index(findings->ranks, struct findingsRank, i)
				 .works[FINDINGS_COMPUTATION]
				 .amount;

		computing.pico += amount->pico;
		computing.measured += amount->measured;
	}
	idle.pico -= waiting->avoidable;
	power.computing = whatIfWatts(&computing);
	/* Where nobody waited, waiting is as computing. */
	power.waiting =
		waiting->time ? whatIfWatts(&waiting->energy) : power.computing;
	power.idle = whatIfWatts(&idle);
	return power;
}

/** The energy of the run less that of computation and of waits that are left
 *  out, and what is drawn while no rank is there in proportion to the time. */
static double whatIfEnergy(const struct findings *findings,
			   const struct whatIfPower *power,
			   const struct findingWhatIf *answer)
{
	double run = (double)findingsRunTime(findings) / 1e9;
	double time = (double)answer->time / 1e9;
	double spared = (double)answer->spared / 1e9;
	double fewer =
		(double)findings->account.total / 1e9 * (1 - time / run) -
		spared;
	double waited = (double)findings->waiting.time / 1e9;
	double rest = (double)findings->unattributed / 1e12;
	double energy = findings->energy.joules + rest * (time / run - 1);

	if (spared != 0)
		energy -= spared * power->computing;
	if (!findings->waitingText ||
	    strcmp(findings->waitingText, "idle") != 0)
		return energy - fewer * power->waiting;
	return energy - waited * power->waiting +
	       MAX(waited - fewer, 0) * power->idle;
}

void findingsChargeWhatIf(struct findings *findings)
{
	struct whatIfPower power = whatIfPowers(findings);

	for (guint i = 0; i < findings->whatIf->len; i++) {
		struct findingWhatIf *answer = &g_array_index(
			findings->whatIf, struct findingWhatIf, i);

		if (answer->isKnown && findings->energy.isKnown &&
		    knownIsWhole(findings->energy.known) &&
		    findingsRunTime(findings) > 0)
			answer->energy = whatIfEnergy(findings, &power, answer);
	}
}
