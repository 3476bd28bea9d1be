/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files there are, and where in the topology they belong. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/files.h"
#include "common/format/frame.h"

static const char *projFilesPathOf(struct hdIFiles *files, const char *name)
{
	return hdIArenaPrintf(&files->project->arena, "%s%s", files->directory,
			      name);
}

/* ---- Groups ------------------------------------------------------------ */

static int projFilesCompareNames(const void *a, const void *b)
{
	return strcmp(((const struct hdIDeclared *)a)->name,
		      ((const struct hdIDeclared *)b)->name);
}

/* Those of one name in the order of their declarations. */
static int compareDeclared(const void *a, const void *b)
{
	size_t left = ((const struct hdIDeclared *)a)->order;
	size_t right = ((const struct hdIDeclared *)b)->order;
	int order = projFilesCompareNames(a, b);

	return order ? order : (left > right) - (left < right);
}

/* Sort the declared groups; of those of one name the first counts. */
static int sortDeclared(struct hdIFiles *files)
{
	const struct hdITextList *groups = &files->project->declaredGroups;
	struct hdIDeclared *list;
	size_t count = 0;

	list = hdIArenaAllocArray(&files->project->arena, groups->count,
				  sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < groups->count; i++)
		list[i] = (struct hdIDeclared){ groups->texts[i], i };
	qsort(list, groups->count, sizeof(*list), compareDeclared);
	for (size_t i = 0; i < groups->count; i++)
		if (count == 0 ||
		    projFilesCompareNames(&list[count - 1], &list[i]))
			list[count++] = list[i];
	files->declared = list;
	files->declaredCount = count;
	return 0;
}

static size_t findDeclared(const struct hdIFiles *files, const char *name)
{
	const struct hdIDeclared key = { .name = name };
	const struct hdIDeclared *found = NULL;

	if (files->declaredCount > 0)
		found = bsearch(&key, files->declared, files->declaredCount,
				sizeof(key), projFilesCompareNames);
	return found ? found->order : SIZE_MAX;
}

static void appendGroup(struct hdINodeData *node, struct hdIGroupData *group)
{
	if (node->lastGroup)
		node->lastGroup->next = group;
	else
		node->firstGroup = group;
	node->lastGroup = group;
	group->pub.node = &node->pub;
	node->pub.groupCount++;
}

/* Whether the labels in a header are those of a node. */
static int isAt(const hdIGroup *group, const struct hdINodeData *node)
{
	size_t i = group->labelCount;

	for (; i > 0 && node->parent; node = node->parent)
		if (strcmp(group->labels[--i], node->pub.label) != 0)
			return 0;
	return i == 0 && !node->parent;
}

/* Tell where a header contradicts the file name, which wins. */
static int settleName(struct hdIFiles *files, struct hdINodeData *node,
		      struct hdIGroupData *group, const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	const struct hdISink *sink = &files->project->sink;
	const char *inHeader = group->pub.name;

	if (inHeader && strcmp(inHeader, name) != 0) {
		const char *cleaned = hdITopologyClean(arena, inHeader);

		if (!cleaned)
			return -ENOMEM;
		if (strcmp(cleaned, name) == 0)
			name = inHeader;
		else
			hdIReport(sink, HDI_RULE_STAT_NAME, group->pub.file, -1,
				  0,
				  "the header names the group \"%s\", the "
				  "file name \"%s\"",
				  inHeader, name);
	}
	group->pub.name = name;
	if (group->pub.labelCount > 0 && !isAt(&group->pub, node))
		hdIReport(sink, HDI_RULE_STAT_NAME, group->pub.file, -1, 0,
			  "the header names another node (\"%s\") than the "
			  "file name (\"%s\")",
			  group->pub.labels[group->pub.labelCount - 1],
			  node->pub.path);
	return 0;
}

static int projFilesAddGroup(struct hdIFiles *files, struct hdINodeData *node,
			     struct hdIGroupData *group, const char *name)
{
	size_t order;

	if (settleName(files, node, group, name) < 0)
		return -ENOMEM;
	order = findDeclared(files, group->pub.name);
	group->order = order;
	group->pub.isDeclared = order != SIZE_MAX;
	if (order != SIZE_MAX)
		files->groupUses[order]++;
	appendGroup(node, group);
	files->used++;
	return 0;
}

static struct hdIGroupData *projFilesReadGroup(struct hdIFiles *files,
					       const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	struct hdIGroupData *group = hdIArenaAlloc(arena, sizeof(*group));
	const char *path = projFilesPathOf(files, name);

	if (!group || !path || hdIStatHeadRead(files->project, group, path) < 0)
		return NULL;
	return group;
}

