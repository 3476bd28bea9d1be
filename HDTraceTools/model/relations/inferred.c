/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What probably caused relations that nothing is known to have caused.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/relations/inferred.h"

/** The line Process lies in so many first bytes. */
#define PROCESS_WITHIN 1024

/** A thread that has a trace. */
struct process {
	const hdITraceFile *trace;
	GArray *asked; /**< guint: of the causes, those that it may be. */
};

struct inferredAskers {
	GHashTable *processes; /**< "HOST PID" to struct process. */
};

struct inferred {
	struct forest *forest;
	GArray *causes;                /**< struct inferredCause */
	struct inferredAskers *askers; /**< Or NULL. */
	GHashTable *places; /**< Number of a relation to its place + 1. */
	GStringChunk *names;
};

static void freeProcess(gpointer data)
{
	struct process *process = data;

	g_array_unref(process->asked);
	g_free(process);
}

struct inferred *inferredNew(struct forest *forest)
{
	struct inferred *self = g_new0(struct inferred, 1);

	self->forest = forest;
	self->causes = g_array_new(FALSE, FALSE, sizeof(struct inferredCause));
	self->places = g_hash_table_new(NULL, NULL);
	self->names = g_string_chunk_new(256);
	return self;
}

void inferredFree(struct inferred *self)
{
	if (!self)
		return;
	g_array_unref(self->causes);
	inferredAskersFree(self->askers);
	g_hash_table_destroy(self->places);
	g_string_chunk_free(self->names);
	g_free(self);
}

static const char *inferredHostOf(const hdINode *node)
{
	while (node->parent && node->parent->parent)
		node = node->parent;
	return node->label;
}

static struct inferredCause *causeAt(struct inferred *self, guint i)
{
	return &g_array_index(self->causes, struct inferredCause, i);
}

/* ---- Processes --------------------------------------------------------- */

/** The number of a line "Process id=NUMBER ..."; NULL if a text has none. */
static char *processOf(const char *text)
{
	const char *line = g_str_has_prefix(text, "Process id=")
				   ? text
				   : strstr(text, "\nProcess id=");
	size_t length;

	if (!line)
		return NULL;
	line = strchr(line, '=') + 1;
	length = strspn(line, "0123456789");
	/* More follows, or the number may be cut off. */
	return length > 0 && line[length] ? g_strndup(line, length) : NULL;
}

/** The number of the process of a trace; NULL if it is not known. */
static char *readProcess(const hdITraceFile *trace)
{
	hdIFile *file = trace->infoFile
				? hdI_openFile(trace->infoFile, NULL, NULL)
				: NULL;
	char *text, *number;
	ssize_t length;

	if (!file)
		return NULL;
	text = g_malloc(PROCESS_WITHIN + 1);
	length = hdI_readFile(file, 0, text, PROCESS_WITHIN);
	hdI_closeFile(file);
	text[MAX(length, 0)] = '\0';
	number = processOf(text);
	g_free(text);
	return number;
}

static void addProcess(struct inferredAskers *self, const hdITraceFile *trace)
{
	char *number = readProcess(trace);
	struct process *process;

	if (!number)
		return;
	process = g_new0(struct process, 1);
	process->trace = trace;
	process->asked = g_array_new(FALSE, FALSE, sizeof(guint));
	g_hash_table_insert(
		self->processes,
		g_strdup_printf("%s %s", inferredHostOf(trace->node), number),
		process);
	g_free(number);
}

struct inferredAskers *inferredAskersNew(const hdIProject *project)
{
	struct inferredAskers *self = g_new0(struct inferredAskers, 1);

	self->processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						freeProcess);
	for (size_t i = 0; i < project->traceCount; i++)
		addProcess(self, project->traces[i]);
	if (g_hash_table_size(self->processes) > 0)
		return self;
	inferredAskersFree(self);
	return NULL;
}

void inferredAskersFree(struct inferredAskers *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->processes);
	g_free(self);
}

/* ---- Who asked --------------------------------------------------------- */

static const char *pidOf(const hdIRelationState *states, size_t count)
{
	if (count == 0)
		return NULL;
	for (size_t i = 0; i < states[0].attributeCount; i++) {
		const hdIAttribute *attribute = &states[0].attributes[i];

		if (strcmp(attribute->name, "pid") == 0)
			return attribute->value;
	}
	return NULL;
}

