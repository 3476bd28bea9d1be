/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What tables and their columns say of themselves: pairs of names and texts.
 */
#ifndef HD_TABLES_METADATA_H
#define HD_TABLES_METADATA_H

#include <hdReading.h>

/** Takes a pair; no name comes twice. */
typedef void tableMetadataTake(void *data, const char *name, const char *text);

/** Metadata of the tables of a trace or of relations: project and node. */
void tableMetadataOfNode(const hdIProject *project, const hdINode *node,
			 tableMetadataTake *take, void *data);

/** Metadata of the table of a group: project, node, group, and the attributes
 *  of the group. */
void tableMetadataOfGroup(const hdIProject *project, const hdIGroup *group,
			  tableMetadataTake *take, void *data);

/** Metadata of the column of a value: its attributes, type, unit, kind and
 *  grouping, as far as there are any. */
void tableMetadataOfValue(const hdIGroup *group, const hdIValue *value,
			  tableMetadataTake *take, void *data);

#endif
