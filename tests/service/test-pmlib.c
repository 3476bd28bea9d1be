/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads waits */
/*
 * pmlib: every operation byte for byte in both directions, in its dialects, and
 * the defects that its own servers had (the numbers are those of the facts
 * about pmlib).
 */
#include "config.h"

#include <math.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/service/scene.h"

/* Names and numbers as they are sent. */
#define DEV1 "04000000 44657631" /* "Dev1" */
#define DEV2 "04000000 44657632"
#define ZERO "00000000"
#define ONE "01000000"
#define TWO "02000000"
#define THREE "03000000"
#define MINUS "ffffffff"
#define LINES(byte) "10000000 " byte "000000000000000000000000000000"

/* Another device, whose lines belong to one node. */
#define SECOND_DEVICE                                    \
	"[Device]\nname=Dev2\ndriver=Host\ncycle=1000\n" \
	"[Line]\ndevice=Dev2\nname=x\nnode=n3\nchannel=1\nvalues=U\n"

#define D1000 "0000000000408f40"
#define D1001 "0000000000488f40"
#define D2000 "0000000000409f40"
#define D3000 "000000000070a740"
#define D3002 "000000000074a740"

/* ---- Questions --------------------------------------------------------- */

/* LIST, with and without its number; INFO; what there is not. */
static void testQuestions(void)
{
	static const struct {
		const char *dialect;
		const char *list;
	} rows[] = {
		{ "", TWO DEV1 DEV2 },
		{ "dialect=A\n", TWO DEV1 DEV2 },
		{ "dialect=B\n", TWO DEV1 DEV2 },
		{ "dialect=C\n", DEV1 DEV2 },
		{ "dialect=D\n", TWO DEV1 DEV2 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *config =
			g_strconcat(SCENE_SERVER, rows[i].dialect,
				    SCENE_DEVICE SECOND_DEVICE, NULL);
		struct scene *scene = sceneBegin(config);
		int fd = peerOpen(scene);

		peerSay(fd, "07000000");
		peerHear(fd, rows[i].list);
		peerEnd(fd);
		fd = peerOpen(scene);
		peerSay(fd, "06000000" DEV1);
		peerHear(fd, "0a000000" THREE DEV1);
		peerEnd(fd);
		fd = peerOpen(scene);
		peerSay(fd, "06000000" DEV2);
		peerHear(fd, ONE ONE DEV2);
		peerEnd(fd);
		/* An unknown device. */
		fd = peerOpen(scene);
		peerSay(fd, "06000000 02000000 4465");
		peerHear(fd, MINUS);
		peerEnd(fd);
		sceneEnd(scene);
	}
}

/* STATUS: a device of several nodes, with a counter, and one of one. */
static void testStatus(void)
{
	struct scene *scene =
		sceneBegin(SCENE_SERVER SCENE_DEVICE SECOND_DEVICE);
	int counter = peerOpen(scene), fd = peerOpen(scene);
	unsigned char address[64];
	int32_t length;

	g_assert_cmpint(peerCreate(counter, "Dev1", 0, false, "05"), ==, 0);
	peerSay(fd, "08000000");
	peerHear(fd, TWO DEV1 "0a000000" THREE ONE);
	peerHear(fd, ZERO "04000000 70737531" ZERO "04000000 6c656674"
			  "02000000 6e31");
	peerHear(fd, ONE "04000000 70737532" ZERO ZERO "02000000 6e31");
	peerHear(fd, TWO "03000000 616c6c" ZERO ZERO "02000000 6e32");
	/* A counter: its number, where from, and its lines. */
	peerHear(fd, ONE ONE);
	length = peerNumber(fd);
	g_assert_cmpint(length, <, sizeof(address));
	peerReceive(fd, address, (size_t)length);
	g_assert_cmpint(memcmp(address, "127.0.0.1:", 10), ==, 0);
	peerHear(fd, TWO ZERO TWO);
	peerHear(fd, DEV2 ONE ONE ZERO "02000000 6e33");
	peerHear(fd, ZERO "01000000 78" ZERO ZERO ZERO);
	peerEnd(fd);
	close(counter);
	sceneEnd(scene);
}

/* A voltage that is configured is in STATUS, as a float. */
static void testStatusVoltage(void)
{
	struct scene *scene = sceneBegin(
		SCENE_SERVER "[Device]\nname=Raw1\ndriver=Raw\n"
			     "[Line]\ndevice=Raw1\nname=x\nnode=n\nchannel=1\n"
			     "values=P\nvoltage=12\n");
	int fd = peerOpen(scene);

	peerSay(fd, "08000000");
	peerHear(fd, ONE "04000000 52617731 03000000 01000000 00000000"
			 "01000000 6e 00000000 01000000 78 00004041"
			 "00000000 00000000");
	peerEnd(fd);
	sceneEnd(scene);
}

/* ---- Counters ---------------------------------------------------------- */

/* The whole way of a counter, and each of its answers. */
static void testCounter(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fd = peerOpen(scene);

	peerSay(fd, ZERO DEV1 ZERO ZERO LINES("05"));
	peerHear(fd, ZERO);
	/* Nothing yet: no set, two lines. */
	peerSay(fd, "04000000");
	peerHear(fd, ZERO ONE TWO ZERO);
	/* STOP before START. */
	peerSay(fd, "03000000");
	peerHear(fd, MINUS);
	sceneGive(scene, "Dev1", 900);
	peerSay(fd, "01000000");
	peerHear(fd, ZERO);
	sceneGive(scene, "Dev1", 1000);
	/* START, CONTINUE and GET while active. */
	peerSay(fd, "01000000");
	peerHear(fd, MINUS);
	peerSay(fd, "02000000");
	peerHear(fd, MINUS);
	peerSay(fd, "04000000");
	peerHear(fd, MINUS);
	sceneGive(scene, "Dev1", 1001);
	peerSay(fd, "03000000");
	peerHear(fd, ZERO);
	sceneGive(scene, "Dev1", 1500);
	peerSay(fd, "04000000");
	peerHear(fd, "04000000" TWO TWO ZERO TWO D1000 D1001 D3000
		     "000000000072a740");
	/* A second set; then it is the lines that come one after the other. */
	peerSay(fd, "02000000");
	peerHear(fd, ZERO);
	sceneGive(scene, "Dev1", 2002);
	peerSay(fd, "03000000");
	peerHear(fd, ZERO);
	peerSay(fd, "04000000");
	peerHear(fd, "06000000" THREE TWO ZERO TWO THREE D1000 D1001
		     "0000000000508f40" D3000 "000000000072a740" D3002);
	/* Nobody knows this one; the session goes on. */
	peerSay(fd, "09000000");
	peerHear(fd, MINUS);
	peerSay(fd, "2a000000");
	peerHear(fd, MINUS);
	/* START drops what was before. */
	peerSay(fd, "01000000");
	peerHear(fd, ZERO);
	peerSay(fd, "03000000");
	peerHear(fd, ZERO);
	peerSay(fd, "04000000");
	peerHear(fd, ZERO TWO TWO ZERO ZERO);
	peerSay(fd, "05000000");
	peerHear(fd, ZERO);
	peerEnd(fd);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* CONTINUE first is START; FINALIZE is accepted while active. */
static void testContinueFirst(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fd = peerOpen(scene);

	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "03"), ==, 0);
	g_assert_cmpint(peerAsk(fd, 2), ==, 0);
	sceneGive(scene, "Dev1", 1000);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	peerSay(fd, "04000000");
	peerHear(fd, ONE TWO TWO ZERO ONE D3000);
	g_assert_cmpint(peerAsk(fd, 2), ==, 0);
	g_assert_cmpint(peerAsk(fd, 5), ==, 0);
	peerEnd(fd);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Masks: empty, of lines that there are not, and short ones. */
static void testMasks(void)
{
	static const struct {
		const char *mask;
		int32_t lines;
	} rows[] = {
		{ LINES("00"), 3 }, { LINES("07"), 3 }, { LINES("02"), 1 },
		{ LINES("ff"), 3 }, { LINES("08"), 0 }, { ZERO, 3 },
		{ ONE "04", 1 },    { TWO "0001", 0 },
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int fd = peerOpen(scene);

		peerSay(fd, ZERO DEV1 ZERO ZERO);
		peerSay(fd, rows[i].mask);
		g_assert_cmpint(peerNumber(fd), ==, 0);
		g_assert_cmpint(peerAsk(fd, 1), ==, 0);
		sceneGive(scene, "Dev1", 1000);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
		g_assert_cmpint(peerAsk(fd, 4), ==, rows[i].lines);
		g_assert_cmpint(peerNumber(fd), ==, 2);
		g_assert_cmpint(peerNumber(fd), ==, rows[i].lines);
		peerHear(fd, rows[i].lines ? ZERO ONE : ZERO ZERO);
		close(fd);
	}
	sceneEnd(scene);
}

/* The samples of two sets, for rates: k = round(10 Hz / rate), and of n
 * readings each k-th, beginning with the first: ceil(n / k). */
static void testRates(void)
{
	static const struct {
		int32_t frequency;
		bool isAggregate;
		int32_t ends[2];
		double values[10];
	} rows[] = {
		{ 0,
		  true,
		  { 7, 10 },
		  { 3000, 3002, 3004, 3006, 3008, 3010, 3012, 3014, 3016,
		    3018 } },
		{ 10,
		  true,
		  { 7, 10 },
		  { 3000, 3002, 3004, 3006, 3008, 3010, 3012, 3014, 3016,
		    3018 } },
		/* Faster than the meter: nothing is invented. */
		{ 1000,
		  true,
		  { 7, 10 },
		  { 3000, 3002, 3004, 3006, 3008, 3010, 3012, 3014, 3016,
		    3018 } },
		{ 5, true, { 4, 6 }, { 3000, 3004, 3008, 3012, 3014, 3018 } },
		{ 3, true, { 3, 4 }, { 3000, 3006, 3012, 3014 } },
		/* 10 / 4 is 2.5: halves are rounded up. */
		{ 4, true, { 3, 4 }, { 3000, 3006, 3012, 3014 } },
		{ 1, true, { 1, 2 }, { 3000, 3014 } },
		{ 5,
		  false,
		  { 4, 6 },
		  { 1000, 1002, 1004, 1006, 1007, 1009, 2000, 2002, 2004,
		    2006 } },
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int fd = peerOpen(scene);
		struct peerData data;

		g_assert_cmpint(peerCreate(fd, "Dev1", rows[i].frequency,
					   rows[i].isAggregate, "03"),
				==, 0);
		g_assert_cmpint(peerAsk(fd, 1), ==, 0);
		for (int64_t ms = 0; ms < 7; ms++)
			sceneGive(scene, "Dev1", 1000 + ms);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
		sceneGive(scene, "Dev1", 1500);
		g_assert_cmpint(peerAsk(fd, 2), ==, 0);
		for (int64_t ms = 7; ms < 10; ms++)
			sceneGive(scene, "Dev1", 1000 + ms);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
		peerGet(fd, false, &data);
		g_assert_cmpint(data.sets, ==, 3);
		g_assert_cmpint(data.lines, ==, 2);
		g_assert_cmpint(data.ends[0], ==, 0);
		g_assert_cmpint(data.ends[1], ==, rows[i].ends[0]);
		g_assert_cmpint(data.ends[2], ==, rows[i].ends[1]);
		g_assert_cmpint(data.values, ==,
				rows[i].ends[1] *
					(rows[i].isAggregate ? 1 : 2));
		for (int j = 0; j < data.values && j < 10; j++)
			g_assert_cmpfloat(data.value[j], ==, rows[i].values[j]);
		g_free(data.value);
		close(fd);
	}
	sceneEnd(scene);
}

/* The order of the values of two sets and two lines, and their size. */
static void testDialects(void)
{
	static const double byLine[] = { 1000, 1001, 1002, 2000, 2001, 2002 };
	static const double bySet[] = { 1000, 1001, 2000, 2001, 1002, 2002 };
	static const struct {
		const char *dialect;
		bool isFloat;
		const double *values;
	} rows[] = {
		{ "", false, byLine },
		{ "dialect=A\n", true, byLine },
		{ "dialect=C\n", false, bySet },
		{ "dialect=D\n", false, bySet },
		{ "dialect=A\norder=sets\n", true, bySet },
		{ "dialect=C\norder=lines\n", false, byLine },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *config = g_strconcat(
			SCENE_SERVER, rows[i].dialect, SCENE_DEVICE, NULL);
		struct scene *scene = sceneBegin(config);
		int fd = peerOpen(scene);
		struct peerData data;

		g_assert_cmpint(peerCreate(fd, "Dev1", 0, false, "03"), ==, 0);
		g_assert_cmpint(peerAsk(fd, 1), ==, 0);
		sceneGive(scene, "Dev1", 1000);
		sceneGive(scene, "Dev1", 1001);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
		g_assert_cmpint(peerAsk(fd, 2), ==, 0);
		sceneGive(scene, "Dev1", 1002);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
		peerGet(fd, rows[i].isFloat, &data);
		g_assert_cmpint(data.values, ==, 6);
		for (int j = 0; j < 6; j++)
			g_assert_cmpfloat(data.value[j], ==, rows[i].values[j]);
		g_free(data.value);
		close(fd);
		sceneEnd(scene);
	}
}

/* Many readings: more than a segment has, and than fits what is sent at once;
 * counters that begin and end at different times share them. */
static void testLong(void)
{
	enum { COUNT = 2600, COUNTERS = 3 };
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fds[COUNTERS];

	for (int i = 0; i < COUNTERS; i++) {
		fds[i] = peerOpen(scene);
		g_assert_cmpint(peerCreate(fds[i], "Dev1", 0, i == 2,
					   i == 1 ? "01" : "07"),
				==, 0);
	}
	for (int n = 0; n < COUNT; n++) {
		for (int i = 0; i < COUNTERS; i++)
			if (n == 500 * i)
				g_assert_cmpint(peerAsk(fds[i], 1), ==, 0);
		sceneGive(scene, "Dev1", n);
	}
	for (int i = 0; i < COUNTERS; i++) {
		int expected = COUNT - 500 * i, rows = i ? 1 : 3;
		struct peerData data;

		g_assert_cmpint(peerAsk(fds[i], 3), ==, 0);
		peerGet(fds[i], false, &data);
		g_assert_cmpint(data.values, ==, expected * rows);
		for (int k = 0; k < data.values; k++) {
			int ms = (500 * i + k % expected) % 1000;
			int line = k / expected;

			g_assert_cmpfloat(data.value[k], ==,
					  i == 2 ? 6000 + 3 * ms
						 : 1000 * (line + 1) + ms);
		}
		g_free(data.value);
		close(fds[i]);
	}
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Readings that ended before the start or after the stop are not in the set,
 * whenever they came. */
static void testEdges(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct ptServed *served = ptServiceFind(scene->service, "Dev1");
	int fd = peerOpen(scene);
	struct peerData data;

	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "01"), ==, 0);
	sceneGive(scene, "Dev1", 5000);
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	/* It ended an hour ago. */
	testMeterGive(0, SCENE_TIME + 5000 * MS - 3600 * SECOND, 100 * MS, 0);
	sceneAwait(scene, "Dev1", 2);
	sceneGive(scene, "Dev1", 5007);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	sceneGive(scene, "Dev1", 5008);
	peerGet(fd, false, &data);
	g_assert_cmpint(data.values, ==, 1);
	g_assert_cmpfloat(data.value[0], ==, 1007);
	g_free(data.value);
	g_assert_nonnull(served);
	close(fd);
	sceneEnd(scene);
}

