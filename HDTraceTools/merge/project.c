/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: makes the content of a .proj file.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "HDTraceTools/merge/projectmpi.h"
#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "common/format/escape.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"

static void freeComm(void *data)
{
	struct comm *comm = data;

	g_free(comm->key);
	g_free(comm->name);
	g_free(comm->uid);
	g_string_free(comm->ranks, TRUE);
	g_free(comm);
}

static void clearCommName(void *data)
{
	g_free(((struct commName *)data)->name);
}

static guint mergeProjectHashRank(gconstpointer data)
{
	const struct infoRank *rank = data;

	return (guint)(rank->global * 1000003 + rank->local);
}

static gboolean mergeProjectIsSameRank(gconstpointer a, gconstpointer b)
{
	const struct infoRank *x = a;
	const struct infoRank *y = b;

	return x->global == y->global && x->local == y->local;
}

/* ---- Ranks ------------------------------------------------------------- */

/** The level with a type, from 1; or a default if there is none. */
static unsigned int findLevel(const struct merge *merge, const char *type,
			      unsigned int otherwise)
{
	size_t level =
		hdLevelFind(merge->levels, g_strv_length(merge->levels), type);

	return level > 0 ? (unsigned int)level : otherwise;
}

static const char *labelAt(const struct mergeNode *node, unsigned int level)
{
	while (node && node->level > level)
		node = node->parent;
	return node && node->level == level && level > 0 ? node->label : NULL;
}

static const char *mergeProjectRankOf(const struct merge *merge,
				      const struct mergeNode *node)
{
	return labelAt(node,
		       findLevel(merge, HD_LEVEL_RANK, MIN(2, node->level)));
}

static const char *threadOf(const struct merge *merge,
			    const struct mergeNode *node)
{
	unsigned int rank =
		findLevel(merge, HD_LEVEL_RANK, MIN(2, node->level));
	const char *label =
		labelAt(node, findLevel(merge, HD_LEVEL_THREAD, rank + 1));

	return label ? label : "0";
}

/* ---- Files ------------------------------------------------------------- */

/** The smallest size that a rank saw: others had written to it already. */
static void mergeProjectAddFile(struct gathered *gathered,
				const struct infoLine *line)
{
	int64_t *size = g_hash_table_lookup(gathered->fileSizes, line->name);

	if (!size) {
		size = g_new(int64_t, 1);
		*size = line->size;
		g_ptr_array_add(gathered->fileNames, g_strdup(line->name));
		g_hash_table_insert(gathered->fileSizes, g_strdup(line->name),
				    size);
	}
	*size = MIN(*size, line->size);
}

/* ---- Gathering --------------------------------------------------------- */

/** What was said by a rank before, in the .info files of its threads. */
struct rankState {
	GHashTable *seenComms; /**< Key without number, to count. */
	GHashTable *commIds;
};

static void freeRankState(void *data)
{
	struct rankState *state = data;

	g_hash_table_destroy(state->seenComms);
	g_hash_table_destroy(state->commIds);
	g_free(state);
}

static struct rankState *mergeProjectStateOf(GHashTable *ranks,
					     const char *rank)
{
	struct rankState *state = g_hash_table_lookup(ranks, rank);

	if (state)
		return state;
	state = g_new(struct rankState, 1);
	state->seenComms =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	state->commIds = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					       g_free, NULL);
	g_hash_table_insert(ranks, g_strdup(rank), state);
	return state;
}

/** Whether an id is new; reports it if not. */
static bool isNewId(struct gathered *gathered, const struct mergeFile *file,
		    const struct infoLine *line, GHashTable *ids)
{
	int64_t *id = g_memdup2(&line->id, sizeof(line->id));

	if (g_hash_table_add(ids, id))
		return true;
	toolReport(gathered->merge->tool, "info.id-twice", file->path,
		   line->offset, line->line,
		   "id %" PRId64 " is already in use; the line is ignored",
		   line->id);
	return false;
}

