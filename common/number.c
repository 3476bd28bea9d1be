/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as text; see number.h.
 *
 * Doubles and floats follow R. Giulietti, "The Schubfach way to render doubles"
 * (2020): of the decimals in the interval that rounds to the value, take the
 * shortest, and of these the closest. It needs the powers of ten from 10^-292
 * to 10^324 to 128 bits, which are computed once.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"

/* ---- Integers and times ------------------------------------------------ */

static const char numberPairs[] = "00010203040506070809"
				  "10111213141516171819"
				  "20212223242526272829"
				  "30313233343536373839"
				  "40414243444546474849"
				  "50515253545556575859"
				  "60616263646566676869"
				  "70717273747576777879"
				  "80818283848586878889"
				  "90919293949596979899";

static inline void numberPut2(char *to, uint32_t value)
{
	memcpy(to, numberPairs + 2 * value, 2);
}

/* Write exactly four digits. */
static inline void numberPut4(char *to, uint32_t value)
{
	numberPut2(to, value / 100);
	numberPut2(to + 2, value % 100);
}

/* Write exactly eight digits. */
static inline void numberPut8(char *to, uint32_t value)
{
	numberPut4(to, value / 10000);
	numberPut4(to + 4, value % 10000);
}

/* Write up to four digits. */
static inline char *numberShort(char *to, uint32_t value)
{
	if (value < 100) {
		if (value < 10) {
			*to = (char)('0' + value);
			return to + 1;
		}
		numberPut2(to, value);
		return to + 2;
	}
	if (value < 1000) {
		*to = (char)('0' + value / 100);
		numberPut2(to + 1, value % 100);
		return to + 3;
	}
	numberPut4(to, value);
	return to + 4;
}

/* Write up to eight digits. */
static inline char *numberMedium(char *to, uint32_t value)
{
	if (value < 10000)
		return numberShort(to, value);
	to = numberShort(to, value / 10000);
	numberPut4(to, value % 10000);
	return to + 4;
}

char *hdNumberUint64(char *to, uint64_t value)
{
	uint64_t high = value / 100000000;

	if (high == 0)
		return numberMedium(to, (uint32_t)value);
	if (high < 100000000) {
		to = numberMedium(to, (uint32_t)high);
	} else {
		to = numberShort(to, (uint32_t)(high / 100000000));
		numberPut8(to, (uint32_t)(high % 100000000));
		to += 8;
	}
	numberPut8(to, (uint32_t)(value % 100000000));
	return to + 8;
}

char *hdNumberInt64(char *to, int64_t value)
{
	uint64_t magnitude = (uint64_t)value;

	if (value < 0) {
		*to++ = '-';
		magnitude = -magnitude;
	}
	return hdNumberUint64(to, magnitude);
}

char hdNumberTriples[1000][4];
char hdNumberShorts[1000][4];

static void numberComputeTriples(void)
{
	for (uint32_t i = 0; i < 1000; i++) {
		char *end = numberShort(hdNumberShorts[i], i);

		hdNumberShorts[i][3] = (char)(end - hdNumberShorts[i]);
		hdNumberTriples[i][0] = (char)('0' + i / 100);
		numberPut2(hdNumberTriples[i] + 1, i % 100);
	}
}

char *hdNumberTime(char *to, int64_t ns)
{
	uint64_t seconds = (uint64_t)ns / 1000000000;
	uint32_t rest = (uint32_t)((uint64_t)ns - seconds * 1000000000);
	uint32_t us = rest / 1000;
	uint32_t ms = rest / 1000000;

	if (__builtin_expect(seconds < 10000, 1))
		to = numberShort(to, (uint32_t)seconds);
	else
		to = hdNumberUint64(to, seconds);
	*to = '.';
	/* Each writes one byte too many, which the next one overwrites. */
	memcpy(to + 1, hdNumberTriples[ms], 4);
	memcpy(to + 4, hdNumberTriples[us - ms * 1000], 4);
	memcpy(to + 7, hdNumberTriples[rest - us * 1000], 4);
	return to + 10;
}

void hdTimeTextMove(struct hdTimeText *text, int64_t ns)
{
	char digits[HD_TIME_LENGTH_MAX];

	text->ms = ns - ns % 1000000;
	text->length = (size_t)(hdNumberTime(digits, ns) - digits) - 6;
	memcpy(text->before, digits, sizeof(text->before));
}

