/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat: prints the results of a group.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/stat/statprint.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/units.h"
#include "cli/known.h"
#include "cli/output.h"
#include "cli/rows.h"

static bool statIsInteger(hdIType type)
{
	return type == HDI_INT32 || type == HDI_INT64 || type == HDI_UINT64;
}

/* ---- Printing ---------------------------------------------------------- */

/** Minimum, maximum or sum: exact for integers. */
static void setExact(struct rows *rows, size_t column, const hdIValue *value,
		     double number, outInt128 integer, bool isExact)
{
	if (statIsInteger(value->type) && isExact)
		rowsInteger(rows, column, integer);
	else
		rowsNumber(rows, column, number);
}

/** Show a number to people: in another unit, or with a mark. */
static void statShowNumber(struct rows *rows, size_t column, const char *mark,
			   double number, const struct quantityUnit *unit)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (isnan(number))
		return;
	text = g_strconcat(mark, quantityNumber(buffer, number, unit), NULL);
	rowsShow(rows, column, text);
	g_free(text);
}

/** A total that people read in a unit of its own, with what says that it is
 *  not all. */
static void showTotal(struct rows *rows, size_t column, struct known known,
		      double number, const char *unit)
{
	struct quantityUnit large = unitForPeople(unit, number);

	if (*large.name || !knownIsWhole(known))
		statShowNumber(rows, column, knownMark(known), number, &large);
	/* The unit is the next column. */
	rowsShow(rows, column + 1, *large.name ? large.name : unit);
}

/** For people: "2.970 s of 5.030 s"; phases have their duration elsewhere. */
static void showKnown(struct rows *rows, struct known known, bool hasPhase)
{
	char buffer[OUT_NUMBER_SIZE];
	GString *text = g_string_new(outDuration(buffer, known.knownNs));

	if (!hasPhase)
		g_string_append_printf(text, " of %s",
				       outDuration(buffer, known.durationNs));
	rowsShow(rows, COLUMN_KNOWN, text->str);
	g_string_free(text, TRUE);
}

/** When a phase starts; windows may be as small as a nanosecond. */
static void showFrom(struct rows *rows, int64_t ns, bool isExact)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text = isExact ? g_strdup_printf("%s s", outSeconds(buffer, ns))
			     : g_strdup_printf("%.3f s", (double)ns / 1e9);

	rowsText(rows, COLUMN_FROM, text);
	g_free(text);
}

static void setPhase(struct statGroup *work, const struct summarySlot *slot,
		     const char *phase, struct known known, bool isNumber)
{
	struct rows *rows = work->run->rows;
	char *text;

	rowsCount(rows, COLUMN_PHASES, slot->occurrences);
	rowsText(rows, COLUMN_PHASE, phase);
	if (phase && slot->occurrences != 1) {
		text = g_strdup_printf("%s (%" PRIu64 ")", phase,
				       slot->occurrences);
		rowsText(rows, COLUMN_PHASE_TITLE, text);
		g_free(text);
	} else {
		rowsText(rows, COLUMN_PHASE_TITLE, phase);
	}
	rowsTime(rows, COLUMN_DURATION, known.durationNs);
	rowsTime(rows, COLUMN_DURATION_S, known.durationNs);
	if (isNumber) {
		rowsTime(rows, COLUMN_KNOWN, known.knownNs);
		showKnown(rows, known, phase != NULL);
		work->isPartial |= !knownIsWhole(known);
	}
	if (slot->start > slot->end)
		return;
	rowsTime(rows, COLUMN_START, slot->start);
	rowsTime(rows, COLUMN_END, slot->end);
	showFrom(rows, slot->start - work->run->selection.projectStart,
		 work->run->window.length % 1000000 != 0);
}

/** People read large values with a prefix of their unit. */
static void showLarge(struct rows *rows, const hdIValue *value,
		      const struct moments *m, double mean, double deviation)
{
	struct quantityUnit large =
		unitForPeople(value->unit, momentsLargest(m, value->type));
	bool isFloat = !statIsInteger(value->type);

	if (!*large.name)
		return;
	rowsShow(rows, COLUMN_UNIT, large.name);
	statShowNumber(rows, COLUMN_MEAN, "", mean, &large);
	statShowNumber(rows, COLUMN_STDDEV, "", deviation, &large);
	statShowNumber(rows, COLUMN_MIN, "",
		       isFloat ? m->min : (double)m->minInteger, &large);
	statShowNumber(rows, COLUMN_MAX, "",
		       isFloat ? m->max : (double)m->maxInteger, &large);
}

static void setRange(struct rows *rows, const hdIValue *value,
		     const struct moments *m)
{
	if (m->count == 0)
		return;
	setExact(rows, COLUMN_MIN, value, m->min, m->minInteger, true);
	setExact(rows, COLUMN_MAX, value, m->max, m->maxInteger, true);
}

/** What has a meaning for a level: mean and integral. */
static void setGauge(struct rows *rows, const hdIValue *value,
		     const struct moments *m, struct known known)
{
	struct momentsResult result = momentsGet(m, value->type);
	char *unit = momentsIntegralUnit(value->unit);
	double mean = knownMean(known, result.mean);
	double deviation = knownMean(known, result.deviation);
	double integral = knownTotal(known, result.integral);

	rowsNumber(rows, COLUMN_MEAN, mean);
	rowsNumber(rows, COLUMN_STDDEV, deviation);
	rowsNumber(rows, COLUMN_INTEGRAL, integral);
	setRange(rows, value, m);
	if (m->count)
		showLarge(rows, value, m, mean, deviation);
	rowsText(rows, COLUMN_INTEGRAL_UNIT, unit);
	if (!isnan(integral))
		showTotal(rows, COLUMN_INTEGRAL, known, integral, unit);
	g_free(unit);
}

