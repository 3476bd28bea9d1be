/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client of our own protocol, for tests; see native-peer.h. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

struct native *nativeOpen(int fd)
{
	struct native *native = g_new0(struct native, 1);
	const struct hdFrameHello hello = { .lowest = 1,
					    .highest = 1,
					    .payloadMax = 1 << 17 };
	unsigned char bytes[HD_FRAME_GREETING_SIZE];

	native->fd = fd;
	native->early =
		g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, bytes);
	peerSend(fd, bytes, HD_FRAME_HELLO_SIZE);
	peerReceive(fd, bytes, HD_FRAME_GREETING_SIZE);
	g_assert_cmpint(hdFrameDecodeGreeting(PT_WIRE_MAGIC, bytes,
					      &native->greeting, NULL),
			==, 0);
	return native;
}

void nativeFree(struct native *native)
{
	g_ptr_array_unref(native->early);
	g_free(native);
}

void nativeClose(struct native *native)
{
	close(native->fd);
	nativeFree(native);
}

/* 0 is no tag. */
static uint16_t nextTag(struct native *native)
{
	if (++native->tag == 0)
		native->tag = 1;
	return native->tag;
}

uint16_t nativeAsk(struct native *native, enum ptWireType type,
		   const void *message)
{
	unsigned char bytes[70000];
	size_t size = ptWireEncode(type, nextTag(native), message, bytes,
				   sizeof(bytes), NULL);

	g_assert_cmpuint(size, >, 0);
	peerSend(native->fd, bytes, size);
	return native->tag;
}

void nativeNext(struct native *native, struct hdFrameHeader *header,
		union ptWireAnswer *any)
{
	unsigned char bytes[HD_FRAME_HEADER_SIZE];

	peerReceive(native->fd, bytes, sizeof(bytes));
	hdFrameDecodeHeader(bytes, header);
	g_assert_cmpuint(header->length, <=, sizeof(native->payload));
	peerReceive(native->fd, native->payload, header->length);
	g_assert_cmpint(ptWireDecode(header->type, native->payload,
				     header->length, any, NULL),
			==, 0);
}

unsigned int nativeAuthenticate(struct native *native, const char *user,
				const char *token)
{
	struct hdProof proof = { .protocol = ptWireAuthentication.protocol,
				 .token = token,
				 .tokenLength = strlen(token),
				 .user = hdFieldTextOf(user) };
	struct hdFrameAuthenticate request = { .user = hdFieldTextOf(user) };
	unsigned char ours[HD_PROOF_SIZE];
	struct hdFrameHeader header;
	union ptWireAnswer any;

	for (size_t i = 0; i < sizeof(request.nonce); i++)
		request.nonce[i] = (unsigned char)g_test_rand_int();
	memcpy(proof.clientNonce, request.nonce, sizeof(request.nonce));
	memcpy(proof.serverNonce, native->greeting.nonce,
	       sizeof(proof.serverNonce));
	hdProve(&proof, HD_PROOF_CLIENT, request.proof);
	nativeAsk(native, PT_WIRE_AUTHENTICATE, &request);
	nativeNext(native, &header, &any);
	g_assert_cmpuint(header.tag, ==, native->tag);
	if (header.type == PT_WIRE_AUTHENTICATED) {
		/* The server has the token, too. */
		hdProve(&proof, HD_PROOF_SERVER, ours);
		g_assert_cmpmem(any.authenticated.proof, 32, ours, 32);
		g_assert_true(hdFieldTextIs(any.authenticated.user, user));
	} else {
		g_assert_cmpuint(header.type, ==, PT_WIRE_ERROR);
		g_assert_true(any.failure.code == HD_FRAME_EDENIED ||
			      any.failure.code == HD_FRAME_ELIMIT);
	}
	return header.type;
}

void nativeHear(struct native *native, enum ptWireType type, uint16_t tag,
		union ptWireAnswer *any)
{
	struct hdFrameHeader header;

	nativeNext(native, &header, any);
	if (header.type == PT_WIRE_ERROR && type != PT_WIRE_ERROR)
		g_error("error %u: %.*s", any->failure.code,
			(int)any->failure.text.length, any->failure.text.at);
	g_assert_cmpuint(header.type, ==, type);
	g_assert_cmpuint(header.tag, ==, tag);
}