/* ---- READ -------------------------------------------------------------- */

/* All lines at once, whoever says that he got them or does not. */
static void testRead(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fd = peerOpen(scene);

	sceneGive(scene, "Dev1", 1000);
	peerSay(fd, "09000000" DEV1 ZERO);
	peerHear(fd, ZERO THREE D1000 D2000 D3000);
	sceneGive(scene, "Dev1", 1001);
	peerHear(fd, THREE D1001 "0000000000449f40 000000000072a740");
	/* Acknowledged, whenever it is. */
	peerSay(fd, ONE ONE);
	sceneGive(scene, "Dev1", 2000);
	peerHear(fd, THREE D1000 D2000 D3000);
	/* Enough. */
	peerSay(fd, ZERO);
	peerEnd(fd);
	/* Half the rate: each second one. */
	fd = peerOpen(scene);
	peerSay(fd, "09000000" DEV1 "05000000");
	peerHear(fd, ZERO THREE D1000 D2000 D3000);
	sceneGive(scene, "Dev1", 2500);
	sceneGive(scene, "Dev1", 3001);
	peerHear(fd, THREE D1001 "0000000000449f40 000000000072a740");
	close(fd);
	/* Too fast; unknown; negative. */
	fd = peerOpen(scene);
	peerSay(fd, "09000000" DEV1 "0b000000");
	peerHear(fd, "feffffff 0a000000");
	peerEnd(fd);
	fd = peerOpen(scene);
	peerSay(fd, "09000000 01000000 78 00000000");
	peerHear(fd, MINUS);
	peerEnd(fd);
	fd = peerOpen(scene);
	peerSay(fd, "09000000" DEV1 MINUS);
	peerHear(fd, MINUS);
	peerEnd(fd);
	sceneEnd(scene);
}

