/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file exportparaver.c
 * hdtrace export --to paraver: a .prv file with its .pcf and .row.
 *
 * Application 1 has a task for each rank and a thread for each trace;
 * application 2 has a task for each node with statistics. Records must be in
 * the order of time, so all files of the project are read at once.
 *
 * A state is a state record for the time in which it is the innermost one, and
 * an event where it starts and, with the value 0, ends; each depth has its own
 * type of events. A value is an event at the start of the interval of its
 * entry. Paraver knows integers only: floating point values are in thousandths.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "clock.h"
#include "export.h"
#include "messages.h"
#include "sorter.h"

/** Types of events. */
enum {
	TYPE_STATE = 90000001, /**< At depth 0; others follow. */
	TYPE_EVENT = 91000000,
	TYPE_VALUE = 92000001, /**< The first one. */
};

#define DEPTH_MAX 999999
#define VALUE_SCALE 1000

/** A file of the project while it is read. */
struct stream {
	const hdITraceFile *trace; /**< NULL for a group. */
	const hdIGroup *group;
	unsigned int appl, task, thread;
	int64_t time; /**< Of what comes next. */
	/* A trace. */
	struct ordered *ordered;
	struct orderedStep step;
	GArray *stack; /**< size_t: numbers of open states. */
	GString *text; /**< Records of the step before, without a state. */
	int64_t textTime;
	bool hasStep;
	/* A group. */
	hdIStatReader *reader;
	const hdIBlock *block;
	size_t entry;
	unsigned int *types; /**< Of its values; 0: not carried. */
};

/** One end of a message. */
struct end {
	uint64_t channel; /**< Sender, receiver, communicator and tag. */
	uint64_t number;  /**< Of the message in the channel. */
	bool isSent;
	unsigned int task, thread;
	int64_t time;
	int64_t size;
	int64_t tag;
};

/** Both ends of a message. */
struct comm {
	struct end sent;
	struct end received;
};

/** How many messages of a channel there were so far. */
struct channel {
	struct messageEnd key;
	uint64_t number;
	uint64_t sent;
	uint64_t received;
};

struct paraver {
	struct export *export;
	FILE *file;
	GArray *streams; /**< struct stream */
	GPtrArray *heap; /**< struct stream *, the earliest one first. */
	int64_t start;
	int64_t end;
	GHashTable *names; /**< Of states and events, to number. */
	GPtrArray *nameList;
	unsigned int depths; /**< That occur. */
	bool hasEvents;
	GHashTable *values; /**< Label to type. */
	GPtrArray *valueList;
	GPtrArray *hosts; /**< hdINode */
	GPtrArray *ranks; /**< hdINode of each task of application 1 ... */
	GPtrArray *nodes; /**< ... and of application 2. */
	struct messages *messages;
	GHashTable *channels;  /**< struct messageEnd to struct channel. */
	struct stream *sender; /**< The trace whose messages are found. */
	struct sorter *ends;
	struct sorter *comms;
	struct comm comm; /**< The next one, if hasComm. */
	bool hasComm;
	bool hasFailed;
};

/* ---- Names and numbers ------------------------------------------------- */

static size_t numberOf(GHashTable *table, GPtrArray *list, const char *name)
{
	gpointer found = g_hash_table_lookup(table, name);
	char *copy;

	if (found)
		return GPOINTER_TO_SIZE(found);
	copy = g_strdup(name);
	g_ptr_array_add(list, copy);
	g_hash_table_insert(table, copy, GSIZE_TO_POINTER(list->len));
	return list->len;
}

/** Position of a node in a list, from 1; it is added if it is not there. */
static unsigned int placeOf(GPtrArray *list, const hdINode *node)
{
	guint at;

	if (!g_ptr_array_find(list, node, &at)) {
		at = list->len;
		g_ptr_array_add(list, (gpointer)node);
	}
	return at + 1;
}

static const hdINode *hostOf(const hdINode *node)
{
	while (node->level > 1)
		node = node->parent;
	return node;
}

static const hdINode *rankOf(const hdIProject *project, const hdINode *node)
{
	int level = 0;

	for (size_t i = 0; i < project->levelCount && !level; i++) {
		if (g_ascii_strncasecmp(project->levels[i], "Rank", 4) == 0)
			level = (int)i + 1;
	}
	while (level && node->level > level)
		node = node->parent;
	return node;
}

/* ---- Traces ------------------------------------------------------------ */

