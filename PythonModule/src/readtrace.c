/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From states and events of a trace, and from relations, to columns.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "PythonModule/src/number.h"
#include "PythonModule/src/read.h"

/** Columns of states: of traces and of relations, which have a token before. */
enum { STATE_NAME, STATE_START, STATE_END, STATE_DEPTH };
enum { EVENT_NAME, EVENT_TIME, EVENT_DEPTH };
enum { PART_TOKEN, PART_NAME, PART_START, PART_END, PART_DEPTH };
enum {
	RELATION_TOKEN,
	RELATION_START,
	RELATION_END,
	RELATION_PARENT,
	RELATION_TRACE,
	RELATION_LINKS
};

void hdPyReadingFree(struct hdPyReading *reading)
{
	hdPyTableFree(&reading->table);
	hdPyTableFree(&reading->more);
	hdPyMessagesFree(&reading->messages);
}

/** The end of reading: types of attributes, and which were left out. */
static int readEnd(struct hdPyReading *reading, const char *file)
{
	uint64_t lost = reading->table.lost + reading->more.lost;
	int ret = hdPyTableEnd(&reading->table);
	int more = hdPyTableEnd(&reading->more);
	char text[160];

	snprintf(text, sizeof(text),
		 "more than %d names of attributes; %llu values are left out",
		 HDPY_ATTRIBUTES_MAX, (unsigned long long)lost);
	if (lost)
		hdPyMessagesTake(&(hdIMessage){ .severity = HDI_WARNING,
						.rule = "python.attributes",
						.file = file,
						.offset = -1,
						.text = text },
				 &reading->messages);
	return ret < 0 ? ret : more;
}

/* ---- Attributes -------------------------------------------------------- */

/** Append to the name of a column; false if it is too long. */
static bool readJoin(char *path, const char *name)
{
	size_t length = strlen(path);
	size_t more = strlen(name);

	if (length + more + 1 > HDPY_NAME_SIZE)
		return false;
	memcpy(path + length, name, more + 1);
	return true;
}

static void readElementValue(struct hdPyTable *table, char *path,
			     const char *name, const char *value)
{
	size_t length = strlen(path);

	if (readJoin(path, name))
		hdPyTablePutAttribute(table, path, value);
	else
		table->lost++;
	path[length] = '\0';
}

/** How many elements before one have its name. */
static size_t readCountBefore(const hdIElement *elements, size_t number)
{
	size_t count = 0;

	for (size_t i = 0; i < number; i++)
		count += strcmp(elements[i].name, elements[number].name) == 0;
	return count;
}

/** Elements below a state: their attributes are ELEMENT.NAME, or
 * ELEMENT[2].NAME of the second one, and their text is ELEMENT.#text. */
static void readElements(struct hdPyTable *table, char *path,
			 const hdIElement *elements, size_t count)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < count && i < HDPY_ATTRIBUTES_MAX; i++) {
		const hdIElement *self = &elements[i];
		size_t before = readCountBefore(elements, i);
		char number[HDPY_NUMBER_SIZE + 3] = ".";

		if (before > 0)
			snprintf(number, sizeof(number), "[%zu].", before + 1);
		if (readJoin(path, self->name) && readJoin(path, number)) {
			for (size_t j = 0; j < self->attributeCount; j++)
				readElementValue(table, path,
						 self->attributes[j].name,
						 self->attributes[j].value);
			if (self->text && *self->text)
				readElementValue(table, path, "#text",
						 self->text);
			readElements(table, path, self->children,
				     self->childCount);
		} else {
			table->lost++;
		}
		path[length] = '\0';
	}
	if (count > HDPY_ATTRIBUTES_MAX)
		table->lost += count - HDPY_ATTRIBUTES_MAX;
}

static void readAttributes(struct hdPyTable *table, const hdIAttribute *list,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		hdPyTablePutAttribute(table, list[i].name, list[i].value);
}

/* ---- Traces ------------------------------------------------------------ */

static void readRecord(struct hdPyReading *reading, const hdIRecord *record,
		       char *path)
{
	bool isState = record->kind == HDI_STATE;
	struct hdPyTable *table = isState ? &reading->table : &reading->more;
	uint32_t depth = record->depth;

	if (!selectionHasTime(&reading->times, record->start, record->end))
		return;
	hdPyTablePutText(table, STATE_NAME, record->name, strlen(record->name));
	hdPyTablePut(table, STATE_START, &record->start);
	if (isState)
		hdPyTablePut(table, STATE_END, &record->end);
	hdPyTablePut(table, isState ? STATE_DEPTH : EVENT_DEPTH, &depth);
	readAttributes(table, record->attributes, record->attributeCount);
	if (record->elementCount)
		readElements(table, path, record->elements,
			     record->elementCount);
	if (record->text && *record->text)
		hdPyTablePutAttribute(table, "#text", record->text);
	hdPyTableEndRow(table);
}

int hdPyReadTrace(struct hdPyReading *reading, const hdITraceFile *trace)
{
	const struct diagnosticSink sink = hdPyReadingSink(reading);
	char path[HDPY_NAME_SIZE] = "";
	const hdIRecord *record;
	hdITraceReader *reader;
	int ret;

	hdPyTableAdd(&reading->table, "name", HDPY_TEXT);
	hdPyTableAdd(&reading->table, "start", HDPY_TIME);
	hdPyTableAdd(&reading->table, "end", HDPY_TIME);
	hdPyTableAdd(&reading->table, "depth", HDPY_UINT32);
	hdPyTableAdd(&reading->more, "name", HDPY_TEXT);
	hdPyTableAdd(&reading->more, "time", HDPY_TIME);
	hdPyTableAdd(&reading->more, "depth", HDPY_UINT32);
	if (reading->table.error < 0 || reading->more.error < 0)
		return -ENOMEM;
	reader = diagnosticsOpenTrace(reading->project, trace, &sink);
	if (!reader)
		return errno == ENOMEM ? -ENOMEM : 0;
	do {
		ret = hdI_readTrace(reader, &record);
		if (ret == 1)
			readRecord(reading, record, path);
	} while (ret == 1 && reading->table.error == 0 &&
		 reading->more.error == 0);
	if (ret < 0 && errno == ENOMEM)
		reading->table.error = -ENOMEM;
	hdI_closeTrace(reader);
	return readEnd(reading, trace->file);
}

