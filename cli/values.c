/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values of options: numbers in a range, and durations with a unit.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/errors.h"
#include "cli/parser.h"
#include "common/duration.h"

/** An option, what the user wrote, and what is valid. */
struct value {
	const struct cliCommand *command;
	const GOptionEntry *entry;
	const char *text;
	struct cliNumber range;
};

static bool valueIsInteger(const GOptionEntry *entry)
{
	return entry->arg == G_OPTION_ARG_INT ||
	       entry->arg == G_OPTION_ARG_INT64;
}

static const struct cliNumber *valueFind(const struct cliCommand *command,
					 const char *option)
{
	for (const struct cliNumber *n = command->numbers; n && n->option;
	     n++) {
		if (strcmp(n->option, option) == 0)
			return n;
	}
	return NULL;
}

static bool valueIsInRange(const struct value *value, double number)
{
	return number >= value->range.least && number <= value->range.most;
}

/* ---- Messages ---------------------------------------------------------- */

/** Describe the range: "0 to 65535", "1 ms or more". */
static char *valueRange(const struct value *value)
{
	const struct cliNumber *range = &value->range;
	const char *blank = range->unit ? " " : "";
	const char *unit = range->unit ? range->unit : "";
	bool isAbove = range->least == CLI_ABOVE_ZERO;
	double least = isAbove ? 0 : range->least;

	if (isinf(range->least) && isinf(range->most))
		return g_strdup(valueIsInteger(value->entry) ? "an integer"
							     : "a number");
	if (isinf(range->least))
		return g_strdup_printf("at most %.15g%s%s", range->most, blank,
				       unit);
	if (isinf(range->most))
		return g_strdup_printf(isAbove ? "more than %.15g%s%s"
					       : "%.15g%s%s or more",
				       least, blank, unit);
	return g_strdup_printf(isAbove ? "more than %.15g, up to %.15g%s%s"
				       : "%.15g to %.15g%s%s",
			       least, range->most, blank, unit);
}

static int valueWrong(const struct value *value)
{
	char *range = valueRange(value);
	int status;

	status = value->range.unit
			 ? cliUsage(value->command, CLI_TEXT_DURATION_RANGE,
				    value->entry->long_name, value->text, range)
			 : cliErrorNumber(value->command,
					  value->entry->long_name, value->text,
					  range);
	g_free(range);
	return status;
}

/* ---- Numbers ----------------------------------------------------------- */

/** Parse a number as GLib does; false: it is not one. */
static bool valueParse(const struct value *value, double *number)
{
	char *end;

	errno = 0;
	*number = valueIsInteger(value->entry)
			  ? (double)g_ascii_strtoll(value->text, &end, 0)
			  : g_strtod(value->text, &end);
	return end != value->text && !*end && !isnan(*number) &&
	       errno != ERANGE;
}

static int valueNumber(struct value *value)
{
	double number;
	bool isNumber = valueParse(value, &number);

	/* Integers of the command itself have a range, too. */
	if (value->entry->arg == G_OPTION_ARG_INT &&
	    (!isNumber || number > G_MAXINT || number < G_MININT)) {
		if (isNumber || errno == ERANGE)
			value->range.most = fmin(value->range.most, G_MAXINT);
		isNumber = false;
	}
	if (!isNumber || !valueIsInRange(value, number))
		return valueWrong(value);
	return -1;
}

/* ---- Durations --------------------------------------------------------- */

/** Write ns in a unit, exactly. */
static char *valueInUnit(int64_t ns, int64_t unit)
{
	char digits[32];
	int decimals = 0;

	for (int64_t u = unit; u > 1; u /= 10)
		decimals++;
	g_snprintf(digits, sizeof(digits), "%0*" G_GINT64_FORMAT, decimals,
		   ABS(ns % unit));
	while (decimals > 0 && digits[decimals - 1] == '0')
		decimals--;
	digits[decimals] = '\0';
	return g_strdup_printf("%s%" G_GINT64_FORMAT "%s%s", ns < 0 ? "-" : "",
			       ABS(ns / unit), decimals > 0 ? "." : "",
			       decimals > 0 ? digits : "");
}

/** Remind of the unit where a user may think of seconds. */
static void valueHint(const struct value *value)
{
	const char *unit = value->range.unit;

	if (strcmp(unit, "s") != 0 &&
	    strcmp(value->entry->long_name, "interval") == 0)
		fprintf(stderr,
			"%s: --interval: %s is taken as %s %s; write "
			"%s%s\n",
			value->command->name, value->text, value->text, unit,
			value->text, unit);
}

static int valueDuration(struct value *value, const char **out)
{
	int64_t unit = hdDurationUnit(value->range.unit);
	int64_t ns;
	bool hasUnit;
	int ret = hdDurationParse(value->text, unit, &ns, &hasUnit);
	double number;

	if (ret == 0 && hasUnit) {
		if (!valueIsInRange(value, (double)ns / (double)unit))
			return valueWrong(value);
		if (valueIsInteger(value->entry) && ns % unit != 0)
			return cliUsage(value->command, CLI_TEXT_DURATION_RANGE,
					value->entry->long_name, value->text,
					"a multiple of 1 ms");
		*out = parserKeep(valueInUnit(ns, unit));
		return -1;
	}
	if (!valueParse(value, &number))
		return cliErrorDuration(value->command, value->entry->long_name,
					value->text);
	ret = valueNumber(value);
	if (ret < 0)
		valueHint(value);
	return ret;
}

int parserValue(const struct parser *parser, const GOptionEntry *entry,
		const char *text, const char **out)
{
	const struct cliNumber *number =
		valueFind(parser->command, entry->long_name);
	struct value value = {
		.command = parser->command,
		.entry = entry,
		.text = text,
		.range = { .least = -INFINITY, .most = INFINITY },
	};

	*out = text;
	if (number)
		value.range = *number;
	else if (!valueIsInteger(entry) && entry->arg != G_OPTION_ARG_DOUBLE)
		return -1;
	return value.range.unit ? valueDuration(&value, out)
				: valueNumber(&value);
}
