/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file viewmeta.h
 * What the viewer must know of a project before it shows anything, as JSON.
 *
 * Members: format (1), generator, project (name, description, file, levels),
 * start (that times count from, null if there is none), maxSize (in bytes, null
 * if there is no limit), nodes (label, path, parent, level), groups (node,
 * name, attributes, values), traces (node), communicators (names), powers (of
 * groups that tell the energy of a node: group, values, traces, inTotal),
 * report (as of hdtrace report; null if it is fetched later). Nodes, groups and
 * traces are named by their number; times are texts.
 */
#ifndef HD_VIEWMETA_H
#define HD_VIEWMETA_H

#include "report.h"

/**
 * Write it.
 *
 * @param file Where to.
 * @param start That times count from; NULL if there is none.
 * @param maxSize 0: no limit.
 * @param hasReport Whether the report is complete and belongs to it.
 */
void viewMetaWrite(FILE *file, struct report *report, const int64_t *start,
		   uint64_t maxSize, bool hasReport);

#endif
