/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory of columns, which Python, NumPy and Arrow share without copies.
 *
 * A block has several owners, of any thread, and does not change once it is
 * shared. Nothing here needs the interpreter or its lock: consumers of Arrow
 * may release a column from a thread that Python does not know.
 */
#ifndef HD_TABLES_MEMORY_H
#define HD_TABLES_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/** A block with a number of owners. */
struct tableMemory {
	atomic_size_t owners;
	size_t size; /**< In bytes. */
	void *bytes;
};

/** Add an owner. */
struct tableMemory *tableMemoryShare(struct tableMemory *memory);

/** Remove an owner; the last one frees the block. NULL does nothing. */
void tableMemoryDrop(struct tableMemory *memory);

/** Bytes that grow. All zero is empty. */
struct tableVector {
	unsigned char *bytes;
	size_t used;
	size_t size;
};

/**
 * Make room for more bytes.
 *
 * @retval 0 Success.
 * @retval -ENOMEM No memory; nothing has changed.
 */
int tableVectorReserve(struct tableVector *vector, size_t more);

/** Append bytes; returns the same. */
static inline int tableVectorAdd(struct tableVector *vector, const void *bytes,
				 size_t count)
{
	if (count == 0)
		return 0;
	if (vector->size - vector->used < count) {
		int ret = tableVectorReserve(vector, count);

		if (ret < 0)
			return ret;
	}
	memcpy(vector->bytes + vector->used, bytes, count);
	vector->used += count;
	return 0;
}

/** Append a number of equal bytes; returns the same. */
int tableVectorFill(struct tableVector *vector, int byte, size_t count);

/** Free the bytes. */
void tableVectorFree(struct tableVector *vector);

/**
 * Turn a vector into a block with one owner; the vector is empty then.
 *
 * @return The block, or NULL without memory; then nothing has changed.
 */
struct tableMemory *tableVectorFinish(struct tableVector *vector);

#endif
