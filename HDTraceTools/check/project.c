/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: what the .proj says, and the .info files.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/check/check.h"
#include "HDTraceTools/model/clocksteps.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"
#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"

const char *checkLabelAt(const hdINode *node, unsigned int level)
{
	if (level == 0)
		return NULL;
	while (node && (unsigned int)node->level > level)
		node = node->parent;
	return node && (unsigned int)node->level == level ? node->label : NULL;
}

/** A set of strings that are put together from parts. */
static bool addKey(GHashTable *set, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static bool addKey(GHashTable *set, const char *format, ...)
{
	va_list arguments;
	char *key;

	va_start(arguments, format);
	key = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return g_hash_table_add(set, key);
}

static bool hasKey(GHashTable *set, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static bool hasKey(GHashTable *set, const char *format, ...)
{
	va_list arguments;
	char *key;
	bool found;

	va_start(arguments, format);
	key = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	found = g_hash_table_contains(set, key);
	g_free(key);
	return found;
}

static GHashTable *checkProjectNewSet(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

bool checkHasComm(const struct check *check, const char *rank, const char *id)
{
	if (!id)
		return hasKey(check->comms, "%s", rank);
	return hasKey(check->comms, "%s %s", rank, id);
}

bool checkHasDatatype(const struct check *check, const char *rank,
		      const char *thread, const char *id)
{
	if (!id)
		return hasKey(check->datatypes, "%s %s", rank, thread);
	return hasKey(check->datatypes, "%s %s %s", rank, thread, id);
}

/* ---- Topology and groups ----------------------------------------------- */

static void checkDepth(struct check *check)
{
	const hdIProject *project = check->project;

	if (!g_str_has_suffix(project->file, ".proj"))
		return;
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		if (node->isDeclared && node->level > 0 &&
		    ((size_t)node->level > project->levelCount ||
		     !*project->levels[node->level - 1]))
			toolReport(check->tool, "proj.depth", project->file, -1,
				   0, "node \"%s\": level %d has no type",
				   node->path, node->level);
	}
}

static void checkDeclaredGroups(struct check *check)
{
	const hdIProject *project = check->project;
	GHashTable *seen = checkProjectNewSet();

	for (size_t i = 0; i < project->declaredGroupCount; i++) {
		if (!addKey(seen, "%s", project->declaredGroups[i]))
			toolReport(check->tool, "proj.group-twice",
				   project->file, -1, 0,
				   "group \"%s\": declared twice",
				   project->declaredGroups[i]);
	}
	g_hash_table_destroy(seen);
}

/* ---- Communicators ----------------------------------------------------- */

/** Collect the labels of all nodes that are ranks or threads. */
static GHashTable *collectRanks(const struct check *check)
{
	const hdIProject *project = check->project;
	GHashTable *ranks = checkProjectNewSet();

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];
		const char *rank = checkLabelAt(node, check->rankLevel);
		const char *thread = checkLabelAt(node, check->threadLevel);

		if (!rank)
			continue;
		addKey(ranks, "%s", rank);
		if (thread)
			addKey(ranks, "%s %s", rank, thread);
	}
	return ranks;
}

/** A group of a communicator that is checked. */
struct commGroup {
	const hdICommunicator *comm;
	size_t number; /**< Of the communicator, from 1. */
	const hdIRank *ranks;
	size_t count;
	int64_t size;
	GHashTable *globals; /**< Of both groups. */
	GHashTable *locals;
};

static void checkRank(struct check *check, const struct commGroup *group,
		      const hdIRank *rank, GHashTable *ranks)
{
	const char *file = check->project->file;
	const char *name = group->comm->name;

	if (check->rankLevel && !hasKey(ranks, "%" PRId64, rank->global))
		toolReport(check->tool, "proj.comm-rank", file, -1, 0,
			   "communicator %zu (\"%s\"): rank %" PRId64
			   " is not a node",
			   group->number, name, rank->global);
	if (!addKey(group->globals, "%" PRId64, rank->global))
		toolReport(check->tool, "proj.comm-twice", file, -1, 0,
			   "communicator %zu (\"%s\"): rank %" PRId64
			   " occurs twice",
			   group->number, name, rank->global);
	if (!addKey(group->locals, "%" PRId64, rank->local))
		toolReport(check->tool, "proj.comm-twice", file, -1, 0,
			   "communicator %zu (\"%s\"): local rank %" PRId64
			   " occurs twice",
			   group->number, name, rank->local);
	if (rank->local < 0 || rank->local >= group->size)
		toolReport(check->tool, "proj.comm-local", file, -1, 0,
			   "communicator %zu (\"%s\"): %" PRId64
			   " ranks, but local rank %" PRId64,
			   group->number, name, group->size, rank->local);
	addKey(check->comms, "%" PRId64, rank->global);
	if (!addKey(check->comms, "%" PRId64 " %" PRId64, rank->global,
		    rank->cid))
		toolReport(check->tool, "proj.comm-id", file, -1, 0,
			   "rank %" PRId64
			   ": two communicators have the id %" PRId64,
			   rank->global, rank->cid);
}

