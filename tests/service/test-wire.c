/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of the power service's protocol, as doc/format/power-service.md has
 * them, and what must not be taken for a message. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <glib.h>

#include "PowerTracingLibrary/wire/wire.h"
#include "tests/service/hexbytes.h"

#define TEXT(string)                       \
	{                                  \
		string, sizeof(string) - 1 \
	}
#define NONCE "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define PROOF "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"

static void counted(unsigned char *bytes, unsigned char first)
{
	for (unsigned int i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(first + i);
}

/* ---- Every message ----------------------------------------------------- */

static const struct hdFrameAuthenticate authenticate = {
	.user = TEXT("bo"),
	.nonce = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
		   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
		   22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
	.proof = { 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202,
		   203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213,
		   214, 215, 216, 217, 218, 219, 220, 221, 222, 223 },
};
static const struct hdFrameAuthenticated authenticated = {
	.user = TEXT("bo"),
	.proof = { 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202,
		   203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213,
		   214, 215, 216, 217, 218, 219, 220, 221, 222, 223 },
};
static const struct hdFramePing ping = { UINT64_C(0x8877665544332211) };
static const struct hdFramePong pong = { UINT64_C(0x8877665544332211), 1, -2 };
static const struct ptWireDevice device = {
	.device = 3,
	.name = TEXT("lmg"),
	.driver = TEXT("LMG450"),
	.description = TEXT(""),
	.intervalNs = 50000000,
	.timedByMeter = 1,
	.isUp = 1,
	.readings = 258,
	.lost = 1,
	.errors = 2,
	.reconnects = 3,
	.late = 4,
	.lastWall = 5,
};
static const struct ptWireLine line = {
	.device = 3,
	.line = 1,
	.name = TEXT("a"),
	.node = TEXT("n1"),
	.channel = TEXT("2"),
	.description = TEXT("x"),
	.voltage = 12,
	.flags = PT_WIRE_SUMMED,
};
static const struct ptWireValue value = {
	.device = 3,
	.line = 1,
	.name = TEXT("P"),
	.unit = TEXT("W"),
	.grouping = TEXT("Power"),
	.kind = PT_WIRE_MEAN,
	.flags = PT_WIRE_SIMULATED,
	.source = TEXT("s"),
	.resolution = TEXT("r"),
};
static const struct ptWireListEnd listEnd = { 4, 0 };
static const unsigned char selections[] = "\0\0\2\0n1\0\0\1\0P";
static const struct ptWireOpen openFields = {
	.flags = PT_WIRE_KEEP | PT_WIRE_LINES,
	.frequency = 20,
	.delayMs = 100,
	.count = 1,
	.selections = { selections, sizeof(selections) - 1 },
};
static const struct ptWireOpened opened = { 7, 1, 2 };
static const struct ptWireGroup group = { 7, 0, 2, TEXT("lmg"), 4, 200000000 };
static const struct ptWireColumn column = {
	.stream = 7,
	.group = 0,
	.column = 1,
	.node = TEXT("n1"),
	.line = TEXT(""),
	.lines = 2,
	.value = TEXT("P"),
	.unit = TEXT("W"),
	.grouping = TEXT("Power"),
	.kind = PT_WIRE_MEAN,
	.flags = 0,
	.source = TEXT("s"),
	.resolution = TEXT("r"),
};
static const struct ptWireStream stream = { 7 };
static const struct ptWireMoment moment = { 7, 1, 2 };
static const struct hdFrameFailure failure = { 5, TEXT("no node x") };
static const unsigned char arrays[32 + 16] = {
	[0] = 1,  [8] = 2,     [16] = 3,    [24] = 4,
	[28] = 1, [39] = 0x40, [47] = 0x41,
};
static const struct ptWireData data = {
	.stream = 7,
	.group = 0,
	.columns = 2,
	.count = 1,
	.arrays = { arrays, sizeof(arrays) },
};
static const struct ptWireLoss loss = { 7, 0, 1, 9, 1, 2 };
static const struct ptWireEvent event = { 7, 0, 2, 1, 2 };
static const unsigned char totals[32] = { 1 };
static const struct ptWireTotal total = {
	.stream = 7,
	.group = 0,
	.columns = 1,
	.readings = 20,
	.lost = 1,
	.dropped = 2,
	.coveredNs = 3,
	.totals = { totals, sizeof(totals) },
};
static const struct ptWireEnd end = { 7, 1, 1, 2 };

/* Numbers of 64 bit. */
#define N0 "0000000000000000 "
#define N1 "0100000000000000 "
#define N2 "0200000000000000 "
#define N3 "0300000000000000 "

/* A frame; "fixed" is the number of bytes that must be there. */
static const struct {
	const char *name;
	enum ptWireType type;
	const void *message;
	const char *hex;
	size_t rest; /* Bytes of the payload that may be missing. */
} frames[] = {
	{ "authenticate", PT_WIRE_AUTHENTICATE, &authenticate,
	  "44000000 0100 3412 0200 626f " NONCE PROOF, 0 },
	{ "authenticated", PT_WIRE_AUTHENTICATED, &authenticated,
	  "24000000 0101 3412 0200 626f " PROOF, 0 },
	{ "ping", PT_WIRE_PING, &ping, "08000000 0200 3412 1122334455667788",
	  0 },
	{ "pong", PT_WIRE_PONG, &pong,
	  "18000000 0201 3412 1122334455667788" N1 "feffffffffffffff", 0 },
	{ "list", PT_WIRE_LIST, NULL, "00000000 0300 3412", 0 },
	{ "device", PT_WIRE_DEVICE, &device,
	  "4b000000 0301 3412 0300 0300 6c6d67 0600 4c4d47343530 0000"
	  "80f0fa0200000000 01 01 0201000000000000 " N1 N2 N3
	  "0400000000000000 0500000000000000",
	  0 },
	{ "line", PT_WIRE_LINE, &line,
	  "1a000000 0401 3412 0300 0100 0100 61 0200 6e31 0100 32 0100 78"
	  "0000000000002840 01",
	  0 },
	{ "value", PT_WIRE_VALUE, &value,
	  "19000000 0501 3412 0300 0100 0100 50 0100 57 0500 506f776572"
	  "00 01 0100 73 0100 72",
	  0 },
	{ "end of list", PT_WIRE_LIST_END, &listEnd,
	  "04000000 0601 3412 0400 0000", 0 },
	{ "open", PT_WIRE_OPEN, &openFields,
	  "1d000000 0400 3412 03000000 0000000000003440 64000000 0100"
	  "0000 0200 6e31 0000 0100 50",
	  11 },
	{ "opened", PT_WIRE_OPENED, &opened,
	  "08000000 0701 3412 07000000 0100 0200", 0 },
	{ "group", PT_WIRE_GROUP, &group,
	  "19000000 0801 3412 07000000 0000 0200 0300 6c6d67 04000000"
	  "00c2eb0b00000000",
	  0 },
	{ "column", PT_WIRE_COLUMN, &column,
	  "25000000 0901 3412 07000000 0000 0100 0200 6e31 0000 0200 0100 50"
	  "0100 57 0500 506f776572 00 00 0100 73 0100 72",
	  0 },
	{ "start", PT_WIRE_START, &stream, "04000000 0500 3412 07000000", 0 },
	{ "stop", PT_WIRE_STOP, &stream, "04000000 0600 3412 07000000", 0 },
	{ "close", PT_WIRE_CLOSE, &stream, "04000000 0700 3412 07000000", 0 },
	{ "started", PT_WIRE_STARTED, &moment,
	  "14000000 0a01 3412 07000000" N1 N2, 0 },
	{ "stopped", PT_WIRE_STOPPED, &moment,
	  "14000000 0b01 3412 07000000" N1 N2, 0 },
	{ "closed", PT_WIRE_CLOSED, &stream, "04000000 0c01 3412 07000000", 0 },
	{ "error", PT_WIRE_ERROR, &failure,
	  "0d000000 0f01 3412 0500 0900 6e6f206e6f64652078", 0 },
	{ "data", PT_WIRE_DATA, &data,
	  "40000000 1001 3412 07000000 0000 0200 01000000 00000000" N1 N2 N3
	  "04000000 01000000 0000000000000040 0000000000000041",
	  48 },
	{ "loss", PT_WIRE_LOSS, &loss,
	  "20000000 1101 3412 07000000 0000 0100 0900000000000000" N1 N2, 0 },
	{ "event", PT_WIRE_EVENT, &event,
	  "18000000 1201 3412 07000000 0000 0200" N1 N2, 0 },
	{ "total", PT_WIRE_TOTAL, &total,
	  "48000000 1301 3412 07000000 0000 0100 1400000000000000" N1 N2 N3 N1
		  N0 N0 N0,
	  32 },
	{ "end", PT_WIRE_END, &end, "16000000 1401 3412 07000000 0100" N1 N2,
	  0 },
};

static void testFrame(gconstpointer pointer)
{
	size_t i = GPOINTER_TO_SIZE(pointer);
	unsigned char expected[600], bytes[600], message[200];
	size_t size = hexBytes(frames[i].hex, expected), payload;
	struct hdFrameHeader header;

	payload = size - HD_FRAME_HEADER_SIZE;
	g_assert_cmpuint(ptWireEncode(frames[i].type, 0x1234, frames[i].message,
				      bytes, sizeof(bytes), NULL),
			 ==, size);
	g_assert_cmpmem(bytes, size, expected, size);
	for (size_t room = 0; room < size; room++)
		g_assert_cmpuint(ptWireEncode(frames[i].type, 1,
					      frames[i].message, bytes, room,
					      NULL),
				 ==, 0);
	hdFrameDecodeHeader(expected, &header);
	g_assert_cmpuint(header.type, ==, frames[i].type);
	g_assert_cmpuint(header.length, ==, payload);
	g_assert_cmpuint(header.tag, ==, 0x1234);
	/* What was read, written again, is the same. */
	g_assert_cmpint(ptWireDecode(header.type,
				     expected + HD_FRAME_HEADER_SIZE, payload,
				     message, NULL),
			==, 0);
	g_assert_cmpuint(ptWireEncode(frames[i].type, 0x1234, message, bytes,
				      sizeof(bytes), NULL),
			 ==, size);
	g_assert_cmpmem(bytes, size, expected, size);
	for (size_t cut = 0; cut + frames[i].rest < payload; cut++) {
		/* With its exact size, for AddressSanitizer. */
		g_autofree unsigned char *copy =
			g_memdup2(expected + HD_FRAME_HEADER_SIZE, cut);

		g_assert_cmpint(
			ptWireDecode(header.type, copy, cut, message, NULL), ==,
			-EBADMSG);
	}
	/* Later versions may have more. */
	if (frames[i].rest == 0)
		g_assert_cmpint(ptWireDecode(header.type,
					     expected + HD_FRAME_HEADER_SIZE,
					     payload + 1, message, NULL),
				==, 0);
}

/* ---- Ranges ------------------------------------------------------------ */

/* Numbers of 64 bit at the ends of ranges, and behind them. */
#define INT64_LEAST "0000000000000080"
#define INT64_MOST "ffffffffffffff7f"
#define WALL_MOST "ffffffffffc99a3b"
#define WALL_OVER "0000000000ca9a3b"

/* What comes out of a frame above, when some of its payload is other bytes. */
static const struct {
	const char *name;
	size_t at;
	const char *hex;
	const char *fault; /* NULL for none. */
} ranges[] = {
	{ "pong", 8, "0000000000000000", NULL },
	{ "pong", 8, "ffffffffffffffff", "Pong.wall is -1, below 0" },
	{ "pong", 8, INT64_LEAST,
	  "Pong.wall is -9223372036854775808, below 0" },
	{ "pong", 8, INT64_MOST,
	  "Pong.wall is 9223372036854775807, above 4294967295999999999" },
	{ "pong", 16, "0000000000000040", NULL },
	{ "pong", 16, "00000000000000c0", NULL },
	{ "pong", 16, "0100000000000040",
	  "Pong.mono is 4611686018427387905, above 4611686018427387904" },
	{ "pong", 16, INT64_LEAST,
	  "Pong.mono is -9223372036854775808, below -4611686018427387904" },
	{ "device", 2, "0000", "Device.name is empty" },
	{ "device", 2, "0001", "Device.name is truncated" },
	{ "device", 5, "1b", "Device.name contains an invalid character" },
	{ "device", 17, "0000000000000000", "Device.intervalNs is 0, below 1" },
	{ "device", 17, INT64_MOST,
	  "Device.intervalNs is 9223372036854775807, above "
	  "315619200000000000" },
	{ "device", 25, "02", "Device.timedByMeter is 2, above 1" },
	{ "device", 26, "ff", "Device.isUp is 255, above 1" },
	{ "device", 27, "0000000000002000", NULL },
	{ "device", 27, "0100000000002000",
	  "Device.readings is 9007199254740993, above 9007199254740992" },
	{ "device", 35, "ffffffffffffffff",
	  "Device.lost is 18446744073709551615, above 9007199254740992" },
	{ "device", 67, WALL_MOST, NULL },
	{ "device", 67, INT64_LEAST, "Device.lastWall is" },
	{ "line", 17, "000000000000f87f", NULL },
	{ "line", 17, "000000000000f07f", "Line.voltage is inf, beyond 1e+36" },
	{ "value", 4, "0000", "Value.name is empty" },
	{ "value", 17, "03", "Value.kind is 3, above 2" },
	{ "open", 4, "000000000000f87f", "Open.frequency is not a number" },
	{ "open", 4, "000000000000f0bf", "Open.frequency is -1, below 0" },
	{ "open", 4, "0000000000000000", NULL },
	{ "opened", 4, "0000", "Opened.groups is 0, below 1" },
	{ "opened", 6, "0000", "Opened.columns is 0, below 1" },
	{ "group", 6, "0000", "Group.columns is 0, below 1" },
	{ "group", 6, "0004", NULL },
	{ "group", 6, "0104", "Group.columns is 1025, above 1024" },
	{ "group", 8, "0000", "Group.device is empty" },
	{ "group", 13, "00000000", "Group.every is 0, below 1" },
	{ "group", 17, INT64_LEAST, "Group.intervalNs is -92" },
	{ "group", 17, "00004b7cfd4d6104", NULL },
	{ "group", 17, "01004b7cfd4d6104",
	  "Group.intervalNs is 315619200000000001, above" },
	{ "group", 17, INT64_MOST, "Group.intervalNs is 92" },
	{ "column", 8, "0000", "Column.node is empty" },
	{ "column", 10, "c285", "Column.node contains an invalid character" },
	{ "column", 14, "0000", "Column.lines is 0, below 1" },
	{ "column", 16, "0000", "Column.value is empty" },
	{ "column", 29, "03", "Column.kind is 3, above 2" },
	{ "started", 4, WALL_OVER, "Moment.wall is 4294967296000000000" },
	{ "data", 6, "0000", "Data.columns is 0, below 1" },
	{ "data", 8, "00000000", "Data.count is 0, below 1" },
	{ "data", 8, "02000000", "Data.count is 2; there are fewer readings" },
	{ "data", 16, INT64_LEAST, "Data.wall is -92" },
	{ "data", 24, INT64_MOST, "Data.mono is 92" },
	{ "data", 24, "00000000000000c0", NULL },
	{ "data", 32, "ffffffffffffffff", "Data.length is -1, below 0" },
	{ "data", 32, INT64_MOST, "Data.length is 92" },
	{ "data", 48, "000000000000f87f", NULL },
	{ "data", 48, "000000000000f0ff", "Data.values is -inf, beyond 1e+36" },
	{ "data", 56, "bad9826e513a527f", "Data.values is 2e+305" },
	{ "loss", 6, "0000", "Loss.why is 0, below 1" },
	{ "loss", 6, "0300", "Loss.why is 3, above 2" },
	{ "loss", 16, INT64_LEAST, "Loss.fromWall is" },
	{ "loss", 24, INT64_MOST, "Loss.toWall is" },
	{ "event", 6, "0000", "Event.what is 0, below 1" },
	{ "event", 6, "0300", "Event.what is 3, above 2" },
	{ "total", 6, "0000", "Total.columns is 0, below 1" },
	{ "total", 6, "0200", "ColumnTotal.coveredNs is missing" },
	{ "total", 32, "ffffffffffffffff", "Total.coveredNs is -1, below 0" },
	{ "total", 40, INT64_MOST, "ColumnTotal.coveredNs is 92" },
	{ "total", 48, "000000000000f07f", "ColumnTotal.total is inf" },
	{ "total", 56, "000000000000f8ff", NULL },
	{ "total", 64, "000000000000f07f", "ColumnTotal.max is inf" },
	{ "end", 4, "0000", "End.why is 0, below 1" },
	{ "end", 4, "0500", "End.why is 5, above 4" },
	{ "end", 14, INT64_LEAST, "End.mono is -92" },
};

static size_t frameOf(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(frames); i++)
		if (strcmp(frames[i].name, name) == 0)
			return i;
	g_error("there is no frame %s", name);
}

