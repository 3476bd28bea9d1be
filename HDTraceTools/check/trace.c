/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: order and nesting of the states of a trace, and what they
 * refer to.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/check/check.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/sites/sites.h"

/** What is known about the records at one depth, inside the same state. */
struct nesting {
	bool hasRecord;
	int64_t lastEnd;
	int64_t start; /**< Earliest, and where it stands. */
	int64_t startOffset;
	int64_t end; /**< Latest, and where it stands. */
	int64_t endOffset;
};

/** State of the check of one trace. */
struct traceCheck {
	struct check *check;
	const hdITraceFile *trace;
	struct checkSpan span;
	GArray *nestings; /**< struct nesting, by depth. */
	const char *rank;
	const char *thread;
	bool hasComms; /**< Whether the rank, or thread, has any. */
	bool hasTypes;
	GHashTable *comms; /**< Those that were met: asking takes long. */
	GHashTable *types;
	GHashTable *reported; /**< Ids that were reported. */
	uint64_t epochs;      /**< Those with a number; see messages.h. */
	struct sites *sites;
};

static struct nesting *traceCheckNestingAt(struct traceCheck *self,
					   unsigned int depth)
{
	if (self->nestings->len <= depth)
		g_array_set_size(self->nestings, depth + 1);
	return &g_array_index(self->nestings, struct nesting, depth);
}

/** The records before that lie in this state. */
static void checkChildren(struct traceCheck *self, const hdIRecord *record)
{
	struct nesting *inside = traceCheckNestingAt(self, record->depth + 1);

	if (inside->hasRecord && inside->start < record->start)
		toolReport(
			self->check->tool, "trc.outside", self->trace->file,
			inside->startOffset, 0,
			"starts before the enclosing state %s (offset %" PRId64
			")",
			record->name, record->offset);
	if (inside->hasRecord && inside->end > record->end)
		toolReport(self->check->tool, "trc.outside", self->trace->file,
			   inside->endOffset, 0,
			   "ends after the enclosing state %s (offset %" PRId64
			   ")",
			   record->name, record->offset);
	inside->hasRecord = false;
}

static void traceCheckCheckOrder(struct traceCheck *self,
				 const hdIRecord *record)
{
	struct nesting *nesting = traceCheckNestingAt(self, record->depth);

	if (nesting->hasRecord && record->start < nesting->lastEnd)
		toolReport(self->check->tool, "trc.overlap", self->trace->file,
			   record->offset, 0,
			   "starts before the previous state or event of the "
			   "same nesting ended");
	if (!nesting->hasRecord || record->start < nesting->start) {
		nesting->start = record->start;
		nesting->startOffset = record->offset;
	}
	if (!nesting->hasRecord || record->end > nesting->end) {
		nesting->end = record->end;
		nesting->endOffset = record->offset;
	}
	nesting->lastEnd = record->end;
	nesting->hasRecord = true;
}

/** Report once an id that a rank does not have. */
static void checkId(struct traceCheck *self, const hdIRecord *record,
		    const hdIAttribute *attribute, const char *rule,
		    const char *what)
{
	char *key = g_strdup_printf("%s %s", rule, attribute->value);

	if (g_hash_table_add(self->reported, key))
		toolReport(self->check->tool, rule, self->trace->file,
			   record->offset, 0,
			   "%s refers to the %s %s='%s', which rank %s does "
			   "not have",
			   record->name, what, attribute->name,
			   attribute->value, self->rank);
}

/** Whether the rank has a communicator. */
static bool hasComm(struct traceCheck *self, const char *id)
{
	if (g_hash_table_contains(self->comms, id))
		return true;
	return checkHasComm(self->check, self->rank, id) &&
	       g_hash_table_add(self->comms, g_strdup(id));
}

/** Whether the thread has a datatype. */
static bool hasType(struct traceCheck *self, const char *id)
{
	if (g_hash_table_contains(self->types, id))
		return true;
	return checkHasDatatype(self->check, self->rank, self->thread, id) &&
	       g_hash_table_add(self->types, g_strdup(id));
}