/* ---- Powers of ten ----------------------------------------------------- */

#define POWER_MIN (-292)
#define POWER_MAX 324
/* Words of 32 bit for 10^324, and for 2^1184 / 10^292 with bits to spare. */
#define POWER_WORDS 37

struct numberPower {
	uint64_t high;
	uint64_t low;
};

static struct numberPower numberPowers[POWER_MAX - POWER_MIN + 1];
static pthread_once_t numberOnce = PTHREAD_ONCE_INIT;

/* Get the 128 bits from the topmost set bit down, rounded up. */
static struct numberPower numberTop128(const uint32_t *words, bool isExact)
{
	struct numberPower power = { 0, 0 };
	int bit = POWER_WORDS * 32 - 1;
	int taken = 0;

	while (!(words[bit / 32] >> (bit % 32) & 1))
		bit--;
	for (; taken < 128; taken++, bit--) {
		uint64_t one = bit < 0 ? 0 : words[bit / 32] >> (bit % 32) & 1;

		power.high = power.high << 1 | power.low >> 63;
		power.low = power.low << 1 | one;
	}
	for (; bit >= 0 && isExact; bit--)
		if (words[bit / 32] >> (bit % 32) & 1)
			isExact = false;
	if (!isExact && ++power.low == 0)
		power.high++;
	return power;
}