/* Each field at the ends of its range, read and written. */
static void testRanges(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++) {
		size_t frame = frameOf(ranges[i].name);
		unsigned char bytes[600], again[600], message[200];
		size_t size = hexBytes(frames[frame].hex, bytes);
		unsigned char *payload = bytes + HD_FRAME_HEADER_SIZE;
		struct hdFieldFault fault = { "" };
		int ret;

		hexBytes(ranges[i].hex, payload + ranges[i].at);
		ret = ptWireDecode(frames[frame].type, payload,
				   size - HD_FRAME_HEADER_SIZE, message,
				   &fault);
		g_test_message("%s at %zu: %s", ranges[i].name, ranges[i].at,
			       fault.text);
		g_assert_cmpint(ret, ==, ranges[i].fault ? -EBADMSG : 0);
		if (ranges[i].fault)
			g_assert_true(
				g_str_has_prefix(fault.text, ranges[i].fault));
		else
			g_assert_cmpuint(ptWireEncode(frames[frame].type,
						      0x1234, message, again,
						      sizeof(again), &fault),
					 ==, size);
	}
}

/* What is out of its range is not sent, either. */
static void testUnsent(void)
{
	const struct hdFramePong early = { 0, -1, 0 };
	const struct ptWireGroup nameless = { 7, 0, 2, TEXT(""), 4, 1 };
	const struct ptWireOpen endless = { .frequency = INFINITY };
	static unsigned char bad[sizeof(arrays)];
	struct ptWireData infinite = data;
	const struct {
		enum ptWireType type;
		const void *message;
		const char *fault;
	} rows[] = {
		{ PT_WIRE_PONG, &early, "Pong.wall is -1, below 0" },
		{ PT_WIRE_GROUP, &nameless, "Group.device is empty" },
		{ PT_WIRE_OPEN, &endless,
		  "Open.frequency is inf, beyond 1e+09" },
		{ PT_WIRE_DATA, &infinite, "Data.values is inf" },
	};
	unsigned char bytes[600];
	struct hdFieldFault fault;

	memcpy(bad, arrays, sizeof(bad));
	hexBytes("000000000000f07f", bad + 40);
	infinite.arrays.at = bad;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_assert_cmpuint(ptWireEncode(rows[i].type, 1, rows[i].message,
					      bytes, sizeof(bytes), &fault),
				 ==, 0);
		g_assert_true(g_str_has_prefix(fault.text, rows[i].fault));
		g_assert_cmpuint(ptWireEncode(rows[i].type, 1, rows[i].message,
					      bytes, sizeof(bytes), NULL),
				 ==, 0);
	}
	/* That it does not fit is no fault of it. */
	g_assert_cmpuint(ptWireEncode(PT_WIRE_PING, 1, &ping, bytes, 9, &fault),
			 ==, 0);
	g_assert_cmpstr(fault.text, ==, "");
	/* Whatever a meter says can be told. */
	g_assert_cmpfloat(hdFieldValueOf(-1e30), ==, -1e30);
	g_assert_true(isnan(hdFieldValueOf(2e30)));
	g_assert_true(isnan(hdFieldValueOf(-INFINITY)));
	g_assert_true(isnan(hdFieldValueOf(NAN)));
}