static void gatherFile(struct gathered *gathered, const struct mergeFile *file,
		       GHashTable *ranks)
{
	const char *rank = mergeProjectRankOf(gathered->merge, file->node);
	GPtrArray *lines = infoRead(gathered->merge->tool, file->path);
	GHashTable *typeIds;
	struct rankState *state;
	bool hasClocks = false;
	int64_t global;

	if (!lines)
		return;
	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind == INFO_CLOCK) {
			mergeAddClock(gathered->merge, file, line);
			hasClocks = true;
		} else if (line->kind == INFO_STEP) {
			mergeAddStep(gathered->merge, file, line);
		}
	}
	if (hasClocks)
		mergeMarkCompared(gathered->merge, file);
	if (infoIsOfHost(lines)) {
		g_ptr_array_unref(lines);
		return;
	}
	if (!rank ||
	    !g_ascii_string_to_signed(rank, 10, 0, INT64_MAX, &global, NULL)) {
		/* Not all processes are ranks. */
		if (!findLevel(gathered->merge, HD_LEVEL_PROCESS, 0))
			toolReport(gathered->merge->tool, "info.rank",
				   file->path, -1, 0,
				   "does not belong to a rank: the label at "
				   "level \"Rank\" is not a number; the file "
				   "is ignored");
		g_ptr_array_unref(lines);
		return;
	}
	state = mergeProjectStateOf(ranks, rank);
	typeIds = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					NULL);
	g_string_append(gathered->datatypes, "  <Rank name=\"");
	xmlAppend(gathered->datatypes, rank);
	g_string_append(gathered->datatypes, "\" thread=\"");
	xmlAppend(gathered->datatypes, threadOf(gathered->merge, file->node));
	g_string_append(gathered->datatypes, "\">\n");
	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind == INFO_FILE)
			mergeProjectAddFile(gathered, line);
		else if (line->kind == INFO_COMM &&
			 isNewId(gathered, file, line, state->commIds))
			mergeAddComm(gathered, file, line, global,
				     state->seenComms);
		else if (line->kind == INFO_COMM_NAME)
			mergeAddCommName(gathered, line, global);
		else if (line->kind == INFO_TYPE &&
			 isNewId(gathered, file, line, typeIds))
			mergeAddType(gathered, line);
	}
	g_string_append(gathered->datatypes, "  </Rank>\n");
	g_hash_table_destroy(typeIds);
	g_ptr_array_unref(lines);
}

static void mergeProjectGather(struct gathered *gathered)
{
	struct merge *merge = gathered->merge;
	GHashTable *ranks = g_hash_table_new_full(g_str_hash, g_str_equal,
						  g_free, freeRankState);

	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];

		if (file->kind == MERGE_INFO)
			gatherFile(gathered, file, ranks);
	}
	g_hash_table_destroy(ranks);
	mergeNameComms(gathered);
	mergeFitClocks(merge);
	mergeAlignBases(merge);
	merge->communicators = gathered->comms->len;
	merge->usedFiles = gathered->fileNames->len;
}

/* ---- Writing ----------------------------------------------------------- */

static void mergeProjectWriteFiles(GString *out,
				   const struct gathered *gathered)
{
	g_string_append(out, " <FileList>\n");
	for (guint i = 0; i < gathered->fileNames->len; i++) {
		const char *name = gathered->fileNames->pdata[i];
		const int64_t *size =
			g_hash_table_lookup(gathered->fileSizes, name);

		g_string_append(out, "  <File name=\"");
		xmlAppend(out, name);
		g_string_append_printf(out,
				       "\">\n   <InitialSize>%" PRId64
				       "</InitialSize>\n  </File>\n",
				       *size);
	}
	g_string_append(out, " </FileList>\n\n");
}

static void writeLevels(FILE *out, char **levels, unsigned int level)
{
	bool isLast = !levels[level + 1];

	hdProjectTag(out, 2 + level, "Level type", levels[level], isLast);
	if (isLast)
		return;
	writeLevels(out, levels, level + 1);
	hdProjectEnd(out, 2 + level, "Level");
}

static void writeNode(FILE *out, const struct mergeNode *node)
{
	bool isLeaf = node->children->len == 0;

	hdProjectTag(out, 1 + node->level, "Node name", node->label, isLeaf);
	if (isLeaf)
		return;
	for (guint i = 0; i < node->children->len; i++)
		writeNode(out, node->children->pdata[i]);
	hdProjectEnd(out, 1 + node->level, "Node");
}

