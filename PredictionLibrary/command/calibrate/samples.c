/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the parts of hdcalibrate from a trace; see samples.h. */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "PredictionLibrary/command/calibrate/samples.h"

/* Parts of hdcalibrate, separated by Scan. */
enum samplesPart {
	PART_PING_PONG = 1,
	PART_ISEND,
	PART_SEND,
	PART_OVERLAP,
	PART_EXCHANGE,
	PART_COLLECTIVE,
};

/* A rank while it is read. */
struct samplesReader {
	GPtrArray *groups;
	bool isFirst; /* Rank 0. */
	GArray *ends; /* int64_t: when sends to a late receiver ended. */
	guint received;
	int part;
	int64_t start; /* Of what ends later, and its size. */
	int64_t size;
	bool isAfterBarrier;
};

static int samplesCompare(const void *a, const void *b)
{
	const struct samplesGroup *const *x = a, *const *y = b;
	int order = strcmp((*x)->what, (*y)->what);

	return order ? order
		     : ((*x)->size > (*y)->size) - ((*x)->size < (*y)->size);
}

struct samplesGroup *samplesFind(const GPtrArray *groups, const char *what,
				 int64_t size)
{
	for (guint i = 0; i < groups->len; i++) {
		struct samplesGroup *group = groups->pdata[i];

		if (group->size == size && strcmp(group->what, what) == 0)
			return group;
	}
	return NULL;
}

static void samplesFree(void *data)
{
	struct samplesGroup *group = data;

	g_array_unref(group->times);
	g_free(group);
}

static void samplesAdd(struct samplesReader *self, const char *what,
		       int64_t size, int64_t time)
{
	struct samplesGroup *group = samplesFind(self->groups, what, size);
	double seconds = (double)time / 1e9;

	if (!group) {
		group = g_new(struct samplesGroup, 1);
		group->what = g_intern_string(what);
		group->size = size;
		group->times = g_array_new(FALSE, FALSE, sizeof(double));
		g_ptr_array_add(self->groups, group);
	}
	g_array_append_val(group->times, seconds);
}

/* ---- Parts ------------------------------------------------------------- */

static void samplesTakePingPong(struct samplesReader *self,
				const hdIRecord *record, int64_t size)
{
	if (!self->isFirst)
		return;
	if (strcmp(record->name, "Send") == 0)
		self->start = record->start;
	else if (strcmp(record->name, "Recv") == 0)
		samplesAdd(self, SAMPLES_PING_PONG, size,
			   (record->end - self->start) / 2);
}

/* By how much a message was sent before it was received. */
static void samplesTakeEarly(struct samplesReader *self,
			     const hdIRecord *record, int64_t size)
{
	if (self->isFirst)
		g_array_append_val(self->ends, record->end);
	else if (self->received < self->ends->len)
		samplesAdd(self, SAMPLES_EARLY, size,
			   record->start - g_array_index(self->ends, int64_t,
							 self->received++));
}

static void samplesTakeLate(struct samplesReader *self, const hdIRecord *record,
			    int64_t size)
{
	int64_t time = record->end - record->start;

	if (self->part == PART_SEND && size > 0)
		samplesTakeEarly(self, record, size);
	if (strcmp(record->name, "Recv") == 0 && size > 0) {
		samplesAdd(self, SAMPLES_RECEIVE, size, time);
	} else if (strcmp(record->name, "Send") == 0 && size > 0) {
		samplesAdd(self, SAMPLES_SEND, size, time);
	} else if (strcmp(record->name, "Isend") == 0) {
		samplesAdd(self, SAMPLES_ISEND, size, time);
		self->start = record->start;
		self->size = size;
	} else if (strcmp(record->name, "Wait") == 0) {
		samplesAdd(self, SAMPLES_ISEND_WAIT, self->size,
			   record->end - self->start);
	}
}

static void samplesTakeOverlap(struct samplesReader *self,
			       const hdIRecord *record, int64_t size)
{
	if (strcmp(record->name, "Irecv") == 0)
		self->start = record->start;
	else if (strcmp(record->name, "Isend") == 0)
		self->size = size;
	else
		samplesAdd(self, SAMPLES_OVERLAP, self->size,
			   record->end - self->start);
}

static void samplesTakeCollective(struct samplesReader *self,
				  const hdIRecord *record, int64_t size)
{
	bool isBarrier = strcmp(record->name, "Barrier") == 0;

	if (self->isAfterBarrier)
		samplesAdd(self, record->name, isBarrier ? 0 : size,
			   record->end - record->start);
	self->isAfterBarrier = isBarrier && !self->isAfterBarrier;
}

static void samplesTake(struct samplesReader *self, const hdIRecord *record)
{
	int64_t size = 0;

	if (record->kind != HDI_STATE || pollsIsTracer(record->name))
		return;
	if (strcmp(record->name, "Scan") == 0) {
		self->part++;
		return;
	}
	messagesNumber(record->attributes, record->attributeCount, "size",
		       &size);
	switch (self->part) {
	case PART_PING_PONG:
		samplesTakePingPong(self, record, size);
		break;
	case PART_ISEND:
	case PART_SEND:
		samplesTakeLate(self, record, size);
		break;
	case PART_OVERLAP:
		samplesTakeOverlap(self, record, size);
		break;
	case PART_EXCHANGE:
		samplesAdd(self, SAMPLES_EXCHANGE, size,
			   record->end - record->start);
		break;
	case PART_COLLECTIVE:
		samplesTakeCollective(self, record, size);
		break;
	default:
		break;
	}
}

static bool samplesReadTrace(const hdIProject *project,
			     const hdITraceFile *trace,
			     struct samplesReader *self)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	const hdIRecord *record;

	if (!reader)
		return false;
	while (hdI_readTrace(reader, &record) == 1)
		samplesTake(self, record);
	hdI_closeTrace(reader);
	return self->part > PART_COLLECTIVE;
}

GPtrArray *samplesRead(const hdIProject *project)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(samplesFree);
	GArray *sent = g_array_new(FALSE, FALSE, sizeof(int64_t));
	const hdITraceFile *ends[2] = { NULL, NULL };
	int64_t last = 0;
	bool isGood = true;

	for (size_t i = 0; i < project->traceCount; i++) {
		int64_t rank =
			messagesRankOf(project, project->traces[i]->node);

		if (rank == 0)
			ends[0] = project->traces[i];
		if (rank > last) {
			last = rank;
			ends[1] = project->traces[i];
		}
	}
	for (int i = 0; i < 2 && isGood; i++) {
		struct samplesReader self = { .groups = groups,
					      .isFirst = i == 0,
					      .ends = sent };

		isGood = ends[i] && samplesReadTrace(project, ends[i], &self);
	}
	g_array_unref(sent);
	if (!isGood) {
		g_ptr_array_unref(groups);
		return NULL;
	}
	g_ptr_array_sort(groups, samplesCompare);
	return groups;
}
