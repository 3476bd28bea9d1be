/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the viewer must know of a project before it shows anything, as JSON.
 *
 * Members: format (1), generator, project (name, description, file, levels),
 * start (that times count from, null if there is none), maxSize (in bytes, null
 * if there is no limit), window (in s, only if curves are windows at first),
 * nodes (label, path, parent, level), groups (node, name, attributes, values),
 * traces (node), communicators (names), powers (of groups that tell the energy
 * of a node: group, values, traces, inTotal), report (as of hdtrace report;
 * null if it is fetched later). Nodes, groups and traces are named by their
 * number; times are texts.
 */
#ifndef HD_VIEWMETA_H
#define HD_VIEWMETA_H

#include "HDTraceTools/findings/findings.h"
#include "cli/output.h"

/**
 * Begin to write it; the report follows, and metaEnd().
 *
 * @param[out] json What writes it.
 * @param file Where to.
 * @param findings Of the project; that they were started is enough.
 * @param start That times count from; NULL if there is none.
 * @param maxSize 0: no limit.
 */
void metaBegin(struct outJson *json, FILE *file,
	       const struct findings *findings, const int64_t *start,
	       uint64_t maxSize);

/**
 * The same of several projects: these follow, one after another, and
 * outJsonEnd(), before the report.
 *
 * @param align How their clocks are aligned: "wall", "start", or "mark NAME".
 */
void metaBeginSeveral(struct outJson *json, FILE *file, const char *align);

/**
 * Describe what rows a project has: equal texts, equal numbers of nodes,
 * groups, traces and relations.
 *
 * @return To be freed with g_free().
 */
char *metaLayout(const struct findings *findings);

/** Begin one of them, of which more may follow, and outJsonEnd(). @param shift
 * Is added to its times, in ns. */
void metaBeginOne(struct outJson *json, const struct findings *findings,
		  const int64_t *start, int64_t shift);

/** End it. */
void metaEnd(struct outJson *json);

#endif
