/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Tables of hdtrace stat --shares as text, CSV and JSON.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/shareprint.h"
#include "cli/output.h"
#include "cli/rows.h"

/** Figures: for programs, and for people. */
static const struct {
	const char *key;
	const char *title;
} figures[SHARE_FIGURES] = {
	[SHARE_TOTAL] = { "total", "Total" },
	[SHARE_AVERAGE] = { "average", "Average" },
	[SHARE_MAXIMUM] = { "maximum", "Maximum" },
	[SHARE_MINIMUM] = { "minimum", "Minimum" },
	[SHARE_STDDEV] = { "stddev", "Std.dev." },
	[SHARE_BALANCE] = { "average_by_maximum", "Avg/Max" },
};

/* ---- For people -------------------------------------------------------- */

/** Widest table, in characters; more states go into a further one. */
enum { TEXT_WIDTH = 100, TEXT_CELL = 8, TEXT_BETWEEN = 2 };
/** Shares below this, in %, are printed as 0.00. */
#define TEXT_LEAST 0.005

/** The name of a column. */
static const char *stateTitle(const struct shareTable *table, guint column)
{
	const char *state = table->states->pdata[column];

	return state ? state : "(none)";
}

static char *rowTitle(const struct shareTable *table, guint row)
{
	const char *node = table->nodes->pdata[row];
	const char *cpu = table->cpus->pdata[row];

	return cpu ? g_strdup_printf("%s CPU %s", node, cpu) : g_strdup(node);
}

/** The unit that a table is shown in. */
static struct quantityUnit sharePrintUnitOf(const struct shareTable *table)
{
	double largest = 0;

	for (guint i = 0; i < table->cells->len; i++) {
		double amount =
			g_array_index(table->cells, struct shareCell, i).amount;

		if (!isnan(amount))
			largest = fmax(largest, fabs(amount));
	}
	return unitForPeople(table->unit, largest);
}

static void sharePrintAddAmount(struct outTable *text,
				const struct shareTable *table,
				const char *mark, double amount,
				const struct quantityUnit *unit)
{
	char buffer[OUT_NUMBER_SIZE];
	char *cell;

	if (isnan(amount)) {
		outTableAdd(text, "-");
		return;
	}
	if (!table->isTotal || !unit)
		snprintf(buffer, sizeof(buffer), "%.2f", amount);
	else
		quantityNumber(buffer, amount, unit);
	cell = g_strconcat(mark, buffer, NULL);
	outTableAdd(text, cell);
	g_free(cell);
}

static void addFigure(struct outTable *text, const struct shareTable *table,
		      guint column, enum shareFigure figure,
		      const struct quantityUnit *unit)
{
	guint rows;
	struct shareCell cell = shareTableFigure(table, column, figure, &rows);
	bool isLess = rows < table->nodes->len ||
		      (table->isTotal && !knownIsWhole(cell.known));

	sharePrintAddAmount(text, table,
			    figure == SHARE_TOTAL && isLess ? ">= " : "",
			    cell.amount, figure == SHARE_BALANCE ? NULL : unit);
}

static void sharePrintAddRow(struct outTable *text,
			     const struct shareTable *table, guint row,
			     const guint *numbers, guint count,
			     const struct quantityUnit *unit)
{
	char *title = rowTitle(table, row);

	outTableAdd(text, title);
	g_free(title);
	for (guint i = 0; i < count; i++) {
		const struct shareCell *cell =
			shareTableCell(table, row, numbers[i]);

		sharePrintAddAmount(text, table,
				    table->isTotal ? knownMark(cell->known)
						   : "",
				    cell->amount, unit);
	}
}

