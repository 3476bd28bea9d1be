/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What probes count, as statistics groups. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdError.h>

#include "InstrumentationLibrary/bridge/aggregates.h"
#include "InstrumentationLibrary/src/core/page.h"
#include "common/format/projectname.h"
#include "recording/record.h"

/** Of the name of a probe, or of both ends of a transfer. */
#define NAME_PART 90

/** A probe's group. */
struct group {
	char name[HDPROBE_NAME_SIZE];
	char to[HDPROBE_NAME_SIZE];
	unsigned int kind;
	char file[2 * NAME_PART + 32]; /* The group's name. */
	bool isOpen;                   /* Else it could not be created. */
	struct hdRecord record;
	unsigned int events; /* Bits of those that have a column. */
	uint64_t owed; /* Instances that were counted, and none was timed. */
	double body, dispatch; /* Of an instance, when one was last timed. */
};

struct hdProbeAggregates {
	hdTopoNode *node;
	struct hdProbeWatch *watch;
	int64_t lastNs;
	size_t count;
	struct group *groups[HD_PROBE_PROBES];
	struct hdProbeFigures figures[HD_PROBE_PROBES];
};

/* ---- Groups ----------------------------------------------------------------
 */

static const struct hdRecordColumn instances = { .name = "Instances",
						 .type = INT64,
						 .kind = HD_KIND_DELTA };
static const struct hdRecordColumn body = {
	.name = "Body", .type = DOUBLE, .unit = "s", .kind = HD_KIND_DELTA
};
static const struct hdRecordColumn dispatch = {
	.name = "Dispatch", .type = DOUBLE, .unit = "s", .kind = HD_KIND_DELTA
};
static const struct hdRecordColumn missed = { .name = "Missed",
					      .type = INT64,
					      .kind = HD_KIND_DELTA };
static const struct hdRecordColumn mean = {
	.name = "Mean", .type = DOUBLE, .unit = "s", .kind = HD_KIND_GAUGE
};
static const struct hdRecordColumn p99 = {
	.name = "P99", .type = DOUBLE, .unit = "s", .kind = HD_KIND_GAUGE
};
static const struct hdRecordColumn bytes = {
	.name = "Bytes", .type = DOUBLE, .unit = "B", .kind = HD_KIND_DELTA
};
static const struct hdRecordColumn amount = { .name = "Amount",
					      .type = DOUBLE,
					      .kind = HD_KIND_DELTA };

/* By enum hdProbeEvent. */
static const struct hdRecordColumn events[HDPROBE_EVENTS] = {
#define EVENT(which, called, of)                    \
	[HDPROBE_EVENT_##which] = { .name = called, \
				    .type = DOUBLE, \
				    .unit = of,     \
				    .kind = HD_KIND_DELTA }
	EVENT(CYCLES, "Cycles", "cycles"),
	EVENT(INSTRUCTIONS, "Instructions", "instructions"),
	EVENT(CACHE_REFERENCES, "CacheReferences", "references"),
	EVENT(CACHE_MISSES, "CacheMisses", "misses"),
	EVENT(BRANCHES, "Branches", "branches"),
	EVENT(BRANCH_MISSES, "BranchMisses", "misses"),
	EVENT(PAGE_FAULTS, "PageFaults", "faults"),
	EVENT(TASK_CLOCK, "TaskClock", "s"),
#undef EVENT
};

static const struct hdRecordColumn *const timer[] = { &instances, &body,
						      &missed,    &mean,
						      &p99,       NULL };
static const struct hdRecordColumn *const kernel[] = {
	&instances, &body, &missed, &mean, &p99, &dispatch, NULL
};
static const struct hdRecordColumn *const transfer[] = { &instances, &bytes,
							 NULL };
static const struct hdRecordColumn *const counter[] = { &instances, &amount,
							NULL };

