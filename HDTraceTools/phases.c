/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file phases.c
 * Phases of a run: from a file of border times, or from the states of a trace.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"

void phasesInit(struct phases *phases)
{
	*phases = (struct phases){
		.names = g_ptr_array_new_with_free_func(g_free),
		.index = g_hash_table_new(g_str_hash, g_str_equal),
	};
}

void phasesFree(struct phases *phases)
{
	g_free(phases->list);
	g_hash_table_destroy(phases->index);
	g_ptr_array_free(phases->names, TRUE);
}

static size_t nameIndex(struct phases *phases, const char *name)
{
	size_t found =
		GPOINTER_TO_SIZE(g_hash_table_lookup(phases->index, name));
	char *copy;

	if (found)
		return found - 1;
	copy = g_strdup(name);
	g_ptr_array_add(phases->names, copy);
	g_hash_table_insert(phases->index, copy,
			    GSIZE_TO_POINTER(phases->names->len));
	return phases->names->len - 1;
}

void phasesAdd(struct phases *phases, int64_t start, int64_t end,
	       const char *name)
{
	if (phases->count == phases->size) {
		phases->size = phases->size ? 2 * phases->size : 64;
		phases->list =
			g_renew(struct phase, phases->list, phases->size);
	}
	phases->list[phases->count++] = (struct phase){
		.start = start,
		.end = end,
		.name = nameIndex(phases, name),
	};
}

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
	if (selectParseTime(line, projectStart, &border->time) < 0)
		return -1;
	border->isPhase = strcmp(name, "-") != 0;
	border->name = name;
	return 1;
}

static void endPhase(struct phases *phases, const struct border *border,
		     int64_t end)
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
			toolError(tool, "%s: line %ld: not a time: \"%s\"",
				  path, number, line);
			ret = -1;
		} else if (hasBorder && next.time <= last.time) {
			toolError(tool,
				  "%s: line %ld: not after the border "
				  "before",
				  path, number);
			ret = -1;
		} else {
			if (hasBorder)
				endPhase(phases, &last, next.time);
			g_free(last.name);
			last = next;
			last.name = g_strdup(next.name);
			hasBorder = true;
		}
	}
	if (ret == 0 && ferror(file)) {
		toolError(tool, "%s: %s", path, strerror(errno));
		ret = -1;
	} else if (ret == 0 && !hasBorder) {
		toolError(tool, "%s: no border time in it", path);
		ret = -1;
	} else if (ret == 0) {
		endPhase(phases, &last, INT64_MAX);
	}
	g_free(last.name);
	free(line);
	return ret;
}

int phasesRead(struct phases *phases, struct tool *tool, const char *path,
	       int64_t projectStart)
{
	bool isStdin = strcmp(path, "-") == 0;
	FILE *file = isStdin ? stdin : fopen(path, "re");
	int ret;

	if (!file) {
		toolError(tool, "%s: %s", path, strerror(errno));
		return -1;
	}
	ret = readBorders(phases, tool, path, file, projectStart);
	if (!isStdin)
		fclose(file);
	return ret;
}

/** What phasesTake() looks for. */
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
		toolUsage(tool, "--phases-from: not a depth: \"%s\"", parts[2]);
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

static int takeStates(struct phases *phases, struct tool *tool,
		      const hdIProject *project, const hdINode *node,
		      const struct wanted *wanted)
{
	hdITraceReader *reader = hdI_openTrace(project, node->trace);
	const hdIRecord *record;
	int64_t elsewhere = -1;

	if (!reader) {
		toolError(tool, "%s: %s", node->trace->file, strerror(errno));
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
				   "state %s starts before the one before it "
				   "ended; it is no phase",
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
			  "%s: no state matches \"%s\" at depth %u, but "
			  "some do at depth %" PRId64,
			  node->trace->file, wanted->state, wanted->depth,
			  elsewhere);
	else
		toolError(tool, "%s: no state matches \"%s\"",
			  node->trace->file, wanted->state);
	return -1;
}

int phasesTake(struct phases *phases, struct tool *tool,
	       const hdIProject *project, const char *spec)
{
	struct wanted wanted;
	const hdINode *node;
	int ret = -1;

	if (parseWanted(tool, spec, &wanted) < 0)
		return -1;
	node = hdI_findNode(project, wanted.node);
	if (!node)
		toolError(tool, "--phases-from: no node \"%s\"", wanted.node);
	else if (!node->trace)
		toolError(tool, "--phases-from: node \"%s\" has no trace",
			  wanted.node);
	else
		ret = takeStates(phases, tool, project, node, &wanted);
	g_free(wanted.node);
	g_free(wanted.state);
	return ret;
}

void phasesClip(struct phases *phases, int64_t start, int64_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < phases->count; i++) {
		struct phase phase = phases->list[i];

		phase.start = MAX(phase.start, start);
		phase.end = MIN(phase.end, end);
		if (phase.start < phase.end ||
		    (phase.start == phase.end && phase.start > start &&
		     phase.start == phases->list[i].end))
			phases->list[count++] = phase;
	}
	phases->count = count;
}
