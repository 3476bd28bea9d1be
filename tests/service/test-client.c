/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * Clients of the power service, with a server that says what the test wants:
 * what is no greeting, no list and no stream, losses, and a server that comes
 * back as another one. And the arithmetic: clocks, energy, bars.
 */
#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerTracingLibrary/client/core/integral.h"
#include "PowerTracingLibrary/client/core/recorder.h"
#include "PowerTracingLibrary/client/remotelist.h"
#include "PowerTracingLibrary/pt/client/recordfiles.h"
#include "PowerTracingLibrary/pt/client/screen.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "tests/service/hexbytes.h"

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)
/* The server's clocks are so far from ours. */
#define WALL_AHEAD (100 * SECOND)
#define MONO_AHEAD (-5 * SECOND)

static char *directory, *path;
static struct ptRemoteSetup setup;
static GString *said;
static pthread_mutex_t saidMutex = PTHREAD_MUTEX_INITIALIZER;

static void catchMessage(enum hdLogLevel level, const char *text)
{
	(void)level;
	pthread_mutex_lock(&saidMutex);
	g_string_append_printf(said, "%s\n", text);
	pthread_mutex_unlock(&saidMutex);
}

/* Whether there was a message; forgets all. */
static void assertSaid(const char *text)
{
	pthread_mutex_lock(&saidMutex);
	if (!strstr(said->str, text))
		g_error("never said: %s; but\n%s", text, said->str);
	g_string_truncate(said, 0);
	pthread_mutex_unlock(&saidMutex);
}

/* ---- The server -------------------------------------------------------- */

/* A frame to be sent: its struct, or bytes. */
struct frame {
	unsigned int type;
	const void *message;
	uint16_t tag;    /**< TAG: that of the request. */
	const char *hex; /**< Instead, the payload. */
};
#define TAG 0xffff

/* What is said to a request; ended by one without frames. */
struct answer {
	unsigned int request;
	struct frame frames[12]; /* Ended by a type 0. */
	bool closes;
};

/* A connection. */
struct script {
	const char *greeting; /* Hexadecimal, or NULL: a good one. */
	bool mustAuthenticate, isNonsensePong, closes;
	struct frame behind; /* Behind the greeting. */
	const struct answer *answers;
};

struct server {
	const struct script *scripts;
	size_t count;
	int fd;
	GThread *thread;
};

/* Who tests errors may have gone. */
static void sendAll(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (gssize)size)
		g_test_message("the client has gone");
}

static bool receiveAll(int fd, void *bytes, size_t size)
{
	return size == 0 || recv(fd, bytes, size, MSG_WAITALL) == (gssize)size;
}

static void sendFrame(int fd, const struct frame *frame, uint16_t tag)
{
	unsigned char bytes[4096];
	struct hdFrameHeader header = { .type = (uint16_t)frame->type,
					.tag = frame->tag == TAG ? tag
								 : frame->tag };
	size_t size;

	if (frame->hex) {
		size = HD_FRAME_HEADER_SIZE;
		header.length = (uint32_t)hexBytes(frame->hex, bytes + size);
		size += header.length;
		/* A length that is more than there is. */
		if (frame->message)
			header.length = *(const uint32_t *)frame->message;
		hdFrameEncodeHeader(&header, bytes);
	} else {
		size = ptWireEncode((enum ptWireType)frame->type, header.tag,
				    frame->message, bytes, sizeof(bytes), NULL);
		g_assert_cmpuint(size, >, 0);
	}
	sendAll(fd, bytes, size);
}

static void pong(int fd, const unsigned char *payload, uint16_t tag, bool isBad)
{
	struct hdFramePong answer = {
		.wall = hdClockNow() + WALL_AHEAD,
		.mono = hdMonotonicNow() + MONO_AHEAD,
	};
	const struct frame frame = { PT_WIRE_PONG, &answer, tag, NULL };
	struct hdFramePing ping;

	g_assert_cmpint(ptWireDecode(PT_WIRE_PING, payload, 8, &ping, NULL), ==,
			0);
	answer.content = ping.content + isBad;
	sendFrame(fd, &frame, tag);
}

/* Answer a request; false at the end. */
static bool answerOne(int fd, const struct script *script)
{
	unsigned char bytes[HD_FRAME_HEADER_SIZE], payload[4096];
	struct hdFrameHeader header;

	if (!receiveAll(fd, bytes, sizeof(bytes)))
		return false;
	hdFrameDecodeHeader(bytes, &header);
	g_assert_cmpuint(header.length, <=, sizeof(payload));
	if (!receiveAll(fd, payload, header.length))
		return false;
	if (header.type == PT_WIRE_PING) {
		pong(fd, payload, header.tag, script->isNonsensePong);
		return true;
	}
	for (const struct answer *a = script->answers; a && a->request; a++) {
		if (a->request != header.type)
			continue;
		for (const struct frame *f = a->frames; f->type; f++)
			sendFrame(fd, f, header.tag);
		return !a->closes;
	}
	return true;
}

