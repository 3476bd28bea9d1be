/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The catalogue of errors in cli/errors.h, as messages of hdpredict.
 */
#include "config.h"

#include "PredictionLibrary/command/errors.h"
#include "cli/errors.h"

int predictMissing(const struct predict *predict, const char *argument)
{
	return predictUsage(predict, CLI_TEXT_MISSING, argument);
}

int predictMissingOption(const struct predict *predict, const char *option)
{
	return predictUsage(predict, CLI_TEXT_MISSING_OPTION, option);
}

int predictUnexpected(const struct predict *predict, const char *text)
{
	return predictUsage(predict, CLI_TEXT_UNEXPECTED, text);
}

int predictInvalidNumber(const struct predict *predict, const char *option,
			 const char *text, const char *expected)
{
	return predictUsage(predict, CLI_TEXT_NUMBER, option, text, expected);
}

int predictOutOfRange(const struct predict *predict, const char *option,
		      double number, const char *expected)
{
	char text[32];

	g_snprintf(text, sizeof(text), "%.10g", number);
	return predictInvalidNumber(predict, option, text, expected);
}

int predictInvalidTime(const struct predict *predict, const char *option,
		       const char *text, const char *expected)
{
	return predictUsage(predict, CLI_TEXT_TIME, option, text, expected);
}

int predictInvalidDuration(const struct predict *predict, const char *option,
			   const char *text)
{
	return predictUsage(predict, CLI_TEXT_DURATION, option, text);
}

int predictInvalidValue(const struct predict *predict, const char *option,
			const char *text, const char *expected)
{
	return predictUsage(predict, CLI_TEXT_VALUE, option, text, expected);
}

int predictExcludes(const struct predict *predict, const char *option,
		    const char *other)
{
	return predictUsage(predict, CLI_TEXT_EXCLUDES, option, other);
}

int predictNeeds(const struct predict *predict, const char *option,
		 const char *other)
{
	return predictUsage(predict, CLI_TEXT_NEEDS, option, other);
}

int predictErrorOpen(const struct predict *predict, const char *path, int error)
{
	return predictError(predict, CLI_TEXT_OPEN, cliErrorObject(path),
			    cliErrorReason(error));
}

int predictErrorRead(const struct predict *predict, const char *path, int error)
{
	return predictError(predict, CLI_TEXT_READ, cliErrorObject(path),
			    cliErrorReason(error));
}

int predictErrorWrite(const struct predict *predict, const char *path,
		      int error)
{
	return predictError(predict, CLI_TEXT_WRITE, cliErrorObject(path),
			    cliErrorReason(error));
}

int predictErrorCreate(const struct predict *predict, const char *path,
		       int error)
{
	return predictError(predict, CLI_TEXT_CREATE, cliErrorObject(path),
			    cliErrorReason(error));
}

int predictErrorRemove(const struct predict *predict, const char *path,
		       int error)
{
	return predictError(predict, CLI_TEXT_REMOVE, cliErrorObject(path),
			    cliErrorReason(error));
}

int predictErrorRename(const struct predict *predict, const char *path,
		       int error)
{
	return predictError(predict, CLI_TEXT_RENAME, cliErrorObject(path),
			    cliErrorReason(error));
}
