/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Aligned tables for people.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"

struct outTable {
	const char *const *headings;
	size_t columns;
	GPtrArray *cells;
	bool *isHidden;
};

struct outTable *outTableNew(const char *const *headings)
{
	struct outTable *table = g_new0(struct outTable, 1);

	table->headings = headings;
	while (headings[table->columns])
		table->columns++;
	table->isHidden = g_new0(bool, table->columns);
	table->cells = g_ptr_array_new_with_free_func(g_free);
	return table;
}

void outTableHide(struct outTable *table, size_t column)
{
	table->isHidden[column] = true;
}

void outTableAdd(struct outTable *table, const char *text)
{
	GString *cell = g_string_new(NULL);

	outAppendPrintable(cell, text, strlen(text));
	g_ptr_array_add(table->cells, g_string_free(cell, FALSE));
}

static size_t width(const char *text)
{
	return (size_t)g_utf8_strlen(text, -1);
}

/** Width of what stands right of the units place. */
static size_t fraction(const char *text)
{
	const char *point = strpbrk(text, ".e");

	return point ? width(point) : 0;
}

/** Width of a column, and of the fractions in it if it is decimal. */
static void tableMeasureColumn(const struct outTable *table, size_t column,
			       size_t *total, size_t *fractions)
{
	const char *heading = table->headings[column];
	size_t whole = 0;

	*total = 0;
	*fractions = 0;
	for (size_t i = column; i < table->cells->len; i += table->columns) {
		const char *cell = table->cells->pdata[i];
		size_t right = heading[0] == '.' ? fraction(cell) : 0;

		whole = MAX(whole, width(cell) - right);
		*fractions = MAX(*fractions, right);
	}
	*total = MAX(whole + *fractions, width(heading + 1));
}

/** Print a cell with blanks around it; what follows is not the line's end. */
static void printCell(GString *line, const char *text, size_t before,
		      size_t after)
{
	g_string_append_printf(line, "%*s%s%*s", (int)before, "", text,
			       (int)after, "");
}

static void endLine(GString *line)
{
	while (line->len && line->str[line->len - 1] == ' ')
		g_string_truncate(line, line->len - 1);
	fputs(line->str, stdout);
	g_string_truncate(line, 0);
}

static void printHeadings(const struct outTable *table, GString *line,
			  const char *indent, const size_t *totals,
			  bool isColored)
{
	const char *between = indent;

	for (size_t i = 0; i < table->columns; i++) {
		const char *heading = table->headings[i];
		size_t space = totals[i] - width(heading + 1);
		bool isLeft = heading[0] == '<';

		if (table->isHidden[i])
			continue;
		g_string_append(line, between);
		printCell(line, heading + 1, isLeft ? 0 : space,
			  isLeft ? space : 0);
		between = "  ";
	}
	printf("%s", isColored ? "\033[1m" : "");
	endLine(line);
	printf("%s\n", isColored ? "\033[0m" : "");
}

static void tablePrintRow(const struct outTable *table, GString *line,
			  const char *indent, const size_t *totals,
			  const size_t *fractions, char *const *cells)
{
	const char *between = indent;

	for (size_t i = 0; i < table->columns; i++) {
		size_t space = totals[i] - width(cells[i]);
		size_t after = 0;

		if (table->isHidden[i])
			continue;
		if (table->headings[i][0] == '<')
			after = space;
		else if (table->headings[i][0] == '.')
			after = fractions[i] - fraction(cells[i]);
		g_string_append(line, between);
		printCell(line, cells[i], space - after, after);
		between = "  ";
	}
	endLine(line);
	putchar('\n');
}

void outTablePrint(struct outTable *table, const char *indent, bool isColored)
{
	size_t *totals = g_new(size_t, table->columns);
	size_t *fractions = g_new(size_t, table->columns);
	GString *line = g_string_new(NULL);

	for (size_t i = 0; i < table->columns; i++)
		tableMeasureColumn(table, i, &totals[i], &fractions[i]);
	printHeadings(table, line, indent, totals, isColored);
	for (size_t i = 0; i + table->columns <= table->cells->len;
	     i += table->columns)
		tablePrintRow(table, line, indent, totals, fractions,
			      (char **)&table->cells->pdata[i]);
	g_string_free(line, TRUE);
	g_free(totals);
	g_free(fractions);
	outTableFree(table);
}

void outTableFree(struct outTable *table)
{
	if (!table)
		return;
	g_ptr_array_free(table->cells, TRUE);
	g_free(table->isHidden);
	g_free(table);
}
