/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Lines of a time-independent trace.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/ti/tiinside.h"
#include "common/number.h"

/** Room for a line of a few numbers. */
#define LINE_ROOM 512

/** Width of numbers that may change: of sender, tag and size. */
#define OPEN_WIDTH 10

static char *tiLinesCopy(char *to, const char *text)
{
	size_t length = strlen(text);

	memcpy(to, text, length);
	return to + length;
}

static char *tiLinesBegin(const struct tiRank *self, char *to,
			  const char *action)
{
	memcpy(to, self->prefix, self->prefixLength);
	return tiLinesCopy(to + self->prefixLength, action);
}

void tiPutPending(struct tiRank *self)
{
	double amount = self->pending;
	char line[LINE_ROOM], *end;

	self->pending = 0;
	if (!(amount >= 0.5))
		return;
	end = tiLinesBegin(self, line, "compute ");
	end = hdNumberPutInt64(end,
			       amount < 9e18 ? llround(amount) : INT64_MAX);
	*end++ = '\n';
	tiTextAppend(&self->text, line, (size_t)(end - line));
}

void tiPut(struct tiRank *self, const char *action, size_t count,
	   const int64_t *arguments)
{
	char line[LINE_ROOM], *end;

	tiPutPending(self);
	end = tiLinesBegin(self, line, action);
	for (size_t i = 0; i < count; i++) {
		*end++ = ' ';
		end = hdNumberPutInt64(end, arguments[i]);
	}
	*end++ = '\n';
	tiTextAppend(&self->text, line, (size_t)(end - line));
}

void tiPutText(struct tiRank *self, const char *action, const char *text)
{
	char line[LINE_ROOM];
	int length;

	tiPutPending(self);
	length = g_snprintf(line, sizeof(line), "%s%s%s%s\n", self->prefix,
			    action, text ? " " : "", text ? text : "");
	tiTextAppend(&self->text, line, (size_t)length);
}

void tiPutSleep(struct tiRank *self, int64_t time)
{
	char text[HD_INT64_MAX + 16];

	*hdNumberTime(text, MAX(time, 0)) = '\0';
	tiPutText(self, "sleep", text);
}

void tiMark(struct tiRank *self)
{
	if (g_ascii_strcasecmp(self->name->action, self->name->function) != 0)
		tiMarkAlways(self);
}

void tiMarkAlways(struct tiRank *self)
{
	char line[LINE_ROOM], *end = line;

	tiPutPending(self);
	self->marked = self->name->function;
	*end++ = '#';
	end = tiLinesCopy(end, self->marked);
	*end++ = '\n';
	tiTextAppend(&self->text, line, (size_t)(end - line));
}

void tiMarkEnd(struct tiRank *self)
{
	if (self->marked)
		tiTextAppend(&self->text, "#\n", 2);
	self->marked = NULL;
}

/* ---- Messages ---------------------------------------------------------- */

static uint32_t tiLinesPieces(int64_t size)
{
	return size <= TI_SIZE_MAX
		       ? 1
		       : (uint32_t)MIN((size + TI_PIECE - 1) / TI_PIECE,
				       UINT16_MAX);
}

/** Size of a piece of a message. */
static int64_t tiLinesPiece(int64_t size, uint32_t count, uint32_t number)
{
	if (count == 1)
		return MIN(size, TI_SIZE_MAX);
	return number + 1 < count
		       ? TI_PIECE
		       : MIN(size - (int64_t)number * TI_PIECE, TI_PIECE);
}

/** Of nothing SMPI would probe for the size. */
static int64_t tiLinesRoom(int64_t size)
{
	return MAX(size, 1);
}

void tiPutIsend(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
		GArray *pieces)
{
	struct tiPiece piece = {
		.sender = (int64_t)self->number,
		.receiver = peer,
		.tag = tag,
		.count = tiLinesPieces(size),
	};

	for (uint32_t i = 0; i < piece.count; i++)
		TI_PUT(self, "isend", peer, tag,
		       tiLinesPiece(size, piece.count, i));
	g_array_append_val(pieces, piece);
}

