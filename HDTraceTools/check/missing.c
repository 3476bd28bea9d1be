/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: files that should be there.
 *
 * A .proj need not say which node has which files. But of a node that has no
 * others in it nothing is known without a file, and so one is missing where
 * others of its level have some; likewise the trace of a rank that a
 * communicator names.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/check/check.h"

/** Whether a node has a file, be it one for the merger. */
static bool missingHasFile(const hdIProject *project, const hdINode *node)
{
	char *info;
	bool isThere;

	if (node->trace || node->relations || node->groupCount > 0)
		return true;
	info = g_strdup_printf("%s_%s.info", project->prefix, node->path);
	isThere = g_file_test(info, G_FILE_TEST_EXISTS);
	g_free(info);
	return isThere;
}

static bool missingIsLeaf(const hdINode *node)
{
	return node->level > 0 && node->childCount == 0;
}

/** Report the nodes without a file; returns their labels at the level Rank. */
static GHashTable *checkNodes(struct check *check)
{
	const hdIProject *project = check->project;
	bool *levelHasFiles = g_new0(bool, project->levelCount + 1);
	bool *has = g_new0(bool, project->nodeCount);
	GHashTable *ranks = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		has[i] = missingIsLeaf(node) && missingHasFile(project, node);
		levelHasFiles[node->level] |= has[i];
	}
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];
		const char *rank = checkLabelAt(node, check->rankLevel);

		if (has[i] || !missingIsLeaf(node) ||
		    !levelHasFiles[node->level])
			continue;
		toolReport(
			check->tool, "proj.node-empty", project->file, -1, 0,
			"node \"%s\": no file, unlike other nodes of its level",
			node->path);
		if (rank)
			g_hash_table_add(ranks, (void *)rank);
	}
	g_free(levelHasFiles);
	g_free(has);
	return ranks;
}

/** Report ranks of communicators without a trace, each once. Of those that are
 *  no nodes, or were reported, more is known. */
static void checkRanks(struct check *check, GHashTable *reported)
{
	const hdIProject *project = check->project;
	GHashTable *nodes = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < project->nodeCount; i++) {
		const char *rank =
			checkLabelAt(project->nodes[i], check->rankLevel);

		if (rank)
			g_hash_table_add(nodes, (void *)rank);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		const char *rank = checkLabelAt(project->traces[i]->node,
						check->rankLevel);

		if (rank)
			g_hash_table_remove(nodes, rank);
	}
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];

		for (size_t k = 0; k < comm->rankCount; k++) {
			char label[32];

			g_snprintf(label, sizeof(label), "%" PRId64,
				   comm->ranks[k].global);
			if (!g_hash_table_remove(nodes, label) ||
			    g_hash_table_contains(reported, label))
				continue;
			toolReport(check->tool, "proj.comm-trace",
				   project->file, -1, 0,
				   "communicator %zu (\"%s\"): rank %s has no "
				   "trace",
				   i + 1, comm->name, label);
		}
	}
	g_hash_table_destroy(nodes);
}

void checkMissing(struct check *check)
{
	GHashTable *reported;

	if (!g_str_has_suffix(check->project->file, ".proj"))
		return;
	reported = checkNodes(check);
	if (check->rankLevel)
		checkRanks(check, reported);
	g_hash_table_destroy(reported);
}
