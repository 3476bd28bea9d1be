/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace in the order of time.
 *
 * The records of a tree, children first, are spooled. Read backwards, parents
 * come before their children and later ones before earlier ones; so the steps
 * can be read from the last to the first with no more than a stack of open
 * states. They are spooled, too, as numbers, and read backwards again.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/ordered.h"
#include "HDTraceTools/model/mpi/polls.h"

/** A spooled record begins and ends with its size. */
struct head {
	uint32_t size; /**< Of what is between both. */
	uint32_t attributes;
	uint32_t elements;
	uint32_t kind;
	uint32_t depth;
	uint32_t ownAttributes;
	uint32_t ownElements;
	int64_t start;
	int64_t end;
	int64_t spanStart;
	int64_t spanEnd;
	int64_t offset;
	int64_t endOffset;
};

/** A spooled step: where its record starts, and what happens. */
struct mark {
	uint64_t at;
	uint32_t kind;
};

/** A state whose beginning was not met yet, going backwards. */
struct open {
	uint64_t at;
	uint32_t depth;
	int64_t start;
};

struct ordered {
	hdITraceReader *reader;
	struct spool *records;
	struct spool *marks;
	uint64_t left; /**< Marks that were not read yet. */
	bool isAtEnd;
	int64_t last; /**< Time of the last step. */
	uint64_t moved;
	int64_t offset;
	GArray *stack; /**< struct open */
	/** A record from the reader that needs no spool: its second step. */
	const hdIRecord *single;
	/** A record from the spool. */
	GByteArray *bytes;
	GArray *attributes; /**< hdIAttribute */
	GArray *elements;   /**< hdIElement */
	uint64_t at;        /**< Which one it is, if isLoaded. */
	bool isLoaded;
	hdIRecord record;
	int64_t spanStart; /**< Of the record. */
	int64_t spanEnd;
	struct sites *sites;
};

struct ordered *orderedOpen(const hdIProject *project,
			    const hdITraceFile *trace,
			    const struct diagnosticSink *sink)
{
	hdITraceReader *reader = diagnosticsOpenTrace(project, trace, sink);
	struct ordered *self;

	if (!reader)
		return NULL;
	self = g_new0(struct ordered, 1);
	self->reader = reader;
	self->last = INT64_MIN;
	self->sites = sitesNew();
	self->records = spoolNew();
	self->marks = spoolNew();
	self->stack = g_array_new(FALSE, FALSE, sizeof(struct open));
	self->bytes = g_byte_array_new();
	self->attributes = g_array_new(FALSE, FALSE, sizeof(hdIAttribute));
	self->elements = g_array_new(FALSE, FALSE, sizeof(hdIElement));
	return self;
}

void orderedClose(struct ordered *self)
{
	if (!self)
		return;
	hdI_closeTrace(self->reader);
	spoolFree(self->records);
	spoolFree(self->marks);
	g_array_unref(self->stack);
	g_byte_array_unref(self->bytes);
	g_array_unref(self->attributes);
	g_array_unref(self->elements);
	sitesFree(self->sites);
	g_free(self);
}

uint64_t orderedMoved(const struct ordered *self)
{
	return self->moved;
}

int64_t orderedOffset(const struct ordered *self)
{
	return self->offset;
}

/* ---- Spooling records -------------------------------------------------- */

static void orderedPutText(GByteArray *bytes, const char *text)
{
	if (!text)
		text = "";
	g_byte_array_append(bytes, (const guint8 *)text,
			    (guint)strlen(text) + 1);
}

static void orderedPutCount(GByteArray *bytes, size_t count)
{
	uint32_t value = (uint32_t)count;

	g_byte_array_append(bytes, (const guint8 *)&value, sizeof(value));
}

static void orderedPutAttributes(GByteArray *bytes,
				 const hdIAttribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		orderedPutText(bytes, attributes[i].name);
		orderedPutText(bytes, attributes[i].value);
	}
}