void nativeAwait(struct native *native, enum ptWireType type, uint16_t tag)
{
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do
		nativeNext(native, &header, &any);
	while (header.type != type || header.tag != tag);
}

void nativeError(struct native *native, uint16_t tag, int code)
{
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do
		nativeNext(native, &header, &any);
	while (header.tag == 0 && header.type != PT_WIRE_ERROR);
	g_assert_cmpuint(header.type, ==, PT_WIRE_ERROR);
	g_assert_cmpuint(header.tag, ==, tag);
	g_assert_cmpuint(any.failure.code, ==, code);
	g_assert_cmpuint(any.failure.text.length, >, 0);
}

void nativeRefuse(struct native *native, enum ptWireType type,
		  const void *message, int code)
{
	nativeError(native, nativeAsk(native, type, message), code);
}

/* ---- Streams ----------------------------------------------------------- */

static struct hdFieldText textOf(const char *word)
{
	return hdFieldTextOf(word && strcmp(word, "-") != 0 ? word : "");
}

/* Send an OPEN; returns its tag. */
static uint16_t nativeAskOpen(struct native *native, uint32_t flags,
			      double frequency, uint32_t delayMs,
			      const char *selections)
{
	g_auto(GStrv) list = g_strsplit(selections, ";", -1);
	unsigned char bytes[60000];
	struct ptWireOpen open = {
		.flags = flags,
		.frequency = frequency,
		.delayMs = delayMs,
		.selections = { bytes, 0 },
	};

	for (char **one = list; *one; one++) {
		g_auto(GStrv) words = g_strsplit(*one, " ", 4);
		struct ptWireSelection selection = { textOf(words[0]),
						     textOf(words[1]),
						     textOf(words[2]),
						     textOf(words[3]) };

		open.selections.length += ptWirePutSelection(
			&selection, bytes + open.selections.length,
			sizeof(bytes) - open.selections.length);
		open.count++;
	}
	return nativeAsk(native, PT_WIRE_OPEN, &open);
}

static void hearColumn(struct native *native, uint16_t tag,
		       struct nativeStream *stream, size_t group, size_t number)
{
	struct nativeColumn *column = &stream->columns[stream->columnCount++];
	union ptWireAnswer any;

	nativeHear(native, PT_WIRE_COLUMN, tag, &any);
	g_assert_cmpuint(any.column.stream, ==, stream->number);
	g_assert_cmpuint(any.column.group, ==, group);
	g_assert_cmpuint(any.column.column, ==, number);
	column->group = any.column.group;
	column->lines = any.column.lines;
	column->kind = any.column.kind;
	column->flags = any.column.flags;
	hdFieldTextCopy(any.column.node, column->node, sizeof(column->node));
	hdFieldTextCopy(any.column.line, column->line, sizeof(column->line));
	hdFieldTextCopy(any.column.value, column->value, sizeof(column->value));
	hdFieldTextCopy(any.column.unit, column->unit, sizeof(column->unit));
	hdFieldTextCopy(any.column.source, column->source,
			sizeof(column->source));
}

void nativeOpenStream(struct native *native, uint32_t flags, double frequency,
		      uint32_t delayMs, const char *selections,
		      struct nativeStream *stream)
{
	uint16_t tag =
		nativeAskOpen(native, flags, frequency, delayMs, selections);
	union ptWireAnswer any;
	size_t columns;

	*stream = (struct nativeStream){ 0 };
	nativeHear(native, PT_WIRE_OPENED, tag, &any);
	stream->number = any.opened.stream;
	stream->groupCount = any.opened.groups;
	columns = any.opened.columns;
	g_assert_cmpuint(stream->groupCount, <=, NATIVE_GROUPS);
	g_assert_cmpuint(columns, <=, NATIVE_COLUMNS);
	for (size_t i = 0; i < stream->groupCount; i++) {
		size_t count;

		nativeHear(native, PT_WIRE_GROUP, tag, &any);
		g_assert_cmpuint(any.group.group, ==, i);
		stream->every[i] = any.group.every;
		stream->intervalNs[i] = any.group.intervalNs;
		count = any.group.columns;
		for (size_t j = 0; j < count; j++)
			hearColumn(native, tag, stream, i, j);
	}
	g_assert_cmpuint(stream->columnCount, ==, columns);
}

void nativeRefuseStream(struct native *native, double frequency,
			const char *selections, int code)
{
	nativeError(native, nativeAskOpen(native, 0, frequency, 0, selections),
		    code);
}

