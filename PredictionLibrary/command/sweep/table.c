/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of a sweep; see table.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "PredictionLibrary/command/sweep/table.h"
#include "cli/rows.h"

static const struct rowColumn values[POINT_VALUES] = {
	[POINT_TASKS] = { ">tasks", "tasks", ROW_NUMBER, 0 },
	[POINT_TIME] = { ".time s", "makespan_s", ROW_NUMBER, 0, "time_s" },
	[POINT_TOTAL] = { ".energy J", "energy_total_j", ROW_NUMBER, 0 },
	[POINT_DYNAMIC] = { ".dynamic J", "energy_dynamic_j", ROW_NUMBER, 0 },
	[POINT_COMPUTATION] = { NULL, "energy_computation_j", ROW_NUMBER, 0 },
	[POINT_COMMUNICATION] = { NULL, "energy_communication_j", ROW_NUMBER,
				  0 },
	[POINT_IDLE] = { NULL, "energy_idle_j", ROW_NUMBER, 0 },
	[POINT_MESSAGES] = { NULL, "messages", ROW_NUMBER, 0 },
	[POINT_BYTES] = { NULL, "message_bytes", ROW_NUMBER, 0 },
	[POINT_PEAK] = { ".peak W", "peak_power_w", ROW_NUMBER, 0 },
	[POINT_MEMORY] = { ".memory B", "memory_peak_bytes", ROW_NUMBER, 0 },
	[POINT_PENDING] = { ">pending", "pending_max", ROW_NUMBER, 0 },
	[POINT_ASSUMED] = { "<assumed", "energy_assumed", ROW_FLAG,
			    ROW_OPTIONAL },
	[POINT_TIME_LOW] = { ".time 5 %", "makespan_q05_s", ROW_NUMBER, 0,
			     "time_q05_s" },
	[POINT_TIME_HIGH] = { ".time 95 %", "makespan_q95_s", ROW_NUMBER, 0,
			      "time_q95_s" },
	[POINT_ENERGY_LOW] = { ".energy 5 %", "energy_total_q05_j", ROW_NUMBER,
			       0 },
	[POINT_ENERGY_HIGH] = { ".energy 95 %", "energy_total_q95_j",
				ROW_NUMBER, 0 },
};

/* ---- The front --------------------------------------------------------- */

static int sweepTableByTime(const void *a, const void *b, void *data)
{
	const struct sweepRow *rows = data;
	const double *x = rows[*(const size_t *)a].values;
	const double *y = rows[*(const size_t *)b].values;

	if (x[POINT_TIME] != y[POINT_TIME])
		return x[POINT_TIME] < y[POINT_TIME] ? -1 : 1;
	return (x[POINT_TOTAL] > y[POINT_TOTAL]) -
	       (x[POINT_TOTAL] < y[POINT_TOTAL]);
}

bool *sweepFront(const struct sweepRows *rows)
{
	bool *front = g_new0(bool, rows->count);
	size_t *order = g_new(size_t, rows->count), count = 0;
	double least = INFINITY, then = NAN;

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].isThere && !rows->rows[i].error)
			order[count++] = i;
	}
	g_qsort_with_data(order, (gint)count, sizeof(*order), sweepTableByTime,
			  rows->rows);
	for (size_t i = 0; i < count; i++) {
		const double *row = rows->rows[order[i]].values;
		bool isEqual =
			row[POINT_TOTAL] == least && row[POINT_TIME] == then;

		if (!(row[POINT_TOTAL] < least) && !isEqual)
			continue;
		front[order[i]] = true;
		least = row[POINT_TOTAL];
		then = row[POINT_TIME];
	}
	g_free(order);
	return front;
}

/* ---- Limits ------------------------------------------------------------ */

static bool sweepHasLimit(const struct limitValues *limits)
{
	return limits->power > 0 || limits->memory > 0;
}

static bool sweepIsWithin(const struct sweepRow *row,
			  const struct limitValues *limits)
{
	return row->isThere && !row->error &&
	       limitsAreKept(limits, row->values[POINT_PEAK],
			     row->values[POINT_MEMORY]);
}

/* The fastest row that keeps the limits, of equal ones that with less energy;
 * the number of rows: none does. */
static size_t sweepFastest(const struct sweepRows *rows,
			   const struct limitValues *limits)
{
	size_t best = rows->count;

	for (size_t i = 0; i < rows->count; i++) {
		if (sweepIsWithin(&rows->rows[i], limits) &&
		    (best == rows->count ||
		     sweepTableByTime(&i, &best, rows->rows) < 0))
			best = i;
	}
	return best;
}

static void sweepPrintFastest(const struct sweepRows *rows,
			      const struct limitValues *limits)
{
	size_t best = sweepFastest(rows, limits);
	char time[OUT_NUMBER_SIZE], peak[OUT_NUMBER_SIZE];

	if (best == rows->count) {
		printf("\nNo point keeps the limits\n");
		return;
	}
	printf("\nFastest point within the limits: %zu, with %s s, %s W and "
	       "%.0f bytes\n",
	       best + 1, outRounded(time, rows->rows[best].values[POINT_TIME]),
	       outRounded(peak, rows->rows[best].values[POINT_PEAK]),
	       rows->rows[best].values[POINT_MEMORY]);
}

