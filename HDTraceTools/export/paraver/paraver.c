/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: a .prv file with its .pcf and .row.
 *
 * Application 1 has a task for each rank and a thread for each trace;
 * application 2 has a task for each node with statistics. Records must be in
 * the order of time, so all files of the project are read at once.
 *
 * A state is a state record for the time in which it is the innermost one, and
 * an event where it starts and, with the value 0, ends; each depth has its own
 * type of events. A value is an event at the start of the interval of its
 * entry. Paraver knows integers only: floating point values are in thousandths.
 */
#include "config.h"

#include "HDTraceTools/export/paraver/paraver.h"

/* ---- Names and numbers ------------------------------------------------- */

size_t paraverNumber(GHashTable *table, GPtrArray *list, const char *name)
{
	gpointer found = g_hash_table_lookup(table, name);
	char *copy;

	if (found)
		return GPOINTER_TO_SIZE(found);
	copy = g_strdup(name);
	g_ptr_array_add(list, copy);
	g_hash_table_insert(table, copy, GSIZE_TO_POINTER(list->len));
	return list->len;
}

unsigned int paraverPlace(GPtrArray *list, const hdINode *node)
{
	guint at;

	if (!g_ptr_array_find(list, node, &at)) {
		at = list->len;
		g_ptr_array_add(list, (gpointer)node);
	}
	return at + 1;
}

static const hdINode *paraverRankOf(const hdIProject *project,
				    const hdINode *node)
{
	int level = rolesRankLevel(project);

	return level ? rolesAt(node, level) : node;
}

/* ---- All files at once ------------------------------------------------- */

static void siftDown(GPtrArray *heap, guint at)
{
	for (;;) {
		guint child = 2 * at + 1;
		const struct paraverStream *one;
		gpointer swap;

		if (child >= heap->len)
			return;
		one = heap->pdata[child];
		if (child + 1 < heap->len) {
			const struct paraverStream *other =
				heap->pdata[child + 1];

			if (other->time < one->time) {
				one = other;
				child++;
			}
		}
		if (((const struct paraverStream *)heap->pdata[at])->time <=
		    one->time)
			return;
		swap = heap->pdata[at];
		heap->pdata[at] = heap->pdata[child];
		heap->pdata[child] = swap;
		at = child;
	}
}

static void writeRecords(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++) {
		struct paraverStream *stream =
			&g_array_index(self->streams, struct paraverStream, i);

		if (stream->hasStep)
			g_ptr_array_add(self->heap, stream);
	}
	for (guint i = self->heap->len; i > 0; i--)
		siftDown(self->heap, i - 1);
	while (self->heap->len && !self->hasFailed && !ferror(self->file)) {
		struct paraverStream *stream = self->heap->pdata[0];

		paraverWriteMessages(self, stream->time);
		if (stream->trace)
			paraverWriteSteps(self, stream);
		else
			paraverWriteEntry(self, stream);
		if (!stream->hasStep) {
			self->heap->pdata[0] =
				self->heap->pdata[self->heap->len - 1];
			g_ptr_array_set_size(self->heap,
					     (gint)self->heap->len - 1);
		}
		if (self->heap->len)
			siftDown(self->heap, 0);
	}
	paraverWriteMessages(self, INT64_MAX);
}

static void openTrace(struct paraver *self, const hdITraceFile *trace)
{
	const hdINode *rank = paraverRankOf(self->export->project, trace->node);
	struct paraverStream stream = { .trace = trace,
					.appl = 1,
					.thread = 1 };

	stream.ordered = exportOpenTrace(self->export, trace);
	if (!stream.ordered)
		return;
	paraverPlace(self->hosts, paraverHost(trace->node));
	stream.task = paraverPlace(self->ranks, rank);
	for (guint i = 0; i < self->streams->len; i++)
		stream.thread +=
			g_array_index(self->streams, struct paraverStream, i)
				.task == stream.task;
	paraverSetPlace(&stream);
	stream.stack = g_array_new(FALSE, FALSE, sizeof(size_t));
	stream.text = g_string_new(NULL);
	paraverTakeStep(self, &stream);
	stream.time = stream.step.time;
	if (stream.hasStep)
		self->start = MIN(self->start, stream.time);
	g_array_append_val(self->streams, stream);
}

static unsigned int paraverTypeOf(struct paraver *self, const hdIValue *value,
				  const hdIGroup *group)
{
	bool isFloat = value->type == HDI_FLOAT || value->type == HDI_DOUBLE;
	char *label;
	size_t number;

	if (value->type == HDI_STRING) {
		exportLose(self->export, "values of the type STRING", 1);
		return 0;
	}
	label = g_strdup_printf("%s %s%s%s%s", group->name, value->name,
				*value->unit || isFloat ? " in " : "",
				isFloat ? "0.001 " : "", value->unit);
	number = paraverNumber(self->values, self->valueList, label);
	g_free(label);
	exportLoseValue(self->export, value);
	return (unsigned int)(PARAVER_VALUE + number - 1);
}

