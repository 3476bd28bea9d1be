/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: the definitions, at the end, since only then all
 * names are known.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"

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
	OTF2_StringRef ref = otf2String(self, text);

	g_free(text);
	return ref;
}

static void defineTree(struct otf2 *self)
{
	const hdIProject *project = self->export->project;

	otf2Check(self,
		  otf2Api.OTF2_GlobalDefWriter_WriteSystemTreeNode(
			  self->definitions, 0, otf2String(self, project->name),
			  otf2String(self, "project"),
			  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		if (!node->parent || !isInTree(self, node) ||
		    !exportHasNode(self->export, node))
			continue;
		g_hash_table_insert(self->tree, (gpointer)node,
				    GSIZE_TO_POINTER(++self->treeNodes));
		otf2Check(self,
			  otf2Api.OTF2_GlobalDefWriter_WriteSystemTreeNode(
				  self->definitions, self->treeNodes,
				  otf2String(self, node->label),
				  otf2String(self, levelType(self, node)),
				  treeNode(self, node->parent)));
	}
}

/** The node whose location group a location is part of: the rank, if any. */
static const hdINode *groupNode(const struct otf2 *self, const hdINode *node)
{
	return self->rankLevel ? rolesAt(node, self->rankLevel) : node;
}

static void defineLocations(struct otf2 *self)
{
	GHashTable *groups = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < self->locations->len; i++) {
		const struct otf2Location *location = otf2LocationAt(self, i);
		const hdINode *node = groupNode(self, location->node);
		gpointer group = g_hash_table_lookup(groups, node);

		if (!group) {
			group = GSIZE_TO_POINTER(g_hash_table_size(groups) + 1);
			g_hash_table_insert(groups, (gpointer)node, group);
			otf2Check(
				self,
				otf2Api.OTF2_GlobalDefWriter_WriteLocationGroup(
					self->definitions,
					(OTF2_LocationGroupRef)(GPOINTER_TO_SIZE(
									group) -
								1),
					titleRef(self, node),
					OTF2_LOCATION_GROUP_TYPE_PROCESS,
					treeNode(self, node),
					OTF2_UNDEFINED_LOCATION_GROUP));
		}
		otf2Check(
			self,
			otf2Api.OTF2_GlobalDefWriter_WriteLocation(
				self->definitions, i,
				location->group
					? otf2String(
						  self,
						  location->group->group->name)
				: location->name
					? otf2String(self, location->name)
					: titleRef(self, location->node),
				location->group ? OTF2_LOCATION_TYPE_METRIC
						: OTF2_LOCATION_TYPE_CPU_THREAD,
				location->events,
				(OTF2_LocationGroupRef)(GPOINTER_TO_SIZE(
								group) -
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
	OTF2_StringRef ref = otf2String(self, text);

	g_free(text);
	return ref;
}

/** An entry is an event at the end of its interval. */
static OTF2_MetricMode metricMode(enum hdKind kind)
{
	switch (kind) {
	case HD_KIND_COUNTER:
		return OTF2_METRIC_ACCUMULATED_START;
	case HD_KIND_DELTA:
		return OTF2_METRIC_RELATIVE_LAST;
	case HD_KIND_GAUGE:
		break;
	}
	return OTF2_METRIC_ABSOLUTE_LAST;
}

static OTF2_MetricMemberRef defineMember(struct otf2 *self,
					 const hdIGroup *group,
					 const hdIValue *value)
{
	OTF2_MetricMemberRef ref = self->members++;

	otf2Check(self,
		  otf2Api.OTF2_GlobalDefWriter_WriteMetricMember(
			  self->definitions, ref, otf2String(self, value->name),
			  sourceRef(self, group, value), OTF2_METRIC_TYPE_OTHER,
			  metricMode(valueKind(group, value, NULL)),
			  otf2MetricType(value->type), OTF2_BASE_DECIMAL, 0,
			  otf2String(self, value->unit)));
	exportLoseValue(self->export, value);
	return ref;
}

/** Define a metric class of a value of a location, and its instance: samples of
 *  one class have all of its members, and values may be missing. */
static void defineClass(struct otf2 *self, guint location, size_t number,
			OTF2_MetricRef class)
{
	const struct otf2Location *of = otf2LocationAt(self, location);
	OTF2_MetricMemberRef member =
		defineMember(self, of->group->group, of->group->values[number]);

	otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteMetricClass(
				self->definitions, class, 1, &member,
				OTF2_METRIC_ASYNCHRONOUS,
				OTF2_RECORDER_KIND_ABSTRACT));
	otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteMetricInstance(
				self->definitions, class + 1, class, location,
				OTF2_SCOPE_SYSTEM_TREE_NODE,
				treeNode(self, of->node)));
}

static void defineMetrics(struct otf2 *self)
{
	for (guint i = 0; i < self->locations->len; i++) {
		const struct otf2Location *location = otf2LocationAt(self, i);
		GArray *numbers;

		if (!location->group)
			continue;
		numbers = otf2NumbersOf(location->group);
		for (guint k = 0; k < numbers->len; k++)
			defineClass(self, i, g_array_index(numbers, size_t, k),
				    location->firstMetric + 2 * k);
		g_array_unref(numbers);
	}
}

/** The description of the project, and how many messages lack an end. */
static void describeArchive(struct otf2 *self)
{
	const char *description = self->export->project->description;
	GString *text = g_string_new(description);

	if (self->unsent || self->unreceived)
		g_string_append_printf(text,
				       "%smessages without a send: %" PRIu64
				       ", without a receive: %" PRIu64,
				       *description ? "\n" : "", self->unsent,
				       self->unreceived);
	if (text->len)
		otf2Check(self, otf2Api.OTF2_Archive_SetDescription(
					self->archive, text->str));
	g_string_free(text, TRUE);
}

/** Number the ranks that have a trace, in their order, and say where they are.
 *  Ranks to their number + 1. */
static GHashTable *defineRanks(struct otf2 *self)
{
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
	if (all->len)
		otf2Check(self,
			  otf2Api.OTF2_GlobalDefWriter_WriteGroup(
				  self->definitions, 0, otf2String(self, ""),
				  OTF2_GROUP_TYPE_COMM_LOCATIONS,
				  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
				  all->len,
				  (const uint64_t *)(void *)all->data));
	g_array_unref(all);
	return places;
}

/** Write a group of a communicator. */
static void defineGroup(struct otf2 *self, OTF2_GroupRef number,
			OTF2_StringRef name, const GArray *globals,
			GHashTable *places)
{
	GArray *members = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (guint i = 0; i < globals->len; i++) {
		int64_t rank = g_array_index(globals, int64_t, i);
		gpointer place = g_hash_table_lookup(places, &rank);
		uint64_t member = place ? GPOINTER_TO_SIZE(place) - 1 : 0;

		exportLose(
			self->export,
			rank == MESSAGES_ELSEWHERE
				? "processes of other programs in "
				  "communicators (replaced by the first rank)"
				: "ranks of communicators without a trace "
				  "(replaced by the first rank)",
			!place);
		g_array_append_val(members, member);
	}
	otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteGroup(
				self->definitions, number, name,
				OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
				OTF2_GROUP_FLAG_NONE, members->len,
				(const uint64_t *)(void *)members->data));
	g_array_unref(members);
}

/** Write a communicator; next is the number of its first group. */
static void defineComm(struct otf2 *self, const struct messageGroup *group,
		       OTF2_GroupRef *next, GHashTable *places)
{
	OTF2_StringRef name = otf2String(self, group->name);
	OTF2_GroupRef own = (*next)++;

	defineGroup(self, own, name, group->globals, places);
	if (!group->remotes) {
		otf2Check(self,
			  otf2Api.OTF2_GlobalDefWriter_WriteComm(
				  self->definitions, group->number, name, own,
				  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
		return;
	}
	defineGroup(self, *next, name, group->remotes, places);
	otf2Check(self,
		  otf2Api.OTF2_GlobalDefWriter_WriteInterComm(
			  self->definitions, group->number, name, own,
			  (*next)++, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void otf2DefineWindows(struct otf2 *self)
{
	for (guint i = 0; i < self->windowList->len; i++) {
		const struct otf2Window *window =
			&g_array_index(self->windowList, struct otf2Window, i);

		otf2Check(self,
			  otf2Api.OTF2_GlobalDefWriter_WriteRmaWin(
				  self->definitions, i, window->name,
				  window->comm,
				  OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
	}
}

/** Files belong to the whole system: whose they are is not in traces. */
static void otf2DefineFiles(struct otf2 *self)
{
	if (self->fileList->len)
		otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteIoParadigm(
					self->definitions, 0,
					otf2String(self, "MPI-IO"),
					otf2String(self, "MPI-IO"),
					OTF2_IO_PARADIGM_CLASS_PARALLEL,
					OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL,
					NULL, NULL));
	for (guint i = 0; i < self->fileList->len; i++)
		otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteIoRegularFile(
					self->definitions, i,
					g_array_index(self->fileList,
						      OTF2_StringRef, i),
					0));
	for (guint i = 0; i < self->handleList->len; i++) {
		const struct otf2Handle *handle =
			&g_array_index(self->handleList, struct otf2Handle, i);

		otf2Check(self,
			  otf2Api.OTF2_GlobalDefWriter_WriteIoHandle(
				  self->definitions, i, handle->name,
				  handle->file, 0, OTF2_IO_HANDLE_FLAG_NONE,
				  handle->comm, OTF2_UNDEFINED_IO_HANDLE));
	}
}

/** Communicators, by the locations of the ranks in the order of these. */
static void defineComms(struct otf2 *self)
{
	const GPtrArray *groups = messagesGroups(self->messages);
	GHashTable *places = defineRanks(self);
	bool hasRanks = g_hash_table_size(places) > 0;
	OTF2_GroupRef next = 1;

	exportLose(self->export, "communicators", hasRanks ? 0 : groups->len);
	for (guint i = 0; hasRanks && i < groups->len; i++)
		defineComm(self, groups->pdata[i], &next, places);
	g_hash_table_destroy(places);
	otf2DefineWindows(self);
	otf2DefineFiles(self);
}

static void defineNames(struct otf2 *self)
{
	OTF2_StringRef none = otf2String(self, "");

	for (guint i = 0; i < self->regionList->len; i++) {
		const struct otf2Region *region =
			&g_array_index(self->regionList, struct otf2Region, i);

		otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteRegion(
					self->definitions, i, region->name,
					region->name, none, region->role,
					region->paradigm, OTF2_REGION_FLAG_NONE,
					none, 0, 0));
	}
	for (guint i = 0; i < self->lineList->len; i++) {
		const struct otf2Line *line =
			&g_array_index(self->lineList, struct otf2Line, i);

		otf2Check(
			self,
			otf2Api.OTF2_GlobalDefWriter_WriteSourceCodeLocation(
				self->definitions, i, line->file, line->line));
	}
	for (guint i = 0; i < self->attributeList->len; i++) {
		const struct otf2Attribute *attribute = &g_array_index(
			self->attributeList, struct otf2Attribute, i);

		otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteAttribute(
					self->definitions, i, attribute->name,
					none, attribute->type));
	}
	otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteParameter(
				self->definitions, 0, otf2String(self, "event"),
				OTF2_PARAMETER_TYPE_STRING));
}

/** Make every string that definitions will name. */
static void nameAll(struct otf2 *self)
{
	const hdIProject *project = self->export->project;
	const GPtrArray *groups = messagesGroups(self->messages);

	otf2String(self, "");
	otf2String(self, "event");
	otf2String(self, "project");
	if (self->fileList->len)
		otf2String(self, "MPI-IO");
	otf2String(self, project->name);
	titleRef(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		otf2String(self, project->nodes[i]->label);
		otf2String(self, levelType(self, project->nodes[i]));
		titleRef(self, project->nodes[i]);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		otf2String(self, group->name);
		for (size_t k = 0; k < group->valueCount; k++) {
			otf2String(self, group->values[k].name);
			otf2String(self, group->values[k].unit);
			sourceRef(self, group, &group->values[k]);
		}
	}
	for (guint i = 0; i < groups->len; i++) {
		const struct messageGroup *group = groups->pdata[i];

		otf2String(self, group->name);
	}
}

/** The clock that a node's times were corrected by; NULL if there is none. */
static const hdIClock *otf2DefinitionsClockOf(const struct otf2 *self,
					      const hdINode *node)
{
	const hdIProject *project = self->export->project;

	for (; node; node = node->parent) {
		for (size_t i = 0; i < project->clockCount; i++) {
			if (strcmp(project->clocks[i].node, node->path) == 0)
				return &project->clocks[i];
		}
	}
	return NULL;
}

/**
 * Write the definitions of a location: how far its clock is from the others,
 * and how exactly that is known. Times are corrected, so it is nothing.
 */
static void defineClock(struct otf2 *self, guint number)
{
	const struct otf2Location *location = otf2LocationAt(self, number);
	const hdIClock *clock = otf2DefinitionsClockOf(self, location->node);
	OTF2_DefWriter *writer =
		otf2Api.OTF2_Archive_GetDefWriter(self->archive, number);

	if (!writer) {
		otf2Check(self, OTF2_ERROR_INVALID);
		return;
	}
	for (size_t i = 0; clock && i < clock->pointCount; i++) {
		const hdIClockPoint *point = &clock->points[i];

		otf2Check(self,
			  otf2Api.OTF2_DefWriter_WriteClockOffset(
				  writer,
				  (OTF2_TimeStamp)(point->time + point->offset),
				  0, (double)point->error));
	}
	otf2Check(self,
		  otf2Api.OTF2_Archive_CloseDefWriter(self->archive, writer));
}

/** All times lie between those of the locations. */
static void defineTimes(struct otf2 *self)
{
	int64_t first = INT64_MAX;
	int64_t last = INT64_MIN;

	for (guint i = 0; i < self->locations->len; i++) {
		first = MIN(first, otf2LocationAt(self, i)->first);
		last = MAX(last, otf2LocationAt(self, i)->last);
	}
	if (first > last)
		first = last = 0;
	otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteClockProperties(
				self->definitions, 1000000000, (uint64_t)first,
				(uint64_t)(last - first) + 1, (uint64_t)first));
}

void otf2Define(struct otf2 *self)
{
	guint strings;

	self->definitions =
		otf2Api.OTF2_Archive_GetGlobalDefWriter(self->archive);
	if (!self->definitions) {
		otf2Check(self, OTF2_ERROR_INVALID);
		return;
	}
	defineTimes(self);
	nameAll(self);
	strings = self->stringList->len;
	for (guint i = 0; i < strings; i++)
		otf2Check(self, otf2Api.OTF2_GlobalDefWriter_WriteString(
					self->definitions, i,
					self->stringList->pdata[i]));
	defineNames(self);
	defineTree(self);
	defineLocations(self);
	defineMetrics(self);
	defineComms(self);
	/* Readers want strings before what names them. */
	g_assert(self->stringList->len == strings);
	otf2Check(self, otf2Api.OTF2_Archive_SetCreator(
				self->archive, "hdtrace " PACKAGE_VERSION));
	describeArchive(self);
	otf2Check(self, otf2Api.OTF2_Archive_OpenDefFiles(self->archive));
	for (guint i = 0; i < self->locations->len; i++)
		defineClock(self, i);
	otf2Check(self, otf2Api.OTF2_Archive_CloseDefFiles(self->archive));
}
