/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both */
/*
 * Numbers as text.
 *
 * HDTRACE_TEST_DOUBLES says how many random doubles, and floats, are tried
 * (default 300,000).
 */
#include "config.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "common/number.h"
#include "tests/lib/testlib.h"

/* Written over and behind the results, to see what is. */
#define CANARY 0x5a

static void testIntegers(void)
{
	struct testRandom random = { testSeed() };
	char buffer[HD_INT64_MAX + 1];
	char expected[32];

	for (int i = 0; i < 200000; i++) {
		/* All magnitudes alike; then what is near a power of ten. */
		int64_t value = (int64_t)testRandomBits(&random) >>
				testRandomBelow(&random, 64);
		char *end;

		if (i < 2 * 19 * 5) {
			value = 1;
			for (int p = 0; p < i / 10; p++)
				value *= 10;
			value += i % 5 - 2;
			value = i % 10 < 5 ? value : -value;
		}
		if (i == 190)
			value = INT64_MIN;
		if (i == 191)
			value = INT64_MAX;
		buffer[HD_INT64_MAX] = CANARY;
		end = hdNumberInt64(buffer, value);
		g_assert_cmpint(buffer[HD_INT64_MAX], ==, CANARY);
		*end = '\0';
		sprintf(expected, "%lld", (long long)value);
		g_assert_cmpstr(buffer, ==, expected);
	}
}

static void testTimes(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0.000000000" },
		{ 1, "0.000000001" },
		{ 999999999, "0.999999999" },
		{ 1000000000, "1.000000000" },
		{ 613456000, "0.613456000" },
		{ INT64_C(9999999999999), "9999.999999999" },
		{ INT64_C(10000000000000), "10000.000000000" },
		{ INT64_C(4294967295999999999), "4294967295.999999999" },
	};
	struct testRandom random = { testSeed() };
	char buffer[HD_TIME_LENGTH_MAX + 1];
	char expected[32];

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		*hdNumberTime(buffer, cases[i].ns) = '\0';
		g_assert_cmpstr(buffer, ==, cases[i].text);
	}
	for (int i = 0; i < 200000; i++) {
		int64_t ns =
			(int64_t)(testRandomBelow(&random, UINT64_C(1) << 32) *
					  1000000000 +
				  testRandomBelow(&random, 1000000000));

		ns >>= testRandomBelow(&random, 62);
		buffer[HD_TIME_LENGTH_MAX] = CANARY;
		*hdNumberTime(buffer, ns) = '\0';
		g_assert_cmpint(buffer[HD_TIME_LENGTH_MAX], ==, CANARY);
		sprintf(expected, "%lld.%09lld", (long long)(ns / 1000000000),
			(long long)(ns % 1000000000));
		g_assert_cmpstr(buffer, ==, expected);
	}
}

/* Times by the text of the one before: soon after it, long after it, before it.
 */
static void testTimesNear(void)
{
	struct testRandom random = { testSeed() };
	struct hdTimeText text = HD_TIME_TEXT_NONE;
	char buffer[HD_TIME_LENGTH_MAX + 1];
	char expected[32];
	int64_t ns = 0;

	for (int i = 0; i < 200000; i++) {
		buffer[HD_TIME_LENGTH_MAX] = CANARY;
		*hdTimeTextPut(&text, buffer, ns) = '\0';
		g_assert_cmpint(buffer[HD_TIME_LENGTH_MAX], ==, CANARY);
		sprintf(expected, "%lld.%09lld", (long long)(ns / 1000000000),
			(long long)(ns % 1000000000));
		g_assert_cmpstr(buffer, ==, expected);
		ns += (int64_t)testRandomBelow(
			&random, UINT64_C(1) << testRandomBelow(&random, 48));
		ns -= (int64_t)testRandomBelow(&random, 2000);
		if (ns < 0 || ns / 1000000000 > INT64_C(0xffffffff))
			ns = 999999;
	}
}

/* Those that go the short way, of which most are small. */
static void testShort(void)
{
	struct testRandom random = { testSeed() };
	char buffer[HD_INT64_MAX + 1];
	char expected[32];

	hdNumberPrepare();
	for (uint32_t i = 0; i < 200000; i++) {
		/* 0 to 99, then what is near a power of a thousand. */
		uint32_t value = i < 100   ? i
				 : i < 200 ? 1000 + i - 150
				 : i < 300 ? 1000000 + i - 250
				 : i < 400
					 ? 999999999 + 300 - i
					 : (uint32_t)testRandomBelow(
						   &random, HD_NUMBER_SHORT) >>
						   testRandomBelow(&random, 30);

		buffer[HD_INT64_MAX] = CANARY;
		*hdNumberPutShort(buffer, value) = '\0';
		g_assert_cmpint(buffer[HD_INT64_MAX], ==, CANARY);
		sprintf(expected, "%u", value);
		g_assert_cmpstr(buffer, ==, expected);
	}
}

