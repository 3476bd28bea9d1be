/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Call sites of states.
 */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "HDTraceTools/sites/sites.h"

/** No more callers are around a site: hdmpirun records less. */
#define CALLERS_MAX 32

struct sites {
	GHashTable *objects; /**< Ids to struct siteObject. */
	GHashTable *sites;   /**< Ids to struct site, the last ones. */
	GHashTable *keys;    /**< Keys to struct site, all of them ... */
	GPtrArray *all;      /**< ... and by number. */
};

static void sitesFreeObject(void *data)
{
	struct siteObject *object = data;

	g_ref_string_release(object->path);
	g_ref_string_release(object->buildId);
	g_free(object);
}

static void unref(void *site)
{
	siteUnref(site);
}

struct sites *sitesNew(void)
{
	struct sites *self = g_new0(struct sites, 1);

	self->objects = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					      g_free, sitesFreeObject);
	self->sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	self->keys = g_hash_table_new(g_str_hash, g_str_equal);
	self->all = g_ptr_array_new_with_free_func(unref);
	return self;
}

void sitesFree(struct sites *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->objects);
	g_hash_table_destroy(self->sites);
	g_hash_table_destroy(self->keys);
	g_ptr_array_unref(self->all);
	g_free(self);
}

/* ---- Reading ----------------------------------------------------------- */

static const char *sitesAttributeOf(const hdIAttribute *list, size_t count,
				    const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0)
			return list[i].value;
	}
	return NULL;
}

/** Parse a number, decimal or hexadecimal with "0x". */
static bool sitesNumberOf(const hdIElement *element, const char *name,
			  uint64_t *number)
{
	const char *text = sitesAttributeOf(element->attributes,
					    element->attributeCount, name);
	bool isHex = text && g_str_has_prefix(text, "0x");

	return text && g_ascii_string_to_unsigned(isHex ? text + 2 : text,
						  isHex ? 16 : 10, 0,
						  UINT64_MAX, number, NULL);
}

static bool takeObject(struct sites *self, const hdIElement *element)
{
	const char *path = sitesAttributeOf(element->attributes,
					    element->attributeCount, "path");
	const char *buildId = sitesAttributeOf(
		element->attributes, element->attributeCount, "buildId");
	struct siteObject *object;
	uint64_t id;

	if (!path || strlen(path) >= PATH_MAX ||
	    !sitesNumberOf(element, "id", &id))
		return false;
	object = g_new0(struct siteObject, 1);
	object->path = g_ref_string_new(path);
	object->buildId = g_ref_string_new(buildId ? buildId : "");
	g_hash_table_insert(self->objects, g_memdup2(&id, sizeof(id)), object);
	return true;
}

/** Of a place, which has the callers of another key. */
static void getKey(char *key, const struct siteObject *object, uint64_t address,
		   const struct site *caller)
{
	char *text = g_strdup_printf("%s\n%s\n%" PRIx64 "\n%s", object->buildId,
				     object->path, address,
				     caller ? caller->key : "");
	char *digest =
		g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);

	g_strlcpy(key, digest, SITE_KEY_SIZE);
	g_free(digest);
	g_free(text);
}

/** Add a site that the trace did not have before. */
static struct site *sitesAddSite(struct sites *self, const char *key,
				 const struct siteObject *object,
				 uint64_t address, const struct site *caller)
{
	struct site *site = g_new0(struct site, 1);

	g_atomic_ref_count_init(&site->references);
	g_strlcpy(site->key, key, SITE_KEY_SIZE);
	site->object.path = g_ref_string_acquire(object->path);
	site->object.buildId = g_ref_string_acquire(object->buildId);
	site->address = address;
	site->caller = caller ? siteRef(caller) : NULL;
	site->depth = caller ? caller->depth + 1 : 0;
	site->number = self->all->len;
	g_ptr_array_add(self->all, site);
	g_hash_table_insert(self->keys, site->key, site);
	return site;
}