static void checkProjectCheckGroup(struct check *check, struct commGroup *group,
				   GHashTable *ranks)
{
	group->locals = checkProjectNewSet();
	for (size_t i = 0; i < group->count; i++)
		checkRank(check, group, &group->ranks[i], ranks);
	g_hash_table_destroy(group->locals);
}

static void checkCommunicators(struct check *check, GHashTable *ranks)
{
	const hdIProject *project = check->project;
	GHashTable *uids = checkProjectNewSet();

	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];
		struct commGroup group = {
			.comm = comm,
			.number = i + 1,
			.ranks = comm->ranks,
			.count = comm->rankCount,
			.size = comm->size,
			.globals = checkProjectNewSet(),
		};

		if (*comm->uid && !addKey(uids, "%s", comm->uid))
			toolReport(check->tool, "proj.comm-uid", project->file,
				   -1, 0,
				   "communicator %zu (\"%s\"): another "
				   "communicator has the same uid",
				   i + 1, comm->name);
		checkProjectCheckGroup(check, &group, ranks);
		group.ranks = comm->remoteRanks;
		group.count = comm->remoteRankCount;
		group.size = comm->remoteSize;
		checkProjectCheckGroup(check, &group, ranks);
		g_hash_table_destroy(group.globals);
	}
	g_hash_table_destroy(uids);
}

/* ---- Datatypes --------------------------------------------------------- */

/** Report an error if a datatype is made of one that is not there. */
static void checkBase(struct check *check, const hdIDatatype *type,
		      const char *id)
{
	if (!checkHasDatatype(check, type->rank, type->thread, id))
		toolReport(check->tool, "proj.datatype-base",
			   check->project->file, -1, 0,
			   "datatype %" PRId64
			   " of rank \"%s\", thread \"%s\": its base type %s "
			   "is not defined",
			   type->id, type->rank, type->thread, id);
}

static void checkBases(struct check *check, const hdIDatatype *type)
{
	size_t size = strlen(type->content);
	struct xmlPiece piece;
	size_t start;
	size_t end;

	for (size_t i = 0; i < type->attributeCount; i++) {
		if (strcmp(type->attributes[i].name, "oldType") == 0)
			checkBase(check, type, type->attributes[i].value);
	}
	for (size_t at = 0; xmlNext(type->content, size, at, &piece);
	     at = piece.end) {
		char *id;

		if (piece.kind != XML_EMPTY && piece.kind != XML_START)
			continue;
		if (!xmlHasName(type->content, &piece, "Type") ||
		    !xmlFindAttribute(type->content, &piece, "id", &start,
				      &end))
			continue;
		id = g_strndup(type->content + start, end - start);
		checkBase(check, type, id);
		g_free(id);
	}
}

static void checkClockNodes(struct check *check)
{
	const hdIProject *project = check->project;

	for (size_t i = 0; i < project->clockCount; i++) {
		if (!hdI_findNode(project, project->clocks[i].node))
			toolReport(check->tool, "proj.clock-node",
				   project->file, -1, 0,
				   "clock of \"%s\": not a node",
				   project->clocks[i].node);
	}
}

static void checkDatatypes(struct check *check, GHashTable *ranks)
{
	const hdIProject *project = check->project;
	bool hasThreads = rolesLevel(project, HD_LEVEL_THREAD) > 0;
	GHashTable *reported = checkProjectNewSet();

	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];
		bool exists = hasThreads ? hasKey(ranks, "%s %s", type->rank,
						  type->thread)
					 : hasKey(ranks, "%s", type->rank);

		if (check->rankLevel && !exists &&
		    addKey(reported, "%s %s", type->rank, type->thread))
			toolReport(check->tool, "proj.datatype-rank",
				   project->file, -1, 0,
				   "datatypes of rank \"%s\", thread \"%s\": "
				   "not a node",
				   type->rank, type->thread);
		addKey(check->datatypes, "%s %s", type->rank, type->thread);
		if (!addKey(check->datatypes, "%s %s %" PRId64, type->rank,
			    type->thread, type->id))
			toolReport(check->tool, "proj.datatype-twice",
				   project->file, -1, 0,
				   "rank \"%s\", thread \"%s\": two datatypes "
				   "have the id %" PRId64,
				   type->rank, type->thread, type->id);
	}
	for (size_t i = 0; i < project->datatypeCount; i++)
		checkBases(check, &project->datatypes[i]);
	g_hash_table_destroy(reported);
}

void checkProject(struct check *check)
{
	GHashTable *ranks;

	check->hostLevel =
		MAX((unsigned int)rolesLevel(check->project, HD_LEVEL_HOST), 1);
	check->rankLevel = (unsigned int)rolesRankLevel(check->project);
	check->threadLevel = (unsigned int)rolesThreadLevel(check->project);
	ranks = collectRanks(check);
	checkDepth(check);
	checkDeclaredGroups(check);
	checkCommunicators(check, ranks);
	checkDatatypes(check, ranks);
	checkClockNodes(check);
	g_hash_table_destroy(ranks);
}