/* With 4 bytes a value; and who asks before there is a reading waits for it. */
static void testReadFloat(void)
{
	struct scene *scene =
		sceneBegin(SCENE_SERVER "dialect=A\n" SCENE_DEVICE);
	int fd = peerOpen(scene);

	peerSay(fd, "09000000" DEV1 ZERO);
	peerHear(fd, ZERO);
	sceneGive(scene, "Dev1", 1000);
	peerHear(fd, THREE "00007a44 0000fa44 00803b45");
	close(fd);
	sceneEnd(scene);
}

/* ---- Defects of others ------------------------------------------------- */

/* 2: a silent client blocks nobody; INFO while a counter is being made. */
static void testSilent(void)
{
	enum { COUNT = 300 };
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int silent[COUNT], fd = peerOpen(scene);

	for (int i = 0; i < COUNT; i++)
		silent[i] = peerOpen(scene);
	peerSay(silent[0], "0000");
	peerSay(silent[1], "00000000 ff030000 4465");
	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "01"), ==, 0);
	peerSay(silent[2], "06000000" DEV1);
	peerHear(silent[2], "0a000000" THREE DEV1);
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	sceneGive(scene, "Dev1", 1000);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	peerSay(fd, "04000000");
	peerHear(fd, ONE TWO ONE ZERO ONE D1000);
	for (int i = 0; i < COUNT; i++)
		close(silent[i]);
	close(fd);
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* 3: what a client claims is not believed; 4: a CREATE that fails is answered.
 */
