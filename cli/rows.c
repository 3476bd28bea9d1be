/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Rows of the same columns as text, CSV and JSON.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/rows.h"

/** A cell of the next row. */
struct rowCell {
	bool isKnown;
	bool isInteger;
	char *text;
	char *shown; /**< To people, if that is something else. */
	double number;
	outInt128 integer;
};

struct rows {
	const struct rowColumn *columns;
	size_t count;
	enum outFormat format;
	struct outJson *json;
	struct rowCell *cells;
	/* Of the table: the headings, and which columns have one. */
	const char **headings;
	size_t *places;
	struct outTable *table;
};

static bool rowsIsEnd(const struct rowColumn *column)
{
	return !column->heading && !column->key;
}

struct rows *rowsNew(const struct rowColumn *columns, enum outFormat format,
		     struct outJson *json)
{
	struct rows *self = g_new0(struct rows, 1);
	size_t headings = 0;

	self->columns = columns;
	self->format = format;
	self->json = json;
	while (!rowsIsEnd(&columns[self->count]))
		self->count++;
	self->cells = g_new0(struct rowCell, self->count);
	self->headings = g_new0(const char *, self->count + 1);
	self->places = g_new0(size_t, self->count);
	for (size_t i = 0; i < self->count; i++) {
		self->places[i] = headings;
		if (columns[i].heading)
			self->headings[headings++] = columns[i].heading;
	}
	if (format == OUT_TEXT)
		self->table = outTableNew(self->headings);
	return self;
}

static void rowsClear(struct rows *self)
{
	for (size_t i = 0; i < self->count; i++) {
		g_free(self->cells[i].text);
		g_free(self->cells[i].shown);
	}
	memset(self->cells, 0, self->count * sizeof(*self->cells));
}

void rowsFree(struct rows *self)
{
	if (!self)
		return;
	rowsClear(self);
	outTableFree(self->table);
	g_free(self->cells);
	g_free(self->headings);
	g_free(self->places);
	g_free(self);
}

static bool rowsIsInCsv(const struct rowColumn *column)
{
	return column->key && !(column->flags & ROW_NOT_CSV);
}

static const char *rowsCsvKey(const struct rowColumn *column)
{
	return column->csvKey ? column->csvKey : column->key;
}

void rowsHeader(const struct rows *self)
{
	struct outCsv csv = { .file = NULL };

	if (self->format != OUT_CSV)
		return;
	for (size_t i = 0; i < self->count; i++) {
		if (rowsIsInCsv(&self->columns[i]))
			outCsvPlain(&csv, rowsCsvKey(&self->columns[i]));
	}
	outCsvEnd(&csv);
}

/* ---- Cells ------------------------------------------------------------- */

void rowsText(struct rows *self, size_t column, const char *text)
{
	struct rowCell *cell = &self->cells[column];

	g_free(cell->text);
	cell->isKnown = text != NULL;
	cell->text = g_strdup(text);
}

void rowsInteger(struct rows *self, size_t column, outInt128 integer)
{
	self->cells[column].isKnown = true;
	self->cells[column].isInteger = true;
	self->cells[column].integer = integer;
}

void rowsCount(struct rows *self, size_t column, uint64_t count)
{
	rowsInteger(self, column, (outInt128)count);
}

void rowsNumber(struct rows *self, size_t column, double number)
{
	self->cells[column].isKnown = !isnan(number);
	self->cells[column].number = number;
}

void rowsTime(struct rows *self, size_t column, int64_t ns)
{
	rowsInteger(self, column, ns);
}

void rowsFlag(struct rows *self, size_t column, bool flag)
{
	rowsInteger(self, column, flag);
}

void rowsShow(struct rows *self, size_t column, const char *text)
{
	g_free(self->cells[column].shown);
	self->cells[column].shown = g_strdup(text);
}

/* ---- Rows -------------------------------------------------------------- */

