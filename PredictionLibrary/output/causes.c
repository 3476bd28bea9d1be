/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What began because something ended; see project.h.
 *
 * In a simulation nothing begins but at the moment in which something else
 * ends, or at 0. So what an activity (a task, or a transfer) began after is
 * among what ended exactly then and what it needs: its data, its PE or bridges,
 * or memory. What took no time, as it is written, is passed over: then it is
 * what that one began after.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/output/project.h"

/* What is known of what an activity began after; else its number. */
#define UNKNOWN (UINT64_MAX - 1)
#define SEARCHED (UINT64_MAX - 2)

/* An activity whose candidates are looked at. */
struct frame {
	uint64_t activity;
	size_t first, next;
};

struct hdPredictCauses {
	const struct hdPredictProject *project;
	uint64_t *before;    /* Of each activity; see above. */
	uint32_t *place;     /* Of each task in those by PE. */
	uint32_t *inputBy;   /* Transfer of each input, or NONE. */
	uint32_t *peOf;      /* PEs by server ... */
	uint32_t *peFirst;   /* ... and their first, and the end. */
	uint32_t *sent;      /* Transfers by source, likewise. */
	uint32_t *sentFirst; /* Both only if memory may be waited for. */
	uint64_t *found;     /* Candidates, of all frames. */
	size_t foundCount, foundRoom;
	struct frame *frames;
	size_t frameCount, frameRoom;
	int error;
};

/* ---- What ended when --------------------------------------------------- */

static bool isTask(const struct hdPredictCauses *self, uint64_t activity)
{
	return activity < self->project->result->graph->taskCount;
}

static uint32_t transferOf(const struct hdPredictCauses *self,
			   uint64_t activity)
{
	return (uint32_t)(activity - self->project->result->graph->taskCount);
}

static double predictCausesStartOf(const struct hdPredictCauses *self,
				   uint64_t activity)
{
	const hdPResult *result = self->project->result;

	return isTask(self, activity)
		       ? result->start[activity]
		       : result->transfers[transferOf(self, activity)].start;
}

static double predictCausesEndOf(const struct hdPredictCauses *self,
				 uint64_t activity)
{
	const hdPResult *result = self->project->result;

	return isTask(self, activity)
		       ? result->end[activity]
		       : result->transfers[transferOf(self, activity)].end;
}

static bool takesNoTime(const struct hdPredictCauses *self, uint64_t activity)
{
	return hdPredictNs(predictCausesStartOf(self, activity)) ==
	       hdPredictNs(predictCausesEndOf(self, activity));
}

static void predictCausesOfferCause(struct hdPredictCauses *self,
				    uint64_t activity, double when)
{
	if (predictCausesEndOf(self, activity) != when)
		return;
	if (hdPredictGrow(&self->found, self->foundCount, &self->foundRoom,
			  sizeof(*self->found)) < 0) {
		self->error = -ENOMEM;
		return;
	}
	self->found[self->foundCount++] = activity;
}

static void offerTransfer(struct hdPredictCauses *self, uint32_t transfer,
			  double when)
{
	predictCausesOfferCause(self,
				self->project->result->graph->taskCount +
					(uint64_t)transfer,
				when);
}

/* Offer those of a list, by their ends, that ended then. */
static void offerAll(struct hdPredictCauses *self, const uint32_t *list,
		     uint32_t count, bool areTasks, double when)
{
	uint64_t base = areTasks ? 0 : self->project->result->graph->taskCount;
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (predictCausesEndOf(self, base + list[middle]) < when)
			low = middle + 1;
		else
			high = middle;
	}
	for (;
	     low < count && predictCausesEndOf(self, base + list[low]) == when;
	     low++)
		predictCausesOfferCause(self, base + list[low], when);
}

/* Whatever ended then and may have made room in the memory of a server. */
static void offerMemory(struct hdPredictCauses *self, uint32_t server,
			double when)
{
	const hdPResult *result = self->project->result;
	const struct hdPredictPlan *plan = &result->plan;

	if (!self->peFirst ||
	    result->platform->servers[server].full != HD_PREDICT_FULL_DELAY)
		return;
	for (uint32_t i = self->peFirst[server]; i < self->peFirst[server + 1];
	     i++) {
		uint32_t pe = self->peOf[i], first = plan->first[pe];

		offerAll(self, plan->order + first, plan->first[pe + 1] - first,
			 true, when);
	}
	offerAll(self, self->sent + self->sentFirst[server],
		 self->sentFirst[server + 1] - self->sentFirst[server], false,
		 when);
}