/* ---- Relations --------------------------------------------------------- */

static void readEndTime(struct hdPyTable *table, size_t column, int64_t end)
{
	if (end == HDI_NEVER)
		hdPyTablePutNull(table, column);
	else
		hdPyTablePut(table, column, &end);
}

static void readText(struct hdPyTable *table, size_t column, const char *text)
{
	if (*text)
		hdPyTablePutText(table, column, text, strlen(text));
	else
		hdPyTablePutNull(table, column);
}

/** Whether a state or relation is wanted; without an end it lasts. */
static bool readHasTime(const struct hdPyReading *reading, int64_t start,
			int64_t end)
{
	return selectionHasTime(&reading->times, start,
				end == HDI_NEVER ? INT64_MAX : end);
}

/** Append the tokens of additional causes, separated by blanks. */
static void readLinks(struct hdPyTable *table, size_t column,
		      const hdIRelation *relation)
{
	struct hdPyVector text = { .bytes = NULL };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < relation->linkCount; i++) {
		if (i > 0)
			ret = hdPyVectorAdd(&text, " ", 1);
		if (ret == 0)
			ret = hdPyVectorAdd(&text, relation->links[i],
					    strlen(relation->links[i]));
	}
	if (ret < 0 && table->error == 0)
		table->error = ret;
	if (text.used)
		hdPyTablePutText(table, column, (char *)text.bytes, text.used);
	else
		hdPyTablePutNull(table, column);
	hdPyVectorFree(&text);
}

static void readRelation(struct hdPyReading *reading,
			 const hdIRelation *relation, const char *token)
{
	struct hdPyTable *table = &reading->table;

	if (readHasTime(reading, relation->start, relation->end)) {
		readText(&reading->more, RELATION_TOKEN, token);
		hdPyTablePut(&reading->more, RELATION_START, &relation->start);
		readEndTime(&reading->more, RELATION_END, relation->end);
		readText(&reading->more, RELATION_PARENT, relation->parent);
		readText(&reading->more, RELATION_TRACE, relation->trace);
		readLinks(&reading->more, RELATION_LINKS, relation);
		hdPyTableEndRow(&reading->more);
	}
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];
		uint32_t depth = state->depth;

		if (!readHasTime(reading, state->start, state->end))
			continue;
		readText(table, PART_TOKEN, token);
		hdPyTablePutText(table, PART_NAME, state->name,
				 strlen(state->name));
		hdPyTablePut(table, PART_START, &state->start);
		readEndTime(table, PART_END, state->end);
		hdPyTablePut(table, PART_DEPTH, &depth);
		readAttributes(table, state->attributes, state->attributeCount);
		hdPyTableEndRow(table);
	}
}

/** Read relations; tokens begin as the file says, which @p prefix is. */
static int readAll(struct hdPyReading *reading, hdIRelationReader *reader)
{
	hdIRelationOwner owner = { "", "", "" };
	const hdIRelation *relation;
	char *token;
	size_t size;
	int ret;

	hdI_getRelationOwner(reader, &owner);
	size = strlen(owner.host) + strlen(owner.process) +
	       strlen(owner.number) + HDPY_NUMBER_SIZE + 4;
	token = malloc(size);
	if (!token)
		return -ENOMEM;
	do {
		ret = hdI_readRelation(reader, &relation);
		if (ret != 1)
			break;
		snprintf(token, size, "%s:%s:%s:%llu", owner.host,
			 owner.process, owner.number,
			 (unsigned long long)relation->id);
		readRelation(reading, relation, token);
	} while (reading->table.error == 0 && reading->more.error == 0);
	free(token);
	return ret < 0 && errno == ENOMEM ? -ENOMEM : 0;
}

int hdPyReadRelations(struct hdPyReading *reading, const hdIRelationFile *file)
{
	const struct diagnosticSink sink = hdPyReadingSink(reading);
	hdIRelationReader *reader;
	int ret, end;

	hdPyTableAdd(&reading->table, "token", HDPY_TEXT);
	hdPyTableAdd(&reading->table, "name", HDPY_TEXT);
	hdPyTableAdd(&reading->table, "start", HDPY_TIME);
	hdPyTableAdd(&reading->table, "end", HDPY_TIME);
	hdPyTableAdd(&reading->table, "depth", HDPY_UINT32);
	hdPyTableAdd(&reading->more, "token", HDPY_TEXT);
	hdPyTableAdd(&reading->more, "start", HDPY_TIME);
	hdPyTableAdd(&reading->more, "end", HDPY_TIME);
	hdPyTableAdd(&reading->more, "parent", HDPY_TEXT);
	hdPyTableAdd(&reading->more, "trace", HDPY_TEXT);
	hdPyTableAdd(&reading->more, "links", HDPY_TEXT);
	if (reading->table.error < 0 || reading->more.error < 0)
		return -ENOMEM;
	reader = diagnosticsOpenRelations(reading->project, file, &sink);
	if (!reader)
		return errno == ENOMEM ? -ENOMEM : 0;
	ret = readAll(reading, reader);
	hdI_closeRelations(reader);
	end = readEnd(reading, file->file);
	return ret < 0 ? ret : end;
}
