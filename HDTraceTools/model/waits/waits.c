/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Wait states: what may be one is sorted by rank, the latest first, so that all
 * of a call comes together, after all messages that are received later.
 */
#include "config.h"

#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/waits/candidates.h"

struct waits {
	struct sorter *candidates; /**< struct waitCandidate */
	struct sorter *waits;      /**< struct wait */
	bool isChosen;             /**< Which of them count. */
	pthread_mutex_t mutex;     /**< For locks, while traces are read. */
};

static int64_t waitLength(const struct wait *wait)
{
	return wait->end - wait->start;
}

static int64_t candidateLength(const struct waitCandidate *candidate)
{
	/* A part of the wait is no time after it. */
	bool isPart =
		candidate->completion.kind < WAIT_KINDS &&
		waitKindInfo(candidate->completion.kind)->partOf != WAIT_NONE;

	return waitLength(&candidate->wait) +
	       (isPart ? 0 : waitLength(&candidate->completion));
}

/** The kind of a candidate's time, which may be that of the completion only. */
static enum waitKind candidateKind(const struct waitCandidate *candidate)
{
	return waitLength(&candidate->wait) > 0 ? candidate->wait.kind
						: candidate->completion.kind;
}

/** Those of the same end together; of a call the largest first, and of equal
 *  ones the first kind. */
static int compareCandidates(const void *a, const void *b)
{
	const struct waitCandidate *x = a;
	const struct waitCandidate *y = b;

	COMPARE_KEYS(x->wait.rank, y->wait.rank);
	COMPARE_KEYS(y->leave, x->leave);
	COMPARE_KEYS(x->wait.trace, y->wait.trace);
	COMPARE_KEYS(x->call, y->call);
	COMPARE_KEYS(candidateLength(y), candidateLength(x));
	COMPARE_KEYS(candidateKind(x), candidateKind(y));
	COMPARE_KEYS(x->wait.cause, y->wait.cause);
	COMPARE_KEYS(x->completion.cause, y->completion.cause);
	COMPARE_KEYS(x->sent, y->sent);
	return 0;
}

static int compareWaits(const void *a, const void *b)
{
	const struct wait *x = a;
	const struct wait *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->start, y->start);
	COMPARE_KEYS(x->end, y->end);
	COMPARE_KEYS(x->kind, y->kind);
	COMPARE_KEYS(x->cause, y->cause);
	return 0;
}

/** Those at the same time in the order of compareWaits(). */
static int waitCompareStart(const void *a, const void *b)
{
	const struct wait *x = a;
	const struct wait *y = b;

	COMPARE_KEYS(x->start, y->start);
	return compareWaits(a, b);
}

struct sorter *waitSorterNew(void)
{
	return sorterNew(sizeof(struct wait), waitCompareStart);
}

struct waits *waitsNew(void)
{
	struct waits *self = g_new0(struct waits, 1);