static void serveOne(int fd, const struct script *script)
{
	struct hdFrameGreeting greeting = {
		.version = 1,
		.mustAuthenticate = script->mustAuthenticate,
		.payloadMax = 65536,
	};
	unsigned char bytes[4096];
	size_t size = HD_FRAME_GREETING_SIZE;

	if (!receiveAll(fd, bytes, HD_FRAME_HELLO_SIZE))
		return;
	if (script->greeting)
		size = hexBytes(script->greeting, bytes);
	else
		hdFrameEncodeGreeting(PT_WIRE_MAGIC, &greeting, bytes);
	sendAll(fd, bytes, size);
	if (script->behind.type)
		sendFrame(fd, &script->behind, 0);
	while (!script->closes && answerOne(fd, script))
		;
}

static gpointer serveAll(gpointer data)
{
	struct server *server = data;

	for (size_t i = 0; i < server->count; i++) {
		int fd = accept(server->fd, NULL, NULL);

		g_assert_cmpint(fd, >=, 0);
		serveOne(fd, &server->scripts[i]);
		close(fd);
	}
	return NULL;
}

static void begin(struct server *server, const struct script *scripts,
		  size_t count)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	g_unlink(path);
	*server = (struct server){ .scripts = scripts, .count = count };
	server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert_cmpint(
		bind(server->fd, (struct sockaddr *)&address, sizeof(address)),
		==, 0);
	g_assert_cmpint(listen(server->fd, 5), ==, 0);
	server->thread = g_thread_new("server", serveAll, server);
}

static void end(struct server *server)
{
	g_thread_join(server->thread);
	close(server->fd);
}

/* ---- Connecting -------------------------------------------------------- */

static void testAddresses(void)
{
	static const struct {
		const char *text;
		int ret;
		bool isPath;
		const char *host, *port, *name;
	} rows[] = {
		{ "a", 0, false, "a", "6526", "a:6526" },
		{ "a:1", 0, false, "a", "1", "a:1" },
		{ "[::1]:2", 0, false, "::1", "2", "[::1]:2" },
		{ "::1", 0, false, "::1", "6526", "[::1]:6526" },
		{ "unix:/x", 0, true, "/x", "", "/x" },
		{ "/x", 0, true, "/x", "", "/x" },
		{ "", -EINVAL, false, "", "", "" },
		{ "a:", -EINVAL, false, "", "", "" },
		{ "a:99999", -EINVAL, false, "", "", "" },
		{ "[", -EINVAL, false, "", "", "" },
	};
	struct ptRemoteAddress address;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_test_message("%s", rows[i].text);
		g_assert_cmpint(ptRemoteParse(rows[i].text, &address), ==,
				rows[i].ret);
		if (rows[i].ret < 0)
			continue;
		g_assert_cmpint(address.isPath, ==, rows[i].isPath);
		g_assert_cmpstr(address.host, ==, rows[i].host);
		g_assert_cmpstr(address.port, ==, rows[i].port);
		g_assert_cmpstr(address.text, ==, rows[i].name);
	}
}

