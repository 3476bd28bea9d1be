/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: strings, regions and attributes, which events name
 * by number and definitions spell out at the end.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/mpi/volume.h"

/** Texts of attributes that are kept; there may be any number. */
#define TEXTS_MAX 65536

/** A name that is looked for. */
struct wanted {
	const struct otf2 *self;
	enum otf2Table table;
	const char *name;
};

static size_t findWanted(const struct wanted *wanted, char **own)
{
	const struct otf2 *self = wanted->self;
	gpointer name = NULL;
	gpointer found = NULL;

	pthread_mutex_lock(self->lock);
	g_hash_table_lookup_extended(self->tables[wanted->table], wanted->name,
				     &name, &found);
	pthread_mutex_unlock(self->lock);
	*own = name;
	return GPOINTER_TO_SIZE(found);
}

static bool otf2NamesIsKnown(void *data)
{
	char *own;

	return findWanted(data, &own) != 0;
}

/** Find the number of a name + 1; 0: nobody has met it, and it is our turn. */
static size_t otf2NamesFindNumber(const struct otf2 *self, enum otf2Table table,
				  const char *name)
{
	struct wanted wanted = { self, table, name };
	size_t found = 0;
	char *own;

	if (self->part)
		found = GPOINTER_TO_SIZE(
			g_hash_table_lookup(self->known[table], name));
	if (found)
		return found;
	if (self->part && !self->part->isTurn)
		tasksWaitUntil(self->part->tasks, self->part->number,
			       otf2NamesIsKnown, &wanted);
	found = findWanted(&wanted, &own);
	if (self->part && found)
		g_hash_table_insert(self->known[table], own,
				    GSIZE_TO_POINTER(found));
	return found;
}

/** In our turn: give a name the next number, which is @p count - 1; the name
 *  stays. */
static void otf2NamesAddName(const struct otf2 *self, enum otf2Table table,
			     char *name, size_t count)
{
	pthread_mutex_lock(self->lock);
	g_hash_table_insert(self->tables[table], name, GSIZE_TO_POINTER(count));
	pthread_mutex_unlock(self->lock);
	if (self->part)
		tasksTell(self->part->tasks);
}

OTF2_StringRef otf2String(struct otf2 *self, const char *text)
{
	size_t found = otf2NamesFindNumber(self, OTF2_STRINGS, text);
	char *copy;

	if (found)
		return (OTF2_StringRef)(found - 1);
	copy = g_strdup(text);
	g_ptr_array_add(self->stringList, copy);
	otf2NamesAddName(self, OTF2_STRINGS, copy, self->stringList->len);
	return self->stringList->len - 1;
}

/** What a state is, which its name says. */
static OTF2_Paradigm paradigmOf(const char *name)
{
	if (mpiIsFunction(name))
		return OTF2_PARADIGM_MPI;
	return pollsIsTracer(name) ? OTF2_PARADIGM_MEASUREMENT_SYSTEM
				   : OTF2_PARADIGM_USER;
}

/** The name of a region; those of MPI have theirs in full, by which other tools
 *  know them. */
static OTF2_StringRef otf2NamesRegionName(struct otf2 *self, const char *name,
					  OTF2_Paradigm paradigm)
{
	char *full;
	OTF2_StringRef string;

	if (paradigm != OTF2_PARADIGM_MPI)
		return otf2String(self, name);
	full = g_strconcat("MPI_", name, NULL);
	string = otf2String(self, full);
	g_free(full);
	return string;
}

OTF2_RegionRef otf2RegionOf(struct otf2 *self, const hdIRecord *record)
{
	size_t found = otf2NamesFindNumber(self, OTF2_REGIONS, record->name);
	struct otf2Region region = { .paradigm = paradigmOf(record->name) };
	OTF2_StringRef key;

	if (found)
		return (OTF2_RegionRef)(found - 1);
	region.role = region.paradigm == OTF2_PARADIGM_MPI
			      ? otf2MpiRole(self, record->name)
		      : region.paradigm == OTF2_PARADIGM_USER
			      ? OTF2_REGION_ROLE_CODE
			      : OTF2_REGION_ROLE_ARTIFICIAL;
	region.name = otf2NamesRegionName(self, record->name, region.paradigm);
	key = otf2String(self, record->name);
	g_array_append_val(self->regionList, region);
	otf2NamesAddName(self, OTF2_REGIONS, self->stringList->pdata[key],
			 self->regionList->len);
	return self->regionList->len - 1;
}

static OTF2_AttributeRef attributeRef(struct otf2 *self, const char *name,
				      enum otf2Table table)
{
	size_t found = otf2NamesFindNumber(self, table, name);
	struct otf2Attribute attribute = {
		.type = table == OTF2_NUMBERS  ? OTF2_TYPE_INT64
			: table == OTF2_PLACES ? OTF2_TYPE_SOURCE_CODE_LOCATION
					       : OTF2_TYPE_STRING,
	};

	if (found)
		return (OTF2_AttributeRef)(found - 1);
	attribute.name = otf2String(self, name);
	g_array_append_val(self->attributeList, attribute);
	otf2NamesAddName(self, table, self->stringList->pdata[attribute.name],
			 self->attributeList->len);
	return self->attributeList->len - 1;
}

