/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory of columns, which Python, NumPy and Arrow share without copies.
 *
 * A block has several owners, of any thread, and does not change once it is
 * shared. Nothing here needs the interpreter or its lock: consumers of Arrow
 * may release a column from a thread that Python does not know.
 */
#ifndef HD_PYTHON_MEMORY_H
#define HD_PYTHON_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/** A block with a number of owners. */
struct hdPyMemory {
	atomic_size_t owners;
	size_t size; /**< In bytes. */
	void *bytes;
};

/** Add an owner. */
struct hdPyMemory *hdPyMemoryShare(struct hdPyMemory *memory);

/** Remove an owner; the last one frees the block. NULL does nothing. */
void hdPyMemoryDrop(struct hdPyMemory *memory);

/** Bytes that grow. All zero is empty. */
struct hdPyVector {
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
int hdPyVectorReserve(struct hdPyVector *vector, size_t more);

/** Append bytes; returns the same. */
static inline int hdPyVectorAdd(struct hdPyVector *vector, const void *bytes,
				size_t count)
{
	if (count == 0)
		return 0;
	if (vector->size - vector->used < count) {
		int ret = hdPyVectorReserve(vector, count);

		if (ret < 0)
			return ret;
	}
	memcpy(vector->bytes + vector->used, bytes, count);
	vector->used += count;
	return 0;
}

/** Append a number of equal bytes; returns the same. */
int hdPyVectorFill(struct hdPyVector *vector, int byte, size_t count);

/** Free the bytes. */
void hdPyVectorFree(struct hdPyVector *vector);

/**
 * Turn a vector into a block with one owner; the vector is empty then.
 *
 * @return The block, or NULL without memory; then nothing has changed.
 */
struct hdPyMemory *hdPyVectorFinish(struct hdPyVector *vector);

#endif