static void testGreetings(void)
{
	static const struct hdFrameFailure full = { HD_FRAME_ELIMIT,
						    { "full", 4 } };
	static const uint32_t huge = 1 << 21;
	static const struct {
		struct script script;
		int ret;
		const char *text;
	} rows[] = {
		{ { 0 }, 0, "" },
		{ { .greeting = "", .closes = true },
		  -ECONNRESET,
		  "connection lost: closed by the server" },
		{ { .greeting = "89484450 0100", .closes = true },
		  -ECONNRESET,
		  "connection lost: closed by the server" },
		{ { .greeting = "485454502f312e3120343030"
				"00000000000000000000000000000000000000000000"
				"00000000000000000000000000000000000000000000"
				"0000000000000000" },
		  -EPROTO,
		  "not a power service" },
		{ { .greeting = "894844500000"
				"00000000000000000100000000000000000000000000"
				"00000000000000000000000000000000000000000000"
				"0000000000000000000000000000" },
		  -EPROTO,
		  "unsupported protocol version" },
		{ { .behind = { PT_WIRE_ERROR, &full, 0, NULL },
		    .closes = true },
		  -ECONNRESET,
		  "full" },
		{ { .mustAuthenticate = true }, -EACCES, "--token=FILE" },
		{ { .isNonsensePong = true }, -EPROTO, "not a power service" },
		{ { .behind = { PT_WIRE_LIST_END, NULL, 0, "00000000" } },
		  -EPROTO,
		  "not a power service" },
		{ { .behind = { PT_WIRE_PONG, &huge, 0, "00" } },
		  -EPROTO,
		  "not a power service" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ptRemote *remote = NULL;
		struct server server;
		int ret;

		g_test_message("row %zu", i);
		begin(&server, &rows[i].script, 1);
		ret = ptRemoteOpen(&setup, -1, &remote);
		g_assert_cmpint(ret, ==, rows[i].ret);
		ptRemoteClose(remote);
		end(&server);
		assertSaid(rows[i].text);
	}
	g_unlink(path);
	g_assert_cmpint(ptRemoteOpen(&setup, -1, &(struct ptRemote *){ NULL }),
			==, -ENOENT);
	assertSaid("No such file");
}

/* ---- What there is ----------------------------------------------------- */

static const struct ptWireDevice device0 = { .name = { "dev", 3 },
					     .driver = { "sim", 3 },
					     .intervalNs = 100 * MS,
					     .isUp = 1,
					     .lastWall = 1000 * SECOND };
static const struct ptWireDevice device1 = { .device = 1,
					     .name = { "dev", 3 },
					     .driver = { "sim", 3 },
					     .intervalNs = 1 };
static const struct ptWireLine line3 = { .line = 3,
					 .name = { "psu", 3 },
					 .node = { "n1", 2 } };
static const struct ptWireValue valueP = { .line = 3,
					   .name = { "P", 1 },
					   .unit = { "W", 1 } };
static const struct ptWireListEnd listEnd = { 1, 0 };

#define DEVICE(d)                               \
	{                                       \
		PT_WIRE_DEVICE, &(d), TAG, NULL \
	}
#define LINE                                    \
	{                                       \
		PT_WIRE_LINE, &line3, TAG, NULL \
	}
#define VALUE                                     \
	{                                         \
		PT_WIRE_VALUE, &valueP, TAG, NULL \
	}
#define LIST_END                                      \
	{                                             \
		PT_WIRE_LIST_END, &listEnd, TAG, NULL \
	}

static void testList(void)
{
	static const struct answer answers[] = {
		{ PT_WIRE_LIST,
		  { DEVICE(device0), LINE, VALUE, VALUE, LIST_END },
		  false },
		{ 0 },
	};
	static const struct script script = { .answers = answers };
	struct ptRemote *remote;
	struct ptListed *listed;
	struct server server;
	char *names;

	begin(&server, &script, 1);
	g_assert_cmpint(ptRemoteOpen(&setup, -1, &remote), ==, 0);
	g_assert_cmpint(ptRemoteList(remote, &listed), ==, 0);
	g_assert_cmpuint(listed->count, ==, 1);
	g_assert_cmpstr(listed->devices[0].name, ==, "dev");
	/* By our clock. */
	g_assert_cmpfloat(fabs((double)(listed->devices[0].lastNs -
					(1000 * SECOND - WALL_AHEAD))),
			  <, 1e9);
	g_assert_cmpuint(listed->devices[0].lines[0].number, ==, 3);
	g_assert_true(ptListedHasNode(listed, "n1"));
	g_assert_false(ptListedHasNode(listed, "n"));
	g_assert_true(ptListedHasValue(listed, "n1", "P"));
	g_assert_false(ptListedHasValue(listed, "n1", "E"));
	names = ptListedValues(listed, "n1");
	g_assert_cmpstr(names, ==, "P");
	g_free(names);
	ptListedFree(listed);
	ptListedFree(NULL);
	ptRemoteClose(remote);
	end(&server);
	assertSaid("");
}

static void testBadLists(void)
{
	static const struct hdFrameFailure no = { HD_FRAME_EREQUEST,
						  { "no", 2 } };
	static const struct ptWireValue other = { .line = 2,
						  .name = { "P", 1 } };
	static const struct {
		struct answer answer;
		int ret;
	} rows[] = {
		{ { PT_WIRE_LIST, { DEVICE(device1), LIST_END }, false },
		  -EPROTO },
		{ { PT_WIRE_LIST, { LINE, LIST_END }, false }, -EPROTO },
		{ { PT_WIRE_LIST, { VALUE, LIST_END }, false }, -EPROTO },
		{ { PT_WIRE_LIST, { DEVICE(device0), VALUE }, false },
		  -EPROTO },
		{ { PT_WIRE_LIST,
		    { DEVICE(device0),
		      LINE,
		      { PT_WIRE_VALUE, &other, TAG, NULL } },
		    false },
		  -EPROTO },
		{ { PT_WIRE_LIST,
		    { { PT_WIRE_LIST_END, &listEnd, 0, NULL } },
		    false },
		  -EPROTO },
		{ { PT_WIRE_LIST,
		    { { PT_WIRE_CLOSED, NULL, TAG, "01000000" } },
		    false },
		  -EPROTO },
		{ { PT_WIRE_LIST, { { 999, NULL, TAG, "" } }, false },
		  -EPROTO },
		{ { PT_WIRE_LIST,
		    { { PT_WIRE_DEVICE, NULL, TAG, "0000 0500 61" } },
		    false },
		  -EPROTO },
		{ { PT_WIRE_LIST, { DEVICE(device0) }, true }, -ECONNRESET },
		{ { PT_WIRE_LIST,
		    { { PT_WIRE_ERROR, &no, TAG, NULL } },
		    false },
		  -EREMOTEIO },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct answer answers[] = { rows[i].answer, { 0 } };
		const struct script script = { .answers = answers };
		struct ptRemote *remote;
		struct ptListed *listed;
		struct server server;

		g_test_message("row %zu", i);
		begin(&server, &script, 1);
		g_assert_cmpint(ptRemoteOpen(&setup, -1, &remote), ==, 0);
		g_assert_cmpint(ptRemoteList(remote, &listed), ==, rows[i].ret);
		ptRemoteClose(remote);
		end(&server);
		/* Who finds it says so. */
		g_assert_cmpuint(said->len, >, 0);
		assertSaid("");
	}
}

/* ---- Streams ----------------------------------------------------------- */

static const struct ptSelection selection = { NULL, "n1", NULL, "P" };

#define FRAME(type, message)                \
	{                                   \
		type, &(message), TAG, NULL \
	}
static const struct ptWireOpened opened = { 7, 1, 2 };
static const struct ptWireGroup group = { .stream = 7,
					  .columns = 2,
					  .device = { "dev", 3 },
					  .every = 1,
					  .intervalNs = 10 * MS };
static const struct ptWireColumn column0 = { .stream = 7,
					     .node = { "n1", 2 },
					     .lines = 2,
					     .value = { "P", 1 },
					     .unit = { "W", 1 } };
static const struct ptWireColumn column1 = { .stream = 7,
					     .column = 1,
					     .node = { "n2", 2 },
					     .line = { "psu", 3 },
					     .lines = 1,
					     .value = { "P", 1 },
					     .unit = { "W", 1 } };
#define OPENED                                                      \
	FRAME(PT_WIRE_OPENED, opened), FRAME(PT_WIRE_GROUP, group), \
		FRAME(PT_WIRE_COLUMN, column0), FRAME(PT_WIRE_COLUMN, column1)

static void testBadOpens(void)
{
	static const struct hdFrameFailure unknown = { HD_FRAME_EUNKNOWN,
						       { "x", 1 } };
	static const struct hdFrameFailure forbidden = { HD_FRAME_EFORBIDDEN,
							 { "x", 1 } };
	static const struct hdFrameFailure limit = { HD_FRAME_ELIMIT,
						     { "x", 1 } };
	static const struct ptWireGroup second = { .stream = 7,
						   .group = 1,
						   .columns = 1,
						   .device = { "d", 1 },
						   .every = 1,
						   .intervalNs = 1 };
	static const struct ptWireGroup wide = { .stream = 7,
						 .columns = 3,
						 .device = { "d", 1 },
						 .every = 1,
						 .intervalNs = 1 };
	static const struct {
		struct frame frames[4];
		int ret;
	} rows[] = {
		{ { FRAME(PT_WIRE_ERROR, unknown) }, -ENOENT },
		{ { FRAME(PT_WIRE_ERROR, forbidden) }, -EACCES },
		{ { FRAME(PT_WIRE_ERROR, limit) }, -EBUSY },
		{ { FRAME(PT_WIRE_OPENED, opened), FRAME(PT_WIRE_GROUP, wide) },
		  -EPROTO },
		{ { FRAME(PT_WIRE_OPENED, opened),
		    FRAME(PT_WIRE_GROUP, second) },
		  -EPROTO },
		{ { FRAME(PT_WIRE_OPENED, opened), FRAME(PT_WIRE_GROUP, group),
		    FRAME(PT_WIRE_COLUMN, column1) },
		  -EPROTO },
		{ { { PT_WIRE_OPENED, NULL, TAG, "00" } }, -EPROTO },
	};
	static const struct ptRecorderCalls calls = { 0 };
	const struct ptRecorderSetup what = { .remote = &setup,
					      .selections = &selection,
					      .selectionCount = 1 };

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct answer answers[2] = { { .request = PT_WIRE_OPEN } };
		const struct script script = { .answers = answers };
		struct ptRecorder *recorder;
		struct server server;

		g_test_message("row %zu", i);
		memcpy(answers[0].frames, rows[i].frames,
		       sizeof(rows[i].frames));
		begin(&server, &script, 1);
		g_assert_cmpint(ptRecorderOpen(&what, &calls, NULL, &recorder),
				==, rows[i].ret);
		end(&server);
		assertSaid("");
	}
}

