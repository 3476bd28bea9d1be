/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors in cli/errors.h, as messages of hdpredict.
 */
#ifndef HD_PREDICT_ERRORS_H
#define HD_PREDICT_ERRORS_H

#include "PredictionLibrary/command/hdpredict.h"

/* ---- Wrong command lines: print where help is, return the exit status. -- */

/** An argument is missing: "PROJECT". */
int predictMissing(const struct predict *predict, const char *argument);
/** A mandatory option is missing. */
int predictMissingOption(const struct predict *predict, const char *option);
/** There is one argument too many. */
int predictUnexpected(const struct predict *predict, const char *text);
/** The value of an option is not a number, or out of range. */
int predictInvalidNumber(const struct predict *predict, const char *option,
			 const char *text, const char *expected);
/** The number of an option is out of range. */
int predictOutOfRange(const struct predict *predict, const char *option,
		      double number, const char *expected);
/** The value of an option is not a point in time. */
int predictInvalidTime(const struct predict *predict, const char *option,
		       const char *text, const char *expected);
/** The value of an option is not a duration. */
int predictInvalidDuration(const struct predict *predict, const char *option,
			   const char *text);
/** The value of an option is not valid otherwise. */
int predictInvalidValue(const struct predict *predict, const char *option,
			const char *text, const char *expected);
/** Two options exclude each other. */
int predictExcludes(const struct predict *predict, const char *option,
		    const char *other);
/** An option has no effect without another one. */
int predictNeeds(const struct predict *predict, const char *option,
		 const char *other);

/* ---- Files: a path and an errno, which may be negative. ----------------- */

/** PATH: cannot open: REASON */
int predictErrorOpen(const struct predict *predict, const char *path,
		     int error);
/** PATH: cannot read: REASON */
int predictErrorRead(const struct predict *predict, const char *path,
		     int error);
/** PATH: cannot write: REASON */
int predictErrorWrite(const struct predict *predict, const char *path,
		      int error);
/** PATH: cannot create: REASON */
int predictErrorCreate(const struct predict *predict, const char *path,
		       int error);
/** PATH: cannot remove: REASON */
int predictErrorRemove(const struct predict *predict, const char *path,
		       int error);
/** PATH: cannot rename: REASON */
int predictErrorRename(const struct predict *predict, const char *path,
		       int error);

#endif
