/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Both backends, on this system and under load, say the same.
 *
 * Other programs may do what they like meanwhile: the interval of one backend
 * always lies within that of the other, so its amounts are not greater.
 */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/backend/gtop.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "tests/lib/fixture.h"

#define MIB (1024 * 1024)

/* One source of one backend. */
struct side {
	const struct rutSource *kind;
	struct rutColumns columns;
	union hdCell *cells;
	void *state;
};

static gboolean sideOpen(struct side *side, const struct rutSource *kind,
			 const struct rutSetup *setup)
{
	*side = (struct side){ .kind = kind };
	if (kind->open(setup, &side->columns, &side->state) < 0) {
		rutColumnsTruncate(&side->columns, 0);
		return FALSE;
	}
	side->cells = g_new0(union hdCell, side->columns.count);
	return TRUE;
}

static void sideRead(struct side *side, enum rutWhy why)
{
	side->kind->read(side->state, why, side->cells);
}

static void sideClose(struct side *side)
{
	side->kind->close(side->state);
	rutColumnsTruncate(&side->columns, 0);
	g_free(side->cells);
}

static size_t find(const struct side *side, const char *name)
{
	for (size_t i = 0; i < side->columns.count; i++) {
		if (strcmp(side->columns.list[i].name, name) == 0)
			return i;
	}
	g_assert_not_reached();
}

/* The same values: names, types, units. */
static void assertSame(const struct side *a, const struct side *b)
{
	g_assert_cmpuint(a->columns.count, ==, b->columns.count);
	for (size_t i = 0; i < a->columns.count; i++) {
		const struct rutColumn *x = &a->columns.list[i];
		const struct rutColumn *y = &b->columns.list[find(b, x->name)];

		g_assert_cmpint(x->type, ==, y->type);
		g_assert_cmpstr(x->unit, ==, y->unit);
		g_assert_cmpstr(x->grouping, ==, y->grouping);
	}
}

/* Open the same source of both; skips the test where that is impossible. */
static gboolean openBoth(size_t index, struct side *outer, struct side *inner,
			 enum rutCpuSource cpuSource)
{
	struct rutSetup setup = { .root = "",
				  .intervalNs = 10000000,
				  .cpuSource = cpuSource };

	if (!rutGtopSources) {
		g_test_skip("built without libgtop");
		return FALSE;
	}
	RUTSRC_UNSET_ALL(setup.sources);
	RUTSRC_SET_ALL(setup.sources);
	setup.mountPoint = "/";
	if (!sideOpen(outer, rutLinuxSources[index], &setup)) {
		g_test_skip("not on this system");
		return FALSE;
	}
	if (!sideOpen(inner, rutGtopSources[index], &setup)) {
		sideClose(outer);
		g_test_skip("libgtop cannot, on this system");
		return FALSE;
	}
	assertSame(outer, inner);
	return TRUE;
}

static void *sendAll(void *data)
{
	int fd = *(int *)data;
	static char bytes[MIB];

	for (int i = 0; i < 16; i++)
		g_assert_cmpint(send(fd, bytes, sizeof(bytes), 0), ==,
				(ssize_t)sizeof(bytes));
	shutdown(fd, SHUT_WR);
	return NULL;
}

/* 16 MiB over the loopback interface. */
static void loadNetwork(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int out = socket(AF_INET, SOCK_STREAM, 0), in;
	static char bytes[65536];
	pthread_t thread;

	g_assert_cmpint(bind(listener, (struct sockaddr *)&address, length), ==,
			0);
	g_assert_cmpint(listen(listener, 1), ==, 0);
	getsockname(listener, (struct sockaddr *)&address, &length);
	g_assert_cmpint(connect(out, (struct sockaddr *)&address, length), ==,
			0);
	in = accept(listener, NULL, NULL);
	g_assert_cmpint(in, >=, 0);
	pthread_create(&thread, NULL, sendAll, &out);
	while (recv(in, bytes, sizeof(bytes), 0) > 0)
		;
	pthread_join(thread, NULL);
	close(in);
	close(out);
	close(listener);
}

