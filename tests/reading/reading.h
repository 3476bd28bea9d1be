/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the tests of the reading library share: a file made of bytes in
 * memory, read to its end, with all that it delivers as text.
 */
#ifndef TESTS_READING_H
#define TESTS_READING_H

#include <glib.h>

#include <hdReading.h>

/** What came out of a file. */
struct reading {
	GString *messages; /**< Lines "RULE@OFFSET". */
	GString *values;   /**< Lines; see reading.c. */
	GArray *ends;      /**< int64_t: where the records end in the file. */
	int isOpen;        /**< Whether the project could be opened. */
	int result;        /**< Of the last call that reads. */
	int error;         /**< errno after a failure. */
	/** Bytes of the file, to check offsets with; may be NULL. */
	const char *bytes;
	gsize size;
};

void readingInit(struct reading *reading);

void readingClear(struct reading *reading);

/** Takes a message; the data is a struct reading. */
void readingTakeMessage(const hdIMessage *message, void *data);

/** Read a file: "NAME.stat", "NAME.trc" or "NAME.rel", which need not exist. */
void readingRun(struct reading *reading, const char *name, const char *bytes,
		gsize size);

/** Read all files of a project. */
void readingRunProject(struct reading *reading, const hdIProject *project);

/**
 * Make the bytes of a .stat file.
 *
 * @param length What to write as length of the header; NULL: the right one.
 * @param header The header; NULL: one with the given values.
 * @param values Values as in "FLOAT INT32"; they are named v0, v1, ...
 * @param group More attributes of the group.
 * @param data Words: T1.5 is a time stamp, GAP the mark of one, F1.5 and D1.5
 *        are a FLOAT and a DOUBLE, I5 and L5 an INT32 and an INT64, Stext a
 *        STRING, X0aff bytes.
 */
GString *readingStat(const char *length, const char *header, const char *values,
		     const char *group, const char *data);

#endif
