/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gauges of servers over time, of a predicted project; see project.h.
 *
 * Group Transfers: how many messages a server has to send, from when their data
 * are there until they have arrived, and the bytes that arrived. Group Memory:
 * bytes in use.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <hdStats.h>
#include "PredictionLibrary/output/project.h"

#define FLUSH 500

/* A number of a server changes; memory becomes what it says. */
struct step {
	double at;
	uint32_t server;
	uint32_t number; /* In the order of the simulation. */
	int64_t pending, bytes;
};

/* A group that is written. */
struct gauge {
	hdStatsGroup *group;
	bool isGood, hasBytes;
	double last;
	int64_t now, bytes; /* Until the next entry. */
	uint32_t written;
};

static int byServer(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->server != y->server)
		return x->server < y->server ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool addValue(hdStatsGroup *group, const char *name, const char *unit,
		     const char *kind, bool isOnChange)
{
	return hdS_addValue(group, name, INT64, unit, NULL) == 0 &&
	       hdS_addAttribute(group, "kind", kind) == 0 &&
	       (!isOnChange ||
		hdS_addAttribute(group, "written", "change") == 0) &&
	       hdS_addAttribute(group, "source", "hdpredict") == 0 &&
	       hdS_addAttribute(group, "simulated", "yes") == 0;
}

static struct gauge begin(const struct hdPredictProject *project,
			  uint32_t server, bool isMemory)
{
	hdTopoNode *node = hdPredictTopoNode(project, server, HD_PREDICT_NONE);
	struct timespec start = hdPredictTime(0);
	struct gauge self = { .hasBytes = !isMemory };

	self.group = node ? hdS_createGroup(isMemory ? "Memory" : "Transfers",
					    node, 1)
			  : NULL;
	if (node)
		hdT_destroyTopoNode(node);
	self.isGood =
		self.group &&
		(isMemory ? addValue(self.group, "Used", "B", "gauge", true)
			  : addValue(self.group, "Pending", "transfers",
				     "gauge", true) &&
				    addValue(self.group, "Bytes", "B", "delta",
					     false)) &&
		hdS_commitGroup(self.group) == 0 &&
		hdS_enableGroupAt(self.group, &start) >= 0;
	return self;
}

/* An entry covers the time before it; times in files are whole ns. */
static void write(struct gauge *self, double at)
{
	struct timespec when = hdPredictTime(at);

	self->isGood = self->isGood &&
		       hdS_setEntryTime(self->group, &when) == 0 &&
		       hdS_writeInt64Value(self->group, self->now) == 0 &&
		       (!self->hasBytes ||
			hdS_writeInt64Value(self->group, self->bytes) == 0) &&
		       (++self->written % FLUSH || hdS_flush(self->group) == 0);
	self->bytes = 0;
	self->last = at;
}

static int end(struct gauge *self, double makespan)
{
	hdLosses losses = { 0, 0 };

	if (!self->group)
		return -EIO;
	if (makespan > self->last)
		write(self, makespan);
	if (self->isGood)
		self->isGood = hdS_flush(self->group) == 0 &&
			       hdS_getLosses(self->group, &losses) == 0;
	return hdS_finalize(self->group) != 0 || !self->isGood || losses.records
		       ? -EIO
		       : 0;
}

/* One group of one server. */
static int writeServer(const struct hdPredictProject *project, uint32_t server,
		       const struct step *step, size_t count, bool isMemory)
{
	struct gauge self = begin(project, server, isMemory);

	for (size_t i = 0; i < count && self.isGood;) {
		double at = step[i].at;
		int64_t now = self.now;

		/* All of one moment, at the precision of files. */
		for (; i < count && step[i].at - at <= 1e-9; i++) {
			now = isMemory ? step[i].pending
				       : now + step[i].pending;
			self.bytes += step[i].bytes;
		}
		if (now == self.now && !self.bytes)
			continue;
		if (at - self.last > 1e-9)
			write(&self, at);
		self.now = now;
	}
	return end(&self, project->result->totals.makespan);
}

static int writeAll(const struct hdPredictProject *project, struct step *steps,
		    size_t count, bool isMemory)
{
	uint32_t servers = project->result->platform->serverCount;
	size_t from = 0;
	int ret = 0;

	if (count)
		qsort(steps, count, sizeof(*steps), byServer);
	for (uint32_t s = 0; s < servers && ret == 0; s++) {
		size_t until = from;

		while (until < count && steps[until].server == s)
			until++;
		ret = writeServer(project, s, steps + from, until - from,
				  isMemory);
		from = until;
	}
	return ret;
}

int hdPredictGauges(const struct hdPredictProject *project)
{
	const hdPResult *result = project->result;
	size_t count = 2 * result->transferCount;
	struct step *steps;
	int ret;

	if (result->fillCount > count)
		count = result->fillCount;
	steps = malloc((count + 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->transferCount; i++) {
		const struct hdPredictTransfer *from = &result->transfers[i];
		hdPTransfer about;

		hdP_getTransfer(result, i, &about);
		steps[2 * i] =
			(struct step){ from->ready, from->source, 2 * i, 1, 0 };
		steps[2 * i + 1] =
			(struct step){ from->end, from->source, 2 * i + 1, -1,
				       (int64_t)about.bytes };
	}
	ret = writeAll(project, steps, 2 * result->transferCount, false);
	for (uint32_t i = 0; i < result->fillCount; i++)
		steps[i] = (struct step){ result->fills[i].at,
					  result->fills[i].server, i,
					  (int64_t)result->fills[i].used, 0 };
	if (ret == 0)
		ret = writeAll(project, steps, result->fillCount, true);
	free(steps);
	return ret;
}
