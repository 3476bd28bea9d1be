/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors that all commands share.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "cli/errors.h"
#include "cli/output.h"

int cliErrorMissing(const struct cliCommand *command, const char *argument)
{
	return cliUsage(command, CLI_TEXT_MISSING, argument);
}

const char *cliArgumentName(const char *arguments, int index)
{
	static char name[64];
	char **words = g_strsplit(arguments, " ", -1);
	int last = (int)g_strv_length(words) - 1;

	g_strlcpy(name, words[CLAMP(index, 0, last)], sizeof(name));
	if (g_str_has_suffix(name, "..."))
		name[strlen(name) - strlen("...")] = '\0';
	g_strfreev(words);
	return name;
}

int cliErrorMissingOption(const struct cliCommand *command, const char *option)
{
	return cliUsage(command, CLI_TEXT_MISSING_OPTION, option);
}

int cliErrorUnexpected(const struct cliCommand *command, const char *text)
{
	return cliUsage(command, CLI_TEXT_UNEXPECTED, text);
}

int cliErrorNumber(const struct cliCommand *command, const char *option,
		   const char *text, const char *expected)
{
	return cliUsage(command, CLI_TEXT_NUMBER, option, text, expected);
}

int cliErrorTime(const struct cliCommand *command, const char *option,
		 const char *text, const char *expected)
{
	return cliUsage(command, CLI_TEXT_TIME, option, text, expected);
}

int cliErrorDuration(const struct cliCommand *command, const char *option,
		     const char *text)
{
	return cliUsage(command, CLI_TEXT_DURATION, option, text);
}

int cliErrorValue(const struct cliCommand *command, const char *option,
		  const char *text, const char *expected)
{
	return cliUsage(command, CLI_TEXT_VALUE, option, text, expected);
}

int cliErrorExcludes(const struct cliCommand *command, const char *option,
		     const char *other)
{
	return cliUsage(command, CLI_TEXT_EXCLUDES, option, other);
}

int cliErrorNeeds(const struct cliCommand *command, const char *option,
		  const char *other)
{
	return cliUsage(command, CLI_TEXT_NEEDS, option, other);
}

bool cliErrorRoot(const char *tool, const char *root)
{
	bool isDirectory = !root || !*root;

	errno = ENOTDIR;
	if (!isDirectory && access(root, F_OK) == 0)
		isDirectory = g_file_test(root, G_FILE_TEST_IS_DIR);
	if (!isDirectory)
		cliErrorOpen(tool, root, errno);
	return !isDirectory;
}

const char *cliErrorReason(int error)
{
	return error ? g_strerror(abs(error)) : "unknown error";
}

const char *cliErrorObject(const char *path)
{
	return *path ? path : "\"\"";
}

void cliErrorOpen(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_OPEN, tool, cliErrorObject(path),
	       cliErrorReason(error));
}

void cliErrorRead(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_READ, tool, cliErrorObject(path),
	       cliErrorReason(error));
}

void cliErrorWrite(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_WRITE, tool, cliErrorObject(path),
	       cliErrorReason(error));
}

void cliErrorCreate(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_CREATE, tool, cliErrorObject(path),
	       cliErrorReason(error));
}

void cliErrorRemove(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_REMOVE, tool, cliErrorObject(path),
	       cliErrorReason(error));
}

void cliErrorRename(const char *tool, const char *path, int error)
{
	outSay(stderr, "%s: " CLI_TEXT_RENAME, tool, cliErrorObject(path),
	       cliErrorReason(error));
}