/* What a recorder tells. */
struct told {
	pthread_mutex_t mutex;
	size_t readings, gaps, ups, downs;
	double values[2];
	int64_t endNs;
	bool hasGap;
};

static void takeReading(void *context, size_t number,
			const struct ptRecorderReading *reading)
{
	struct told *told = context;

	g_assert_cmpuint(number, ==, 0);
	pthread_mutex_lock(&told->mutex);
	told->readings++;
	memcpy(told->values, reading->values, sizeof(told->values));
	told->endNs = reading->endNs;
	told->hasGap = reading->hasGap;
	pthread_mutex_unlock(&told->mutex);
}

static void takeGap(void *context, size_t number)
{
	struct told *told = context;

	(void)number;
	pthread_mutex_lock(&told->mutex);
	told->gaps++;
	pthread_mutex_unlock(&told->mutex);
}

static void takeChange(void *context, size_t number, bool isUp)
{
	struct told *told = context;

	(void)number;
	pthread_mutex_lock(&told->mutex);
	told->ups += isUp;
	told->downs += !isUp;
	pthread_mutex_unlock(&told->mutex);
}

static size_t readingsOf(struct told *told)
{
	size_t count;

	pthread_mutex_lock(&told->mutex);
	count = told->readings;
	pthread_mutex_unlock(&told->mutex);
	return count;
}