static const struct {
	const char *word;
	const struct hdRecordColumn *const *columns;
} kinds[] = {
	[HDPROBE_KIND_TIMER] = { "timer", timer },
	[HDPROBE_KIND_KERNEL] = { "kernel", kernel },
	[HDPROBE_KIND_TRANSFER] = { "transfer", transfer },
	[HDPROBE_KIND_COUNTER] = { "counter", counter },
};

/** A name that no other group has, of what names of files may have. */
static void nameGroup(const struct hdProbeAggregates *self, struct group *group)
{
	int length = snprintf(group->file, sizeof(group->file),
			      "Probe-%.*s%s%.*s", NAME_PART, group->name,
			      *group->to ? "-" : "", NAME_PART, group->to);

	hdProjectMakePlain(group->file);
	for (size_t i = 0, number = 2; i < self->count; i++) {
		if (strcmp(self->groups[i]->file, group->file) != 0)
			continue;
		snprintf(group->file + length,
			 sizeof(group->file) - (size_t)length, "-%zu",
			 number++);
		/* The new one may be taken, too. */
		i = SIZE_MAX;
	}
}

/* What the probe of a group counts, and has columns for. */
static int aggregatesAddEvents(struct group *group)
{
	struct hdProbe *probe = hdProbe_find(
		group->name, *group->to ? group->to : NULL, group->kind);
	int ret = 0;

	group->events =
		probe && hdProbeIsTime(group->kind) ? hdProbe_events(probe) : 0;
	for (unsigned int i = 0; ret == 0 && i < HDPROBE_EVENTS; i++) {
		if (group->events >> i & 1)
			ret = hdRecordAddColumn(&group->record, &events[i]);
	}
	return ret;
}

static int aggregatesOpenGroup(const struct hdProbeAggregates *self,
			       struct group *group)
{
	struct hdRecord *record = &group->record;
	const struct hdRecordColumn *const *column = kinds[group->kind].columns;
	int level = hdT_getTopoNodeLevel(self->node);
	int ret = hdRecordOpen(record, self->node, level, group->file);

	if (ret == 0)
		ret = hdS_addAttribute(record->group, "probe", group->name);
	if (ret == 0 && *group->to)
		ret = hdS_addAttribute(record->group, "probeTo", group->to);
	if (ret == 0)
		ret = hdS_addAttribute(record->group, "probeKind",
				       kinds[group->kind].word);
	for (; ret == 0 && *column; column++)
		ret = hdRecordAddColumn(record, *column);
	if (ret == 0)
		ret = aggregatesAddEvents(group);
	if (ret == 0)
		ret = hdRecordCommit(record);
	group->isOpen = ret == 0;
	if (ret != 0) {
		ret = errno;
		hdRecordClose(record);
	}
	return ret;
}

static bool isOf(const struct group *group,
		 const struct hdProbeFigures *figures)
{
	return group->kind == figures->kind &&
	       strcmp(group->name, figures->name) == 0 &&
	       strcmp(group->to, figures->to) == 0;
}

/** The group of a probe, made if need be; NULL: there is no memory. */
static struct group *aggregatesGroupOf(struct hdProbeAggregates *self,
				       size_t hint,
				       const struct hdProbeFigures *figures,
				       int *error)
{
	struct group *group;

	if (hint < self->count && isOf(self->groups[hint], figures))
		return self->groups[hint];
	for (size_t i = 0; i < self->count; i++) {
		if (isOf(self->groups[i], figures))
			return self->groups[i];
	}
	group = calloc(1, sizeof(*group));
	if (!group || self->count == HD_PROBE_PROBES) {
		free(group);
		*error = ENOMEM;
		return NULL;
	}
	memcpy(group->name, figures->name, sizeof(group->name));
	memcpy(group->to, figures->to, sizeof(group->to));
	group->kind = figures->kind;
	nameGroup(self, group);
	*error = aggregatesOpenGroup(self, group);
	self->groups[self->count++] = group;
	return group;
}

/* ---- Entries ---------------------------------------------------------------
 */

