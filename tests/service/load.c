/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many clients of a power service for some time: "load SECONDS CLIENTS PT".
 *
 * Starts PT with a device of 32 lines at 1 kHz. Each client has four counters
 * of pmlib, three of them aggregate, that record five seconds, are read, and
 * begin again; two clients stream with times. Meanwhile somebody asks every 20
 * ms for the time. Prints TAP: no sample is lost, memory does not grow, and
 * nobody who asks waits for more than 100 ms.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "common/clock.h"
#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

#define LINES 32
#define COUNTERS 4
#define ROUND_S 5
/* What the answer may be late by, in samples: requests are on their way while
 * the meter goes on. Each bracket is measured beside it. */
#define PATIENCE_MS 100

static struct scene where; /* Only its port. */
static GArray *latencies;
static volatile gboolean isOver;

/* ---- The service ------------------------------------------------------- */

static pid_t start(const char *pt, char *directory)
{
	g_autofree char *path = g_build_filename(directory, "load.cfg", NULL);
	g_autofree char *log = g_build_filename(directory, "log", NULL);
	g_autoptr(GString) text = g_string_new(
		"[Server]\nlisten=127.0.0.1:0\nmemory=2048\n"
		"clientMemory=64\n[Device]\nname=Load\ndriver=sim\ncycle=1\n");
	pid_t child;

	for (int i = 0; i < LINES; i++)
		g_string_append_printf(text,
				       "[Line]\ndevice=Load\nnode=n%d\n"
				       "channel=c%d\n",
				       i % 8, i);
	g_assert_true(g_file_set_contents(path, text->str, -1, NULL));
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		g_assert_nonnull(freopen(log, "w", stderr));
		g_setenv("PT_VERBOSITY", "2", TRUE);
		execl(pt, pt, "-c", path, NULL);
		_exit(127);
	}
	while (where.port == 0) {
		g_autofree char *said = NULL;
		const char *at;

		g_usleep(20000);
		g_assert_cmpint(waitpid(child, NULL, WNOHANG), ==, 0);
		if (!g_file_get_contents(log, &said, NULL, NULL))
			continue;
		at = strstr(said, "serving at 127.0.0.1:");
		if (at)
			where.port = atoi(at + 21);
	}
	return child;
}

static void removeAll(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, "load.cfg", NULL);
	g_autofree char *log = g_build_filename(directory, "log", NULL);

	g_unlink(path);
	g_unlink(log);
	g_rmdir(directory);
}

static long residentKb(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
	g_autofree char *text = NULL;
	const char *at;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	at = strstr(text, "VmRSS:");
	return at ? atol(at + 6) : 0;
}

/* ---- Somebody who asks ------------------------------------------------- */

static gpointer askTime(gpointer unused)
{
	struct native *native = nativeOpen(peerOpen(&where));
	const struct hdFramePing ping = { 1 };

	(void)unused;
	while (!isOver) {
		int64_t began = hdMonotonicNow();
		double ms;

		nativeAwait(native, PT_WIRE_PONG,
			    nativeAsk(native, PT_WIRE_PING, &ping));
		ms = (double)(hdMonotonicNow() - began) / 1e6;
		g_array_append_val(latencies, ms);
		g_usleep(20000);
	}
	nativeClose(native);
	return NULL;
}

/* ---- Counters ---------------------------------------------------------- */

struct counter {
	int fd;
	bool isAggregate;
	uint64_t before, after; /* Readings of the device around START. */
	uint64_t samples;       /* Of all rounds. */
};

/* How many readings the device has had. */
static uint64_t readings(struct native *native)
{
	struct hdFrameHeader header;
	union ptWireAnswer any;
	uint64_t count = 0;

	nativeAsk(native, PT_WIRE_LIST, NULL);
	do {
		nativeNext(native, &header, &any);
		if (header.type == PT_WIRE_DEVICE)
			count = any.device.readings;
	} while (header.type != PT_WIRE_LIST_END);
	return count;
}

/* Sets that differ by one reading from what the device had meanwhile: one was
 * read and not counted yet, or the other way around. */
static unsigned int atBorder;

/* Read what a counter has, and tell whether it is as much as must be. */
static bool counterRead(struct counter *c, uint64_t before, uint64_t after)
{
	g_autofree char *bytes = g_malloc(1 << 20);
	int32_t values = peerAsk(c->fd, 4), head[4];
	uint64_t count, least = before - c->after, most = after - c->before;
	size_t left;

	if (values < 0)
		return false;
	peerReceive(c->fd, head, sizeof(head));
	for (left = 8 * (size_t)values; left > 0;) {
		ssize_t got =
			recv(c->fd, bytes, left < 1 << 20 ? left : 1 << 20, 0);

		g_assert_cmpint(got, >, 0);
		left -= (size_t)got;
	}
	count = (uint64_t)values / (c->isAggregate ? 1 : LINES);
	c->samples += count;
	if (count + 1 == least || count == most + 1) {
		atBorder++;
		return true;
	}
	if (count < least || count > most)
		printf("# %lu samples, not %lu to %lu\n", (unsigned long)count,
		       (unsigned long)least, (unsigned long)most);
	return count >= least && count <= most;
}

