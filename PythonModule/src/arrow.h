/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns as a stream of Arrow's C interface, with one batch. Buffers are
 * shared, not copied; consumers may use and release them in any thread.
 *
 * The structures are those of the specification
 * (https://arrow.apache.org/docs/format/CDataInterface.html and
 * CStreamInterface.html), which says that their guards and layouts stay as they
 * are.
 */
#ifndef HD_PYTHON_ARROW_H
#define HD_PYTHON_ARROW_H

#include <stdint.h>

#include "HDTraceTools/tables/memory.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/** Whether a field may have nulls. */
#define ARROW_FLAG_NULLABLE 2

/** A type, or a field of it. */
struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

/** Values of such a type. */
struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/** Batches with the same schema. */
struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *stream,
			  struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *stream,
			struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *stream);
	void (*release)(struct ArrowArrayStream *stream);
	void *private_data;
};

#endif

/** A column. */
struct hdPyField {
	const char *name;
	const char *format;          /**< "u" for text. */
	const void *metadata;        /**< Encoded as Arrow does, or NULL. */
	size_t metadataSize;         /**< In bytes. */
	struct tableMemory *values;  /**< Of a text: its bytes. */
	struct tableMemory *offsets; /**< Of a text; else NULL. */
	struct tableMemory *nulls;   /**< A byte a row, or NULL. */
};

/**
 * Create a stream.
 *
 * @param stream Is set; to be ended with its release().
 * @param fields The first one is the table itself: only its metadata count.
 * @param count Number of fields, with that one.
 * @param rows Rows of all columns, which the buffers are large enough for.
 *
 * @retval 0 Success; the stream shares the blocks.
 * @retval -ENOMEM No memory; @p stream is unchanged.
 */
int hdPyArrowStream(struct ArrowArrayStream *stream,
		    const struct hdPyField *fields, size_t count, size_t rows);

#endif
