/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors in cli/errors.h, as messages of hdtrace.
 */
#include "config.h"

#include "HDTraceTools/command/errors.h"
#include "cli/errors.h"

int toolMissing(struct tool *tool, const char *argument)
{
	return toolUsage(tool, CLI_TEXT_MISSING, argument);
}

int toolMissingOption(struct tool *tool, const char *option)
{
	return toolUsage(tool, CLI_TEXT_MISSING_OPTION, option);
}

int toolUnexpected(struct tool *tool, const char *text)
{
	return toolUsage(tool, CLI_TEXT_UNEXPECTED, text);
}

int toolInvalidNumber(struct tool *tool, const char *option, const char *text,
		      const char *expected)
{
	return toolUsage(tool, CLI_TEXT_NUMBER, option, text, expected);
}

int toolInvalidInt(struct tool *tool, const char *option, int number,
		   const char *expected)
{
	char text[16];

	g_snprintf(text, sizeof(text), "%d", number);
	return toolInvalidNumber(tool, option, text, expected);
}

int toolInvalidTime(struct tool *tool, const char *option, const char *text,
		    const char *expected)
{
	return toolUsage(tool, CLI_TEXT_TIME, option, text, expected);
}

int toolInvalidDuration(struct tool *tool, const char *option, const char *text)
{
	return toolUsage(tool, CLI_TEXT_DURATION, option, text);
}

int toolInvalidValue(struct tool *tool, const char *option, const char *text,
		     const char *expected)
{
	return toolUsage(tool, CLI_TEXT_VALUE, option, text, expected);
}

int toolExcludes(struct tool *tool, const char *option, const char *other)
{
	return toolUsage(tool, CLI_TEXT_EXCLUDES, option, other);
}

int toolNeeds(struct tool *tool, const char *option, const char *other)
{
	return toolUsage(tool, CLI_TEXT_NEEDS, option, other);
}

void toolErrorOpen(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_OPEN, cliErrorObject(path),
		  cliErrorReason(error));
}

void toolErrorRead(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_READ, cliErrorObject(path),
		  cliErrorReason(error));
}

void toolErrorWrite(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_WRITE, cliErrorObject(path),
		  cliErrorReason(error));
}

void toolErrorExists(struct tool *tool, const char *path)
{
	toolError(tool, CLI_TEXT_EXISTS, path);
}

void toolErrorCreate(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_CREATE, cliErrorObject(path),
		  cliErrorReason(error));
}

void toolErrorRemove(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_REMOVE, cliErrorObject(path),
		  cliErrorReason(error));
}

void toolErrorRename(struct tool *tool, const char *path, int error)
{
	toolError(tool, CLI_TEXT_RENAME, cliErrorObject(path),
		  cliErrorReason(error));
}
