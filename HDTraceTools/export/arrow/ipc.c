/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing files of Arrow. Numbers in metadata are little endian, those of
 * columns are as the machine has them, which the schema says.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/export/arrow/flat.h"
#include "HDTraceTools/export/arrow/ipc.h"
#include "HDTraceTools/tables/utf8.h"

/** Begins and ends a file. */
#define IPC_MAGIC "ARROW1"
/** Alignment of messages and buffers. */
#define IPC_ALIGNMENT 8
/** Comes before the size of a message. */
#define IPC_CONTINUE UINT32_C(0xffffffff)
/** Numbers of a batch at the end of the file: offset, size of the metadata, and
 *  of the body. */
#define IPC_BLOCK 3
/** Numbers of a column in a batch: rows, and those without value. */
#define IPC_NODE 2
/** Numbers of a buffer in a batch: offset and size. */
#define IPC_BUFFER 2
/** Most buffers of a column. */
#define IPC_BUFFERS 3

/** Numbers of the specification. */
enum {
	IPC_VERSION = 4, /**< Of the metadata: 5. */
	IPC_SCHEMA = 1,  /**< Kinds of messages. */
	IPC_BATCH = 3,
	IPC_INT = 2, /**< Types. */
	IPC_FLOAT = 3,
	IPC_UTF8 = 5,
	IPC_TIMESTAMP = 10,
	IPC_SINGLE = 1, /**< Precisions. */
	IPC_DOUBLE = 2,
	IPC_NANOSECONDS = 3,
};

static struct flatField ipcPlace(size_t place)
{
	return (struct flatField){ FLAT_OFFSET, place };
}

/* ---- The schema -------------------------------------------------------- */

/** Write pairs of names and texts: a field. */
static struct flatField ipcMetadata(struct flat *flat,
				    const GPtrArray *metadata)
{
	size_t count = metadata ? metadata->len / 2 : 0;
	size_t *places = g_new(size_t, count + 1);
	size_t vector = 0;

	for (size_t i = 0; i < count; i++) {
		const struct flatField pair[] = {
			ipcPlace(flatText(flat, metadata->pdata[2 * i])),
			ipcPlace(flatText(flat, metadata->pdata[2 * i + 1])),
		};

		places[i] = flatTable(flat, pair, G_N_ELEMENTS(pair));
	}
	if (count)
		vector = flatOffsets(flat, places, count);
	g_free(places);
	return count ? ipcPlace(vector) : (struct flatField){ FLAT_ABSENT, 0 };
}