/** Elements, and before each the numbers of what it holds. */
static void orderedPutElements(GByteArray *bytes, const hdIElement *elements,
			       size_t count, struct head *head)
{
	head->elements += (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		const hdIElement *element = &elements[i];

		head->attributes += (uint32_t)element->attributeCount;
		orderedPutCount(bytes, element->attributeCount);
		orderedPutCount(bytes, element->childCount);
		orderedPutText(bytes, element->name);
		orderedPutText(bytes, element->text);
		orderedPutAttributes(bytes, element->attributes,
				     element->attributeCount);
	}
	for (size_t i = 0; i < count; i++)
		orderedPutElements(bytes, elements[i].children,
				   elements[i].childCount, head);
}

/** Spool a record; @p whole is what it is a part of, or itself. */
static int spoolPart(struct ordered *self, const hdIRecord *record,
		     const hdIRecord *whole)
{
	GByteArray *bytes = self->bytes;
	struct head head = {
		.attributes = (uint32_t)record->attributeCount,
		.kind = record->kind,
		.depth = record->depth,
		.ownAttributes = (uint32_t)record->attributeCount,
		.ownElements = (uint32_t)record->elementCount,
		.start = record->start,
		.end = record->end,
		.spanStart = whole->start,
		.spanEnd = whole->end,
		.offset = record->offset,
		.endOffset = record->endOffset,
	};
	int ret;

	self->isLoaded = false;
	g_byte_array_set_size(bytes, 0);
	orderedPutText(bytes, record->name);
	orderedPutText(bytes, record->text);
	orderedPutAttributes(bytes, record->attributes, record->attributeCount);
	orderedPutElements(bytes, record->elements, record->elementCount,
			   &head);
	head.size = bytes->len;
	ret = spoolAppend(self->records, &head, sizeof(head));
	if (ret == 0)
		ret = spoolAppend(self->records, bytes->data, bytes->len);
	if (ret == 0)
		ret = spoolAppend(self->records, &head.size, sizeof(head.size));
	return ret;
}

/** Whether an attribute is that of one function of several; see polls.h. */
static bool isOfOne(const hdIAttribute *attribute)
{
	return g_str_has_suffix(attribute->name, "Calls") ||
	       g_str_has_suffix(attribute->name, "InsideNs");
}

/** What a part of a state has for attributes: of the calls of one function of
 *  several, how many there are, and all that is of all of them. */
static void partAttributes(const hdIRecord *record,
			   const struct pollsPart *part, const char *calls,
			   GArray *attributes)
{
	const hdIAttribute own = { "calls", calls };
	const hdIAttribute tracer = { "class", "tracer" };
	bool isMixed = strcmp(record->name, part->name) != 0;

	if (pollsIsTracer(part->name)) {
		g_array_append_val(attributes, tracer);
		return;
	}
	if (isMixed)
		g_array_append_val(attributes, own);
	for (size_t i = 0; i < record->attributeCount; i++)
		if (!isMixed || !isOfOne(&record->attributes[i]))
			g_array_append_val(attributes, record->attributes[i]);
}

/** Spool a part of a state that begins then. */
static int spoolPolls(struct ordered *self, const hdIRecord *record,
		      const struct pollsPart *part, int64_t start)
{
	GArray *attributes = g_array_new(FALSE, FALSE, sizeof(hdIAttribute));
	char *calls = g_strdup_printf("%" PRIu64, part->calls);
	hdIRecord piece = *record;
	int ret;

	partAttributes(record, part, calls, attributes);
	piece.name = part->name;
	piece.start = start;
	piece.end = start + part->time;
	piece.attributes = (const hdIAttribute *)(void *)attributes->data;
	piece.attributeCount = attributes->len;
	if (pollsIsTracer(part->name))
		piece.elementCount = 0;
	ret = spoolPart(self, &piece, record);
	g_array_unref(attributes);
	g_free(calls);
	return ret;
}

