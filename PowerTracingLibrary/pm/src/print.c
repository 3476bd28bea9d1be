/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples as text and CSV, and what a counter is. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Print numbers and ranges: "0-3,7". */
static void pmPrintPutLines(FILE *file, const line_t *lines)
{
	const char *between = "";

	for (int first = 0; first < PM_LINES_MAX; first++) {
		int last = first;

		if (!LINE_ISSET(first, lines))
			continue;
		while (last + 1 < PM_LINES_MAX && LINE_ISSET(last + 1, lines))
			last++;
		fprintf(file, last > first ? "%s%d-%d" : "%s%d", between, first,
			last);
		between = ",";
		first = last;
	}
}

int pm_fprint_counter_info(const char *file, counter_t counter)
{
	const struct pmCounter *own = pmCounterOf(&counter);
	int saved = errno, ret;
	FILE *out;

	pmBegin();
	if (!file || !own)
		return pmResult(-EINVAL, saved);
	ret = pmFileOpen(file, "ae", &out);
	if (ret < 0)
		return pmFileResult(ret, saved);
	fprintf(out,
		"Server: %s:%d\nDevice: %s\nLines: ", own->server.server_ip,
		own->server.port, own->device);
	pmPrintPutLines(out, &counter.lines);
	fprintf(out, "\nAggregate: %s\nFrequency: ",
		counter.aggregate ? "yes" : "no");
	fprintf(out, counter.interval > 0 ? "%d Hz\n" : "that of the device\n",
		counter.interval);
	fprintf(out, "Sets: %d\n", own->measures.next_timing);
	ret = pmFileClose(file, out);
	return ret < 0 ? pmFileResult(ret, saved) : pmResult(1, saved);
}

static void putHeadings(const struct pmView *view, FILE *file, char between)
{
	fprintf(file, "Set_id%cTime", between);
	if (view->isAggregate) {
		fprintf(file, "%cValue_aggregate\n", between);
		return;
	}
	for (int i = 0; i < view->columns; i++)
		fprintf(file, "%cLine %d", between, view->line[i]);
	fprintf(file, "%cSum\n", between);
}

/* The samples of a set, from its begin to its end. */
static void putSet(const struct pmView *view, int set, FILE *file, char between)
{
	double seconds = (double)pmViewLength(view, set) / 1e9;
	int count = pmViewCount(view, set);

	for (int i = 0; i < count; i++) {
		fprintf(file, "%d%c", set, between);
		pmPutNumber(file, count > 1 ? i * seconds / (count - 1) : 0);
		for (int k = 0; k < view->columns; k++) {
			putc(between, file);
			pmPutNumber(file, pmViewValue(view, k, set, i));
		}
		if (!view->isAggregate) {
			putc(between, file);
			pmPutNumber(file, pmViewSum(view, set, i));
		}
		putc('\n', file);
	}
}

static void pmPrintPutTable(const struct pmView *view, FILE *file, char between)
{
	putHeadings(view, file, between);
	for (int set = view->first; set < view->end; set++)
		putSet(view, set, file, between);
}

static int printFile(const char *file, const counter_t *counter,
		     const line_t *lines, int set, char between)
{
	int saved = errno, ret;
	struct pmView view;
	FILE *out;

	pmBegin();
	if (!file)
		return pmResult(-EINVAL, saved);
	ret = pmViewMake(&view, counter, lines, set);
	if (ret < 0)
		return ret;
	ret = pmFileOpen(file, "we", &out);
	if (ret == 0) {
		pmPrintPutTable(&view, out, between);
		ret = pmFileClose(file, out);
	}
	return ret < 0 ? pmFileResult(ret, saved) : pmResult(1, saved);
}

int pm_print_data_text(const char *file, counter_t counter, line_t lines,
		       int set)
{
	return printFile(file, &counter, &lines, set, '\t');
}

int pm_print_data_csv(const char *file, counter_t counter, line_t lines,
		      int set)
{
	return printFile(file, &counter, &lines, set, ';');
}

int pm_print_data_stdout(counter_t counter, line_t lines, int set)
{
	int saved = errno, ret;
	struct pmView view;

	ret = pmViewMake(&view, &counter, &lines, set);
	if (ret < 0)
		return ret;
	pmPrintPutTable(&view, stdout, '\t');
	if (fflush(stdout) != 0)
		return pmFileResult(-errno, saved);
	return pmResult(1, saved);
}
