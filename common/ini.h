/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Configuration files: sections of `key = value`.
 *
 *     # comment
 *     ; comment
 *     [Section]
 *     key = value
 *
 * Sections keep their order, may repeat, and know their lines; the keys of a
 * section are unique. Blanks around names and values do not count. A comment
 * has a line of its own: `#` and `;` in a value belong to it. Lines end with LF
 * or CRLF; a byte order mark at the begin is skipped.
 *
 * Tables say which sections and keys there may be. Everything needs libc only:
 * GKeyFile merges sections of one name without a word, and [Trace] repeats.
 */
#ifndef HD_INI_H
#define HD_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Largest file that is read, in bytes. */
#define HD_INI_MAX (1024 * 1024)

struct hdIniKey {
	const char *name;
	const char *value;
	long line;
};

struct hdIniSection {
	const char *name;
	long line;
	struct hdIniKey *keys;
	size_t count;
};

struct hdIni {
	struct hdIniSection *sections;
	size_t count;
	char *text; /**< What the strings point into. */
};

/** Gets each error of a file; line 0 is the file as a whole. */
typedef void hdIniReport(void *context, long line, const char *text);

/** Report an error with a format. */
void hdIniSay(hdIniReport *report, void *context, long line, const char *format,
	      ...) __attribute__((__format__(__printf__, 4, 5)));

/**
 * Parse a text. Lines with an error are reported and left out.
 *
 * @param text The text; copied.
 * @param[out] ini What it says, to be given to hdIniClear().
 *
 * @retval -ENOMEM Out of memory.
 */
int hdIniParse(const char *text, size_t length, hdIniReport *report,
	       void *context, struct hdIni *ini);

/**
 * Parse a file.
 *
 * @retval -EFBIG It is larger than HD_INI_MAX.
 * @retval -ENOMEM Out of memory. (Or another error of open() and read().)
 */
int hdIniRead(const char *path, hdIniReport *report, void *context,
	      struct hdIni *ini);

/** Find a key of a section, or return NULL. */
const struct hdIniKey *hdIniFind(const struct hdIniSection *section,
				 const char *name);

/** Parse numbers with blanks between them; -EINVAL: there are others, or more
 *  than @p most. */
int hdIniNumbers(const char *text, double *values, size_t most, size_t *count);

/** Sections of a name; NULL ends a table. */
struct hdIniPart {
	const char *name; /**< One that ends with a blank begins names. */
	bool isNeeded;
	bool isOnce;
	/** Gets each, in the order of the file; may be NULL. */
	void (*take)(const struct hdIniSection *section, void *context);
};

/** Report unknown, missing and duplicate sections, and give all others to the
 *  functions of a table. @p expected is it as a text. */
void hdIniSections(const struct hdIni *ini, const struct hdIniPart *parts,
		   const char *expected, hdIniReport *report, void *context);

/** How a value is read. */
enum hdIniType {
	HD_INI_OTHER,  /**< Not at all; the caller does. */
	HD_INI_TEXT,   /**< const char *: not empty. */
	HD_INI_NUMBER, /**< double. */
	HD_INI_WHOLE,  /**< int64_t, times its unit. */
};

/** A key that a section may have; NULL ends a table. */
struct hdIniField {
	const char *name;
	enum hdIniType type;
	size_t offset; /**< Of the member that gets the value. */
	double min;    /**< The same as max: numbers have no limits. */
	double max;
	int64_t unit;
	bool isNeeded;
};

/** Read the keys of a section into the members of a struct; members without a
 *  key stay. Reports unknown and missing keys, and invalid values. */
void hdIniTake(const struct hdIniSection *section,
	       const struct hdIniField *fields, void *target,
	       hdIniReport *report, void *context);

/** Free what it holds. */
void hdIniClear(struct hdIni *ini);

#endif
