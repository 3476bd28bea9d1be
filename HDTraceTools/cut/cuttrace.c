/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: a part of a trace.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/cut/cutchoice.h"
#include "HDTraceTools/cut/cutsites.h"
#include "HDTraceTools/cut/cutstate.h"
#include "HDTraceTools/edit/traceedit.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/units.h"

/** The number of an epoch in which messages are missing. */
#define CUT_THIN (-1)

/** The number of the epoch that begins with a part; programs count theirs from
 *  1. */
#define CUT_EPOCH (INT64_C(1) << 30)

/** A trace that is being written. */
struct cutTraceState {
	struct cut *cut;
	struct traceEdit writer;
	struct cutSites *sites;
	struct cutState state;
	GArray *inside; /**< bool: the part has something at this depth, inside
			 * of the next state around it. */
	size_t lost;    /**< Blocks of the file that have no owner. */
	bool hasLost;   /**< Before the next record. */
	bool isStarted; /**< The part has a state. */
	bool isRank;    /**< With messages that are counted by epochs. */
	GArray *region; /**< Where the trace is in the region; NULL: all. */
	int64_t epoch;
	int64_t sampleNs;   /**< Of samples; 0: not known, or written. */
	char *sampleSource; /**< Of samples; NULL: not known. */
};

static bool *cutTraceInside(struct cutTraceState *self, unsigned int depth)
{
	if (self->inside->len <= depth)
		g_array_set_size(self->inside, depth + 1);
	return &g_array_index(self->inside, bool, depth);
}

/** Count blocks without owner, and hand messages on. */
static void cutTraceTakeMessage(const hdIMessage *message, void *data)
{
	struct cutTraceState *self = data;

	if (strcmp(message->rule, "trc.nested-no-owner") == 0) {
		self->lost++;
		self->hasLost = true;
	}
	toolTakeDiagnostic(message, self->cut->tool);
}

/** Remember what a record before the part says about what follows. */
static void cutTraceSkip(struct cutTraceState *self, const hdIRecord *record)
{
	const char *source = attributeFind(
		record->attributes, record->attributeCount, "sampleSource");

	messagesEpoch(record, &self->epoch);
	messagesNumber(record->attributes, record->attributeCount, "sampleNs",
		       &self->sampleNs);
	if (source) {
		g_free(self->sampleSource);
		self->sampleSource = g_strdup(source);
	}
}

static void cutTraceWrite(struct cutTraceState *self, const hdIRecord *record)
{
	const struct selection *selection = &self->cut->selection;
	bool isSample = strcmp(record->name, "Sample") == 0;
	bool isState = record->kind == HDI_STATE;

	cutStateSet(&self->state, record, selection->start, selection->end);
	cutSitesAdd(self->sites, cutStateGet(&self->state),
		    self->state.elements);
	if (self->region && isState && self->isRank)
		/* Messages outside of the region are missing, whatever epoch
		 * begins. */
		cutStateSetNumber(&self->state, "part", CUT_THIN,
				  !self->isStarted);
	else if (isState && !self->isStarted && self->isRank &&
		 self->cut->hasEarlier)
		cutStateAddNumber(&self->state, "part",
				  self->epoch ? self->epoch : CUT_EPOCH);
	if (isSample && self->sampleNs > 0) {
		cutStateAddNumber(&self->state, "sampleNs", self->sampleNs);
		if (self->sampleSource)
			cutStateAddText(&self->state, "sampleSource",
					self->sampleSource);
		self->sampleNs = 0;
	}
	self->isStarted |= isState;
	traceEditRecord(&self->writer, cutStateGet(&self->state), self->lost);
	self->lost = 0;
}

/** Take a record; false: the part is over. */
static bool cutTraceAdd(const hdIRecord *record, void *data)
{
	struct cutTraceState *self = data;
	const struct selection *selection = &self->cut->selection;
	bool isIn = selectionHasTime(selection, record->start, record->end);
	bool *inside = cutTraceInside(self, record->depth + 1);

	if (self->hasLost)
		*inside = false;
	self->hasLost = false;
	cutSitesSee(self->sites, record);
	if (record->kind == HDI_STATE) {
		/* What is at a border may have its owner behind it. */
		isIn = isIn || *inside;
		*inside = false;
	}
	isIn = isIn && (!self->region || cutRegionHas(self->region, record));
	if (!isIn) {
		cutTraceSkip(self, record);
		return record->depth > 0 || record->start <= selection->end;
	}
	cutTraceWrite(self, record);
	*cutTraceInside(self, record->depth) = true;
	return true;
}

static int cutTraceRead(struct cutTraceState *self, hdITraceReader *reader)
{
	struct scan scan = cutScan(self->cut);
	const hdIAttribute *attributes;
	size_t count = 0;
	int more, ret;

	attributes = hdI_getTraceAttributes(reader, &count);
	traceEditProgram(&self->writer, attributes, count);
	extentSkipTrace(reader, self->cut->selection.start,
			self->cut->selection.end);
	more = scanRecords(&scan, reader, cutTraceAdd, self);
	ret = traceEditEnd(&self->writer);
	/* The root may be damaged, or have no attributes. */
	return attributes || more >= 0 ? ret : -EBADMSG;
}

bool cutTrace(struct cut *cut, const hdITraceFile *trace)
{
	struct newFile *new = cutStartFile(cut, trace->file);
	struct cutTraceState self = { .cut = cut };
	const struct diagnosticSink sink = { cutTraceTakeMessage, &self };
	hdITraceReader *reader;
	int ret;

	if (!new)
		return false;
	reader = diagnosticsOpenTrace(cut->project, trace, &sink);
	if (!reader)
		return cutEndFile(cut, trace->file, new, -errno);
	self.isRank = cut->project->communicatorCount > 0 &&
		      messagesRankOf(cut->project, trace->node) >= 0;
	self.sites = cutSitesNew();
	self.inside = g_array_new(FALSE, TRUE, sizeof(bool));
	if (cut->region) {
		self.region = cutRegionFind(cut, trace);
		cut->hasRegion = cut->hasRegion || self.region->len > 0;
	}
	cutStateInit(&self.state);
	traceEditBegin(&self.writer, new->file);
	ret = cutTraceRead(&self, reader);
	hdI_closeTrace(reader);
	cutStateClear(&self.state);
	g_array_unref(self.inside);
	if (self.region)
		g_array_unref(self.region);
	cutSitesFree(self.sites);
	g_free(self.sampleSource);
	return cutEndFile(cut, trace->file, new, ret);
}
