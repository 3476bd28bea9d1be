/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From states and events of a trace, and from relations, to columns.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/tables/number.h"
#include "HDTraceTools/tables/read.h"

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

void tableReadingFree(struct tableReading *reading)
{
	tableFree(&reading->table);
	tableFree(&reading->more);
}

int tableNoteOpenError(struct tableReading *reading)
{
	if (errno == ENOMEM)
		return -ENOMEM;
	reading->openError = errno;
	return 0;
}

/** The end of reading: types of attributes, and which were left out. */
static int readEnd(struct tableReading *reading, const char *file)
{
	uint64_t lost = reading->table.lost + reading->more.lost;
	int ret = tableEnd(&reading->table);
	int more = tableEnd(&reading->more);
	char text[160];

	snprintf(text, sizeof(text),
		 "more than %d names of attributes; %llu values are left out",
		 TABLE_ATTRIBUTES_MAX, (unsigned long long)lost);
	if (lost && reading->sink.take)
		reading->sink.take(&(hdIMessage){ .severity = HDI_WARNING,
						  .rule = "table.attributes",
						  .file = file,
						  .offset = -1,
						  .text = text },
				   reading->sink.data);
	return ret < 0 ? ret : more;
}

/* ---- Attributes -------------------------------------------------------- */

/** Append to the name of a column; false if it is too long. */
static bool readJoin(char *path, const char *name)
{
	size_t length = strlen(path);
	size_t more = strlen(name);

	if (length + more + 1 > TABLE_NAME_SIZE)
		return false;
	memcpy(path + length, name, more + 1);
	return true;
}

static void readElementValue(struct table *table, char *path, const char *name,
			     const char *value)
{
	size_t length = strlen(path);

	if (readJoin(path, name))
		tablePutAttribute(table, path, value);
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
static void readElements(struct table *table, char *path,
			 const hdIElement *elements, size_t count)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < count && i < TABLE_ATTRIBUTES_MAX; i++) {
		const hdIElement *self = &elements[i];
		size_t before = readCountBefore(elements, i);
		char number[TABLE_NUMBER_SIZE + 3] = ".";

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
	if (count > TABLE_ATTRIBUTES_MAX)
		table->lost += count - TABLE_ATTRIBUTES_MAX;
}

static void readAttributes(struct table *table, const hdIAttribute *list,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		tablePutAttribute(table, list[i].name, list[i].value);
}

/* ---- Traces ------------------------------------------------------------ */

static void readRecord(struct tableReading *reading, const hdIRecord *record,
		       char *path)
{
	bool isState = record->kind == HDI_STATE;
	struct table *table = isState ? &reading->table : &reading->more;
	uint32_t depth = record->depth;

	if (!selectionHasTime(&reading->times, record->start, record->end))
		return;
	tablePutText(table, STATE_NAME, record->name, strlen(record->name));
	tablePut(table, STATE_START, &record->start);
	if (isState)
		tablePut(table, STATE_END, &record->end);
	tablePut(table, isState ? STATE_DEPTH : EVENT_DEPTH, &depth);
	readAttributes(table, record->attributes, record->attributeCount);
	if (record->elementCount)
		readElements(table, path, record->elements,
			     record->elementCount);
	if (record->text && *record->text)
		tablePutAttribute(table, "#text", record->text);
	tableEndRow(table);
}

