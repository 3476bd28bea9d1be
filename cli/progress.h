/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A bar on the terminal that says how much is done, of whatever takes longer
 * than two seconds. It stands on stderr, and only if that is a terminal.
 */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <stdbool.h>
#include <inttypes.h>

/** All zero: there is no bar. */
struct cliProgress {
	bool isOn;      /**< stderr is a terminal. */
	bool isVisible; /**< A line stands on the terminal now. */
	int64_t total;  /**< What is to be done, in bytes or ns. */
	int64_t done;   /**< Parts that are done. */
	int64_t started;
	int64_t shown; /**< When the line was drawn, monotonic, in us. */
};

/** Find out whether there is a terminal that takes a bar, and is not to be
 *  quiet. */
void cliProgressInit(struct cliProgress *progress, bool isQuiet);

/** Begin something of this size. */
void cliProgressStart(struct cliProgress *progress, int64_t total);
/** Show that so much of the current part is done. */
void cliProgressAt(struct cliProgress *progress, int64_t size);
/** A part of this size is done. */
void cliProgressAdd(struct cliProgress *progress, int64_t size);
/** Take the bar away until it moves again, as something is printed. */
void cliProgressHide(struct cliProgress *progress);
/** That was all. */
void cliProgressEnd(struct cliProgress *progress);

#endif
