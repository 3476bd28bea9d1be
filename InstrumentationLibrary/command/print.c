/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes as a table, CSV, JSON and a graph. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "InstrumentationLibrary/command/advice.h"
#include "InstrumentationLibrary/command/print.h"
#include "InstrumentationLibrary/src/core/page.h"
#include "cli/rows.h"

#define US 1e6

static const struct probeRow *probePrintRowAt(const struct probeTable *table,
					      guint i)
{
	return &g_array_index(table->rows, struct probeRow, i);
}

static const struct lanePart *laneAt(const struct probeRow *row, guint i)
{
	return &g_array_index(row->lanes, struct lanePart, i);
}

static char *probePrintNameOf(const struct hdProbeFigures *figures)
{
	return figures->kind == HDPROBE_KIND_TRANSFER
		       ? g_strdup_printf("%s -> %s", figures->name, figures->to)
		       : g_strdup(figures->name);
}

static const char *probePrintKindOf(const struct hdProbeFigures *figures)
{
	static const char *const words[] = { "unknown", "timer", "kernel",
					     "transfer", "counter" };

	return words[figures->kind < G_N_ELEMENTS(words) ? figures->kind : 0];
}

/* ---- Table -----------------------------------------------------------------
 */

static void probePrintAddNumber(struct outTable *table, double number,
				double unit)
{
	char text[OUT_NUMBER_SIZE] = "-";

	if (isfinite(number))
		outRounded(text, number * unit);
	outTableAdd(table, text);
}

/* Events of an instance. */
static void probePrintAddEvent(struct outTable *table,
			       const struct hdProbeFigures *is,
			       enum hdProbeEvent event)
{
	char text[OUT_NUMBER_SIZE] = "-";

	if (is->instances && isfinite(is->events[event]))
		outRounded(text, is->events[event] / (double)is->instances);
	outTableAdd(table, text);
}

/* Instructions a cycle; NaN if unknown. */
static double ratioOf(const struct hdProbeFigures *is)
{
	return is->events[HDPROBE_EVENT_INSTRUCTIONS] /
	       is->events[HDPROBE_EVENT_CYCLES];
}

static bool hasEvent(const struct probeTable *table, enum hdProbeEvent event)
{
	for (guint i = 0; i < table->rows->len; i++) {
		if (isfinite(probePrintRowAt(table, i)->figures.events[event]))
			return true;
	}
	return false;
}

static void probePrintAddCount(struct outTable *out, uint64_t count,
			       bool isUnknown)
{
	char text[OUT_NUMBER_SIZE];

	outTableAdd(out, isUnknown ? "-" : outInteger(text, (outInt128)count));
}

static void probePrintAddTimes(struct outTable *out, const char *name,
			       const struct hdProbeFigures *figures,
			       bool isUnknown)
{
	outTableAdd(out, name);
	probePrintAddCount(out, figures->instances, isUnknown);
	probePrintAddNumber(out, figures->dispatch_mean_s, US);
	probePrintAddNumber(out, figures->mean_s, US);
	probePrintAddNumber(out, sqrt(figures->variance), US);
	probePrintAddNumber(out, figures->min_s, US);
	probePrintAddNumber(out, figures->p50_s, US);
	probePrintAddNumber(out, figures->p99_s, US);
	probePrintAddNumber(out, figures->max_s, US);
	probePrintAddNumber(out, figures->dispatch_s, 1);
	probePrintAddNumber(out, figures->body_s, 1);
	probePrintAddCount(out, figures->missed, isUnknown);
	probePrintAddEvent(out, figures, HDPROBE_EVENT_INSTRUCTIONS);
	probePrintAddNumber(out, ratioOf(figures), 1);
	probePrintAddEvent(out, figures, HDPROBE_EVENT_CACHE_MISSES);
}

/* Columns of nothing are not shown. */
static void hideTimes(struct outTable *out, const struct probeTable *table,
		      bool hasMissed)
{
	bool hasInstructions = hasEvent(table, HDPROBE_EVENT_INSTRUCTIONS);

	if (!hasEvent(table, HDPROBE_EVENT_CACHE_MISSES))
		outTableHide(out, 14);
	if (!hasInstructions || !hasEvent(table, HDPROBE_EVENT_CYCLES))
		outTableHide(out, 13);
	if (!hasInstructions)
		outTableHide(out, 12);
	if (!hasMissed)
		outTableHide(out, 11);
}

static void addThreads(struct outTable *out, const struct probeRow *row)
{
	for (guint i = 0; i < row->lanes->len; i++) {
		const struct lanePart *lane = laneAt(row, i);
		char *name =
			lane->threads > 1
				? g_strdup_printf("  thread %u and %u before",
						  lane->thread,
						  lane->threads - 1)
			: lane->thread
				? g_strdup_printf("  thread %u", lane->thread)
				: g_strdup("  shared");

		probePrintAddTimes(out, name, &lane->figures, lane->isUnknown);
		g_free(name);
	}
}

