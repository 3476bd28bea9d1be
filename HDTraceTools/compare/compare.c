/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace compare: the command.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/compare/core/compare.h"

/** What stands for "--" while options are parsed, which would drop it. */
static char separator[] = "\001--";

/** The default of --significance. */
#define COMPARE_LEVEL 0.01

static const struct toolHelp help = {
	.arguments = "PROJECT PROJECT | PROJECT... -- PROJECT...",
	.description =
		"Compare two projects, A and B: count, time, energy and power "
		"of the run and of each\nfunction, region, rank and node. With "
		"several runs on each side, A before \"--\" and B\nafter it, a "
		"rank test finds the significant differences.",
	.examples = "  hdtrace compare before after\n"
		    "  hdtrace compare a1 a2 a3 a4 a5 -- b1 b2 b3 b4 b5\n"
		    "  hdtrace compare --format=json before after\n",
	.missing = "a second PROJECT; compare takes two projects, or several "
		   "runs of each: A1 A2 ... -- B1 B2 ...",
	.minArguments = 2,
	.maxArguments = -1,
	.hasNumbers = true,
};

static void compareFreeRow(void *data)
{
	struct compareRow *row = data;

	g_free(row->name);
	g_free(row->costs);
	g_free(row);
}

static void compareClear(struct compare *self)
{
	for (size_t i = 0; self->runs && i < compareRuns(self); i++) {
		g_free(self->runs[i].name);
		g_free(self->runs[i].file);
		powerChoiceFree(self->runs[i].powers);
		savingFree(&self->runs[i].saving);
		if (self->runs[i].project)
			hdI_closeProject(self->runs[i].project);
	}
	g_free(self->runs);
	g_ptr_array_unref(self->rows);
	g_ptr_array_unref(self->named);
	g_ptr_array_unref(self->cannot);
	g_hash_table_destroy(self->places);
	g_free(self->power);
	g_free(self->ruleText);
	g_free(self->levelText);
}

/** Sort the arguments into two sets: -1, or the exit status. */
static int parseSets(struct compare *self, int argc, char **argv)
{
	int at = 0;
	int count = argc - 1;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], separator) != 0)
			continue;
		if (at > 0)
			return toolUsage(self->tool,
					 "unexpected argument: \"--\"; it may "
					 "be given once");
		at = i;
		count--;
	}
	if (at == 0 && count < 2)
		return toolMissing(self->tool, count ? "PROJECT to compare with"
						     : "PROJECT");
	if (at == 0 && count != 2)
		return toolUsage(self->tool, "more than two projects; put "
					     "\"--\" between the two sets");
	if (at == 1 || at == argc - 1)
		return toolUsage(self->tool,
				 "missing argument: PROJECT %s \"--\"",
				 at == 1 ? "before" : "after");
	self->counts[COMPARE_A] = at ? (size_t)at - 1 : 1;
	self->counts[COMPARE_B] = (size_t)count - self->counts[COMPARE_A];
	self->runs = g_new0(struct compareRun, (size_t)count);
	for (int i = 1, k = 0; i < argc; i++) {
		if (i != at)
			self->runs[k++].path = argv[i];
	}
	return -1;
}

static int parseLevel(struct compare *self)
{
	char *end;

	self->level = COMPARE_LEVEL;
	if (!self->levelText)
		return -1;
	self->level = g_ascii_strtod(self->levelText, &end);
	if (end == self->levelText || *end ||
	    !(self->level > 0 && self->level < 1))
		return toolInvalidNumber(self->tool, "significance",
					 self->levelText,
					 "a number between 0 and 1");
	return -1;
}

static void comparePrintAll(const struct compare *self)
{
	switch (self->tool->format) {
	case OUT_TEXT:
		comparePrintText(self);
		break;
	case OUT_CSV:
		comparePrintCsv(self);
		break;
	case OUT_JSON:
		comparePrintJson(self);
		break;
	}
}

static int compareAll(struct compare *self)
{
	int status;

	while (self->read < compareRuns(self)) {
		if (!compareRead(self))
			return toolFinish(self->tool);
	}
	compareFind(self);
	comparePrintAll(self);
	status = toolFinish(self->tool);
	return status == TOOL_OK && self->fails && self->named->len ? TOOL_FOUND
								    : status;
}

int compareRun(struct tool *tool, int argc, char **argv)
{
	struct compare self = {
		.tool = tool,
		.rows = g_ptr_array_new_with_free_func(compareFreeRow),
		.places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						NULL),
		.named = g_ptr_array_new(),
		.cannot = g_ptr_array_new_with_free_func(g_free),
		.top = 10,
	};
	const GOptionEntry entries[] = {
		{ "significance", 0, 0, G_OPTION_ARG_STRING, &self.levelText,
		  "Significance level: accepted rate of false positives "
		  "(default: 0.01)",
		  "P" },
		{ "power", 0, 0, G_OPTION_ARG_FILENAME, &self.power,
		  "Values from which to compute the energy of a node",
		  "PATTERN" },
		ATTRIBUTION_ENTRY(&self.ruleText),
		DELAY_ENTRY(&self.isAsRecorded),
		{ "top", 0, 0, G_OPTION_ARG_INT, &self.top,
		  "Number of rows to list in each table (default: 10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &self.isAll,
		  "List all rows", NULL },
		POWERS_ENTRY('v', &self.isVerbose),
		{ "fail", 0, 0, G_OPTION_ARG_NONE, &self.fails,
		  "Exit with 3 if a difference is significant", NULL },
		{ NULL },
	};
	int status;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			argv[i] = separator;
	}
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0 && self.top < 0)
		status = toolInvalidInt(tool, "top", self.top, "0 or more");
	if (status < 0)
		status = parseLevel(&self);
	if (status < 0)
		status =
			attributionOptionParse(self.ruleText, tool, &self.rule);
	if (status < 0)
		status = parseSets(&self, argc, argv);
	if (status < 0)
		status = compareAll(&self);
	compareClear(&self);
	return status;
}