static const struct ptRecorderCalls tellAll = {
	.add = takeReading,
	.gap = takeGap,
	.changed = takeChange,
};

/* A DATA of one reading; its arrays are static. */
static struct ptWireData dataOf(int64_t mono, double first, double second,
				unsigned char arrays[64])
{
	const int64_t times[] = { 0, mono, 10 * MS };
	const uint32_t marks[] = { 3, PT_WIRE_GAP };
	const double values[] = { first, second };

	ptWirePut64(arrays, times, 3);
	ptWirePut32(arrays + 24, marks, 2);
	ptWirePut64(arrays + 32, values, 2);
	return (struct ptWireData){
		.stream = 7, .columns = 2, .count = 1, .arrays = { arrays, 48 }
	};
}

/* Wait until there were so many readings. */
static void await(struct told *told, size_t count)
{
	int64_t until = g_get_monotonic_time() + 60000000;

	while (readingsOf(told) < count) {
		g_assert_cmpint(g_get_monotonic_time(), <, until);
		g_usleep(500);
	}
}

/*
 * Readings with their times, a loss, a device that goes; then the server says
 * nonsense, and comes back with its columns the other way around.
 */
static void testRecorder(void)
{
	static unsigned char first[64], second[64];
	const int64_t moment = hdClockNow(), mono = hdMonotonicNow();
	const struct ptWireMoment started = { 7, 0, 0 };
	const struct ptWireData data = dataOf(mono + MONO_AHEAD, 1, 2, first);
	const struct ptWireLoss loss = { .stream = 7, .why = 1, .readings = 5 };
	const struct ptWireEvent lost = { .stream = 7, .what = 1 };
	const struct ptWireEvent back = { .stream = 7, .what = 2 };
	const struct ptWireEnd over = { .stream = 7, .why = 1 };
	/* As another server has them. */
	struct ptWireColumn other0 = column1, other1 = column0;
	const struct ptWireData again =
		dataOf(mono + MONO_AHEAD + SECOND, 20, 10, second);
	const struct frame tail = { 0 };
	struct answer one[] = {
		{ PT_WIRE_OPEN, { OPENED }, false },
		{ PT_WIRE_START,
		  { FRAME(PT_WIRE_STARTED, started),
		    { PT_WIRE_DATA, &data, 0, NULL },
		    { PT_WIRE_LOSS, &loss, 0, NULL },
		    { PT_WIRE_EVENT, &lost, 0, NULL },
		    { PT_WIRE_EVENT, &back, 0, NULL },
		    { 500, NULL, 0, "0102" }, /* Of a later version. */
		    { PT_WIRE_PONG, NULL, 0, "00" },
		    tail },
		  false },
		{ 0 },
	};
	struct answer two[] = {
		{ PT_WIRE_OPEN,
		  { FRAME(PT_WIRE_OPENED, opened), FRAME(PT_WIRE_GROUP, group),
		    FRAME(PT_WIRE_COLUMN, other0),
		    FRAME(PT_WIRE_COLUMN, other1) },
		  false },
		{ PT_WIRE_START,
		  { FRAME(PT_WIRE_STARTED, started),
		    { PT_WIRE_DATA, &again, 0, NULL } },
		  false },
		{ PT_WIRE_STOP, { { PT_WIRE_END, &over, 0, NULL } }, false },
		{ 0 },
	};
	const struct script scripts[] = { { .answers = one },
					  { .answers = two } };
	const struct ptRecorderSetup what = { .remote = &setup,
					      .selections = &selection,
					      .selectionCount = 1 };
	const struct ptRecorderGroup *groups;
	struct ptRecorder *recorder;
	struct told told = { 0 };
	struct server server;
	size_t count;
	char *name;

	other0.column = 0;
	other1.column = 1;
	pthread_mutex_init(&told.mutex, NULL);
	begin(&server, scripts, 2);
	g_assert_cmpint(ptRecorderOpen(&what, &tellAll, &told, &recorder), ==,
			0);
	groups = ptRecorderGroups(recorder, &count);
	g_assert_cmpuint(count, ==, 1);
	g_assert_cmpuint(groups[0].count, ==, 2);
	name = ptRecorderColumnName(&groups[0], 1);
	g_assert_cmpstr(name, ==, "P");
	g_free(name);
	g_assert_cmpint(ptRecorderBegin(recorder), ==, 0);
	await(&told, 1);
	pthread_mutex_lock(&told.mutex);
	/* By our clock; the estimate is off by a round trip. */
	g_assert_cmpfloat(fabs((double)(told.endNs - moment)), <, 0.5e9);
	pthread_mutex_unlock(&told.mutex);
	await(&told, 2);
	ptRecorderEnd(recorder, 0);
	g_assert_cmpfloat(told.values[0], ==, 10);
	g_assert_cmpfloat(told.values[1], ==, 20);
	g_assert_true(told.hasGap);
	g_assert_cmpuint(groups[0].readings, ==, 2);
	g_assert_cmpuint(groups[0].lost, ==, 6);
	g_assert_cmpuint(groups[0].dropped, ==, 5);
	/* A loss, a device, a server. */
	g_assert_cmpuint(told.gaps, ==, 3);
	g_assert_cmpuint(told.downs, ==, 2);
	g_assert_cmpuint(told.ups, ==, 2);
	g_assert_cmpuint(ptRecorderReconnects(recorder), ==, 1);
	g_assert_nonnull(ptRecorderMoments(recorder, &count));
	g_assert_cmpuint(count, ==, 2);
	ptRecorderFree(recorder);
	end(&server);
	pthread_mutex_destroy(&told.mutex);
	assertSaid("dropped readings of dev: this host is too slow");
}