static void testUnknown(void)
{
	unsigned char bytes[100];

	g_assert_cmpuint(ptWireEncode(8, 1, &stream, bytes, 100, NULL), ==, 0);
	g_assert_cmpint(ptWireDecode(0, bytes, 100, bytes, NULL), ==, -ENOENT);
	g_assert_cmpint(ptWireDecode(65536 + 1, bytes, 100, bytes, NULL), ==,
			-ENOENT);
}

/* ---- The beginning ----------------------------------------------------- */

static void testHello(void)
{
	struct hdFrameHello hello = { 1, 2, 0, 65536 };
	unsigned char expected[100], bytes[100];

	g_assert_cmpuint(
		hexBytes("89484450 0100 0200 00000000 00000100", expected), ==,
		HD_FRAME_HELLO_SIZE);
	hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, bytes);
	g_assert_cmpmem(bytes, HD_FRAME_HELLO_SIZE, expected,
			HD_FRAME_HELLO_SIZE);
	hello = (struct hdFrameHello){ 0 };
	g_assert_cmpint(
		hdFrameDecodeHello(PT_WIRE_MAGIC, expected, &hello, NULL), ==,
		0);
	g_assert_cmpuint(hello.lowest, ==, 1);
	g_assert_cmpuint(hello.highest, ==, 2);
	g_assert_cmpuint(hello.payloadMax, ==, 65536);
	for (size_t i = 0; i < HD_FRAME_MAGIC_SIZE; i++) {
		memcpy(bytes, expected, HD_FRAME_HELLO_SIZE);
		bytes[i] ^= 1;
		g_assert_cmpint(
			hdFrameDecodeHello(PT_WIRE_MAGIC, bytes, &hello, NULL),
			==, -EBADMSG);
	}
}

