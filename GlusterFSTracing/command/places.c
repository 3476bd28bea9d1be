/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where translators of ours stand in a graph of GlusterFS. */
#include "config.h"

#include <string.h>

#include "GlusterFSTracing/command/hdgluster.h"
#include "GlusterFSTracing/command/places.h"

/* What a volume is called whose name one of ours has taken. */
#define TAKEN ".hdtrace"

static const char *const layers[] = { "CLIENT", "FLOW", "BMI",
				      "REQ",    "BREQ", "TROVE" };

bool placesHasLayer(const char *layer)
{
	for (size_t i = 0; i < G_N_ELEMENTS(layers); i++) {
		if (strcmp(layer, layers[i]) == 0)
			return true;
	}
	return false;
}

/* ---- Finding --------------------------------------------------------------
 */

struct finder {
	const struct volumes *volumes;
	struct places *places;
	char **wanted;
	GHashTable *names; /**< Those that were given. */
};

static bool finderIsWanted(const struct finder *finder, const char *layer)
{
	return !finder->wanted ||
	       g_strv_contains((const gchar *const *)finder->wanted, layer);
}

static struct volume *volumeAt(const struct volumes *volumes, guint number)
{
	return g_ptr_array_index(volumes->all, number);
}

/* A name that no volume has. */
static char *freeName(struct finder *finder, const struct place *place,
		      const char *base)
{
	char *layer = g_ascii_strdown(place->layer, -1);
	char *first = g_strdup_printf("%s-hdtrace-%s%s%s", base, layer,
				      place->side ? "-" : "",
				      place->side ? place->side : "");
	char *name = g_strdup(first);

	for (int i = 2; g_hash_table_contains(finder->volumes->names, name) ||
			g_hash_table_contains(finder->names, name);
	     i++) {
		g_free(name);
		name = g_strdup_printf("%s-%d", first, i);
	}
	g_hash_table_add(finder->names, g_strdup(name));
	g_free(first);
	g_free(layer);
	return name;
}

static void finderAddPlace(struct finder *finder, struct place place,
			   const struct volume *named)
{
	place.name = place.takesName
			     ? g_strdup(place.below->name.text)
			     : freeName(finder, &place, named->name.text);
	g_ptr_array_add(finder->places->all, g_memdup2(&place, sizeof(place)));
}

static void lack(struct finder *finder, const char *layer, const char *why)
{
	struct placeMissing missing = { layer, why };

	if (finderIsWanted(finder, layer))
		g_array_append_val(finder->places->missing, missing);
}

static bool isFault(const struct volume *volume)
{
	return volumeIs(volume, "debug/delay-gen") ||
	       volumeIs(volume, "debug/error-gen");
}

/* Faults that somebody has put above a volume belong to it; so do threads
 * (WITH_THREADS) that stand above them so that others do not wait. */
static struct volume *withFaults(struct volume *volume, bool withThreads)
{
	bool hasFault = false;

	while (volume->above->len == 1) {
		struct volume *above = g_ptr_array_index(volume->above, 0);

		if (above->below->len != 1)
			break;
		if (isFault(above))
			hasFault = true;
		else if (!withThreads || !hasFault ||
			 !volumeIs(above, "performance/io-threads"))
			break;
		volume = above;
	}
	return volume;
}

/* Above each volume of a type, and above faults of it: withFaults(). */
static void finderFindAbove(struct finder *finder, const char *layer,
			    const char *type, bool withThreads, const char *why)
{
	guint before = finder->places->all->len;

	for (guint i = 0; i < finder->volumes->all->len; i++) {
		struct volume *volume = volumeAt(finder->volumes, i);

		if (volumeIs(volume, type))
			finderAddPlace(
				finder,
				(struct place){
					layer, NULL, "above",
					withFaults(volume, withThreads) },
				volume);
	}
	if (finder->places->all->len == before)
		lack(finder, layer, why);
}

static void findTrove(struct finder *finder)
{
	finderFindAbove(finder, "TROVE", "storage/", false,
			"the graph has no storage");
}

static void findBmi(struct finder *finder)
{
	finderFindAbove(finder, "BMI", "protocol/client", true,
			"the graph has no protocol/client");
}