static void testNetwork(void)
{
	struct side outer, inner;
	size_t in;

	if (!openBoth(2, &outer, &inner, RUT_CPU_BEST))
		return;
	sideRead(&outer, RUT_WHY_BEGIN);
	sideRead(&inner, RUT_WHY_BEGIN);
	loadNetwork();
	sideRead(&inner, RUT_WHY_SAMPLE);
	sideRead(&outer, RUT_WHY_SAMPLE);
	for (size_t i = 0; i < outer.columns.count; i++)
		g_assert_cmpint(
			inner.cells[find(&inner, outer.columns.list[i].name)].i,
			<=, outer.cells[i].i);
	in = find(&inner, "NET_IN_lo");
	g_assert_cmpint(inner.cells[in].i, >=, 16 * MIB);
	g_assert_cmpint(inner.cells[in].i, ==,
			inner.cells[find(&inner, "NET_OUT_lo")].i);
	g_assert_cmpint(inner.cells[find(&inner, "NET_IN")].i, >=,
			inner.cells[in].i);
	sideClose(&outer);
	sideClose(&inner);
}

/* 8 MiB to a disk, if this is one. */
static void testDisk(void)
{
	struct side outer, inner;
	char *root = fixtureCreate(), *bytes = g_malloc0(8 * MIB);
	char *file = g_build_filename(root, "data", NULL);
	int fd;

	if (openBoth(3, &outer, &inner, RUT_CPU_BEST)) {
		sideRead(&outer, RUT_WHY_BEGIN);
		sideRead(&inner, RUT_WHY_BEGIN);
		fd = open(file, O_WRONLY | O_CREAT, 0600);
		g_assert_cmpint(write(fd, bytes, 8 * MIB), ==, 8 * MIB);
		fsync(fd);
		close(fd);
		sideRead(&inner, RUT_WHY_SAMPLE);
		sideRead(&outer, RUT_WHY_SAMPLE);
		for (size_t i = 0; i < outer.columns.count; i++)
			g_assert_cmpint(inner.cells[i].i, <=, outer.cells[i].i);
		sideClose(&outer);
		sideClose(&inner);
	}
	g_free(file);
	g_free(bytes);
	fixtureRemove(root);
}

/* What libgtop says lies between what we say before and after, or nearly. */
static void testMemory(void)
{
	struct side outer, inner;

	if (!openBoth(1, &outer, &inner, RUT_CPU_BEST))
		return;
	for (int round = 0; round < 20; round++) {
		int64_t before[8], total;

		sideRead(&outer, RUT_WHY_SAMPLE);
		for (size_t i = 0; i < outer.columns.count; i++)
			before[i] = outer.cells[i].i;
		sideRead(&inner, RUT_WHY_SAMPLE);
		sideRead(&outer, RUT_WHY_SAMPLE);
		total = outer.cells[0].i + outer.cells[1].i;
		g_assert_cmpint(inner.cells[0].i + inner.cells[1].i, ==, total);
		for (size_t i = 0; i < outer.columns.count; i++) {
			int64_t low = MIN(before[i], outer.cells[i].i);
			int64_t high = MAX(before[i], outer.cells[i].i);

			g_test_message("%s", outer.columns.list[i].name);
			g_assert_cmpint(inner.cells[i].i, >=, low - total / 50);
			g_assert_cmpint(inner.cells[i].i, <=,
					high + total / 50);
		}
	}
	sideClose(&outer);
	sideClose(&inner);
}

static void *burn(void *data)
{
	volatile bool *isEnding = data;

	while (!__atomic_load_n(isEnding, __ATOMIC_RELAXED))
		;
	return NULL;
}

/* The same ticks over nearly the same time. */
static void testCpu(void)
{
	struct side outer, inner;
	bool isEnding = false;
	pthread_t thread;

	if (!openBoth(0, &outer, &inner, RUT_CPU_STAT))
		return;
	pthread_create(&thread, NULL, burn, &isEnding);
	sideRead(&outer, RUT_WHY_BEGIN);
	sideRead(&inner, RUT_WHY_BEGIN);
	g_usleep(1000000);
	sideRead(&inner, RUT_WHY_SAMPLE);
	sideRead(&outer, RUT_WHY_SAMPLE);
	__atomic_store_n(&isEnding, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	/* A tick at either end, and what lies between the two readings. */
	for (size_t i = 0; i < outer.columns.count; i++)
		g_assert_cmpfloat(fabsf(outer.cells[i].f - inner.cells[i].f),
				  <=, 10);
	sideClose(&outer);
	sideClose(&inner);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
	g_test_add_func("/rut/backends/memory", testMemory);
	g_test_add_func("/rut/backends/network", testNetwork);
	g_test_add_func("/rut/backends/disk", testDisk);
	g_test_add_func("/rut/backends/cpu", testCpu);
	return g_test_run();
}