static void testGreeting(void)
{
	struct hdFrameGreeting greeting = { 1,    1, HD_FRAME_ENCRYPTED,
					    4096, 1, 2,
					    { 0 } };
	unsigned char expected[100], bytes[100];

	counted(greeting.nonce, 0);
	g_assert_cmpuint(
		hexBytes("89484450 0100 0100 01000000 00100000" N1 N2 NONCE,
			 expected),
		==, HD_FRAME_GREETING_SIZE);
	hdFrameEncodeGreeting(PT_WIRE_MAGIC, &greeting, bytes);
	g_assert_cmpmem(bytes, HD_FRAME_GREETING_SIZE, expected,
			HD_FRAME_GREETING_SIZE);
	greeting = (struct hdFrameGreeting){ 0 };
	g_assert_cmpint(
		hdFrameDecodeGreeting(PT_WIRE_MAGIC, expected, &greeting, NULL),
		==, 0);
	hdFrameEncodeGreeting(PT_WIRE_MAGIC, &greeting, bytes);
	g_assert_cmpmem(bytes, HD_FRAME_GREETING_SIZE, expected,
			HD_FRAME_GREETING_SIZE);
	expected[0] = 0;
	g_assert_cmpint(
		hdFrameDecodeGreeting(PT_WIRE_MAGIC, expected, &greeting, NULL),
		==, -EBADMSG);
}

