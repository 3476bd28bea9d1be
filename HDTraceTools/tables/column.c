/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns while they are read.
 *
 * Values of attributes are text in files. A column of them is made of integers
 * as long as all are written as integers are, so that the text can be made
 * again; otherwise of texts, and of doubles if all of these are numbers in the
 * end.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "HDTraceTools/tables/column.h"
#include "HDTraceTools/tables/number.h"

static const struct {
	const char *format;
	size_t bytes;
} columnTypes[] = {
	[TABLE_INT32] = { "i", 4 },      [TABLE_INT64] = { "l", 8 },
	[TABLE_UINT64] = { "L", 8 },     [TABLE_UINT32] = { "I", 4 },
	[TABLE_FLOAT] = { "f", 4 },      [TABLE_DOUBLE] = { "g", 8 },
	[TABLE_TIME] = { "tsn:UTC", 8 }, [TABLE_TEXT] = { "u", 1 },
};

size_t tableTypeBytes(enum tableType type)
{
	return columnTypes[type].bytes;
}

const char *tableTypeFormat(enum tableType type)
{
	return columnTypes[type].format;
}

static int columnFail(struct table *table, int ret)
{
	if (ret < 0 && table->error == 0)
		table->error = ret;
	return ret;
}

/* ---- Rows of a column -------------------------------------------------- */

static int columnAddOffset(struct tableColumn *column)
{
	int32_t end = (int32_t)column->values.used;

	return tableVectorAdd(&column->offsets, &end, sizeof(end));
}

static int columnAddText(struct tableColumn *column, const char *text,
			 size_t length)
{
	int ret;

	if (length > (size_t)INT32_MAX - column->values.used)
		return -EFBIG;
	ret = tableVectorReserve(&column->offsets, sizeof(int32_t));
	if (ret == 0)
		ret = tableVectorAdd(&column->values, text, length);
	return ret < 0 ? ret : columnAddOffset(column);
}

/** Note that a row has a value or not; the first null needs notes for all. */
static int columnMark(struct tableColumn *column, bool isNull)
{
	unsigned char byte = isNull;
	int ret = 0;

	if (isNull && column->nulls.used == 0)
		ret = tableVectorFill(&column->nulls, 0, column->count);
	if (ret == 0 && (isNull || column->nulls.used))
		ret = tableVectorAdd(&column->nulls, &byte, 1);
	if (ret == 0)
		column->count++;
	return ret;
}

static int columnAddNulls(struct tableColumn *column, size_t count)
{
	int ret;

	if (count == 0)
		return 0;
	if (column->type == TABLE_TEXT) {
		ret = tableVectorReserve(&column->offsets,
					 count * sizeof(int32_t));
		for (size_t i = 0; ret == 0 && i < count; i++)
			ret = columnAddOffset(column);
	} else {
		ret = tableVectorFill(&column->values, 0,
				      count * tableTypeBytes(column->type));
	}
	if (ret == 0 && column->nulls.used == 0)
		ret = tableVectorFill(&column->nulls, 0, column->count);
	if (ret == 0)
		ret = tableVectorFill(&column->nulls, 1, count);
	if (ret == 0)
		column->count += count;
	return ret;
}

/* ---- Fixed columns ----------------------------------------------------- */

static int columnInit(struct tableColumn *column, const char *name,
		      enum tableType type)
{
	*column = (struct tableColumn){ .name = strdup(name), .type = type };
	if (!column->name)
		return -ENOMEM;
	if (type != TABLE_TEXT || columnAddOffset(column) == 0)
		return 0;
	free(column->name);
	return -ENOMEM;
}

int tableAdd(struct table *table, const char *name, enum tableType type)
{
	struct tableColumn *columns = realloc(
		table->columns, (table->columnCount + 1) * sizeof(*columns));

	if (!columns)
		return columnFail(table, -ENOMEM);
	table->columns = columns;
	if (columnInit(&columns[table->columnCount], name, type) < 0)
		return columnFail(table, -ENOMEM);
	table->columnCount++;
	table->fixedCount = table->columnCount;
	return 0;
}

void tablePut(struct table *table, size_t column, const void *value)
{
	struct tableColumn *to = &table->columns[column];
	int ret = tableVectorAdd(&to->values, value, tableTypeBytes(to->type));

	columnFail(table, ret < 0 ? ret : columnMark(to, false));
}

void tablePutText(struct table *table, size_t column, const char *text,
		  size_t length)
{
	struct tableColumn *to = &table->columns[column];
	int ret = columnAddText(to, text, length);

	columnFail(table, ret < 0 ? ret : columnMark(to, false));
}

void tablePutNull(struct table *table, size_t column)
{
	columnFail(table, columnAddNulls(&table->columns[column], 1));
}

/* ---- Attributes -------------------------------------------------------- */