static double fromBits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Number of digits without zeros in front and at the end. */
static int countDigits(const char *text)
{
	int digits = 0;
	int zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text == '0' && digits > 0)
			zeros++;
		if (*text >= '1' && *text <= '9') {
			digits += zeros + 1;
			zeros = 0;
		}
	}
	return digits;
}

/* The text has the form that number.h says, reads back bit by bit, and no
 * shorter one of printf()'s does. */
static void checkDouble(double value)
{
	char buffer[HD_DOUBLE_MAX + 1];
	char other[40];
	double back;
	char *end;
	int digits;

	if (!isfinite(value))
		return;
	memset(buffer, CANARY, sizeof(buffer));
	end = hdNumberDouble(buffer, value);
	g_assert_cmpint(end - buffer, <=, HD_DOUBLE_MAX);
	g_assert_cmpint(buffer[HD_DOUBLE_MAX], ==, CANARY);
	*end = '\0';
	back = strtod(buffer, &end);
	if (*end || memcmp(&back, &value, sizeof(back)) != 0)
		g_error("%a became \"%s\", which is %a", value, buffer, back);
	for (const char *c = buffer; *c; c++)
		if (!strchr("0123456789.e-", *c))
			g_error("%a became \"%s\"", value, buffer);
	if (value != 0 && !!strchr(buffer, 'e') !=
				  (fabs(value) < 1e-5 || fabs(value) >= 1e17))
		g_error("%a became \"%s\"", value, buffer);

	digits = countDigits(buffer);
	for (int precision = 15; precision <= 17; precision++) {
		sprintf(other, "%.*g", precision, value);
		if (strtod(other, NULL) == value)
			break;
	}
	if (digits > countDigits(other))
		g_error("%a became \"%s\", but \"%s\" is shorter", value,
			buffer, other);
	/* Of equally short ones it must be the closest, which is printf()'s. */
	sprintf(other, "%.*e", digits > 0 ? digits - 1 : 0, value);
	if (strtod(other, NULL) == value &&
	    fabsl(strtold(other, NULL) - (long double)value) <
		    fabsl(strtold(buffer, NULL) - (long double)value))
		g_error("%a became \"%s\", but \"%s\" is closer", value, buffer,
			other);
}

static uint64_t howMany(void)
{
	const char *wanted = g_getenv("HDTRACE_TEST_DOUBLES");

	return wanted ? g_ascii_strtoull(wanted, NULL, 10) : 300000;
}

static void testRandomDoubles(void)
{
	uint64_t count = howMany();
	struct testRandom random = { testSeed() };

	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = testRandomBits(&random);
		double value;

		/* One in three has few digits, as what people measure. */
		if (i % 3 == 0)
			value = (double)(int64_t)(bits >> 40) /
				(double)(1 + bits % 1000);
		else
			value = fromBits(bits);
		checkDouble(value);
	}
}

static void testPowers(void)
{
	for (int exponent = -1074; exponent <= 1023; exponent++) {
		double value = ldexp(1, exponent);

		checkDouble(value);
		checkDouble(-value);
		checkDouble(nextafter(value, 0));
		checkDouble(nextafter(value, INFINITY));
	}
	for (int exponent = -323; exponent <= 308; exponent++) {
		char text[16];
		double value;

		sprintf(text, "1e%d", exponent);
		value = strtod(text, NULL);
		checkDouble(value);
		checkDouble(nextafter(value, 0));
		checkDouble(nextafter(value, INFINITY));
		for (int digit = 2; digit <= 9; digit++)
			checkDouble(value * digit);
	}
	for (int value = -100000; value <= 100000; value++)
		checkDouble(value);
	for (int value = 0; value <= 100000; value++)
		checkDouble(value / 100.0);
}

static void testSpecialDoubles(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0.0, "0" },
		{ -0.0, "-0" },
		{ 1, "1" },
		{ -1, "-1" },
		{ 0.1, "0.1" },
		{ 0.3, "0.3" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 123.456, "123.456" },
		{ 5e-324, "5e-324" },
		{ DBL_MIN, "2.2250738585072014e-308" },
		{ DBL_MAX, "1.7976931348623157e308" },
		{ -DBL_MAX, "-1.7976931348623157e308" },
		{ 2.2250738585072011e-308, "2.225073858507201e-308" },
		{ 1e23, "1e23" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 1.5e-7, "1.5e-7" },
		{ 1e-5, "0.00001" },
		{ 9.999e-6, "9.999e-6" },
		{ 1e16, "10000000000000000" },
		{ 1e17, "1e17" },
		{ 99999999999999984.0, "99999999999999980" },
		{ INFINITY, "INF" },
		{ -INFINITY, "-INF" },
		{ NAN, "NaN" },
		{ -NAN, "NaN" },
	};
	char buffer[HD_DOUBLE_MAX + 1];

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		*hdNumberDouble(buffer, cases[i].value) = '\0';
		g_assert_cmpstr(buffer, ==, cases[i].text);
	}
	for (uint64_t payload = 1; payload < UINT64_C(1) << 52; payload *= 2) {
		*hdNumberDouble(buffer, fromBits(UINT64_C(0x7ff) << 52 |
						 payload)) = '\0';
		g_assert_cmpstr(buffer, ==, "NaN");
	}
}

