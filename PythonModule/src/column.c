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

#include "PythonModule/src/column.h"
#include "PythonModule/src/number.h"

static const struct {
	const char *format;
	size_t bytes;
} columnTypes[] = {
	[HDPY_INT32] = { "i", 4 },      [HDPY_INT64] = { "l", 8 },
	[HDPY_UINT64] = { "L", 8 },     [HDPY_UINT32] = { "I", 4 },
	[HDPY_FLOAT] = { "f", 4 },      [HDPY_DOUBLE] = { "g", 8 },
	[HDPY_TIME] = { "tsn:UTC", 8 }, [HDPY_TEXT] = { "u", 1 },
};

size_t hdPyTypeBytes(enum hdPyType type)
{
	return columnTypes[type].bytes;
}

const char *hdPyTypeFormat(enum hdPyType type)
{
	return columnTypes[type].format;
}

static int columnFail(struct hdPyTable *table, int ret)
{
	if (ret < 0 && table->error == 0)
		table->error = ret;
	return ret;
}

/* ---- Rows of a column -------------------------------------------------- */

static int columnAddOffset(struct hdPyColumn *column)
{
	int32_t end = (int32_t)column->values.used;

	return hdPyVectorAdd(&column->offsets, &end, sizeof(end));
}

static int columnAddText(struct hdPyColumn *column, const char *text,
			 size_t length)
{
	int ret;

	if (length > (size_t)INT32_MAX - column->values.used)
		return -EFBIG;
	ret = hdPyVectorReserve(&column->offsets, sizeof(int32_t));
	if (ret == 0)
		ret = hdPyVectorAdd(&column->values, text, length);
	return ret < 0 ? ret : columnAddOffset(column);
}

/** Note that a row has a value or not; the first null needs notes for all. */
static int columnMark(struct hdPyColumn *column, bool isNull)
{
	unsigned char byte = isNull;
	int ret = 0;

	if (isNull && column->nulls.used == 0)
		ret = hdPyVectorFill(&column->nulls, 0, column->count);
	if (ret == 0 && (isNull || column->nulls.used))
		ret = hdPyVectorAdd(&column->nulls, &byte, 1);
	if (ret == 0)
		column->count++;
	return ret;
}

static int columnAddNulls(struct hdPyColumn *column, size_t count)
{
	int ret;

	if (count == 0)
		return 0;
	if (column->type == HDPY_TEXT) {
		ret = hdPyVectorReserve(&column->offsets,
					count * sizeof(int32_t));
		for (size_t i = 0; ret == 0 && i < count; i++)
			ret = columnAddOffset(column);
	} else {
		ret = hdPyVectorFill(&column->values, 0,
				     count * hdPyTypeBytes(column->type));
	}
	if (ret == 0 && column->nulls.used == 0)
		ret = hdPyVectorFill(&column->nulls, 0, column->count);
	if (ret == 0)
		ret = hdPyVectorFill(&column->nulls, 1, count);
	if (ret == 0)
		column->count += count;
	return ret;
}

/* ---- Fixed columns ----------------------------------------------------- */

static int columnInit(struct hdPyColumn *column, const char *name,
		      enum hdPyType type)
{
	*column = (struct hdPyColumn){ .name = strdup(name), .type = type };
	if (!column->name)
		return -ENOMEM;
	if (type != HDPY_TEXT || columnAddOffset(column) == 0)
		return 0;
	free(column->name);
	return -ENOMEM;
}