/** Make a column of integers one of texts. */
static int columnMakeText(struct tableColumn *column)
{
	struct tableColumn text = { .type = TABLE_TEXT };
	const int64_t *numbers = (const int64_t *)column->values.bytes;
	char buffer[TABLE_NUMBER_SIZE];
	int ret = columnAddOffset(&text);

	for (size_t i = 0; ret == 0 && i < column->count; i++) {
		if (column->nulls.used && column->nulls.bytes[i])
			ret = columnAddOffset(&text);
		else
			ret = columnAddText(
				&text, buffer,
				tableIntegerPrint(buffer, numbers[i]));
	}
	if (ret < 0) {
		tableVectorFree(&text.values);
		tableVectorFree(&text.offsets);
		return ret;
	}
	tableVectorFree(&column->values);
	column->values = text.values;
	column->offsets = text.offsets;
	column->type = TABLE_TEXT;
	return 0;
}

/** Make a column of texts one of doubles, if all of them are numbers. */
static int columnMakeDoubles(struct tableColumn *column)
{
	const int32_t *ends = (const int32_t *)column->offsets.bytes;
	struct tableVector doubles = { .bytes = NULL };
	double number = 0;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < column->count; i++) {
		bool isNull = column->nulls.used && column->nulls.bytes[i];

		if (!isNull &&
		    !tableDoubleParse((char *)column->values.bytes + ends[i],
				      (size_t)(ends[i + 1] - ends[i]),
				      &number)) {
			tableVectorFree(&doubles);
			return 0;
		}
		if (isNull)
			number = (double)NAN;
		ret = tableVectorAdd(&doubles, &number, sizeof(number));
	}
	if (ret < 0) {
		tableVectorFree(&doubles);
		return ret;
	}
	tableVectorFree(&column->values);
	tableVectorFree(&column->offsets);
	column->values = doubles;
	column->type = TABLE_DOUBLE;
	return 0;
}

/** The column of an attribute, which may be new; NULL: there is none. */
static struct tableColumn *columnFind(struct table *table, const char *name)
{
	size_t attributes = table->columnCount - table->fixedCount;
	size_t fixed = table->fixedCount;
	char label[TABLE_NAME_SIZE];
	size_t length;

	/* Mostly they come in the same order again. */
	for (size_t i = 0; i < attributes; i++) {
		size_t at = (table->next + i) % attributes;
		struct tableColumn *column = &table->columns[fixed + at];

		if (strcmp(column->name + 1, name) == 0) {
			table->next = at + 1;
			return column;
		}
	}
	length = strlen(name);
	if (attributes == TABLE_ATTRIBUTES_MAX || length + 2 > sizeof(label)) {
		table->lost++;
		return NULL;
	}
	label[0] = '@';
	memcpy(label + 1, name, length + 1);
	if (tableAdd(table, label, TABLE_INT64) < 0)
		return NULL;
	table->fixedCount = fixed;
	table->next = attributes + 1;
	return &table->columns[fixed + attributes];
}

void tablePutAttribute(struct table *table, const char *name, const char *value)
{
	struct tableColumn *column = columnFind(table, name);
	size_t length = strlen(value);
	int64_t number;
	int ret;

	if (!column || column->count > table->rows)
		return;
	ret = columnAddNulls(column, table->rows - column->count);
	if (ret == 0 && column->type == TABLE_INT64) {
		if (tableIntegerParse(value, length, &number))
			ret = tableVectorAdd(&column->values, &number,
					     sizeof(number));
		else
			ret = columnMakeText(column);
	}
	if (ret == 0 && column->type == TABLE_TEXT)
		ret = columnAddText(column, value, length);
	if (ret == 0)
		ret = columnMark(column, false);
	columnFail(table, ret);
}

void tableEndRow(struct table *table)
{
	table->rows++;
	table->next = 0;
}

int tableEnd(struct table *table)
{
	for (size_t i = table->fixedCount;
	     table->error == 0 && i < table->columnCount; i++) {
		struct tableColumn *column = &table->columns[i];
		int ret = columnAddNulls(column, table->rows - column->count);

		if (ret == 0 && column->type == TABLE_TEXT)
			ret = columnMakeDoubles(column);
		columnFail(table, ret);
	}
	return table->error;
}

void tableRestart(struct table *table)
{
	for (size_t i = 0; i < table->columnCount; i++) {
		struct tableColumn *column = &table->columns[i];

		column->values.used = 0;
		column->nulls.used = 0;
		column->count = 0;
		/* The first text begins at 0. */
		if (column->type == TABLE_TEXT)
			column->offsets.used = sizeof(int32_t);
	}
	table->rows = 0;
}

void tableFree(struct table *table)
{
	for (size_t i = 0; i < table->columnCount; i++) {
		free(table->columns[i].name);
		tableVectorFree(&table->columns[i].values);
		tableVectorFree(&table->columns[i].offsets);
		tableVectorFree(&table->columns[i].nulls);
	}
	free(table->columns);
	*table = (struct table){ .columns = NULL };
}