/** What is written of a time, with that of instances that are owed. */
static double aggregatesSettleTime(double sum, double each, uint64_t owed)
{
	return (isnan(sum) ? 0 : sum) + (owed ? each * (double)owed : 0);
}

static void fillTimes(struct group *group, const struct hdProbeFigures *new,
		      bool isLast, union hdCell *cells)
{
	bool isTimed = new->timed > 0;

	if (isTimed) {
		group->body = new->mean_s;
		group->dispatch = new->dispatch_mean_s;
	} else {
		group->owed += new->instances;
	}
	cells[1].d = aggregatesSettleTime(new->body_s, group->body,
					  isTimed || isLast ? group->owed : 0);
	cells[2].i = (int64_t) new->missed;
	cells[3].d = new->mean_s;
	cells[4].d = new->p99_s;
	cells[5].d = aggregatesSettleTime(new->dispatch_s, group->dispatch,
					  isTimed || isLast ? group->owed : 0);
	if (isTimed)
		group->owed = 0;
}

/* Events of no instance are 0; of instances that were not counted, unknown. */
static void fillEvents(const struct group *group,
		       const struct hdProbeFigures *new, union hdCell *cells)
{
	cells += group->kind == HDPROBE_KIND_KERNEL ? 6 : 5;
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		if (group->events >> i & 1)
			(cells++)->d = new->instances ? new->events[i] : 0;
	}
}

static int aggregatesWriteGroup(struct hdProbeAggregates *self,
				struct group *group,
				const struct hdProbeFigures *new, int64_t nowNs,
				bool isLast)
{
	union hdCell cells[6 + HDPROBE_EVENTS];

	if (!group->isOpen)
		return 0;
	cells[0].i = (int64_t) new->instances;
	if (hdProbeIsTime(group->kind)) {
		fillTimes(group, new, isLast, cells);
		fillEvents(group, new, cells);
	} else {
		cells[1].d = new->body_s;
	}
	return hdRecordAdd(&group->record, cells, self->lastNs, nowNs, false) ==
			       0
		       ? 0
		       : errno;
}

int hdProbeAggregatesWrite(struct hdProbeAggregates *self, int64_t nowNs,
			   bool isLast)
{
	int found =
		hdProbe_watchRead(self->watch, self->figures, HD_PROBE_PROBES);
	int first = 0;

	if (found < 0)
		return errno;
	for (size_t i = 0; i < (size_t)found && i < HD_PROBE_PROBES; i++) {
		int error = 0;
		struct group *group =
			aggregatesGroupOf(self, i, &self->figures[i], &error);

		if (group && !error)
			error = aggregatesWriteGroup(
				self, group, &self->figures[i], nowNs, isLast);
		if (!first)
			first = error;
	}
	self->lastNs = nowNs;
	return first;
}

int hdProbeAggregatesFlush(struct hdProbeAggregates *self)
{
	int first = 0;

	for (size_t i = 0; i < self->count; i++) {
		if (self->groups[i]->isOpen &&
		    hdS_flush(self->groups[i]->record.group) != 0 && !first)
			first = errno;
	}
	return first;
}

/* ---- All of it -------------------------------------------------------------
 */

struct hdProbeAggregates *hdProbeAggregatesCreate(hdTopoNode *node,
						  int64_t nowNs)
{
	struct hdProbeAggregates *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->node = node;
	self->lastNs = nowNs;
	self->watch = hdProbe_watch();
	if (self->watch)
		return self;
	free(self);
	return NULL;
}

int hdProbeAggregatesDestroy(struct hdProbeAggregates *self)
{
	int first = 0;

	for (size_t i = 0; self && i < self->count; i++) {
		struct group *group = self->groups[i];

		if (group->isOpen && hdRecordClose(&group->record) != 0 &&
		    !first)
			first = errno;
		free(group);
	}
	if (self)
		hdProbe_unwatch(self->watch);
	free(self);
	return first;
}
