/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Descriptions of call sites in a part of a trace.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "HDTraceTools/cut/cutsites.h"

/** A description, and from when on the part has it. */
struct cutSite {
	hdIElement element;
	hdIAttribute *attributes;
	GPtrArray *texts;
	int64_t since; /**< INT64_MAX: it does not have it. */
};

struct cutSites {
	GHashTable *objects; /**< Ids to struct cutSite. */
	GHashTable *sites;   /**< Likewise. */
};

static const char *cutSitesAttribute(const hdIAttribute *list, size_t count,
				     const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0)
			return list[i].value;
	}
	return NULL;
}

static const char *cutSitesOf(const hdIElement *element, const char *name)
{
	return cutSitesAttribute(element->attributes, element->attributeCount,
				 name);
}

static void cutSiteFree(void *data)
{
	struct cutSite *site = data;

	g_ptr_array_unref(site->texts);
	g_free(site->attributes);
	g_free(site);
}

static const char *cutSiteCopy(struct cutSite *site, const char *text)
{
	char *copy = g_strdup(text);

	g_ptr_array_add(site->texts, copy);
	return copy;
}

/** Copy a description. */
static struct cutSite *cutSiteNew(const hdIElement *element)
{
	struct cutSite *site = g_new0(struct cutSite, 1);

	site->texts = g_ptr_array_new_with_free_func(g_free);
	site->attributes = g_new0(hdIAttribute, element->attributeCount + 1);
	for (size_t i = 0; i < element->attributeCount; i++) {
		site->attributes[i].name =
			cutSiteCopy(site, element->attributes[i].name);
		site->attributes[i].value =
			cutSiteCopy(site, element->attributes[i].value);
	}
	site->element = (hdIElement){
		.name = cutSiteCopy(site, element->name),
		.attributes = site->attributes,
		.attributeCount = element->attributeCount,
		.text = "",
	};
	site->since = INT64_MAX;
	return site;
}

/** Whether two descriptions are the same. */
static bool cutSiteIsSame(const struct cutSite *site, const hdIElement *element)
{
	if (site->element.attributeCount != element->attributeCount)
		return false;
	for (size_t i = 0; i < element->attributeCount; i++) {
		const char *value =
			cutSitesOf(&site->element, element->attributes[i].name);

		if (!value || strcmp(value, element->attributes[i].value) != 0)
			return false;
	}
	return true;
}

struct cutSites *cutSitesNew(void)
{
	struct cutSites *self = g_new0(struct cutSites, 1);

	self->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      cutSiteFree);
	self->sites = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					    cutSiteFree);
	return self;
}

void cutSitesFree(struct cutSites *self)
{
	g_hash_table_destroy(self->objects);
	g_hash_table_destroy(self->sites);
	g_free(self);
}

/** The table for an element; NULL: it describes nothing. */
static GHashTable *cutSitesTable(const struct cutSites *self,
				 const hdIElement *element)
{
	if (strcmp(element->name, "Site") == 0)
		return self->sites;
	return strcmp(element->name, "Object") == 0 ? self->objects : NULL;
}

void cutSitesSee(struct cutSites *self, const hdIRecord *record)
{
	for (size_t i = 0; i < record->elementCount; i++) {
		const hdIElement *element = &record->elements[i];
		GHashTable *table = cutSitesTable(self, element);
		const char *id = table ? cutSitesOf(element, "id") : NULL;
		struct cutSite *site =
			id ? g_hash_table_lookup(table, id) : NULL;

		if (id && !(site && cutSiteIsSame(site, element)))
			g_hash_table_insert(table, g_strdup(id),
					    cutSiteNew(element));
	}
}

/** Get a description that is needed from a time on; NULL: it is there, or
 *  nothing is known. */
static struct cutSite *cutSitesNeed(GHashTable *table, const char *id,
				    int64_t time)
{
	struct cutSite *site = id ? g_hash_table_lookup(table, id) : NULL;

	if (!site || site->since <= time)
		return NULL;
	site->since = time;
	return site;
}

/** Add a site with its callers and objects. */
static void cutSitesAddChain(struct cutSites *self, const char *id,
			     int64_t time, GArray *objects, GArray *sites)
{
	guint count = 0;
	struct cutSite *site, *object;

	/* Readers take sites from the last one on: callers come behind, those
	 * of an earlier call, too. */
	while ((site = cutSitesNeed(self->sites, id, time))) {
		g_array_insert_val(sites, count, site->element);
		count++;
		object = cutSitesNeed(self->objects,
				      cutSitesOf(&site->element, "object"),
				      time);
		if (object)
			g_array_append_val(objects, object->element);
		id = cutSitesOf(&site->element, "caller");
	}
}

void cutSitesAdd(struct cutSites *self, const hdIRecord *record,
		 GArray *elements)
{
	const char *id = cutSitesAttribute(record->attributes,
					   record->attributeCount, "site");
	GArray *objects, *sites;

	if (!id || record->kind != HDI_STATE ||
	    g_hash_table_size(self->sites) == 0)
		return;
	objects = g_array_new(FALSE, FALSE, sizeof(hdIElement));
	sites = g_array_new(FALSE, FALSE, sizeof(hdIElement));
	for (size_t i = 0; i < record->elementCount; i++) {
		GHashTable *table = cutSitesTable(self, &record->elements[i]);

		if (table)
			cutSitesNeed(table,
				     cutSitesOf(&record->elements[i], "id"),
				     record->start);
	}
	for (size_t i = record->elementCount; i > 0; i--) {
		const hdIElement *element = &record->elements[i - 1];
		struct cutSite *object;

		if (cutSitesTable(self, element) != self->sites)
			continue;
		object = cutSitesNeed(self->objects,
				      cutSitesOf(element, "object"),
				      record->start);
		if (object)
			g_array_append_val(objects, object->element);
		cutSitesAddChain(self, cutSitesOf(element, "caller"),
				 record->start, objects, sites);
	}
	cutSitesAddChain(self, id, record->start, objects, sites);
	g_array_append_vals(elements, objects->data, objects->len);
	g_array_append_vals(elements, sites->data, sites->len);
	g_array_unref(objects);
	g_array_unref(sites);
}
