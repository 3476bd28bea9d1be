/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is not recorded is said in GlusterFS' log.
 */
#ifndef HDG_WARN_H
#define HDG_WARN_H

/** Log a warning. */
void hdgWarn(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

#endif