static int64_t since(const struct paraver *self, int64_t time)
{
	return MAX(time - self->start, 0);
}

static void addEvent(struct paraver *self, struct stream *stream, int64_t time,
		     unsigned int type, int64_t value)
{
	g_string_append_printf(stream->text,
			       "2:0:%u:%u:%u:%" PRId64 ":%u:%" PRId64 "\n",
			       stream->appl, stream->task, stream->thread,
			       since(self, time), type, value);
}

static void takeStep(struct paraver *self, struct stream *stream)
{
	int ret = exportReadTrace(self->export, stream->ordered, stream->trace,
				  &stream->step);

	stream->hasStep = ret == 1;
	self->hasFailed |= ret < 0;
}

/** Turn steps at one time into records; the state record comes later. */
static void gatherSteps(struct paraver *self, struct stream *stream)
{
	stream->textTime = stream->step.time;
	while (stream->hasStep && stream->step.time == stream->textTime) {
		const hdIRecord *record = stream->step.record;
		size_t number =
			numberOf(self->names, self->nameList, record->name);
		unsigned int depth = MIN(record->depth, DEPTH_MAX);

		switch (stream->step.kind) {
		case ORDERED_ENTER:
			depth = MIN(stream->stack->len, DEPTH_MAX);
			g_array_append_val(stream->stack, number);
			addEvent(self, stream, stream->textTime,
				 TYPE_STATE + depth, (int64_t)number);
			self->depths = MAX(self->depths, depth + 1);
			exportLose(self->export, "attributes of states",
				   record->attributeCount +
					   record->elementCount);
			break;
		case ORDERED_LEAVE:
			g_array_set_size(stream->stack, stream->stack->len - 1);
			depth = MIN(stream->stack->len, DEPTH_MAX);
			addEvent(self, stream, stream->textTime,
				 TYPE_STATE + depth, 0);
			break;
		case ORDERED_EVENT:
			addEvent(self, stream, stream->textTime, TYPE_EVENT,
				 (int64_t)number);
			self->hasEvents = true;
			break;
		}
		takeStep(self, stream);
	}
}

/** Write what happens at the time of a trace, and go on to the next. */
static void writeSteps(struct paraver *self, struct stream *stream)
{
	guint depth;

	gatherSteps(self, stream);
	depth = stream->stack->len;
	if (stream->hasStep)
		fprintf(self->file,
			"1:0:%u:%u:%u:%" PRId64 ":%" PRId64 ":%zu\n",
			stream->appl, stream->task, stream->thread,
			since(self, stream->textTime),
			since(self, stream->step.time),
			depth ? g_array_index(stream->stack, size_t, depth - 1)
			      : 0);
	fwrite(stream->text->str, 1, stream->text->len, self->file);
	g_string_truncate(stream->text, 0);
	stream->time = stream->step.time;
	self->end = MAX(self->end, stream->textTime);
}

/* ---- Groups ------------------------------------------------------------ */

/** A value as an integer; false if it has none. */
static bool integerOf(struct paraver *self, const hdIBlock *block, hdIType type,
		      size_t column, size_t entry, int64_t *integer)
{
	const hdIColumn *values = &block->columns[column];
	double number;

	switch (type) {
	case HDI_INT32:
		*integer = values->int32[entry];
		return true;
	case HDI_INT64:
		*integer = values->int64[entry];
		return true;
	case HDI_UINT64:
		*integer = (int64_t)MIN(values->uint64[entry],
					(uint64_t)INT64_MAX);
		exportLose(self->export, "UINT64 beyond 63 bits",
			   values->uint64[entry] > INT64_MAX);
		return true;
	default:
		break;
	}
	number = exportNumber(block, type, column, entry) * VALUE_SCALE;
	if (isnan(number) || fabs(number) >= 0x1p63) {
		exportLose(self->export,
			   "missing, infinite and very large values", 1);
		return false;
	}
	*integer = (int64_t)llrint(number);
	exportLose(self->export, "digits behind thousandths",
		   (double)*integer != number);
	return true;
}

static void takeEntry(struct stream *stream)
{
	stream->hasStep = true;
	if (stream->block && ++stream->entry < stream->block->count)
		return;
	stream->entry = 0;
	stream->hasStep = hdI_readStat(stream->reader, &stream->block) == 1;
}