static void numberComputePowers(void)
{
	uint32_t words[POWER_WORDS] = { 1 };

	for (int k = 0; k <= POWER_MAX; k++) {
		uint64_t carry = 0;

		numberPowers[k - POWER_MIN] = numberTop128(words, true);
		for (int i = 0; i < POWER_WORDS; i++) {
			carry += (uint64_t)words[i] * 10;
			words[i] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	/* floor(floor(x / 10) / 10) is floor(x / 100), and never exact. */
	memset(words, 0, sizeof(words));
	words[POWER_WORDS - 1] = UINT32_C(1) << 31;
	for (int k = -1; k >= POWER_MIN; k--) {
		uint64_t rest = 0;

		for (int i = POWER_WORDS - 1; i >= 0; i--) {
			rest = rest << 32 | words[i];
			words[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		numberPowers[k - POWER_MIN] = numberTop128(words, false);
	}
}

static void numberPrepare(void)
{
	numberComputeTriples();
	numberComputePowers();
}

void hdNumberPrepare(void)
{
	pthread_once(&numberOnce, numberPrepare);
}

/* ---- Floating point ----------------------------------------------------- */

/* Multiply by a power of ten, keep the integer part and whether there was
 * more ("round to odd"). */
static inline uint64_t numberScale(struct numberPower power, uint64_t factor)
{
	__extension__ typedef unsigned __int128 wide;
	wide low = (wide)power.low * factor;
	wide high = (wide)power.high * factor + (uint64_t)(low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* How IEEE 754 lays out a floating point number. */
struct numberFormat {
	int fractionBits;
	uint64_t biasedMax; /* Of NaN and infinities. */
	int exponentMin;    /* Of the last bit of the smallest numbers. */
};

static const struct numberFormat numberOfDouble = { 52, 0x7ff, -1074 };
static const struct numberFormat numberOfFloat = { 23, 0xff, -149 };

/* Find the shortest decimal digits * 10^exponent of a finite, positive
 * number. */
static inline uint64_t numberShortest(const struct numberFormat *format,
				      uint64_t fraction, uint64_t biased,
				      int *exponent)
{
	uint64_t c = biased ? fraction | UINT64_C(1) << format->fractionBits
			    : fraction;
	int q = format->exponentMin + (biased ? (int)biased - 1 : 0);
	/* Below a power of two the neighbour is only half as far away. */
	bool isClose = fraction == 0 && biased > 1;
	/* floor(log10(2^q)), or of 3/4 * 2^q. */
	int k = (q * 1262611 - (isClose ? 524031 : 0)) >> 22;
	/* q + floor(log2(10^-k)) + 1 */
	int h = q + (-k * 1741647 >> 19) + 1;
	struct numberPower power = numberPowers[-k - POWER_MIN];
	uint64_t lower = numberScale(power, (4 * c - 2 + isClose) << h);
	uint64_t value = numberScale(power, (4 * c) << h);
	uint64_t upper = numberScale(power, (4 * c + 2) << h);
	uint64_t s = value / 4;

	/* The ends of the interval belong to it where c is even. */
	lower += c & 1;
	upper -= c & 1;
	if (s >= 10) {
		uint64_t tenth = s / 10;
		bool isDownIn = lower <= 40 * tenth;
		bool isUpIn = 40 * tenth + 40 <= upper;

		if (isDownIn != isUpIn) {
			*exponent = k + 1;
			return tenth + isUpIn;
		}
	}
	*exponent = k;
	if ((lower <= 4 * s) != (4 * s + 4 <= upper))
		return s + (4 * s + 4 <= upper);
	return s + (value > 4 * s + 2 || (value == 4 * s + 2 && (s & 1)));
}

/* Get the number of digits. */
static inline int numberCountDigits(uint64_t value)
{
	static const uint64_t powers[] = {
		UINT64_C(1),
		UINT64_C(10),
		UINT64_C(100),
		UINT64_C(1000),
		UINT64_C(10000),
		UINT64_C(100000),
		UINT64_C(1000000),
		UINT64_C(10000000),
		UINT64_C(100000000),
		UINT64_C(1000000000),
		UINT64_C(10000000000),
		UINT64_C(100000000000),
		UINT64_C(1000000000000),
		UINT64_C(10000000000000),
		UINT64_C(100000000000000),
		UINT64_C(1000000000000000),
		UINT64_C(10000000000000000),
		UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000),
		UINT64_C(10000000000000000000),
	};
	/* floor(log10(2^bits)) */
	int guess = (64 - __builtin_clzll(value)) * 1233 >> 12;

	return guess + (value >= powers[guess]);
}

/* Write digits * 10^exponent. */
static char *numberDecimal(char *to, uint64_t digits, int exponent)
{
	int length, point;
	char *end;

	if (digits % 100000000 == 0) {
		digits /= 100000000;
		exponent += 8;
	}
	while (digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	length = numberCountDigits(digits);
	point = length + exponent; /* Where the point is, from the first. */
	if (point <= 0 && point >= -4) {
		memcpy(to, "0.0000", 6);
		return hdNumberUint64(to + 2 - point, digits);
	}
	if (exponent >= 0 && point <= 17) {
		end = hdNumberUint64(to, digits);
		memset(end, '0', (size_t)exponent);
		return end + exponent;
	}
	/* Leave room for the point, and let it pass what is before it. */
	end = hdNumberUint64(to + 1, digits);
	if (point > 0 && point <= 17) {
		for (int i = 0; i < point; i++)
			to[i] = to[i + 1];
		to[point] = '.';
		return end;
	}
	to[0] = to[1];
	to[1] = '.';
	if (length == 1)
		end = to + 1;
	*end++ = 'e';
	return hdNumberInt64(end, point - 1);
}

/* Write a number that is given by its bits. */
static inline char *numberFloating(char *to, const struct numberFormat *format,
				   bool isNegative, uint64_t biased,
				   uint64_t fraction)
{
	uint64_t digits;
	int exponent;

	if (biased == format->biasedMax && fraction) {
		memcpy(to, "NaN", 3);
		return to + 3;
	}
	if (isNegative)
		*to++ = '-';
	if (biased == format->biasedMax) {
		memcpy(to, "INF", 3);
		return to + 3;
	}
	if (biased == 0 && fraction == 0) {
		*to++ = '0';
		return to;
	}
	digits = numberShortest(format, fraction, biased, &exponent);
	return numberDecimal(to, digits, exponent);
}

char *hdNumberDouble(char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return numberFloating(to, &numberOfDouble, bits >> 63,
			      bits >> 52 & 0x7ff,
			      bits & ((UINT64_C(1) << 52) - 1));
}

char *hdNumberFloat(char *to, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return numberFloating(to, &numberOfFloat, bits >> 31, bits >> 23 & 0xff,
			      bits & ((UINT32_C(1) << 23) - 1));
}

int hdNumberParse(const char *text, double *number)
{
	locale_t c;
	double value;
	char *end;

	/* strtod() takes more: blanks, hexadecimal, "inf", "nan". */
	if (*text == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
		return -EINVAL;
	c = newlocale(LC_ALL_MASK, "C", NULL);
	if (!c)
		return -ENOMEM;
	value = strtod_l(text, &end, c);
	freelocale(c);
	if (end == text || *end != '\0' || !isfinite(value))
		return -EINVAL;
	*number = value;
	return 0;
}
