/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The records of a rank as lines of a time-independent trace.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/ti/tirequest.h"

/** What states of a name are; functions of roles.table first. */
enum tiKind {
	KIND_OTHER, /**< Not of MPI. */
	KIND_INIT,
	KIND_FINALIZE,
	KIND_SEND,
	KIND_SSEND,
	KIND_ISEND,
	KIND_ISSEND,
	KIND_RECV,
	KIND_IRECV,
	KIND_EXCHANGE,
	KIND_BEGIN_EXCHANGE,
	KIND_MAKE_SEND,
	KIND_MAKE_SSEND,
	KIND_MAKE_RECV,
	KIND_START,
	KIND_COMPLETE,
	KIND_CANCEL,
	KIND_FREE,
	KIND_REFUSE,
	KIND_KINDS,
	KIND_TRACER,
	KIND_POLLS,
	KIND_COLLECTIVE,
	KIND_BEGIN,
	KIND_COLLECTIVE_LATER,
	KIND_FILE,
	KIND_LOCAL, /**< Of which nothing remains. */
};

/** The actions of functions of a kind. */
static const char *const kindActions[KIND_KINDS] = {
	[KIND_INIT] = "init",
	[KIND_FINALIZE] = "finalize",
	[KIND_SEND] = "send",
	[KIND_SSEND] = "send",
	[KIND_ISEND] = "isend",
	[KIND_ISSEND] = "isend",
	[KIND_RECV] = "recv",
	[KIND_IRECV] = "irecv",
	[KIND_EXCHANGE] = "isend irecv wait",
	[KIND_BEGIN_EXCHANGE] = "isend irecv",
	[KIND_START] = "isend irecv",
	[KIND_COMPLETE] = "wait",
};

static const struct {
	const char *name;
	enum tiKind kind;
} kinds[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#define MPI_REPLAY(name, KIND) { name, KIND_##KIND },
#include "HDTraceTools/model/mpi/functions.h"
};

/** What the count of an event is called for the time between calls. */
static const char *const outsideNames[] = {
	[TI_INSTRUCTIONS] = "outsideInstructions",
	[TI_CPU_TIME] = "outsideTaskClock",
	[TI_WALL_TIME] = NULL,
};

/* ---- Names ------------------------------------------------------------- */

static bool tiRankFindKind(struct tiName *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (strcmp(kinds[i].name, name->function) != 0)
			continue;
		name->kind = kinds[i].kind;
		if (kindActions[name->kind])
			name->action = kindActions[name->kind];
		name->isSynchronous = name->kind == KIND_SSEND ||
				      name->kind == KIND_ISSEND ||
				      name->kind == KIND_MAKE_SSEND;
		return true;
	}
	return false;
}

static bool tiRankFindCollective(struct tiName *name)
{
	static const uint8_t kindsOf[] = {
		[TI_PLAIN] = KIND_COLLECTIVE,
		[TI_BEGUN] = KIND_BEGIN,
		[TI_LATER] = KIND_COLLECTIVE_LATER,
	};
	enum tiOperation operation;
	enum tiForm form;

	if (!tiFindOperation(name->function, &operation, &form))
		return false;
	name->operation = operation;
	name->kind = kindsOf[form];
	if (form == TI_PLAIN && tiActionOf(operation))
		name->action = tiActionOf(operation);
	return true;
}

static void tiRankFindName(struct tiName *name, const char *recorded)
{
	*name = (struct tiName){ .function = recorded, .action = "" };
	name->isTest = pollsIsTest(recorded);
	if (pollsIsTracer(recorded))
		name->kind = KIND_TRACER;
	else if (pollsIsMixed(recorded))
		name->kind = KIND_POLLS;
	else if (tiRankFindKind(name) || tiRankFindCollective(name))
		;
	else if (g_str_has_prefix(recorded, "Win_"))
		name->kind = KIND_REFUSE;
	else if (g_str_has_prefix(recorded, "File_"))
		name->kind = KIND_FILE, name->action = "sleep";
	else if (mpiIsFunction(recorded))
		name->kind = KIND_LOCAL;
}