static void writeEntry(struct paraver *self, struct stream *stream)
{
	const hdIBlock *block = stream->block;
	bool hasValue = false;

	for (size_t k = 0; k < stream->group->valueCount; k++) {
		int64_t integer;

		if (!stream->types[k] ||
		    !integerOf(self, block, stream->group->values[k].type, k,
			       stream->entry, &integer))
			continue;
		if (!hasValue)
			fprintf(self->file, "2:0:%u:%u:%u:%" PRId64,
				stream->appl, stream->task, stream->thread,
				since(self, block->start[stream->entry]));
		fprintf(self->file, ":%u:%" PRId64, stream->types[k], integer);
		hasValue = true;
	}
	if (hasValue)
		putc('\n', self->file);
	exportLose(self->export, "gaps; the value before goes on",
		   block->isAfterGap[stream->entry]);
	self->end = MAX(self->end, block->end[stream->entry]);
	self->export->entries++;
	takeEntry(stream);
	if (stream->hasStep)
		stream->time = stream->block->start[stream->entry];
}

static unsigned int typeOf(struct paraver *self, const hdIValue *value,
			   const hdIGroup *group)
{
	bool isFloat = value->type == HDI_FLOAT || value->type == HDI_DOUBLE;
	char *label;
	size_t number;

	if (value->type == HDI_STRING) {
		exportLose(self->export, "values of the type STRING", 1);
		return 0;
	}
	label = g_strdup_printf("%s %s%s%s%s", group->name, value->name,
				*value->unit || isFloat ? " in " : "",
				isFloat ? "0.001 " : "", value->unit);
	number = numberOf(self->values, self->valueList, label);
	g_free(label);
	exportLose(self->export, "groupings and other attributes of values",
		   *value->grouping || value->attributeCount);
	return (unsigned int)(TYPE_VALUE + number - 1);
}

/* ---- Messages ---------------------------------------------------------- */

static int compareEnds(const void *a, const void *b)
{
	const struct end *x = a;
	const struct end *y = b;

	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return y->isSent - x->isSent;
}

static int compareComms(const void *a, const void *b)
{
	const struct comm *x = a;
	const struct comm *y = b;

	if (x->sent.time != y->sent.time)
		return x->sent.time < y->sent.time ? -1 : 1;
	return compareEnds(&x->sent, &y->sent);
}

static void fail(struct paraver *self, int error)
{
	toolError(self->export->tool, "temporary file: %s", strerror(-error));
	self->hasFailed = true;
}

static void addEnd(const struct messageEnd *end, void *data)
{
	struct paraver *self = data;
	struct channel *channel = g_hash_table_lookup(self->channels, end);
	struct end item = {
		.isSent = end->isSent,
		.task = self->sender->task,
		.thread = self->sender->thread,
		.time = end->time,
		.size = end->size,
		.tag = end->tag,
	};
	int ret;

	if (!channel) {
		channel = g_new0(struct channel, 1);
		channel->key = *end;
		channel->number = g_hash_table_size(self->channels);
		g_hash_table_insert(self->channels, &channel->key, channel);
	}
	item.channel = channel->number;
	item.number = end->isSent ? channel->sent++ : channel->received++;
	ret = sorterAdd(self->ends, &item);
	if (ret < 0)
		fail(self, ret);
}

static void findEnds(struct paraver *self, struct stream *stream)
{
	hdITraceReader *reader;
	const hdIRecord *record;

	if (!stream->trace ||
	    !messagesEnter(self->messages, stream->trace, NULL))
		return;
	reader = hdI_openTrace(self->export->project, stream->trace);
	self->sender = stream;
	while (reader && !self->hasFailed &&
	       hdI_readTrace(reader, &record) == 1)
		messagesFind(self->messages, record, addEnd, self);
	hdI_closeTrace(reader);
}

static void nextComm(struct paraver *self)
{
	int ret = sorterNext(self->comms, &self->comm);

	self->hasComm = ret == 1;
	if (ret < 0)
		fail(self, ret);
}

/** Put the ends together. */
static void joinEnds(struct paraver *self)
{
	struct comm comm;
	uint64_t loose = 0;
	bool hasSent = false;
	int ret = 0;

	while (ret == 0 &&
	       (ret = sorterNext(self->ends, &comm.received)) == 1) {
		ret = 0;
		if (comm.received.isSent) {
			comm.sent = comm.received;
			loose++;
			hasSent = true;
		} else if (hasSent &&
			   comm.sent.channel == comm.received.channel &&
			   comm.sent.number == comm.received.number) {
			loose--;
			hasSent = false;
			ret = sorterAdd(self->comms, &comm);
			self->export->messages++;
		} else {
			loose++;
		}
	}
	if (ret < 0)
		fail(self, ret);
	exportLose(self->export,
		   "arrows of messages of which one end is recorded", loose);
}

