/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns as a stream of Arrow's C interface.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "PythonModule/src/arrow.h"
#include "HDTraceTools/tables/utf8.h"

/** Most buffers of a column: nulls, offsets, values. */
#define ARROW_BUFFERS 3

/** What a stream has: the fields, with blocks and texts of its own. */
struct arrowStream {
	struct hdPyField *fields;
	size_t count;
	size_t rows;
	bool isRead;
};

/** What an array owns. */
struct arrowOwned {
	const void *buffers[ARROW_BUFFERS];
	struct tableMemory *blocks[ARROW_BUFFERS];
};

/* ---- Schemas ----------------------------------------------------------- */

static void arrowReleaseSchema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		struct ArrowSchema *child = schema->children[i];

		if (child && child->release)
			child->release(child);
		free(child);
	}
	free(schema->children);
	free((char *)schema->format);
	free((char *)schema->name);
	free((char *)schema->metadata);
	schema->release = NULL;
}

static int arrowFillSchema(struct ArrowSchema *schema,
			   const struct hdPyField *field)
{
	void *metadata = NULL;

	*schema = (struct ArrowSchema){ .release = arrowReleaseSchema,
					.flags = ARROW_FLAG_NULLABLE };
	schema->format = strdup(field->format);
	schema->name = strdup(field->name);
	if (field->metadata)
		metadata = malloc(field->metadataSize);
	if (metadata)
		memcpy(metadata, field->metadata, field->metadataSize);
	schema->metadata = metadata;
	return schema->format && schema->name && (metadata || !field->metadata)
		       ? 0
		       : ENOMEM;
}

static int arrowGetSchema(struct ArrowArrayStream *stream,
			  struct ArrowSchema *out)
{
	const struct arrowStream *self = stream->private_data;
	size_t children = self->count - 1;
	int ret = arrowFillSchema(out, &self->fields[0]);

	out->flags = 0;
	out->children = calloc(children + 1, sizeof(*out->children));
	if (!out->children)
		ret = ENOMEM;
	for (size_t i = 0; ret == 0 && i < children; i++) {
		struct ArrowSchema *child = calloc(1, sizeof(*child));

		out->children[i] = child;
		out->n_children = (int64_t)i + 1;
		ret = child ? arrowFillSchema(child, &self->fields[i + 1])
			    : ENOMEM;
	}
	if (ret != 0)
		arrowReleaseSchema(out);
	return ret;
}

/* ---- Arrays ------------------------------------------------------------ */

static void arrowReleaseArray(struct ArrowArray *array)
{
	struct arrowOwned *owned = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++) {
		struct ArrowArray *child = array->children[i];

		/* Consumers may have moved it. */
		if (child && child->release)
			child->release(child);
		free(child);
	}
	free(array->children);
	for (size_t i = 0; owned && i < ARROW_BUFFERS; i++)
		tableMemoryDrop(owned->blocks[i]);
	free(owned);
	array->release = NULL;
}

/** Make bits of bytes: 1 is a value. NULL without memory. */
static struct tableMemory *arrowMakeBits(const struct tableMemory *nulls,
					 size_t rows, int64_t *count)
{
	struct tableVector bits = { .bytes = NULL };
	const unsigned char *bytes = nulls->bytes;
	struct tableMemory *memory;

	if (tableVectorFill(&bits, 0, (rows + 7) / 8) < 0)
		return NULL;
	*count = 0;
	for (size_t i = 0; i < rows; i++) {
		if (bytes[i])
			++*count;
		else
			bits.bytes[i / 8] |= (unsigned char)(1 << i % 8);
	}
	memory = tableVectorFinish(&bits);
	if (!memory)
		tableVectorFree(&bits);
	return memory;
}

/** Own the blocks of a text, or of one without the bytes that are no UTF-8. */
static int arrowOwnText(struct arrowOwned *owned, const struct hdPyField *field,
			size_t rows)
{
	if (tableUtf8IsValid(field->values->bytes, field->offsets->bytes,
			     rows)) {
		owned->blocks[1] = tableMemoryShare(field->offsets);
		owned->blocks[2] = tableMemoryShare(field->values);
		return 0;
	}
	return -tableUtf8Repair(field->values->bytes, field->offsets->bytes,
				rows, &owned->blocks[2], &owned->blocks[1]);
}

