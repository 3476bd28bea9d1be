/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Looks ahead in a trace behind a part that was lost: which elements end there
 * that did not begin there.
 */
#ifndef HDI_ENDSCAN_H
#define HDI_ENDSCAN_H

#include <stddef.h>

#include "HDTraceReadingCLibrary/src/file.h"

/** Longest name of such an element. */
#define HDI_ENDSCAN_NAME 256

/** What was found; all zero is empty. */
struct hdIEndScan {
	char **names; /**< Those that end, the innermost one first. */
	size_t count;
	size_t room;
	/* While it runs: */
	size_t depth; /**< Elements that began, and have not ended. */
	char name[HDI_ENDSCAN_NAME];
	size_t length;
	int state;
	char last; /**< The byte before; in a tag, outside of quotes. */
	char quote;
};

/**
 * Read up to the end of the file, or the next part that is damaged.
 *
 * @param file Where reading goes on; the caller seeks back.
 * @param buffer Room to read to.
 * @param root Name of the root element, whose end does not count.
 *
 * @return 0 or -ENOMEM.
 */
int hdIEndScanRun(struct hdIEndScan *scan, struct hdIFile *file, char *buffer,
		  size_t size, const char *root);

/** Free the names. */
void hdIEndScanFree(struct hdIEndScan *scan);

#endif