static struct tiName *tiRankName(struct tiRank *self, const hdIRecord *record)
{
	uint32_t number = messagesName(self->messages, record->name);

	while (self->names->len <= number) {
		struct tiName name = { .function = NULL };

		g_array_append_val(self->names, name);
	}
	struct tiName *name =
		&g_array_index(self->names, struct tiName, number);

	if (!name->function)
		tiRankFindName(name, g_intern_string(record->name));
	return name;
}

/* ---- Computation ------------------------------------------------------- */

/** Time between calls that is no computation. */
static void tiRankNoteBetween(struct tiRank *self, const hdIRecord *record,
			      int64_t time)
{
	self->before += self->latest;
	self->latest = time;
	self->latestStart = record->start;
}

static int64_t tiRankPolls(const hdIRecord *record)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count = pollsParts(record, parts);
	int64_t inside = 0;

	for (size_t i = 0; i < count; i++)
		inside += parts[i].time;
	return inside;
}

static bool tiRankOutside(const struct tiRank *self, const hdIRecord *record,
			  int64_t *count)
{
	const char *name = outsideNames[self->owner->report.compute];

	return name && messagesNumber(record->attributes,
				      record->attributeCount, name, count);
}

/** Add what was computed before a call. */
static void tiRankCompute(struct tiRank *self, const hdIRecord *record)
{
	int64_t time = record->start - self->lastEnd - self->before, count = 0;
	bool isCounted = tiRankOutside(self, record, &count);
	double perSecond = self->owner->speed / 1e9;

	/* What began in the call is not before it. */
	if (self->latestStart < record->start)
		time -= self->latest;
	time = MAX(time, 0);
	self->before = self->latest = 0;
	self->lastEnd = MAX(self->lastEnd, record->end);
	if (isCounted && count >= 0) {
		self->counted += (double)count;
		self->measured += (double)time;
		self->pending += self->owner->report.compute == TI_CPU_TIME
					 ? (double)count * perSecond
					 : (double)count;
	} else if (self->owner->report.compute != TI_INSTRUCTIONS) {
		self->estimated +=
			self->owner->report.compute == TI_CPU_TIME && time > 0;
		self->pending += (double)time * perSecond;
	} else if (time > 0 && self->measured > 0) {
		self->estimated++;
		self->pending += (double)time * self->counted / self->measured;
	}
}

/* ---- Calls ------------------------------------------------------------- */

static void tiRankCount(struct tiRank *self, enum tiOutcome outcome)
{
	self->name->counts[outcome]++;
}

/** A collective call; false: it cannot be replayed. */
static bool tiRankReadCall(struct tiRank *self,
			   const struct messageRecord *read,
			   struct tiCall *call)
{
	const hdIRecord *record = read->record;
	int64_t cid = -1, own = -1;

	*call = (struct tiCall){ .operation = self->name->operation,
				 .root = -1,
				 .size = -1,
				 .got = -1 };
	messageField(&read->own, MESSAGE_CID, &cid);
	call->group = messagesGroupOf(self->messages, cid);
	if (!call->group || call->group->remotes)
		return false;
	for (guint i = 0; i < call->group->globals->len; i++) {
		int64_t rank = g_array_index(call->group->globals, int64_t, i);

		if (rank < 0 || (size_t)rank >= self->owner->count)
			return false;
	}
	call->rank = messagesLocalRank(self->messages, cid);
	if (!messageField(&read->own, MESSAGE_ROOT_RANK, &call->root))
		messageField(&read->own, MESSAGE_ROOT, &call->root);
	messageField(&read->own, MESSAGE_SIZE, &call->size);
	messageField(&read->own, MESSAGE_RECV_SIZE, &call->got);
	messagesNumber(record->attributes, record->attributeCount, "ownSize",
		       &own);
	if (call->size < 0)
		call->size = MAX(own >= 0 ? own : call->got, 0);
	if (call->got < 0)
		call->got = own >= 0 ? own : call->size;
	if (call->operation == TI_REDUCE_SCATTER_BLOCK)
		call->got = call->size / call->group->globals->len;
	return call->rank >= 0;
}

