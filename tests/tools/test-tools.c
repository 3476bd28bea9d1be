/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of hdtrace that compute, parse and format numbers. */
#include "config.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <glib.h>

#include "HDTraceTools/base/heap.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/merge/merge.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/units.h"
#include "cli/known.h"
#include "cli/output.h"

#define SECOND INT64_C(1000000000)

/** Entries of one column, each a second long. */
struct entries {
	int64_t start[8];
	int64_t end[8];
	hdIBlock block;
	hdIColumn column;
};

static void fill(struct entries *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		entries->start[i] = (int64_t)i * SECOND;
		entries->end[i] = (int64_t)(i + 1) * SECOND;
	}
	entries->block = (hdIBlock){
		.count = count,
		.start = entries->start,
		.end = entries->end,
		.columns = &entries->column,
	};
}

static struct moments addDoubles(const double *values, size_t count)
{
	struct entries entries;
	struct moments moments = { .count = 0 };

	fill(&entries, count);
	entries.column.float64 = values;
	momentsAdd(&moments, HDI_DOUBLE, &entries.column, &entries.block, 0,
		   count);
	return moments;
}

/** Large values that nearly cancel. */
static void testCancel(void)
{
	const double values[] = { 1e16, 1, -1e16, 1 };
	const double offset[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };
	struct moments moments = addDoubles(values, 4);
	struct momentsResult result = momentsGet(&moments, HDI_DOUBLE);

	g_assert_cmpfloat(result.sum, ==, 2);
	g_assert_cmpfloat(result.integral, ==, 2);
	g_assert_cmpfloat(result.mean, ==, 0.5);
	moments = addDoubles(offset, 4);
	result = momentsGet(&moments, HDI_DOUBLE);
	g_assert_cmpfloat(result.mean, ==, 1e9 + 10);
	g_assert_cmpfloat_with_epsilon(result.deviation, sqrt(22.5), 1e-12);
}

static void testSpecial(void)
{
	const double values[] = { NAN, 2, NAN };
	const double infinite[] = { 1, INFINITY };
	struct moments moments = addDoubles(values, 3);
	struct momentsResult result = momentsGet(&moments, HDI_DOUBLE);

	g_assert_cmpuint(moments.count, ==, 1);
	g_assert_cmpuint(moments.missing, ==, 2);
	g_assert_cmpuint(moments.weight, ==, SECOND);
	g_assert_cmpfloat(result.mean, ==, 2);
	g_assert_cmpfloat(result.deviation, ==, 0);
	moments = addDoubles(values, 1);
	result = momentsGet(&moments, HDI_DOUBLE);
	g_assert_true(isnan(result.mean) && isnan(result.sum) &&
		      isnan(result.integral) && isnan(result.deviation));
	moments = addDoubles(infinite, 2);
	g_assert_cmpfloat(moments.max, ==, (double)INFINITY);
	g_assert_cmpfloat(momentsGet(&moments, HDI_DOUBLE).sum, ==,
			  (double)INFINITY);
}

/** Sums of integers are exact. */
static void testIntegers(void)
{
	const int64_t values[] = { INT64_MAX, INT64_MAX, INT64_MAX, -1 };
	const uint64_t large[] = { UINT64_MAX, UINT64_MAX };
	struct moments moments = { .count = 0 };
	struct entries entries;
	char buffer[OUT_NUMBER_SIZE];

	fill(&entries, 4);
	entries.column.int64 = values;
	momentsAdd(&moments, HDI_INT64, &entries.column, &entries.block, 0, 4);
	g_assert_cmpstr(outInteger(buffer, moments.sumInteger), ==,
			"27670116110564327420");
	g_assert_cmpstr(outInteger(buffer, moments.minInteger), ==, "-1");
	moments = (struct moments){ .count = 0 };
	fill(&entries, 2);
	entries.column.uint64 = large;
	momentsAdd(&moments, HDI_UINT64, &entries.column, &entries.block, 0, 2);
	g_assert_cmpstr(outInteger(buffer, moments.sumInteger), ==,
			"36893488147419103230");
	g_assert_cmpstr(outInteger(buffer, moments.maxInteger), ==,
			"18446744073709551615");
}