/* No operation of pmlib (0 to 9, little endian) and no record of TLS begins as
 * we do. */
static void testMagic(void)
{
	const unsigned char *magic = (const unsigned char *)PT_WIRE_MAGIC;

	g_assert_cmpuint(ptWireGet32(magic, 0), >, 9);
	g_assert_cmpuint(magic[0], !=, 0x16);
	g_assert_cmpuint(magic[0], >=, 0x80);
}

/* ---- Texts ------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *sent; /* NULL: as it is. */
} texts[] = {
	{ "", NULL },
	{ "node06", NULL },
	{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\x8c \xf4\x8f\xbf\xbf", NULL },
	{ "a\nb\tc\x7f", "a?b?c?" },
	{ "\xe4", "?" },      /* Latin 1. */
	{ "\xc0\x80", "??" }, /* Too long a form. */
	{ "\xe0\x9f\xbf", "???" },
	{ "\xf0\x8f\xbf\xbf", "????" },
	{ "\xed\xa0\x80", "???" },      /* A surrogate. */
	{ "\xf4\x90\x80\x80", "????" }, /* Beyond U+10FFFF. */
	{ "\xf5\x80", "??" },
	{ "\xe2\x82", "??" }, /* Cut off. */
	{ "\xe2\x82(", "?"
		       "?(" },
};

/* What is sent is a text, whatever was given; what is received is checked. */
static void testTexts(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		const char *sent =
			texts[i].sent ? texts[i].sent : texts[i].text;
		struct hdFrameFailure message = { 5, hdFieldTextOf(
							     texts[i].text) };
		unsigned char bytes[100], raw[100] = { 5, 0 };
		size_t length = strlen(texts[i].text);
		size_t size = ptWireEncode(PT_WIRE_ERROR, 0, &message, bytes,
					   sizeof(bytes), NULL);

		g_assert_cmpuint(size, ==, 8 + 4 + strlen(sent));
		g_assert_cmpint(ptWireDecode(PT_WIRE_ERROR, bytes + 8, size - 8,
					     &message, NULL),
				==, 0);
		g_assert_true(hdFieldTextIs(message.text, sent));
		raw[2] = (unsigned char)length;
		memcpy(raw + 4, texts[i].text, length);
		g_assert_cmpint(ptWireDecode(PT_WIRE_ERROR, raw, 4 + length,
					     &message, NULL),
				==, texts[i].sent ? -EBADMSG : 0);
	}
}