static void tiRankCollective(struct tiRank *self,
			     const struct messageRecord *read)
{
	struct tiCall call;

	if (!tiRankReadCall(self, read, &call)) {
		tiRankCount(self, TI_REFUSED);
		return;
	}
	tiRequestTag(self, &call);
	if (tiIsNative(self->owner, &call)) {
		tiRankCount(self, TI_MAPPED);
		tiMark(self);
		tiPutNative(self, &call);
	} else {
		tiRankCount(self, TI_AS_MESSAGES);
		tiMarkAlways(self);
		tiPutMessages(self, &call);
	}
	tiMarkEnd(self);
}

static void tiRankBegin(struct tiRank *self, const struct messageRecord *read)
{
	bool isLater = self->name->kind == KIND_COLLECTIVE_LATER;
	struct tiRequest *request;
	struct tiCall call;
	int64_t rid;

	if (!messageField(&read->own, MESSAGE_RID, &rid) || rid < 0 ||
	    !tiRankReadCall(self, read, &call)) {
		tiRankCount(self, TI_REFUSED);
		return;
	}
	request = tiRequestNew(self, rid, isLater);
	request->isCollective = true;
	request->call = call;
	tiRankCount(self, isLater ? TI_MAPPED : TI_AS_MESSAGES);
	if (isLater)
		return;
	tiMark(self);
	tiRequestStart(self, request);
	tiMarkEnd(self);
}

/** Send, receive, or both, and wait. */
static void tiRankBlocking(struct tiRank *self,
			   const struct messageRecord *read)
{
	enum tiOutcome outcome = TI_MAPPED;

	tiMark(self);
	switch (self->name->kind) {
	case KIND_SEND:
	case KIND_SSEND:
		outcome = tiRequestSend(self, read);
		break;
	case KIND_RECV:
		outcome = tiRequestRecv(self, read);
		break;
	default:
		outcome = tiRequestExchange(self, read);
		break;
	}
	tiMarkEnd(self);
	tiRankCount(self, outcome);
}

static void tiRankCommunicate(struct tiRank *self,
			      const struct messageRecord *read)
{
	enum tiKind kind = self->name->kind;
	bool isMade = kind == KIND_MAKE_SEND || kind == KIND_MAKE_SSEND;
	bool isReceived = kind == KIND_IRECV || kind == KIND_MAKE_RECV ||
			  kind == KIND_BEGIN_EXCHANGE;
	bool isSent = !isReceived || kind == KIND_BEGIN_EXCHANGE;
	bool isLater = isMade || kind == KIND_MAKE_RECV;

	if (!isLater)
		tiMark(self);
	tiRankCount(self,
		    tiRequestMake(self, read, isSent, isReceived, isLater));
	tiMarkEnd(self);
}

static void tiRankComplete(struct tiRank *self,
			   const struct messageRecord *read)
{
	int64_t flag;

	if ((messageField(&read->own, MESSAGE_FLAG, &flag) ||
	     messageField(&read->own, MESSAGE_COMPLETED, &flag)) &&
	    flag == 0)
		return;
	tiRankCount(self, TI_MAPPED);
	tiMark(self);
	tiRequestComplete(self, read);
	tiMarkEnd(self);
}

static void tiRankSleep(struct tiRank *self, const hdIRecord *record)
{
	tiMark(self);
	tiPutSleep(self, record->end - record->start);
	tiMarkEnd(self);
}

static void tiRankFile(struct tiRank *self, const struct messageRecord *read)
{
	int64_t rid;

	tiRankCount(self, TI_MAPPED);
	if (messageField(&read->own, MESSAGE_RID, &rid) && rid >= 0)
		tiRequestNew(self, rid, false);
	if (read->record->end > read->record->start)
		tiRankSleep(self, read->record);
}

static void tiRankBeginEnd(struct tiRank *self, const hdIRecord *record)
{
	tiRankCount(self, TI_MAPPED);
	if (self->name->kind == KIND_FINALIZE) {
		tiPutText(self, "finalize", NULL);
		self->hasEnded = true;
		self->end = record->start;
	} else if (!self->hasBegun) {
		self->pending = 0;
		tiPutText(self, "init", NULL);
		self->hasBegun = true;
		self->start = record->end;
	}
}