static void otf2NamesAddAttribute(void *data, const char *name,
				  const char *value)
{
	struct otf2 *self = data;
	OTF2_AttributeRef ref;
	OTF2_ErrorCode code;
	int64_t number;

	if (messagesReadNumber(value, &number)) {
		code = otf2Api.OTF2_AttributeList_AddInt64(
			self->list, attributeRef(self, name, OTF2_NUMBERS),
			number);
	} else if (!otf2NamesFindNumber(self, OTF2_STRINGS, value) &&
		   ++self->whole->texts > TEXTS_MAX) {
		exportLose(self->export, "further texts of attributes", 1);
		return;
	} else {
		ref = attributeRef(self, name, OTF2_TEXTS);
		code = otf2Api.OTF2_AttributeList_AddStringRef(
			self->list, ref, otf2String(self, value));
	}
	/* A list holds an attribute once. */
	if (code != OTF2_SUCCESS)
		exportLose(self->export, "repeated elements in a state", 1);
}

/* ---- Windows and files --------------------------------------------------- */

/** Keep what has a name under its next number. */
static guint otf2NamesKeep(struct otf2 *self, enum otf2Table table,
			   const char *name, GArray *list, const void *what)
{
	OTF2_StringRef key = otf2String(self, name);

	g_array_append_vals(list, what, 1);
	otf2NamesAddName(self, table, self->stringList->pdata[key], list->len);
	return list->len - 1;
}

OTF2_RmaWinRef otf2WindowOf(struct otf2 *self, const struct messageGroup *group,
			    unsigned int count)
{
	char *name = g_strdup_printf("window %u of %s#%u", count + 1,
				     group->name, group->number);
	size_t found = otf2NamesFindNumber(self, OTF2_WINDOWS, name);
	struct otf2Window window = { .comm = group->number };

	if (!found) {
		window.name = otf2String(self, name);
		found = otf2NamesKeep(self, OTF2_WINDOWS, name,
				      self->windowList, &window) +
			1;
	}
	g_free(name);
	return (OTF2_RmaWinRef)(found - 1);
}

OTF2_IoFileRef otf2FileOf(struct otf2 *self, const char *name)
{
	size_t found = otf2NamesFindNumber(self, OTF2_FILES, name);
	OTF2_StringRef string;

	if (found)
		return (OTF2_IoFileRef)(found - 1);
	string = otf2String(self, name);
	return otf2NamesKeep(self, OTF2_FILES, name, self->fileList, &string);
}

OTF2_IoHandleRef otf2HandleOf(struct otf2 *self, const char *name,
			      const struct messageGroup *group,
			      unsigned int count)
{
	char *key = g_strdup_printf("%u %u %s", group->number, count, name);
	size_t found = otf2NamesFindNumber(self, OTF2_HANDLES, key);
	struct otf2Handle handle = { .comm = group->number };

	if (!found) {
		handle.file = otf2FileOf(self, name);
		handle.name = otf2String(self, name);
		found = otf2NamesKeep(self, OTF2_HANDLES, key, self->handleList,
				      &handle) +
			1;
	}
	g_free(key);
	return (OTF2_IoHandleRef)(found - 1);
}

/* ---- Call sites --------------------------------------------------------- */

static OTF2_SourceCodeLocationRef lineRef(struct otf2 *self, const char *file,
					  int number)
{
	char *name = g_strdup_printf("%s:%d", file, number);
	size_t found = otf2NamesFindNumber(self, OTF2_LINES, name);
	struct otf2Line line = { .line = (uint32_t)number };
	OTF2_StringRef key;

	if (!found) {
		line.file = otf2String(self, file);
		key = otf2String(self, name);
		g_array_append_val(self->lineList, line);
		found = self->lineList->len;
		otf2NamesAddName(self, OTF2_LINES, self->stringList->pdata[key],
				 found);
	}
	g_free(name);
	return (OTF2_SourceCodeLocationRef)(found - 1);
}

/** The line of a call, if that is known; after all other attributes, which ask
 * for it in their turn. */
static void otf2NamesAddSiteLine(struct otf2 *self, const struct site *site)
{
	const struct addressFound *found =
		siteFind(site, self->export->addresses);
	const struct addressPlace *place;
	OTF2_AttributeRef ref;

	if (!found->places->len)
		return;
	place = &g_array_index(found->places, struct addressPlace, 0);
	if (!place->file || place->line <= 0)
		return;
	ref = attributeRef(self, "call site", OTF2_PLACES);
	otf2Api.OTF2_AttributeList_AddSourceCodeLocationRef(
		self->list, ref, lineRef(self, place->file, place->line));
}

/** The bytes of a collective call that has no record. */
static void otf2NamesAddBytes(struct otf2 *self, const hdIRecord *record)
{
	struct volumeShare share;
	struct volume volume;

	if (!volumeShareOf(self->messages, record, &share))
		return;
	volume = volumeOfShare(self->messages, record, &share);
	if (volume.given >= 0)
		otf2Api.OTF2_AttributeList_AddInt64(
			self->list,
			attributeRef(self, "bytes sent", OTF2_NUMBERS),
			volume.given);
	if (volume.got >= 0)
		otf2Api.OTF2_AttributeList_AddInt64(
			self->list,
			attributeRef(self, "bytes received", OTF2_NUMBERS),
			volume.got);
}

void otf2SetAttributes(struct otf2 *self, const hdIRecord *record,
		       const struct site *site)
{
	otf2Api.OTF2_AttributeList_RemoveAllAttributes(self->list);
	exportAttributes(self->export, record, site, otf2NamesAddAttribute,
			 self);
	if (otf2CollectiveIsOfNeighbors(record->name))
		otf2NamesAddBytes(self, record);
	if (site)
		otf2NamesAddSiteLine(self, site);
}