/** Who has asked for a relation; NULL if it is none of them. */
static struct process *findAsker(const struct inferredAskers *self,
				 const hdINode *node,
				 const hdIRelationState *states, size_t count)
{
	const char *pid = self ? pidOf(states, count) : NULL;
	struct process *process;
	char *key;

	if (!pid)
		return NULL;
	key = g_strdup_printf("%s %s", inferredHostOf(node), pid);
	process = g_hash_table_lookup(self->processes, key);
	g_free(key);
	return process;
}

bool inferredAskersHave(const struct inferredAskers *self, const hdINode *node,
			const hdIRelationState *states, size_t count)
{
	return findAsker(self, node, states, count);
}

static int inferredAddRelation(struct inferred *self, uint32_t number)
{
	struct inferredCause cause = { .number = number };
	struct forestRelation relation;
	struct process *process;
	int ret = forestGet(self->forest, number, &relation);

	if (ret < 0 || relation.parent || relation.span)
		return ret;
	process = findAsker(self->askers, relation.file->file->node,
			    relation.states, relation.stateCount);
	if (!process)
		return 0;
	cause.trace = process->trace;
	cause.at = relation.start;
	g_array_append_val(process->asked, self->causes->len);
	g_array_append_val(self->causes, cause);
	return 0;
}

/* ---- What it did ------------------------------------------------------- */

static gint inferredCompareTimes(gconstpointer left, gconstpointer right,
				 gpointer data)
{
	const guint *a = left, *b = right;
	int64_t x = causeAt(data, *a)->at, y = causeAt(data, *b)->at;

	return (x > y) - (x < y);
}

/** The first of those that asked not before a time. */
static guint findFirst(struct inferred *self, const GArray *asked, int64_t time)
{
	guint low = 0, high = asked->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (causeAt(self, g_array_index(asked, guint, middle))->at <
		    time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** States come as they end: the first that one lies in is the innermost. */
static void inferredAddState(struct inferred *self, const GArray *asked,
			     const hdIRecord *record)
{
	for (guint i = findFirst(self, asked, record->start); i < asked->len;
	     i++) {
		struct inferredCause *cause =
			causeAt(self, g_array_index(asked, guint, i));

		if (cause->at >= record->end)
			return;
		if (cause->name)
			continue;
		cause->name =
			g_string_chunk_insert_const(self->names, record->name);
		cause->start = record->start;
		cause->end = record->end;
	}
}

static void inferredReadTrace(struct inferred *self,
			      const struct process *process)
{
	hdITraceReader *reader;
	const hdIRecord *record;

	if (process->asked->len == 0)
		return;
	g_array_sort_with_data(process->asked, inferredCompareTimes, self);
	reader = diagnosticsOpenTrace(forestProject(self->forest),
				      process->trace, &diagnosticsDropped);
	while (reader && hdI_readTrace(reader, &record) == 1) {
		if (record->kind == HDI_STATE)
			inferredAddState(self, process->asked, record);
	}
	hdI_closeTrace(reader);
}

int inferredFind(struct inferred *self)
{
	const hdIProject *project = forestProject(self->forest);
	GHashTableIter iterator;
	gpointer process;
	int ret = 0;

	self->askers = inferredAskersNew(project);
	if (!self->askers)
		return 0;
	for (uint32_t i = 0; i < forestCount(self->forest) && ret == 0; i++) {
		if (forestParent(self->forest, i) == FOREST_NONE)
			ret = inferredAddRelation(self, i);
	}
	g_hash_table_iter_init(&iterator, self->askers->processes);
	while (ret == 0 && g_hash_table_iter_next(&iterator, NULL, &process))
		inferredReadTrace(self, process);
	for (guint i = 0; i < self->causes->len; i++)
		g_hash_table_insert(self->places,
				    GUINT_TO_POINTER(causeAt(self, i)->number),
				    GUINT_TO_POINTER(i + 1));
	return ret;
}

uint64_t inferredCount(const struct inferred *self)
{
	return self->causes->len;
}

const struct inferredCause *inferredOf(const struct inferred *self,
				       uint32_t number)
{
	guint place = GPOINTER_TO_UINT(
		g_hash_table_lookup(self->places, GUINT_TO_POINTER(number)));

	return place > 0 ? &g_array_index(self->causes, struct inferredCause,
					  place - 1)
			 : NULL;
}