static void testTextLimits(void)
{
	g_autofree char *text = g_strnfill(400, 'x');
	struct hdFrameFailure message = { 5, { text, 400 } };
	unsigned char bytes[600] = { 5, 0, 0, 1 };
	char string[4];

	g_assert_cmpuint(ptWireEncode(PT_WIRE_ERROR, 0, &message, bytes + 300,
				      300, NULL),
			 ==, 8 + 4 + 255);
	/* Not in the middle of a character. */
	memcpy(text + 253, "\xe2\x82\xac", 3);
	g_assert_cmpuint(ptWireEncode(PT_WIRE_ERROR, 0, &message, bytes + 300,
				      300, NULL),
			 ==, 8 + 4 + 253);
	/* 256 bytes are too many to receive. */
	memset(bytes + 4, 'x', 256);
	g_assert_cmpint(ptWireDecode(PT_WIRE_ERROR, bytes, 260, &message, NULL),
			==, -EBADMSG);
	bytes[2] = 255;
	bytes[3] = 0;
	g_assert_cmpint(ptWireDecode(PT_WIRE_ERROR, bytes, 259, &message, NULL),
			==, 0);
	g_assert_false(hdFieldTextCopy(message.text, string, sizeof(string)));
	g_assert_cmpstr(string, ==, "xxx");
	g_assert_true(
		hdFieldTextCopy(hdFieldTextOf("abc"), string, sizeof(string)));
	g_assert_cmpstr(string, ==, "abc");
	g_assert_true(
		hdFieldTextCopy(hdFieldTextOf(NULL), string, sizeof(string)));
	g_assert_cmpstr(string, ==, "");
	g_assert_true(hdFieldTextIs(hdFieldTextOf(NULL), ""));
	g_assert_false(hdFieldTextIs(hdFieldTextOf("ab"), "abc"));
	g_assert_false(hdFieldTextIs(hdFieldTextOf("abd"), "abc"));
}

