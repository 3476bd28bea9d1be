/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reads traces as our writer writes them, and nothing else: a line a record.
 *
 * Shares no code with the libraries, so that an error in one does not hide in
 * the other.
 */
#ifndef TRACEFILE_H
#define TRACEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** A state or an event. */
struct testRecord {
	bool isEvent;
	char *name;
	unsigned int depth;
	int64_t start; /**< Relative, in ns; so is end. */
	int64_t end;
	char *attributes; /**< As in the file: " key='value' key='value'". */
	char *elements;   /**< As in the file, "" if there are none. */
};

struct testTraceFile {
	int64_t epoch; /**< timeAdjustment, in ns. */
	char *levels;
	struct testRecord *records;
	size_t count;
	unsigned int openBlocks; /**< <Nested> that are not closed. */
	size_t bytesLeft;        /**< Of a last line that is not complete. */
	bool isEnded;            /**< Whether there is </Program>. */
};

/**
 * Read a trace; what breaks a rule fails the test.
 *
 * @param path Its path.
 * @return The trace, to be freed with testTraceFree().
 */
struct testTraceFile *testTraceRead(const char *path);

/** The same for a trace that was finalized, which libxml2 must like, too. */
struct testTraceFile *testTraceReadEnded(const char *path);

void testTraceFree(struct testTraceFile *trace);

/** Get an attribute with references resolved, to be freed; or NULL. */
char *testRecordAttribute(const struct testRecord *record, const char *key);

/** Resolve references; what is not one fails the test. To be freed. */
char *testUnescape(const char *text, size_t length);

#endif
