/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads waits */
/*
 * Our own protocol: greeting, what there is, streams with their times, sums,
 * rates, gaps, losses and totals, and what is refused.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

/* ---- Greeting ---------------------------------------------------------- */

static void testGreeting(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));

	g_assert_cmpuint(native->greeting.version, ==, 1);
	g_assert_cmpuint(native->greeting.mustAuthenticate, ==, 0);
	g_assert_cmpuint(native->greeting.flags, ==, 0);
	g_assert_cmpuint(native->greeting.payloadMax, >=, HD_FRAME_SERVER_MIN);
	g_assert_cmpint(native->greeting.wall, ==, SCENE_TIME);
	nativeClose(native);
	sceneEnd(scene);
}

/* Versions that we do not speak, and those that include ours. */
static void testVersions(void)
{
	static const struct {
		const char *hello;
		const char *version;
	} rows[] = {
		{ "89484450 0100 0100 00000000 00000100", "0100" },
		{ "89484450 0000 ffff 00000000 00000100", "0100" },
		{ "89484450 0200 0300 00000000 00000100", "0000" },
		{ "89484450 0000 0000 00000000 00000100", "0000" },
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		unsigned char rest[HD_FRAME_GREETING_SIZE - 6];
		int fd = peerOpen(scene);

		peerSay(fd, rows[i].hello);
		peerHear(fd, "89484450");
		peerHear(fd, rows[i].version);
		peerReceive(fd, rest, sizeof(rest));
		if (strcmp(rows[i].version, "0000") == 0) {
			peerEnd(fd);
			continue;
		}
		/* PING, to see that it goes on. */
		peerSay(fd, "08000000 0200 0700 0102030405060708");
		peerHear(fd, "18000000 0201 0700 0102030405060708");
		close(fd);
	}
	sceneEnd(scene);
}

