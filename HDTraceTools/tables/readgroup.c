/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From entries of a group to columns.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/tables/number.h"
#include "HDTraceTools/tables/read.h"

/** Columns before those of values. */
static const char *const groupFixed[] = { "start", "end" };
#define GROUP_FIXED (sizeof(groupFixed) / sizeof(*groupFixed))
/** Numbers in names of values up to which columns get higher ones. */
#define GROUP_NUMBER_MAX 1000000000

static enum tableType groupType(hdIType type)
{
	switch (type) {
	case HDI_INT32:
		return TABLE_INT32;
	case HDI_INT64:
		return TABLE_INT64;
	case HDI_UINT64:
		return TABLE_UINT64;
	case HDI_FLOAT:
		return TABLE_FLOAT;
	case HDI_DOUBLE:
		return TABLE_DOUBLE;
	case HDI_STRING:
		break;
	}
	return TABLE_TEXT;
}

/** The number of a name such as "NAME[3]"; 0: it is another one. */
static unsigned long groupNumber(const char *text, const char *name)
{
	size_t length = strlen(name);
	unsigned long number;

	if (strncmp(text, name, length) != 0 || text[length] != '[')
		return 0;
	number = strtoul(text + length + 1, NULL, 10);
	return number <= GROUP_NUMBER_MAX ? number : 0;
}

char *tableNameOfValue(const hdIGroup *group, size_t number)
{
	const char *name = group->values[number].name;
	unsigned long before = 0, highest = 1;
	size_t size = strlen(name) + TABLE_NUMBER_SIZE + 3;
	char *unique;

	for (size_t i = 0; i < GROUP_FIXED; i++)
		before += strcmp(groupFixed[i], name) == 0;
	for (size_t i = 0; i < number; i++)
		before += strcmp(group->values[i].name, name) == 0;
	if (before == 0)
		return strdup(name);
	/* A value may have such a name itself. */
	for (size_t i = 0; i < group->valueCount; i++) {
		unsigned long other = groupNumber(group->values[i].name, name);

		if (other > highest)
			highest = other;
	}
	unique = malloc(size);
	if (unique)
		snprintf(unique, size, "%s[%lu]", name, highest + before);
	return unique;
}

void tableAddGroup(struct table *table, const hdIGroup *group,
		   const size_t *columns, size_t columnCount)
{
	for (size_t i = 0; i < GROUP_FIXED; i++)
		tableAdd(table, groupFixed[i], TABLE_TIME);
	for (size_t i = 0; i < columnCount; i++) {
		char *name = tableNameOfValue(group, columns[i]);

		if (name)
			tableAdd(table, name,
				 groupType(group->values[columns[i]].type));
		else if (table->error == 0)
			table->error = -ENOMEM;
		free(name);
	}
}

/** Make the columns, with room for what the file has. */
static int groupPrepare(struct tableReading *reading, const hdIGroup *group,
			const size_t *columns, size_t columnCount)
{
	struct table *table = &reading->table;
	int64_t size = group->fileSize - group->dataOffset;
	size_t rows = 0;

	/* A time range is usually short. Of a compressed file the size is only
	 * what the file says of itself. */
	if (group->isReadable && group->entrySize && size > 0 &&
	    reading->times.start == INT64_MIN &&
	    reading->times.end == INT64_MAX)
		rows = (size_t)size / group->entrySize;
	tableAddGroup(table, group, columns, columnCount);
	if (table->error < 0)
		return table->error;
	for (size_t i = 0; i < table->columnCount; i++) {
		struct tableColumn *column = &table->columns[i];

		/* Without room for all, they grow. */
		if (column->type != TABLE_TEXT)
			tableVectorReserve(&column->values,
					   rows * tableTypeBytes(column->type));
	}
	return 0;
}

/** Append the strings of some entries. */
static void groupAddTexts(struct table *table, size_t column,
			  const hdIBytes *strings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tablePutText(table, column, strings[i].bytes,
			     strings[i].length);
}