static const char *rowsForPeople(char *buffer, const struct rowColumn *column,
				 const struct rowCell *cell)
{
	if (cell->shown)
		return cell->shown;
	if (!cell->isKnown)
		return column->flags & ROW_DASH ? "-" : "";
	switch (column->kind) {
	case ROW_TEXT:
		return cell->text;
	case ROW_COUNT:
	case ROW_NUMBER:
		return cell->isInteger ? outInteger(buffer, cell->integer)
				       : outRounded(buffer, cell->number);
	case ROW_TIME:
		return outSeconds(buffer, (int64_t)cell->integer);
	case ROW_DURATION:
		return outDuration(buffer, (int64_t)cell->integer);
	case ROW_FLAG:
		break;
	}
	return cell->integer ? "yes" : "no";
}

static void rowsPutText(const struct rows *self)
{
	char buffer[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < self->count; i++) {
		if (self->columns[i].heading)
			outTableAdd(self->table,
				    rowsForPeople(buffer, &self->columns[i],
						  &self->cells[i]));
	}
}

/** A cell for programs, but for texts: exact. */
static const char *rowsExact(char *buffer, const struct rowColumn *column,
			     const struct rowCell *cell)
{
	if (column->kind == ROW_TIME || column->kind == ROW_DURATION)
		return outSeconds(buffer, (int64_t)cell->integer);
	return cell->isInteger ? outInteger(buffer, cell->integer)
			       : outDouble(buffer, cell->number);
}

static void rowsPutCsv(const struct rows *self)
{
	struct outCsv csv = { .file = NULL };
	char buffer[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < self->count; i++) {
		const struct rowCell *cell = &self->cells[i];

		if (!rowsIsInCsv(&self->columns[i]))
			continue;
		if (!cell->isKnown)
			outCsvPlain(&csv, "");
		else if (self->columns[i].kind == ROW_TEXT)
			outCsvText(&csv, cell->text);
		else
			outCsvPlain(&csv,
				    rowsExact(buffer, &self->columns[i], cell));
	}
	outCsvEnd(&csv);
}

static void rowsPutMember(const struct rows *self, size_t i)
{
	const struct rowColumn *column = &self->columns[i];
	const struct rowCell *cell = &self->cells[i];
	char buffer[OUT_NUMBER_SIZE];

	if (!cell->isKnown)
		outJsonPlain(self->json, column->key, "null");
	else if (column->kind == ROW_TEXT)
		outJsonText(self->json, column->key, cell->text);
	else if (column->kind == ROW_FLAG)
		outJsonBool(self->json, column->key, cell->integer != 0);
	else if (column->kind == ROW_TIME || column->kind == ROW_DURATION)
		outJsonSeconds(self->json, column->key, (int64_t)cell->integer);
	else if (cell->isInteger)
		outJsonPlain(self->json, column->key,
			     outInteger(buffer, cell->integer));
	else
		outJsonDouble(self->json, column->key, cell->number);
}

static void rowsPutJson(const struct rows *self)
{
	outJsonObject(self->json, NULL, true);
	for (size_t i = 0; i < self->count; i++) {
		const struct rowColumn *column = &self->columns[i];

		if (!column->key || column->flags & ROW_NOT_JSON ||
		    (!self->cells[i].isKnown && column->flags & ROW_OPTIONAL))
			continue;
		rowsPutMember(self, i);
	}
}

void rowsPut(struct rows *self)
{
	switch (self->format) {
	case OUT_TEXT:
		rowsPutText(self);
		break;
	case OUT_CSV:
		rowsPutCsv(self);
		break;
	case OUT_JSON:
		rowsPutJson(self);
		break;
	}
	rowsClear(self);
}

void rowsEnd(struct rows *self)
{
	rowsPut(self);
	if (self->format == OUT_JSON)
		outJsonEnd(self->json);
}

/* ---- The table --------------------------------------------------------- */

void rowsHide(struct rows *self, size_t column)
{
	if (self->table)
		outTableHide(self->table, self->places[column]);
}

void rowsPrint(struct rows *self, const char *indent, bool isColored)
{
	if (!self->table)
		return;
	outTablePrint(self->table, indent, isColored);
	self->table = outTableNew(self->headings);
}
