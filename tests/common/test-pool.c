/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Blocks that are taken in one thread and given back in another one. */
#include "config.h"

#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "common/pool.h"

#define BLOCKS 16
#define THREADS 4
#define ROUNDS 20000

struct block {
	uint64_t owner;
	char more[100];
};

HD_POOL(few, struct block, BLOCKS);
HD_POOL(shared, struct block, BLOCKS);

static bool isOf(const struct hdPool *pool, const void *block)
{
	return (uintptr_t)block - (uintptr_t)pool->blocks <
	       pool->count * pool->size;
}

/* All blocks are taken, once each, then there is malloc(); what was given last
 * comes first. */
static void testAll(void)
{
	void *blocks[BLOCKS + 3];
	/* None with AddressSanitizer. */
	size_t pooled = HD_POOL_BLOCKS(BLOCKS);

	for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
		blocks[i] = hdPoolTake(&few);
		g_assert_nonnull(blocks[i]);
		g_assert_true(isOf(&few, blocks[i]) == (i < pooled));
		memset(blocks[i], (int)i, sizeof(struct block));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
		g_assert_cmpint(((char *)blocks[i])[0], ==, i);
		g_assert_cmpint(((char *)blocks[i])[sizeof(struct block) - 1],
				==, i);
	}
	for (size_t i = G_N_ELEMENTS(blocks); i-- > 0;)
		hdPoolGive(&few, blocks[i]);
	for (size_t i = 0; i < pooled; i++)
		g_assert_true(hdPoolTake(&few) == blocks[i]);
	hdPoolGive(&few, NULL);
	for (size_t i = 0; i < pooled; i++)
		hdPoolGive(&few, blocks[i]);
}

/* Blocks on their way from one thread to the next one. */
static _Atomic(struct block *) places[THREADS];

static void *hand(void *context)
{
	size_t own = GPOINTER_TO_SIZE(context);

	for (int i = 0; i < ROUNDS; i++) {
		struct block *block = hdPoolTake(&shared), *other;

		g_assert_nonnull(block);
		block->owner = own;
		sched_yield();
		/* Nobody else has it. */
		g_assert_cmpuint(block->owner, ==, own);
		other = atomic_exchange(&places[(own + 1) % THREADS], block);
		hdPoolGive(&shared, other);
		other = atomic_exchange(&places[own], NULL);
		hdPoolGive(&shared, other);
	}
	return NULL;
}

/* Afterwards each block is there once. */
static void testThreads(void)
{
	struct block *blocks[BLOCKS];
	pthread_t threads[THREADS];
	uint32_t fresh;

	for (size_t i = 0; i < THREADS; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, hand,
					       GSIZE_TO_POINTER(i)),
				==, 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		hdPoolGive(&shared, atomic_load(&places[i]));
	fresh = MIN(atomic_load(&shared.state->fresh), shared.count);
	for (uint32_t i = 0; i < fresh; i++) {
		blocks[i] = hdPoolTake(&shared);
		g_assert_true(isOf(&shared, blocks[i]));
		blocks[i]->owner = i;
	}
	g_assert_cmpuint((uint32_t)atomic_load(&shared.state->first), ==, 0);
	for (uint32_t i = 0; i < fresh; i++)
		g_assert_cmpuint(blocks[i]->owner, ==, i);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pool/all", testAll);
	g_test_add_func("/pool/threads", testThreads);
	return g_test_run();
}
