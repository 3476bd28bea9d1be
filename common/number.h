/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers as text, whatever the locale, at the cost of a memory copy.
 *
 * printf() takes about a microsecond for a double and may write a comma.
 */
#ifndef HD_NUMBER_H
#define HD_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Longest result of hdNumberInt64() and hdNumberUint64(). */
#define HD_INT64_MAX 20
/** Longest result of hdNumberDouble(): -1.2345678901234567e-308. */
#define HD_DOUBLE_MAX 32
/** Room that hdNumberTime() needs: 10 digits, a point, 9 digits and one. */
#define HD_TIME_LENGTH_MAX 22

/** Write an integer; returns the end of it, where no zero byte is put. */
char *hdNumberInt64(char *to, int64_t value);
/** Write an integer without sign. */
char *hdNumberUint64(char *to, uint64_t value);

/** Prepare what is below; any thread, costs some ten microseconds once. Each
 *  shared library has its own tables: what one prepared is not for another. */
void hdNumberPrepare(void);

/** Write nanoseconds (not negative) as seconds with 9 decimals. */
char *hdNumberTime(char *to, int64_t ns);

/** The text of a time, of which times soon after it need the end only. */
struct hdTimeText {
	int64_t ms;      /**< The millisecond, in nanoseconds. */
	size_t length;   /**< Of what stands before the microseconds. */
	char before[16]; /**< Up to ten digits, a point, three digits. */
};

/** A text of no time, to begin with. */
#define HD_TIME_TEXT_NONE ((struct hdTimeText){ .ms = INT64_MIN })

/** "000" to "999", four bytes apart; see hdNumberPrepare(). */
extern char hdNumberTriples[1000][4];
/** "0" to "999"; the fourth byte is how long they are. */
extern char hdNumberShorts[1000][4];

/** Integers below this go the short way. */
#define HD_NUMBER_SHORT 1000000000

/** Write up to three digits, and up to three bytes more. */
static inline char *hdNumberPutThree(char *to, uint32_t value)
{
	memcpy(to, hdNumberShorts[value], 4);
	return to + hdNumberShorts[value][3];
}

/** Write exactly three digits, and one byte more. */
static inline char *hdNumberPutTriple(char *to, uint32_t value)
{
	memcpy(to, hdNumberTriples[value], 4);
	return to + 3;
}

/** hdNumberUint64() below HD_NUMBER_SHORT; needs as much room. */
static inline char *hdNumberPutShort(char *to, uint32_t value)
{
	uint32_t thousands = value / 1000, millions;

	if (value < 1000)
		return hdNumberPutThree(to, value);
	if (value < 1000000) {
		to = hdNumberPutThree(to, thousands);
	} else {
		millions = thousands / 1000;
		to = hdNumberPutThree(to, millions);
		to = hdNumberPutTriple(to, thousands - millions * 1000);
	}
	return hdNumberPutTriple(to, value - thousands * 1000);
}

/** hdNumberInt64(), soonest where the number is small; needs a byte more. */
static inline char *hdNumberPutInt64(char *to, int64_t value)
{
	if (__builtin_expect((uint64_t)value < HD_NUMBER_SHORT, 1))
		return hdNumberPutShort(to, (uint32_t)value);
	return hdNumberInt64(to, value);
}

/** Make the text that of another millisecond. */
void hdTimeTextMove(struct hdTimeText *text, int64_t ns);

/** Whether the text is that of the millisecond of a time. */
static inline bool hdTimeTextIsOf(const struct hdTimeText *text, int64_t ns)
{
	return (uint64_t)ns - (uint64_t)text->ms < 1000000;
}

/** hdTimeTextPut() where the text is that of the millisecond. */
static inline char *hdTimeTextPutNear(const struct hdTimeText *text, char *to,
				      int64_t ns)
{
	uint32_t rest = (uint32_t)(ns - text->ms);
	uint32_t us = rest / 1000;

	memcpy(to, text->before, sizeof(text->before));
	to += text->length;
	/* Each writes one byte too many, which the next one overwrites. */
	memcpy(to, hdNumberTriples[us], 4);
	memcpy(to + 3, hdNumberTriples[rest - us * 1000], 4);
	return to + 6;
}

/**
 * The same as hdNumberTime(), by the text of the time before; needs as much
 * room.
 */
static inline char *hdTimeTextPut(struct hdTimeText *text, char *to, int64_t ns)
{
	if (__builtin_expect(!hdTimeTextIsOf(text, ns), 0))
		hdTimeTextMove(text, ns);
	return hdTimeTextPutNear(text, to, ns);
}

/**
 * Write a double with the fewest digits that read back as the same value.
 *
 * NaN, INF and -INF as in XML Schema; exponents ("1.5e-07" as 1.5e-7) only
 * below 1e-5 and from 1e17.
 */
char *hdNumberDouble(char *to, double value);

/** Write a float with the fewest digits that read back as the same float. */
char *hdNumberFloat(char *to, float value);

/**
 * Parse a whole text as a finite decimal number, whatever the locale.
 *
 * @retval -EINVAL It is not one.
 * @retval -ENOMEM Out of memory.
 */
int hdNumberParse(const char *text, double *number);

#endif