#define ZEROS "0000000000000000"

/* What is no stream: each ends the connection. */
static void testBadStreams(void)
{
	static unsigned char arrays[64];
	const struct ptWireMoment started = { 7, 0, 0 };
	struct ptWireData narrow = dataOf(0, 1, 2, arrays), far = narrow,
			  wrong = narrow;
	const struct ptWireLoss loss = { .stream = 7, .group = 1, .why = 1 };
	const struct ptWireEvent event = { .stream = 6, .what = 1 };
	const struct ptWireEnd strange = { .stream = 6, .why = 1 };
	const struct ptWireEnd service = { .stream = 7, .why = 2 };
	const struct hdFrameFailure failure = { HD_FRAME_EEND, { "end", 3 } };
	const struct frame frames[] = {
		{ PT_WIRE_DATA, &narrow, 0, NULL },
		{ PT_WIRE_DATA, &far, 0, NULL },
		{ PT_WIRE_DATA, &wrong, 0, NULL },
		/* No reading, and one that is cut off. */
		{ PT_WIRE_DATA, NULL, 0,
		  "07000000 0000 0200 00000000 00000000" },
		{ PT_WIRE_DATA, NULL, 0,
		  "07000000 0000 0200 01000000 00000000 0000000000000000" },
		/* Out of its range: why, what, why. */
		{ PT_WIRE_LOSS, NULL, 0,
		  "07000000 0000 0300 0000000000000000" ZEROS ZEROS },
		{ PT_WIRE_EVENT, NULL, 0, "07000000 0000 0300" ZEROS ZEROS },
		{ PT_WIRE_END, NULL, 0, "07000000 0500" ZEROS ZEROS },
		{ PT_WIRE_LOSS, &loss, 0, NULL },
		{ PT_WIRE_EVENT, &event, 0, NULL },
		{ PT_WIRE_END, &strange, 0, NULL },
		{ PT_WIRE_END, &service, 0, NULL },
		{ PT_WIRE_ERROR, &failure, 0, NULL },
		{ PT_WIRE_CLOSED, NULL, 0, "07000000" },
		{ 500, NULL, 1, "" },
		{ PT_WIRE_PONG, NULL, 0, "00" },
	};
	const struct ptRecorderSetup what = { .remote = &setup,
					      .selections = &selection,
					      .selectionCount = 1 };

	narrow.columns = 1;
	far.group = 1;
	wrong.stream = 8;
	for (size_t i = 0; i < G_N_ELEMENTS(frames); i++) {
		struct answer answers[] = {
			{ PT_WIRE_OPEN, { OPENED }, false },
			{ PT_WIRE_START,
			  { FRAME(PT_WIRE_STARTED, started), frames[i] },
			  false },
			{ 0 },
		};
		const struct script script = { .answers = answers };
		int64_t until = g_get_monotonic_time() + 60000000;
		struct told told = { 0 };
		struct ptRecorder *recorder;
		struct server server;
		bool isLost = false;

		g_test_message("row %zu", i);
		pthread_mutex_init(&told.mutex, NULL);
		begin(&server, &script, 1);
		g_assert_cmpint(
			ptRecorderOpen(&what, &tellAll, &told, &recorder), ==,
			0);
		g_assert_cmpint(ptRecorderBegin(recorder), ==, 0);
		while (!isLost) {
			g_assert_cmpint(g_get_monotonic_time(), <, until);
			g_usleep(500);
			pthread_mutex_lock(&told.mutex);
			isLost = told.downs == 1;
			pthread_mutex_unlock(&told.mutex);
		}
		ptRecorderEnd(recorder, INT64_MAX);
		g_assert_cmpuint(told.readings, ==, 0);
		g_assert_cmpuint(told.gaps, ==, 1);
		ptRecorderFree(recorder);
		end(&server);
		pthread_mutex_destroy(&told.mutex);
		assertSaid("connection lost; continuing when it is back");
	}
}