static void testClaims(void)
{
	static const char *const rows[] = {
		/* A name of 900 MiB, of 1024, of -1 bytes. */
		ZERO "00004038",
		ZERO "00040000",
		ZERO MINUS,
		"06000000 00004038",
		"09000000 ffffff7f",
		/* A mask of 17 bytes, of -1, of 900 MiB. */
		ZERO DEV1 ZERO ZERO "11000000",
		ZERO DEV1 ZERO ZERO MINUS,
		ZERO DEV1 ZERO ZERO "00004038",
		/* No such device, an empty name, -1 Hz. */
		ZERO DEV2 ZERO ZERO LINES("01"),
		ZERO ZERO ZERO ZERO LINES("01"),
		ZERO DEV1 MINUS ZERO LINES("01"),
		/* A name that is a path. */
		ZERO "0b000000 2e2e2f6574632f70617373" ZERO ZERO LINES("01"),
		/* Operations of a counter without one. */
		"01000000",
		"02000000",
		"03000000",
		"04000000",
		"05000000",
	};
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int fd = peerOpen(scene);

		peerSay(fd, rows[i]);
		g_assert_cmpint(peerNumber(fd), ==, -1);
		peerEnd(fd);
		SCENE_WAIT(__atomic_load_n(&scene->service->refused,
					   __ATOMIC_RELAXED) == i + 1);
	}
	sceneSaid("invalid name of 943718400 bytes");
	sceneSaid("invalid mask of 17 bytes");
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* 8: who goes while it collects leaves nothing, however he goes; neither does
 * an operation that nobody knows. */