/** Parts of an entry add up to it. */
static void testParts(void)
{
	const int32_t values[] = { 9 };
	struct moments moments = { .count = 0 };
	struct entries entries;
	struct momentsResult result;

	fill(&entries, 1);
	entries.column.int32 = values;
	for (int i = 0; i < 4; i++)
		momentsAddPart(&moments, HDI_INT32, &entries.column,
			       &entries.block, 0, SECOND / 4);
	result = momentsGet(&moments, HDI_INT32);
	g_assert_cmpfloat(result.sum, ==, 9);
	g_assert_cmpfloat(result.integral, ==, 9);
	g_assert_cmpfloat(result.mean, ==, 9);
	g_assert_cmpuint(moments.shares, ==, 4);
}

static void testUnits(void)
{
	static const char *const units[][2] = {
		{ "W", "J" },
		{ "mW", "mJ" },
		{ "kW", "kJ" },
		{ "\302\265W", "\302\265J" },
		{ "V", "V s" },
		{ "%", "% s" },
		{ "", "s" },
		{ "B/s", "B" },
		{ "J/s", "J" },
		{ "/s", "/s s" },
		{ "xW", "xW s" },
		{ "kkW", "kkW s" },
		{ "Blocks", "Blocks s" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		char *unit = momentsIntegralUnit(units[i][0]);

		g_assert_cmpstr(unit, ==, units[i][1]);
		g_free(unit);
	}
}

static void testNumbers(void)
{
	const double values[] = {
		0,          -0.0,
		1,          0.1,
		1e15,       1e22,
		DBL_MAX,    DBL_MIN,
		5e-324,     1 / 3.0,
		123.5,      -2,
		1e14 + 0.5, 999999999999999,
		-1e300,
	};
	const float floats[] = { 0.1f, 16777216.0f, 137.74654f, FLT_MAX,
				 1e-45f };
	char buffer[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
		double back =
			g_ascii_strtod(outDouble(buffer, values[i]), NULL);

		g_assert_cmpmem(&back, sizeof(back), &values[i], sizeof(back));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(floats); i++)
		g_assert_true((float)g_ascii_strtod(outFloat(buffer, floats[i]),
						    NULL) == floats[i]);
	g_assert_cmpstr(outDouble(buffer, 0.1), ==, "0.1");
	g_assert_cmpstr(outDouble(buffer, -(double)INFINITY), ==, "-Inf");
	g_assert_cmpstr(outDouble(buffer, (double)NAN), ==, "NaN");
	g_assert_cmpstr(outFloat(buffer, 137.74654f), ==, "137.74654");
	g_assert_cmpstr(outInteger(buffer, 0), ==, "0");
	g_assert_cmpstr(outInteger(buffer, INT64_MIN), ==,
			"-9223372036854775808");
	g_assert_cmpstr(outInteger(buffer, (outInt128)INT64_MAX * INT64_MAX),
			==, "85070591730234615847396907784232501249");
	g_assert_cmpstr(outInteger(buffer, (outInt128)1000000000 * 1000000000),
			==, "1000000000000000000");
	g_assert_cmpstr(outSeconds(buffer, -1), ==, "-0.000000001");
	g_assert_cmpstr(outSeconds(buffer, INT64_MIN), ==,
			"-9223372036.854775808");
	g_assert_cmpstr(outSeconds(buffer, 1247419294305196000), ==,
			"1247419294.305196000");
	g_assert_cmpstr(outDate(buffer, 1247419294305196000, 3), ==,
			"2009-07-12 17:21:34.305");
	g_assert_cmpstr(outDate(buffer, -1, 9), ==,
			"1969-12-31 23:59:59.999999999");
	g_assert_cmpstr(outSize(buffer, 999), ==, "999 B");
	g_assert_cmpstr(outSize(buffer, 999999), ==, "1.0 MB");
}

/** Significant digits: four, or as many as are set. */
static void testRounded(void)
{
	static const struct {
		double number;
		const char *text[3]; /* With 4, 6 and 1 digits. */
	} rows[] = {
		{ 54788.9679, { "54789", "54789.0", "54789" } },
		{ 1e20, { "1.000e+20", "1.00000e+20", "1e+20" } },
		/* What is rounded to the next power of ten. */
		{ 99.9999999, { "100.0", "100.000", "100" } },
		{ -99.9999999, { "-100.0", "-100.000", "-100" } },
		{ 99.9994, { "100.0", "99.9994", "100" } },
		/* An integer, but for what sums of doubles leave over. */
		{ 99.99999999999999, { "100", "100", "100" } },
		{ 200.00000000000003, { "200", "200", "200" } },
		{ 0.99999, { "1.000", "0.999990", "1" } },
		{ 999999.99, { "1000000", "1000000", "1000000" } },
		{ 999999999999.5, { "1.000e+12", "1.00000e+12", "1e+12" } },
		{ 1e-4, { "0.0001000", "0.000100000", "0.0001" } },
		{ 9.99e-5, { "9.990e-05", "9.99000e-05", "0.0001" } },
		{ 99.486, { "99.49", "99.4860", "99" } },
		{ 3.16446e-8, { "3.164e-08", "3.16446e-08", "3e-08" } },
		{ 0, { "0", "0", "0" } },
		{ 1e11, { "100000000000", "100000000000", "100000000000" } },
	};
	static const int digits[] = { 4, 6, 1 };
	char buffer[OUT_NUMBER_SIZE];

	for (size_t k = 0; k < G_N_ELEMENTS(digits); k++) {
		outSetPrecision(digits[k]);
		g_assert_cmpint(outPrecision(), ==, digits[k]);
		for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
			g_assert_cmpstr(outRounded(buffer, rows[i].number), ==,
					rows[i].text[k]);
	}
	outSetPrecision(OUT_PRECISION_MAX);
	g_assert_cmpstr(outRounded(buffer, 0.1), ==, "0.10000000000000001");
	outSetPrecision(100);
	g_assert_cmpint(outPrecision(), ==, OUT_PRECISION_MAX);
	outSetPrecision(OUT_PRECISION);
}

/** A bound limits the digits of its number, and is left out below the last. */
static void testBounded(void)
{
	static const struct {
		double number;
		double bound;
		const char *text;
		const char *boundText;
	} rows[] = {
		{ 54.789, 5.21, "54.8", "5.3" },
		{ 54.789, 0.0123, "54.79", "0.02" },
		{ 99.486, 3.16446e-08, "99.49", "" },
		{ 200, 0.4, "200.0", "0.4" },
		{ 200, 0.04, "200", "" },
		{ 0.5, 12, "0.5", "12.0" },
		{ 0, 5, "0.0", "5.0" },
		{ 1234567, 2, "1234567", "2" },
		{ 7, NAN, "7", "" },
		{ NAN, 1, "NaN", "" },
		{ 1e-20, 1e-21, "1.000e-20", "" },
	};
	const struct quantityUnit unit = { .factor = 1 };
	char buffer[OUT_NUMBER_SIZE], bound[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_assert_cmpstr(quantityBounded(buffer, bound, rows[i].number,
						rows[i].bound, &unit),
				==, rows[i].text);
		g_assert_cmpstr(bound, ==, rows[i].boundText);
	}
}

/** Large quantities: what is expected is written by hand. */
static void testQuantities(void)
{
	static const struct {
		double number;
		const char *base;
		const char *text;
	} rows[] = {
		{ 54789, "J", "54.79 kJ" },
		{ 1.5e9, "B", "1.5 GB" },
		{ 999, "W", "999 W" },
		{ 999.96, "W", "1 kW" },
		{ 999.94, "W", "999.9 W" },
		{ 1000, "W", "1 kW" },
		{ -1000, "W", "-1 kW" },
		{ 1234567.8, "J", "1.235 MJ" },
		{ 999900.4, "J", "999.9 kJ" },
		{ 999999.6, "J", "1 MJ" },
		{ 0, "J", "0 J" },
		{ 0.5, "J", "0.5000 J" },
		{ 0.05, "W", "50 mW" },
		{ -0.00123456, "J", "-1.235 mJ" },
		{ 1.5e-7, "J", "150 nJ" },
		{ 1e-15, "J", "0.001 pJ" },
		{ 0.00099999, "W", "1 mW" },
		{ 0.05, "%", "0.05000 %" },
		{ 54789, "%", "54789 %" },
		{ 54789, "s", "54789 s" },
		{ 2.5e18, "B/s", "2.5 EB/s" },
	};
	char buffer[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		g_assert_cmpstr(
			quantityText(buffer, rows[i].number, rows[i].base), ==,
			rows[i].text);
	g_assert_cmpstr(unitForPeople("mW", 999900).name, ==, "");
	g_assert_cmpstr(unitForPeople("mW", 1000000).name, ==, "kW");
	g_assert_cmpfloat_with_epsilon(unitForPeople("mW", 1000000).factor,
				       1e-6, 1e-18);
	g_assert_cmpstr(unitForPeople("kJ", 999).name, ==, "");
	g_assert_cmpstr(unitForPeople("kJ", 1000).name, ==, "MJ");
	g_assert_cmpstr(unitForPeople("J s", 1e9).name, ==, "");
	g_assert_cmpstr(unitForPeople("W", INFINITY).name, ==, "");
	g_assert_cmpstr(unitForPeople("W", NAN).name, ==, "");
}

/** Of how much of a time something is known. */
static void testKnown(void)
{
	const struct known nothing = { 0, 1000 };
	const struct known none = { 0, 0 };
	const struct known most = { 995, 1000 };
	const struct known less = { 994, 1000 };
	const struct known half = { 500, 1000 };
	const struct known under = { 499, 1000 };
	const struct known longest = { INT64_MAX, INT64_MAX };
	const struct known missing = { INT64_MAX / 200 * 199 - 1, INT64_MAX };

	g_assert_cmpstr(knownMark(most), ==, "");
	g_assert_cmpstr(knownMark(less), ==, ">= ");
	g_assert_cmpstr(knownMark(longest), ==, "");
	g_assert_cmpstr(knownMark(missing), ==, ">= ");
	g_assert_cmpfloat(knownMean(half, 7), ==, 7);
	g_assert_true(isnan(knownMean(under, 7)));
	g_assert_true(isnan(knownMean(none, 7)));
	g_assert_cmpfloat(knownTotal(under, 7), ==, 7);
	g_assert_true(isnan(knownTotal(nothing, 7)));
	g_assert_true(isnan(knownTotal(none, 7)));
	g_assert_cmpint(knownOfAll(most, under).knownNs, ==, 499);
}

static void testPrintable(void)
{
	static const struct {
		const char *text;
		size_t length;
		const char *printed;
	} rows[] = {
		{ "a\nb\t", 4, "a\\nb\\t" },
		{ "\033[31m", 5, "\\x1b[31m" },
		{ "\0x", 2, "\\x00x" },
		{ "\303\244\377", 3, "\303\244\\xff" },
		{ "\302\205", 2, "\\u0085" },
		{ "\342\200\256", 3, "\\u202e" },
		{ "\342\200\250", 3, "\\u2028" },
		{ "\330\234", 2, "\\u061c" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GString *out = g_string_new(NULL);

		outAppendPrintable(out, rows[i].text, rows[i].length);
		g_assert_cmpstr(out->str, ==, rows[i].printed);
		g_string_free(out, TRUE);
	}
}

static void testLabels(void)
{
	static const char *const sorted[] = { "",      "1",     "2",  "10",
					      "a",     "a1",    "a2", "a10",
					      "a10b1", "a10b2", "b" };

	for (size_t i = 0; i < G_N_ELEMENTS(sorted); i++) {
		for (size_t j = 0; j < G_N_ELEMENTS(sorted); j++) {
			int order = mergeCompareLabels(sorted[i], sorted[j]);

			g_assert_cmpint((order > 0) - (order < 0), ==,
					(i > j) - (i < j));
		}
	}
}

/* ---- Spools and sorting ----------------------------------------------------
 */

/* Bytes are what they were, in memory and in the file, wherever they are. */
static void testSpool(void)
{
	struct spool *spool = spoolNew();
	enum { COUNT = 300000 };

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			uint32_t value = i * 2654435761u;

			g_assert_cmpint(
				spoolAppend(spool, &value, sizeof(value)), ==,
				0);
			/* Just now, and in what may be in the file. */
			g_assert_cmpint(spoolRead(spool, 4 * (uint64_t)i,
						  &value, sizeof(value)),
					==, 0);
			g_assert_cmpuint(value, ==, i * 2654435761u);
		}
		g_assert_cmpuint(spoolLength(spool), ==, 4 * COUNT);
		for (uint32_t i = COUNT; i > 1; i--) {
			uint64_t value;

			g_assert_cmpint(spoolRead(spool, 4 * (uint64_t)i - 8,
						  &value, sizeof(value)),
					==, 0);
			g_assert_cmpmem(&value, 4,
					&(uint32_t){ (i - 2) * 2654435761u },
					4);
		}
		spoolClear(spool);
		g_assert_cmpuint(spoolLength(spool), ==, 0);
	}
	spoolFree(spool);
	spoolFree(NULL);
}

static int compareNumbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* More items than are sorted in memory, and none. */
static void testSorter(void)
{
	static const uint32_t counts[] = { 0, 1, 262144, 600001 };

	for (size_t k = 0; k < G_N_ELEMENTS(counts); k++) {
		struct sorter *sorter =
			sorterNew(sizeof(uint32_t), compareNumbers);
		uint32_t value;

		/* A permutation: the factor and the modulus have no divisor. */
		for (uint64_t i = 0; i < counts[k]; i++) {
			value = (uint32_t)(i * 7919 % counts[k]);
			g_assert_cmpint(sorterAdd(sorter, &value), ==, 0);
		}
		for (uint32_t i = 0; i < counts[k]; i++) {
			g_assert_cmpint(sorterNext(sorter, &value), ==, 1);
			g_assert_cmpuint(value, ==, i);
		}
		g_assert_cmpint(sorterNext(sorter, &value), ==, 0);
		sorterFree(sorter);
	}
	sorterFree(NULL);
}

/* Items come in order, also if others are added meanwhile. */
static void testHeap(void)
{
	GArray *heap = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t value, before;

	for (uint32_t count = 1; count <= 40; count++) {
		for (uint32_t i = 0; i < 2 * count; i++) {
			value = i * 7919 % count;
			heapPush(heap, &value, compareNumbers);
		}
		before = 0;
		for (uint32_t i = 0; i < 2 * count; i++) {
			heapPop(heap, &value, compareNumbers);
			g_assert_cmpuint(value, ==, i / 2);
			g_assert_cmpuint(value, >=, before);
			before = value;
			heapPush(heap, &value, compareNumbers);
			heapPop(heap, &value, compareNumbers);
			g_assert_cmpuint(value, ==, before);
		}
		g_assert_cmpuint(heap->len, ==, 0);
	}
	g_array_unref(heap);
}

/* No item is lost or made up silently where the temporary file has no room: all
 * calls say so from then on. */
static void testSorterFull(void)
{
	struct rlimit limit = { .rlim_cur = 100000, .rlim_max = 100000 };
	struct sorter *sorter;
	uint32_t value = 1;
	int ret = 0;

	if (!g_test_subprocess()) {
		g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
		g_test_trap_assert_passed();
		return;
	}
	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	sorter = sorterNew(sizeof(value), compareNumbers);
	for (int i = 0; ret == 0 && i < 4000000; i++)
		ret = sorterAdd(sorter, &value);
	g_assert_cmpint(ret, ==, -EFBIG);
	g_assert_cmpint(sorterAdd(sorter, &value), ==, -EFBIG);
	g_assert_cmpint(sorterNext(sorter, &value), ==, -EFBIG);
	g_assert_cmpint(sorterNext(sorter, &value), ==, -EFBIG);
	sorterFree(sorter);
}

/* Names keep their numbers, wherever they are, and also if another name comes
 * to where one was. */
static void testNames(void)
{
	struct names *names = namesNew();
	char place[16];

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 500; i++) {
			snprintf(place, sizeof(place), "name%u", i);
			g_assert_cmpuint(namesNumber(names, place), ==, i);
			g_assert_cmpuint(namesNumber(names, place), ==, i);
		}
	}
	g_assert_cmpuint(namesNumber(names, "name7"), ==, 7);
	g_assert_cmpuint(namesCount(names), ==, 500);
	g_assert_cmpstr(namesAt(names, 499), ==, "name499");
	namesFree(names);
	namesFree(NULL);
}