static bool oneRound(struct counter *counters, size_t count,
		     struct native *native)
{
	bool isGood = true;

	for (size_t i = 0; i < count; i++) {
		counters[i].before = readings(native);
		isGood = peerAsk(counters[i].fd, 1) == 0 && isGood;
		counters[i].after = readings(native);
	}
	g_usleep(ROUND_S * 1000000);
	for (size_t i = 0; i < count; i++) {
		uint64_t before = readings(native), after;

		isGood = peerAsk(counters[i].fd, 3) == 0 && isGood;
		after = readings(native);
		isGood = counterRead(&counters[i], before, after) && isGood;
	}
	return isGood;
}

/* ---- All --------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void result(int number, bool isGood, const char *what)
{
	printf("%sok %d - %s\n", isGood ? "" : "not ", number, what);
}

/* Streams that record all the time: nothing is missing between readings. */
static bool streamEnd(struct native *native, struct nativeStream *stream)
{
	struct nativeRecording *r;
	uint64_t count = 0, dropped;

	nativeStop(native, stream);
	r = nativeRecorded(native, stream);
	count = r->groups[0].total.readings;
	dropped = r->groups[0].total.dropped;
	printf("# a stream: %lu readings, %zu sent, %lu dropped\n",
	       (unsigned long)count, r->groups[0].count,
	       (unsigned long)dropped);
	/* With every = 10 at 100 Hz. */
	return dropped == 0 && r->groups[0].lossCount == 0 &&
	       r->groups[0].count >= count / 10;
}

static void allowFiles(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	int seconds = argc > 3 ? atoi(argv[1]) : 0;
	size_t count = argc > 3 ? (size_t)atoi(argv[2]) * COUNTERS : 0;
	g_autofree char *directory =
		g_dir_make_tmp("hdtrace-load-XXXXXX", NULL);
	g_autofree struct counter *counters = g_new0(struct counter, count + 1);
	struct native *native, *streaming;
	struct nativeStream stream;
	long first = 0, last = 0;
	uint64_t samples = 0, rounds = 0;
	bool isGood = true, isFlat;
	int64_t until;
	GThread *asking;
	pid_t pid;

	g_assert_cmpint(argc, ==, 4);
	setlinebuf(stdout);
	allowFiles();
	pid = start(argv[3], directory);
	native = nativeOpen(peerOpen(&where));
	streaming = nativeOpen(peerOpen(&where));
	nativeOpenStream(streaming, PT_WIRE_KEEP, 100, 0, "- n0 - -", &stream);
	for (size_t i = 0; i < count; i++) {
		counters[i].fd = peerOpen(&where);
		counters[i].isAggregate = i % COUNTERS != 0;
		g_assert_cmpint(peerCreate(counters[i].fd, "Load", 0,
					   counters[i].isAggregate, "00"),
				==, 0);
	}
	latencies = g_array_new(FALSE, FALSE, sizeof(double));
	asking = g_thread_new("asking", askTime, NULL);
	until = hdMonotonicNow() + seconds * SECOND;
	do {
		rounds++;
		nativeStart(streaming, &stream);
		isGood = oneRound(counters, count, native) && isGood;
		isGood = streamEnd(streaming, &stream) && isGood;
		last = residentKb(pid);
		/* The first round finds out what is needed. */
		if (first == 0)
			first = last;
		printf("# %ld kB\n", last);
	} while (hdMonotonicNow() < until);
	isOver = TRUE;
	g_thread_join(asking);
	for (size_t i = 0; i < count; i++) {
		samples += counters[i].samples;
		close(counters[i].fd);
	}
	qsort(latencies->data, latencies->len, sizeof(double), compare);
	/* Hardly ever: what is lost again and again is lost. */
	isGood = isGood && atBorder <= 1 + rounds * count / 1000;
	isFlat = last <= first + first / 4 + 16384;
	printf("# %u of %lu sets differ by a reading that was being made\n",
	       atBorder, (unsigned long)(rounds * count));
	printf("# %lu samples of %zu counters; answers: median %.3f ms, "
	       "p99 %.3f ms, max %.3f ms of %u\n",
	       (unsigned long)samples, count,
	       g_array_index(latencies, double, latencies->len / 2),
	       g_array_index(latencies, double, latencies->len * 99 / 100),
	       g_array_index(latencies, double, latencies->len - 1),
	       latencies->len);
	printf("1..3\n");
	result(1, isGood, "no sample is lost");
	result(2, isFlat, "memory does not grow");
	result(3,
	       g_array_index(latencies, double, latencies->len - 1) <=
		       PATIENCE_MS,
	       "nobody waits for more than 100 ms");
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	removeAll(directory);
	return isGood && isFlat ? 0 : 1;
}