static int arrowFillArray(struct ArrowArray *array,
			  const struct hdPyField *field, size_t rows)
{
	struct arrowOwned *owned = calloc(1, sizeof(*owned));
	int ret = owned ? 0 : ENOMEM;

	*array = (struct ArrowArray){ .release = arrowReleaseArray,
				      .private_data = owned,
				      .length = (int64_t)rows };
	if (owned)
		array->buffers = owned->buffers;
	array->n_buffers = !field->values ? 1 : field->offsets ? 3 : 2;
	if (ret == 0 && field->nulls) {
		owned->blocks[0] =
			arrowMakeBits(field->nulls, rows, &array->null_count);
		ret = owned->blocks[0] ? 0 : ENOMEM;
	}
	if (ret == 0 && field->offsets)
		ret = arrowOwnText(owned, field, rows);
	else if (ret == 0 && field->values)
		owned->blocks[1] = tableMemoryShare(field->values);
	for (size_t i = 0; owned && i < ARROW_BUFFERS; i++) {
		if (owned->blocks[i])
			owned->buffers[i] = owned->blocks[i]->bytes;
	}
	return ret;
}

static int arrowGetNext(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct arrowStream *self = stream->private_data;
	size_t children = self->count - 1;
	int ret;

	if (self->isRead) {
		*out = (struct ArrowArray){ .release = NULL };
		return 0;
	}
	ret = arrowFillArray(out, &self->fields[0], self->rows);
	out->children = calloc(children + 1, sizeof(*out->children));
	if (!out->children)
		ret = ENOMEM;
	for (size_t i = 0; ret == 0 && i < children; i++) {
		struct ArrowArray *child = calloc(1, sizeof(*child));

		out->children[i] = child;
		out->n_children = (int64_t)i + 1;
		ret = child ? arrowFillArray(child, &self->fields[i + 1],
					     self->rows)
			    : ENOMEM;
	}
	if (ret != 0)
		arrowReleaseArray(out);
	else
		self->isRead = true;
	return ret;
}

/* ---- The stream -------------------------------------------------------- */

static const char *arrowGetLastError(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "no memory, or more than 2 GiB of text in a column";
}

static void arrowFree(struct arrowStream *self)
{
	for (size_t i = 0; i < self->count; i++) {
		struct hdPyField *field = &self->fields[i];

		free((char *)field->name);
		free((char *)field->format);
		free((void *)field->metadata);
		tableMemoryDrop(field->values);
		tableMemoryDrop(field->offsets);
		tableMemoryDrop(field->nulls);
	}
	free(self->fields);
	free(self);
}

static void arrowRelease(struct ArrowArrayStream *stream)
{
	arrowFree(stream->private_data);
	stream->private_data = NULL;
	stream->release = NULL;
}

/** Copy a field, and share its blocks; false without memory. */
static bool arrowCopyField(struct hdPyField *to, const struct hdPyField *from)
{
	void *metadata = from->metadata ? malloc(from->metadataSize) : NULL;

	*to = (struct hdPyField){
		.name = strdup(from->name),
		.format = strdup(from->format),
		.metadata = metadata,
		.metadataSize = from->metadataSize,
		.values = from->values ? tableMemoryShare(from->values) : NULL,
		.offsets =
			from->offsets ? tableMemoryShare(from->offsets) : NULL,
		.nulls = from->nulls ? tableMemoryShare(from->nulls) : NULL,
	};
	if (metadata)
		memcpy(metadata, from->metadata, from->metadataSize);
	return to->name && to->format && (metadata || !from->metadata);
}

int hdPyArrowStream(struct ArrowArrayStream *stream,
		    const struct hdPyField *fields, size_t count, size_t rows)
{
	struct arrowStream *self = calloc(1, sizeof(*self));

	if (!self)
		return -ENOMEM;
	self->rows = rows;
	self->fields = calloc(count, sizeof(*self->fields));
	for (; self->fields && self->count < count; self->count++) {
		if (!arrowCopyField(&self->fields[self->count],
				    &fields[self->count])) {
			self->count++;
			arrowFree(self);
			return -ENOMEM;
		}
	}
	if (!self->fields) {
		arrowFree(self);
		return -ENOMEM;
	}
	*stream = (struct ArrowArrayStream){
		.get_schema = arrowGetSchema,
		.get_next = arrowGetNext,
		.get_last_error = arrowGetLastError,
		.release = arrowRelease,
		.private_data = self,
	};
	return 0;
}
