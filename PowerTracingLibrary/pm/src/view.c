/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of a counter is printed, and how numbers are. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/environment.h"

/* Find the lines that are in the data; those of a set in their order. */
static void viewColumns(struct pmView *view, const counter_t *counter,
			const line_t *lines)
{
	int limit = counter->num_lines, column = 0;
	bool isAll = true;

	if (limit > PM_LINES_MAX)
		limit = PM_LINES_MAX;
	for (int line = 0; line < limit; line++)
		isAll = isAll && !LINE_ISSET(line, &counter->lines);
	/* A server that has taken all lines for none says so. */
	for (int line = 0; line < limit && column < view->energy->lines_len;
	     line++) {
		if (!isAll && !LINE_ISSET(line, &counter->lines))
			continue;
		if (LINE_ISSET(line, lines)) {
			view->column[view->columns] = column;
			view->line[view->columns++] = line;
		}
		column++;
	}
}

/** @param asked The number by which the program knows the set. */
static int pmViewMakeFrom0(struct pmView *view, const counter_t *counter,
			   const line_t *lines, int set, int asked)
{
	const struct pmCounter *own = pmCounterOf(counter);
	int saved = errno, sets;

	pmBegin();
	*view = (struct pmView){ .counter = own };
	if (!own)
		return pmResult(-EINVAL, saved);
	view->energy = &own->measures.energy;
	sets = view->energy->watts_sets_size - 1;
	if (!view->energy->watts || set < -1 || set >= sets) {
		pmLog(HD_LOG_ERROR, "%s: unknown set %d", own->device, asked);
		return pmResult(-ENODATA, saved);
	}
	view->isAggregate = counter->aggregate != 0;
	view->first = set < 0 ? 0 : set;
	view->end = set < 0 ? sets : set + 1;
	if (view->isAggregate)
		view->columns = 1;
	else
		viewColumns(view, counter, lines);
	if (view->columns == 0) {
		pmLog(HD_LOG_ERROR, "%s: none of these lines is in the counter",
		      own->device);
		return pmResult(-EINVAL, saved);
	}
	return 0;
}

int pmViewMake(struct pmView *view, const counter_t *counter,
	       const line_t *lines, int set)
{
	const char *sets = hdEnvironment("PM_SETS");

	if (sets && strcmp(sets, "1") == 0)
		return pmViewMakeFrom1(view, counter, lines, set);
	return pmViewMakeFrom0(view, counter, lines, set, set);
}

int pmViewMakeFrom1(struct pmView *view, const counter_t *counter,
		    const line_t *lines, int set)
{
	return pmViewMakeFrom0(view, counter, lines,
			       set > 0   ? set - 1
			       : set < 0 ? set
					 : -1,
			       set);
}

int pmViewCount(const struct pmView *view, int set)
{
	const int *sets = view->energy->watts_sets;

	return sets[set + 1] - sets[set];
}

double pmViewValue(const struct pmView *view, int column, int set, int sample)
{
	const pm_measures *energy = view->energy;
	size_t total = (size_t)energy->watts_sets[energy->watts_sets_size - 1];
	size_t at = (size_t)energy->watts_sets[set] + (size_t)sample;

	return energy->watts[(size_t)view->column[column] * total + at];
}

double pmViewSum(const struct pmView *view, int set, int sample)
{
	double sum = 0;

	for (int i = 0; i < view->columns; i++)
		sum += pmViewValue(view, i, set, sample);
	return sum;
}

int64_t pmViewLength(const struct pmView *view, int set)
{
	const struct pmSpan *span = &view->counter->spans[set];

	return span->stop > span->start ? span->stop - span->start : 0;
}

int64_t pmViewTime(const struct pmView *view, int set, int sample)
{
	const struct pmSpan *spans = view->counter->spans;
	int64_t begin = spans[set].start - spans[view->first].start;
	int64_t length = pmViewLength(view, set);
	int count = pmViewCount(view, set);

	if (sample >= count)
		return begin + length;
	/* In two parts, as the product may be too large. */
	return begin + length / count * sample +
	       length % count * sample / count;
}

/* ---- Numbers ----------------------------------------------------------- */

void pmPutNumber(FILE *file, double number)
{
	double size = fabs(number), whole = floor(size);
	int64_t millionths;

	if (!isfinite(number)) {
		fputs(isnan(number) ? "nan"
		      : number > 0  ? "inf"
				    : "-inf",
		      file);
		return;
	}
	millionths = llround((size - whole) * 1e6);
	if (millionths == 1000000) {
		whole++;
		millionths = 0;
	}
	fprintf(file, "%s%.0f.%06" PRId64,
		number < 0 && (whole > 0 || millionths > 0) ? "-" : "", whole,
		millionths);
}

void pmPutText(FILE *file, const char *text)
{
	for (; *text; text++)
		putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text,
		     file);
}

int64_t pmThousandths(double value)
{
	double scaled = value * 1000;

	if (isnan(scaled))
		return 0;
	if (fabs(scaled) >= 0x1p63)
		return scaled > 0 ? INT64_MAX : -INT64_MAX;
	return llround(scaled);
}

/* ---- Files ------------------------------------------------------------- */

int pmFileOpen(const char *name, const char *mode, FILE **file)
{
	*file = fopen(name, mode);
	if (*file)
		return 0;
	pmLog(HD_LOG_ERROR, "%s: %s", name, strerror(errno));
	return -errno;
}

int pmFileClose(const char *name, FILE *file)
{
	int ret = fflush(file) != 0 ? -errno : 0;

	if (ret == 0 && ferror(file))
		ret = -EIO;
	if (fclose(file) != 0 && ret == 0)
		ret = -errno;
	if (ret < 0)
		pmLog(HD_LOG_ERROR, "%s: %s", name, strerror(-ret));
	return ret;
}

char *pmNameBeside(const char *file, const char *suffix, const char *other)
{
	size_t length = strlen(file), end = strlen(suffix);
	char *name = malloc(length + strlen(other) + 1);

	if (!name)
		return NULL;
	if (length > end && strcmp(file + length - end, suffix) == 0)
		length -= end;
	memcpy(name, file, length);
	strcpy(name + length, other);
	return name;
}