/* ---- Traces ------------------------------------------------------------ */

/* Get the plain size of a file; problems are reported. Returns 0 or
 * -ENOMEM. */
static int projFilesMeasure(struct hdIFiles *files, const char *path,
			    int64_t *size)
{
	struct hdIFile *file;
	int ret = hdIFileOpen(path, &files->project->sink, &file);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	*size = hdIFileSize(file);
	hdIFileClose(file);
	return 0;
}

static int addTrace(struct hdIFiles *files, struct hdINodeData *node,
		    const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	hdITraceFile *trace = hdIArenaAlloc(arena, sizeof(*trace));
	const char *file = projFilesPathOf(files, name);
	const char *info;

	if (!trace || !file)
		return -ENOMEM;
	info = hdIArenaPrintf(arena, "%.*s.info",
			      (int)hdFrameStem(file, ".trc"), file);
	if (!info)
		return -ENOMEM;
	trace->node = &node->pub;
	trace->file = file;
	if (files->project->archive
		    ? hdIArchiveFind(files->project->archive,
				     info + strlen(files->directory)) != NULL
		    : access(info, F_OK) == 0)
		trace->infoFile = info;
	if (projFilesMeasure(files, file, &trace->fileSize) < 0)
		return -ENOMEM;
	node->pub.trace = trace;
	files->used++;
	return 0;
}

/* ---- Relations --------------------------------------------------------- */

static int addRelations(struct hdIFiles *files, struct hdINodeData *node,
			const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	hdIRelationFile *relations = hdIArenaAlloc(arena, sizeof(*relations));
	const char *file = projFilesPathOf(files, name);

	if (!relations || !file)
		return -ENOMEM;
	relations->node = &node->pub;
	relations->file = file;
	if (projFilesMeasure(files, file, &relations->fileSize) < 0)
		return -ENOMEM;
	node->pub.relations = relations;
	files->used++;
	return 0;
}

/* ---- What is declared -------------------------------------------------- */

static int useDeclared(struct hdIFiles *files, struct hdINodeData *node)
{
	const struct hdITextList *groups = &files->project->declaredGroups;
	struct hdIFileEntry *entry = NULL;
	int ret = hdIFilesHasSome(files, node);

	if (ret <= 0)
		return ret;
	ret = hdIFilesLookUp(files, node, "", ".trc", &entry);
	if (ret == 0 && entry) {
		entry->isUsed = 1;
		ret = addTrace(files, node, entry->name);
	}
	if (ret == 0)
		ret = hdIFilesLookUp(files, node, "", ".rel", &entry);
	if (ret == 0 && entry) {
		entry->isUsed = 1;
		ret = addRelations(files, node, entry->name);
	}
	for (size_t i = 0; i < groups->count && ret == 0; i++) {
		struct hdIGroupData *group;

		ret = hdIFilesLookUp(files, node, groups->texts[i], ".stat",
				     &entry);
		if (ret < 0 || !entry)
			continue;
		entry->isUsed = 1;
		group = projFilesReadGroup(files, entry->name);
		ret = group ? projFilesAddGroup(files, node, group,
						groups->texts[i])
			    : -ENOMEM;
	}
	return ret;
}

/* ---- What is not ------------------------------------------------------- */

/* Get or make the node with a path, whose labels are not known. */
static struct hdINodeData *makeNode(struct hdIFiles *files, const char *path,
				    size_t length, const hdIGroup *group)
{
	struct hdIProjectData *project = files->project;
	struct hdINodeData *node = hdITopologyFind(project, path, length);
	const char *end = path + length;

	if (node)
		return node;
	node = project->root;
	/* Labels in a header tell what '_' is part of a label. */
	if (group && group->labelCount > 0) {
		for (size_t i = 0; i < group->labelCount && node; i++)
			node = hdITopologyAdd(project, node, group->labels[i],
					      NULL);
		return node;
	}
	while (path < end && node) {
		const char *next = memchr(path, '_', (size_t)(end - path));
		const char *label;

		if (!next)
			next = end;
		label = hdIArenaCopy(&project->arena, path,
				     (size_t)(next - path));
		if (!label)
			return NULL;
		if (*label)
			node = hdITopologyAdd(project, node, label, NULL);
		path = next < end ? next + 1 : end;
	}
	return node;
}

