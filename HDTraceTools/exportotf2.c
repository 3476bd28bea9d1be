/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file exportotf2.c
 * hdtrace export --to otf2: an archive of the Open Trace Format 2.
 *
 * A trace is a location, in the location group of its rank; nodes above the
 * ranks are the system tree. A group of statistics is a location for metrics,
 * with an instance of a metric class whose scope is the node. An entry is a
 * metric event at the end of its interval: its values hold since the one
 * before.
 *
 * Definitions are gathered in memory while events are written, and written at
 * the end, since only then all names are known.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "messages.h"
#include "units.h"

/** A metric event holds no more values than fit into its counter. */
#define MEMBERS_MAX 255
/** Texts of attributes that are kept; there may be any number. */
#define TEXTS_MAX 65536

/** A location: a group or a trace. */
struct location {
	const hdINode *node;
	const hdIGroup *group; /**< NULL for a trace. */
	uint64_t events;
	/** Its first metric class; its instance follows, and then the next. */
	OTF2_MetricRef firstMetric;
};

struct region {
	OTF2_StringRef name;
	OTF2_Paradigm paradigm;
};

struct attribute {
	OTF2_StringRef name;
	OTF2_Type type;
};

struct otf2 {
	struct export *export;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	OTF2_EvtWriter *events;
	OTF2_AttributeList *list;
	int rankLevel;       /**< Or 0. */
	GHashTable *strings; /**< Text to reference + 1. */
	GPtrArray *stringList;
	GHashTable *regions;    /**< Name to reference + 1. */
	GArray *regionList;     /**< struct region */
	GHashTable *attributes; /**< Type and name to reference + 1. */
	GArray *attributeList;  /**< struct attribute */
	size_t texts;           /**< Of attributes. */
	GArray *locations;      /**< struct location */
	GHashTable *ranks;      /**< Global rank to location + 1. */
	int64_t lastRank;
	GHashTable *tree; /**< hdINode to its number; the root has 0. */
	OTF2_SystemTreeNodeRef treeNodes;
	OTF2_MetricRef metrics;
	struct messages *messages;
	bool wantsSent;
	int64_t first; /**< First and last time. */
	int64_t last;
	OTF2_ErrorCode error; /**< The first one. */
};

/* ---- OTF2's ways ------------------------------------------------------- */

static OTF2_FlushType preFlush(void *data, OTF2_FileType type,
			       OTF2_LocationRef location, void *caller,
			       bool isFinal)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void)isFinal;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushCallbacks = {
	.otf2_pre_flush = preFlush,
};

/** Errors are said by who finds them, and not by the library. */
static OTF2_ErrorCode onError(void *data, const char *file, uint64_t line,
			      const char *function, OTF2_ErrorCode code,
			      const char *format, va_list arguments)
{
	(void)data;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	return code;
}

static bool check(struct otf2 *self, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && self->error == OTF2_SUCCESS)
		self->error = code;
	return self->error == OTF2_SUCCESS;
}

static OTF2_StringRef stringRef(struct otf2 *self, const char *text)
{
	gpointer found = g_hash_table_lookup(self->strings, text);
	char *copy;

	if (found)
		return (OTF2_StringRef)(GPOINTER_TO_SIZE(found) - 1);
	copy = g_strdup(text);
	g_ptr_array_add(self->stringList, copy);
	g_hash_table_insert(self->strings, copy,
			    GSIZE_TO_POINTER(self->stringList->len));
	return self->stringList->len - 1;
}

static void seeTime(struct otf2 *self, int64_t time)
{
	self->first = MIN(self->first, time);
	self->last = MAX(self->last, time);
}

static struct location *locationAt(struct otf2 *self, guint number)
{
	return &g_array_index(self->locations, struct location, number);
}

/* ---- Groups ------------------------------------------------------------ */

static OTF2_Type metricType(hdIType type)
{
	switch (type) {
	case HDI_INT32:
	case HDI_INT64:
		return OTF2_TYPE_INT64;
	case HDI_UINT64:
		return OTF2_TYPE_UINT64;
	default:
		return OTF2_TYPE_DOUBLE;
	}
}

/** The values of a group that are numbers. */
static GArray *numbersOf(const hdIGroup *group)
{
	GArray *columns = g_array_new(FALSE, FALSE, sizeof(size_t));

	for (size_t i = 0; i < group->valueCount; i++) {
		if (group->values[i].type != HDI_STRING)
			g_array_append_val(columns, i);
	}
	return columns;
}

