/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A progress bar for work that takes longer than a second. It is printed on
 * stderr if that is a terminal.
 */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <stdbool.h>
#include <inttypes.h>

/** All zero: no bar. */
struct cliProgress {
	bool isOn;      /**< stderr is a terminal. */
	bool isVisible; /**< A line stands on the terminal now. */
	int64_t total;  /**< Total work, in bytes, ns or steps. */
	int64_t done;   /**< Work that is done. */
	int64_t started;
	int64_t shown; /**< When the line was drawn, monotonic, in us. */
};

/** Turn the bar on if stderr is a terminal and the command is not quiet. */
void cliProgressInit(struct cliProgress *progress, bool isQuiet);

/** Start work of this size. */
void cliProgressStart(struct cliProgress *progress, int64_t total);
/** Show the progress within the current part. */
void cliProgressAt(struct cliProgress *progress, int64_t size);
/** Finish a part of this size. */
void cliProgressAdd(struct cliProgress *progress, int64_t size);
/** Hide the bar until the next update, before other output. */
void cliProgressHide(struct cliProgress *progress);
/** End the work and hide the bar. */
void cliProgressEnd(struct cliProgress *progress);

#endif