/* ---- What is in the rest ----------------------------------------------- */

static void testSelections(void)
{
	struct ptWireSelection selection = { TEXT("lmg"), TEXT("n1"), TEXT(""),
					     TEXT("*") };
	unsigned char bytes[100], expected[100];
	struct hdFieldRest rest = { bytes, 0 };
	size_t size = hexBytes("0300 6c6d67 0200 6e31 0000 0100 2a", expected);

	g_assert_cmpuint(ptWirePutSelection(&selection, bytes, size - 1), ==,
			 0);
	g_assert_cmpuint(ptWirePutSelection(&selection, bytes, sizeof(bytes)),
			 ==, size);
	g_assert_cmpmem(bytes, size, expected, size);
	g_assert_cmpuint(ptWirePutSelection(&selection, bytes + size, size), ==,
			 size);
	rest.length = 2 * size;
	for (int i = 0; i < 2; i++) {
		g_assert_cmpint(ptWireGetSelection(&rest, &selection, NULL), ==,
				0);
		g_assert_true(hdFieldTextIs(selection.device, "lmg"));
		g_assert_true(hdFieldTextIs(selection.node, "n1"));
		g_assert_true(hdFieldTextIs(selection.line, ""));
		g_assert_true(hdFieldTextIs(selection.value, "*"));
	}
	g_assert_cmpint(ptWireGetSelection(&rest, &selection, NULL), ==,
			-EBADMSG);
}