static OTF2_MetricValue metricValue(const hdIBlock *block, hdIType type,
				    size_t column, size_t entry)
{
	const hdIColumn *values = &block->columns[column];
	OTF2_MetricValue value;

	if (type == HDI_INT32)
		value.signed_int = values->int32[entry];
	else if (type == HDI_INT64)
		value.signed_int = values->int64[entry];
	else if (type == HDI_UINT64)
		value.unsigned_int = values->uint64[entry];
	else
		value.floating_point = exportNumber(block, type, column, entry);
	return value;
}

static void putEntry(struct otf2 *self, struct location *location,
		     const GArray *columns, const hdIBlock *block, size_t entry)
{
	const hdIGroup *group = location->group;
	OTF2_Type types[MEMBERS_MAX];
	OTF2_MetricValue values[MEMBERS_MAX];
	OTF2_MetricRef metric = location->firstMetric + 1;

	for (guint first = 0; first < columns->len; first += MEMBERS_MAX) {
		guint count = MIN(columns->len - first, MEMBERS_MAX);

		for (guint i = 0; i < count; i++) {
			size_t column =
				g_array_index(columns, size_t, first + i);
			hdIType type = group->values[column].type;

			types[i] = metricType(type);
			values[i] = metricValue(block, type, column, entry);
		}
		check(self, OTF2_EvtWriter_Metric(
				    self->events, NULL,
				    (OTF2_TimeStamp)block->end[entry], metric,
				    (uint8_t)count, types, values));
		location->events++;
		metric += 2;
	}
	exportLose(self->export, "strings", group->valueCount - columns->len);
	exportLose(self->export, "gaps", block->isAfterGap[entry]);
}

static void putGroup(struct otf2 *self, struct location *location)
{
	const hdIGroup *group = location->group;
	hdIStatReader *reader = exportOpenStat(self->export, group);
	GArray *columns = numbersOf(group);
	const hdIBlock *block;
	int64_t start;

	if (reader && hdI_getStatStart(reader, &start))
		seeTime(self, start);
	while (reader && self->error == OTF2_SUCCESS &&
	       hdI_readStat(reader, &block) == 1) {
		for (size_t i = 0; i < block->count; i++)
			putEntry(self, location, columns, block, i);
		seeTime(self, block->end[0]);
		seeTime(self, block->end[block->count - 1]);
		self->export->entries += block->count;
		toolProgressAt(self->export->tool,
			       block->offset[block->count - 1]);
	}
	g_array_unref(columns);
	hdI_closeStat(reader);
}

/* ---- Traces ------------------------------------------------------------ */

static OTF2_RegionRef regionRef(struct otf2 *self, const hdIRecord *record)
{
	gpointer found = g_hash_table_lookup(self->regions, record->name);
	struct region region = { .paradigm = OTF2_PARADIGM_USER };

	if (found)
		return (OTF2_RegionRef)(GPOINTER_TO_SIZE(found) - 1);
	/* Functions of MPI have a communicator, as a rule. */
	for (size_t i = 0; i < record->attributeCount; i++) {
		if (strcmp(record->attributes[i].name, "cid") == 0)
			region.paradigm = OTF2_PARADIGM_MPI;
	}
	region.name = stringRef(self, record->name);
	g_array_append_val(self->regionList, region);
	g_hash_table_insert(self->regions, self->stringList->pdata[region.name],
			    GSIZE_TO_POINTER(self->regionList->len));
	return self->regionList->len - 1;
}

static OTF2_AttributeRef attributeRef(struct otf2 *self, const char *name,
				      OTF2_Type type)
{
	char *key = g_strdup_printf("%d %s", (int)type, name);
	gpointer found = g_hash_table_lookup(self->attributes, key);
	struct attribute attribute = { .type = type };

	if (found) {
		g_free(key);
		return (OTF2_AttributeRef)(GPOINTER_TO_SIZE(found) - 1);
	}
	attribute.name = stringRef(self, name);
	g_array_append_val(self->attributeList, attribute);
	g_hash_table_insert(self->attributes, key,
			    GSIZE_TO_POINTER(self->attributeList->len));
	return self->attributeList->len - 1;
}

