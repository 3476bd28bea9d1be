/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Works on the parts of a command in several threads, such as files of a
 * project, and lets it look as if that were done one after the other.
 *
 * A part has a tool and a file of its own. What it says, and what it writes,
 * waits until that of all parts before it has come out: messages in memory,
 * and no more than some thousand; bytes in a spool, which goes to a temporary
 * file if there are many. Whose turn it is speaks and writes at once. A part
 * waits for its turn where there is no room for what it would have to keep.
 */
#ifndef HD_COMMAND_PARTS_H
#define HD_COMMAND_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/diagnostics.h"

struct parts;

/** A part, for who works on it. */
struct part {
	struct toolTurn turn;
	struct tool
		tool; /**< Is told what is wrong; a copy of the command's. */
	struct diagnosticSink sink; /**< Does so, for files that are read. */
	FILE *file;                 /**< Takes the output. */
	void *result;   /**< From run to take; NULL: it was not run. */
	bool isDropped; /**< For take. */
	/* Of parts.c: */
	struct parts *parts;
	struct tasks *tasks;
	size_t number;
	bool isTurn;
	bool hasOutput;
	GArray *kept; /**< Messages. */
	struct spool *spool;
	char *buffer; /**< Of the file. */
};

/** Works on a part, in any thread; take changes what all have at the same time,
 *  so what is copied for a part is a copy of before. */
typedef void partsRun(struct part *part, size_t number, void *data);
/**
 * Takes what came of it, in order; its output is out, and its messages are
 * said. After false no other part begins, and of those that did nothing is said
 * and written: take is called to free what they have, if part->isDropped.
 */
typedef bool partsTake(struct part *part, size_t number, void *data);

/** What there is to do. */
struct partsWork {
	struct tool *tool;
	size_t count;
	FILE *output; /**< NULL: stdout. */
	/** What stands between the outputs of two parts that have some. */
	const char *between;
	bool isLater; /**< And before the first one. */
	partsRun *run;
	partsTake *take; /**< Or NULL. */
	void *data;
};

/** Work on all parts; returns whether any of them had output. */
bool partsDo(const struct partsWork *work);

#endif
