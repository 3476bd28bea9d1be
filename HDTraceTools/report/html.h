/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report --html: a page with the viewer and the data of a project.
 */
#ifndef HD_HTML_H
#define HD_HTML_H

#include "HDTraceTools/findings/findings.h"

/** How large a page may become if nothing is said. */
#define HTML_MAX_SIZE (50 * 1000 * 1000)

/**
 * Parse a size: a number of bytes with k, M, G (or kB, MB, GB) or nothing.
 *
 * @retval 0 Success.
 * @retval -EINVAL Not a size.
 */
int htmlParseSize(const char *text, uint64_t *size);

/**
 * Write the page of findings that are complete.
 *
 * @param path Where to; "-" is stdout.
 * @param maxSize What does not fit into so many bytes is reduced in resolution.
 * @param mayReplace Whether an existing file is replaced.
 *
 * @retval 0 Success; what was written was said on stdout.
 * @retval -1 Error; it was said.
 */
int htmlWrite(struct findings *findings, const char *path, uint64_t maxSize,
	      bool mayReplace);

#endif
