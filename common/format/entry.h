/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Entries of statistics files: types of values, time stamps and the order of
 * bytes (doc/format/format.md, "Statistics files").
 */
#ifndef HD_ENTRY_H
#define HD_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/clock.h"

/** Types of values, in the order of hdStatsValueType. */
enum hdEntryType {
	HD_ENTRY_INT32,
	HD_ENTRY_INT64,
	HD_ENTRY_FLOAT,
	HD_ENTRY_DOUBLE,
	HD_ENTRY_STRING,
	HD_ENTRY_TYPES, /**< How many there are. */
};

/** What a type is called in headers, and its bytes; of a string its length. */
static const struct {
	const char *name;
	unsigned char size;
} hdEntryTypes[HD_ENTRY_TYPES] = {
	[HD_ENTRY_INT32] = { "INT32", 4 },
	[HD_ENTRY_INT64] = { "INT64", 8 },
	[HD_ENTRY_FLOAT] = { "FLOAT", 4 },
	[HD_ENTRY_DOUBLE] = { "DOUBLE", 8 },
	[HD_ENTRY_STRING] = { "STRING", 2 },
};

/** Bytes of a time stamp. */
#define HD_STAMP_SIZE 8

/** Put a number of 32 bits as it stands in a file. */
static inline void hdEntryPut32(char *to, uint32_t value)
{
#ifndef WORDS_BIGENDIAN
	value = __builtin_bswap32(value);
#endif
	memcpy(to, &value, sizeof(value));
}

/** Put a number of 64 bits as it stands in a file. */
static inline void hdEntryPut64(char *to, uint64_t value)
{
#ifndef WORDS_BIGENDIAN
	value = __builtin_bswap64(value);
#endif
	memcpy(to, &value, sizeof(value));
}

/** Get a number of 32 bits as it stands in a file. */
static inline uint32_t hdEntryGet32(const unsigned char *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 |
	       (uint32_t)from[2] << 8 | from[3];
}

/** A time stamp as a number: seconds in its upper half, nanoseconds in its
 * lower one. Later times are larger. */
static inline uint64_t hdEntryStamp(uint64_t seconds, uint64_t ns)
{
	return seconds << 32 | ns;
}

/** Make a time a stamp; up to HD_TIME_MAX. */
static inline uint64_t hdEntryStampOf(int64_t ns)
{
	return hdEntryStamp((uint64_t)ns / HD_NS_PER_S,
			    (uint64_t)ns % HD_NS_PER_S);
}

/** Get the time of files as a stamp. @return false if it is unknown. */
static inline bool hdEntryStampNow(uint64_t *stamp)
{
	uint64_t added =
		atomic_load_explicit(&hdClockAddedStamp, memory_order_relaxed);
	struct timespec now;

	if (__builtin_expect(added == 0, 0)) {
		if (!hdClockAsk(&now))
			return false;
	} else {
		clock_gettime(CLOCK_BOOTTIME, &now);
	}
	added += hdEntryStamp((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
	if ((uint32_t)added >= HD_NS_PER_S)
		added += (UINT64_C(1) << 32) - HD_NS_PER_S;
	*stamp = added;
	return true;
}

/** Put a time stamp, up to HD_TIME_MAX. */
static inline void hdEntryPutStamp(char *to, int64_t ns)
{
	hdEntryPut64(to, hdEntryStampOf(ns));
}

#endif