static void printTimes(const struct probeTable *table,
		       const struct printing *how)
{
	static const char *const headings[] = {
		"<Kernel",       ">Instances",  ".Dispatch us",  ".Kernel us",
		".sd us",        ".Min us",     ".Median us",    ".99 % us",
		".Max us",       ".Dispatch s", ".Kernel s",     ">Missed",
		".Instructions", ".IPC",        ".Cache misses", NULL,
	};
	struct outTable *out = outTableNew(headings);
	bool isThere = false, hasMissed = false;

	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);

		if (!hdProbeIsTime(row->figures.kind))
			continue;
		isThere = true;
		hasMissed = hasMissed || row->figures.missed;
		probePrintAddTimes(out, row->figures.name, &row->figures,
				   row->isUnknown);
		if (how->hasThreads)
			addThreads(out, row);
	}
	hideTimes(out, table, hasMissed);
	if (isThere)
		outTablePrint(out, "", how->isColored);
	else
		outTableFree(out);
}

static void printAmounts(const struct probeTable *table,
			 const struct printing *how)
{
	static const char *const headings[] = { "<Transfer or counter",
						">Times", ".Sum", ".Mean",
						NULL };
	struct outTable *out = outTableNew(headings);
	bool isThere = false;

	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);
		const struct hdProbeFigures *figures = &row->figures;
		char *name;

		if (hdProbeIsTime(figures->kind))
			continue;
		if (!isThere)
			printf("\n");
		isThere = true;
		name = probePrintNameOf(figures);
		outTableAdd(out, name);
		probePrintAddCount(out, figures->instances, row->isUnknown);
		probePrintAddNumber(out, figures->body_s, 1);
		probePrintAddNumber(out, figures->mean_s, 1);
		g_free(name);
	}
	if (isThere)
		outTablePrint(out, "", how->isColored);
	else
		outTableFree(out);
}

static void printAdvice(const struct probeTable *table,
			const struct printing *how)
{
	double all = adviceAll(table);
	bool isThere = false;

	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);
		const struct hdProbeFigures *is = &row->figures;
		struct advice advice =
			adviceFor(is, all, row->lanes->len, how->most);
		double d = is->dispatch_mean_s * US, b = is->mean_s * US;

		if (!advice.batch)
			continue;
		isThere = true;
		printf("\n");
		outPrintable(is->name);
		printf(": dispatch %" PRIu64 " instances at once.\n"
		       "  Dispatch takes %.1f %% of the time: %.2f us of %.2f "
		       "us per instance.\n"
		       "  In batches, it takes %.2f / (%.2f + %" PRIu64
		       " x %.2f) = %.1f %%%s.\n"
		       "  This saves %" PRIu64 " x %.2f us x (1 - 1/%" PRIu64
		       ") = %.2f s of CPU time.\n",
		       advice.batch, advice.share * 100, d, d + b, d, d,
		       advice.batch, b, advice.then * 100,
		       advice.isLimited ? "; larger batches would leave "
					  "threads without work"
					: "",
		       is->instances, d, advice.batch, advice.saved);
	}
	if (!isThere)
		printf("\nNo kernel is dominated by its dispatch: its share is "
		       "at most %g %% in all significant kernels.\n",
		       how->most * 100);
}

static void printUnknown(const struct probeTable *table)
{
	if (table->skipped)
		printf("\n%u counters are unknown (\"-\"): threads were "
		       "updating them. The next reading includes them.\n",
		       table->skipped);
	if (table->isCut)
		printf("\nThe page has more counters than can be read in time; "
		       "all sums are unknown.\n");
}

void printText(const struct probeTable *table, const struct printing *how)
{
	if (isfinite(table->seconds))
		printf("Process %d, %.1f s\n\n", how->pid, table->seconds);
	else
		printf("Process %d\n\n", how->pid);
	printTimes(table, how);
	printAmounts(table, how);
	if (table->rows->len == 0)
		printf("No probe has been used yet.\n");
	if (table->lost)
		printf("\n%" PRIu64 " measurements were not recorded: the "
		       "limit is 255 names.\n",
		       table->lost);
	if (table->outside)
		printf("\nSome threads are not visible: the process has closed "
		       "its descriptors or is out of memory.\n");
	printUnknown(table);
	if (how->hasAdvice)
		printAdvice(table, how);
}

/* ---- CSV and JSON ----------------------------------------------------------
 */