/* What ended then on the PEs of a task. */
static void offerPes(struct hdPredictCauses *self, uint32_t task, double when)
{
	const hdPResult *result = self->project->result;
	const struct hdPredictPlan *plan = &result->plan;
	uint32_t count;
	const uint32_t *pes =
		hdPredictPlanPes(plan, result->platform, task, &count);

	if (count == 1 && self->place[task] > plan->first[*pes])
		predictCausesOfferCause(
			self, plan->order[self->place[task] - 1], when);
	for (uint32_t i = 0; i < count && count > 1; i++) {
		uint32_t first = plan->first[pes[i]];

		offerAll(self, plan->order + first,
			 plan->first[pes[i] + 1] - first, true, when);
	}
}

static void offerForTask(struct hdPredictCauses *self, uint32_t task)
{
	const hdPResult *result = self->project->result;
	const hdPGraph *graph = result->graph;
	uint32_t pe = result->plan.pe[task];
	double when = result->start[task];

	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		if (self->inputBy[j] != HD_PREDICT_NONE)
			offerTransfer(self, self->inputBy[j], when);
		else
			predictCausesOfferCause(
				self,
				hdPredictProducer(graph, graph->source[j]),
				when);
	}
	offerPes(self, task, when);
	offerMemory(self, result->platform->pes[pe].server, when);
}

static void offerForTransfer(struct hdPredictCauses *self, uint32_t number)
{
	const struct hdPredictProject *project = self->project;
	const hdPResult *result = project->result;
	const struct hdPredictTransfer *transfer = &result->transfers[number];
	double when = transfer->start;
	const uint32_t *edges;
	int count;

	/* It may begin when its data are there, and is ready then. */
	predictCausesOfferCause(
		self, hdPredictProducer(result->graph, transfer->dataSet),
		when);
	if (transfer->ready == when)
		return;
	count = hdPredictRoute(project->routes, transfer->source,
			       transfer->destination, &edges);
	if (count < 0)
		self->error = -ENOMEM;
	for (int i = 0; i < count && !result->isShared; i++) {
		uint32_t first = project->edgeFirst[edges[i]];

		offerAll(self, project->byEdge + first,
			 project->edgeFirst[edges[i] + 1] - first, false, when);
	}
	offerMemory(self, transfer->destination, when);
}

/* ---- What took time ---------------------------------------------------- */

static void predictCausesPushFrame(struct hdPredictCauses *self,
				   uint64_t activity)
{
	struct frame frame = { activity, self->foundCount, self->foundCount };

	if (hdPredictGrow(&self->frames, self->frameCount, &self->frameRoom,
			  sizeof(frame)) < 0) {
		self->error = -ENOMEM;
		return;
	}
	self->before[activity] = SEARCHED;
	if (isTask(self, activity))
		offerForTask(self, (uint32_t)activity);
	else
		offerForTransfer(self, transferOf(self, activity));
	/* The first that took time will do. */
	for (size_t i = frame.first; i < self->foundCount; i++) {
		if (takesNoTime(self, self->found[i]))
			continue;
		self->before[activity] = self->found[i];
		self->foundCount = frame.first;
		return;
	}
	self->frames[self->frameCount++] = frame;
}

/* Look at the next candidate of the topmost frame, none of which took time. */
static void predictCausesStep(struct hdPredictCauses *self)
{
	struct frame *frame = &self->frames[self->frameCount - 1];
	uint64_t before, candidate;

	if (frame->next < self->foundCount) {
		candidate = self->found[frame->next];
		before = self->before[candidate];
		if (before == UNKNOWN) {
			predictCausesPushFrame(self, candidate);
			return;
		}
		frame->next++;
		if (before == SEARCHED || before == HD_PREDICT_NOTHING)
			return;
		self->before[frame->activity] = before;
	} else {
		self->before[frame->activity] = HD_PREDICT_NOTHING;
	}
	self->foundCount = frame->first;
	self->frameCount--;
}