static void findBreq(struct finder *finder)
{
	guint before = finder->places->all->len;

	for (guint i = 0; i < finder->volumes->all->len; i++) {
		struct volume *threads = volumeAt(finder->volumes, i);
		struct volume *low;

		if (!volumeIs(threads, "performance/io-threads") ||
		    threads->below->len != 1)
			continue;
		low = volumeBelow(threads, 0);
		/* Those of a client's top, or of a fault, are no server's. */
		if (!threads->lowest || !volumeIs(threads->lowest, "storage/"))
			continue;
		finderAddPlace(finder,
			       (struct place){ "BREQ", "leave", "below", low,
					       threads },
			       threads);
		finderAddPlace(
			finder,
			(struct place){ "BREQ", "enter", "above", threads },
			threads);
	}
	if (finder->places->all->len == before)
		lack(finder, "BREQ",
		     "the graph has no performance/io-threads of a server");
}

/* Whether a volume of a type stands above it. The marks are of those for which
 * that is so. */
static bool volumeIsBelow(const struct volume *volume, GHashTable *marks)
{
	for (guint i = 0; i < volume->above->len; i++) {
		if (g_hash_table_contains(marks,
					  g_ptr_array_index(volume->above, i)))
			return true;
	}
	return false;
}

/* Below shard; without it, above what spreads over bricks. */
static void findFlow(struct finder *finder)
{
	const struct volumes *volumes = finder->volumes;
	bool hasShard = volumesHave(volumes, "features/shard");
	GHashTable *marks = g_hash_table_new(NULL, NULL);
	guint before = finder->places->all->len;

	/* From the top on, so that of those above each other the topmost is
	 * found. */
	for (guint i = volumes->all->len; i-- > 0;) {
		struct volume *volume = volumeAt(volumes, i);

		if (volumeIsBelow(volume, marks)) {
			g_hash_table_add(marks, volume);
		} else if (hasShard && volumeIs(volume, "features/shard") &&
			   volume->below->len == 1) {
			g_hash_table_add(marks, volume);
			finderAddPlace(finder,
				       (struct place){ "FLOW", NULL, "below",
						       volumeBelow(volume, 0),
						       volume },
				       volume);
		} else if (!hasShard && volumeIs(volume, "cluster/")) {
			g_hash_table_add(marks, volume);
			finderAddPlace(
				finder,
				(struct place){ "FLOW", NULL, "above", volume },
				volume);
		}
	}
	if (finder->places->all->len == before)
		lack(finder, "FLOW",
		     "the graph has no translator that distributes over "
		     "bricks");
	g_hash_table_unref(marks);
}

static void findClient(struct finder *finder)
{
	struct volume *top = volumesTop(finder->volumes);

	if (volumesHave(finder->volumes, "protocol/server"))
		lack(finder, "CLIENT", "the graph belongs to a server");
	else
		finderAddPlace(finder,
			       (struct place){ "CLIENT", NULL, "above", top },
			       top);
}

/* Below the server. io-stats of glusterd's bricks stays above: it has the name
 * that clients ask for, and glusterd asks it. */
static void findReq(struct finder *finder)
{
	const struct volumes *volumes = finder->volumes;
	GHashTable *done = g_hash_table_new(NULL, NULL);
	guint before = finder->places->all->len;

	for (guint i = 0; i < volumes->all->len; i++) {
		struct volume *server = volumeAt(volumes, i);

		for (guint j = 0; volumeIs(server, "protocol/server") &&
				  j < server->below->len;
		     j++) {
			struct volume *below = volumeBelow(server, j);
			struct volume *stats = NULL;

			while (volumeIs(below, "debug/io-stats") &&
			       below->below->len == 1) {
				stats = below;
				below = volumeBelow(below, 0);
			}
			if (!g_hash_table_add(done, below))
				continue;
			finderAddPlace(finder,
				       (struct place){ "REQ", NULL, "above",
						       below, stats, !stats },
				       below);
		}
	}
	if (finder->places->all->len == before)
		lack(finder, "REQ", "the graph has no protocol/server");
	g_hash_table_unref(done);
}

static void foundPlaceFree(gpointer data)
{
	struct place *place = data;

	g_free(place->name);
	g_free(place->node);
	g_free(place);
}

