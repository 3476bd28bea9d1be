/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A .stat file while it is read: the part that is in memory.
 */
#ifndef HDI_STAT_H
#define HDI_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "HDTraceReadingCLibrary/src/project/project.h"

/** Bytes of a time stamp. */
#define HDI_STAMP_SIZE 8

/** A gap: a mark instead of a time stamp, and where the group goes on. */
#define HDI_GAP_SIZE (2 * HDI_STAMP_SIZE)
#define HDI_GAP_MARK UINT64_MAX

struct hdIStatReader {
	struct hdISink sink;
	const hdIGroup *group;
	const struct hdIGroupData *groupData;
	struct hdIFile *input;
	int isEnd;  /* The file has no more bytes. */
	int isOver; /* The end or an error was reported. */
	int error;  /* That error. */
	int hasStart;
	int isAfterGap;
	int isResumed; /* A damaged frame was skipped. */
	int64_t start; /* The initial time stamp. */
	int64_t last;  /* The last time stamp. */
	/* The window of the file that is in memory: what is used up, and what
	 * comes next. */
	char *buffer;
	size_t room;
	size_t used;
	size_t size;
	int64_t offset;  /* Of the buffer in the file. */
	size_t capacity; /* Entries of a block. */
	hdIBlock block;
	int64_t *starts;
	int64_t *ends;
	int64_t *offsets;
	uint8_t *gaps;
	void **columns;
	hdIColumn *publicColumns;
};

/** Where a place in the buffer lies in the file. */
static inline int64_t hdIStatOffset(const struct hdIStatReader *reader,
				    size_t position)
{
	return reader->offset + (int64_t)position;
}

/** Bytes of a value in memory. */
size_t hdIStatSizeOf(hdIType type);

/**
 * Take entries of one size, up to the next gap or error.
 *
 * @return Number of entries.
 */
size_t hdIStatTakeRun(struct hdIStatReader *reader);

/** The same where the size varies. */
size_t hdIStatTakeVarying(struct hdIStatReader *reader);

/**
 * Measure the entry that comes next, where the size varies.
 *
 * @param[out] position Where measuring ended, in the buffer.
 *
 * @retval >0 Its bytes.
 * @retval 0 It is not there as a whole.
 * @retval -EBADMSG A string has a negative length, at @p position.
 */
ssize_t hdIStatMeasure(const struct hdIStatReader *reader, size_t *position);

#endif
