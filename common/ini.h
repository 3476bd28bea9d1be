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
 * libPT has its own parser of configuration files (common/ini.c), and needs
 * libc only: GKeyFile merges sections of one name without a word, and
 * [Trace] repeats.
 */
#ifndef HD_INI_H
#define HD_INI_H

#include <stddef.h>

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

/** Gets each error of a file. */
typedef void hdIniReport(void *context, long line, const char *text);

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

/** Free what it holds. */
void hdIniClear(struct hdIni *ini);

#endif