static void findComms(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++)
		findEnds(self, &g_array_index(self->streams, struct stream, i));
	if (!self->hasFailed)
		joinEnds(self);
	if (!self->hasFailed)
		nextComm(self);
}

/** Write the messages that were sent until then. */
static void writeComms(struct paraver *self, int64_t until)
{
	while (self->hasComm && self->comm.sent.time <= until) {
		const struct end *sent = &self->comm.sent;
		const struct end *received = &self->comm.received;
		int64_t start = since(self, sent->time);
		int64_t end = since(self, MAX(received->time, sent->time));
		int64_t size = MAX(sent->size, received->size);

		exportLose(self->export,
			   "times of messages that arrive before they are sent",
			   received->time < sent->time);
		fprintf(self->file,
			"3:0:1:%u:%u:%" PRId64 ":%" PRId64 ":0:1:%u:%u:%" PRId64
			":%" PRId64 ":%" PRId64 ":%" PRId64 "\n",
			sent->task, sent->thread, start, start, received->task,
			received->thread, end, end, MAX(size, 0), sent->tag);
		self->end = MAX(self->end, received->time);
		nextComm(self);
	}
}

/* ---- All files at once ------------------------------------------------- */

static void siftDown(GPtrArray *heap, guint at)
{
	for (;;) {
		guint child = 2 * at + 1;
		const struct stream *one;
		gpointer swap;

		if (child >= heap->len)
			return;
		one = heap->pdata[child];
		if (child + 1 < heap->len) {
			const struct stream *other = heap->pdata[child + 1];

			if (other->time < one->time) {
				one = other;
				child++;
			}
		}
		if (((const struct stream *)heap->pdata[at])->time <= one->time)
			return;
		swap = heap->pdata[at];
		heap->pdata[at] = heap->pdata[child];
		heap->pdata[child] = swap;
		at = child;
	}
}

static void writeRecords(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++) {
		struct stream *stream =
			&g_array_index(self->streams, struct stream, i);

		if (stream->hasStep)
			g_ptr_array_add(self->heap, stream);
	}
	for (guint i = self->heap->len; i > 0; i--)
		siftDown(self->heap, i - 1);
	while (self->heap->len && !self->hasFailed && !ferror(self->file)) {
		struct stream *stream = self->heap->pdata[0];

		writeComms(self, stream->time);
		if (stream->trace)
			writeSteps(self, stream);
		else
			writeEntry(self, stream);
		if (!stream->hasStep) {
			self->heap->pdata[0] =
				self->heap->pdata[self->heap->len - 1];
			g_ptr_array_set_size(self->heap,
					     (gint)self->heap->len - 1);
		}
		if (self->heap->len)
			siftDown(self->heap, 0);
	}
	writeComms(self, INT64_MAX);
}

/** There is a file and maybe a temporary one for each stream. */
static void allowFiles(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void openTrace(struct paraver *self, const hdITraceFile *trace)
{
	const hdINode *rank = rankOf(self->export->project, trace->node);
	struct stream stream = { .trace = trace, .appl = 1, .thread = 1 };

	stream.ordered = exportOpenTrace(self->export, trace);
	if (!stream.ordered)
		return;
	placeOf(self->hosts, hostOf(trace->node));
	stream.task = placeOf(self->ranks, rank);
	for (guint i = 0; i < self->streams->len; i++)
		stream.thread +=
			g_array_index(self->streams, struct stream, i).task ==
			stream.task;
	stream.stack = g_array_new(FALSE, FALSE, sizeof(size_t));
	stream.text = g_string_new(NULL);
	takeStep(self, &stream);
	stream.time = stream.step.time;
	if (stream.hasStep)
		self->start = MIN(self->start, stream.time);
	g_array_append_val(self->streams, stream);
}

static void openGroup(struct paraver *self, const hdIGroup *group,
		      unsigned int appl)
{
	struct stream stream = { .group = group, .appl = appl, .thread = 1 };

	stream.reader = exportOpenStat(self->export, group);
	if (!stream.reader)
		return;
	placeOf(self->hosts, hostOf(group->node));
	stream.task = placeOf(self->nodes, group->node);
	stream.types = g_new0(unsigned int, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++)
		stream.types[i] = typeOf(self, &group->values[i], group);
	takeEntry(&stream);
	if (stream.hasStep) {
		stream.time = stream.block->start[0];
		self->start = MIN(self->start, stream.time);
	}
	g_array_append_val(self->streams, stream);
}

static void openAll(struct paraver *self)
{
	const hdIProject *project = self->export->project;
	unsigned int appl;

	allowFiles();
	for (size_t i = 0; i < project->traceCount; i++)
		openTrace(self, project->traces[i]);
	appl = self->ranks->len ? 2 : 1;
	for (size_t i = 0; i < project->groupCount; i++)
		openGroup(self, project->groups[i], appl);
	if (self->start == INT64_MAX)
		self->start = 0;
	self->end = self->start;
}

static void closeAll(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++) {
		struct stream *stream =
			&g_array_index(self->streams, struct stream, i);

		orderedClose(stream->ordered);
		hdI_closeStat(stream->reader);
		if (stream->stack)
			g_array_unref(stream->stack);
		if (stream->text)
			g_string_free(stream->text, TRUE);
		g_free(stream->types);
	}
}