static void paraverOpenGroup(struct paraver *self,
			     const struct exportGroup *group, unsigned int appl)
{
	struct paraverStream stream = { .group = group,
					.appl = appl,
					.thread = 1 };

	stream.reader = exportOpenStat(self->export, group);
	if (!stream.reader)
		return;
	paraverPlace(self->hosts, paraverHost(group->group->node));
	stream.task = paraverPlace(self->nodes, group->group->node);
	paraverSetPlace(&stream);
	stream.types = g_new0(unsigned int, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++)
		stream.types[i] =
			paraverTypeOf(self, group->values[i], group->group);
	paraverTakeEntry(&stream);
	if (stream.hasStep) {
		stream.time = stream.entries.block->start[stream.entry];
		self->start = MIN(self->start, stream.time);
	}
	g_array_append_val(self->streams, stream);
}

static void paraverOpenAll(struct paraver *self)
{
	const struct export *export = self->export;
	unsigned int appl;

	/* There is a file and maybe a temporary one for each stream. */
	exportAllowFiles();
	for (guint i = 0; i < export->traces->len; i++)
		openTrace(self, export->traces->pdata[i]);
	appl = self->ranks->len ? 2 : 1;
	for (guint i = 0; i < export->groups->len; i++)
		paraverOpenGroup(self, export->groups->pdata[i], appl);
	if (self->start == INT64_MAX)
		self->start = 0;
	self->end = self->start;
}

static void closeAll(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++) {
		struct paraverStream *stream =
			&g_array_index(self->streams, struct paraverStream, i);

		orderedClose(stream->ordered);
		exportCloseStat(stream->reader);
		if (stream->stack)
			g_array_unref(stream->stack);
		if (stream->text)
			g_string_free(stream->text, TRUE);
		g_free(stream->types);
		g_free(stream->line);
	}
}

/* ---- The files --------------------------------------------------------- */

static int paraverWriteTrace(struct paraver *self, const char *base)
{
	char *name = g_strconcat(base, ".prv", NULL);
	struct newFile file;
	int ret = exportStartFile(self->export, &file, name);

	g_free(name);
	if (ret < 0)
		return ret;
	self->file = file.file;
	paraverPutHeader(self);
	writeRecords(self);
	/* Now the end is known. rewind() would forget that a write failed. */
	if (fseek(self->file, 0, SEEK_SET) == 0)
		paraverPutHeader(self);
	return exportEndFile(self->export, &file, self->hasFailed);
}

static int writeBeside(struct paraver *self, const char *base,
		       const char *suffix,
		       void (*put)(struct paraver *, FILE *))
{
	char *name = g_strconcat(base, suffix, NULL);
	struct newFile file;
	int ret = exportStartFile(self->export, &file, name);

	g_free(name);
	if (ret < 0)
		return ret;
	put(self, file.file);
	return exportEndFile(self->export, &file, false);
}

static int writeParaver(struct export *export)
{
	struct paraver self = {
		.export = export,
		.start = INT64_MAX,
		.streams =
			g_array_new(FALSE, FALSE, sizeof(struct paraverStream)),
		.heap = g_ptr_array_new(),
		.names = g_hash_table_new(g_str_hash, g_str_equal),
		.nameList = g_ptr_array_new_with_free_func(g_free),
		.values = g_hash_table_new(g_str_hash, g_str_equal),
		.valueList = g_ptr_array_new_with_free_func(g_free),
		.hosts = g_ptr_array_new(),
		.ranks = g_ptr_array_new(),
		.nodes = g_ptr_array_new(),
		.dependencies =
			dependenciesNew(export->project,
					&(struct dependencyFilter){
						.kinds = DEPENDENCY_MESSAGE }),
	};
	char *base = g_path_get_basename(export->project->prefix);
	int ret;

	exportLoseProject(export);
	exportLose(export, "communicators", export->project->communicatorCount);
	paraverOpenAll(&self);
	if (!self.hasFailed)
		paraverFindMessages(&self);
	ret = self.hasFailed ? -1 : paraverWriteTrace(&self, base);
	if (ret == 0)
		ret = writeBeside(&self, base, ".pcf", paraverPutConfiguration);
	if (ret == 0)
		ret = writeBeside(&self, base, ".row", paraverPutRows);
	closeAll(&self);
	g_free(base);
	g_array_unref(self.streams);
	g_ptr_array_unref(self.heap);
	g_hash_table_destroy(self.names);
	g_ptr_array_unref(self.nameList);
	g_hash_table_destroy(self.values);
	g_ptr_array_unref(self.valueList);
	g_ptr_array_unref(self.hosts);
	g_ptr_array_unref(self.ranks);
	g_ptr_array_unref(self.nodes);
	dependenciesFree(self.dependencies);
	return ret;
}

const struct exportFormat exportParaver = {
	.name = "paraver",
	.suffix = ".paraver",
	.isDirectory = true,
	.write = writeParaver,
};