/** Print the columns with these numbers. */
static void printColumns(const struct tool *tool,
			 const struct shareTable *table, const guint *numbers,
			 guint count, const struct quantityUnit *unit)
{
	GPtrArray *headings = g_ptr_array_new_with_free_func(g_free);
	struct outTable *text;

	g_ptr_array_add(headings,
			g_strdup(table->cpus->pdata[0] ? "<CPU" : "<Trace"));
	for (guint i = 0; i < count; i++)
		g_ptr_array_add(
			headings,
			g_strconcat(".", stateTitle(table, numbers[i]), NULL));
	g_ptr_array_add(headings, NULL);
	text = outTableNew((const char *const *)headings->pdata);
	for (guint row = 0; row < table->nodes->len; row++)
		sharePrintAddRow(text, table, row, numbers, count, unit);
	for (int figure = 0; figure < SHARE_FIGURES; figure++) {
		outTableAdd(text, figures[figure].title);
		for (guint i = 0; i < count; i++)
			addFigure(text, table, numbers[i],
				  (enum shareFigure)figure, unit);
	}
	outTablePrint(text, "  ", tool->isColored);
	g_ptr_array_unref(headings);
}

static void sharePrintPrintTitle(const struct tool *tool,
				 const struct shareTable *table,
				 const struct quantityUnit *unit)
{
	fputs(tool->isColored ? "\033[1m" : "", stdout);
	printf("%s, in %s", table->title,
	       *unit->name ? unit->name : table->unit);
	if (table->value) {
		printf(": ");
		outPrintable(table->value);
		printf(" of ");
		outPrintable(table->group);
		printf("%s", table->isSimulated ? " (simulated)" : "");
	}
	puts(tool->isColored ? "\033[0m" : "");
}

/** How wide the first column is. */
static size_t titleWidth(const struct shareTable *table)
{
	size_t width = TEXT_CELL;

	for (guint i = 0; i < table->nodes->len; i++) {
		char *title = rowTitle(table, i);

		width = MAX(width, strlen(title));
		g_free(title);
	}
	return width;
}

/** How many of some columns fit beside each other; one at least. */
static guint columnsThatFit(const struct shareTable *table, size_t width,
			    const guint *numbers, guint count)
{
	guint fit = 0;

	while (fit < count) {
		width += MAX(strlen(stateTitle(table, numbers[fit])),
			     TEXT_CELL) +
			 TEXT_BETWEEN;
		if (width > TEXT_WIDTH && fit)
			break;
		fit++;
	}
	return fit;
}

/** @param shown Numbers of columns. */
static void sharePrintPrintText(const struct tool *tool,
				const struct shareTable *table,
				const GArray *shown)
{
	struct quantityUnit unit = sharePrintUnitOf(table);
	size_t width = titleWidth(table);
	const guint *numbers = (const guint *)(const void *)shown->data;

	sharePrintPrintTitle(tool, table, &unit);
	for (guint first = 0, count; first < shown->len; first += count) {
		count = columnsThatFit(table, width, numbers + first,
				       shown->len - first);
		if (first)
			putchar('\n');
		printColumns(tool, table, numbers + first, count, &unit);
	}
}

/** Whether a state took so little everywhere that it would be shown as 0. */
static bool sharePrintIsSmall(const struct shareTable *time, guint column)
{
	for (guint i = 0; i < time->nodes->len; i++) {
		if (!(shareTableCell(time, i, column)->amount < TEXT_LEAST))
			return false;
	}
	return column > 0;
}

/** Find the columns that people are shown; of all tables of states the same.
 *
 * @param time The table of times; NULL: all columns. */
static GArray *findShown(const struct shareTable *table,
			 const struct shareTable *time)
{
	GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint i = 0; i < table->states->len; i++) {
		if (!time || !sharePrintIsSmall(time, i))
			g_array_append_val(shown, i);
	}
	return shown;
}

static void printTexts(const struct tool *tool, const GPtrArray *tables)
{
	const struct shareTable *time = tables->pdata[0];
	guint hidden = 0;

	if (time->cpus->pdata[0])
		time = NULL;
	for (guint i = 0; i < tables->len; i++) {
		const struct shareTable *table = tables->pdata[i];
		GArray *shown =
			findShown(table, table->cpus->pdata[0] ? NULL : time);

		if (i)
			putchar('\n');
		sharePrintPrintText(tool, table, shown);
		hidden = MAX(hidden, table->states->len - shown->len);
		g_array_unref(shown);
	}
	if (hidden)
		printf("\n%u state%s below %g %% of the time of each trace "
		       "omitted; --format=csv lists all.\n",
		       hidden, hidden == 1 ? "" : "s", TEXT_LEAST);
}

/* ---- For programs ------------------------------------------------------ */