/* ---- Arithmetic -------------------------------------------------------- */

static void testClock(void)
{
	struct ptRemoteClock *clock = g_new0(struct ptRemoteClock, 1);
	int64_t last = 0;

	/* Of eight round trips the shortest counts. */
	for (int i = 0; i < PT_REMOTE_TRIPS; i++)
		ptRemoteClockAdd(clock, 1000 * SECOND - (i == 3 ? 50 : 5000),
				 i == 3 ? 100 : 20000, 10 * SECOND,
				 990 * SECOND);
	g_assert_cmpint(ptRemoteClockLocal(clock, 10 * SECOND), ==,
			1000 * SECOND);
	g_assert_cmpint(ptRemoteClockLocal(clock, 11 * SECOND), ==,
			1001 * SECOND);
	g_assert_cmpint(ptRemoteClockError(clock), ==, 50);
	g_assert_cmpint(ptRemoteClockOffset(clock), ==, 10 * SECOND);
	/* Ours is faster by 100 ppm. */
	for (int i = 0; i < PT_REMOTE_TRIPS; i++)
		ptRemoteClockAdd(clock, 1010 * SECOND + 1 * MS - 50, 100,
				 20 * SECOND, 1000 * SECOND);
	g_assert_cmpint(ptRemoteClockLocal(clock, 15 * SECOND), ==,
			1005 * SECOND + MS / 2);
	g_assert_cmpint(ptRemoteClockLocal(clock, 30 * SECOND), ==,
			1020 * SECOND + 2 * MS);
	/* More than there is room for: it stays what it was. */
	for (int i = 1; i < 10000; i++) {
		for (int k = 0; k < PT_REMOTE_TRIPS; k++)
			ptRemoteClockAdd(clock,
					 (1010 + i) * SECOND +
						 (10 + i) * MS / 10 - 50,
					 100, (20 + i) * SECOND, 0);
		g_assert_cmpint(ptRemoteClockLocal(clock, (20 + i) * SECOND), >,
				last);
		last = ptRemoteClockLocal(clock, (20 + i) * SECOND);
	}
	g_assert_cmpint(last, ==, 11009 * SECOND + 10009 * MS / 10);
	g_assert_cmpuint(clock->momentCount, <=, PT_REMOTE_POINTS);
	g_assert_cmpint(clock->moments[0].mono, ==, 10 * SECOND);
	g_free(clock);
}

static void testIntegral(void)
{
	struct ptIntegral integral;

	ptIntegralInit(&integral, 2, 10 * SECOND);
	g_assert_cmpfloat(ptIntegralJoules(&integral), ==, 0);
	g_assert_true(isnan(integral.peak));
	/* Half of it lies before. */
	ptIntegralAdd(&integral, 0, 100, 11 * SECOND, 2 * SECOND);
	ptIntegralPeak(&integral);
	/* The other is not known yet. */
	g_assert_true(isnan(integral.peak));
	ptIntegralAdd(&integral, 1, 10, 12 * SECOND, 2 * SECOND);
	ptIntegralPeak(&integral);
	g_assert_cmpfloat(integral.peak, ==, 110);
	ptIntegralAdd(&integral, 0, NAN, 12 * SECOND, SECOND);
	integral.toNs = 13 * SECOND;
	g_assert_false(ptIntegralIsComplete(&integral));
	/* Half of it lies behind. */
	ptIntegralAdd(&integral, 0, 300, 14 * SECOND, 2 * SECOND);
	ptIntegralAdd(&integral, 1, 20, 13 * SECOND, SECOND);
	ptIntegralPeak(&integral);
	/* All of it does. */
	ptIntegralAdd(&integral, 0, 900, 15 * SECOND, SECOND);
	ptIntegralPeak(&integral);
	g_assert_true(ptIntegralIsComplete(&integral));
	g_assert_cmpfloat(integral.peak, ==, 320);
	g_assert_cmpfloat(ptIntegralJoules(&integral), ==, 100 + 300 + 20 + 20);
	g_assert_cmpint(ptIntegralCovered(&integral), ==, 2 * SECOND);
	g_assert_cmpfloat(
		fabs(ptIntegralWatts(&integral) - (400.0 / 2 + 40.0 / 3)), <,
		1e-9);
	ptIntegralClear(&integral);
}

