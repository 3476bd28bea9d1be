/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: finds the files of a project and places them in a topology.
 *
 * Labels never hold a '_', but the name of a project may. Where the prefix is
 * not given, the headers of statistics tell where the labels begin; without
 * statistics, the number of levels that the traces name.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/merge/findprefix.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "common/format/seconds.h"
#include "common/format/level.h"
#include "common/format/frame.h"

char *mergeDefaultLevel(unsigned int level)
{
	static const char *const types[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
					     HD_LEVEL_THREAD };

	if (level - 1 < G_N_ELEMENTS(types))
		return g_strdup(types[level - 1]);
	return g_strdup_printf("Level%u", level);
}

int mergeCompareLabels(const char *a, const char *b)
{
	while (*a && *b) {
		if (g_ascii_isdigit(*a) && g_ascii_isdigit(*b)) {
			size_t x;
			size_t y;
			int order;

			while (*a == '0' && g_ascii_isdigit(a[1]))
				a++;
			while (*b == '0' && g_ascii_isdigit(b[1]))
				b++;
			x = strspn(a, "0123456789");
			y = strspn(b, "0123456789");
			order = x != y ? (x < y ? -1 : 1) : strncmp(a, b, x);
			if (order)
				return order;
			a += x;
			b += y;
			continue;
		}
		if (*a != *b)
			break;
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

/* ---- Nodes ------------------------------------------------------------- */

static void mergeFindFreeNode(void *data)
{
	struct mergeNode *node = data;

	g_ptr_array_unref(node->children);
	g_free(node->label);
	g_free(node->path);
	g_free(node);
}

static struct mergeNode *newNode(struct mergeNode *parent, const char *label)
{
	struct mergeNode *node = g_new0(struct mergeNode, 1);

	node->label = g_strdup(label);
	node->parent = parent;
	node->children = g_ptr_array_new_with_free_func(mergeFindFreeNode);
	if (parent) {
		node->level = parent->level + 1;
		node->path =
			*parent->path
				? g_strdup_printf("%s_%s", parent->path, label)
				: g_strdup(label);
	} else {
		node->path = g_strdup("");
	}
	return node;
}

static struct mergeNode *childOf(struct merge *merge, struct mergeNode *parent,
				 const char *label)
{
	struct mergeNode *node = newNode(parent, label);
	struct mergeNode *known =
		g_hash_table_lookup(merge->byPath, node->path);

	if (known) {
		mergeFindFreeNode(node);
		return known;
	}
	g_hash_table_insert(merge->byPath, node->path, node);
	g_ptr_array_add(parent->children, node);
	merge->nodes++;
	merge->depth = MAX(merge->depth, node->level);
	return node;
}

static gint mergeFindCompareNodes(gconstpointer a, gconstpointer b)
{
	const struct mergeNode *const *x = a;
	const struct mergeNode *const *y = b;
	int order = mergeCompareLabels((*x)->label, (*y)->label);

	return order ? order : strcmp((*x)->label, (*y)->label);
}

static void sortNodes(struct mergeNode *node)
{
	g_ptr_array_sort(node->children, mergeFindCompareNodes);
	for (guint i = 0; i < node->children->len; i++)
		sortNodes(node->children->pdata[i]);
}

/* ---- Files ------------------------------------------------------------- */

static void mergeFindFreeFile(void *data)
{
	struct mergeFile *file = data;

	g_free(file->path);
	g_free(file->stem);
	g_free(file->rest);
	g_free(file->group);
	g_strfreev(file->labels);
	g_strfreev(file->levels);
	g_free(file->clockNode);
	g_free(file->owner);
	g_free(file);
}

static gint compareFiles(gconstpointer a, gconstpointer b)
{
	const struct mergeFile *const *x = a;
	const struct mergeFile *const *y = b;
	int order = mergeCompareLabels((*x)->stem, (*y)->stem);

	if (order == 0)
		order = strcmp((*x)->stem, (*y)->stem);
	return order ? order : (int)(*x)->kind - (int)(*y)->kind;
}

/** Learn from an attribute of Program or Group whose clock it is. */
static void mergeFindReadClock(struct mergeFile *file,
			       const hdIAttribute *attribute)
{
	if (strcmp(attribute->name, "clock") == 0)
		file->isCorrected = strcmp(attribute->value, "corrected") == 0;
	else if (strcmp(attribute->name, "clockNode") == 0)
		file->clockNode = g_strdup(attribute->value);
	else if (strcmp(attribute->name, "clockBase") == 0)
		file->hasBase =
			hdSecondsParse(attribute->value, &file->base) == 0;
}

/** Learn what the levels are from an attribute of Program. */
static void mergeFindReadLevels(struct merge *merge, struct mergeFile *file,
				const char *value)
{
	char **levels = g_strsplit(value, " ", MERGE_LEVELS_MAX + 1);

	if (g_strv_length(levels) <= MERGE_LEVELS_MAX) {
		file->levels = levels;
		return;
	}
	g_strfreev(levels);
	toolReport(merge->tool, "merge.levels", file->path, -1, 0,
		   "the trace has more than %d levels; they are ignored",
		   MERGE_LEVELS_MAX);
}

/** Learn what the first tag of a file of relations says. */
static void readRelationTag(struct merge *merge, struct mergeFile *file)
{
	static const char *const names[] = { "levels", "clock", "clockNode",
					     "clockBase" };
	GBytes *bytes;
	const char *text;
	size_t size;
	struct xmlPiece tag;
	bool isThere;

	if (contentGet(file->path, MERGE_HEAD_SIZE, &bytes) < 0)
		return;
	text = g_bytes_get_data(bytes, &size);
	isThere = text && xmlFindTag(text, size, 0, NULL, &tag);
	for (size_t i = 0; isThere && i < G_N_ELEMENTS(names); i++) {
		hdIAttribute attribute = { .name = names[i] };
		size_t start, end;
		char *value;

		if (!xmlFindAttribute(text, &tag, names[i], &start, &end))
			continue;
		value = g_strndup(text + start, end - start);
		attribute.value = value;
		if (i == 0)
			mergeFindReadLevels(merge, file, value);
		else
			mergeFindReadClock(file, &attribute);
		g_free(value);
	}
	g_bytes_unref(bytes);
}

/** Learn whose relations a file has. */
static void mergeFindReadRelations(struct merge *merge, struct mergeFile *file,
				   const hdIProject *project)
{
	hdIRelationReader *reader =
		hdI_openRelations(project, project->relations[0]);
	hdIRelationOwner owner;

	if (reader && hdI_getRelationOwner(reader, &owner) == 1)
		file->owner = g_strdup_printf("%s:%s:%s", owner.host,
					      owner.process, owner.number);
	hdI_closeRelations(reader);
	readRelationTag(merge, file);
}

/** Learn what the header of a file says; problems were reported. */
static void readHeader(struct merge *merge, struct mergeFile *file)
{
	hdIProject *project;

	if (file->kind == MERGE_INFO)
		return;
	errno = 0;
	project = hdI_openProject(file->path, toolTakeDiagnostic, merge->tool);
	if (!project) {
		if (errno != EBADMSG)
			toolErrorOpen(merge->tool, file->path, errno);
		return;
	}
	if (file->kind == MERGE_STAT && project->groupCount == 1 &&
	    project->groups[0]->isReadable) {
		const hdIGroup *group = project->groups[0];

		file->group = g_strdup(group->name);
		file->labels = g_new0(char *, group->labelCount + 1);
		for (size_t i = 0; i < group->labelCount; i++)
			file->labels[i] = g_strdup(group->labels[i]);
		for (size_t i = 0; i < group->attributeCount; i++)
			mergeFindReadClock(file, &group->attributes[i]);
	}
	if (file->kind == MERGE_RELATIONS && project->relationCount == 1)
		mergeFindReadRelations(merge, file, project);
	if (file->kind == MERGE_TRACE && project->traceCount == 1) {
		hdITraceReader *reader =
			hdI_openTrace(project, project->traces[0]);
		const hdIAttribute *attributes = NULL;
		size_t count = 0;

		if (reader)
			attributes = hdI_getTraceAttributes(reader, &count);
		for (size_t i = 0; attributes && i < count; i++) {
			if (strcmp(attributes[i].name, "levels") == 0)
				mergeFindReadLevels(merge, file,
						    attributes[i].value);
			else
				mergeFindReadClock(file, &attributes[i]);
		}
		hdI_closeTrace(reader);
	}
	hdI_closeProject(project);
}

bool mergeKindOf(const char *name, enum mergeKind *kind)
{
	if (hdFrameStem(name, ".trc"))
		*kind = MERGE_TRACE;
	else if (g_str_has_suffix(name, ".info"))
		*kind = MERGE_INFO;
	else if (hdFrameStem(name, ".stat"))
		*kind = MERGE_STAT;
	else if (hdFrameStem(name, ".rel"))
		*kind = MERGE_RELATIONS;
	else
		return false;
	return true;
}

/**
 * The prefix that the header of statistics proves: what stands before the
 * labels and the group. NULL if it proves none.
 */
static char *provenPrefix(const struct mergeFile *file)
{
	char *labels;
	char *tail;
	char *prefix = NULL;

	if (!file->group || !file->labels)
		return NULL;
	labels = g_strjoinv("_", file->labels);
	tail = g_strdup_printf("_%s%s%s", labels, *labels ? "_" : "",
			       file->group);
	if (*labels && g_str_has_suffix(file->stem, tail))
		prefix = g_strndup(file->stem,
				   strlen(file->stem) - strlen(tail));
	g_free(labels);
	g_free(tail);
	return prefix;
}

/** Whether a file name begins with a prefix and a '_', or is the prefix. */
static bool hasPrefix(const char *stem, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(stem, prefix, length) == 0 &&
	       (stem[length] == '_' || stem[length] == '\0');
}

/**
 * Read the directory.
 *
 * @param prefix Leave out what does not begin with it; or NULL.
 * @param[out] proven Prefixes of projects, from .proj files and headers.
 */
static int readDirectory(struct merge *merge, const char *prefix,
			 GHashTable *proven)
{
	GError *error = NULL;
	GDir *directory = g_dir_open(merge->directory, 0, &error);
	const char *name;

	if (!directory) {
		toolError(merge->tool, "%s", error->message);
		g_error_free(error);
		return TOOL_FAILED;
	}
	while ((name = g_dir_read_name(directory)) != NULL) {
		struct mergeFile *file;
		enum mergeKind kind;
		char *stem = g_strdup(name);

		if (hdFrameIsCompressed(name))
			*strrchr(stem, '.') = '\0';
		if (strrchr(stem, '.'))
			*strrchr(stem, '.') = '\0';
		if (prefix && !hasPrefix(stem, prefix)) {
			g_free(stem);
			continue;
		}
		if (g_str_has_suffix(name, ".proj"))
			g_hash_table_add(proven, g_strdup(stem));
		if (!mergeKindOf(name, &kind)) {
			g_free(stem);
			continue;
		}
		file = g_new0(struct mergeFile, 1);
		file->kind = kind;
		file->stem = stem;
		file->path = strcmp(merge->directory, ".") == 0
				     ? g_strdup(name)
				     : g_build_filename(merge->directory, name,
							NULL);
		g_ptr_array_add(merge->files, file);
	}
	g_dir_close(directory);
	g_ptr_array_sort(merge->files, compareFiles);
	for (guint i = 0; i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];
		char *found;

		readHeader(merge, file);
		found = provenPrefix(file);
		if (found)
			g_hash_table_add(proven, found);
	}
	return -1;
}

/* ---- Placing ----------------------------------------------------------- */

/** Whether a file belongs to another project, whose prefix is longer. */
static bool isForeign(const struct merge *merge, const struct mergeFile *file,
		      GHashTable *proven)
{
	const char *end = file->stem + strlen(merge->name);
	bool isLonger = false;

	if (!hasPrefix(file->stem, merge->name))
		return true;
	while (*end && !isLonger) {
		char *prefix;

		end += 1 + strcspn(end + 1, "_");
		prefix = g_strndup(file->stem, (gsize)(end - file->stem));
		isLonger = g_hash_table_contains(proven, prefix);
		g_free(prefix);
	}
	return isLonger;
}

static void mergeFindAddGroup(struct merge *merge, const char *group)
{
	char *name;

	if (g_hash_table_contains(merge->groupNames, group))
		return;
	name = g_strdup(group);
	g_hash_table_add(merge->groupNames, name);
	g_ptr_array_add(merge->groups, name);
}

/** Put a file where its name says; its labels are all parts but the group. */
static bool mergeFindPlaceFile(struct merge *merge, struct mergeFile *file)
{
	size_t length = strlen(merge->name);
	const char *rest = file->stem + length;
	char **parts;
	size_t count;

	file->rest = g_strdup(*rest == '_' ? rest + 1 : rest);
	parts = g_strsplit(file->rest, "_", -1);
	count = g_strv_length(parts);
	if (file->kind == MERGE_STAT && count == 0) {
		toolReport(merge->tool, "merge.file-name", file->path, -1, 0,
			   "no group in the file name; the file is ignored");
		g_strfreev(parts);
		return false;
	}
	if (file->kind == MERGE_STAT) {
		const char *group = parts[count - 1];

		if (file->group && strcmp(file->group, group) != 0)
			toolReport(merge->tool, "stat.name", file->path, -1, 0,
				   "group \"%s\" in the header, but \"%s\" in "
				   "the file name",
				   file->group, group);
		mergeFindAddGroup(merge, group);
		count--;
	}
	file->node = merge->root;
	for (size_t i = 0; i < count; i++) {
		if (!*parts[i]) {
			toolReport(merge->tool, "merge.file-name", file->path,
				   -1, 0,
				   "empty label in the file name; the file is "
				   "ignored");
			g_strfreev(parts);
			return false;
		}
		file->node = childOf(merge, file->node, parts[i]);
	}
	g_strfreev(parts);
	return true;
}

static void mergeFindChooseLevels(struct merge *merge, char **levels)
{
	GPtrArray *types = g_ptr_array_new();
	char **known = levels;

	for (guint i = 0; !known && i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];

		if (file->levels && g_strv_length(file->levels) >= merge->depth)
			known = file->levels;
	}
	for (size_t i = 0; known && known[i]; i++) {
		if (*known[i])
			g_ptr_array_add(types, g_strdup(known[i]));
	}
	while (types->len < merge->depth)
		g_ptr_array_add(types, mergeDefaultLevel(types->len + 1));
	g_ptr_array_add(types, NULL);
	merge->levels = (char **)g_ptr_array_free(types, FALSE);
}