static void sweepPutFastest(const struct sweepRows *rows,
			    const struct limitValues *limits,
			    struct outJson *json)
{
	size_t best = sweepFastest(rows, limits);

	outJsonObject(json, "limits", true);
	if (limits->power > 0)
		outJsonDouble(json, "power_w", limits->power);
	if (limits->memory > 0)
		outJsonDouble(json, "memory_bytes", limits->memory);
	outJsonEnd(json);
	if (best == rows->count)
		outJsonDouble(json, "fastest", NAN);
	else
		outJsonInteger(json, "fastest", (int64_t)best + 1);
}

/* ---- Rows -------------------------------------------------------------- */

/* Columns: point, parameters, values, front, error; headings to be freed. */
static struct rowColumn *columnsOf(const struct sweepRows *rows,
				   const struct limitValues *limits)
{
	guint names = rows->names->len;
	struct rowColumn *columns =
		g_new0(struct rowColumn, names + POINT_VALUES + 5);
	struct rowColumn *next = columns;

	*next++ =
		(struct rowColumn){ g_strdup(">point"), "point", ROW_COUNT, 0 };
	for (guint i = 0; i < names; i++)
		*next++ = (struct rowColumn){
			g_strdup_printf("<%s", (char *)rows->names->pdata[i]),
			rows->names->pdata[i], ROW_TEXT, ROW_NOT_JSON
		};
	for (int i = 0; i < POINT_VALUES; i++) {
		if (rows->hasSamples || i < POINT_TIME_LOW) {
			*next = values[i];
			next->heading = g_strdup(values[i].heading);
		} else {
			*next = (struct rowColumn){ NULL, values[i].key,
						    ROW_NUMBER,
						    ROW_NOT_CSV |
							    ROW_OPTIONAL };
		}
		next++;
	}
	*next++ =
		(struct rowColumn){ g_strdup("<front"), "front", ROW_FLAG, 0 };
	*next++ = sweepHasLimit(limits)
			  ? (struct rowColumn){ g_strdup("<within limits"),
						"within_limits", ROW_FLAG, 0 }
			  : (struct rowColumn){ NULL, "within_limits", ROW_FLAG,
						ROW_NOT_CSV | ROW_OPTIONAL };
	*next++ = (struct rowColumn){ g_strdup("<"), "error", ROW_TEXT, 0 };
	return columns;
}

/* A value as a number, where it is one. */
static void jsonValue(struct outJson *json, const char *name, const char *text)
{
	char *end;
	double number = g_ascii_strtod(text, &end);

	if (g_ascii_isdigit(*text) && !*end && isfinite(number))
		outJsonDouble(json, name, number);
	else
		outJsonText(json, name, text);
}

static void putRow(struct rows *table, const struct sweepRows *rows,
		   size_t point, bool isFront, const struct limitValues *limits,
		   struct outJson *json)
{
	const struct sweepRow *row = &rows->rows[point];
	guint names = rows->names->len;

	rowsCount(table, 0, point + 1);
	for (guint i = 0; i < names; i++)
		rowsText(table, 1 + i, row->texts->pdata[i]);
	for (guint i = 0; i < POINT_VALUES; i++) {
		if (i != POINT_ASSUMED)
			rowsNumber(table, 1 + names + i, row->values[i]);
		else if (!isnan(row->values[i]))
			rowsFlag(table, 1 + names + i, row->values[i] == 1);
	}
	rowsFlag(table, 1 + names + POINT_VALUES, isFront);
	if (sweepHasLimit(limits))
		rowsFlag(table, 2 + names + POINT_VALUES,
			 sweepIsWithin(row, limits));
	rowsText(table, 3 + names + POINT_VALUES, row->error);
	if (!json) {
		rowsEnd(table);
		return;
	}
	rowsPut(table);
	outJsonObject(json, "parameters", true);
	for (guint i = 0; i < names; i++)
		jsonValue(json, rows->names->pdata[i], row->texts->pdata[i]);
	outJsonEnd(json);
	outJsonEnd(json);
}

void sweepPrint(const struct sweepRows *rows, const bool *front,
		const struct limitValues *limits, enum outFormat format)
{
	struct outJson *json =
		format == OUT_JSON ? g_new0(struct outJson, 1) : NULL;
	struct rowColumn *columns = columnsOf(rows, limits);
	struct rows *table;

	if (json) {
		outJsonDocument(json, "hdpredict-sweep");
		outJsonInteger(json, "points", (int64_t)rows->count);
		outJsonArray(json, "rows", false);
	}
	table = rowsNew(columns, format, json);
	rowsHeader(table);
	for (size_t i = 0; i < rows->count; i++)
		putRow(table, rows, i, front[i], limits, json);
	rowsPrint(table, "", false);
	rowsFree(table);
	if (sweepHasLimit(limits) && !json && format == OUT_TEXT)
		sweepPrintFastest(rows, limits);
	if (json) {
		outJsonEnd(json);
		if (sweepHasLimit(limits))
			sweepPutFastest(rows, limits, json);
		outJsonEnd(json);
		printf("\n");
	}
	for (guint i = 0; i < rows->names->len + POINT_VALUES + 4; i++)
		g_free((char *)columns[i].heading);
	g_free(columns);
	g_free(json);
}