static void testScreen(void)
{
	const struct screenRow rows[] = {
		{ "n1", "P", "W", "d", 50, 150, TRUE, FALSE },
		{ "n2", "P", "W", "d", 200, 200, TRUE, TRUE },
		{ "n3\033[2J", "U", "V", "d", NAN, NAN, TRUE, FALSE },
		{ "n4", "I", "A", "d", 1, 1, FALSE, FALSE },
	};
	struct screen screen = { .width = 60, .height = 20 };
	GString *out = g_string_new(NULL);

	screenDraw(out, &screen, "title", rows, 2);
	/* To 200 W: 60 - (4 + 4 + 16 + 3) columns. */
	g_assert_nonnull(strstr(out->str, "50.000 W    ########\033[K"));
	g_assert_nonnull(
		strstr(out->str,
		       "200.000 W    #################################\033"));
	g_assert_nonnull(strstr(out->str, "250.000 W"));
	g_assert_nonnull(strstr(out->str, "simulated; bars to 200 W"));
	g_string_truncate(out, 0);
	screen.isUnicode = TRUE;
	screenDraw(out, &screen, "title", rows, 4);
	g_assert_nonnull(strstr(out->str, "███████▊"));
	/* Nobody clears our terminal. */
	g_assert_null(strstr(out->str, "\033[2J"));
	g_assert_nonnull(strstr(out->str, "out of reach"));
	g_assert_nonnull(strstr(out->str, "- V"));
	g_string_truncate(out, 0);
	screen = (struct screen){ .width = 10, .height = 6 };
	screenDraw(out, &screen, "a long title", rows, 4);
	g_assert_nonnull(strstr(out->str, "... and 2 more"));
	g_assert_null(strstr(out->str, "a long title"));
	g_string_free(out, TRUE);
}

/* Nodes whose names make the same labels do not share files; ours cannot have
 * such names, services of others may. */
static void testRecordPlaces(void)
{
	static char empty[] = "", power[] = "P", watts[] = "W";
	static const struct {
		char one[8], two[8];
	} rows[] = { { "n 1", "n/1" }, { "n-1", "n 1" }, { "a_", "a_-" } };

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char device[] = "d", one[8], two[8];
		char *place = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
		char *project = g_build_filename(place, "P", NULL);
		const struct recordFilesSetup into = { .project = project,
						       .server = "s",
						       .name = project };
		struct ptRecorderColumn columns[2];
		const struct ptRecorderGroup groups = { .device = device,
							.columns = columns,
							.count = 2 };
		const struct ptRemoteClock clock = { .tripCount = 0 };
		struct recordFiles *files = NULL;

		strcpy(one, rows[i].one);
		strcpy(two, rows[i].two);
		for (size_t k = 0; k < 2; k++)
			columns[k] = (struct ptRecorderColumn){
				.node = k ? two : one,
				.value = power,
				.line = empty,
				.unit = watts,
				.grouping = empty,
				.source = empty,
				.resolution = empty,
			};
		g_assert_cmpint(
			recordFilesCreate(&into, &groups, 1, &clock, &files),
			==, -EEXIST);
		g_assert_null(files);
		/* Nothing is left behind. */
		g_assert_cmpint(rmdir(place), ==, 0);
		g_free(project);
		g_free(place);
	}
}

int main(int argc, char **argv)
{
	int result;

	g_test_init(&argc, &argv, NULL);
	said = g_string_new(NULL);
	ptLogger.print = catchMessage;
	hdLogSetLevel(&ptLogger, HD_LOG_INFO);
	directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	path = g_build_filename(directory, "socket", NULL);
	g_assert_cmpint(ptRemoteParse(path, &setup.address), ==, 0);
	g_test_add_func("/client/addresses", testAddresses);
	g_test_add_func("/client/greetings", testGreetings);
	g_test_add_func("/client/list", testList);
	g_test_add_func("/client/lists, bad", testBadLists);
	g_test_add_func("/client/opens, bad", testBadOpens);
	g_test_add_func("/client/recorder", testRecorder);
	g_test_add_func("/client/streams, bad", testBadStreams);
	g_test_add_func("/client/clock", testClock);
	g_test_add_func("/client/integral", testIntegral);
	g_test_add_func("/client/screen", testScreen);
	g_test_add_func("/client/record/places", testRecordPlaces);
	result = g_test_run();
	g_unlink(path);
	g_rmdir(directory);
	g_string_free(said, TRUE);
	g_free(path);
	g_free(directory);
	return result;
}
