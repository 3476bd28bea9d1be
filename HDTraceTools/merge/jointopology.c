/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The topology of a joined project: levels, labels and places of files.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/merge/joined.h"
#include "HDTraceTools/merge/join.h"
#include "common/format/level.h"
#include "common/format/frame.h"

/* ---- Topology ---------------------------------------------------------- */

/** The labels of a node in the joined project, but for what others have. */
static GPtrArray *joinLabelsOf(const struct joinProject *project,
			       const struct mergeNode *node)
{
	GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
	GString *host = g_string_new(NULL);

	for (; node->level > project->hostLevel; node = node->parent)
		g_ptr_array_insert(labels, 0, g_strdup(node->label));
	if (labels->len > 0 && !project->hasProcesses)
		g_ptr_array_insert(labels, 0, g_strdup(project->label));
	/* What is above hosts goes before their names. */
	for (; node->level > 0; node = node->parent) {
		if (host->len)
			g_string_prepend_c(host, '-');
		g_string_prepend(host, node->label);
	}
	if (host->len)
		g_ptr_array_insert(labels, 0, g_strdup(host->str));
	g_string_free(host, TRUE);
	return labels;
}

/** Index of the label of a process among the labels of a node. */
#define PROCESS 1

static bool joinIsNumber(const char *label)
{
	return *label && strspn(label, "0123456789") == strlen(label);
}

/** What a process is known by: a rank in all, others at their host. */
static char *processKey(const GPtrArray *labels)
{
	const char *label = labels->pdata[PROCESS];

	return joinIsNumber(label)
		       ? g_strdup(label)
		       : g_strdup_printf("%s_%s", (char *)labels->pdata[0],
					 label);
}

/** Find out whose processes are called as those of projects before are. */
static void findRenamed(struct join *self)
{
	GHashTable *owners =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < self->count; i++) {
		struct joinProject *project = &self->projects[i];
		const GPtrArray *files = project->merge.files;

		for (guint k = 0; k < files->len; k++) {
			const struct mergeFile *file = files->pdata[k];
			GPtrArray *labels = joinLabelsOf(project, file->node);

			if (labels->len > PROCESS) {
				char *key = processKey(labels);
				const void *owner =
					g_hash_table_lookup(owners, key);

				project->isRenamed |= owner && owner != project;
				if (owner)
					g_free(key);
				else
					g_hash_table_insert(owners, key,
							    project);
			}
			g_ptr_array_unref(labels);
		}
		if (project->isRenamed)
			toolReport(self->tool, "merge.labels",
				   project->project->file, -1, 0,
				   "its processes have the same labels as "
				   "processes of another project; \"%s-\" is "
				   "prepended, and they are not ranks",
				   project->label);
	}
	g_hash_table_destroy(owners);
}

static char *joinPathOf(const struct join *self, const struct mergeFile *file,
			char **labels)
{
	static const char *const ends[] = { ".trc", ".info", ".stat", ".rel" };
	GString *path = g_string_new(self->prefix);

	for (; *labels; labels++)
		g_string_append_printf(path, "_%s", *labels);
	if (file->kind == MERGE_STAT)
		g_string_append(path, strrchr(file->stem, '_'));
	g_string_append(path, ends[file->kind]);
	if (hdFrameIsCompressed(file->path))
		g_string_append(path, HD_FRAME_SUFFIX);
	return g_string_free(path, FALSE);
}

/** Give a file its place. */
static void joinPlaceFile(struct join *self, size_t number,
			  const struct mergeFile *from)
{
	const struct joinProject *project = &self->projects[number];
	GPtrArray *labels = joinLabelsOf(project, from->node);
	struct joinFile *file = g_new0(struct joinFile, 1);

	if (project->isRenamed && labels->len > PROCESS &&
	    project->hasProcesses) {
		char *label = labels->pdata[PROCESS];

		labels->pdata[PROCESS] =
			g_strdup_printf("%s-%s", project->label, label);
		g_free(label);
	}
	g_ptr_array_add(labels, NULL);
	file->of = project;
	file->from = from;
	file->labels = (char **)g_ptr_array_free(labels, FALSE);
	file->path = joinPathOf(self, from, file->labels);
	if (g_hash_table_contains(self->byPath, file->path)) {
		guint count = g_strv_length(file->labels);

		/* Of the host, or of all: below it, at its program. */
		file->labels = g_renew(char *, file->labels, count + 2);
		for (guint i = count + 1; i > MIN(count, PROCESS); i--)
			file->labels[i] = file->labels[i - 1];
		file->labels[MIN(count, PROCESS)] = g_strdup(project->label);
		toolReport(
			self->tool, "merge.labels", from->path, -1, 0,
			"%s belongs to another project; moved to node \"%s\"",
			file->path, project->label);
		g_free(file->path);
		file->path = joinPathOf(self, from, file->labels);
	}
	if (g_hash_table_contains(self->byPath, file->path)) {
		toolError(self->tool, "%s: cannot be added: %s", from->path,
			  file->path);
		joinFreeFile(file);
		return;
	}
	g_hash_table_insert(self->byPath, file->path, file);
	g_ptr_array_add(self->files, file);
}

int joinPlaceAll(struct join *self)
{
	findRenamed(self);
	for (size_t i = 0; i < self->count; i++) {
		const GPtrArray *files = self->projects[i].merge.files;

		for (guint k = 0; k < files->len; k++)
			joinPlaceFile(self, i, files->pdata[k]);
	}
	return self->tool->hasFailed ? TOOL_FAILED : -1;
}

/** The type of a level of a project, in the joined one; NULL: it has none. */
static const char *typeAt(const struct joinProject *project, size_t index)
{
	size_t level = project->hostLevel + index;

	if (index == PROCESS && !project->hasProcesses)
		return HD_LEVEL_PROCESS;
	if (index > PROCESS && !project->hasProcesses)
		level--;
	return level <= project->project->levelCount &&
			       *project->project->levels[level - 1]
		       ? project->project->levels[level - 1]
		       : NULL;
}

void joinChooseLevels(struct join *self)
{
	static const char *const types[] = { HD_LEVEL_HOST, HD_LEVEL_PROCESS,
					     HD_LEVEL_PART };
	guint depth = 0;
	bool isAlike = true;

	for (guint i = 0; i < self->files->len; i++) {
		const struct joinFile *file = self->files->pdata[i];

		depth = MAX(depth, g_strv_length(file->labels));
		isAlike &= !file->of->isRenamed;
	}
	for (size_t k = 0; k < self->count; k++) {
		for (size_t i = 0; i < depth; i++)
			isAlike &=
				g_strcmp0(typeAt(&self->projects[0], i),
					  typeAt(&self->projects[k], i)) == 0;
	}
	for (size_t i = 0; i < depth; i++) {
		const char *type =
			isAlike ? typeAt(&self->projects[0], i) : NULL;

		g_ptr_array_add(
			self->levels,
			type ? g_strdup(type)
			: i < G_N_ELEMENTS(types)
				? g_strdup(types[i])
				: mergeDefaultLevel((unsigned int)i + 1));
	}
	g_ptr_array_add(self->levels, NULL);
}
