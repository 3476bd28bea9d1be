/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes of all tracks, in a temporary file.
 *
 * A store can be shared by editions: the tracks of a project that grows, as it
 * was at one time and another. What several editions have in common is stored
 * once, so that it has the same place in all of them. Bytes never change and
 * no place is used again: bytes are read as they were added, or not at all.
 */
#ifndef HD_STORE_H
#define HD_STORE_H

#include <stddef.h>
#include <stdint.h>

struct store;

struct store *storeNew(void);
/** Free it; NULL does nothing. */
void storeFree(struct store *self);

/** Add bytes; says where they stand. 0 or a negative errno. */
int storeAdd(struct store *self, const void *bytes, size_t size, uint64_t *at);

/** Read bytes that were added; 0, -EINVAL if there never were any, -ENOENT if
 *  they were forgotten, or another negative errno. */
int storeRead(struct store *self, uint64_t at, void *bytes, size_t size);

/**
 * Begin an edition, before the first one adds anything: all that is added from
 * now on is of it.
 *
 * @return Its number, which grows.
 */
uint64_t storeBegin(struct store *self);

/** Free the space of all that no edition since that one has added. */
void storeForget(struct store *self, uint64_t edition);

#endif