struct places *placesFind(const struct volumes *volumes, char **wanted)
{
	/* From the storage up: what stands above the same volume is put there
	 * in this order. */
	static const struct {
		const char *layer;
		void (*find)(struct finder *finder);
	} rules[] = {
		{ "TROVE", findTrove },   { "BMI", findBmi },
		{ "BREQ", findBreq },     { "FLOW", findFlow },
		{ "CLIENT", findClient }, { "REQ", findReq },
	};
	struct places *places = g_new0(struct places, 1);
	struct finder finder = { volumes, places, wanted, NULL };

	finder.names =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	places->all = g_ptr_array_new_with_free_func(foundPlaceFree);
	places->missing =
		g_array_new(FALSE, FALSE, sizeof(struct placeMissing));
	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		if (finderIsWanted(&finder, rules[i].layer))
			rules[i].find(&finder);
	}
	g_hash_table_unref(finder.names);
	return places;
}

void placesFree(struct places *places)
{
	if (!places)
		return;
	g_ptr_array_unref(places->all);
	g_array_unref(places->missing);
	g_free(places);
}

/* ---- Changing the text ----------------------------------------------------
 */

/* Of the text from begin to end comes this one. */
struct edit {
	gsize begin, end;
	char *text;
};

static GArray *editsNew(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct edit));
}

static void replace(GArray *edits, gsize begin, gsize end, char *text)
{
	struct edit edit = { begin, end, text };

	g_array_append_val(edits, edit);
}

static void reword(GArray *edits, const struct volumeWord *word,
		   const char *name)
{
	if (strcmp(word->text, name) != 0)
		replace(edits, word->begin, word->end, g_strdup(name));
}