static void addAttribute(struct otf2 *self, const char *name, const char *value)
{
	OTF2_AttributeRef ref;
	OTF2_ErrorCode code;
	gint64 number;

	if (g_ascii_string_to_signed(value, 10, INT64_MIN, INT64_MAX, &number,
				     NULL)) {
		code = OTF2_AttributeList_AddInt64(
			self->list, attributeRef(self, name, OTF2_TYPE_INT64),
			number);
	} else if (!g_hash_table_contains(self->strings, value) &&
		   ++self->texts > TEXTS_MAX) {
		exportLose(self->export, "further texts of attributes", 1);
		return;
	} else {
		ref = attributeRef(self, name, OTF2_TYPE_STRING);
		code = OTF2_AttributeList_AddStringRef(self->list, ref,
						       stringRef(self, value));
	}
	/* A list holds an attribute once. */
	if (code != OTF2_SUCCESS)
		exportLose(self->export, "repeated elements in a state", 1);
}

static void addAttributes(struct otf2 *self, const char *prefix,
			  const hdIAttribute *attributes, size_t attributeCount,
			  const hdIElement *elements, size_t elementCount)
{
	for (size_t i = 0; i < attributeCount; i++) {
		char *name = g_strconcat(prefix, attributes[i].name, NULL);

		addAttribute(self, name, attributes[i].value);
		g_free(name);
	}
	for (size_t i = 0; i < elementCount; i++) {
		const hdIElement *element = &elements[i];
		char *name = g_strconcat(prefix, element->name, ".", NULL);

		addAttributes(self, name, element->attributes,
			      element->attributeCount, element->children,
			      element->childCount);
		name[strlen(name) - 1] = '\0';
		if (*element->text)
			addAttribute(self, name, element->text);
		g_free(name);
	}
}

static void putMessage(const struct messageEnd *end, void *data)
{
	struct otf2 *self = data;
	struct location *location = locationAt(self, self->locations->len - 1);
	OTF2_TimeStamp time = (OTF2_TimeStamp)end->time;
	uint64_t size = end->size < 0 ? 0 : (uint64_t)end->size;

	if (end->isSent != self->wantsSent)
		return;
	exportLose(self->export, "that the size of a message is not known",
		   end->size < 0);
	if (end->isSent)
		check(self, OTF2_EvtWriter_MpiSend(self->events, NULL, time,
						   (uint32_t)end->localPeer,
						   end->group->number,
						   (uint32_t)end->tag, size));
	else
		check(self, OTF2_EvtWriter_MpiRecv(self->events, NULL, time,
						   (uint32_t)end->localPeer,
						   end->group->number,
						   (uint32_t)end->tag, size));
	self->export->messages += end->isSent;
	location->events++;
}

static void putStep(struct otf2 *self, const struct orderedStep *step)
{
	struct location *location = locationAt(self, self->locations->len - 1);
	const hdIRecord *record = step->record;
	OTF2_TimeStamp time = (OTF2_TimeStamp)step->time;

	seeTime(self, step->time);
	location->events++;
	if (step->kind == ORDERED_LEAVE) {
		self->wantsSent = false;
		messagesFind(self->messages, record, putMessage, self);
		check(self, OTF2_EvtWriter_Leave(self->events, NULL, time,
						 regionRef(self, record)));
		return;
	}
	OTF2_AttributeList_RemoveAllAttributes(self->list);
	addAttributes(self, "", record->attributes, record->attributeCount,
		      record->elements, record->elementCount);
	if (record->text && *record->text)
		addAttribute(self, "text", record->text);
	if (step->kind == ORDERED_EVENT) {
		check(self, OTF2_EvtWriter_ParameterString(
				    self->events, self->list, time, 0,
				    stringRef(self, record->name)));
		return;
	}
	check(self, OTF2_EvtWriter_Enter(self->events, self->list, time,
					 regionRef(self, record)));
	self->wantsSent = true;
	messagesFind(self->messages, record, putMessage, self);
}