/** Write what a project file begins with: names, files, topology. */
static void writeBegin(GString *out, const struct gathered *gathered,
		       const struct mergeTexts *texts)
{
	const struct merge *merge = gathered->merge;
	GString *files = g_string_new(NULL);
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		g_error("out of memory");
	mergeProjectWriteFiles(files, gathered);
	hdProjectBegin(file, texts->name ? texts->name : merge->name,
		       texts->description ? texts->description : "");
	fprintf(file, "\n%s <Topology>\n", files->str);
	if (merge->levels[0])
		writeLevels(file, merge->levels, 0);
	for (guint i = 0; i < merge->root->children->len; i++)
		writeNode(file, merge->root->children->pdata[i]);
	fputs(" </Topology>\n\n", file);
	if (fclose(file) != 0)
		g_error("out of memory");
	g_string_append_len(out, text, (gssize)length);
	g_string_free(files, TRUE);
	free(text);
}

static void writeComms(GString *out, const struct gathered *gathered)
{
	g_string_append(out, " <CommunicatorList>\n");
	for (guint i = 0; i < gathered->comms->len; i++) {
		const struct comm *comm = gathered->comms->pdata[i];

		g_string_append(out, "  <Communicator name=\"");
		xmlAppend(out, comm->name);
		g_string_append_c(out, '"');
		if (comm->uid) {
			g_string_append(out, " uid=\"");
			xmlAppend(out, comm->uid);
			g_string_append_c(out, '"');
		}
		if (comm->isInter)
			g_string_append(out, " inter=\"1\"");
		if (comm->sizes[0])
			mergeProjectPutAttribute(out, "size", comm->sizes[0]);
		if (comm->sizes[1])
			mergeProjectPutAttribute(out, "remoteSize",
						 comm->sizes[1]);
		g_string_append(out, ">\n");
		g_string_append_len(out, comm->ranks->str,
				    (gssize)comm->ranks->len);
		g_string_append(out, "  </Communicator>\n");
	}
	g_string_append(out, " </CommunicatorList>\n\n");
}

static void writeGroups(GString *out, const struct merge *merge)
{
	g_string_append(out, " <ExternalStatistics>\n");
	for (guint i = 0; i < merge->groups->len; i++) {
		const char *group = merge->groups->pdata[i];

		if (hdNameIsValid(group))
			g_string_append_printf(out, "  <%s />\n", group);
		else
			toolReport(merge->tool, "merge.group-name",
				   merge->prefix, -1, 0,
				   "cannot declare group \"%s\": not a valid "
				   "name in XML",
				   group);
	}
	g_string_append(out, " </ExternalStatistics>\n");
}

GString *mergeWriteProject(struct merge *merge, const struct mergeTexts *texts)
{
	GString *out = g_string_new(NULL);
	struct gathered gathered = {
		.merge = merge,
		.comms = g_ptr_array_new_with_free_func(freeComm),
		.commIndex = g_hash_table_new(g_str_hash, g_str_equal),
		.commsOf = g_hash_table_new_full(mergeProjectHashRank,
						 mergeProjectIsSameRank, g_free,
						 NULL),
		.commNames = g_array_new(FALSE, FALSE, sizeof(struct commName)),
		.datatypes = g_string_new(NULL),
		.fileNames = g_ptr_array_new_with_free_func(g_free),
		.fileSizes = g_hash_table_new_full(g_str_hash, g_str_equal,
						   g_free, g_free),
	};

	g_array_set_clear_func(gathered.commNames, clearCommName);
	mergeProjectGather(&gathered);
	writeBegin(out, &gathered, texts);
	mergeWriteClocks(out, merge);
	writeComms(out, &gathered);
	g_string_append_printf(out, " <Datatypes>\n%s </Datatypes>\n\n",
			       gathered.datatypes->str);
	writeGroups(out, merge);
	g_string_append(out, "</Application>\n");
	g_hash_table_destroy(gathered.commIndex);
	g_hash_table_destroy(gathered.commsOf);
	g_array_unref(gathered.commNames);
	g_ptr_array_unref(gathered.comms);
	g_ptr_array_unref(gathered.fileNames);
	g_hash_table_destroy(gathered.fileSizes);
	g_string_free(gathered.datatypes, TRUE);
	return out;
}