static size_t ipcInteger(struct flat *flat, unsigned int bits, bool isSigned)
{
	const struct flatField fields[] = { { FLAT_32, bits },
					    { FLAT_8, isSigned } };

	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

static size_t ipcFloat(struct flat *flat, unsigned int precision)
{
	const struct flatField fields[] = { { FLAT_16, precision } };

	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

static size_t ipcTimestamp(struct flat *flat)
{
	const struct flatField fields[] = {
		{ FLAT_16, IPC_NANOSECONDS },
		ipcPlace(flatText(flat, "UTC")),
	};

	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

/** Write a type; its number is set. */
static size_t ipcType(struct flat *flat, enum tableType type,
		      unsigned int *number)
{
	*number = IPC_INT;
	switch (type) {
	case TABLE_INT32:
		return ipcInteger(flat, 32, true);
	case TABLE_INT64:
		return ipcInteger(flat, 64, true);
	case TABLE_UINT32:
		return ipcInteger(flat, 32, false);
	case TABLE_UINT64:
		return ipcInteger(flat, 64, false);
	case TABLE_FLOAT:
		*number = IPC_FLOAT;
		return ipcFloat(flat, IPC_SINGLE);
	case TABLE_DOUBLE:
		*number = IPC_FLOAT;
		return ipcFloat(flat, IPC_DOUBLE);
	case TABLE_TIME:
		*number = IPC_TIMESTAMP;
		return ipcTimestamp(flat);
	case TABLE_TEXT:
		break;
	}
	*number = IPC_UTF8;
	return flatTable(flat, NULL, 0);
}

static size_t ipcField(struct flat *flat, const struct ipcField *field)
{
	unsigned int number;
	size_t type = ipcType(flat, field->type, &number);
	const struct flatField fields[] = {
		ipcPlace(flatText(flat, field->name)),
		{ FLAT_8, true }, /* There may be rows without value. */
		{ FLAT_8, number },
		ipcPlace(type),
		{ FLAT_ABSENT, 0 },
		/* Readers want children, even if there are none. */
		ipcPlace(flatOffsets(flat, NULL, 0)),
		ipcMetadata(flat, field->metadata),
	};

	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

static size_t ipcSchema(struct flat *flat, const struct ipcSchema *schema)
{
	size_t *places = g_new(size_t, schema->count + 1);
	struct flatField fields[3];

	for (size_t i = 0; i < schema->count; i++)
		places[i] = ipcField(flat, &schema->fields[i]);
	fields[0] = (struct flatField){ FLAT_16, G_BYTE_ORDER == G_BIG_ENDIAN };
	fields[1] = ipcPlace(flatOffsets(flat, places, schema->count));
	fields[2] = ipcMetadata(flat, schema->metadata);
	g_free(places);
	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

/* ---- Messages ---------------------------------------------------------- */

static void ipcWrite(struct ipcFile *self, const void *bytes, size_t count)
{
	/* Errors are found at the end. */
	if (count)
		fwrite(bytes, 1, count, self->out);
	self->written += count;
}

static void ipcPad(struct ipcFile *self)
{
	static const char zeros[IPC_ALIGNMENT];

	ipcWrite(self, zeros, -self->written & (IPC_ALIGNMENT - 1));
}

static void ipcWrite32(struct ipcFile *self, uint32_t number)
{
	number = GUINT32_TO_LE(number);
	ipcWrite(self, &number, sizeof(number));
}

/** Write the metadata of a message, and return its size in the file. */
static uint64_t ipcMessage(struct ipcFile *self, struct flat *flat,
			   unsigned int kind, size_t header, uint64_t body)
{
	const struct flatField fields[] = {
		{ FLAT_16, IPC_VERSION },
		{ FLAT_8, kind },
		ipcPlace(header),
		{ FLAT_64, body },
	};
	size_t root = flatTable(flat, fields, G_N_ELEMENTS(fields));
	const unsigned char *bytes = flatFinish(flat, root);

	ipcWrite32(self, IPC_CONTINUE);
	ipcWrite32(self, (uint32_t)flat->used);
	ipcWrite(self, bytes, flat->used);
	return flat->used + 2 * sizeof(uint32_t);
}

void ipcBegin(struct ipcFile *self, FILE *out, const struct ipcSchema *schema)
{
	struct flat flat = { .bytes = NULL };

	*self = (struct ipcFile){
		.out = out,
		.schema = schema,
		.batches =
			g_array_new(FALSE, FALSE, IPC_BLOCK * sizeof(uint64_t)),
	};
	ipcWrite(self, IPC_MAGIC, strlen(IPC_MAGIC));
	ipcPad(self);
	ipcMessage(self, &flat, IPC_SCHEMA, ipcSchema(&flat, schema), 0);
	flatFree(&flat);
}

/* ---- Batches ----------------------------------------------------------- */

/** A column of a batch: its buffers, some of which are made for it. */
struct ipcColumn {
	const void *bytes[IPC_BUFFERS];
	size_t sizes[IPC_BUFFERS];
	size_t count;
	uint64_t nulls;
	unsigned char *bits;
	struct tableMemory *values;
	struct tableMemory *offsets;
};

/** Add a buffer. */
static void ipcAdd(struct ipcColumn *self, const void *bytes, size_t size)
{
	self->bytes[self->count] = bytes;
	self->sizes[self->count++] = size;
}

/** Make the bits that say which rows have a value. */
static void ipcAddBits(struct ipcColumn *self, const struct tableColumn *column,
		       size_t rows)
{
	if (column->nulls.used) {
		self->bits = g_malloc0((rows + 7) / 8);
		for (size_t i = 0; i < rows; i++) {
			if (column->nulls.bytes[i])
				self->nulls++;
			else
				self->bits[i / 8] |=
					(unsigned char)(1 << i % 8);
		}
	}
	ipcAdd(self, self->bits, self->bits ? (rows + 7) / 8 : 0);
}

/** Add a text, or a copy without the bytes that are not UTF-8. */
static int ipcAddText(struct ipcColumn *self, const struct tableColumn *column,
		      size_t rows)
{
	const char *bytes = (const char *)column->values.bytes;
	const int32_t *offsets = (const int32_t *)column->offsets.bytes;
	int ret;

	if (tableUtf8IsValid(bytes, offsets, rows)) {
		ipcAdd(self, offsets, column->offsets.used);
		ipcAdd(self, bytes, column->values.used);
		return 0;
	}
	ret = tableUtf8Repair(bytes, offsets, rows, &self->values,
			      &self->offsets);
	if (ret < 0)
		return ret;
	ipcAdd(self, self->offsets->bytes, self->offsets->size);
	ipcAdd(self, self->values->bytes, self->values->size);
	return 0;
}

static int ipcMakeColumn(struct ipcColumn *self,
			 const struct tableColumn *column, size_t rows)
{
	ipcAddBits(self, column, rows);
	if (column->type == TABLE_TEXT)
		return ipcAddText(self, column, rows);
	ipcAdd(self, column->values.bytes, column->values.used);
	return 0;
}

static void ipcFreeColumn(struct ipcColumn *self)
{
	g_free(self->bits);
	tableMemoryDrop(self->values);
	tableMemoryDrop(self->offsets);
}

/** Describe a batch, and say how large its body is. */
static size_t ipcDescribe(struct flat *flat, const struct ipcColumn *columns,
			  size_t count, size_t rows, uint64_t *body)
{
	uint64_t *nodes = g_new(uint64_t, IPC_NODE * count + 1);
	uint64_t *buffers =
		g_new(uint64_t, IPC_BUFFER * IPC_BUFFERS * count + 1);
	size_t bufferCount = 0;
	struct flatField fields[3];

	*body = 0;
	for (size_t i = 0; i < count; i++) {
		nodes[IPC_NODE * i] = rows;
		nodes[IPC_NODE * i + 1] = columns[i].nulls;
		for (size_t k = 0; k < columns[i].count; k++) {
			uint64_t *buffer = &buffers[IPC_BUFFER * bufferCount++];

			buffer[0] = *body;
			buffer[1] = columns[i].sizes[k];
			*body += (buffer[1] + IPC_ALIGNMENT - 1) /
				 IPC_ALIGNMENT * IPC_ALIGNMENT;
		}
	}
	fields[0] = (struct flatField){ FLAT_64, rows };
	fields[1] = ipcPlace(flatStructs(flat, nodes, count, IPC_NODE));
	fields[2] =
		ipcPlace(flatStructs(flat, buffers, bufferCount, IPC_BUFFER));
	g_free(nodes);
	g_free(buffers);
	return flatTable(flat, fields, G_N_ELEMENTS(fields));
}

int ipcBatch(struct ipcFile *self, const struct table *table)
{
	size_t count = self->schema->count;
	struct ipcColumn *columns = g_new0(struct ipcColumn, count + 1);
	uint64_t block[IPC_BLOCK] = { self->written };
	struct flat flat = { .bytes = NULL };
	uint64_t body;
	size_t batch;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < count; i++)
		ret = ipcMakeColumn(&columns[i], &table->columns[i],
				    table->rows);
	if (ret == 0) {
		batch = ipcDescribe(&flat, columns, count, table->rows, &body);
		block[1] = ipcMessage(self, &flat, IPC_BATCH, batch, body);
		block[2] = body;
		g_array_append_vals(self->batches, block, 1);
	}
	for (size_t i = 0; ret == 0 && i < count; i++) {
		for (size_t k = 0; k < columns[i].count; k++) {
			ipcWrite(self, columns[i].bytes[k],
				 columns[i].sizes[k]);
			ipcPad(self);
		}
	}
	for (size_t i = 0; i < count; i++)
		ipcFreeColumn(&columns[i]);
	g_free(columns);
	flatFree(&flat);
	return ret;
}

/* ---- The end ----------------------------------------------------------- */

void ipcEnd(struct ipcFile *self)
{
	struct flat flat = { .bytes = NULL };
	const unsigned char *bytes;
	struct flatField fields[4];
	size_t root;

	ipcWrite32(self, IPC_CONTINUE);
	ipcWrite32(self, 0);
	fields[0] = (struct flatField){ FLAT_16, IPC_VERSION };
	fields[1] = ipcPlace(ipcSchema(&flat, self->schema));
	fields[2] = ipcPlace(flatStructs(&flat, NULL, 0, IPC_BLOCK));
	/* The size of the metadata is a 32-bit number with padding. */
	fields[3] = ipcPlace(flatStructs(
		&flat, (const uint64_t *)(const void *)self->batches->data,
		self->batches->len, IPC_BLOCK));
	root = flatTable(&flat, fields, G_N_ELEMENTS(fields));
	bytes = flatFinish(&flat, root);
	ipcWrite(self, bytes, flat.used);
	ipcWrite32(self, (uint32_t)flat.used);
	ipcWrite(self, IPC_MAGIC, strlen(IPC_MAGIC));
	flatFree(&flat);
	g_array_unref(self->batches);
}