static int putTrace(struct otf2 *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct orderedStep step;
	int64_t rank;
	int ret = 0;

	if (messagesEnter(self->messages, trace, &rank) &&
	    !g_hash_table_contains(self->ranks, &rank)) {
		g_hash_table_insert(self->ranks, g_memdup2(&rank, sizeof(rank)),
				    GSIZE_TO_POINTER(self->locations->len));
		self->lastRank = MAX(self->lastRank, rank);
	}
	while (ordered && self->error == OTF2_SUCCESS &&
	       (ret = exportReadTrace(self->export, ordered, trace, &step)) ==
		       1)
		putStep(self, &step);
	orderedClose(ordered);
	return ret < 0 ? -1 : 0;
}

/* ---- Definitions ------------------------------------------------------- */

/** Ranks and what is below them are not part of the system. */
static bool isInTree(const struct otf2 *self, const hdINode *node)
{
	return !node->parent || (self->rankLevel ? node->level < self->rankLevel
						 : node->level == 1);
}

static OTF2_SystemTreeNodeRef treeNode(const struct otf2 *self,
				       const hdINode *node)
{
	while (!isInTree(self, node))
		node = node->parent;
	return (OTF2_SystemTreeNodeRef)GPOINTER_TO_SIZE(
		g_hash_table_lookup(self->tree, node));
}

static const char *levelType(const struct otf2 *self, const hdINode *node)
{
	const hdIProject *project = self->export->project;

	if (node->level < 1 || (size_t)node->level > project->levelCount)
		return "";
	return project->levels[node->level - 1];
}

/** "Rank 3" */
static OTF2_StringRef titleRef(struct otf2 *self, const hdINode *node)
{
	const char *type = levelType(self, node);
	char *text =
		g_strdup_printf("%s%s%s", type, *type ? " " : "", node->label);
	OTF2_StringRef ref = stringRef(self, text);

	g_free(text);
	return ref;
}

static void defineTree(struct otf2 *self)
{
	const hdIProject *project = self->export->project;

	check(self,
	      OTF2_GlobalDefWriter_WriteSystemTreeNode(
		      self->definitions, 0, stringRef(self, project->name),
		      stringRef(self, "project"),
		      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		if (!node->parent || !isInTree(self, node))
			continue;
		g_hash_table_insert(self->tree, (gpointer)node,
				    GSIZE_TO_POINTER(++self->treeNodes));
		check(self, OTF2_GlobalDefWriter_WriteSystemTreeNode(
				    self->definitions, self->treeNodes,
				    stringRef(self, node->label),
				    stringRef(self, levelType(self, node)),
				    treeNode(self, node->parent)));
	}
}

/** The node whose location group a location is part of: the rank, if any. */
static const hdINode *groupNode(const struct otf2 *self, const hdINode *node)
{
	while (node->parent && self->rankLevel && node->level > self->rankLevel)
		node = node->parent;
	return node;
}

static void defineLocations(struct otf2 *self)
{
	GHashTable *groups = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < self->locations->len; i++) {
		const struct location *location = locationAt(self, i);
		const hdINode *node = groupNode(self, location->node);
		gpointer group = g_hash_table_lookup(groups, node);

		if (!group) {
			group = GSIZE_TO_POINTER(g_hash_table_size(groups) + 1);
			g_hash_table_insert(groups, (gpointer)node, group);
			check(self,
			      OTF2_GlobalDefWriter_WriteLocationGroup(
				      self->definitions,
				      (OTF2_LocationGroupRef)(GPOINTER_TO_SIZE(
								      group) -
							      1),
				      titleRef(self, node),
				      OTF2_LOCATION_GROUP_TYPE_PROCESS,
				      treeNode(self, node),
				      OTF2_UNDEFINED_LOCATION_GROUP));
		}
		check(self,
		      OTF2_GlobalDefWriter_WriteLocation(
			      self->definitions, i,
			      location->group
				      ? stringRef(self, location->group->name)
				      : titleRef(self, location->node),
			      location->group ? OTF2_LOCATION_TYPE_METRIC
					      : OTF2_LOCATION_TYPE_CPU_THREAD,
			      location->events,
			      (OTF2_LocationGroupRef)(GPOINTER_TO_SIZE(group) -
						      1)));
	}
	g_hash_table_destroy(groups);
}

/** What is said about a value. */
static OTF2_StringRef sourceRef(struct otf2 *self, const hdIGroup *group,
				const hdIValue *value)
{
	const char *source = valueStates(group, value, "source");
	char *text = g_strdup_printf(
		"%s%s", source ? source : "",
		valueIsSimulated(group, value) ? " (simulated)" : "");
	OTF2_StringRef ref = stringRef(self, text);

	g_free(text);
	return ref;
}