int hdPyTableAdd(struct hdPyTable *table, const char *name, enum hdPyType type)
{
	struct hdPyColumn *columns = realloc(
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

void hdPyTablePut(struct hdPyTable *table, size_t column, const void *value)
{
	struct hdPyColumn *to = &table->columns[column];
	int ret = hdPyVectorAdd(&to->values, value, hdPyTypeBytes(to->type));

	columnFail(table, ret < 0 ? ret : columnMark(to, false));
}

void hdPyTablePutText(struct hdPyTable *table, size_t column, const char *text,
		      size_t length)
{
	struct hdPyColumn *to = &table->columns[column];
	int ret = columnAddText(to, text, length);

	columnFail(table, ret < 0 ? ret : columnMark(to, false));
}

void hdPyTablePutNull(struct hdPyTable *table, size_t column)
{
	columnFail(table, columnAddNulls(&table->columns[column], 1));
}

/* ---- Attributes -------------------------------------------------------- */

/** Make a column of integers one of texts. */
static int columnMakeText(struct hdPyColumn *column)
{
	struct hdPyColumn text = { .type = HDPY_TEXT };
	const int64_t *numbers = (const int64_t *)column->values.bytes;
	char buffer[HDPY_NUMBER_SIZE];
	int ret = columnAddOffset(&text);

	for (size_t i = 0; ret == 0 && i < column->count; i++) {
		if (column->nulls.used && column->nulls.bytes[i])
			ret = columnAddOffset(&text);
		else
			ret = columnAddText(
				&text, buffer,
				hdPyIntegerPrint(buffer, numbers[i]));
	}
	if (ret < 0) {
		hdPyVectorFree(&text.values);
		hdPyVectorFree(&text.offsets);
		return ret;
	}
	hdPyVectorFree(&column->values);
	column->values = text.values;
	column->offsets = text.offsets;
	column->type = HDPY_TEXT;
	return 0;
}

/** Make a column of texts one of doubles, if all of them are numbers. */
static int columnMakeDoubles(struct hdPyColumn *column)
{
	const int32_t *ends = (const int32_t *)column->offsets.bytes;
	struct hdPyVector doubles = { .bytes = NULL };
	double number = 0;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < column->count; i++) {
		bool isNull = column->nulls.used && column->nulls.bytes[i];

		if (!isNull &&
		    !hdPyDoubleParse((char *)column->values.bytes + ends[i],
				     (size_t)(ends[i + 1] - ends[i]),
				     &number)) {
			hdPyVectorFree(&doubles);
			return 0;
		}
		if (isNull)
			number = (double)NAN;
		ret = hdPyVectorAdd(&doubles, &number, sizeof(number));
	}
	if (ret < 0) {
		hdPyVectorFree(&doubles);
		return ret;
	}
	hdPyVectorFree(&column->values);
	hdPyVectorFree(&column->offsets);
	column->values = doubles;
	column->type = HDPY_DOUBLE;
	return 0;
}

/** The column of an attribute, which may be new; NULL: there is none. */
static struct hdPyColumn *columnFind(struct hdPyTable *table, const char *name)
{
	size_t attributes = table->columnCount - table->fixedCount;
	size_t fixed = table->fixedCount;
	char label[HDPY_NAME_SIZE];
	size_t length;

	/* Mostly they come in the same order again. */
	for (size_t i = 0; i < attributes; i++) {
		size_t at = (table->next + i) % attributes;
		struct hdPyColumn *column = &table->columns[fixed + at];

		if (strcmp(column->name + 1, name) == 0) {
			table->next = at + 1;
			return column;
		}
	}
	length = strlen(name);
	if (attributes == HDPY_ATTRIBUTES_MAX || length + 2 > sizeof(label)) {
		table->lost++;
		return NULL;
	}
	label[0] = '@';
	memcpy(label + 1, name, length + 1);
	if (hdPyTableAdd(table, label, HDPY_INT64) < 0)
		return NULL;
	table->fixedCount = fixed;
	table->next = attributes + 1;
	return &table->columns[fixed + attributes];
}

void hdPyTablePutAttribute(struct hdPyTable *table, const char *name,
			   const char *value)
{
	struct hdPyColumn *column = columnFind(table, name);
	size_t length = strlen(value);
	int64_t number;
	int ret;

	if (!column || column->count > table->rows)
		return;
	ret = columnAddNulls(column, table->rows - column->count);
	if (ret == 0 && column->type == HDPY_INT64) {
		if (hdPyIntegerParse(value, length, &number))
			ret = hdPyVectorAdd(&column->values, &number,
					    sizeof(number));
		else
			ret = columnMakeText(column);
	}
	if (ret == 0 && column->type == HDPY_TEXT)
		ret = columnAddText(column, value, length);
	if (ret == 0)
		ret = columnMark(column, false);
	columnFail(table, ret);
}

void hdPyTableEndRow(struct hdPyTable *table)
{
	table->rows++;
	table->next = 0;
}

int hdPyTableEnd(struct hdPyTable *table)
{
	for (size_t i = table->fixedCount;
	     table->error == 0 && i < table->columnCount; i++) {
		struct hdPyColumn *column = &table->columns[i];
		int ret = columnAddNulls(column, table->rows - column->count);

		if (ret == 0 && column->type == HDPY_TEXT)
			ret = columnMakeDoubles(column);
		columnFail(table, ret);
	}
	return table->error;
}

void hdPyTableFree(struct hdPyTable *table)
{
	for (size_t i = 0; i < table->columnCount; i++) {
		free(table->columns[i].name);
		hdPyVectorFree(&table->columns[i].values);
		hdPyVectorFree(&table->columns[i].offsets);
		hdPyVectorFree(&table->columns[i].nulls);
	}
	free(table->columns);
	*table = (struct hdPyTable){ .columns = NULL };
}