/* What a client must not say; each is answered by an error and the end. */
static void testMalformed(void)
{
	static const struct {
		const char *bytes;
		const char *code;
	} rows[] = {
		{ "01000000 0200 0100 00", "0100" }, /* Short PING. */
		{ "08000000 0200 0000 0102030405060708", "0100" }, /* Tag 0. */
		{ "01000100 0300 0100", "0100" },                  /* Long. */
		{ "ffffffff 0300 0100", "0100" },
		{ "05000000 0100 0100 0300 616261", "0100" }, /* A text. */
		{ "16000000 0400 0100 00000000 0000000000000000 00000000 0100"
		  "0000 0000",
		  "0100" }, /* Half a selection. */
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct native *native = nativeOpen(peerOpen(scene));
		struct hdFrameHeader header;
		unsigned char bytes[8];

		peerSay(native->fd, rows[i].bytes);
		peerReceive(native->fd, bytes, sizeof(bytes));
		hdFrameDecodeHeader(bytes, &header);
		g_assert_cmpuint(header.type, ==, PT_WIRE_ERROR);
		peerHear(native->fd, rows[i].code);
		nativeClose(native);
	}
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* Garbage, half a message and nothing, and a client that takes too little. */
static void testGarbage(void)
{
	static const char *const rows[] = {
		"474554202f20485454502f312e310d0a", /* GET / HTTP/1.1 */
		"ffffffff ffffffff",
		"0a000000",
		"89484451",
		"16030100", /* TLS, where there is none. */
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fd;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		fd = peerOpen(scene);
		peerSay(fd, rows[i]);
		peerEnd(fd);
	}
	fd = peerOpen(scene);
	peerSay(fd, "89484450 0100 0100 00000000 ffff0000");
	peerHear(fd, "89484450 0100");
	close(fd);
	fd = peerOpen(scene);
	peerSay(fd, "89484450 0100");
	close(fd);
	sceneClients(scene, 0);
	sceneSaid("unknown protocol");
	sceneEnd(scene);
}

/* ---- What there is ----------------------------------------------------- */

static void testList(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	union ptWireAnswer any;
	uint16_t tag;

	sceneGive(scene, "Dev1", 1000);
	sceneGiveAny(scene, "Dev1", 0, 1200, 100, 2);
	tag = nativeAsk(native, PT_WIRE_LIST, NULL);
	nativeHear(native, PT_WIRE_DEVICE, tag, &any);
	g_assert_cmpuint(any.device.device, ==, 0);
	g_assert_true(hdFieldTextIs(any.device.name, "Dev1"));
	g_assert_true(hdFieldTextIs(any.device.driver, "Meter"));
	g_assert_cmpint(any.device.intervalNs, ==, 100 * MS);
	g_assert_cmpuint(any.device.timedByMeter, ==, 1);
	g_assert_cmpuint(any.device.isUp, ==, 1);
	g_assert_cmpuint(any.device.readings, ==, 2);
	g_assert_cmpuint(any.device.lost, ==, 2);
	g_assert_cmpint(any.device.lastWall, ==, SCENE_TIME + 1200 * MS);
	nativeHear(native, PT_WIRE_LINE, tag, &any);
	g_assert_true(hdFieldTextIs(any.line.name, "psu1"));
	g_assert_true(hdFieldTextIs(any.line.node, "n1"));
	g_assert_true(hdFieldTextIs(any.line.channel, "in1"));
	g_assert_true(hdFieldTextIs(any.line.description, "left"));
	g_assert_true(isnan(any.line.voltage));
	g_assert_cmpuint(any.line.flags, ==, PT_WIRE_SUMMED);
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	g_assert_true(hdFieldTextIs(any.value.name, "P"));
	g_assert_true(hdFieldTextIs(any.value.unit, "W"));
	g_assert_true(hdFieldTextIs(any.value.grouping, "Power"));
	g_assert_cmpuint(any.value.kind, ==, PT_WIRE_MEAN);
	g_assert_cmpuint(any.value.flags, ==, 0);
	g_assert_true(hdFieldTextIs(any.value.source, "test <1>"));
	g_assert_true(hdFieldTextIs(any.value.resolution, ""));
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	g_assert_true(hdFieldTextIs(any.value.name, "U"));
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	g_assert_true(hdFieldTextIs(any.value.name, "E"));
	g_assert_cmpuint(any.value.kind, ==, PT_WIRE_AMOUNT);
	nativeHear(native, PT_WIRE_LINE, tag, &any);
	g_assert_cmpuint(any.line.line, ==, 1);
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	g_assert_true(hdFieldTextIs(any.value.resolution, "1 mW"));
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	nativeHear(native, PT_WIRE_LINE, tag, &any);
	g_assert_true(hdFieldTextIs(any.line.node, "n2"));
	nativeHear(native, PT_WIRE_VALUE, tag, &any);
	g_assert_cmpuint(any.value.flags, ==, PT_WIRE_SIMULATED);
	nativeHear(native, PT_WIRE_LIST_END, tag, &any);
	g_assert_cmpuint(any.listEnd.devices, ==, 1);
	nativeClose(native);
	sceneEnd(scene);
}

/* ---- Streams ----------------------------------------------------------- */

/* The columns of some selections: "GROUP node/line(lines) value" */
static void testSelections(void)
{
	static const struct {
		uint32_t flags;
		const char *selections; /* "DEVICE NODE LINE VALUE;..." */
		const char *columns;
	} rows[] = {
		{ 0, "* * * *",
		  "0 n1/(2)P;0 n1/psu1(1)U;0 n1/(2)E;0 n2/all(1)P;"
		  "1 n1/cpu(1)P;1 n3/x(1)P;1 n3/x(1)N;" },
		{ 0, "- n1 - -", "0 n1/(2)P;1 n1/cpu(1)P;" },
		{ PT_WIRE_LINES, "- n1 - -",
		  "0 n1/psu1(1)P;0 n1/psu2(1)P;1 n1/cpu(1)P;" },
		{ 0, "Dev1 n1 - P", "0 n1/(2)P;" },
		{ 0, "- - psu2 E", "0 n1/psu2(1)E;" },
		{ 0, "- n2 - -;- n3 - N", "0 n2/all(1)P;1 n3/x(1)N;" },
		{ 0, "- n2 - -;Dev1 n2 - P", "0 n2/all(1)P;" },
		{ 0, "- - psu1 U", "0 n1/psu1(1)U;" },
	};
	struct scene *scene = sceneBegin(
		SCENE_SERVER SCENE_DEVICE
		"[Device]\nname=Dev2\ndriver=Host\ncycle=1000\n"
		"[Line]\ndevice=Dev2\nname=cpu\nnode=n1\nchannel=1\nsum=no\n"
		"[Line]\ndevice=Dev2\nname=x\nnode=n3\nchannel=2\n"
		"values=P,N\n");

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct native *native = nativeOpen(peerOpen(scene));
		struct nativeStream stream;
		g_autoptr(GString) text = g_string_new(NULL);

		nativeOpenStream(native, rows[i].flags, 0, 0,
				 rows[i].selections, &stream);
		for (size_t j = 0; j < stream.columnCount; j++) {
			const struct nativeColumn *c = &stream.columns[j];

			g_string_append_printf(text, "%u %s/%s(%u)%s;",
					       c->group, c->node, c->line,
					       c->lines, c->value);
		}
		/* Numbers of groups count those that there are. */
		if (stream.groupCount == 1 && rows[i].columns[0] == '1')
			text->str[0] = '1';
		g_assert_cmpstr(text->str, ==, rows[i].columns);
		nativeClose(native);
	}
	sceneEnd(scene);
}