/* As checkDouble(); the digits of floats are those of printf() that read back
 * as the same float. */
static void checkFloat(uint32_t bits)
{
	char buffer[HD_DOUBLE_MAX + 1];
	char other[40];
	float value, back;
	char *end;

	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value))
		return;
	buffer[HD_DOUBLE_MAX] = CANARY;
	end = hdNumberFloat(buffer, value);
	g_assert_cmpint(buffer[HD_DOUBLE_MAX], ==, CANARY);
	*end = '\0';
	back = strtof(buffer, &end);
	if (*end || memcmp(&back, &value, sizeof(back)) != 0)
		g_error("%a became \"%s\", which is %a", (double)value, buffer,
			(double)back);
	for (int precision = 1; precision <= 9; precision++) {
		sprintf(other, "%.*g", precision, (double)value);
		if (strtof(other, NULL) == value)
			break;
	}
	if (countDigits(buffer) > countDigits(other))
		g_error("%a became \"%s\", but \"%s\" is shorter",
			(double)value, buffer, other);
	if (countDigits(buffer) == countDigits(other) &&
	    fabs(strtod(other, NULL) - (double)value) <
		    fabs(strtod(buffer, NULL) - (double)value))
		g_error("%a became \"%s\", but \"%s\" is closer", (double)value,
			buffer, other);
}

static void testFloats(void)
{
	struct testRandom random = { testSeed() };
	uint64_t count = howMany();
	char buffer[HD_DOUBLE_MAX + 1];

	for (uint64_t i = 0; i < count; i++)
		checkFloat((uint32_t)testRandomBits(&random));
	for (uint32_t exponent = 0; exponent < 255; exponent++) {
		for (uint32_t fraction = 0; fraction < 8; fraction++) {
			checkFloat(exponent << 23 | fraction);
			checkFloat(exponent << 23 | (0x7fffff - fraction));
		}
	}
	*hdNumberFloat(buffer, 0.1f) = '\0';
	g_assert_cmpstr(buffer, ==, "0.1");
	*hdNumberFloat(buffer, -0.0f) = '\0';
	g_assert_cmpstr(buffer, ==, "-0");
	*hdNumberFloat(buffer, -INFINITY) = '\0';
	g_assert_cmpstr(buffer, ==, "-INF");
	*hdNumberFloat(buffer, -NAN) = '\0';
	g_assert_cmpstr(buffer, ==, "NaN");
}

/* Bytes in hexadecimal, of all values, in pieces of all sizes. */
static void testHex(void)
{
	unsigned char bytes[256];
	char expected[2 * 256 + 1], buffer[2 * 256 + 1];

	for (int i = 0; i < 256; i++) {
		bytes[i] = (unsigned char)(i * 7);
		sprintf(expected + 2 * i, "%02x", bytes[i]);
	}
	for (size_t count = 0; count <= 256; count++) {
		buffer[2 * count] = CANARY;
		g_assert_true(hdHexPut(buffer, bytes, count) ==
			      buffer + 2 * count);
		g_assert_cmpint(buffer[2 * count], ==, CANARY);
		g_assert_cmpmem(buffer, 2 * count, expected, 2 * count);
	}
}

/* A locale with a decimal comma changes nothing. */
static void testLocale(void)
{
	char buffer[HD_DOUBLE_MAX + 1];

	if (!setlocale(LC_ALL, "de_DE.UTF-8") &&
	    !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma is installed");
		return;
	}
	*hdNumberDouble(buffer, 1234567.5) = '\0';
	setlocale(LC_ALL, "C");
	g_assert_cmpstr(buffer, ==, "1234567.5");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	setlocale(LC_ALL, "C");
	hdNumberPrepare();
	g_test_add_func("/number/integers", testIntegers);
	g_test_add_func("/number/short", testShort);
	g_test_add_func("/number/times", testTimes);
	g_test_add_func("/number/times/near", testTimesNear);
	g_test_add_func("/number/doubles/random", testRandomDoubles);
	g_test_add_func("/number/doubles/powers", testPowers);
	g_test_add_func("/number/doubles/special", testSpecialDoubles);
	g_test_add_func("/number/floats", testFloats);
	g_test_add_func("/number/hex", testHex);
	g_test_add_func("/number/doubles/locale", testLocale);
	return testRun();
}