static void testVanish(void)
{
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);

	for (int way = 0; way < 4; way++) {
		int fd = peerOpen(scene);

		g_assert_cmpint(peerCreate(fd, "Dev1", 0, false, "07"), ==, 0);
		g_assert_cmpint(peerAsk(fd, 1), ==, 0);
		sceneGive(scene, "Dev1", 1000);
		g_assert_cmpint(ptAccountUsed(&scene->service->memory), >, 0);
		if (way == 1)
			peerSay(fd, "0300");
		if (way == 2)
			g_assert_cmpint(peerAsk(fd, 77), ==, -1);
		if (way == 3)
			peerReset(fd);
		else
			close(fd);
		sceneIsEmpty(scene);
		sceneClients(scene, 0);
		/* Nobody keeps anything. */
		sceneGive(scene, "Dev1", 1001);
		g_assert_cmpint(ptAccountUsed(&scene->service->memory), ==, 0);
	}
	sceneEnd(scene);
}

/* A client goes while the answer to GET is on its way. */
static void testVanishInGet(void)
{
	struct scene *scene = sceneBegin(
		SCENE_SERVER "[Device]\nname=Fast\ndriver=Host\ncycle=1\n"
			     "[Line]\ndevice=Fast\nnode=n\nchannel=*\n");
	int fd = peerOpen(scene), small = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	g_assert_cmpint(peerCreate(fd, "Fast", 0, false, "00"), ==, 0);
	for (int i = 0; i < 3000; i++) {
		g_assert_cmpint(peerAsk(fd, 2), ==, 0);
		g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	}
	g_assert_cmpint(peerAsk(fd, 2), ==, 0);
	g_usleep(200000);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	g_assert_cmpint(peerAsk(fd, 4), >=, 0);
	peerReset(fd);
	sceneIsEmpty(scene);
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* Requests that come in pieces, and several that come at once. */
static void testPieces(void)
{
	static const char create[] = "00000000 04000000 44657631 00000000"
				     "01000000 10000000 03000000 00000000"
				     "00000000 00000000";
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	int fd = peerOpen(scene), one = 1;

	setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof(one));
	for (const char *at = create; *at; at += 2) {
		char byte[3] = { at[0], at[1], '\0' };

		if (*at == ' ') {
			at--;
			continue;
		}
		peerSay(fd, byte);
	}
	g_assert_cmpint(peerNumber(fd), ==, 0);
	close(fd);
	fd = peerOpen(scene);
	peerSay(fd, ZERO DEV1 ZERO ONE LINES("03") "01000000 03000000 04000000"
						   "2b000000 05000000");
	peerHear(fd, ZERO ZERO ZERO ZERO TWO TWO ZERO ZERO MINUS ZERO);
	peerEnd(fd);
	sceneEnd(scene);
}