static void splitArgument(struct merge *merge, const char *argument)
{
	char *path = g_strdup(argument);

	if (g_str_has_suffix(path, ".proj"))
		path[strlen(path) - strlen(".proj")] = '\0';
	merge->directory = g_path_get_dirname(path);
	merge->name = g_path_get_basename(path);
	g_free(path);
}

static gint mergeFindCompareNames(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void mergeAddOwners(struct tool *tool, GHashTable *owners,
		    const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++) {
		struct mergeFile *file = files->pdata[i];
		const struct mergeFile *other;

		if (!file->owner)
			continue;
		other = g_hash_table_lookup(owners, file->owner);
		if (other)
			toolError(tool,
				  "%s, %s: same hostID, localToken and "
				  "topologyNumber: %s",
				  other->path, file->path, file->owner);
		g_hash_table_insert(owners, file->owner, file);
	}
}

static int mergeFindCheckOwners(struct merge *merge)
{
	GHashTable *owners = g_hash_table_new(g_str_hash, g_str_equal);

	mergeAddOwners(merge->tool, owners, merge->files);
	g_hash_table_destroy(owners);
	return merge->tool->hasFailed ? TOOL_FAILED : -1;
}

static int placeFiles(struct merge *merge, GHashTable *proven, char **levels)
{
	GPtrArray *all = merge->files;

	merge->files = g_ptr_array_new_with_free_func(mergeFindFreeFile);
	for (guint i = 0; i < all->len; i++) {
		struct mergeFile *file = all->pdata[i];

		if (!isForeign(merge, file, proven) &&
		    mergeFindPlaceFile(merge, file))
			g_ptr_array_add(merge->files, file);
		else
			mergeFindFreeFile(file);
	}
	g_ptr_array_set_free_func(all, NULL);
	g_ptr_array_unref(all);
	if (!merge->files->len) {
		toolError(merge->tool,
			  "%s: no .trc, .info, .stat or .rel files with this "
			  "prefix",
			  merge->prefix);
		return TOOL_FAILED;
	}
	if (levels && g_strv_length(levels) < merge->depth)
		return toolUsage(
			merge->tool,
			"--levels: %u given, but the files have %u levels",
			g_strv_length(levels), merge->depth);
	sortNodes(merge->root);
	g_ptr_array_sort(merge->groups, mergeFindCompareNames);
	mergeFindChooseLevels(merge, levels);
	return mergeFindCheckOwners(merge);
}

