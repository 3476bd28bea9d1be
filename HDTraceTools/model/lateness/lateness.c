/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Why others came late.
 */
#include "config.h"

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/lateness/lastsyncs.h"
#include "HDTraceTools/model/lateness/lateness.h"
#include "HDTraceTools/model/lateness/ownstates.h"

struct lateness {
	struct ownStates *states;
	struct lastSyncs *syncs;
	struct spool *waits; /**< struct wait, by trace and start. */
	uint64_t next;       /**< The offset of the next one. */
	struct ownSums waiting;
	struct ownSums causing;
};

struct lateness *latenessNew(size_t traces)
{
	struct lateness *self = g_new0(struct lateness, 1);

	self->states = ownStatesNew(traces);
	self->syncs = lastSyncsNew();
	self->waits = spoolNew();
	return self;
}

void latenessFree(struct lateness *self)
{
	if (!self)
		return;
	ownStatesFree(self->states);
	lastSyncsFree(self->syncs);
	spoolFree(self->waits);
	ownSumsClear(&self->waiting);
	ownSumsClear(&self->causing);
	g_free(self);
}

struct ownStatesReader *latenessEnter(struct lateness *self, uint32_t trace)
{
	return ownStatesEnter(self->states, trace);
}

int latenessTake(struct lateness *self, const struct dependencyMatch *match)
{
	return lastSyncsTake(self->syncs, match);
}

const char *latenessState(const struct lateness *self, uint32_t state)
{
	return ownStatesName(self->states, state);
}

/* ---- Waits -------------------------------------------------------------- */

bool latenessHasCauses(enum waitKind kind)
{
	switch (kind) {
	case WAIT_LATE_SENDER:
	case WAIT_WRONG_ORDER:
	case WAIT_LATE_RECEIVER:
	case WAIT_BARRIER:
	case WAIT_NXN:
	case WAIT_EARLY_REDUCE:
	case WAIT_EARLY_SCAN:
	case WAIT_LATE_BROADCAST:
	case WAIT_FENCE:
	case WAIT_IO:
		return true;
	default:
		return false;
	}
}

int latenessNext(struct lateness *self, struct wait *wait)
{
	int ret;

	if (self->next >= spoolLength(self->waits))
		return 0;
	ret = spoolRead(self->waits, self->next, wait, sizeof(*wait));
	self->next += sizeof(*wait);
	return ret < 0 ? ret : 1;
}

static int latenessNextWait(void *data, struct ownStatesWait *wait)
{
	struct wait full;
	int ret = latenessNext(data, &full);

	if (ret == 1)
		*wait = (struct ownStatesWait){ full.start, full.end,
						full.trace };
	return ret;
}

int latenessTakeWaits(struct lateness *self, struct waits *waits)
{
	bool isNeeded = false;
	struct wait wait;
	int ret;

	while ((ret = waitsNext(waits, &wait)) == 1) {
		ret = spoolAppend(self->waits, &wait, sizeof(wait));
		if (ret < 0)
			return ret;
		isNeeded = isNeeded || latenessHasCauses(wait.kind);
	}
	if (ret == 0 && isNeeded)
		ret = ownStatesEnd(self->states, latenessNextWait, self);
	self->next = 0;
	ownSumsInit(&self->waiting, self->states);
	ownSumsInit(&self->causing, self->states);
	return ret;
}

/* ---- Causes ------------------------------------------------------------- */

/** What both did since they synchronized, and how much later the cause left
 *  that. */
static int latenessCompare(struct lateness *self, const struct wait *wait,
			   int64_t *lag)
{
	struct lastSync sync = { wait->trace, wait->start, wait->cause,
				 wait->end };
	int ret = lastSyncsFind(self->syncs, &sync);

	if (ret == 0 && sync.time == INT64_MIN) {
		sync.time = ownStatesStart(self->states, wait->trace);
		sync.otherTime = ownStatesStart(self->states, wait->cause);
	}
	*lag = sync.otherTime > sync.time ? sync.otherTime - sync.time : 0;
	ownSumsReset(&self->waiting);
	ownSumsReset(&self->causing);
	if (ret == 0)
		ret = ownStatesAdd(self->states, wait->trace, sync.time,
				   wait->start, &self->waiting);
	return ret < 0 ? ret
		       : ownStatesAdd(self->states, wait->cause, sync.otherTime,
				      wait->end, &self->causing);
}

int latenessFind(struct lateness *self, const struct wait *wait, GArray *causes,
		 double *indirect)
{
	double length = (double)(wait->end - wait->start);
	double sum, scale;
	int64_t lag;
	int ret;

	g_array_set_size(causes, 0);
	*indirect = 0;
	if (!latenessHasCauses(wait->kind) || wait->cause == WAIT_NO_CAUSE)
		return 0;
	ret = latenessCompare(self, wait, &lag);
	sum = *indirect = (double)lag;
	for (uint32_t i = 0; ret == 0 && i < self->causing.count; i++) {
		uint32_t state = self->causing.numbers[i];
		const struct latenessCause cause = {
			state,
			(double)(self->causing.times[state] -
				 self->waiting.times[state]),
		};

		if (cause.time <= 0)
			continue;
		sum += cause.time;
		if (state == OWNSTATES_WAIT)
			*indirect += cause.time;
		else
			g_array_append_val(causes, cause);
	}
	scale = sum > length ? length / sum : 1;
	*indirect *= scale;
	for (guint i = 0; i < causes->len; i++)
		g_array_index(causes, struct latenessCause, i).time *= scale;
	return ret;
}
