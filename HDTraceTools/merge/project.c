/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: makes the content of a .proj file.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "common/format/escape.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"

/** A communicator, put together from what its ranks say. */
struct comm {
	/** Its uid; without, name, ranks, and how many such there were before.
	 */
	char *key;
	char *name;
	char *uid;    /**< Or NULL. */
	bool isNamed; /**< By a line of its own, of this rank. */
	int64_t namedBy;
	bool isInter;
	int64_t sizes[2]; /**< Of its groups; 0: that of the ranks. */
	GString *ranks;   /**< Elements. */
};

/** A name that a rank gave to a communicator, after that was described. */
struct commName {
	struct infoRank rank; /**< Global rank, and its id of it. */
	char *name;
};

/** What the .info files say, all together. */
struct gathered {
	struct merge *merge;
	GPtrArray *comms;      /**< struct comm, in order of appearance. */
	GHashTable *commIndex; /**< Key to struct comm. */
	GHashTable *commsOf;   /**< Rank and id (infoRank) to struct comm. */
	GArray *commNames;     /**< struct commName */
	GString *datatypes;    /**< Elements. */
	GPtrArray *fileNames;
	GHashTable *fileSizes; /**< Name to smallest size (int64_t *). */
};

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

/* ---- Communicators ----------------------------------------------------- */

static void appendRanks(GString *key, const GArray *ranks)
{
	g_string_append_c(key, '\n');
	for (guint i = 0; ranks && i < ranks->len; i++) {
		const struct infoRank *rank =
			&g_array_index(ranks, struct infoRank, i);

		g_string_append_printf(key, "%" PRId64 "->%" PRId64 ";",
				       rank->global, rank->local);
	}
}

/** The smallest rank of a group; INT64_MAX if none is known. */
static int64_t firstOf(const GArray *ranks)
{
	return ranks && ranks->len
		       ? g_array_index(ranks, struct infoRank, 0).global
		       : INT64_MAX;
}

/** Which of an intercommunicator's groups has a line as its own: that of the
 *  smallest rank is 0. */
static int mergeProjectGroupOf(const struct infoLine *line)
{
	return line->remote && firstOf(line->remote) < firstOf(line->ranks);
}

/** What the lines of several ranks of a communicator have alike. */
static char *commKey(const struct infoLine *line, GHashTable *seen)
{
	int own = mergeProjectGroupOf(line);
	GString *key;
	size_t before;

	if (line->uid)
		return g_strdup_printf("uid %s", line->uid);
	key = g_string_new(line->name);
	appendRanks(key, own ? line->remote : line->ranks);
	appendRanks(key, own ? line->ranks : line->remote);
	before = GPOINTER_TO_SIZE(g_hash_table_lookup(seen, key->str));
	g_hash_table_insert(seen, g_strdup(key->str),
			    GSIZE_TO_POINTER(before + 1));
	g_string_append_printf(key, "\n%zu", before);
	return g_string_free(key, FALSE);
}

static bool localRank(const struct infoLine *line, int64_t global,
		      int64_t *local)
{
	for (guint i = 0; i < line->ranks->len; i++) {
		const struct infoRank *rank =
			&g_array_index(line->ranks, struct infoRank, i);

		if (rank->global == global) {
			*local = rank->local;
			return true;
		}
	}
	return false;
}

/**
 * Add what a rank says about a communicator. Those of the same uid are one.
 * Without, the n-th one of the same name and ranks is the same communicator
 * everywhere, since creating one is collective.
 */
static void addComm(struct gathered *gathered, const struct mergeFile *file,
		    const struct infoLine *line, int64_t global,
		    GHashTable *seen)
{
	int own = mergeProjectGroupOf(line);
	struct comm *comm;
	int64_t local;
	char *key;

	if (!localRank(line, global, &local)) {
		toolReport(gathered->merge->tool, "info.comm-rank", file->path,
			   line->offset, line->line,
			   "communicator %" PRId64
			   " does not contain rank %" PRId64
			   ", which wrote the file; the line is ignored",
			   line->id, global);
		return;
	}
	key = commKey(line, seen);
	comm = g_hash_table_lookup(gathered->commIndex, key);
	if (!comm) {
		comm = g_new0(struct comm, 1);
		comm->key = g_strdup(key);
		comm->name = g_strdup("");
		comm->uid = g_strdup(line->uid);
		comm->isInter = line->remote;
		comm->ranks = g_string_new(NULL);
		if (line->groupSize > line->ranks->len)
			comm->sizes[own] = line->groupSize;
		if (line->remote && line->remoteSize > line->remote->len)
			comm->sizes[1 - own] = line->remoteSize;
		g_ptr_array_add(gathered->comms, comm);
		g_hash_table_insert(gathered->commIndex, comm->key, comm);
	}
	/* A name is what one rank or all gave it. */
	if (!*comm->name) {
		g_free(comm->name);
		comm->name = g_strdup(line->name);
	}
	g_hash_table_insert(gathered->commsOf,
			    g_memdup2(&(struct infoRank){ global, line->id },
				      sizeof(struct infoRank)),
			    comm);
	g_string_append_printf(
		comm->ranks,
		"   <Rank global=\"%" PRId64 "\" "
		"local=\"%" PRId64 "\" cid=\"%" PRId64 "\"%s />\n",
		global, local, line->id, own ? " group=\"1\"" : "");
	g_free(key);
}

