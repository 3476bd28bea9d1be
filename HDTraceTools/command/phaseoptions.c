/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From options to phases: from a file of border times, or from the states of a
 * trace.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/phaseoptions.h"

/* ---- Border times in a file -------------------------------------------- */

/** A border between phases. */
struct border {
	int64_t time;
	bool isPhase; /**< Whether a phase starts here. */
	char *name;   /**< Part of the line. */
};

/** Parse a line; 1: it is a border, 0: it is blank, -1: it is neither. */
static int parseBorder(char *line, int64_t projectStart, struct border *border)
{
	char *name;

	line[strcspn(line, "#\r\n")] = '\0';
	g_strstrip(line);
	if (!*line)
		return 0;
	name = line + strcspn(line, " \t");
	if (*name)
		*name++ = '\0';
	name = g_strchug(name);
	if (selectionParseTime(line, projectStart, &border->time) < 0)
		return -1;
	border->isPhase = strcmp(name, "-") != 0;
	border->name = name;
	return 1;
}

static void phaseOptionsEndPhase(struct phases *phases,
				 const struct border *border, int64_t end)
{
	char number[32];

	if (!border->isPhase)
		return;
	snprintf(number, sizeof(number), "%zu", phases->count + 1);
	phasesAdd(phases, border->time, end,
		  *border->name ? border->name : number);
}

static int readBorders(struct phases *phases, struct tool *tool,
		       const char *path, FILE *file, int64_t projectStart)
{
	struct border last = { .name = NULL };
	struct border next;
	bool hasBorder = false;
	char *line = NULL;
	size_t size = 0;
	long number = 0;
	int ret = 0;

	while (ret == 0 && getline(&line, &size, file) >= 0) {
		int kind = parseBorder(line, projectStart, &next);

		number++;
		if (kind == 0)
			continue;
		if (kind < 0) {
			toolError(tool, "%s: line %ld: invalid time \"%s\"",
				  path, number, line);
			ret = -1;
		} else if (hasBorder && next.time <= last.time) {
			toolError(tool,
				  "%s: line %ld: not after the previous border",
				  path, number);
			ret = -1;
		} else {
			if (hasBorder)
				phaseOptionsEndPhase(phases, &last, next.time);
			g_free(last.name);
			last = next;
			last.name = g_strdup(next.name);
			hasBorder = true;
		}
	}
	if (ret == 0 && ferror(file)) {
		toolErrorRead(tool, path, errno);
		ret = -1;
	} else if (ret == 0 && !hasBorder) {
		toolError(tool, "%s: contains no border time", path);
		ret = -1;
	} else if (ret == 0) {
		phaseOptionsEndPhase(phases, &last, INT64_MAX);
	}
	g_free(last.name);
	free(line);
	return ret;
}

static int phaseOptionsReadFile(struct phases *phases, struct tool *tool,
				const char *path, int64_t projectStart)
{
	bool isStdin = strcmp(path, "-") == 0;
	FILE *file = isStdin ? stdin : fopen(path, "re");
	int ret;

	if (!file) {
		toolErrorOpen(tool, path, errno);
		return -1;
	}
	ret = readBorders(phases, tool, path, file, projectStart);
	if (!isStdin)
		fclose(file);
	return ret;
}

/** What "NODE[:STATE[:DEPTH]]" says: path of the node, pattern for the names of
 *  states (all), number of states they lie in (0). */
struct wanted {
	char *node;
	char *state;
	unsigned int depth;
};

static int parseWanted(struct tool *tool, const char *spec,
		       struct wanted *wanted)
{
	char **parts = g_strsplit(spec, ":", 3);
	size_t count = g_strv_length(parts);
	guint64 depth = 0;
	int ret = 0;

	if (count > 2 && !g_ascii_string_to_unsigned(
				 parts[2], 10, 0, UINT32_MAX, &depth, NULL)) {
		toolUsage(tool, "--phases-from: invalid nesting \"%s\"",
			  parts[2]);
		ret = -1;
	} else {
		wanted->node = g_strdup(count ? parts[0] : "");
		wanted->state =
			g_strdup(count > 1 && *parts[1] ? parts[1] : "*");
		wanted->depth = (unsigned int)depth;
	}
	g_strfreev(parts);
	return ret;
}

static int phaseOptionsReadStates(struct phases *phases, struct tool *tool,
				  const hdIProject *project,
				  const hdINode *node,
				  const struct wanted *wanted)
{
	hdITraceReader *reader = hdI_openTrace(project, node->trace);
	const hdIRecord *record;
	int64_t elsewhere = -1;

	if (!reader) {
		toolErrorOpen(tool, node->trace->file, errno);
		return -1;
	}
	while (hdI_readTrace(reader, &record) == 1) {
		if (record->kind != HDI_STATE ||
		    fnmatch(wanted->state, record->name, 0) != 0)
			continue;
		if (record->depth != wanted->depth) {
			elsewhere = record->depth;
			continue;
		}
		if (phases->count &&
		    record->start < phases->list[phases->count - 1].end) {
			toolReport(tool, "trace.overlap", node->trace->file,
				   record->offset, 0,
				   "state %s starts before the previous one "
				   "ended; it is not used as a phase",
				   record->name);
			continue;
		}
		phasesAdd(phases, record->start, record->end, record->name);
	}
	hdI_closeTrace(reader);
	if (phases->count)
		return 0;
	if (elsewhere >= 0)
		toolError(tool,
			  "%s: no state matches \"%s\" at nesting %u; there "
			  "are some at nesting %" PRId64,
			  node->trace->file, wanted->state, wanted->depth,
			  elsewhere);
	else
		toolError(tool, "%s: no state matches \"%s\"",
			  node->trace->file, wanted->state);
	return -1;
}

static int phaseOptionsReadTrace(struct phases *phases, struct tool *tool,
				 const hdIProject *project, const char *spec)
{
	struct wanted wanted;
	const hdINode *node;
	int ret = -1;

	if (parseWanted(tool, spec, &wanted) < 0)
		return -1;
	node = hdI_findNode(project, wanted.node);
	if (!node)
		toolError(tool, "--phases-from: unknown node \"%s\"",
			  wanted.node);
	else if (!node->trace)
		toolError(tool, "--phases-from: node \"%s\" has no trace",
			  wanted.node);
	else
		ret = phaseOptionsReadStates(phases, tool, project, node,
					     &wanted);
	g_free(wanted.node);
	g_free(wanted.state);
	return ret;
}

/* ---- The options ------------------------------------------------------- */

void phaseOptionsFree(struct phaseOptions *options)
{
	g_free(options->file);
	g_free(options->from);
}

bool phaseOptionsAre(const struct phaseOptions *options)
{
	return options->file || options->from;
}

int phaseOptionsCheck(const struct phaseOptions *options, struct tool *tool)
{
	if (options->file && options->from)
		return toolExcludes(tool, "phases", "phases-from");
	if (options->isByName && !phaseOptionsAre(options))
		return toolUsage(tool, "--by-name: requires --phases or "
				       "--phases-from");
	return -1;
}

int phaseOptionsFind(const struct phaseOptions *options, struct tool *tool,
		     const hdIProject *project, int64_t projectStart,
		     struct phases *phases)
{
	if (options->file)
		return phaseOptionsReadFile(phases, tool, options->file,
					    projectStart);
	if (options->from)
		return phaseOptionsReadTrace(phases, tool, project,
					     options->from);
	return 0;
}