static const struct rowColumn columns[] = {
	{ NULL, "name", ROW_TEXT, 0 },
	{ NULL, "to", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "kind", ROW_TEXT, 0 },
	{ NULL, "thread", ROW_COUNT, ROW_NOT_JSON },
	{ NULL, "instances", ROW_COUNT, 0 },
	{ NULL, "timed", ROW_COUNT, 0 },
	{ NULL, "missed", ROW_COUNT, 0 },
	{ NULL, "dispatch_s", ROW_NUMBER, 0 },
	{ NULL, "body_s", ROW_NUMBER, 0 },
	{ NULL, "amount", ROW_NUMBER, ROW_NOT_JSON },
	{ NULL, "mean_s", ROW_NUMBER, 0 },
	{ NULL, "variance_s2", ROW_NUMBER, 0, "variance" },
	{ NULL, "min_s", ROW_NUMBER, 0 },
	{ NULL, "max_s", ROW_NUMBER, 0 },
	{ NULL, "p50_s", ROW_NUMBER, 0 },
	{ NULL, "p99_s", ROW_NUMBER, 0 },
	{ NULL, "dispatch_mean_s", ROW_NUMBER, ROW_NOT_CSV },
	{ NULL, "dispatch_variance_s2", ROW_NUMBER, ROW_NOT_CSV },
	{ NULL, "decayed_mean_s", ROW_NUMBER, ROW_NOT_CSV },
	{ NULL, "cycles", ROW_NUMBER, 0 },
	{ NULL, "instructions", ROW_NUMBER, 0 },
	{ NULL, "cache_references", ROW_NUMBER, 0 },
	{ NULL, "cache_misses", ROW_NUMBER, 0 },
	{ NULL, "branches", ROW_NUMBER, 0 },
	{ NULL, "branch_misses", ROW_NUMBER, 0 },
	{ NULL, "page_faults", ROW_NUMBER, 0 },
	{ NULL, "task_clock_s", ROW_NUMBER, 0 },
	{ NULL, "instructions_per_cycle", ROW_NUMBER, 0 },
	{ NULL, NULL, 0, 0 },
};

enum column {
	NAME,
	TO,
	KIND,
	THREAD,
	INSTANCES,
	TIMED,
	MISSED,
	DISPATCH,
	BODY,
	AMOUNT,
	MEAN,
	VARIANCE,
	MIN,
	MAX,
	MEDIAN,
	P99,
	DISPATCH_MEAN,
	DISPATCH_VARIANCE,
	DECAYED,
	FIRST_EVENT, /* By enum hdProbeEvent. */
	RATIO = FIRST_EVENT + HDPROBE_EVENTS,
};

static void probePrintSetRow(struct rows *rows, const struct hdProbeFigures *is,
			     bool isUnknown)
{
	rowsText(rows, NAME, is->name);
	if (*is->to)
		rowsText(rows, TO, is->to);
	rowsText(rows, KIND, probePrintKindOf(is));
	/* Empty, or null. */
	if (isUnknown)
		return;
	rowsCount(rows, INSTANCES, is->instances);
	rowsCount(rows, TIMED, is->timed);
	if (!hdProbeIsTime(is->kind)) {
		rowsNumber(rows, AMOUNT, is->body_s);
		return;
	}
	rowsCount(rows, MISSED, is->missed);
	rowsNumber(rows, DISPATCH, is->dispatch_s);
	rowsNumber(rows, BODY, is->body_s);
	rowsNumber(rows, MEAN, is->mean_s);
	rowsNumber(rows, VARIANCE, is->variance);
	rowsNumber(rows, MIN, is->min_s);
	rowsNumber(rows, MAX, is->max_s);
	rowsNumber(rows, MEDIAN, is->p50_s);
	rowsNumber(rows, P99, is->p99_s);
	rowsNumber(rows, DISPATCH_MEAN, is->dispatch_mean_s);
	rowsNumber(rows, DISPATCH_VARIANCE, is->dispatch_variance);
	rowsNumber(rows, DECAYED, is->decayed_mean_s);
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++)
		rowsNumber(rows, FIRST_EVENT + i, is->events[i]);
	rowsNumber(rows, RATIO, ratioOf(is));
}

void printCsv(const struct probeTable *table, const struct printing *how)
{
	struct rows *rows = rowsNew(columns, OUT_CSV, NULL);

	rowsHeader(rows);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);

		probePrintSetRow(rows, &row->figures, row->isUnknown);
		rowsEnd(rows);
		for (guint j = 0; how->hasThreads && j < row->lanes->len; j++) {
			const struct lanePart *lane = laneAt(row, j);

			probePrintSetRow(rows, &lane->figures, lane->isUnknown);
			rowsCount(rows, THREAD, lane->thread);
			rowsEnd(rows);
		}
	}
	rowsFree(rows);
}

static void jsonCount(struct outJson *json, uint64_t count, bool isUnknown)
{
	if (isUnknown)
		outJsonDouble(json, "instances", NAN);
	else
		outJsonInteger(json, "instances", (int64_t)count);
}