static int byBegin(const void *one, const void *other)
{
	const struct edit *a = one, *b = other;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Make all changes; frees them. */
static char *editsApply(const struct volumes *volumes, GArray *edits)
{
	GString *out = g_string_sized_new(volumes->length);
	gsize done = 0;

	/* It is stable. */
	g_array_sort(edits, byBegin);
	for (guint i = 0; i < edits->len; i++) {
		struct edit *edit = &g_array_index(edits, struct edit, i);

		g_string_append_len(out, volumes->text + done,
				    (gssize)(edit->begin - done));
		g_string_append(out, edit->text);
		done = edit->end;
		g_free(edit->text);
	}
	g_string_append(out, volumes->text + done);
	g_array_unref(edits);
	return g_string_free(out, FALSE);
}

/* A name as it stands in the text: in quotes if it had these. */
static char *volumeNameQuoted(const char *name)
{
	return glusterIsWord(name) ? g_strdup(name)
				   : g_strdup_printf("\"%s\"", name);
}

static void appendBlock(GString *out, const struct place *place,
			const char *belowName, const char *options)
{
	char *name = volumeNameQuoted(place->name),
	     *below = volumeNameQuoted(belowName);

	g_string_append_printf(out,
			       "\n\nvolume %s\n    type %s\n"
			       "    option layer %s\n",
			       name, PLACES_TYPE, place->layer);
	if (place->side)
		g_string_append_printf(out, "    option side %s\n",
				       place->side);
	g_string_append(out, options);
	if (place->node)
		g_string_append_printf(out, "    option node %s\n",
				       place->node);
	g_string_append_printf(out, "    subvolumes %s\nend-volume", below);
	g_free(below);
	g_free(name);
}

/* Put those of a volume's that stand between it and one above it, or NULL for
 * all; returns what that one has below now. */
static const char *appendPlaces(GString *out, const GPtrArray *places,
				const struct volume *above, const char *name,
				const char *options)
{
	for (guint i = 0; i < places->len; i++) {
		const struct place *place = g_ptr_array_index(places, i);

		if (place->above != above)
			continue;
		appendBlock(out, place, name, options);
		name = place->name;
	}
	return name;
}

static bool losesName(const GPtrArray *places)
{
	for (guint i = 0; i < places->len; i++) {
		const struct place *place = g_ptr_array_index(places, i);

		if (place->takesName)
			return true;
	}
	return false;
}

/* Whether a volume stands in a list before this place. */
static bool volumeIsRepeated(const GPtrArray *list, guint number)
{
	for (guint i = 0; i < number; i++) {
		if (g_ptr_array_index(list, i) ==
		    g_ptr_array_index(list, number))
			return true;
	}
	return false;
}

/* Let one have another below it than the volume that it had. */
static void repoint(GArray *edits, const struct volume *above,
		    const struct volume *below, const char *name)
{
	for (guint i = 0; i < above->below->len; i++) {
		if (volumeBelow(above, i) == below)
			reword(edits,
			       &g_array_index(above->belowWords,
					      struct volumeWord, i),
			       name);
	}
}

/* @param places Those above this volume. */
static void changeAbove(GArray *edits, const GPtrArray *places,
			const struct volume *below, const char *options)
{
	GString *out = g_string_new(NULL);
	char *name = losesName(places)
			     ? g_strconcat(below->name.text, TAKEN, NULL)
			     : g_strdup(below->name.text);
	const char *shown;

	reword(edits, &below->name, name);
	shown = appendPlaces(out, places, NULL, name, options);
	for (guint i = 0; i < below->above->len; i++) {
		const struct volume *above = g_ptr_array_index(below->above, i);

		if (!volumeIsRepeated(below->above, i))
			repoint(edits, above, below,
				appendPlaces(out, places, above, shown,
					     options));
	}
	replace(edits, below->end, below->end, g_string_free(out, FALSE));
	g_free(name);
}

char *placesWrite(const struct volumes *volumes, const struct places *places,
		  const char *options)
{
	GArray *edits = editsNew();
	GHashTable *byBelow = g_hash_table_new_full(
		NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);

	for (guint i = 0; i < places->all->len; i++) {
		struct place *place = g_ptr_array_index(places->all, i);
		GPtrArray *list = g_hash_table_lookup(byBelow, place->below);

		if (!list) {
			list = g_ptr_array_new();
			g_hash_table_insert(byBelow, place->below, list);
		}
		g_ptr_array_add(list, place);
	}
	for (guint i = 0; i < volumes->all->len; i++) {
		const GPtrArray *list =
			g_hash_table_lookup(byBelow, volumeAt(volumes, i));

		if (list)
			changeAbove(edits, list, volumeAt(volumes, i), options);
	}
	g_hash_table_unref(byBelow);
	return editsApply(volumes, edits);
}

static bool volumeIsOurs(const struct volume *volume)
{
	return volumeIs(volume, PLACES_TYPE);
}

/* What a volume was called, or what was in the place of one of ours. */
static char *oldName(const struct volumes *volumes, const struct volume *volume)
{
	const struct volume *taker;
	char *name;

	while (volumeIsOurs(volume))
		volume = volumeBelow(volume, 0);
	name = g_strdup(volume->name.text);
	if (!g_str_has_suffix(name, TAKEN))
		return name;
	name[strlen(name) - strlen(TAKEN)] = '\0';
	taker = g_hash_table_lookup(volumes->names, name);
	if (taker && volumeIsOurs(taker))
		return name;
	g_free(name);
	return g_strdup(volume->name.text);
}

static void restore(const struct volumes *volumes, GArray *edits,
		    const struct volume *volume)
{
	char *name = oldName(volumes, volume);

	reword(edits, &volume->name, name);
	g_free(name);
	for (guint i = 0; i < volume->below->len; i++) {
		name = oldName(volumes, volumeBelow(volume, i));
		reword(edits,
		       &g_array_index(volume->belowWords, struct volumeWord, i),
		       name);
		g_free(name);
	}
}

/* Where one of ours begins, with the empty line before it. */
static gsize beginOf(const struct volumes *volumes, const struct volume *volume)
{
	gsize begin = volume->begin;

	for (int i = 0; i < 2 && begin > 0 && volumes->text[begin - 1] == '\n';
	     i++)
		begin--;
	return begin;
}

char *placesRemove(const struct volumes *volumes, guint *count, char **why)
{
	GArray *edits;

	*count = 0;
	for (guint i = 0; i < volumes->all->len; i++) {
		const struct volume *volume = volumeAt(volumes, i);

		if (!volumeIsOurs(volume))
			continue;
		if (volume->below->len != 1) {
			*why = g_strdup_printf(
				"%ld: HDTrace translator \"%s\" does not have "
				"exactly one subvolume",
				volume->name.line, volume->name.text);
			return NULL;
		}
		++*count;
	}
	edits = editsNew();
	for (guint i = 0; i < volumes->all->len; i++) {
		const struct volume *volume = volumeAt(volumes, i);

		if (volumeIsOurs(volume))
			replace(edits, beginOf(volumes, volume), volume->end,
				g_strdup(""));
		else
			restore(volumes, edits, volume);
	}
	return editsApply(volumes, edits);
}