static struct tiPiece tiLinesReceive(const struct tiRank *self, int64_t peer,
				     int64_t tag, int64_t size)
{
	return (struct tiPiece){
		.sender = peer,
		.receiver = (int64_t)self->number,
		.tag = tag,
		.count = tiLinesPieces(size),
		.isReceive = true,
	};
}

void tiPutIrecv(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
		GArray *pieces)
{
	struct tiPiece piece = tiLinesReceive(self, peer, tag, size);

	for (uint32_t i = 0; i < piece.count; i++)
		TI_PUT(self, "irecv", peer, tag,
		       tiLinesRoom(tiLinesPiece(size, piece.count, i)));
	g_array_append_val(pieces, piece);
}

/** A line whose numbers have room; returns its length. */
static size_t tiLinesOpenLine(const struct tiRank *self, char line[LINE_ROOM],
			      int64_t peer, int64_t tag, int64_t size)
{
	return (size_t)g_snprintf(line, LINE_ROOM,
				  "%sirecv %*" PRId64 " %*" PRId64 " %*" PRId64
				  "\n",
				  self->prefix, OPEN_WIDTH, peer, OPEN_WIDTH,
				  tag, OPEN_WIDTH, size);
}

void tiPutOpen(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
	       GArray *pieces)
{
	struct tiPiece piece = tiLinesReceive(self, peer, tag, size);
	char line[LINE_ROOM];

	piece.isOpen = true;
	tiPutPending(self);
	piece.offset = tiTextLength(&self->text);
	for (uint32_t i = 0; i < piece.count; i++) {
		int64_t part = tiLinesPiece(size, piece.count, i);
		size_t length = tiLinesOpenLine(self, line, peer, tag,
						tiLinesRoom(part));

		tiTextAppend(&self->text, line, length);
	}
	g_array_append_val(pieces, piece);
}

/** Leave out lines of a receive from the one with a number on. */
static void tiLinesHide(struct tiRank *self, const struct tiPiece *piece,
			uint32_t from, size_t length)
{
	for (uint32_t i = from; i < piece->count; i++)
		tiTextPatch(&self->text, piece->offset + i * length, "#", 1);
}

void tiClose(struct tiRank *self, struct tiPiece *piece, int64_t peer,
	     int64_t tag, int64_t size)
{
	char line[LINE_ROOM];
	uint32_t count = MIN(tiLinesPieces(size), piece->count);
	size_t length = 0;

	for (uint32_t i = 0; i < count; i++) {
		length = tiLinesOpenLine(
			self, line, peer, tag,
			tiLinesRoom(tiLinesPiece(size, count, i)));
		tiTextPatch(&self->text, piece->offset + i * length, line,
			    length);
	}
	tiLinesHide(self, piece, count, length);
	piece->sender = peer;
	piece->tag = tag;
	piece->count = count;
	piece->isOpen = false;
}

void tiDrop(struct tiRank *self, struct tiPiece *piece)
{
	char line[LINE_ROOM];

	tiLinesHide(self, piece, 0, tiLinesOpenLine(self, line, 0, 0, 0));
	piece->count = 0;
	piece->isOpen = false;
}

void tiPutWaits(struct tiRank *self, GArray *pieces)
{
	for (guint k = 0; k < pieces->len; k++) {
		const struct tiPiece *piece =
			&g_array_index(pieces, struct tiPiece, k);

		for (uint32_t i = 0; i < piece->count; i++)
			TI_PUT(self, "wait", piece->sender, piece->receiver,
			       piece->tag);
	}
	g_array_set_size(pieces, 0);
}

void tiPutSend(struct tiRank *self, int64_t peer, int64_t tag, int64_t size)
{
	uint32_t count = tiLinesPieces(size);

	for (uint32_t i = 0; i < count; i++)
		TI_PUT(self, "send", peer, tag, tiLinesPiece(size, count, i));
}

void tiPutRecv(struct tiRank *self, int64_t peer, int64_t tag, int64_t size)
{
	uint32_t count = tiLinesPieces(size);

	for (uint32_t i = 0; i < count; i++)
		TI_PUT(self, "recv", peer, tag,
		       tiLinesRoom(tiLinesPiece(size, count, i)));
}