static void jsonThreads(struct outJson *json, const struct probeRow *row)
{
	outJsonArray(json, "per_thread", false);
	for (guint i = 0; i < row->lanes->len; i++) {
		const struct lanePart *lane = laneAt(row, i);

		outJsonObject(json, NULL, true);
		outJsonInteger(json, "thread", lane->thread);
		outJsonInteger(json, "threads", lane->threads);
		jsonCount(json, lane->figures.instances, lane->isUnknown);
		outJsonDouble(json, "dispatch_s", lane->figures.dispatch_s);
		outJsonDouble(json, "body_s", lane->figures.body_s);
		outJsonDouble(json, "mean_s", lane->figures.mean_s);
		outJsonDouble(json, "instructions_per_cycle",
			      ratioOf(&lane->figures));
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonProbes(struct outJson *json, const struct probeTable *table)
{
	struct rows *rows;

	outJsonArray(json, "probes", false);
	rows = rowsNew(columns, OUT_JSON, json);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);

		if (!hdProbeIsTime(row->figures.kind))
			continue;
		probePrintSetRow(rows, &row->figures, row->isUnknown);
		rowsPut(rows);
		jsonThreads(json, row);
		outJsonEnd(json);
	}
	rowsFree(rows);
	outJsonEnd(json);
}

static void jsonAmounts(struct outJson *json, const struct probeTable *table,
			unsigned int kind)
{
	bool isTransfer = kind == HDPROBE_KIND_TRANSFER;

	outJsonArray(json, isTransfer ? "transfers" : "counters", false);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);
		const struct hdProbeFigures *is = &row->figures;

		if (is->kind != kind)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, isTransfer ? "from" : "name", is->name);
		if (isTransfer)
			outJsonText(json, "to", is->to);
		jsonCount(json, is->instances, row->isUnknown);
		outJsonDouble(json, isTransfer ? "bytes" : "sum", is->body_s);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonAdvice(struct outJson *json, const struct probeTable *table,
		       const struct printing *how)
{
	double all = adviceAll(table);

	outJsonArray(json, "advice", false);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row = probePrintRowAt(table, i);
		struct advice advice = adviceFor(&row->figures, all,
						 row->lanes->len, how->most);

		if (!advice.batch)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "name", row->figures.name);
		outJsonInteger(json, "batch", (int64_t)advice.batch);
		outJsonDouble(json, "share", advice.share);
		outJsonDouble(json, "share_then", advice.then);
		outJsonDouble(json, "saved_s", advice.saved);
		outJsonBool(json, "limited", advice.isLimited);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void printJson(const struct probeTable *table, const struct printing *how)
{
	struct outJson json = { 0 };

	outJsonDocument(&json, "hdprobe");
	outJsonInteger(&json, "pid", how->pid);
	outJsonText(&json, "clock", table->clock);
	outJsonDouble(&json, "duration_s", table->seconds);
	outJsonInteger(&json, "lost", (int64_t)table->lost);
	outJsonBool(&json, "complete",
		    !table->outside && !table->lost && !table->skipped &&
			    !table->isCut);
	jsonProbes(&json, table);
	jsonAmounts(&json, table, HDPROBE_KIND_TRANSFER);
	jsonAmounts(&json, table, HDPROBE_KIND_COUNTER);
	jsonAdvice(&json, table, how);
	outJsonEnd(&json);
}

/* ---- Graph -----------------------------------------------------------------
 */

static void dotName(const char *name)
{
	putchar('"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			putchar('\\');
		putchar((unsigned char)*name < ' ' ? ' ' : *name);
	}
	putchar('"');
}

static void dotNumber(const char *key, double number)
{
	char text[OUT_NUMBER_SIZE];

	if (isfinite(number))
		printf(", %s=%s", key, outDouble(text, number));
}

void printDot(const struct probeTable *table, const struct printing *how)
{
	printf("digraph probes {\n\tpid=%d;\n", how->pid);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct hdProbeFigures *is =
			&probePrintRowAt(table, i)->figures;

		if (is->kind == HDPROBE_KIND_COUNTER ||
		    probePrintRowAt(table, i)->isUnknown)
			continue;
		printf("\t");
		dotName(is->name);
		if (is->kind == HDPROBE_KIND_TRANSFER) {
			printf(" -> ");
			dotName(is->to);
			printf(" [label=\"%.0f B\", weight=%.0f", is->body_s,
			       is->body_s);
			printf(", instances=%" PRIu64 "];\n", is->instances);
			continue;
		}
		printf(" [instances=%" PRIu64, is->instances);
		dotNumber("weight", is->body_s);
		dotNumber("mean_s", is->mean_s);
		dotNumber("variance", is->variance);
		dotNumber("dispatch_mean_s", is->dispatch_mean_s);
		printf("];\n");
	}
	printf("}\n");
}