/* An attribute is a number where GLib says so, too. */
static void checkNumber(const char *text)
{
	const hdIAttribute attributes[] = { { "ridge", "1" }, { "rid", text } };
	gint64 expected = 0;
	int64_t number = 0;
	bool isNumber = g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX,
						 &expected, NULL);

	g_test_message("\"%s\"", text);
	g_assert_cmpint(messagesNumber(attributes, 2, "rid", &number), ==,
			isNumber);
	if (isNumber)
		g_assert_cmpint(number, ==, expected);
	g_assert_cmpint(messagesNumber(attributes, 2, "rid", NULL), ==,
			isNumber);
	g_assert_false(messagesNumber(attributes, 1, "rid", &number));
}

static void testMessageNumbers(void)
{
	static const char *const texts[] = {
		"",
		"0",
		"-",
		"+",
		"-0",
		"+5",
		"-7",
		" 1",
		"1 ",
		"1x",
		"0x10",
		"1.5",
		"--1",
		"+-1",
		"0009",
		"\xc3\xa9",
		"1e3",
		"9223372036854775807",
		"9223372036854775808",
		"-9223372036854775808",
		"-9223372036854775809",
		"99999999999999999999",
		"00000000000000000000000012",
	};
	static const char characters[] = "0123456789-+ x";

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		checkNumber(texts[i]);
	for (int i = 0; i < 20000; i++) {
		char text[24];
		int length = g_test_rand_int_range(0, 23);

		for (int k = 0; k < length; k++)
			text[k] = characters[g_test_rand_int_range(
				0, k && i % 2 ? 10 : 14)];
		text[length] = '\0';
		checkNumber(text);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tools/moments/cancel", testCancel);
	g_test_add_func("/tools/moments/special", testSpecial);
	g_test_add_func("/tools/moments/integers", testIntegers);
	g_test_add_func("/tools/moments/parts", testParts);
	g_test_add_func("/tools/moments/units", testUnits);
	g_test_add_func("/tools/output/numbers", testNumbers);
	g_test_add_func("/tools/output/precision", testRounded);
	g_test_add_func("/tools/output/bounds", testBounded);
	g_test_add_func("/tools/output/quantities", testQuantities);
	g_test_add_func("/tools/known", testKnown);
	g_test_add_func("/tools/output/printable", testPrintable);
	g_test_add_func("/tools/merge/labels", testLabels);
	g_test_add_func("/tools/names", testNames);
	g_test_add_func("/tools/messages/numbers", testMessageNumbers);
	g_test_add_func("/tools/spool", testSpool);
	g_test_add_func("/tools/sorter", testSorter);
	g_test_add_func("/tools/heap", testHeap);
	g_test_add_func("/tools/sorter/full-disk", testSorterFull);
	return g_test_run();
}
