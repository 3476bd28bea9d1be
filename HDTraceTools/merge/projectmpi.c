/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Communicators and datatypes of all ranks, as the .proj file has them.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/merge/projectmpi.h"
#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"

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

void mergeAddComm(struct gathered *gathered, const struct mergeFile *file,
		  const struct infoLine *line, int64_t global, GHashTable *seen)
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

void mergeAddCommName(struct gathered *gathered, const struct infoLine *line,
		      int64_t global)
{
	struct commName name = {
		.rank = { .global = global, .local = line->id },
		.name = g_strdup(line->name),
	};

	g_array_append_val(gathered->commNames, name);
}

void mergeNameComms(struct gathered *gathered)
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

void mergeProjectPutAttribute(GString *out, const char *name, int64_t value)
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

void mergeAddType(struct gathered *gathered, const struct infoLine *line)
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