int tableReadTrace(struct tableReading *reading, const hdITraceFile *trace)
{
	char path[TABLE_NAME_SIZE] = "";
	const hdIRecord *record;
	hdITraceReader *reader;
	int ret;

	tableAdd(&reading->table, "name", TABLE_TEXT);
	tableAdd(&reading->table, "start", TABLE_TIME);
	tableAdd(&reading->table, "end", TABLE_TIME);
	tableAdd(&reading->table, "depth", TABLE_UINT32);
	tableAdd(&reading->more, "name", TABLE_TEXT);
	tableAdd(&reading->more, "time", TABLE_TIME);
	tableAdd(&reading->more, "depth", TABLE_UINT32);
	if (reading->table.error < 0 || reading->more.error < 0)
		return -ENOMEM;
	reader = diagnosticsOpenTrace(reading->project, trace, &reading->sink);
	if (!reader)
		return tableNoteOpenError(reading);
	extentSkipTrace(reader, reading->times.start, reading->times.end);
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

static void readEndTime(struct table *table, size_t column, int64_t end)
{
	if (end == HDI_NEVER)
		tablePutNull(table, column);
	else
		tablePut(table, column, &end);
}

static void readText(struct table *table, size_t column, const char *text)
{
	if (*text)
		tablePutText(table, column, text, strlen(text));
	else
		tablePutNull(table, column);
}

/** Whether a state or relation is wanted; without an end it lasts. */
static bool readHasTime(const struct tableReading *reading, int64_t start,
			int64_t end)
{
	return selectionHasTime(&reading->times, start,
				end == HDI_NEVER ? INT64_MAX : end);
}

/** Append the tokens of additional causes, separated by blanks. */
static void readLinks(struct table *table, size_t column,
		      const hdIRelation *relation)
{
	struct tableVector text = { .bytes = NULL };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < relation->linkCount; i++) {
		if (i > 0)
			ret = tableVectorAdd(&text, " ", 1);
		if (ret == 0)
			ret = tableVectorAdd(&text, relation->links[i],
					     strlen(relation->links[i]));
	}
	if (ret < 0 && table->error == 0)
		table->error = ret;
	if (text.used)
		tablePutText(table, column, (char *)text.bytes, text.used);
	else
		tablePutNull(table, column);
	tableVectorFree(&text);
}

static void readRelation(struct tableReading *reading,
			 const hdIRelation *relation, const char *token)
{
	struct table *table = &reading->table;

	if (readHasTime(reading, relation->start, relation->end)) {
		readText(&reading->more, RELATION_TOKEN, token);
		tablePut(&reading->more, RELATION_START, &relation->start);
		readEndTime(&reading->more, RELATION_END, relation->end);
		readText(&reading->more, RELATION_PARENT, relation->parent);
		readText(&reading->more, RELATION_TRACE, relation->trace);
		readLinks(&reading->more, RELATION_LINKS, relation);
		tableEndRow(&reading->more);
	}
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];
		uint32_t depth = state->depth;

		if (!readHasTime(reading, state->start, state->end))
			continue;
		readText(table, PART_TOKEN, token);
		tablePutText(table, PART_NAME, state->name,
			     strlen(state->name));
		tablePut(table, PART_START, &state->start);
		readEndTime(table, PART_END, state->end);
		tablePut(table, PART_DEPTH, &depth);
		readAttributes(table, state->attributes, state->attributeCount);
		tableEndRow(table);
	}
}

/** Read relations; tokens begin as the file says, which @p prefix is. */
static int readAll(struct tableReading *reading, hdIRelationReader *reader)
{
	hdIRelationOwner owner = { "", "", "" };
	const hdIRelation *relation;
	char *token;
	size_t size;
	int ret;

	hdI_getRelationOwner(reader, &owner);
	size = strlen(owner.host) + strlen(owner.process) +
	       strlen(owner.number) + TABLE_NUMBER_SIZE + 4;
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

int tableReadRelations(struct tableReading *reading,
		       const hdIRelationFile *file)
{
	hdIRelationReader *reader;
	int ret, end;

	tableAdd(&reading->table, "token", TABLE_TEXT);
	tableAdd(&reading->table, "name", TABLE_TEXT);
	tableAdd(&reading->table, "start", TABLE_TIME);
	tableAdd(&reading->table, "end", TABLE_TIME);
	tableAdd(&reading->table, "depth", TABLE_UINT32);
	tableAdd(&reading->more, "token", TABLE_TEXT);
	tableAdd(&reading->more, "start", TABLE_TIME);
	tableAdd(&reading->more, "end", TABLE_TIME);
	tableAdd(&reading->more, "parent", TABLE_TEXT);
	tableAdd(&reading->more, "trace", TABLE_TEXT);
	tableAdd(&reading->more, "links", TABLE_TEXT);
	if (reading->table.error < 0 || reading->more.error < 0)
		return -ENOMEM;
	reader = diagnosticsOpenRelations(reading->project, file,
					  &reading->sink);
	if (!reader)
		return tableNoteOpenError(reading);
	ret = readAll(reading, reader);
	hdI_closeRelations(reader);
	end = readEnd(reading, file->file);
	return ret < 0 ? ret : end;
}