/* ---- Limits ------------------------------------------------------------ */

/* A client whose room is used up is told so when it stops; what it has until
 * then it gets. */
static void testMemoryLimit(void)
{
	struct scene *scene =
		sceneBegin(SCENE_SERVER "clientMemory=1\n" SCENE_DEVICE);
	int fd = peerOpen(scene);
	struct peerData data;

	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "07"), ==, 0);
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	/* 1 MiB is 18 segments of 1024 readings: 32 bytes and 3 values each. */
	sceneGiveMany(scene, "Dev1", 1000, 19 * PT_SEGMENT_SIZE);
	g_assert_cmpint(ptAccountUsed(&scene->service->memory), <=, 1 << 20);
	g_assert_cmpint(peerAsk(fd, 3), ==, -1);
	sceneSaid("a counter reached its limit of readings");
	peerGet(fd, false, &data);
	g_assert_cmpint(data.values, ==, 18 * PT_SEGMENT_SIZE);
	g_assert_cmpfloat(data.value[data.values - 1], ==, 6000);
	g_free(data.value);
	/* The same again: START makes room. */
	g_assert_cmpint(peerAsk(fd, 2), ==, -1);
	sceneSaid("out of memory for the readings of a counter");
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	close(fd);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Counters, and clients, that are too many. */
static void testCountLimit(void)
{
	struct scene *scene = sceneBegin(
		SCENE_SERVER "counters=2\nclients=4\n"
			     "userShare=100\naddressShare=100\n" SCENE_DEVICE);
	int fds[5], silent[5];

	for (int i = 0; i < 3; i++) {
		fds[i] = peerOpen(scene);
		g_assert_cmpint(peerCreate(fds[i], "Dev1", 0, true, "01"), ==,
				i < 2 ? 0 : -1);
	}
	peerEnd(fds[2]);
	sceneSaid("too many counters and streams of all clients");
	sceneClients(scene, 2);
	/* Who says nothing has no place, and gives way to others like him. */
	for (int i = 0; i < 5; i++) {
		silent[i] = peerOpen(scene);
		sceneClients(scene, i < 4 ? (size_t)i + 3 : 6);
	}
	peerEnd(silent[0]);
	sceneSaid("not authenticated, and other clients are waiting");
	/* Those who have something to do do not. */
	g_assert_cmpint(peerAsk(fds[0], 1), ==, 0);
	for (int i = 2; i < 4; i++) {
		fds[i] = peerOpen(scene);
		peerSay(fds[i], "09000000" DEV1 ZERO);
		g_assert_cmpint(peerNumber(fds[i]), ==, 0);
	}
	fds[4] = peerOpen(scene);
	peerSay(fds[4], "09000000" DEV1 ZERO);
	g_assert_cmpint(peerNumber(fds[4]), ==, -1);
	peerEnd(fds[4]);
	sceneSaid("too many clients");
	for (int i = 0; i < 4; i++) {
		close(fds[i]);
		close(silent[i + 1]);
	}
	sceneEnd(scene);
}

