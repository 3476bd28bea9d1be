/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed files that tests make; see made.h. */
#include "config.h"

#include "common/format/compress.h"
#include "common/format/frame.h"
#include "tests/reading/made.h"

struct made madeNew(void)
{
	return (struct made){
		g_string_new(NULL),
		g_array_new(FALSE, FALSE, sizeof(struct hdFrameEntry)),
	};
}

void madeFree(struct made *made)
{
	g_string_free(made->bytes, TRUE);
	g_array_unref(made->entries);
}

/* Append a frame with a checksum. */
static gsize madeCompress(GString *bytes, const char *plain, gsize size)
{
	ZSTD_CCtx *context = hdCompressCreate(3);
	char *frame = g_malloc(hdCompressRoom(size));
	gsize made = hdCompressChecked(context, plain, size, frame);

	g_assert_cmpuint(made, >, 0);
	hdZstd.ZSTD_freeCCtx(context);
	g_string_append_len(bytes, frame, (gssize)made);
	g_free(frame);
	return made;
}

void madeAddFrame(struct made *made, const char *plain, gsize size,
		  gboolean isRaw)
{
	struct hdFrameEntry entry = { .plain = (guint32)size };

	if (isRaw) {
		gsize room = hdFrameRawSize(size);
		char *frame = g_malloc(room);

		hdFrameWriteRaw(frame, plain, size);
		g_string_append_len(made->bytes, frame, (gssize)room);
		g_free(frame);
		entry.stored = (guint32)room;
	} else {
		entry.stored = (guint32)madeCompress(made->bytes, plain, size);
	}
	g_array_append_val(made->entries, entry);
}

void madeAddIndex(struct made *made, const char *content, gsize size)
{
	gsize at = made->bytes->len;
	struct hdFrameEntry entry = { .plain = 0 };
	gsize frame;

	g_string_set_size(made->bytes, at + HD_FRAME_INDEX_HEAD);
	frame = madeCompress(made->bytes, content, size);
	hdFrameWriteIndexHead(made->bytes->str + at, frame);
	entry.stored = (guint32)(HD_FRAME_INDEX_HEAD + frame);
	g_array_append_val(made->entries, entry);
}

void madeAddTable(struct made *made)
{
	gsize size = hdFrameTableSize(made->entries->len);
	char *table = g_malloc(size);

	hdFrameWriteTable(
		table, (const struct hdFrameEntry *)(void *)made->entries->data,
		made->entries->len);
	g_string_append_len(made->bytes, table, (gssize)size);
	g_free(table);
}

struct made madeFrames(const char *plain, gsize size, gsize step)
{
	struct made made = madeNew();

	for (gsize at = 0; at < size; at += step)
		madeAddFrame(&made, plain + at, MIN(step, size - at),
			     at / step % 2 == 0);
	return made;
}