/** What a rank says about the name of a communicator, later. */
static void addCommName(struct gathered *gathered, const struct infoLine *line,
			int64_t global)
{
	struct commName name = {
		.rank = { .global = global, .local = line->id },
		.name = g_strdup(line->name),
	};

	g_array_append_val(gathered->commNames, name);
}

/** A communicator has the last name that it was given, by the first rank that
 *  gave it one. */
static void nameComms(struct gathered *gathered)
{
	for (guint i = 0; i < gathered->commNames->len; i++) {
		const struct commName *name =
			&g_array_index(gathered->commNames, struct commName, i);
		struct comm *comm =
			g_hash_table_lookup(gathered->commsOf, &name->rank);

		if (!comm ||
		    (comm->isNamed && comm->namedBy != name->rank.global))
			continue;
		comm->isNamed = true;
		comm->namedBy = name->rank.global;
		g_free(comm->name);
		comm->name = g_strdup(name->name);
	}
}

/* ---- Datatypes --------------------------------------------------------- */

static int64_t mergeProjectNumberAt(const GArray *list, guint index)
{
	return g_array_index(list, int64_t, index);
}

static void startType(GString *out, const struct infoLine *line)
{
	g_string_append_printf(out, "  <%s id=\"%" PRId64 "\" name=\"",
			       line->combiner, line->id);
	xmlAppend(out, line->name);
	g_string_append(out, "\"");
}

static void mergeProjectPutAttribute(GString *out, const char *name,
				     int64_t value)
{
	g_string_append_printf(out, " %s=\"%" PRId64 "\"", name, value);
}

/** An element for each block of a type. */
static void blocks(GString *out, const struct infoLine *line, guint count,
		   const GArray *displacements, guint firstDisplacement,
		   bool hasLengths)
{
	g_string_append(out, " >\n");
	for (guint i = 0; i < count; i++) {
		bool hasTypes = line->types->len == count;

		g_string_append_printf(
			out,
			"   <Type id=\"%" PRId64 "\" displacement=\"%" PRId64
			"\" blocklen=\"%" PRId64 "\"/>\n",
			mergeProjectNumberAt(line->types, hasTypes ? i : 0),
			mergeProjectNumberAt(displacements,
					     firstDisplacement + i),
			mergeProjectNumberAt(line->integers,
					     hasLengths ? 1 + i : 1));
	}
	g_string_append_printf(out, "  </%s>\n", line->combiner);
}

/** A type whose blocks have lengths, displacements and types. */
static bool blockType(GString *out, const struct infoLine *line)
{
	const char *name = line->combiner;
	guint integers = line->integers->len;
	guint addresses = line->addresses->len;
	guint types = line->types->len;
	int64_t count = integers ? mergeProjectNumberAt(line->integers, 0) : -1;
	guint n = (guint)count;

	if (count < 0 || count > (int64_t)(integers + addresses))
		return false;
	if (strcmp(name, "STRUCT") == 0 && integers == n + 1 &&
	    addresses == n && types == n) {
		startType(out, line);
		mergeProjectPutAttribute(out, "count", count);
		blocks(out, line, n, line->addresses, 0, true);
	} else if (strcmp(name, "INDEXED") == 0 && integers == 2 * n + 1 &&
		   addresses == 0 && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(out, "count", count);
		blocks(out, line, n, line->integers, n + 1, true);
	} else if (strcmp(name, "HINDEXED") == 0 && integers == n + 1 &&
		   addresses == n && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(out, "count", count);
		blocks(out, line, n, line->addresses, 0, true);
	} else if (strcmp(name, "INDEXED_BLOCK") == 0 && integers == n + 2 &&
		   addresses == 0 && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(out, "count", count);
		blocks(out, line, n, line->integers, 2, false);
	} else if (strcmp(name, "HINDEXED_BLOCK") == 0 && integers == 2 &&
		   addresses == n && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(out, "count", count);
		blocks(out, line, n, line->addresses, 0, false);
	} else {
		return false;
	}
	return true;
}