/* Half a message, and nothing at all, for too long. */
static void testTimeout(void)
{
	struct scene *scene =
		sceneBegin(SCENE_SERVER "timeout=1\nidle=1\n" SCENE_DEVICE);
	int nothing = peerOpen(scene), half = peerOpen(scene),
	    idle = peerOpen(scene), busy = peerOpen(scene);

	peerSay(half, "00000000 04");
	g_assert_cmpint(peerCreate(idle, "Dev1", 0, true, "01"), ==, 0);
	g_assert_cmpint(peerCreate(busy, "Dev1", 0, true, "01"), ==, 0);
	g_assert_cmpint(peerAsk(busy, 1), ==, 0);
	peerEnd(nothing);
	peerEnd(half);
	peerEnd(idle);
	sceneSaid("the client sent no request");
	sceneSaid("the client sent an incomplete frame");
	sceneSaid("idle connection");
	g_assert_cmpint(peerAsk(busy, 3), ==, 0);
	close(busy);
	sceneEnd(scene);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/pmlib/questions", testQuestions);
	g_test_add_func("/pmlib/status", testStatus);
	g_test_add_func("/pmlib/status-voltage", testStatusVoltage);
	g_test_add_func("/pmlib/counter", testCounter);
	g_test_add_func("/pmlib/continue-first", testContinueFirst);
	g_test_add_func("/pmlib/masks", testMasks);
	g_test_add_func("/pmlib/rates", testRates);
	g_test_add_func("/pmlib/dialects", testDialects);
	g_test_add_func("/pmlib/long", testLong);
	g_test_add_func("/pmlib/edges", testEdges);
	g_test_add_func("/pmlib/read", testRead);
	g_test_add_func("/pmlib/read-float", testReadFloat);
	g_test_add_func("/pmlib/silent", testSilent);
	g_test_add_func("/pmlib/claims", testClaims);
	g_test_add_func("/pmlib/vanish", testVanish);
	g_test_add_func("/pmlib/vanish-in-get", testVanishInGet);
	g_test_add_func("/pmlib/pieces", testPieces);
	g_test_add_func("/pmlib/memory-limit", testMemoryLimit);
	g_test_add_func("/pmlib/count-limit", testCountLimit);
	g_test_add_func("/pmlib/timeout", testTimeout);
	return g_test_run();
}