static bool takeSite(struct sites *self, const hdIElement *element)
{
	uint64_t id, objectId, address, callerId;
	const struct siteObject *object;
	struct site *site, *caller = NULL;
	char key[SITE_KEY_SIZE];

	if (!sitesNumberOf(element, "id", &id) ||
	    !sitesNumberOf(element, "object", &objectId) ||
	    !sitesNumberOf(element, "address", &address))
		return false;
	object = g_hash_table_lookup(self->objects, &objectId);
	if (sitesNumberOf(element, "caller", &callerId))
		caller = g_hash_table_lookup(self->sites, &callerId);
	if (!object || (caller && caller->depth == CALLERS_MAX))
		return false;
	getKey(key, object, address, caller);
	site = g_hash_table_lookup(self->keys, key);
	if (!site)
		site = sitesAddSite(self, key, object, address, caller);
	g_hash_table_insert(self->sites, g_memdup2(&id, sizeof(id)), site);
	return true;
}

/** Take what a state describes. A site comes before those that are around it,
 * so they are taken from the last one on. */
static bool sitesAddElements(struct sites *self, const hdIRecord *record)
{
	bool isGood = true;

	for (size_t i = 0; i < record->elementCount; i++) {
		if (strcmp(record->elements[i].name, "Object") == 0)
			isGood &= takeObject(self, &record->elements[i]);
	}
	for (size_t i = record->elementCount; i > 0; i--) {
		if (strcmp(record->elements[i - 1].name, "Site") == 0)
			isGood &= takeSite(self, &record->elements[i - 1]);
	}
	return isGood;
}

enum siteSaid sitesTake(struct sites *self, const hdIRecord *record,
			const struct site **site)
{
	const char *text;
	bool isGood;
	uint64_t id;

	*site = NULL;
	if (record->kind != HDI_STATE)
		return SITE_NONE;
	text = sitesAttributeOf(record->attributes, record->attributeCount,
				"site");
	/* Programs may have attributes of that name which are theirs. */
	if (!text ||
	    !g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &id, NULL))
		return SITE_NONE;
	isGood = sitesAddElements(self, record);
	*site = g_hash_table_lookup(self->sites, &id);
	if (!isGood)
		return SITE_WRONG;
	if (self->all->len == 0)
		return SITE_NONE;
	return *site ? SITE_KNOWN : SITE_UNKNOWN;
}

bool siteIsElement(const hdIElement *element)
{
	return strcmp(element->name, "Site") == 0 ||
	       strcmp(element->name, "Object") == 0;
}

/* ---- One site ---------------------------------------------------------- */

struct site *siteRef(const struct site *site)
{
	struct site *self = (struct site *)(uintptr_t)site;

	g_atomic_ref_count_inc(&self->references);
	return self;
}

void siteUnref(struct site *site)
{
	while (site && g_atomic_ref_count_dec(&site->references)) {
		struct site *caller = site->caller;

		g_ref_string_release(site->object.path);
		g_ref_string_release(site->object.buildId);
		g_free(site);
		site = caller;
	}
}

int siteCompare(const struct site *a, const struct site *b)
{
	int order = 0;

	while (order == 0 && a && b && a != b) {
		order = strcmp(a->object.buildId, b->object.buildId);
		if (order == 0)
			order = strcmp(a->object.path, b->object.path);
		if (order == 0)
			order = (a->address > b->address) -
				(a->address < b->address);
		a = a->caller;
		b = b->caller;
	}
	return order ? order : (a != NULL) - (b != NULL);
}

const struct addressFound *siteFind(const struct site *site,
				    struct addresses *addresses)
{
	/* The call is the instruction before the one to return to. */
	return addressesFind(addresses, site->object.path, site->object.buildId,
			     site->address - 1);
}

static void appendFrame(GString *text, const struct site *site,
			struct addresses *addresses)
{
	const struct addressFound *found = siteFind(site, addresses);
	char *object = g_path_get_basename(site->object.path);
	const struct addressPlace *place;
	char *file;

	if (!found->places->len) {
		g_string_append_printf(text, "%s+0x%" PRIx64, object,
				       site->address);
		g_free(object);
		return;
	}
	place = &g_array_index(found->places, struct addressPlace, 0);
	g_string_append(text, place->function ? place->function : "?");
	if (place->file) {
		file = g_path_get_basename(place->file);
		g_string_append_printf(text, " (%s:%d)", file, place->line);
		g_free(file);
	} else {
		g_string_append_printf(text, "+0x%" PRIx64 " (%s)",
				       found->offset + 1, object);
	}
	g_free(object);
}

char *siteText(const struct site *site, struct addresses *addresses)
{
	GString *text = g_string_new(NULL);

	for (; site; site = site->caller) {
		if (text->len)
			g_string_append(text, " < ");
		appendFrame(text, site, addresses);
	}
	return g_string_free(text, FALSE);
}