/* What is refused when a stream is opened. */
static void testRefused(void)
{
	static const struct {
		double frequency;
		const char *selections;
		int code;
	} rows[] = {
		{ 0, "- n9 - -", HD_FRAME_EUNKNOWN },
		{ 0, "- n1 - -;- n1 - Q", HD_FRAME_EUNKNOWN },
		{ 0, "Dev9 - - -", HD_FRAME_EUNKNOWN },
		{ 0, "- ../n1 - -", HD_FRAME_EUNKNOWN },
		{ 0, "", HD_FRAME_ELIMIT },
	};
	struct scene *scene = sceneBegin(
		SCENE_SERVER "counters=3\nuserShare=100\n" SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct ptWireStream number = { 1 };
	struct nativeStream stream;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		nativeRefuseStream(native, rows[i].frequency,
				   rows[i].selections, rows[i].code);
	/* Streams that there are not, and states that are not so. */
	nativeRefuse(native, PT_WIRE_START, &number, HD_FRAME_ESTREAM);
	nativeRefuse(native, PT_WIRE_STOP, &number, HD_FRAME_ESTREAM);
	nativeRefuse(native, PT_WIRE_CLOSE, &number, HD_FRAME_ESTREAM);
	for (int i = 0; i < 3; i++)
		nativeOpenStream(native, 0, 0, 0, "- n1 - -", &stream);
	number.stream = stream.number;
	nativeRefuseStream(native, 0, "- n1 - -", HD_FRAME_ELIMIT);
	nativeRefuse(native, PT_WIRE_STOP, &number, HD_FRAME_ESTATE);
	nativeStart(native, &stream);
	nativeRefuse(native, PT_WIRE_START, &number, HD_FRAME_ESTATE);
	/* What is no request. */
	peerSay(native->fd, "00000000 e703 0100");
	nativeError(native, 1, HD_FRAME_EREQUEST);
	nativeClose(native);
	sceneClients(scene, 0);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* An OPEN with a frequency that is none. */
static void testFrequencies(void)
{
	static const char *const rows[] = {
		"000000000000f0bf", /* -1 */
		"000000000000f87f", /* NaN */
		"000000000000f07f", /* infinite */
		"cdcccc4c65cd4d41", /* 3,906,250.6 */
		"0000901ec4bcd642", /* 10^14 */
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *frame = g_strdup_printf(
			"1b000000 0400 0100 00000000 %s 00000000 0100"
			"0000 0000 0000 0100 50",
			rows[i]);
		struct native *native = nativeOpen(peerOpen(scene));
		union ptWireAnswer any;

		peerSay(native->fd, frame);
		if (i == 3)
			nativeHear(native, PT_WIRE_OPENED, 1, &any);
		else
			nativeError(native, 1, HD_FRAME_EMALFORMED);
		nativeClose(native);
	}
	sceneSaid("Open.frequency is -1");
	sceneSaid("Open.frequency is not a number");
	sceneSaid("Open.frequency is inf, beyond 1e+09");
	sceneSaid("Open.frequency is 1e+14, beyond 1e+09");
	sceneEnd(scene);
}

/* A recording: times, values, sums, gaps, and what came of it. */
static void testRecording(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;
	int64_t wall = SCENE_TIME;

	nativeOpenStream(native, 0, 0, 5, "- * - P;- n1 - E", &stream);
	g_assert_cmpuint(stream.columnCount, ==, 3);
	g_assert_cmpint(stream.intervalNs[0], ==, 100 * MS);
	sceneGive(scene, "Dev1", 900);
	nativeStart(native, &stream);
	g_assert_cmpint(stream.startWall, ==, wall + 900 * MS);
	sceneGive(scene, "Dev1", 1000);
	sceneGive(scene, "Dev1", 1100);
	/* Two cycles lost; then the meter talks nonsense. */
	sceneGiveAny(scene, "Dev1", 0, 1400, 100, 2);
	sceneGiveAny(scene, "Dev1", -EPROTO, 1400, 0, 0);
	sceneGiveAny(scene, "Dev1", 0, 1600, 100, 0);
	nativeStop(native, &stream);
	sceneGive(scene, "Dev1", 1700);
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->groups[0].count, ==, 4);
	for (size_t i = 0; i < 4; i++) {
		static const int64_t ms[] = { 1000, 1100, 1400, 1600 };
		static const uint32_t marks[] = { 0, 0, 1, 1 };
		const struct nativeReading *one = &r->groups[0].readings[i];
		double x = (double)(ms[i] % 1000);

		g_assert_cmpint(one->wall, ==, wall + ms[i] * MS);
		g_assert_cmpint(one->length, ==, 100 * MS);
		g_assert_cmpuint(one->marks, ==, marks[i]);
		g_assert_cmpuint(one->lost, ==, i == 2 ? 2 : 0);
		g_assert_cmpint(one->mono, >, stream.startMono);
		g_assert_cmpint(one->mono, <=, stream.stopMono);
		/* n1 has two lines, n2 one. */
		g_assert_cmpfloat(one->values[0], ==, 3000 + 2 * x);
		g_assert_cmpfloat(one->values[1], ==, 3000 + 2 * x);
		g_assert_cmpfloat(one->values[2], ==, 3000 + x);
	}
	g_assert_cmpuint(r->why, ==, 1);
	g_assert_cmpuint(r->groups[0].total.readings, ==, 4);
	g_assert_cmpuint(r->groups[0].total.lost, ==, 2);
	g_assert_cmpuint(r->groups[0].total.dropped, ==, 0);
	g_assert_cmpfloat(r->groups[0].totals[0].min, ==, 3000);
	g_assert_cmpfloat(r->groups[0].totals[0].max, ==, 4200);
	/* Watts times seconds; joules are added up. */
	g_assert_cmpuint(r->groups[0].totals[2].coveredNs, ==,
			 r->groups[0].total.coveredNs);
	nativeForget(r);
	/* Once more: nothing is left of what was before. */
	nativeStart(native, &stream);
	nativeStop(native, &stream);
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->groups[0].count, ==, 0);
	g_assert_cmpuint(r->groups[0].total.readings, ==, 0);
	g_assert_true(isnan(r->groups[0].totals[0].min));
	nativeForget(r);
	nativeClose(native);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* The integral: of a reading that began before the start only what is in the
 * recording. The meter's clock is ours here, which does not stand still. */
static void testIntegral(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;
	const struct nativeReading *readings;
	double seconds, covered = 0, joules = 0;

	nativeOpenStream(native, PT_WIRE_KEEP, 0, 0, "- n2 - P", &stream);
	nativeStart(native, &stream);
	/* This one began ten hours before the start. */
	sceneGiveAny(scene, "Dev1", 0, 1000, 36000000, 0);
	sceneGiveAny(scene, "Dev1", 0, 1000, 1, 0);
	nativeStop(native, &stream);
	r = nativeRecorded(native, &stream);
	readings = r->groups[0].readings;
	g_assert_cmpuint(r->groups[0].count, ==, 2);
	for (size_t i = 0; i < 2; i++) {
		int64_t begin = readings[i].mono - readings[i].length;

		if (begin < stream.startMono)
			begin = stream.startMono;
		seconds = (double)(readings[i].mono - begin) / 1e9;
		covered += seconds;
		joules += seconds * 3000;
	}
	g_assert_cmpfloat_with_epsilon(r->groups[0].totals[0].total, joules,
				       1e-6);
	g_assert_cmpfloat_with_epsilon(
		(double)r->groups[0].totals[0].coveredNs / 1e9, covered, 1e-9);
	nativeForget(r);
	nativeClose(native);
	sceneEnd(scene);
}

/* A rate below the meter's: means of several readings; a gap ends what was
 * collected, and so does the stop. */
static void testMerged(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;
	const struct nativeReading *one;

	nativeOpenStream(native, 0, 4, 5, "- n1 psu1 P;- n1 psu1 E", &stream);
	/* 10 Hz / 4 Hz = 2.5. */
	g_assert_cmpuint(stream.every[0], ==, 3);
	g_assert_cmpint(stream.intervalNs[0], ==, 300 * MS);
	sceneGive(scene, "Dev1", 0);
	nativeStart(native, &stream);
	sceneGiveAny(scene, "Dev1", 0, 100, 100, 0);
	sceneGiveAny(scene, "Dev1", 0, 200, 100, 0);
	sceneGiveAny(scene, "Dev1", 0, 400, 200, 0);
	/* A gap after two more. */
	sceneGiveAny(scene, "Dev1", 0, 500, 100, 0);
	sceneGiveAny(scene, "Dev1", 0, 600, 100, 0);
	sceneGiveAny(scene, "Dev1", 0, 900, 100, 2);
	nativeStop(native, &stream);
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->groups[0].count, ==, 3);
	one = &r->groups[0].readings[0];
	g_assert_cmpint(one->wall, ==, SCENE_TIME + 400 * MS);
	g_assert_cmpint(one->length, ==, 400 * MS);
	g_assert_cmpuint(one->marks, ==, 0);
	/* (1100 + 1200 + 2 * 1400) / 4 W; joules are added. */
	g_assert_cmpfloat(one->values[0], ==, 1275);
	g_assert_cmpfloat(one->values[1], ==, 3700);
	one++;
	g_assert_cmpint(one->wall, ==, SCENE_TIME + 600 * MS);
	g_assert_cmpint(one->length, ==, 200 * MS);
	g_assert_cmpfloat(one->values[0], ==, 1550);
	one++;
	g_assert_cmpint(one->wall, ==, SCENE_TIME + 900 * MS);
	g_assert_cmpuint(one->marks, ==, PT_WIRE_GAP);
	g_assert_cmpuint(one->lost, ==, 2);
	g_assert_cmpfloat(one->values[0], ==, 1900);
	/* Of single readings. */
	g_assert_cmpuint(r->groups[0].total.readings, ==, 6);
	g_assert_cmpfloat(r->groups[0].totals[0].min, ==, 1100);
	g_assert_cmpfloat(r->groups[0].totals[0].max, ==, 1900);
	nativeForget(r);
	nativeClose(native);
	sceneEnd(scene);
}