/* ---- The files --------------------------------------------------------- */

/** Threads of a task, and tasks of a host. */
static guint countThreads(const struct paraver *self, unsigned int task)
{
	guint count = 0;

	for (guint i = 0; i < self->streams->len; i++) {
		const struct stream *stream =
			&g_array_index(self->streams, struct stream, i);

		count += stream->trace && stream->task == task;
	}
	return count;
}

static guint countTraces(const struct paraver *self, const hdINode *host)
{
	guint count = 0;

	for (guint i = 0; i < self->streams->len; i++) {
		const struct stream *stream =
			&g_array_index(self->streams, struct stream, i);

		count += stream->trace && hostOf(stream->trace->node) == host;
	}
	return count;
}

static void putTasks(struct paraver *self, const GPtrArray *tasks,
		     bool areRanks)
{
	if (!tasks->len)
		return;
	fprintf(self->file, ":%u(", tasks->len);
	for (guint i = 0; i < tasks->len; i++)
		fprintf(self->file, "%s%u:%u", i ? "," : "",
			areRanks ? countThreads(self, i + 1) : 1,
			placeOf(self->hosts, hostOf(tasks->pdata[i])));
	putc(')', self->file);
}

/** The header; its length is found out at the end, so it has a fixed width. */
static void putHeader(struct paraver *self)
{
	time_t when = (time_t)(self->start / HD_NS_PER_S);
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		strftime(date, sizeof(date), "%d/%m/%Y at %H:%M", &tm);
	fprintf(self->file, "#Paraver (%s):%020" PRId64 "_ns:%u(", date,
		since(self, self->end), self->hosts->len);
	for (guint i = 0; i < self->hosts->len; i++)
		fprintf(self->file, "%s%u", i ? "," : "",
			MAX(countTraces(self, self->hosts->pdata[i]), 1));
	fprintf(self->file, "):%u",
		(self->ranks->len > 0) + (self->nodes->len > 0));
	putTasks(self, self->ranks, true);
	putTasks(self, self->nodes, false);
	putc('\n', self->file);
}

/** Text in one line. */
static void putLabel(FILE *file, const char *text)
{
	GString *out = g_string_new(NULL);

	outAppendPrintable(out, text, strlen(text));
	fprintf(file, "%s\n", out->str);
	g_string_free(out, TRUE);
}

static void putNames(const struct paraver *self, FILE *file, const char *zero)
{
	fprintf(file, "0    %s\n", zero);
	for (guint i = 0; i < self->nameList->len; i++) {
		fprintf(file, "%u    ", i + 1);
		putLabel(file, self->nameList->pdata[i]);
	}
}

static void putConfiguration(struct paraver *self, FILE *file)
{
	fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"
	      "UNITS               NANOSEC\n\nSTATES\n",
	      file);
	putNames(self, file, "Outside of states");
	for (unsigned int i = 0; i < self->depths; i++) {
		fprintf(file,
			"\nEVENT_TYPE\n0    %u    State at depth %u\n"
			"VALUES\n",
			TYPE_STATE + i, i);
		putNames(self, file, "End");
	}
	if (self->hasEvents) {
		fprintf(file, "\nEVENT_TYPE\n0    %u    Event\nVALUES\n",
			TYPE_EVENT);
		putNames(self, file, "None");
	}
	for (guint i = 0; i < self->valueList->len; i++) {
		fprintf(file, "\nEVENT_TYPE\n7    %u    ", TYPE_VALUE + i);
		putLabel(file, self->valueList->pdata[i]);
	}
}