static void tiRankCall(struct tiRank *self, const struct messageRecord *read)
{
	switch ((enum tiKind)self->name->kind) {
	case KIND_INIT:
	case KIND_FINALIZE:
		tiRankBeginEnd(self, read->record);
		break;
	case KIND_SEND:
	case KIND_SSEND:
	case KIND_RECV:
	case KIND_EXCHANGE:
		tiRankBlocking(self, read);
		break;
	case KIND_ISEND:
	case KIND_ISSEND:
	case KIND_IRECV:
	case KIND_BEGIN_EXCHANGE:
	case KIND_MAKE_SEND:
	case KIND_MAKE_SSEND:
	case KIND_MAKE_RECV:
		tiRankCommunicate(self, read);
		break;
	case KIND_START:
		tiRankCount(self, TI_MAPPED);
		tiMark(self);
		tiRequestStartAll(self, read);
		tiMarkEnd(self);
		break;
	case KIND_COMPLETE:
		tiRankComplete(self, read);
		break;
	case KIND_CANCEL:
		tiRankCount(self, TI_MAPPED);
		tiRequestCancel(self, read);
		break;
	case KIND_FREE:
		tiRankCount(self, TI_MAPPED);
		tiRequestForget(self, read);
		break;
	case KIND_COLLECTIVE:
		tiRankCollective(self, read);
		break;
	case KIND_BEGIN:
	case KIND_COLLECTIVE_LATER:
		tiRankBegin(self, read);
		break;
	case KIND_FILE:
		tiRankFile(self, read);
		break;
	case KIND_REFUSE:
		tiRankCount(self, TI_REFUSED);
		break;
	default:
		tiRankCount(self, TI_MAPPED);
		break;
	}
}

static void tiRankTake(struct tiRank *self, const hdIRecord *record)
{
	const struct messageRecord *read;
	int64_t polls;

	if (record->kind != HDI_STATE)
		return;
	self->name = tiRankName(self, record);
	if (messagesEpoch(record, NULL) && self->problems->len == 0)
		tiRefuse(self, record->start,
			 "recording was interrupted before");
	if (self->name->kind == KIND_OTHER)
		return;
	self->last = MAX(self->last, record->end);
	if (self->name->kind == KIND_TRACER) {
		tiRankNoteBetween(self, record, record->end - record->start);
		return;
	}
	polls = self->name->kind == KIND_POLLS || self->name->isTest
			? tiRankPolls(record)
			: 0;
	if (polls > 0 || self->name->kind == KIND_POLLS) {
		tiRankNoteBetween(self, record, polls);
		return;
	}
	if ((!self->hasBegun && self->name->kind != KIND_INIT) ||
	    self->hasEnded)
		return;
	self->calls++;
	tiRankCompute(self, record);
	read = messagesRead(self->messages, record);
	tiRankCall(self, read);
}

/* ---- A rank ------------------------------------------------------------ */

static void tiRankEnd(struct tiRank *self, bool isRead)
{
	tiRequestEnd(self);
	if (!self->hasBegun)
		tiRefuse(self, self->last, "MPI_Init is missing before");
	else if (!self->hasEnded || !isRead)
		tiRefuse(self, self->last,
			 "MPI_Finalize is missing; the trace ends");
}

int tiReadRank(struct tiRank *self, const struct diagnosticSink *sink)
{
	const hdIProject *project = self->owner->project;
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, self->trace, sink);
	const hdIRecord *record;
	int ret;

	if (!reader)
		return -errno;
	self->messages = messagesCopy(self->owner->messages);
	self->requests = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					       NULL, tiRequestFree);
	self->last = self->lastEnd = self->owner->start;
	messagesEnter(self->messages, self->trace, NULL);
	while ((ret = hdI_readTrace(reader, &record)) == 1)
		tiRankTake(self, record);
	tiRankEnd(self, ret == 0);
	hdI_closeTrace(reader);
	g_hash_table_destroy(self->requests);
	self->requests = NULL;
	messagesFree(self->messages);
	self->messages = NULL;
	tiTextSeal(&self->text);
	return self->text.error;
}