/** Spool a record, or its parts. */
static int spoolRecord(struct ordered *self, const hdIRecord *record)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count = pollsParts(record, parts);
	int64_t start = record->start;
	int ret = count ? 0 : spoolPart(self, record, record);

	for (size_t i = 0; i < count && ret == 0; i++) {
		ret = spoolPolls(self, record, &parts[i], start);
		start += parts[i].time;
	}
	return ret;
}

/** Reads what orderedPutText() and the others wrote. */
struct cursor {
	const guint8 *at;
};

static const char *getText(struct cursor *cursor)
{
	const char *text = (const char *)cursor->at;

	cursor->at += strlen(text) + 1;
	return text;
}

static size_t getCount(struct cursor *cursor)
{
	uint32_t value;

	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return value;
}

static const hdIAttribute *getAttributes(struct ordered *self,
					 struct cursor *cursor, size_t count)
{
	guint first = self->attributes->len;

	for (size_t i = 0; i < count; i++) {
		hdIAttribute attribute;

		attribute.name = getText(cursor);
		attribute.value = getText(cursor);
		/* The array is large enough: it does not move. */
		g_array_append_val(self->attributes, attribute);
	}
	return &g_array_index(self->attributes, hdIAttribute, first);
}

static const hdIElement *getElements(struct ordered *self,
				     struct cursor *cursor, size_t count)
{
	guint first = self->elements->len;
	hdIElement *list;

	g_array_set_size(self->elements, first + (guint)count);
	list = &g_array_index(self->elements, hdIElement, first);
	for (size_t i = 0; i < count; i++) {
		list[i].attributeCount = getCount(cursor);
		list[i].childCount = getCount(cursor);
		list[i].name = getText(cursor);
		list[i].text = getText(cursor);
		list[i].attributes =
			getAttributes(self, cursor, list[i].attributeCount);
	}
	for (size_t i = 0; i < count; i++)
		list[i].children =
			getElements(self, cursor, list[i].childCount);
	return list;
}

/** Make an array hold as many elements without being moved. */
static void orderedReserve(GArray *array, size_t count)
{
	g_array_set_size(array, (guint)count + 1);
	g_array_set_size(array, 0);
}

/** Get a record back. */
static int loadRecord(struct ordered *self, uint64_t at)
{
	struct cursor cursor;
	struct head head;
	int ret;

	if (self->isLoaded && self->at == at)
		return 0;
	self->isLoaded = false;
	ret = spoolRead(self->records, at, &head, sizeof(head));
	if (ret < 0)
		return ret;
	g_byte_array_set_size(self->bytes, head.size);
	ret = spoolRead(self->records, at + sizeof(head), self->bytes->data,
			head.size);
	if (ret < 0)
		return ret;
	orderedReserve(self->attributes, head.attributes);
	orderedReserve(self->elements, head.elements);
	cursor.at = self->bytes->data;
	self->record = (hdIRecord){
		.kind = (hdIRecordKind)head.kind,
		.depth = head.depth,
		.start = head.start,
		.end = head.end,
		.attributeCount = head.ownAttributes,
		.elementCount = head.ownElements,
		.offset = head.offset,
		.endOffset = head.endOffset,
	};
	self->spanStart = head.spanStart;
	self->spanEnd = head.spanEnd;
	self->record.name = getText(&cursor);
	self->record.text = getText(&cursor);
	self->record.attributes =
		getAttributes(self, &cursor, head.ownAttributes);
	self->record.elements = getElements(self, &cursor, head.ownElements);
	self->at = at;
	self->isLoaded = true;
	return 0;
}

/* ---- Order ------------------------------------------------------------- */

static int putMark(struct ordered *self, uint64_t at, enum orderedKind kind)
{
	struct mark mark = { .at = at, .kind = kind };

	return spoolAppend(self->marks, &mark, sizeof(mark));
}

/**
 * Going backwards, states this deep or deeper have been passed, and so have
 * those that start later: what they would own lost its owner.
 */