/* A device goes and comes while a stream records. */
static void testEvents(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;

	nativeOpenStream(native, 0, 0, 5, "- n2 - -", &stream);
	nativeStart(native, &stream);
	sceneGive(scene, "Dev1", 1000);
	sceneGiveAny(scene, "Dev1", -ENODEV, 1000, 0, 0);
	nativeAwaitEvent(native, &stream, 1);
	nativeAwaitEvent(native, &stream, 2);
	sceneGive(scene, "Dev1", 1100);
	nativeStop(native, &stream);
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->groups[0].count, ==, 1);
	g_assert_cmpuint(r->groups[0].readings[0].marks, ==, PT_WIRE_GAP);
	nativeForget(r);
	nativeClose(native);
	sceneEnd(scene);
}

/* More readings than fit the client's memory while it keeps: the oldest are
 * gone, and it is told how many. */
static void testLoss(void)
{
	enum { GIVEN = 30 * PT_SEGMENT_SIZE };
	struct scene *scene =
		sceneBegin(SCENE_SERVER "clientMemory=1\n" SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;
	const struct nativeGroup *group;

	nativeOpenStream(native, PT_WIRE_KEEP, 0, 0, "- n2 - -", &stream);
	sceneGive(scene, "Dev1", 500);
	nativeStart(native, &stream);
	for (int i = 0; i < GIVEN; i++)
		sceneGiveAny(scene, "Dev1", 0, 1000 + i, 1, 0);
	nativeStop(native, &stream);
	r = nativeRecorded(native, &stream);
	group = &r->groups[0];
	g_assert_cmpuint(group->lossCount, ==, 1);
	g_assert_cmpuint(group->losses[0].why, ==, 1);
	g_assert_cmpint(group->losses[0].fromWall, ==, SCENE_TIME + 500 * MS);
	g_assert_cmpuint(group->losses[0].readings, >, 0);
	g_assert_cmpuint(group->losses[0].readings + group->count, ==, GIVEN);
	g_assert_cmpuint(group->total.dropped, ==, group->losses[0].readings);
	g_assert_cmpuint(group->total.readings, ==, group->count);
	g_assert_cmpint(
		group->losses[0].toWall, ==,
		SCENE_TIME + (999 + (int64_t)group->losses[0].readings) * MS);
	g_assert_cmpint(group->readings[0].wall, ==,
			group->losses[0].toWall + MS);
	g_assert_cmpint(group->readings[group->count - 1].wall, ==,
			SCENE_TIME + (999 + GIVEN) * MS);
	nativeForget(r);
	nativeClose(native);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Long recordings of several streams, kept and sent at once, are complete. */
static void testLong(void)
{
	enum { GIVEN = 5000 };
	static const uint32_t flags[] = { 0, PT_WIRE_KEEP, PT_WIRE_LINES };
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *natives[3];
	struct nativeStream streams[3];

	for (int i = 0; i < 3; i++) {
		natives[i] = nativeOpen(peerOpen(scene));
		nativeOpenStream(natives[i], flags[i], 0, 5, "* * * *",
				 &streams[i]);
		nativeStart(natives[i], &streams[i]);
	}
	for (int i = 0; i < GIVEN; i++)
		sceneGiveAny(scene, "Dev1", 0, i, 1, 0);
	for (int i = 0; i < 3; i++) {
		struct nativeRecording *r;

		nativeStop(natives[i], &streams[i]);
		r = nativeRecorded(natives[i], &streams[i]);
		g_assert_cmpuint(r->groups[0].count, ==, GIVEN);
		for (int n = 0; n < GIVEN; n++)
			g_assert_cmpint(r->groups[0].readings[n].wall, ==,
					SCENE_TIME + n * MS);
		g_assert_cmpuint(r->groups[0].lossCount, ==, 0);
		nativeForget(r);
		nativeClose(natives[i]);
	}
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Streams that are closed, and clients that vanish, in every state. */
static void testVanish(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (int state = 0; state < 6; state++) {
		struct native *native = nativeOpen(peerOpen(scene));
		struct nativeStream stream;

		nativeOpenStream(native, PT_WIRE_KEEP, 0, 0, "* * * *",
				 &stream);
		if (state > 0) {
			nativeStart(native, &stream);
			sceneGive(scene, "Dev1", 1000);
		}
		if (state > 2)
			nativeStop(native, &stream);
		if (state == 2 || state == 4) {
			const struct ptWireStream number = { stream.number };
			uint16_t tag =
				nativeAsk(native, PT_WIRE_CLOSE, &number);

			nativeAwait(native, PT_WIRE_CLOSED, tag);
			sceneIsEmpty(scene);
		}
		if (state == 5)
			peerReset(native->fd);
		else
			close(native->fd);
		nativeFree(native);
		sceneIsEmpty(scene);
		sceneClients(scene, 0);
	}
	sceneEnd(scene);
}

/* A client that does not read: it gets the newest when it does, and is given
 * up when it never does. */
static void testSlow(void)
{
	struct scene *scene = sceneBegin(
		SCENE_SERVER "clientMemory=1\ntimeout=2\n"
			     "[Device]\nname=Fast\ndriver=Host\ncycle=1\n"
			     "[Line]\ndevice=Fast\nnode=n\nchannel=*\n"
			     "values=P,U,E,N\n");
	int fd = peerOpen(scene), small = 2048;
	struct native *native;
	struct nativeStream streams[20];

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	native = nativeOpen(fd);
	for (size_t i = 0; i < G_N_ELEMENTS(streams); i++)
		nativeOpenStream(native, PT_WIRE_LINES, 0, 5, "* * * *",
				 &streams[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(streams); i++)
		nativeAsk(native, PT_WIRE_START,
			  &(const struct ptWireStream){ streams[i].number });
	sceneSaid("the client does not read");
	sceneClients(scene, 0);
	sceneIsEmpty(scene);
	close(native->fd);
	nativeFree(native);
	sceneEnd(scene);
}

/* The service ends: recordings get their totals, and then everybody knows. */
static void testEnd(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	struct nativeRecording *r;
	int pmlib = peerOpen(scene);

	g_assert_cmpint(peerCreate(pmlib, "Dev1", 0, true, "01"), ==, 0);
	nativeOpenStream(native, 0, 0, 5, "- n2 - -", &stream);
	nativeStart(native, &stream);
	sceneGive(scene, "Dev1", 1000);
	sceneEnd(scene);
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->why, ==, 2);
	nativeForget(r);
	nativeError(native, 0, HD_FRAME_EEND);
	nativeClose(native);
	peerEnd(pmlib);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/native/greeting", testGreeting);
	g_test_add_func("/native/versions", testVersions);
	g_test_add_func("/native/malformed", testMalformed);
	g_test_add_func("/native/garbage", testGarbage);
	g_test_add_func("/native/list", testList);
	g_test_add_func("/native/selections", testSelections);
	g_test_add_func("/native/refused", testRefused);
	g_test_add_func("/native/frequencies", testFrequencies);
	g_test_add_func("/native/recording", testRecording);
	g_test_add_func("/native/integral", testIntegral);
	g_test_add_func("/native/merged", testMerged);
	g_test_add_func("/native/events", testEvents);
	g_test_add_func("/native/loss", testLoss);
	g_test_add_func("/native/long", testLong);
	g_test_add_func("/native/vanish", testVanish);
	g_test_add_func("/native/slow", testSlow);
	g_test_add_func("/native/end", testEnd);
	return g_test_run();
}