static void freeClock(void *data)
{
	struct mergeClock *clock = data;

	g_array_unref(clock->points);
	g_free(clock->method);
	g_free(clock);
}

int mergeFind(struct merge *merge, const char *argument, char **levels)
{
	GHashTable *proven =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	int status;

	merge->files = g_ptr_array_new_with_free_func(mergeFindFreeFile);
	merge->groups = g_ptr_array_new_with_free_func(g_free);
	merge->clocks = g_ptr_array_new_with_free_func(freeClock);
	merge->moved = g_ptr_array_new_with_free_func(freeClock);
	merge->steps = mergeNewSteps();
	merge->root = newNode(NULL, "");
	merge->byPath = g_hash_table_new(g_str_hash, g_str_equal);
	merge->groupNames = g_hash_table_new(g_str_hash, g_str_equal);
	if (g_file_test(argument, G_FILE_TEST_IS_DIR))
		merge->directory = g_strdup(argument);
	else
		splitArgument(merge, argument);
	status = readDirectory(merge, merge->name, proven);
	if (status < 0 && !merge->name)
		status = mergeChoosePrefix(merge, proven, levels);
	if (status < 0) {
		merge->prefix = strcmp(merge->directory, ".") == 0
					? g_strdup(merge->name)
					: g_build_filename(merge->directory,
							   merge->name, NULL);
		status = placeFiles(merge, proven, levels);
	}
	g_hash_table_destroy(proven);
	return status;
}

void mergeFree(struct merge *merge)
{
	g_ptr_array_unref(merge->files);
	g_ptr_array_unref(merge->groups);
	g_ptr_array_unref(merge->clocks);
	g_ptr_array_unref(merge->moved);
	g_array_unref(merge->steps);
	g_hash_table_destroy(merge->byPath);
	g_hash_table_destroy(merge->groupNames);
	mergeFindFreeNode(merge->root);
	g_strfreev(merge->levels);
	g_free(merge->directory);
	g_free(merge->name);
	g_free(merge->prefix);
}
