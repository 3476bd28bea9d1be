/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of nodes. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/project/project.h"

int hdITextListAppend(struct hdIArena *arena, struct hdITextList *list,
		      const char *text)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 8;
		const char **texts;

		texts = hdIArenaAllocArray(arena, room, sizeof(*texts));
		if (!texts)
			return -ENOMEM;
		if (list->count > 0)
			memcpy(texts, list->texts,
			       list->count * sizeof(*texts));
		list->texts = texts;
		list->room = room;
	}
	list->texts[list->count++] = text;
	return 0;
}

struct hdINodeData *hdITopologyFind(const struct hdIProjectData *project,
				    const char *path, size_t length)
{
	struct hdINodeData *node =
		hdMapGetPointer(&project->nodes, hdMapHashBytes(path, length));

	while (node && (strncmp(node->pub.path, path, length) != 0 ||
			node->pub.path[length] != '\0'))
		node = node->nextHash;
	return node;
}

/* Behind those of the same path: the first stays the one that is found. */
static int insertHash(struct hdIProjectData *project, struct hdINodeData *node)
{
	bool isNew;
	uint64_t *value = hdMapAdd(&project->nodes,
				   hdMapHashText(node->pub.path), &isNew);
	struct hdINodeData *other;

	if (!value)
		return -ENOMEM;
	if (isNew) {
		*value = (uintptr_t)node;
		return 0;
	}
	other = (struct hdINodeData *)(uintptr_t)*value;
	while (other->nextHash)
		other = other->nextHash;
	other->nextHash = node;
	return 0;
}

/* Delete what the original reader deleted from names. */
static void clean(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++)
		if ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') ||
		    (*p >= '0' && *p <= '9') || *p == '-' || *p == '.' ||
		    *p == ' ')
			*to++ = *p;
	*to = '\0';
}

const char *hdITopologyClean(struct hdIArena *arena, const char *text)
{
	char *copy = hdIArenaCopy(arena, text, strlen(text));

	if (copy)
		clean(copy);
	return copy;
}

int hdITopologyInit(struct hdIProjectData *project, const char *label)
{
	struct hdINodeData *root =
		hdIArenaAlloc(&project->arena, sizeof(*root));

	if (!root)
		return -ENOMEM;
	root->pub.label = label;
	root->pub.path = "";
	root->cleanPath = "";
	root->pub.isDeclared = 1;
	project->root = root;
	project->pub.root = &root->pub;
	project->pub.nodeCount = 1;
	return insertHash(project, root);
}

/* The clean path of a child; it is the path itself where they are equal. */
static const char *cleanPathOf(struct hdIArena *arena,
			       const struct hdINodeData *parent,
			       const char *label, const char *path)
{
	const char *result = hdITopologyClean(arena, label);

	if (result && parent->parent)
		result = hdIArenaPrintf(arena, "%s_%s", parent->cleanPath,
					result);
	return result && strcmp(result, path) == 0 ? path : result;
}

struct hdINodeData *hdITopologyAdd(struct hdIProjectData *project,
				   struct hdINodeData *parent,
				   const char *label, int *isNew)
{
	struct hdIArena *arena = &project->arena;
	struct hdINodeData *node;
	const char *path = label;

	if (parent->parent) {
		path = hdIArenaPrintf(arena, "%s_%s", parent->pub.path, label);
		if (!path)
			return NULL;
	}
	node = hdITopologyFind(project, path, strlen(path));
	if (isNew)
		*isNew = 0;
	/* "a_b" may be one label or two, so look at the parent, too. */
	for (; node; node = node->nextHash)
		if (node->parent == parent && !strcmp(node->pub.label, label))
			return node;

	node = hdIArenaAlloc(arena, sizeof(*node));
	if (!node)
		return NULL;
	node->cleanPath = cleanPathOf(arena, parent, label, path);
	if (!node->cleanPath)
		return NULL;
	node->pub.label = label;
	node->pub.path = path;
	node->pub.level = parent->pub.level + 1;
	node->pub.parent = &parent->pub;
	node->parent = parent;
	if (insertHash(project, node) < 0)
		return NULL;
	if (parent->lastChild)
		parent->lastChild->next = node;
	else
		parent->firstChild = node;
	parent->lastChild = node;
	parent->pub.childCount++;
	project->pub.nodeCount++;
	if (isNew)
		*isNew = 1;
	return node;
}