static OTF2_MetricMemberRef defineMember(struct otf2 *self,
					 const hdIGroup *group,
					 const hdIValue *value,
					 OTF2_MetricMemberRef ref)
{
	check(self,
	      OTF2_GlobalDefWriter_WriteMetricMember(
		      self->definitions, ref, stringRef(self, value->name),
		      sourceRef(self, group, value), OTF2_METRIC_TYPE_OTHER,
		      OTF2_METRIC_ABSOLUTE_LAST, metricType(value->type),
		      OTF2_BASE_DECIMAL, 0, stringRef(self, value->unit)));
	exportLose(self->export, "groupings and other attributes of values",
		   *value->grouping || value->attributeCount);
	return ref;
}

static void defineMetrics(struct otf2 *self)
{
	OTF2_MetricMemberRef member = 0;

	for (guint i = 0; i < self->locations->len; i++) {
		const struct location *location = locationAt(self, i);
		OTF2_MetricRef class = location->firstMetric;
		GArray *columns;

		if (!location->group)
			continue;
		columns = numbersOf(location->group);
		for (guint first = 0; first < columns->len;
		     first += MEMBERS_MAX) {
			guint count = MIN(columns->len - first, MEMBERS_MAX);
			OTF2_MetricMemberRef members[MEMBERS_MAX];

			for (guint k = 0; k < count; k++)
				members[k] = defineMember(
					self, location->group,
					&location->group->values[g_array_index(
						columns, size_t, first + k)],
					member++);
			check(self,
			      OTF2_GlobalDefWriter_WriteMetricClass(
				      self->definitions, class, (uint8_t)count,
				      members, OTF2_METRIC_ASYNCHRONOUS,
				      OTF2_RECORDER_KIND_ABSTRACT));
			check(self, OTF2_GlobalDefWriter_WriteMetricInstance(
					    self->definitions, class + 1, class,
					    i, OTF2_SCOPE_SYSTEM_TREE_NODE,
					    treeNode(self, location->node)));
			class ++;
		}
		g_array_unref(columns);
	}
}