int hdPredictCause(struct hdPredictCauses *self, uint64_t activity,
		   uint64_t *cause)
{
	if (self->before[activity] == UNKNOWN)
		predictCausesPushFrame(self, activity);
	while (self->frameCount && !self->error)
		predictCausesStep(self);
	*cause = self->before[activity];
	return self->error;
}

/* ---- Begin and end ----------------------------------------------------- */

/* A message is for its first consumer, and for all further ones of its data set
 * on the same server. */
static int findInputs(struct hdPredictCauses *self)
{
	const hdPResult *result = self->project->result;
	const hdPGraph *graph = result->graph;
	uint32_t servers = result->platform->serverCount;
	uint32_t *last = malloc(((size_t)servers + 1) * sizeof(*last));

	if (!last)
		return -ENOMEM;
	/* To each server, of the data sets so far. */
	memset(last, 0xff, servers * sizeof(*last));
	memset(self->inputBy, 0xff, graph->inputCount * sizeof(uint32_t));
	for (uint32_t m = 0; m < result->transferCount; m++) {
		uint32_t first = result->transfers[m].consumer;

		self->inputBy[graph->consumerInput[first]] = m;
	}
	for (uint32_t d = 0; d < graph->outputCount; d++) {
		for (uint32_t c = graph->consumer[d];
		     c < graph->consumer[d + 1]; c++) {
			uint32_t pe = result->plan.pe[graph->consumerTask[c]];
			uint32_t server = result->platform->pes[pe].server;
			uint32_t *by = &self->inputBy[graph->consumerInput[c]];

			if (*by != HD_PREDICT_NONE)
				last[server] = *by;
			else if (last[server] != HD_PREDICT_NONE &&
				 result->transfers[last[server]].dataSet == d)
				*by = last[server];
		}
	}
	free(last);
	return 0;
}

static int groupByServer(struct hdPredictCauses *self)
{
	const hdPResult *result = self->project->result;
	const hdPPlatform *platform = result->platform;
	int ret = hdPredictGroup(platform->pes, sizeof(struct hdPredictPe),
				 offsetof(struct hdPredictPe, server),
				 platform->peCount, platform->serverCount,
				 &self->peFirst, &self->peOf);

	return ret < 0 ? ret
		       : hdPredictGroup(
				 result->transfers,
				 sizeof(struct hdPredictTransfer),
				 offsetof(struct hdPredictTransfer, source),
				 (uint32_t)result->transferCount,
				 platform->serverCount, &self->sentFirst,
				 &self->sent);
}

static bool mayDelay(const hdPPlatform *platform)
{
	for (uint32_t s = 0; s < platform->serverCount; s++) {
		if (platform->servers[s].full == HD_PREDICT_FULL_DELAY)
			return true;
	}
	return false;
}

struct hdPredictCauses *hdPredictCausesNew(
	const struct hdPredictProject *project)
{
	const hdPResult *result = project->result;
	uint32_t tasks = result->graph->taskCount;
	size_t activities = tasks + result->transferCount;
	struct hdPredictCauses *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->project = project;
	self->before = malloc((activities + 1) * sizeof(*self->before));
	self->place = malloc(((size_t)tasks + 1) * sizeof(*self->place));
	self->inputBy = malloc((result->graph->inputCount + 1) *
			       sizeof(*self->inputBy));
	if (!self->before || !self->place || !self->inputBy ||
	    findInputs(self) < 0 ||
	    (mayDelay(result->platform) && groupByServer(self) < 0)) {
		hdPredictCausesFree(self);
		return NULL;
	}
	for (size_t i = 0; i < activities; i++)
		self->before[i] = UNKNOWN;
	for (uint32_t i = 0; i < result->plan.first[result->platform->peCount];
	     i++)
		self->place[result->plan.order[i]] = i;
	return self;
}

void hdPredictCausesFree(struct hdPredictCauses *self)
{
	if (!self)
		return;
	free(self->before);
	free(self->place);
	free(self->inputBy);
	free(self->peOf);
	free(self->peFirst);
	free(self->sent);
	free(self->sentFirst);
	free(self->found);
	free(self->frames);
	free(self);
}
