/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors in cli/errors.h, as messages of hdtrace.
 */
#ifndef HD_TOOL_ERRORS_H
#define HD_TOOL_ERRORS_H

#include "HDTraceTools/command/core/tool.h"

/* ---- Wrong command lines: print where help is, return the exit status. -- */

/** An argument is missing: "PROJECT". */
int toolMissing(struct tool *tool, const char *argument);
/** A mandatory option is missing. */
int toolMissingOption(struct tool *tool, const char *option);
/** There is one argument too many. */
int toolUnexpected(struct tool *tool, const char *text);
/** The value of an option is not a number, or out of range. */
int toolInvalidNumber(struct tool *tool, const char *option, const char *text,
		      const char *expected);
/** The same for an integer that is out of range. */
int toolInvalidInt(struct tool *tool, const char *option, int number,
		   const char *expected);
/** The value of an option is not a point in time. */
int toolInvalidTime(struct tool *tool, const char *option, const char *text,
		    const char *expected);
/** The value of an option is not a duration. */
int toolInvalidDuration(struct tool *tool, const char *option,
			const char *text);
/** The value of an option is not valid otherwise. */
int toolInvalidValue(struct tool *tool, const char *option, const char *text,
		     const char *expected);
/** Two options exclude each other. */
int toolExcludes(struct tool *tool, const char *option, const char *other);
/** An option has no effect without another one. */
int toolNeeds(struct tool *tool, const char *option, const char *other);

/* ---- Files: a path and an errno, which may be negative. ----------------- */

/** PATH: cannot open: REASON */
void toolErrorOpen(struct tool *tool, const char *path, int error);
/** PATH: cannot read: REASON */
void toolErrorRead(struct tool *tool, const char *path, int error);
/** PATH: cannot write: REASON */
void toolErrorWrite(struct tool *tool, const char *path, int error);
/** PATH: exists; --force replaces it */
void toolErrorExists(struct tool *tool, const char *path);
/** PATH: cannot create: REASON */
void toolErrorCreate(struct tool *tool, const char *path, int error);
/** PATH: cannot remove: REASON */
void toolErrorRemove(struct tool *tool, const char *path, int error);
/** PATH: cannot rename: REASON */
void toolErrorRename(struct tool *tool, const char *path, int error);

#endif
