/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reads .rel files strictly, with GLib's parser and none of our code.
 */
#ifndef RELFILE_H
#define RELFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** An element of the file. */
struct testRelElement {
	char *name;
	GHashTable *attributes; /**< Names to values. */
	uint64_t token;
	int64_t time; /**< In ns since the epoch. */
	char *inside; /**< Names of the elements in it, each with a blank. */
};

struct testRelFile {
	GHashTable *header;
	GPtrArray *elements;
	bool isComplete; /**< Whether the end is there. */
};

/** Read a file; what is wrong with it fails the test. */
struct testRelFile *testRelRead(const char *path);

/** Read a file up to the last element that is complete and has none in it. */
struct testRelFile *testRelReadCut(const char *path);

void testRelFree(struct testRelFile *file);

/** How many elements have a name. */
size_t testRelCount(const struct testRelFile *file, const char *name);

/** The nth element. */
const struct testRelElement *testRelAt(const struct testRelFile *file,
				       size_t n);

/** An attribute; NULL: it is not there. */
const char *testRelGet(const struct testRelElement *element, const char *key);

/**
 * Check each relation: it begins once, its states nest, it ends once at most,
 * its times do not decrease, in the order of the file.
 */
void testRelCheck(const struct testRelFile *file);

#endif