/* ---- .info files ------------------------------------------------------- */

static bool holdsRank(const struct infoLine *line, int64_t rank)
{
	for (guint i = 0; i < line->ranks->len; i++) {
		if (g_array_index(line->ranks, struct infoRank, i).global ==
		    rank)
			return true;
	}
	return false;
}

/** Check what infoParse() could read. */
static void checkLines(struct check *check, const char *file,
		       const GPtrArray *lines, int64_t rank)
{
	GHashTable *ids = checkProjectNewSet();

	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind == INFO_FILE || line->kind == INFO_CLOCK ||
		    line->kind == INFO_COMM_NAME ||
		    line->kind == INFO_PROCESS || line->kind == INFO_STEP)
			continue;
		if (line->kind == INFO_COMM && !holdsRank(line, rank))
			toolReport(check->tool, "info.comm-rank", file,
				   line->offset, line->line,
				   "communicator %" PRId64
				   " does not contain rank %" PRId64
				   ", which wrote this file",
				   line->id, rank);
		if (!addKey(ids, "%d %" PRId64, line->kind, line->id))
			toolReport(check->tool, "info.id-twice", file,
				   line->offset, line->line,
				   "id %" PRId64 " is already in use",
				   line->id);
	}
	g_hash_table_destroy(ids);
}

static void checkClocks(struct check *check, const hdINode *node,
			const char *file, const GPtrArray *lines)
{
	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind == INFO_CLOCK &&
		    !checkLabelAt(node, check->hostLevel))
			toolReport(check->tool, "info.clock", file,
				   line->offset, line->line,
				   "clock without a host: the file does not "
				   "belong to a node of level \"Host\"");
	}
}

/* What files say of a clock that was set. */
static void checkSteps(struct check *check)
{
	for (guint i = 0; i < check->steps->len; i++) {
		const struct clockSteps *steps =
			&g_array_index(check->steps, struct clockSteps, i);
		char sum[OUT_NUMBER_SIZE];

		toolReport(check->tool, "clock.stepped", steps->file, -1, 0,
			   "the system clock was set %" PRId64
			   " time%s, by %s%s s in all; the times of the file "
			   "continue evenly",
			   steps->count, steps->count == 1 ? "" : "s",
			   steps->sum < 0 ? "" : "+",
			   outSeconds(sum, steps->sum));
	}
}

/* Whether a file of a node was closed, and so has said what is in the .info. */
static bool saysSteps(const struct check *check, const hdINode *node)
{
	for (guint i = 0; i < check->steps->len; i++)
		if (g_array_index(check->steps, struct clockSteps, i).node ==
		    node)
			return true;
	return false;
}

/* Steps of files that were not closed. */
static void checkStepLines(struct check *check, const hdINode *node,
			   const char *file, const GPtrArray *lines)
{
	char by[OUT_NUMBER_SIZE];

	if (saysSteps(check, node))
		return;
	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind == INFO_STEP)
			toolReport(check->tool, "clock.stepped", file,
				   line->offset, line->line,
				   "the system clock was set by %s%s s; times "
				   "continue evenly",
				   line->clock.offset < 0 ? "" : "+",
				   outSeconds(by, line->clock.offset));
	}
}

static void checkInfo(struct check *check, const hdINode *node,
		      const char *file)
{
	GPtrArray *lines = infoRead(check->tool, file);
	const char *label = checkLabelAt(node, check->rankLevel);
	int64_t rank;

	if (!lines)
		return;
	checkClocks(check, node, file, lines);
	checkStepLines(check, node, file, lines);
	if (label &&
	    g_ascii_string_to_signed(label, 10, 0, INT64_MAX, &rank, NULL))
		checkLines(check, file, lines, rank);
	else if (check->rankLevel && !infoIsOfHost(lines) &&
		 /* Not all processes are ranks. */
		 rolesLevel(check->project, HD_LEVEL_RANK))
		toolReport(check->tool, "info.rank", file, -1, 0,
			   "does not belong to a rank: the label at level "
			   "\"Rank\" is not a number");
	g_ptr_array_unref(lines);
}

void checkInfos(struct check *check)
{
	const hdIProject *project = check->project;

	check->steps = clockStepsFind(project, NULL);
	checkSteps(check);
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];
		char *file;

		if (node->trace && node->trace->infoFile) {
			checkInfo(check, node, node->trace->infoFile);
			continue;
		}
		file = g_strdup_printf("%s%s%s.info", project->prefix,
				       *node->path ? "_" : "", node->path);
		if (g_file_test(file, G_FILE_TEST_EXISTS))
			checkInfo(check, node, file);
		g_free(file);
	}
	g_array_unref(check->steps);
}