static const struct rowColumn columns[] = {
	{ NULL, "table", ROW_TEXT, 0 },
	{ NULL, "group", ROW_TEXT, 0 },
	{ NULL, "value", ROW_TEXT, 0 },
	{ NULL, "node", ROW_TEXT, 0 },
	{ NULL, "cpu", ROW_TEXT, 0 },
	{ NULL, "state", ROW_TEXT, 0 },
	{ NULL, "statistic", ROW_TEXT, 0 },
	{ NULL, "rows", ROW_COUNT, 0 },
	{ NULL, "amount", ROW_NUMBER, 0 },
	{ NULL, "unit", ROW_TEXT, 0 },
	{ NULL, "time_s", ROW_TIME, 0, "seconds" },
	{ NULL, "simulated", ROW_FLAG, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_TABLE,
	COLUMN_GROUP,
	COLUMN_VALUE,
	COLUMN_NODE,
	COLUMN_CPU,
	COLUMN_STATE,
	COLUMN_STATISTIC,
	COLUMN_ROWS,
	COLUMN_AMOUNT,
	COLUMN_UNIT,
	COLUMN_SECONDS,
	COLUMN_SIMULATED,
	COLUMN_DURATION_S,
	COLUMN_KNOWN_S,
};

/** Set what a cell and a figure have in common, and end the row. */
static void putCell(struct rows *rows, const struct shareTable *table,
		    guint column, const char *unit,
		    const struct shareCell *cell)
{
	rowsText(rows, COLUMN_TABLE, table->key);
	rowsText(rows, COLUMN_GROUP, table->group);
	rowsText(rows, COLUMN_VALUE, table->value);
	rowsText(rows, COLUMN_STATE, table->states->pdata[column]);
	rowsNumber(rows, COLUMN_AMOUNT, cell->amount);
	rowsText(rows, COLUMN_UNIT, unit);
	if (cell->seconds >= 0)
		rowsTime(rows, COLUMN_SECONDS, cell->seconds);
	rowsFlag(rows, COLUMN_SIMULATED, table->isSimulated);
	rowsTime(rows, COLUMN_DURATION_S, cell->known.durationNs);
	rowsTime(rows, COLUMN_KNOWN_S, cell->known.knownNs);
	rowsEnd(rows);
}

static void sharePrintPutTable(struct rows *rows,
			       const struct shareTable *table)
{
	for (guint i = 0; i < table->cells->len; i++) {
		guint row = i / table->states->len;

		rowsText(rows, COLUMN_NODE, table->nodes->pdata[row]);
		rowsText(rows, COLUMN_CPU, table->cpus->pdata[row]);
		putCell(rows, table, i % table->states->len, table->unit,
			&g_array_index(table->cells, struct shareCell, i));
	}
	for (guint i = 0; i < SHARE_FIGURES * table->states->len; i++) {
		guint column = i % table->states->len, count;
		enum shareFigure figure =
			(enum shareFigure)(i / table->states->len);
		struct shareCell cell =
			shareTableFigure(table, column, figure, &count);

		rowsText(rows, COLUMN_STATISTIC, figures[figure].key);
		rowsCount(rows, COLUMN_ROWS, count);
		putCell(rows, table, column,
			figure == SHARE_BALANCE ? NULL : table->unit, &cell);
	}
}

void sharePrint(const struct tool *tool, const hdIProject *project,
		const GPtrArray *tables)
{
	struct outJson json = { .file = NULL };
	struct rows *rows = rowsNew(columns, tool->format, &json);

	if (tool->format == OUT_JSON) {
		outJsonDocument(&json, "hdtrace-stat-shares");
		outJsonText(&json, "project", project->name);
		outJsonText(&json, "file", project->file);
		outJsonArray(&json, "rows", false);
	}
	rowsHeader(rows);
	if (tool->format == OUT_TEXT)
		printTexts(tool, tables);
	for (guint i = 0; i < tables->len && tool->format != OUT_TEXT; i++)
		sharePrintPutTable(rows, tables->pdata[i]);
	if (tool->format == OUT_JSON) {
		outJsonEnd(&json);
		outJsonEnd(&json);
	}
	rowsFree(rows);
}