/** Note which integers stand for no value. */
static int groupMark(struct tableColumn *to, const hdIValue *value,
		     const hdIColumn *from, size_t first, size_t count)
{
	bool isMarked = to->nulls.used > 0;
	unsigned char *marks;
	int ret = 0;

	if (!value->hasMissing || value->type == HDI_FLOAT ||
	    value->type == HDI_DOUBLE)
		return 0;
	for (size_t i = 0; !isMarked && i < count; i++)
		isMarked = columnIsMissing(value, from, first + i);
	if (!isMarked)
		return 0;
	if (to->nulls.used == 0)
		ret = tableVectorFill(&to->nulls, 0, to->count);
	if (ret == 0)
		ret = tableVectorFill(&to->nulls, 0, count);
	if (ret < 0)
		return ret;
	marks = to->nulls.bytes + to->nulls.used - count;
	for (size_t i = 0; i < count; i++)
		marks[i] = columnIsMissing(value, from, first + i);
	return 0;
}

static const void *groupBytes(const hdIValue *value, const hdIColumn *column,
			      size_t first)
{
	switch (value->type) {
	case HDI_INT32:
		return column->int32 + first;
	case HDI_INT64:
		return column->int64 + first;
	case HDI_UINT64:
		return column->uint64 + first;
	case HDI_FLOAT:
		return column->float32 + first;
	default:
		return column->float64 + first;
	}
}

static void groupAddValues(struct table *table, size_t column,
			   const hdIValue *value, const hdIColumn *from,
			   size_t first, size_t count)
{
	struct tableColumn *to = &table->columns[column];
	int ret;

	if (value->type == HDI_STRING) {
		groupAddTexts(table, column, from->string + first, count);
		return;
	}
	ret = groupMark(to, value, from, first, count);
	if (ret == 0)
		ret = tableVectorAdd(&to->values,
				     groupBytes(value, from, first),
				     count * tableTypeBytes(to->type));
	if (ret < 0 && table->error == 0)
		table->error = ret;
	to->count += count;
}

static void groupAddTimes(struct table *table, size_t column,
			  const int64_t *times, size_t count)
{
	struct tableColumn *to = &table->columns[column];
	int ret = tableVectorAdd(&to->values, times, count * sizeof(*times));

	if (ret < 0 && table->error == 0)
		table->error = ret;
	to->count += count;
}

void tableAddEntries(struct table *table, const hdIGroup *group,
		     const size_t *columns, const hdIBlock *block, size_t first,
		     size_t count)
{
	groupAddTimes(table, 0, block->start + first, count);
	groupAddTimes(table, 1, block->end + first, count);
	for (size_t i = GROUP_FIXED; i < table->columnCount; i++) {
		size_t from = columns[i - GROUP_FIXED];

		groupAddValues(table, i, &group->values[from],
			       &block->columns[from], first, count);
	}
	table->rows += count;
}

/** Add the entries of a block that are wanted: in runs, mostly one. */
static void groupAddBlock(struct tableReading *reading, const hdIGroup *group,
			  const size_t *columns, const hdIBlock *block)
{
	struct table *table = &reading->table;
	size_t first = 0, end = 0;

	while (end < block->count && table->error == 0) {
		for (first = end;
		     first < block->count &&
		     !selectionHasTime(&reading->times, block->start[first],
				       block->end[first]);
		     first++)
			;
		for (end = first;
		     end < block->count &&
		     selectionHasTime(&reading->times, block->start[end],
				      block->end[end]);
		     end++)
			;
		if (end == first)
			break;
		tableAddEntries(table, group, columns, block, first,
				end - first);
	}
}

int tableReadGroup(struct tableReading *reading, const hdIGroup *group,
		   const size_t *columns, size_t columnCount)
{
	const hdIBlock *block;
	hdIStatReader *reader;
	int ret = groupPrepare(reading, group, columns, columnCount);

	if (ret < 0 || !group->isReadable)
		return ret;
	reader = diagnosticsOpenStat(reading->project, group, &reading->sink);
	if (!reader)
		return tableNoteOpenError(reading);
	hdI_skipStat(reader, reading->times.start);
	do {
		ret = hdI_readStat(reader, &block);
		if (ret == 1)
			groupAddBlock(reading, group, columns, block);
	} while (ret == 1 && reading->table.error == 0);
	if (ret < 0 && errno == ENOMEM)
		reading->table.error = -ENOMEM;
	hdI_closeStat(reader);
	return reading->table.error;
}