	self->candidates =
		sorterNew(sizeof(struct waitCandidate), compareCandidates);
	self->waits = sorterNew(sizeof(struct wait), compareWaits);
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void waitsFree(struct waits *self)
{
	if (!self)
		return;
	sorterFree(self->candidates);
	sorterFree(self->waits);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

struct waitCandidate waitsCandidate(const struct dependencyMatch *match,
				    const struct dependencyPart *part)
{
	const struct wait none = {
		.trace = part->trace,
		.cause = part->trace,
		.rank = part->rank,
		.kind = WAIT_NONE,
		.certainty = (uint8_t)match->certainty,
	};

	return (struct waitCandidate){
		.wait = none,
		.completion = none,
		.call = part->waited,
		.leave = part->end,
		.sent = INT64_MAX,
	};
}

void waitsSet(struct wait *wait, enum waitKind kind,
	      const struct dependencyPart *part,
	      const struct dependencyPart *cause, int64_t from, int64_t to)
{
	from = MAX(from, part->waited);
	to = MIN(to, part->end);
	if (to <= from)
		return;
	wait->kind = kind;
	wait->cause = cause->trace;
	wait->start = from;
	wait->end = to;
}

int waitsAdd(struct waits *self, const struct waitCandidate *candidate)
{
	return sorterAdd(self->candidates, candidate);
}

int waitsTake(const struct dependencyMatch *match, void *data)
{
	switch (match->meeting) {
	case MEETING_MESSAGE:
		return waitsOfMessage(data, match);
	case MEETING_COLLECTIVE:
		return waitsOfCollective(data, match);
	case MEETING_TEAM:
		return waitsOfTeam(data, match);
	case MEETING_FORK:
		return waitsOfFork(data, match);
	case MEETING_ACCESS:
		return waitsOfAccess(data, match);
	case MEETING_LOCK:
		return waitsOfLock(data, match);
	}
	return 0;
}

/** Whether a thread waits for a lock in states of a name. */
static bool waitsIsLock(const char *name)
{
	static const char *const names[] = { "omp.critical", "omp.lock",
					     "omp.ordered", "omp.atomic" };

	for (size_t i = 0; name[0] == 'o' && i < G_N_ELEMENTS(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

int waitsNote(struct waits *self, uint32_t trace, int64_t rank,
	      const hdIRecord *record)
{
	struct waitCandidate candidate = {
		.wait = {
			.trace = trace,
			.cause = WAIT_NO_CAUSE,
			.rank = rank,
			.start = record->start,
			.end = record->end,
			.kind = WAIT_LOCK,
		},
		.completion.kind = WAIT_NONE,
		.call = record->start,
		.leave = record->end,
		.sent = INT64_MAX,
	};
	int ret;

	if (record->kind != HDI_STATE || !waitsIsLock(record->name) ||
	    record->end <= record->start)
		return 0;
	pthread_mutex_lock(&self->mutex);
	ret = waitsAdd(self, &candidate);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/** What was seen of a rank, from its end backwards. */
struct waitsSeen {
	int64_t rank;
	int64_t leave;    /**< Of the calls that come. */
	int64_t earliest; /**< When the first message was sent of those that
			   *   are received after these, ... */
	int64_t during;   /**< ... or with them. */
	uint32_t trace;   /**< The call that was chosen from. */
	int64_t call;
	bool isAny;
};

/** Whether a candidate is the first of its call. */
static bool waitsSee(struct waitsSeen *seen,
		     const struct waitCandidate *candidate)
{
	const struct wait *wait = &candidate->wait;
	bool isSame;

	if (!seen->isAny || wait->rank != seen->rank)
		seen->earliest = seen->during = INT64_MAX;
	else if (candidate->leave != seen->leave)
		seen->earliest = seen->during;
	isSame = seen->isAny && wait->trace == seen->trace &&
		 candidate->call == seen->call &&
		 candidate->leave == seen->leave && wait->rank == seen->rank;
	seen->isAny = true;
	seen->rank = wait->rank;
	seen->leave = candidate->leave;
	seen->trace = wait->trace;
	seen->call = candidate->call;
	seen->during = MIN(seen->during, candidate->sent);
	return !isSame;
}

/** Keep the waits that count. */
static int waitsChoose(struct waits *self)
{
	struct waitsSeen seen = { .isAny = false };
	struct waitCandidate candidate;
	int ret;

	while ((ret = sorterNext(self->candidates, &candidate)) == 1) {
		if (!waitsSee(&seen, &candidate))
			continue;
		candidate.wait.isWrongOrder =
			candidate.wait.kind == WAIT_LATE_SENDER &&
			seen.earliest < candidate.sent;
		ret = waitLength(&candidate.wait) > 0
			      ? sorterAdd(self->waits, &candidate.wait)
			      : 0;
		if (ret == 0 && waitLength(&candidate.completion) > 0)
			ret = sorterAdd(self->waits, &candidate.completion);
		if (ret < 0)
			break;
	}
	sorterFree(self->candidates);
	self->candidates = NULL;
	self->isChosen = true;
	return ret;
}

int waitsNext(struct waits *self, struct wait *wait)
{
	int ret = self->isChosen ? 0 : waitsChoose(self);

	return ret < 0 ? ret : sorterNext(self->waits, wait);
}
