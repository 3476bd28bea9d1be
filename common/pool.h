/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Blocks of memory of one size, for what is made in one thread and freed in
 * another one, again and again: malloc() keeps memory for the thread that frees
 * it, which never needs it.
 *
 *     HD_POOL(widgets, struct widget, 64);
 *
 *     widget = hdPoolTake(&widgets);
 *     ...
 *     hdPoolGive(&widgets, widget);
 *
 * The block that was given last is taken first, since caches have it. Where all
 * blocks are in use there is malloc(). Any thread, without a lock; a child of
 * fork() goes on with what it inherited.
 */
#ifndef HD_POOL_H
#define HD_POOL_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/** With sanitizers each block is of malloc(), so that they see its use. */
#if defined(__SANITIZE_ADDRESS__)
#define HD_POOL_BLOCKS(count) 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HD_POOL_BLOCKS(count) 0
#endif
#endif
#ifndef HD_POOL_BLOCKS
#define HD_POOL_BLOCKS(count) (count)
#endif

/** What changes of a pool. */
struct hdPoolState {
	/** The first block that is free, from 1, or 0; above it how often that
	 *  has changed, so that nobody takes it for the same when it is back.
	 */
	_Atomic(uint64_t) first;
	_Atomic(uint32_t) fresh; /**< Blocks that were ever in use. */
};

/** A pool: constant, so that compilers know its numbers. */
struct hdPool {
	struct hdPoolState *state;
	uint32_t count;
	size_t size;
	char *blocks;
	_Atomic(uint32_t) *next; /**< For each block the one behind it. */
};

/** Define a pool of @p number blocks with room for @p type each, for a file. */
#define HD_POOL(name, type, number)                                          \
	static struct {                                                      \
		_Alignas(64) type block;                                     \
	} name##Blocks[HD_POOL_BLOCKS(number) + 1];                          \
	static _Atomic(uint32_t) name##Next[HD_POOL_BLOCKS(number) + 1];     \
	static _Alignas(64) struct hdPoolState name##State;                  \
	static const struct hdPool name = { .state = &name##State,           \
					    .count = HD_POOL_BLOCKS(number), \
					    .size = sizeof(*name##Blocks),   \
					    .blocks = (char *)name##Blocks,  \
					    .next = name##Next }

/** Take a block that was never in use, or of malloc(); NULL: no memory. */
static inline void *hdPoolTakeFresh(const struct hdPool *pool)
{
	uint32_t at;

	if (atomic_load_explicit(&pool->state->fresh, memory_order_relaxed) <
	    pool->count) {
		at = atomic_fetch_add_explicit(&pool->state->fresh, 1,
					       memory_order_relaxed);
		if (at < pool->count)
			return pool->blocks + at * pool->size;
	}
	return malloc(pool->size);
}

/** Take a block, which may hold anything; NULL: no memory. */
static inline void *hdPoolTake(const struct hdPool *pool)
{
	uint64_t first =
		atomic_load_explicit(&pool->state->first, memory_order_acquire);
	uint64_t then;
	uint32_t at;

	do {
		at = (uint32_t)first;
		if (__builtin_expect(at == 0, 0))
			return hdPoolTakeFresh(pool);
		then = ((first >> 32) + 1) << 32 |
		       atomic_load_explicit(&pool->next[at - 1],
					    memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&pool->state->first, &first, then, memory_order_acquire,
		memory_order_acquire));
	return pool->blocks + (at - 1) * pool->size;
}

/** Give a block back; NULL is none. */
static inline void hdPoolGive(const struct hdPool *pool, void *block)
{
	size_t away = (uintptr_t)block - (uintptr_t)pool->blocks;
	uint64_t first, then;
	uint32_t at;

	if (__builtin_expect(away >= pool->count * pool->size, 0)) {
		free(block);
		return;
	}
	at = (uint32_t)(away / pool->size);
	first = atomic_load_explicit(&pool->state->first, memory_order_relaxed);
	do {
		atomic_store_explicit(&pool->next[at], (uint32_t)first,
				      memory_order_relaxed);
		then = ((first >> 32) + 1) << 32 | (at + 1);
	} while (!atomic_compare_exchange_weak_explicit(
		&pool->state->first, &first, then, memory_order_release,
		memory_order_relaxed));
}

#endif
