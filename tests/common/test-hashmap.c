/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The map from numbers to numbers, against GLib's. */
#include "config.h"

#include <glib.h>

#include "common/hashmap/hashmap.h"

/* So few keys that they meet again, and such that differ in high bits only. */
static uint64_t anyKey(GRand *random)
{
	uint64_t key = (uint64_t)g_rand_int_range(random, 0, 300);

	return g_rand_boolean(random) ? key : key << 48;
}

static uint64_t reference(GHashTable *table, uint64_t key, bool *isThere)
{
	gint64 wanted = (gint64)key;
	const gint64 *found = g_hash_table_lookup(table, &wanted);

	*isThere = found != NULL;
	return found ? (uint64_t)*found : 0;
}

static void setReference(GHashTable *table, uint64_t key, uint64_t value)
{
	gint64 *pair = g_new(gint64, 2);

	pair[0] = (gint64)key;
	pair[1] = (gint64)value;
	g_hash_table_replace(table, pair, pair + 1);
}

static void step(GRand *random, struct hdMap *map, GHashTable *table)
{
	uint64_t key = anyKey(random), value = g_rand_int(random), found = 7;
	bool isThere, isNew;
	uint64_t expected = reference(table, key, &isThere);
	gint64 name = (gint64)key;
	uint64_t *at;

	switch (g_rand_int_range(random, 0, 5)) {
	case 0:
		g_assert_cmpint(hdMapSet(map, key, value), ==, 0);
		setReference(table, key, value);
		break;
	case 1:
		at = hdMapAdd(map, key, &isNew);
		g_assert_nonnull(at);
		g_assert_cmpint(isNew, ==, !isThere);
		g_assert_cmpuint(*at, ==, expected);
		*at = value;
		setReference(table, key, value);
		break;
	case 2:
		g_assert_cmpint(hdMapRemove(map, key, &found), ==, isThere);
		g_assert_cmpuint(found, ==, isThere ? expected : 7);
		g_hash_table_remove(table, &name);
		break;
	case 3:
		at = hdMapFind(map, key);
		g_assert_cmpint(at != NULL, ==, isThere);
		if (at)
			hdMapDrop(map, at);
		g_hash_table_remove(table, &name);
		break;
	default:
		g_assert_cmpint(hdMapGet(map, key, &found), ==, isThere);
		g_assert_cmpuint(found, ==, isThere ? expected : 7);
		break;
	}
	g_assert_cmpuint(map->used, ==, g_hash_table_size(table));
}

static void testRandom(void)
{
	GRand *random = g_rand_new_with_seed(36);
	GHashTable *table = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						  g_free, NULL);
	struct hdMap map = { 0 };

	for (int i = 0; i < 100000; i++) {
		step(random, &map, table);
		if (i % 20000 != 19999)
			continue;
		hdMapEmpty(&map);
		g_hash_table_remove_all(table);
	}
	hdMapClear(&map);
	g_assert_cmpuint(map.size, ==, 0);
	g_hash_table_unref(table);
	g_rand_free(random);
}

/* All keys stay where they can be found while the map grows. */
static void testGrowth(void)
{
	struct hdMap map = { 0 };
	uint64_t value, removed;

	hdMapEmpty(&map);
	g_assert_null(hdMapFind(&map, 0));
	g_assert_false(hdMapRemove(&map, 0, &removed));
	for (uint64_t key = 0; key < 5000; key++)
		g_assert_cmpint(hdMapSet(&map, key * 4096, key), ==, 0);
	g_assert_cmpuint(map.used, ==, 5000);
	g_assert_cmpuint(map.size & (map.size - 1), ==, 0);
	for (uint64_t key = 0; key < 5000; key++) {
		g_assert_true(hdMapGet(&map, key * 4096, &value));
		g_assert_cmpuint(value, ==, key);
	}
	hdMapClear(&map);
}

static void testPointers(void)
{
	struct hdMap map = { 0 };
	int target;

	g_assert_null(hdMapGetPointer(&map, 1));
	g_assert_cmpint(hdMapSet(&map, 1, (uintptr_t)&target), ==, 0);
	g_assert_true(hdMapGetPointer(&map, 1) == &target);
	hdMapClear(&map);
}

/* Texts and the same bytes without an end have one hash. */
static void testTexts(void)
{
	g_assert_cmpuint(hdMapHashText("host7_rank3"), ==,
			 hdMapHashBytes("host7_rank3 and more", 11));
	g_assert_cmpuint(hdMapHashText("a"), !=, hdMapHashText("b"));
	/* FNV-1a of no byte is its offset. */
	g_assert_cmpuint(hdMapHashText(""), ==,
			 hdMapHash(UINT64_C(0xcbf29ce484222325)));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hashmap/random", testRandom);
	g_test_add_func("/hashmap/growth", testGrowth);
	g_test_add_func("/hashmap/pointers", testPointers);
	g_test_add_func("/hashmap/texts", testTexts);
	return g_test_run();
}