struct hdINodeData *hdITopologyNext(const struct hdINodeData *node)
{
	if (node->firstChild)
		return node->firstChild;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

/* A group begins with its public part. */
static const struct hdIGroupData *topologyGroupOf(const void *item)
{
	return (const struct hdIGroupData *)*(const hdIGroup *const *)item;
}

static int compareGroups(const void *a, const void *b)
{
	const struct hdIGroupData *left = topologyGroupOf(a);
	const struct hdIGroupData *right = topologyGroupOf(b);

	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	return strcmp(left->pub.name, right->pub.name);
}

/* Arrays of one node. */
static int finishNode(struct hdIArena *arena, struct hdINodeData *node)
{
	const hdINode **children;
	const hdIGroup **groups;
	size_t count = 0;

	children = hdIArenaAllocArray(arena, node->pub.childCount,
				      sizeof(*children));
	groups = hdIArenaAllocArray(arena, node->pub.groupCount,
				    sizeof(*groups));
	if (!children || !groups)
		return -ENOMEM;
	for (struct hdINodeData *n = node->firstChild; n; n = n->next)
		children[count++] = &n->pub;
	count = 0;
	for (struct hdIGroupData *g = node->firstGroup; g; g = g->next)
		groups[count++] = &g->pub;
	qsort(groups, count, sizeof(*groups), compareGroups);
	node->pub.children = children;
	node->pub.groups = groups;
	return 0;
}

int hdITopologyFinish(struct hdIProjectData *project)
{
	struct hdIArena *arena = &project->arena;
	hdIProject *pub = &project->pub;
	const hdIGroup **groups;
	const hdITraceFile **traces;
	const hdIRelationFile **relations;
	const hdINode **nodes;
	int depth = 0;

	pub->nodeCount = 0;
	for (struct hdINodeData *n = project->root; n; n = hdITopologyNext(n)) {
		if (finishNode(arena, n) < 0)
			return -ENOMEM;
		pub->nodeCount++;
		pub->groupCount += n->pub.groupCount;
		pub->traceCount += n->pub.trace != NULL;
		pub->relationCount += n->pub.relations != NULL;
		if (n->pub.level > depth)
			depth = n->pub.level;
	}
	while (project->levels.count < (size_t)depth)
		if (hdITextListAppend(arena, &project->levels, "") < 0)
			return -ENOMEM;

	nodes = hdIArenaAllocArray(arena, pub->nodeCount, sizeof(*nodes));
	groups = hdIArenaAllocArray(arena, pub->groupCount, sizeof(*groups));
	traces = hdIArenaAllocArray(arena, pub->traceCount, sizeof(*traces));
	relations = hdIArenaAllocArray(arena, pub->relationCount,
				       sizeof(*relations));
	if (!nodes || !groups || !traces || !relations)
		return -ENOMEM;
	pub->nodes = nodes;
	pub->groups = groups;
	pub->traces = traces;
	pub->relations = relations;
	for (struct hdINodeData *n = project->root; n; n = hdITopologyNext(n)) {
		*nodes++ = &n->pub;
		for (size_t i = 0; i < n->pub.groupCount; i++)
			*groups++ = n->pub.groups[i];
		if (n->pub.trace)
			*traces++ = n->pub.trace;
		if (n->pub.relations)
			*relations++ = n->pub.relations;
	}
	pub->levels = project->levels.texts;
	pub->levelCount = project->levels.count;
	pub->declaredGroups = project->declaredGroups.texts;
	pub->declaredGroupCount = project->declaredGroups.count;
	return 0;
}

/* A shift that leaves room to add times to it. */
#define SHIFT_MAX (100 * INT64_C(366) * 86400 * INT64_C(1000000000))

void hdI_shiftGroup(hdIProject *project, const hdIGroup *group, int64_t ns)
{
	(void)project;
	if (ns > SHIFT_MAX)
		ns = SHIFT_MAX;
	if (ns < -SHIFT_MAX)
		ns = -SHIFT_MAX;
	((struct hdIGroupData *)group)->pub.timeAdjustment += ns;
}

const hdINode *hdI_findNode(const hdIProject *project, const char *path)
{
	const struct hdINodeData *node;

	node = hdITopologyFind((const struct hdIProjectData *)project, path,
			       strlen(path));
	return node ? &node->pub : NULL;
}
