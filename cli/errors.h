/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors that all commands share: one sentence per kind.
 *
 * Each error is printed once, by the function that finds it. A message has the
 * form "PROGRAM: OBJECT: problem; remedy". The object is the file, device,
 * option or host.
 *
 * - A wrong command line: the functions with a struct cliCommand. They also
 *   print where help is, and return the exit status for wrong usage.
 * - A file: the functions with the name of the program.
 * - A host: common/net.h has the texts, since libraries print them as well.
 * - A command with messages of its own form (hdtrace, hdpredict) uses the
 *   texts below. toolMissing() and predictMissing() are examples.
 * - Scripts: cli/options.sh has the same sentences.
 */
#ifndef HD_CLI_ERRORS_H
#define HD_CLI_ERRORS_H

#include <stdbool.h>

#include "cli/options.h"

/* ---- Texts ------------------------------------------------------------- */

#define CLI_TEXT_MISSING "missing argument: %s"
#define CLI_TEXT_MISSING_OPTION "missing option: --%s"
/** Option, and its argument as --help shows it. */
#define CLI_TEXT_MISSING_VALUE "--%s: missing value; expected %s"
/** Followed by "; did you mean --y?". */
#define CLI_TEXT_UNKNOWN_OPTION "unknown option: \"%s\""
/** Followed by "; did you mean \"y\"?". */
#define CLI_TEXT_UNKNOWN_COMMAND "unknown command: \"%s\""
#define CLI_TEXT_UNEXPECTED "unexpected argument: \"%s\""
/** Option, what the user wrote, and what is valid. */
#define CLI_TEXT_NUMBER "--%s: invalid number \"%s\"; expected %s"
#define CLI_TEXT_TIME "--%s: invalid time \"%s\"; expected %s"
#define CLI_TEXT_VALUE "--" CLI_TEXT_VALUE_OF
/** The same for an argument. */
#define CLI_TEXT_VALUE_OF "%s: invalid value \"%s\"; expected %s"
/** A duration that is out of range. */
#define CLI_TEXT_DURATION_RANGE "--%s: invalid duration \"%s\"; expected %s"
#define CLI_TEXT_DURATION                 \
	"--%s: invalid duration \"%s\"; " \
	"use a number and a unit, such as 10ms or 5s"
/** Two options. */
#define CLI_TEXT_EXCLUDES "--%s: cannot be combined with --%s"
#define CLI_TEXT_NEEDS "--%s: requires --%s"
/** Path and reason. */
#define CLI_TEXT_OPEN "%s: cannot open: %s"
#define CLI_TEXT_READ "%s: cannot read: %s"
#define CLI_TEXT_WRITE "%s: cannot write: %s"
#define CLI_TEXT_CREATE "%s: cannot create: %s"
/** Path only. */
#define CLI_TEXT_EXISTS "%s: exists; --force replaces it"
#define CLI_TEXT_REMOVE "%s: cannot remove: %s"
#define CLI_TEXT_RENAME "%s: cannot rename: %s"
/** What stands for the path in messages about standard output. */
#define CLI_STDOUT "standard output"

/* ---- Wrong command lines ------------------------------------------------ */

/** An argument is missing; @p argument as in the usage line: "PROJECT". */
int cliErrorMissing(const struct cliCommand *command, const char *argument);

/**
 * Find the name of an argument in a usage line, for cliErrorMissing().
 *
 * @param arguments As in struct cliCommand: "FILE PROJECT...".
 * @param index Number of arguments that the user gave.
 *
 * @return "PROJECT" for 1 and more; valid until the next call.
 */
const char *cliArgumentName(const char *arguments, int index);

/** A mandatory option is missing; @p option without dashes. */
int cliErrorMissingOption(const struct cliCommand *command, const char *option);

/** There is one argument too many. */
int cliErrorUnexpected(const struct cliCommand *command, const char *text);

/**
 * The value of an option is not a number, or out of range.
 *
 * @param text What the user wrote.
 * @param expected The range: "0 to 65535", "1 or more".
 */
int cliErrorNumber(const struct cliCommand *command, const char *option,
		   const char *text, const char *expected);

/** The value of an option is not a point in time; @p expected describes the
 *  forms: "seconds or a date". */
int cliErrorTime(const struct cliCommand *command, const char *option,
		 const char *text, const char *expected);

/** The value of an option is not a duration; common/duration.h reads them. */
int cliErrorDuration(const struct cliCommand *command, const char *option,
		     const char *text);

/** The value of an option is not valid, for other kinds of values. For lists
 *  of words there is cliChoose(). */
int cliErrorValue(const struct cliCommand *command, const char *option,
		  const char *text, const char *expected);

/** Two options exclude each other. */
int cliErrorExcludes(const struct cliCommand *command, const char *option,
		     const char *other);

/** An option has no effect without another one. */
int cliErrorNeeds(const struct cliCommand *command, const char *option,
		  const char *other);

/* ---- Files -------------------------------------------------------------- */

/**
 * Print "TOOL: PATH: cannot open: REASON".
 *
 * @param tool Name of the program, with its subcommand: "pt watch".
 * @param error An errno; negative values are taken as well.
 */
void cliErrorOpen(const char *tool, const char *path, int error);
/** The same for reading; it also fits directories and devices. */
void cliErrorRead(const char *tool, const char *path, int error);
/** The same for writing; @p path may be CLI_STDOUT. */
void cliErrorWrite(const char *tool, const char *path, int error);
/** The same for a new file or directory. */
void cliErrorCreate(const char *tool, const char *path, int error);
/** The same for removing a file. */
void cliErrorRemove(const char *tool, const char *path, int error);
/** The same for renaming a file. */
void cliErrorRename(const char *tool, const char *path, int error);

/** A path as the object of a message: "" in quotes if it is empty. */
const char *cliErrorObject(const char *path);

/** Whether an option such as --root names no directory; after a message. */
bool cliErrorRoot(const char *tool, const char *root);

/** The text for an errno, which may be negative; 0: "unknown error". */
const char *cliErrorReason(int error);

#endif
