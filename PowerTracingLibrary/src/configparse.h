/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file configparse.h
 * What the files that read the configuration share.
 */
#ifndef PT_CONFIGPARSE_H
#define PT_CONFIGPARSE_H

#include "configuration.h"

/** A configuration that is being read. */
struct ptParse {
	const struct ptRequest *request;
	struct ptConfig *config;
	struct ptSetup setup;
	size_t errors;
	bool isOutOfMemory;
};

/**
 * Report an error of the line of a key, or of an option that replaces it:
 * "FILE:LINE: TEXT", "--port: TEXT".
 */
void ptParseFail(struct ptParse *parse, const struct hdIniKey *key,
		 const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** As ptParseFail(), for a line; 0 for the file as a whole. */
void ptParseFailAt(struct ptParse *parse, long line, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** Find a key that must be there and not be empty; reports. */
const struct hdIniKey *ptParseNeed(struct ptParse *parse,
				   const struct hdIniSection *section,
				   const char *name);

/** Report keys that are in neither of two lists, of which one may be NULL. */
void ptParseUnknown(struct ptParse *parse, const struct hdIniSection *section,
		    const char *const *known, const char *const *options);

/**
 * Split a text at a character; the parts lose the blanks around them.
 *
 * @return The parts, in one block to be freed; NULL without memory.
 */
char **ptParseSplit(struct ptParse *parse, const char *text, char separator,
		    size_t *count);

/** Check that labels or types of levels are what hdTopology.h allows. */
bool ptParseLabels(struct ptParse *parse, const struct hdIniKey *key,
		   char *const *labels, size_t count);

/** Tell whether an allocation worked. */
bool ptParseGot(struct ptParse *parse, const void *memory);

/** Add a name to a list of what is allowed: "a, b, c". */
void ptParseList(char *list, size_t size, const char *name);

/** Read all [Trace] sections. */
void ptParseTraces(struct ptParse *parse);

#endif