static void testTotals(void)
{
	const struct ptWireColumnTotal sent = { 1500000000, 150.5, -1, NAN };
	unsigned char bytes[100], expected[100];
	struct hdFieldRest rest = { bytes, PT_WIRE_COLUMN_TOTAL_SIZE };
	struct ptWireColumnTotal got;

	g_assert_cmpuint(hexBytes("002f685900000000 0000000000d06240"
				  "000000000000f0bf 000000000000f87f",
				  expected),
			 ==, PT_WIRE_COLUMN_TOTAL_SIZE);
	ptWirePutColumnTotal(&sent, bytes);
	g_assert_cmpmem(bytes, PT_WIRE_COLUMN_TOTAL_SIZE, expected,
			PT_WIRE_COLUMN_TOTAL_SIZE);
	g_assert_cmpint(ptWireGetColumnTotal(&rest, &got), ==, 0);
	g_assert_cmpint(got.coveredNs, ==, sent.coveredNs);
	g_assert_cmpfloat(got.total, ==, 150.5);
	g_assert_cmpfloat(got.min, ==, -1);
	g_assert_true(isnan(got.max));
	g_assert_cmpint(ptWireGetColumnTotal(&rest, &got), ==, -EBADMSG);
}

static void testArrays(void)
{
	const double values[] = { 1.5, -2, NAN };
	const uint32_t marks[] = { 1, 0x80000000 };
	unsigned char bytes[24];

	ptWirePut64(bytes, values, 3);
	g_assert_cmpuint(bytes[7], ==, 0x3f);
	g_assert_cmpfloat(ptWireGetDouble(bytes, 0), ==, 1.5);
	g_assert_cmpfloat(ptWireGetDouble(bytes, 1), ==, -2);
	g_assert_true(isnan(ptWireGetDouble(bytes, 2)));
	ptWirePut32(bytes, marks, 2);
	g_assert_cmpuint(bytes[0], ==, 1);
	g_assert_cmpuint(bytes[7], ==, 0x80);
	g_assert_cmpuint(ptWireGet32(bytes, 1), ==, 0x80000000);
}

/* Numbers of readings and columns that are more than what came. */
static void testData(void)
{
	struct ptWireData got = data;
	struct ptWireView view;

	g_assert_cmpuint(ptWireDataSize(1, 2), ==, 16 + sizeof(arrays));
	g_assert_cmpint(ptWireViewData(&got, &view), ==, 0);
	g_assert_cmpuint(ptWireGet64(view.wall, 0), ==, 1);
	g_assert_cmpuint(ptWireGet64(view.mono, 0), ==, 2);
	g_assert_cmpuint(ptWireGet64(view.length, 0), ==, 3);
	g_assert_cmpuint(ptWireGet32(view.lost, 0), ==, 4);
	g_assert_cmpuint(ptWireGet32(view.marks, 0), ==, PT_WIRE_GAP);
	g_assert_cmpfloat(ptWireGetDouble(view.values, 0), ==, 2);
	g_assert_cmpfloat(ptWireGetDouble(view.values, 1), ==, 0x1p17);
	got.columns = 3;
	g_assert_cmpint(ptWireViewData(&got, &view), ==, -EBADMSG);
	got.columns = 65535;
	g_assert_cmpint(ptWireViewData(&got, &view), ==, -EBADMSG);
	got.columns = 2;
	got.count = 2;
	g_assert_cmpint(ptWireViewData(&got, &view), ==, -EBADMSG);
	got.count = UINT32_MAX;
	g_assert_cmpint(ptWireViewData(&got, &view), ==, -EBADMSG);
	got.count = 0;
	g_assert_cmpint(ptWireViewData(&got, &view), ==, -EBADMSG);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(frames); i++) {
		g_autofree char *path =
			g_strdup_printf("/wire/frame/%s", frames[i].name);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), testFrame);
	}
	g_test_add_func("/wire/ranges", testRanges);
	g_test_add_func("/wire/unsent", testUnsent);
	g_test_add_func("/wire/unknown", testUnknown);
	g_test_add_func("/wire/hello", testHello);
	g_test_add_func("/wire/greeting", testGreeting);
	g_test_add_func("/wire/magic", testMagic);
	g_test_add_func("/wire/texts", testTexts);
	g_test_add_func("/wire/text limits", testTextLimits);
	g_test_add_func("/wire/selections", testSelections);
	g_test_add_func("/wire/totals", testTotals);
	g_test_add_func("/wire/arrays", testArrays);
	g_test_add_func("/wire/data", testData);
	return g_test_run();
}