/** Set the total of amounts, exactly if they are integers that are no shares;
 * of deltas it is the sum, too. */
static void statSetTotal(struct rows *rows, const hdIValue *value,
			 enum hdKind kind, const struct moments *m)
{
	static const size_t places[] = { COLUMN_TOTAL, COLUMN_TOTAL_SHOWN,
					 COLUMN_SUM };
	struct momentsResult result = momentsGet(m, value->type);
	size_t count = kind == HD_KIND_COUNTER ? 2 : 3;
	outInt128 integer = m->sumInteger;

	if (m->count == 0)
		return;
	if (kind == HD_KIND_COUNTER && statIsInteger(value->type))
		integer = (outInt128)m->sum.high + (outInt128)m->sum.low;
	for (size_t i = 0; i < count; i++)
		setExact(rows, places[i], value, result.sum, integer,
			 !m->shares);
}

/** What has a meaning for amounts: total and rate; of deltas the range of the
 *  amounts, too, of counters that of the rate. */
static void statSetAmount(struct rows *rows, const hdIValue *value,
			  enum hdKind kind, const struct moments *m,
			  struct known known)
{
	struct momentsResult result = momentsGet(m, value->type);
	double scale, rate = NAN;
	char *unit = rateUnit(value->unit, &scale);

	if (m->weight > 0)
		rate = knownMean(known, result.sum * scale /
						((double)m->weight / 1e9));
	rowsText(rows, COLUMN_TOTAL_UNIT, value->unit);
	rowsText(rows, COLUMN_RATE_UNIT, unit);
	rowsNumber(rows, COLUMN_RATE, rate);
	rowsNumber(rows, COLUMN_RATE_SHOWN, rate);
	if (!isnan(rate))
		showTotal(rows, COLUMN_RATE_SHOWN,
			  (struct known){ known.durationNs, known.durationNs },
			  rate, unit);
	statSetTotal(rows, value, kind, m);
	if (m->count && m->weight > 0)
		showTotal(rows, COLUMN_TOTAL_SHOWN, known, result.sum,
			  value->unit ? value->unit : "");
	if (kind == HD_KIND_COUNTER) {
		rowsCount(rows, COLUMN_RESETS, m->resets);
	} else {
		setRange(rows, value, m);
		if (m->count)
			showLarge(rows, value, m, NAN, NAN);
	}
	if (kind == HD_KIND_COUNTER && m->weight > 0) {
		rowsNumber(rows, COLUMN_RATE_MIN, m->min * scale);
		rowsNumber(rows, COLUMN_RATE_MAX, m->max * scale);
	}
	g_free(unit);
}

/** Say of what kind a value is, and what has a meaning then. */
static void setMoments(struct statGroup *work, const hdIValue *value,
		       const struct moments *m, struct known known)
{
	struct rows *rows = work->run->rows;
	bool isGuessed;
	enum hdKind kind = valueKind(work->group, value, &isGuessed);

	if (value->type == HDI_STRING) {
		rowsText(rows, COLUMN_INTEGRAL_UNIT, "");
		return;
	}
	rowsText(rows, COLUMN_KIND_TITLE, valueKindTitle(work->group, value));
	rowsText(rows, COLUMN_KIND, hdKindName(kind));
	rowsFlag(rows, COLUMN_KIND_GUESSED, isGuessed);
	work->hasGuesses |= isGuessed;
	if (kindIsAmount(kind)) {
		work->hasAmounts = true;
		statSetAmount(rows, value, kind, m, known);
	} else {
		work->hasGauges = true;
		setGauge(rows, value, m, known);
	}
}

/** Print a value in a phase. */
static void printValue(struct statGroup *work, const struct summarySlot *slot,
		       const char *phase, const hdIValue *value,
		       const struct moments *moments)
{
	struct rows *rows = work->run->rows;
	char *title = valueTitle(work->group, value);
	struct known known = { (int64_t)moments->weight, slot->length };

	work->hasMissing |= moments->missing > 0;
	work->resets[value - work->group->values] += moments->resets;
	rowsText(rows, COLUMN_NODE, rolesPath(work->group->node));
	rowsText(rows, COLUMN_GROUP, work->group->name);
	rowsText(rows, COLUMN_VALUE, value->name);
	rowsText(rows, COLUMN_TITLE, title);
	rowsText(rows, COLUMN_TYPE, columnTypeName(value->type));
	rowsText(rows, COLUMN_UNIT, value->unit);
	setPhase(work, slot, phase, known, value->type != HDI_STRING);
	rowsCount(rows, COLUMN_COUNT, momentsCount(moments));
	rowsCount(rows, COLUMN_NAN, moments->missing);
	rowsTime(rows, COLUMN_SECONDS, (int64_t)moments->weight);
	setMoments(work, value, moments, known);
	rowsFlag(rows, COLUMN_SIMULATED, valueIsSimulated(work->group, value));
	rowsEnd(rows);
	g_free(title);
}

void statPrintSlot(struct statGroup *work, const struct summarySlot *slot,
		   const char *phase)
{
	for (size_t i = 0; i < work->summary.columnCount; i++)
		printValue(work, slot, phase,
			   &work->group->values[work->summary.columns[i]],
			   &slot->moments[i]);
}
