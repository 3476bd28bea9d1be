/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A progress bar on the terminal.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <glib.h>

#include "cli/progress.h"

/** It appears after this time, in us, and moves this often. */
#define PROGRESS_DELAY 1000000
#define PROGRESS_INTERVAL 100000
#define PROGRESS_WIDTH 40

void cliProgressInit(struct cliProgress *progress, bool isQuiet)
{
	*progress = (struct cliProgress){
		.isOn = !isQuiet && isatty(STDERR_FILENO) &&
			g_strcmp0(getenv("TERM"), "dumb") != 0,
	};
}

void cliProgressStart(struct cliProgress *progress, int64_t total)
{
	progress->total = total;
	progress->done = 0;
	progress->started = g_get_monotonic_time();
	progress->shown = progress->started;
}

void cliProgressAt(struct cliProgress *progress, int64_t size)
{
	int64_t now;
	double part;
	int bars;

	if (!progress->isOn || progress->total <= 0)
		return;
	now = g_get_monotonic_time();
	if (now - progress->started < PROGRESS_DELAY ||
	    now - progress->shown < PROGRESS_INTERVAL)
		return;
	part = ((double)progress->done + (double)size) /
	       (double)progress->total;
	part = CLAMP(part, 0.0, 1.0);
	bars = (int)(part * PROGRESS_WIDTH);
	fprintf(stderr, "\r\033[K[%.*s%*s] %3d %%", bars,
		"########################################",
		PROGRESS_WIDTH - bars, "", (int)(part * 100));
	fflush(stderr);
	progress->isVisible = true;
	progress->shown = now;
}

void cliProgressAdd(struct cliProgress *progress, int64_t size)
{
	progress->done += size;
	cliProgressAt(progress, 0);
}

void cliProgressHide(struct cliProgress *progress)
{
	if (!progress->isVisible)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->isVisible = false;
}

void cliProgressEnd(struct cliProgress *progress)
{
	cliProgressHide(progress);
	progress->total = 0;
}