/* Of a node that the topology need not have. */
static int useUndeclaredOfNode(struct hdIFiles *files, const char *name,
			       const char *path, const char *end, int isTrace)
{
	struct hdINodeData *node;

	node = makeNode(files, path, hdFrameStem(path, end), NULL);
	if (!node)
		return -ENOMEM;
	if ((isTrace ? (const void *)node->pub.trace : node->pub.relations) ||
	    !node->parent)
		return 0;
	if ((isTrace ? addTrace : addRelations)(files, node, name) < 0)
		return -ENOMEM;
	if (!node->pub.isDeclared)
		hdIReport(&files->project->sink, HDI_RULE_PROJ_UNDECLARED,
			  isTrace ? node->pub.trace->file
				  : node->pub.relations->file,
			  -1, 0, "the topology has no node \"%s\"; it is added",
			  node->pub.path);
	return 0;
}

/* Whether the labels of a header make up the path. */
static int isPathOf(const hdIGroup *group, const char *path, size_t length)
{
	for (size_t i = 0; i < group->labelCount; i++) {
		size_t n = strlen(group->labels[i]);

		if (i > 0 && (length == 0 || *path != '_'))
			return 0;
		if (i > 0) {
			path++;
			length--;
		}
		if (n > length || memcmp(path, group->labels[i], n) != 0)
			return 0;
		path += n;
		length -= n;
	}
	return length == 0;
}

/* Length of the path in PATH_GROUP: what the header says, else the longest
 * path of a node, else all up to the last '_'. */
static size_t splitPath(const struct hdIFiles *files, const char *text,
			const char *group)
{
	size_t length = strlen(text);
	size_t tail = group ? strlen(group) : 0;
	size_t best = 0;

	if (tail > 0 && tail <= length &&
	    strcmp(text + length - tail, group) == 0) {
		if (tail == length)
			return 0;
		if (text[length - tail - 1] == '_')
			return length - tail - 1;
	}
	for (size_t i = length; i-- > 0;) {
		if (text[i] != '_' || i + 1 == length)
			continue;
		if (hdITopologyFind(files->project, text, i))
			return i;
		if (best == 0)
			best = i;
	}
	return best;
}

static int useUndeclaredGroup(struct hdIFiles *files, const char *name,
			      const char *rest)
{
	struct hdIProjectData *project = files->project;
	struct hdIGroupData *group = projFilesReadGroup(files, name);
	struct hdINodeData *node;
	const hdIGroup *labelled;
	const char *text;
	size_t split;

	text = hdIArenaCopy(&project->arena, rest, hdFrameStem(rest, ".stat"));
	if (!group || !text)
		return -ENOMEM;
	split = splitPath(files, text, group->pub.name);
	labelled = isPathOf(&group->pub, text, split) ? &group->pub : NULL;
	node = makeNode(files, text, split, labelled);
	if (!node)
		return -ENOMEM;
	if (projFilesAddGroup(files, node, group,
			      split ? text + split + 1 : text) < 0)
		return -ENOMEM;
	if (!node->pub.isDeclared)
		hdIReport(&project->sink, HDI_RULE_PROJ_UNDECLARED,
			  group->pub.file, -1, 0,
			  "the topology has no node \"%s\"; it is added",
			  node->pub.path);
	if (!group->pub.isDeclared)
		hdIReport(&project->sink, HDI_RULE_PROJ_UNDECLARED,
			  group->pub.file, -1, 0,
			  "the group \"%s\" is not declared in the project",
			  group->pub.name);
	return 0;
}

/* Whether a compressed file is left out for a plain one; or -ENOMEM. */
static int projFilesLeaveCopy(struct hdIFiles *files, const char *name)
{
	int ret = hdIFilesIsCopy(files, name);
	const char *path;

	if (ret <= 0)
		return ret;
	path = projFilesPathOf(files, name);
	if (!path)
		return -ENOMEM;
	hdIReport(&files->project->sink, HDI_RULE_ZST_BOTH, path, -1, 0,
		  "the plain file exists, too; this file is not used");
	return 1;
}

static int useUndeclared(struct hdIFiles *files)
{
	size_t base = strlen(files->base);
	int ret = 0;

	for (size_t i = 0; i < files->count && ret == 0; i++) {
		const char *name = files->entries[i].name;
		const char *rest;

		if (files->entries[i].isUsed ||
		    strncmp(name, files->base, base) != 0 || name[base] != '_')
			continue;
		rest = name + base + 1;
		ret = hdIFilesIsOthers(files, name);
		if (ret == 0)
			ret = projFilesLeaveCopy(files, name);
		if (ret != 0)
			ret = ret < 0 ? ret : 0;
		else if (hdFrameStem(rest, ".trc"))
			ret = useUndeclaredOfNode(files, name, rest, ".trc", 1);
		else if (hdFrameStem(rest, ".rel"))
			ret = useUndeclaredOfNode(files, name, rest, ".rel", 0);
		else if (hdFrameStem(rest, ".stat"))
			ret = useUndeclaredGroup(files, name, rest);
	}
	return ret;
}

