/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: strings, regions and attributes, which events name
 * by number and definitions spell out at the end.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"

/** Texts of attributes that are kept; there may be any number. */
#define TEXTS_MAX 65536

OTF2_StringRef otf2String(struct otf2 *self, const char *text)
{
	gpointer found = g_hash_table_lookup(self->strings, text);
	char *copy;

	if (found)
		return (OTF2_StringRef)(GPOINTER_TO_SIZE(found) - 1);
	copy = g_strdup(text);
	g_ptr_array_add(self->stringList, copy);
	g_hash_table_insert(self->strings, copy,
			    GSIZE_TO_POINTER(self->stringList->len));
	return self->stringList->len - 1;
}

OTF2_RegionRef otf2RegionOf(struct otf2 *self, const hdIRecord *record)
{
	gpointer found = g_hash_table_lookup(self->regions, record->name);
	struct otf2Region region = { .paradigm = OTF2_PARADIGM_USER };

	if (found)
		return (OTF2_RegionRef)(GPOINTER_TO_SIZE(found) - 1);
	/* Functions of MPI have a communicator, as a rule. */
	for (size_t i = 0; i < record->attributeCount; i++) {
		if (strcmp(record->attributes[i].name, "cid") == 0)
			region.paradigm = OTF2_PARADIGM_MPI;
	}
	region.role = otf2MpiRole(record->name);
	if (region.role != OTF2_REGION_ROLE_FUNCTION)
		region.paradigm = OTF2_PARADIGM_MPI;
	else if (region.paradigm == OTF2_PARADIGM_USER)
		region.role = OTF2_REGION_ROLE_CODE;
	region.name = otf2String(self, record->name);
	g_array_append_val(self->regionList, region);
	g_hash_table_insert(self->regions, self->stringList->pdata[region.name],
			    GSIZE_TO_POINTER(self->regionList->len));
	return self->regionList->len - 1;
}

static OTF2_AttributeRef attributeRef(struct otf2 *self, const char *name,
				      OTF2_Type type)
{
	char *key = g_strdup_printf("%d %s", (int)type, name);
	gpointer found = g_hash_table_lookup(self->attributes, key);
	struct otf2Attribute attribute = { .type = type };

	if (found) {
		g_free(key);
		return (OTF2_AttributeRef)(GPOINTER_TO_SIZE(found) - 1);
	}
	attribute.name = otf2String(self, name);
	g_array_append_val(self->attributeList, attribute);
	g_hash_table_insert(self->attributes, key,
			    GSIZE_TO_POINTER(self->attributeList->len));
	return self->attributeList->len - 1;
}

static void addAttribute(void *data, const char *name, const char *value)
{
	struct otf2 *self = data;
	OTF2_AttributeRef ref;
	OTF2_ErrorCode code;
	gint64 number;

	if (g_ascii_string_to_signed(value, 10, INT64_MIN, INT64_MAX, &number,
				     NULL)) {
		code = OTF2_AttributeList_AddInt64(
			self->list, attributeRef(self, name, OTF2_TYPE_INT64),
			number);
	} else if (!g_hash_table_contains(self->strings, value) &&
		   ++self->texts > TEXTS_MAX) {
		exportLose(self->export, "further texts of attributes", 1);
		return;
	} else {
		ref = attributeRef(self, name, OTF2_TYPE_STRING);
		code = OTF2_AttributeList_AddStringRef(self->list, ref,
						       otf2String(self, value));
	}
	/* A list holds an attribute once. */
	if (code != OTF2_SUCCESS)
		exportLose(self->export, "repeated elements in a state", 1);
}

void otf2SetAttributes(struct otf2 *self, const hdIRecord *record)
{
	OTF2_AttributeList_RemoveAllAttributes(self->list);
	exportAttributes(record, addAttribute, self);
}