static int passStates(struct ordered *self, uint32_t depth, int64_t time)
{
	int ret = 0;

	while (ret == 0 && self->stack->len) {
		struct open *top = &g_array_index(self->stack, struct open,
						  self->stack->len - 1);

		if (top->depth < depth && top->start <= time)
			break;
		ret = putMark(self, top->at, ORDERED_ENTER);
		g_array_set_size(self->stack, self->stack->len - 1);
	}
	return ret;
}

/** Turn the spooled records into marks, the last one first. */
static int orderRecords(struct ordered *self)
{
	uint64_t end = spoolLength(self->records);
	int ret = 0;

	while (ret == 0 && end > 0) {
		struct head head;
		uint32_t size;
		struct open state;

		ret = spoolRead(self->records, end - sizeof(size), &size,
				sizeof(size));
		if (ret < 0)
			break;
		end -= sizeof(head) + size + sizeof(size);
		ret = spoolRead(self->records, end, &head, sizeof(head));
		if (ret == 0)
			ret = passStates(self, head.depth, head.end);
		state.at = end;
		state.depth = head.depth;
		state.start = head.start;
		if (ret == 0 && head.kind == HDI_EVENT) {
			ret = putMark(self, end, ORDERED_EVENT);
		} else if (ret == 0) {
			ret = putMark(self, end, ORDERED_LEAVE);
			g_array_append_val(self->stack, state);
		}
	}
	if (ret == 0)
		ret = passStates(self, 0, INT64_MAX);
	self->left = spoolLength(self->marks) / sizeof(struct mark);
	return ret;
}

/** Read records up to the end of the next outermost one. */
static int orderedReadTree(struct ordered *self)
{
	const hdIRecord *record;
	int ret = 0;

	spoolClear(self->records);
	spoolClear(self->marks);
	self->isLoaded = false;
	while (ret == 0) {
		if (hdI_readTrace(self->reader, &record) != 1) {
			self->isAtEnd = true;
			break;
		}
		self->offset = record->offset;
		if (record->depth == 0 && spoolLength(self->records) == 0 &&
		    pollsCalls(record) == 1) {
			self->single = record;
			return 0;
		}
		ret = spoolRecord(self, record);
		if (record->depth == 0)
			break;
	}
	return ret == 0 ? orderRecords(self) : ret;
}

static void setStep(struct ordered *self, struct orderedStep *step,
		    enum orderedKind kind, const hdIRecord *record)
{
	int64_t time = kind == ORDERED_LEAVE ? record->end : record->start;

	if (time < self->last) {
		time = self->last;
		self->moved++;
	}
	self->last = time;
	step->kind = kind;
	step->time = time;
	step->record = record;
	step->spanStart = record->start;
	step->spanEnd = record->end;
	if (record == &self->record) {
		step->spanStart = self->spanStart;
		step->spanEnd = self->spanEnd;
	}
	step->site = NULL;
	if (kind != ORDERED_EVENT)
		sitesTake(self->sites, record, &step->site);
}

int orderedRead(struct ordered *self, struct orderedStep *step)
{
	struct mark mark;
	int ret;

	if (self->single) {
		setStep(self, step, ORDERED_LEAVE, self->single);
		self->single = NULL;
		return 1;
	}
	while (self->left == 0 && !self->isAtEnd && !self->single) {
		ret = orderedReadTree(self);
		if (ret < 0) {
			errno = -ret;
			return -1;
		}
	}
	if (self->single && self->single->kind == HDI_EVENT) {
		setStep(self, step, ORDERED_EVENT, self->single);
		self->single = NULL;
		return 1;
	}
	if (self->single) {
		setStep(self, step, ORDERED_ENTER, self->single);
		return 1;
	}
	if (self->left == 0)
		return 0;
	self->left--;
	ret = spoolRead(self->marks, self->left * sizeof(mark), &mark,
			sizeof(mark));
	if (ret == 0)
		ret = loadRecord(self, mark.at);
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	setStep(self, step, (enum orderedKind)mark.kind, &self->record);
	return 1;
}
