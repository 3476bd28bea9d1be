/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The HDTRACE_* environment variables (hdTopology.h documents them), and the
 * messages that one of them asks for.
 */
#ifndef HD_SETTINGS_H
#define HD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/log.h"

extern struct hdLogger hdLogger;

/** Print a message: "hdtrace: TEXT\n". Leaves errno alone. */
#define hdMessage(level, ...) hdLog(&hdLogger, level, __VA_ARGS__)

/** Say that something is not recorded; see hdLogLoss(). */
#define hdLoss(...) hdLogLoss(&hdLogger, __VA_ARGS__)

/** What helps where a file is there already. */
#define HD_EXISTS                                                      \
	"not recorded: it exists; HDTRACE_OVERWRITE_EXISTING_FILES=1 " \
	"replaces it"

/** What is written where a group was stopped. */
enum hdGaps {
	HD_GAPS_MARKER,
	HD_GAPS_ENTRY,
	HD_GAPS_NONE,
};

/** Longest HDTRACE_PREFIX. */
#define HD_PREFIX_MAX 4000

/* States that lie deeper are not recorded: a file that has more than 1,000
 * elements in each other is refused by who reads it. */
#define HD_DEPTH_MAX 990

struct hdSettings {
	size_t bufferSize; /**< Bytes, a power of two. */
	size_t bufferMax;  /**< What it grows to, likewise. */
	unsigned int flushMs;
	bool forceFlush;
	bool dropOnFull;
	bool overwrite;
	bool hasRelations;
	int compression; /**< Level of zstd; 0: none. */
	int maxDepth;    /* At most HD_DEPTH_MAX. */
	enum hdGaps gaps;
	char prefix[HD_PREFIX_MAX + 1];
};

/** Get the settings; the first call reads the environment. Any thread. */
const struct hdSettings *hdSettingsGet(void);

#endif