static void checkReferences(struct traceCheck *self, const hdIRecord *record)
{
	if (!self->hasComms && !self->hasTypes)
		return;
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];
		const char *name = attribute->name;

		if (self->hasComms && strcmp(name, "cid") == 0 &&
		    !hasComm(self, attribute->value))
			checkId(self, record, attribute, "trc.comm",
				"communicator");
		if (self->hasTypes &&
		    (strcmp(name, "tid") == 0 || strcmp(name, "sendTid") == 0 ||
		     strcmp(name, "recvTid") == 0) &&
		    !hasType(self, attribute->value))
			checkId(self, record, attribute, "trc.datatype",
				"datatype");
	}
}

/** Report a call site that is not described, or not rightly. */
static void checkSite(struct traceCheck *self, const hdIRecord *record)
{
	const struct site *site;
	enum siteSaid said = sitesTake(self->sites, record, &site);

	if (said == SITE_UNKNOWN)
		toolReport(self->check->tool, "trc.site", self->trace->file,
			   record->offset, 0,
			   "%s refers to a call site that is not described up "
			   "to there",
			   record->name);
	else if (said == SITE_WRONG)
		toolReport(self->check->tool, "trc.site", self->trace->file,
			   record->offset, 0,
			   "%s describes a call site without an address, or in "
			   "an object that is not described",
			   record->name);
}

static void checkRecord(struct traceCheck *self, const hdIRecord *record)
{
	if (self->check->lostOwner)
		traceCheckNestingAt(self, record->depth + 1)->hasRecord = false;
	self->check->lostOwner = false;
	if (record->kind == HDI_STATE)
		checkChildren(self, record);
	traceCheckCheckOrder(self, record);
	checkReferences(self, record);
	checkSite(self, record);
	checkMessage(self->check->messages, record);
	self->epochs += messagesEpoch(record, NULL);
}

static bool traceCheckCheckRecord(const hdIRecord *record, void *data)
{
	struct traceCheck *self = data;

	checkRecord(self, record);
	checkCover(&self->span, record->start, record->end);
	return true;
}

void checkTrace(struct check *check, const hdITraceFile *trace)
{
	hdITraceReader *reader = scanOpenTrace(&check->scan, trace);
	const char *thread = checkLabelAt(trace->node, check->threadLevel);
	struct traceCheck self = {
		.check = check,
		.trace = trace,
		.span = { .file = trace->file },
		.rank = checkLabelAt(trace->node, check->rankLevel),
		.thread = thread ? thread : "0",
	};

	if (!reader)
		return;
	self.nestings = g_array_new(FALSE, TRUE, sizeof(struct nesting));
	self.sites = sitesNew();
	self.hasComms = self.rank && checkHasComm(check, self.rank, NULL);
	self.hasTypes = self.rank &&
			checkHasDatatype(check, self.rank, self.thread, NULL);
	self.comms =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self.types =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self.reported =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	check->lostOwner = false;
	checkMessagesEnter(check->messages, trace);
	/* Nothing is left out, but the index is compared with all frames. */
	hdI_skipTrace(reader, INT64_MIN, INT64_MAX);
	if (scanRecords(&check->scan, reader, traceCheckCheckRecord, &self) ==
		    0 &&
	    !self.span.hasTime)
		toolReport(check->tool, "trc.empty", trace->file, -1, 0,
			   "no states and no events");
	if (self.epochs > 0)
		toolReport(check->tool, "trc.part", trace->file, -1, 0,
			   MESSAGES_EPOCHS, self.epochs);
	g_array_append_val(check->spans, self.span);
	g_array_free(self.nestings, TRUE);
	g_hash_table_destroy(self.comms);
	g_hash_table_destroy(self.types);
	g_hash_table_destroy(self.reported);
	sitesFree(self.sites);
	hdI_closeTrace(reader);
}