static void putRows(struct paraver *self, FILE *file)
{
	guint threads = self->nodes->len;

	fprintf(file, "LEVEL NODE SIZE %u\n", self->hosts->len);
	for (guint i = 0; i < self->hosts->len; i++)
		putLabel(file, ((const hdINode *)self->hosts->pdata[i])->label);
	for (guint i = 0; i < self->ranks->len; i++)
		threads += countThreads(self, i + 1);
	fprintf(file, "\nLEVEL THREAD SIZE %u\n", threads);
	for (guint task = 1; task <= self->ranks->len; task++) {
		for (guint i = 0; i < self->streams->len; i++) {
			const struct stream *stream =
				&g_array_index(self->streams, struct stream, i);

			if (stream->trace && stream->task == task)
				putLabel(file, stream->trace->node->path);
		}
	}
	for (guint i = 0; i < self->nodes->len; i++) {
		const hdINode *node = self->nodes->pdata[i];

		fputs("statistics of ", file);
		putLabel(file, *node->path ? node->path : node->label);
	}
}

static int writeTrace(struct paraver *self, const char *base)
{
	char *name = g_strconcat(base, ".prv", NULL);
	struct newFile file;
	int ret = exportStartFile(self->export, &file, name);

	g_free(name);
	if (ret < 0)
		return ret;
	self->file = file.file;
	putHeader(self);
	writeRecords(self);
	/* Now the end is known. */
	rewind(self->file);
	putHeader(self);
	return exportEndFile(self->export, &file, self->hasFailed);
}

static int writeBeside(struct paraver *self, const char *base,
		       const char *suffix,
		       void (*put)(struct paraver *, FILE *))
{
	char *name = g_strconcat(base, suffix, NULL);
	struct newFile file;
	int ret = exportStartFile(self->export, &file, name);

	g_free(name);
	if (ret < 0)
		return ret;
	put(self, file.file);
	return exportEndFile(self->export, &file, false);
}

static int writeParaver(struct export *export)
{
	struct paraver self = {
		.export = export,
		.start = INT64_MAX,
		.streams = g_array_new(FALSE, FALSE, sizeof(struct stream)),
		.heap = g_ptr_array_new(),
		.names = g_hash_table_new(g_str_hash, g_str_equal),
		.nameList = g_ptr_array_new_with_free_func(g_free),
		.values = g_hash_table_new(g_str_hash, g_str_equal),
		.valueList = g_ptr_array_new_with_free_func(g_free),
		.hosts = g_ptr_array_new(),
		.ranks = g_ptr_array_new(),
		.nodes = g_ptr_array_new(),
		.messages = messagesNew(export->project),
		.channels = g_hash_table_new_full(
			messagesHash, messagesAreAlike, NULL, g_free),
		.ends = sorterNew(sizeof(struct end), compareEnds),
		.comms = sorterNew(sizeof(struct comm), compareComms),
	};
	char *base = g_path_get_basename(export->project->prefix);
	int ret;

	exportLoseProject(export);
	exportLose(export, "communicators", export->project->communicatorCount);
	openAll(&self);
	if (!self.hasFailed)
		findComms(&self);
	ret = self.hasFailed ? -1 : writeTrace(&self, base);
	if (ret == 0)
		ret = writeBeside(&self, base, ".pcf", putConfiguration);
	if (ret == 0)
		ret = writeBeside(&self, base, ".row", putRows);
	closeAll(&self);
	g_free(base);
	g_array_unref(self.streams);
	g_ptr_array_unref(self.heap);
	g_hash_table_destroy(self.names);
	g_ptr_array_unref(self.nameList);
	g_hash_table_destroy(self.values);
	g_ptr_array_unref(self.valueList);
	g_ptr_array_unref(self.hosts);
	g_ptr_array_unref(self.ranks);
	g_ptr_array_unref(self.nodes);
	g_hash_table_destroy(self.channels);
	messagesFree(self.messages);
	sorterFree(self.ends);
	sorterFree(self.comms);
	return ret;
}

const struct exportFormat exportParaver = {
	.name = "paraver",
	.suffix = ".paraver",
	.isDirectory = true,
	.write = writeParaver,
};