static void reportMissing(struct hdIFiles *files)
{
	const struct hdITextList *groups = &files->project->declaredGroups;

	for (size_t i = 0; i < groups->count; i++)
		if (files->groupUses[i] == 0)
			hdIReport(
				&files->project->sink,
				HDI_RULE_PROJ_GROUP_MISSING,
				files->project->pub.file, -1, 0,
				"the group \"%s\" is declared but has no file",
				groups->texts[i]);
}

/* ---- The whole --------------------------------------------------------- */

/* Split the prefix into directory and base. */
static int initFiles(struct hdIFiles *files, struct hdIProjectData *project)
{
	struct hdIArena *arena = &project->arena;
	const char *prefix = project->pub.prefix;
	const char *slash = strrchr(prefix, '/');

	files->project = project;
	files->base = slash ? slash + 1 : prefix;
	files->directory =
		hdIArenaCopy(arena, prefix, (size_t)(files->base - prefix));
	files->cleanBase = hdITopologyClean(arena, files->base);
	files->groupUses =
		hdIArenaAllocArray(arena, project->declaredGroups.count,
				   sizeof(*files->groupUses));
	if (!files->directory || !files->cleanBase || !files->groupUses)
		return -ENOMEM;
	return sortDeclared(files);
}

int hdIFilesFind(struct hdIProjectData *project, size_t *count)
{
	struct hdIFiles files = { 0 };
	int ret = initFiles(&files, project);

	if (ret == 0)
		ret = hdIFilesList(&files);
	for (struct hdINodeData *n = project->root; n && ret == 0;
	     n = hdITopologyNext(n))
		ret = useDeclared(&files, n);
	if (ret == 0)
		ret = useUndeclared(&files);
	if (ret == 0)
		reportMissing(&files);
	*count = files.used;
	for (size_t i = 0; i < files.count; i++)
		free(files.entries[i].name);
	free(files.entries);
	return ret;
}

/* If the name is PREFIX_LABELS_GROUP: the length of PREFIX, else 0. */
static size_t findLabels(const hdIGroup *group, const char *stem)
{
	size_t length = strlen(stem);
	size_t tail = group->name ? strlen(group->name) : 0;

	if (tail == 0 || group->labelCount == 0 || length <= tail ||
	    strcmp(stem + length - tail, group->name) != 0 ||
	    stem[length - tail - 1] != '_')
		return 0;
	length -= tail + 1;
	for (size_t i = group->labelCount; i-- > 0;) {
		tail = strlen(group->labels[i]);
		if (length <= tail + 1 ||
		    memcmp(stem + length - tail, group->labels[i], tail) ||
		    stem[length - tail - 1] != '_')
			return 0;
		length -= tail + 1;
	}
	return length;
}

static int useOneGroup(struct hdIFiles *files, const char *stem,
		       const char *name)
{
	struct hdIProjectData *project = files->project;
	struct hdIGroupData *group = projFilesReadGroup(files, name);
	struct hdINodeData *node = project->root;
	size_t length;

	if (!group)
		return -ENOMEM;
	length = findLabels(&group->pub, stem);
	if (length > 0) {
		size_t directory = strlen(files->directory);

		node = makeNode(files, "?", 1, &group->pub);
		project->pub.prefix =
			hdIArenaCopy(&project->arena, project->pub.prefix,
				     directory + length);
		if (!node || !project->pub.prefix)
			return -ENOMEM;
		project->pub.name = project->pub.prefix + directory;
		project->root->pub.label = project->pub.name;
	}
	for (struct hdINodeData *n = node; n; n = n->parent)
		n->pub.isDeclared = 1;
	group->order = 0;
	group->pub.isDeclared = 1;
	if (!group->pub.name)
		group->pub.name = stem;
	appendGroup(node, group);
	return 0;
}

int hdIFilesUseOne(struct hdIProjectData *project, const char *file)
{
	struct hdIFiles files = { 0 };
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	int ret = initFiles(&files, project);

	if (ret < 0)
		return ret;
	if (hdFrameStem(name, ".stat"))
		return useOneGroup(&files, files.base, name);
	if (hdFrameStem(name, ".rel"))
		return addRelations(&files, project->root, name);
	return addTrace(&files, project->root, name);
}