void nativeStart(struct native *native, struct nativeStream *stream)
{
	const struct ptWireStream number = { stream->number };
	union ptWireAnswer any;

	nativeHear(native, PT_WIRE_STARTED,
		   nativeAsk(native, PT_WIRE_START, &number), &any);
	g_assert_cmpuint(any.moment.stream, ==, stream->number);
	stream->startWall = any.moment.wall;
	stream->startMono = any.moment.mono;
	stream->early = g_array_new(FALSE, TRUE, sizeof(struct nativeReading));
	g_ptr_array_add(native->early, stream->early);
}

/* Keep the readings of a frame. */
static void takeData(struct nativeStream *stream, const struct ptWireData *data)
{
	struct ptWireView view;

	g_assert_cmpint(ptWireViewData(data, &view), ==, 0);
	g_assert_cmpuint(data->columns, <=, NATIVE_COLUMNS);
	for (size_t i = 0; i < data->count; i++) {
		struct nativeReading one = {
			.group = data->group,
			.wall = (int64_t)ptWireGet64(view.wall, i),
			.mono = (int64_t)ptWireGet64(view.mono, i),
			.length = (int64_t)ptWireGet64(view.length, i),
			.lost = ptWireGet32(view.lost, i),
			.marks = ptWireGet32(view.marks, i),
		};

		for (size_t j = 0; j < data->columns; j++)
			one.values[j] = ptWireGetDouble(view.values,
							j * data->count + i);
		g_array_append_val(stream->early, one);
	}
}

void nativeStop(struct native *native, struct nativeStream *stream)
{
	const struct ptWireStream number = { stream->number };
	uint16_t tag = nativeAsk(native, PT_WIRE_STOP, &number);
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do {
		nativeNext(native, &header, &any);
		if (header.type == PT_WIRE_DATA)
			takeData(stream, &any.data);
	} while (header.type != PT_WIRE_STOPPED);
	g_assert_cmpuint(header.tag, ==, tag);
	stream->stopWall = any.moment.wall;
	stream->stopMono = any.moment.mono;
}

void nativeAwaitEvent(struct native *native, struct nativeStream *stream,
		      unsigned int what)
{
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do {
		nativeNext(native, &header, &any);
	} while (header.type != PT_WIRE_EVENT);
	g_assert_cmpuint(any.event.stream, ==, stream->number);
	g_assert_cmpuint(any.event.what, ==, what);
}

static void takeTotal(struct nativeRecording *r,
		      const struct ptWireTotal *total)
{
	struct nativeGroup *group = &r->groups[total->group];
	struct hdFieldRest rest = total->totals;

	group->total = *total;
	for (size_t i = 0; i < total->columns; i++)
		g_assert_cmpint(ptWireGetColumnTotal(&rest, &group->totals[i]),
				==, 0);
	g_assert_cmpuint(rest.length, ==, 0);
}

struct nativeRecording *nativeRecorded(struct native *native,
				       struct nativeStream *stream)
{
	struct nativeRecording *r = g_new0(struct nativeRecording, 1);
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do {
		nativeNext(native, &header, &any);
		if (header.type == PT_WIRE_DATA) {
			takeData(stream, &any.data);
		} else if (header.type == PT_WIRE_LOSS) {
			struct nativeGroup *g = &r->groups[any.loss.group];

			g_assert_cmpuint(g->lossCount, <, 16);
			g->losses[g->lossCount++] = any.loss;
		} else if (header.type == PT_WIRE_TOTAL) {
			takeTotal(r, &any.total);
		} else if (header.type != PT_WIRE_EVENT) {
			g_assert_cmpuint(header.type, ==, PT_WIRE_END);
		}
	} while (header.type != PT_WIRE_END);
	r->why = any.end.why;
	for (guint i = 0; i < stream->early->len; i++) {
		const struct nativeReading *one =
			&g_array_index(stream->early, struct nativeReading, i);
		struct nativeGroup *g = &r->groups[one->group];

		if (!g->readings)
			g->readings =
				g_new(struct nativeReading, stream->early->len);
		g->readings[g->count++] = *one;
	}
	stream->early = NULL;
	return r;
}

void nativeForget(struct nativeRecording *recording)
{
	for (size_t i = 0; i < NATIVE_GROUPS; i++)
		g_free(recording->groups[i].readings);
	g_free(recording);
}
