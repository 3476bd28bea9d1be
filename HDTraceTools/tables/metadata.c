/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What tables and their columns say of themselves.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/tables/metadata.h"

/** A pair. */
struct metadataPair {
	const char *name;
	const char *text;
};

static bool metadataHasName(const hdIAttribute *attributes, size_t count,
			    const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(attributes[i].name, name) == 0)
			return true;
	}
	return false;
}

void tableMetadataOfNode(const hdIProject *project, const hdINode *node,
			 tableMetadataTake *take, void *data)
{
	take(data, "project", project->name);
	take(data, "node", node->path);
}

void tableMetadataOfGroup(const hdIProject *project, const hdIGroup *group,
			  tableMetadataTake *take, void *data)
{
	const struct metadataPair pairs[] = { { "project", project->name },
					      { "node", group->node->path },
					      { "group", group->name } };

	/* Attributes of the group go before. */
	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		if (!metadataHasName(group->attributes, group->attributeCount,
				     pairs[i].name))
			take(data, pairs[i].name, pairs[i].text);
	}
	for (size_t i = 0; i < group->attributeCount; i++)
		take(data, group->attributes[i].name,
		     group->attributes[i].value);
}

void tableMetadataOfValue(const hdIGroup *group, const hdIValue *value,
			  tableMetadataTake *take, void *data)
{
	bool isGuessed;
	const struct metadataPair pairs[] = {
		{ "type", columnTypeName(value->type) },
		{ "unit", value->unit },
		{ "kind",
		  value->type == HDI_STRING
			  ? ""
			  : hdKindName(valueKind(group, value, &isGuessed)) },
		{ "grouping", value->grouping },
	};

	for (size_t i = 0; i < value->attributeCount; i++) {
		const hdIAttribute *attribute = &value->attributes[i];
		bool isOwn = false;

		for (size_t k = 0; k < G_N_ELEMENTS(pairs); k++)
			isOwn = isOwn ||
				(*pairs[k].text &&
				 strcmp(pairs[k].name, attribute->name) == 0);
		if (!isOwn)
			take(data, attribute->name, attribute->value);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		if (*pairs[i].text)
			take(data, pairs[i].name, pairs[i].text);
	}
}