/** A type that attributes describe. */
static bool plainType(GString *out, const struct infoLine *line)
{
	const char *name = line->combiner;
	guint integers = line->integers->len;
	guint addresses = line->addresses->len;
	guint types = line->types->len;

	if (strcmp(name, "NAMED") == 0 && !integers && !addresses && !types) {
		startType(out, line);
	} else if (strcmp(name, "DUP") == 0 && !integers && !addresses &&
		   types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(out, "oldType",
					 mergeProjectNumberAt(line->types, 0));
	} else if (strcmp(name, "CONTIGUOUS") == 0 && integers == 1 &&
		   !addresses && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(
			out, "count", mergeProjectNumberAt(line->integers, 0));
		mergeProjectPutAttribute(out, "oldType",
					 mergeProjectNumberAt(line->types, 0));
	} else if ((strcmp(name, "VECTOR") == 0 && integers == 3 &&
		    !addresses && types == 1) ||
		   (strcmp(name, "HVECTOR") == 0 && integers == 2 &&
		    addresses == 1 && types == 1)) {
		startType(out, line);
		mergeProjectPutAttribute(
			out, "count", mergeProjectNumberAt(line->integers, 0));
		mergeProjectPutAttribute(
			out, "blocklength",
			mergeProjectNumberAt(line->integers, 1));
		mergeProjectPutAttribute(
			out, "stride",
			addresses ? mergeProjectNumberAt(line->addresses, 0)
				  : mergeProjectNumberAt(line->integers, 2));
		mergeProjectPutAttribute(out, "oldType",
					 mergeProjectNumberAt(line->types, 0));
	} else if (strcmp(name, "RESIZED") == 0 && !integers &&
		   addresses == 2 && types == 1) {
		startType(out, line);
		mergeProjectPutAttribute(
			out, "lowerBound",
			mergeProjectNumberAt(line->addresses, 0));
		mergeProjectPutAttribute(
			out, "extent",
			mergeProjectNumberAt(line->addresses, 1));
		mergeProjectPutAttribute(out, "oldType",
					 mergeProjectNumberAt(line->types, 0));
	} else {
		return false;
	}
	g_string_append(out, " />\n");
	return true;
}

static void mergeProjectPutList(GString *out, const char *name,
				const GArray *numbers)
{
	if (!numbers->len)
		return;
	g_string_append_printf(out, " %s=\"", name);
	for (guint i = 0; i < numbers->len; i++)
		g_string_append_printf(out, "%" PRId64 ";",
				       mergeProjectNumberAt(numbers, i));
	g_string_append_c(out, '"');
}

/** An array within an array, or a part of one that is distributed: an element
 *  for each dimension. */
static bool arrayType(GString *out, const struct infoLine *line)
{
	bool isPart = strcmp(line->combiner, "SUBARRAY") == 0;
	guint integers = line->integers->len;
	guint first = isPart ? 1 : 3;
	char **distribs =
		g_strsplit(line->distribs ? line->distribs : "", ";", -1);
	int64_t count = integers >= first ? mergeProjectNumberAt(line->integers,
								 first - 1)
					  : -1;
	guint n = (guint)count;

	if ((!isPart && strcmp(line->combiner, "DARRAY") != 0) ||
	    !line->order || count < 0 || count > (int64_t)integers ||
	    line->types->len != 1 || line->addresses->len != 0 ||
	    integers != first + (isPart ? 3 : 4) * n + 1 ||
	    (!isPart && g_strv_length(distribs) != n + 1)) {
		g_strfreev(distribs);
		return false;
	}
	startType(out, line);
	mergeProjectPutAttribute(out, "ndims", count);
	g_string_append(out, " order=\"");
	xmlAppend(out, line->order);
	g_string_append_c(out, '"');
	if (!isPart) {
		mergeProjectPutAttribute(
			out, "processes",
			mergeProjectNumberAt(line->integers, 0));
		mergeProjectPutAttribute(
			out, "rank", mergeProjectNumberAt(line->integers, 1));
	}
	mergeProjectPutAttribute(out, "oldType",
				 mergeProjectNumberAt(line->types, 0));
	g_string_append(out, " >\n");
	for (guint i = 0; i < n; i++) {
		g_string_append(out, "   <Dimension");
		mergeProjectPutAttribute(
			out, "size",
			mergeProjectNumberAt(line->integers, first + i));
		if (isPart) {
			mergeProjectPutAttribute(
				out, "subsize",
				mergeProjectNumberAt(line->integers,
						     first + n + i));
			mergeProjectPutAttribute(
				out, "start",
				mergeProjectNumberAt(line->integers,
						     first + 2 * n + i));
		} else {
			g_string_append(out, " distribution=\"");
			xmlAppend(out, distribs[i]);
			g_string_append_c(out, '"');
			mergeProjectPutAttribute(
				out, "processes",
				mergeProjectNumberAt(line->integers,
						     first + 3 * n + i));
		}
		g_string_append(out, " />\n");
	}
	g_string_append_printf(out, "  </%s>\n", line->combiner);
	g_strfreev(distribs);
	return true;
}

static void addType(struct gathered *gathered, const struct infoLine *line)
{
	GString *out = gathered->datatypes;

	gathered->merge->datatypes++;
	if (plainType(out, line) || blockType(out, line) ||
	    arrayType(out, line))
		return;
	/* Whatever it is: nothing of it is lost. */
	startType(out, line);
	mergeProjectPutList(out, "integers", line->integers);
	mergeProjectPutList(out, "addresses", line->addresses);
	mergeProjectPutList(out, "types", line->types);
	g_string_append(out, " />\n");
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

/** Whether an id is new; complains if it is not. */
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
			addComm(gathered, file, line, global, state->seenComms);
		else if (line->kind == INFO_COMM_NAME)
			addCommName(gathered, line, global);
		else if (line->kind == INFO_TYPE &&
			 isNewId(gathered, file, line, typeIds))
			addType(gathered, line);
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
	nameComms(gathered);
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