/** Communicators, by the locations of the ranks in the order of these. */
static void defineComms(struct otf2 *self)
{
	const GPtrArray *groups = messagesGroups(self->messages);
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	GHashTable *places = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						   g_free, NULL);

	for (int64_t rank = 0; rank <= self->lastRank; rank++) {
		gpointer found = g_hash_table_lookup(self->ranks, &rank);
		uint64_t location = GPOINTER_TO_SIZE(found) - 1;

		if (!found)
			continue;
		g_array_append_val(all, location);
		g_hash_table_insert(places, g_memdup2(&rank, sizeof(rank)),
				    GSIZE_TO_POINTER(all->len));
	}
	if (!all->len) {
		exportLose(self->export, "communicators", groups->len);
		g_hash_table_destroy(places);
		g_array_unref(all);
		return;
	}
	check(self, OTF2_GlobalDefWriter_WriteGroup(
			    self->definitions, 0, stringRef(self, ""),
			    OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
			    OTF2_GROUP_FLAG_NONE, all->len,
			    (const uint64_t *)(void *)all->data));
	for (guint i = 0; i < groups->len; i++) {
		const struct messageGroup *group = groups->pdata[i];

		g_array_set_size(all, 0);
		for (guint k = 0; k < group->globals->len; k++) {
			gpointer place = g_hash_table_lookup(
				places,
				&g_array_index(group->globals, int64_t, k));
			uint64_t member = GPOINTER_TO_SIZE(place) - 1;

			exportLose(
				self->export,
				"ranks of communicators without a trace; the "
				"first rank stands for them",
				!place);
			if (!place)
				member = 0;
			g_array_append_val(all, member);
		}
		check(self,
		      OTF2_GlobalDefWriter_WriteGroup(
			      self->definitions, i + 1,
			      stringRef(self, group->name),
			      OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
			      OTF2_GROUP_FLAG_NONE, all->len,
			      (const uint64_t *)(void *)all->data));
		check(self, OTF2_GlobalDefWriter_WriteComm(
				    self->definitions, i,
				    stringRef(self, group->name), i + 1,
				    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
	g_hash_table_destroy(places);
	g_array_unref(all);
}

static void defineNames(struct otf2 *self)
{
	OTF2_StringRef none = stringRef(self, "");

	for (guint i = 0; i < self->regionList->len; i++) {
		const struct region *region =
			&g_array_index(self->regionList, struct region, i);

		check(self, OTF2_GlobalDefWriter_WriteRegion(
				    self->definitions, i, region->name,
				    region->name, none,
				    region->paradigm == OTF2_PARADIGM_MPI
					    ? OTF2_REGION_ROLE_FUNCTION
					    : OTF2_REGION_ROLE_CODE,
				    region->paradigm, OTF2_REGION_FLAG_NONE,
				    none, 0, 0));
	}
	for (guint i = 0; i < self->attributeList->len; i++) {
		const struct attribute *attribute = &g_array_index(
			self->attributeList, struct attribute, i);

		check(self, OTF2_GlobalDefWriter_WriteAttribute(
				    self->definitions, i, attribute->name, none,
				    attribute->type));
	}
	check(self, OTF2_GlobalDefWriter_WriteParameter(
			    self->definitions, 0, stringRef(self, "event"),
			    OTF2_PARAMETER_TYPE_STRING));
}

/** Make every string that definitions will name. */
static void nameAll(struct otf2 *self)
{
	const hdIProject *project = self->export->project;
	const GPtrArray *groups = messagesGroups(self->messages);

	stringRef(self, "");
	stringRef(self, "event");
	stringRef(self, "project");
	stringRef(self, project->name);
	titleRef(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		stringRef(self, project->nodes[i]->label);
		stringRef(self, levelType(self, project->nodes[i]));
		titleRef(self, project->nodes[i]);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		stringRef(self, group->name);
		for (size_t k = 0; k < group->valueCount; k++) {
			stringRef(self, group->values[k].name);
			stringRef(self, group->values[k].unit);
			sourceRef(self, group, &group->values[k]);
		}
	}
	for (guint i = 0; i < groups->len; i++) {
		const struct messageGroup *group = groups->pdata[i];

		stringRef(self, group->name);
	}
}

static void define(struct otf2 *self)
{
	const hdIProject *project = self->export->project;
	uint64_t first = self->first <= self->last ? (uint64_t)self->first : 0;
	uint64_t length = self->first <= self->last
				  ? (uint64_t)(self->last - self->first)
				  : 0;
	guint strings;

	self->definitions = OTF2_Archive_GetGlobalDefWriter(self->archive);
	if (!self->definitions) {
		check(self, OTF2_ERROR_INVALID);
		return;
	}
	check(self,
	      OTF2_GlobalDefWriter_WriteClockProperties(
		      self->definitions, 1000000000, first, length + 1, first));
	nameAll(self);
	strings = self->stringList->len;
	for (guint i = 0; i < strings; i++)
		check(self, OTF2_GlobalDefWriter_WriteString(
				    self->definitions, i,
				    self->stringList->pdata[i]));
	defineNames(self);
	defineTree(self);
	defineLocations(self);
	defineMetrics(self);
	defineComms(self);
	/* Readers want strings before what names them. */
	g_assert(self->stringList->len == strings);
	check(self, OTF2_Archive_SetCreator(self->archive,
					    "hdtrace " PACKAGE_VERSION));
	if (*project->description)
		check(self, OTF2_Archive_SetDescription(self->archive,
							project->description));
	check(self, OTF2_Archive_OpenDefFiles(self->archive));
	for (guint i = 0; i < self->locations->len; i++) {
		OTF2_DefWriter *writer =
			OTF2_Archive_GetDefWriter(self->archive, i);

		if (writer)
			check(self, OTF2_Archive_CloseDefWriter(self->archive,
								writer));
	}
	check(self, OTF2_Archive_CloseDefFiles(self->archive));
}

/* ---- The archive ------------------------------------------------------- */

/** Write a location; trace is NULL for a group. */
static int putLocation(struct otf2 *self, const hdIGroup *group,
		       const hdITraceFile *trace)
{
	struct location location = {
		.node = group ? group->node : trace->node,
		.group = group,
		.firstMetric = self->metrics,
	};
	int ret = 0;

	self->events =
		OTF2_Archive_GetEvtWriter(self->archive, self->locations->len);
	if (!self->events) {
		check(self, OTF2_ERROR_INVALID);
		return 0;
	}
	g_array_append_val(self->locations, location);
	if (group) {
		GArray *columns = numbersOf(group);

		self->metrics +=
			2 * ((columns->len + MEMBERS_MAX - 1) / MEMBERS_MAX);
		g_array_unref(columns);
		putGroup(self, locationAt(self, self->locations->len - 1));
		toolProgressFile(self->export->tool, group->fileSize);
	} else {
		ret = putTrace(self, trace);
		toolProgressFile(self->export->tool, trace->fileSize);
	}
	check(self, OTF2_Archive_CloseEvtWriter(self->archive, self->events));
	return ret;
}

static int putProject(struct otf2 *self)
{
	const hdIProject *project = self->export->project;
	int ret = 0;

	check(self, OTF2_Archive_SetFlushCallbacks(self->archive,
						   &flushCallbacks, NULL));
	check(self, OTF2_Archive_SetSerialCollectiveCallbacks(self->archive));
	check(self, OTF2_Archive_OpenEvtFiles(self->archive));
	for (size_t i = 0; i < project->groupCount; i++) {
		if (project->groups[i]->isReadable &&
		    self->error == OTF2_SUCCESS)
			putLocation(self, project->groups[i], NULL);
	}
	for (size_t i = 0; i < project->traceCount && ret == 0; i++) {
		if (self->error == OTF2_SUCCESS)
			ret = putLocation(self, NULL, project->traces[i]);
	}
	check(self, OTF2_Archive_CloseEvtFiles(self->archive));
	if (ret == 0 && self->error == OTF2_SUCCESS)
		define(self);
	return ret;
}

static void openTables(struct otf2 *self)
{
	const hdIProject *project = self->export->project;

	self->list = OTF2_AttributeList_New();
	self->strings = g_hash_table_new(g_str_hash, g_str_equal);
	self->stringList = g_ptr_array_new_with_free_func(g_free);
	self->regions = g_hash_table_new(g_str_hash, g_str_equal);
	self->regionList = g_array_new(FALSE, FALSE, sizeof(struct region));
	self->attributes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->attributeList =
		g_array_new(FALSE, FALSE, sizeof(struct attribute));
	self->locations = g_array_new(FALSE, FALSE, sizeof(struct location));
	self->ranks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	self->tree = g_hash_table_new(NULL, NULL);
	self->messages = messagesNew(project);
	for (size_t i = 0; i < project->levelCount && !self->rankLevel; i++) {
		if (g_ascii_strncasecmp(project->levels[i], "Rank", 4) == 0)
			self->rankLevel = (int)i + 1;
	}
}

static void closeTables(struct otf2 *self)
{
	OTF2_AttributeList_Delete(self->list);
	g_hash_table_destroy(self->strings);
	g_hash_table_destroy(self->regions);
	g_hash_table_destroy(self->attributes);
	g_hash_table_destroy(self->ranks);
	g_hash_table_destroy(self->tree);
	g_ptr_array_unref(self->stringList);
	g_array_unref(self->regionList);
	g_array_unref(self->attributeList);
	g_array_unref(self->locations);
	messagesFree(self->messages);
}

static int writeOtf2(struct export *export)
{
	struct otf2 self = {
		.export = export,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.lastRank = -1,
	};
	int ret = -1;

	exportLoseProject(export);
	OTF2_Error_RegisterCallback(onError, NULL);
	self.archive =
		OTF2_Archive_Open(export->output, "traces", OTF2_FILEMODE_WRITE,
				  OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
				  OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
				  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!self.archive) {
		toolError(export->tool, "%s: OTF2 cannot open an archive there",
			  export->output);
		return -1;
	}
	g_ptr_array_add(export->files,
			g_build_filename(export->output, "traces.otf2", NULL));
	openTables(&self);
	ret = putProject(&self);
	check(&self, OTF2_Archive_Close(self.archive));
	if (self.error != OTF2_SUCCESS) {
		toolError(export->tool, "%s: OTF2: %s", export->output,
			  OTF2_Error_GetDescription(self.error));
		ret = -1;
	}
	closeTables(&self);
	return ret;
}

const struct exportFormat exportOtf2 = {
	.name = "otf2",
	.suffix = ".otf2.d",
	.isDirectory = true,
	.keepsDescription = true,
	.write = writeOtf2,
};
