/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Every source over trees that stand for /proc and /sys. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/gpu.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "ResourcesUtilizationTracingLibrary/src/core/worker.h"
#include "common/clock.h"
#include "common/perf.h"
#include "tests/lib/fixture.h"
#include "tests/lib/testlib.h"

/* A source in use, with its cells. */
struct used {
	const struct rutSource *kind;
	struct rutColumns columns;
	union hdCell *cells;
	void *state;
};

static int usedOpen(struct used *used, const struct rutSource *kind,
		    const struct rutSetup *setup)
{
	int ret;

	*used = (struct used){ .kind = kind };
	ret = kind->open(setup, &used->columns, &used->state);
	if (ret < 0)
		rutColumnsTruncate(&used->columns, 0);
	else
		used->cells = g_new0(union hdCell, used->columns.count + 1);
	return ret;
}

static void usedRead(struct used *used, enum rutWhy why)
{
	/* The cell behind the last one must stay. */
	used->cells[used->columns.count].i = 4711;
	used->kind->read(used->state, why, used->cells);
	g_assert_cmpint(used->cells[used->columns.count].i, ==, 4711);
}

static void usedClose(struct used *used)
{
	used->kind->close(used->state);
	rutColumnsTruncate(&used->columns, 0);
	g_free(used->cells);
}

/* Names and integer values: "A=1 B=2". */
static char *usedText(const struct used *used)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < used->columns.count; i++) {
		const struct rutColumn *column = &used->columns.list[i];

		if (column->type == INT64)
			g_string_append_printf(text, "%s%s=%lld", i ? " " : "",
					       column->name,
					       (long long)used->cells[i].i);
		else
			g_string_append_printf(
				text, "%s%s=%.0f", i ? " " : "", column->name,
				hdCellNumber(column->type, used->cells[i]));
	}
	return g_string_free(text, FALSE);
}

static void usedExpect(const struct used *used, const char *expected)
{
	char *text = usedText(used);

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static struct rutSetup setupOf(const char *root)
{
	struct rutSetup setup = { .root = root, .intervalNs = 10000000 };

	RUTSRC_SET_ALL(setup.sources);
	RUTSRC_SET_MORE(setup.sources);
	return setup;
}

/* Reads that give one byte, or three, or fail now and then. */
static int readBytes, readFailures;

static ssize_t readShort(int fd, void *bytes, size_t count, off_t offset)
{
	if (readFailures > 0 && --readFailures == 0) {
		errno = EIO;
		return -1;
	}
	if (readFailures > 0 && readFailures % 2) {
		errno = EINTR;
		return -1;
	}
	return pread(fd, bytes,
		     readBytes && count > (size_t)readBytes ? (size_t)readBytes
							    : count,
		     offset);
}

/* Memory. */

static void testMemory(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *values;
	} cases[] = {
		{ "MemTotal: 100 kB\nMemFree: 40 kB\nMemAvailable: 60 kB\n"
		  "Buffers: 5 kB\nCached: 20 kB\nSwapCached: 9 kB\n"
		  "Shmem: 3 kB\nSReclaimable: 2 kB\nSUnreclaim: 1 kB\n",
		  0,
		  "MEM_USED=61440 MEM_FREE=40960 MEM_SHARED=3072 "
		  "MEM_BUFFER=5120 MEM_CACHED=22528" },
		/* Another order, and an old kernel. */
		{ "Cached: 20 kB\nMemFree:40 kB\nMemTotal:\t100 kB\n", 0,
		  "MEM_USED=61440 MEM_FREE=40960 MEM_SHARED=0 MEM_BUFFER=0 "
		  "MEM_CACHED=20480" },
		{ "MemTotal: 100 kB\n", -EINVAL, NULL },
		{ "MemTotal: x kB\nMemFree: 1 kB\n", -EINVAL, NULL },
		{ "MemTotal: 99999999999999999999 kB\nMemFree: 1 kB\n", -EINVAL,
		  NULL },
		{ "MemTotal: 18014398509481984 kB\nMemFree: 1 kB\n", -EINVAL,
		  NULL },
		{ "", -EINVAL, NULL },
		{ "garbage", -EINVAL, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate();
		struct rutSetup setup = setupOf(root);
		struct used used;

		g_test_message("%s", cases[i].text);
		fixtureWrite(root, "/proc/meminfo", "%s", cases[i].text);
		g_assert_cmpint(usedOpen(&used, &rutMemorySource, &setup), ==,
				cases[i].ret);
		if (cases[i].ret == 0) {
			usedRead(&used, RUT_WHY_BEGIN);
			usedRead(&used, RUT_WHY_SAMPLE);
			usedExpect(&used, cases[i].values);
			/* Garbage later: no values. */
			fixtureWrite(root, "/proc/meminfo", "MemTotal: x\n");
			usedRead(&used, RUT_WHY_SAMPLE);
			for (size_t k = 0; k < used.columns.count; k++)
				g_assert_cmpint(used.cells[k].i, ==,
						HD_CELL_MISSING);
			usedClose(&used);
		}
		fixtureRemove(root);
	}
}

/* Network. */

#define NET_HEAD                                                               \
	"Inter-|   Receive                                                |  " \
	"Transmit\n"                                                           \
	" face |bytes    packets errs drop fifo frame compressed "             \
	"multicast|bytes    packets errs drop fifo colls carrier "             \
	"compressed\n"

static void netLine(GString *text, const char *name, guint64 in, guint64 out)
{
	g_string_append_printf(text,
			       "%6s:%" G_GUINT64_FORMAT
			       " 1 2 3 0 0 0 0 %" G_GUINT64_FORMAT
			       " 4 5 6 0 0 0 0\n",
			       name, in, out);
}

static void netWrite(const char *root, GString *text)
{
	fixtureWrite(root, "/proc/net/dev", "%s", text->str);
	g_string_free(text, TRUE);
}

/* The last four columns: EXT and all, in and out. */
static void netExpectSums(const struct used *used, int64_t inExternal,
			  int64_t outExternal, int64_t in, int64_t out)
{
	const union hdCell *cells = used->cells + used->columns.count - 4;

	g_assert_cmpint(cells[0].i, ==, inExternal);
	g_assert_cmpint(cells[1].i, ==, outExternal);
	g_assert_cmpint(cells[2].i, ==, in);
	g_assert_cmpint(cells[3].i, ==, out);
}

static void testNetwork(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	GString *text = g_string_new(NET_HEAD);
	struct used used;

	/* A bond of two, a VLAN and a bridge upon it, a container's veth. */
	fixtureWrite(root, "/sys/class/net/eth0/device/vendor", "1\n");
	fixtureWrite(root, "/sys/class/net/eth1/device/vendor", "1\n");
	fixtureWrite(root, "/sys/class/net/bond0/bonding/mode", "1\n");
	fixtureWrite(root, "/sys/class/net/vlan5/lower_bond0/x", "1\n");
	fixtureWrite(root, "/sys/class/net/br0/bridge/x", "1\n");
	fixtureWrite(root, "/sys/class/net/veth1/iflink", "9\n");
	for (int i = 0; i < 7; i++) {
		static const char *const names[] = { "lo",    "eth0",  "eth1",
						     "bond0", "vlan5", "br0",
						     "veth1" };

		netLine(text, names[i], 1000, 1000);
	}
	netWrite(root, text);
	g_assert_cmpint(usedOpen(&used, &rutNetworkSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);

	text = g_string_new(NET_HEAD);
	netLine(text, "lo", 1001, 1001);
	netLine(text, "eth0", 1010, 1020);
	netLine(text, "eth1", 1100, 1200);
	netLine(text, "bond0", 1110, 1220);
	netLine(text, "vlan5", 1110, 1220);
	netLine(text, "br0", 2000, 2000);
	netLine(text, "veth1", 1500, 1500);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "NET_IN_lo=1 NET_OUT_lo=1 NET_IN_eth0=10 "
			  "NET_OUT_eth0=20 NET_IN_eth1=100 NET_OUT_eth1=200 "
			  "NET_IN_bond0=110 NET_OUT_bond0=220 NET_IN_vlan5=110 "
			  "NET_OUT_vlan5=220 NET_IN_br0=1000 NET_OUT_br0=1000 "
			  "NET_IN_veth1=500 NET_OUT_veth1=500 NET_IN_EXT=110 "
			  "NET_OUT_EXT=220 NET_IN=1831 NET_OUT=2161");

	/* eth0 is beyond 32 bits; the others are gone; a new one comes; in
	 * between there was a look at the counters. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4294967290, 1020);
	netLine(text, "wlan0", 70, 7);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_FOLLOW);
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4294967300, 1030);
	netLine(text, "wlan0", 77, 8);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[0].i, ==, HD_CELL_MISSING);
	g_assert_cmpint(used.cells[2].i, ==, 4294966290);
	g_assert_cmpint(used.cells[4].i, ==, HD_CELL_MISSING);
	/* The sums have what is known; what wlan0 had counted before is not. */
	netExpectSums(&used, 4294966290, 10, 4294966290, 10);

	/* One comes again: its first value is a base. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4294967301, 1030);
	netLine(text, "eth1", 3, 2);
	netLine(text, "wlan0", 80, 8);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[4].i, ==, HD_CELL_MISSING);
	netExpectSums(&used, 1, 0, 4, 0);
	/* One counts from zero, as it was added again. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4, 1030);
	netLine(text, "eth1", 5, 2);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[2].i, ==, HD_CELL_MISSING);
	g_assert_cmpint(used.cells[4].i, ==, 2);
	/* A pause; then garbage and nothing. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 5000, 5000);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_BEGIN);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[2].i, ==, 0);
	fixtureWrite(root, "/proc/net/dev", "eth0: 1 2 3\n:::\nx: 1\n \n");
	usedRead(&used, RUT_WHY_SAMPLE);
	fixtureWrite(root, "/proc/net/dev", "%s", "");
	usedRead(&used, RUT_WHY_SAMPLE);
	for (size_t i = 0; i + 4 < used.columns.count; i++)
		g_assert_cmpint(used.cells[i].i, ==, HD_CELL_MISSING);
	usedClose(&used);
	fixtureRemove(root);
}

/* Another interface gets the name of one that went away between two looks. */
static void testNetworkIdentity(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	GString *text = g_string_new(NET_HEAD);
	struct used used;

	fixtureWrite(root, "/sys/class/net/eth0/ifindex", "2\n");
	netLine(text, "eth0", 1000, 1000);
	netWrite(root, text);
	g_assert_cmpint(usedOpen(&used, &rutNetworkSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureWrite(root, "/sys/class/net/eth0/ifindex", "7\n");
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 100000000, 100000000);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[0].i, ==, HD_CELL_MISSING);
	netExpectSums(&used, 0, 0, 0, 0);
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 100000005, 100000006);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[0].i, ==, 5);
	usedClose(&used);
	fixtureRemove(root);
}

/* In a container there is no hardware; its end of a veth pair is external. */
static void testNetworkContainer(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	GString *text = g_string_new(NET_HEAD);
	struct used used;

	fixtureWrite(root, "/sys/class/net/eth0/iflink", "9\n");
	fixtureWrite(root, "/sys/class/net/docker0/bridge/x", "9\n");
	fixtureWrite(root, "/sys/class/net/veth2/master/x", "9\n");
	netLine(text, "lo", 0, 0);
	netLine(text, "eth0", 0, 0);
	netLine(text, "docker0", 0, 0);
	netLine(text, "veth2", 0, 0);
	netWrite(root, text);
	memset(&setup.sources, 0, sizeof(setup.sources));
	setup.sources.NET_IN_EXT = 1;
	g_assert_cmpint(usedOpen(&used, &rutNetworkSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	text = g_string_new(NET_HEAD);
	netLine(text, "lo", 1, 0);
	netLine(text, "eth0", 10, 0);
	netLine(text, "docker0", 100, 0);
	netLine(text, "veth2", 1000, 0);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "NET_IN_EXT=10");
	usedClose(&used);
	fixtureRemove(root);
}

static void testPackets(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/proc/net/dev",
		     NET_HEAD "  eth0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
	g_assert_cmpint(usedOpen(&used, &rutPacketsSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureWrite(root, "/proc/net/dev",
		     NET_HEAD
		     "  eth0: 1 12 23 34 0 0 0 0 5 46 57 68 0 0 0 0\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "NET_PACKETS_IN_eth0=10 NET_PACKETS_OUT_eth0=40 "
			  "NET_ERRORS_IN_eth0=20 NET_ERRORS_OUT_eth0=50 "
			  "NET_DROPS_IN_eth0=30 NET_DROPS_OUT_eth0=60");
	usedClose(&used);
	fixtureRemove(root);
}

static void testCounter(void)
{
	static const struct {
		uint64_t old, new;
		int64_t amount;
		bool is32;
	} cases[] = {
		{ 5, 5, 0, false },
		{ 5, 9, 4, false },
		/* A wrap where the width is known, and nowhere else. */
		{ UINT32_MAX, 0, 1, true },
		{ UINT32_MAX - 9, 10, 20, true },
		{ UINT32_MAX, 0, HD_CELL_MISSING, false },
		{ UINT64_MAX, 4, 5, false },
		/* A reset. */
		{ 1000, 10, HD_CELL_MISSING, false },
		{ 1000, 10, HD_CELL_MISSING, true },
		{ UINT64_C(1) << 31, 10, HD_CELL_MISSING, true },
		{ (uint64_t)UINT32_MAX + 2, 10, HD_CELL_MISSING, true },
		{ UINT32_MAX, UINT64_C(1) << 33,
		  (INT64_C(1) << 33) - UINT32_MAX, false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdCounter counter = { 0 };
		const struct hdCounterLaw law = {
			.span = cases[i].is32 ? (uint64_t)UINT32_MAX + 1 : 0
		};

		hdCounterBegin(&counter, cases[i].old, 0);
		hdCounterFollow(&counter, &law, cases[i].new, 0);
		g_assert_cmpint(rutCounterTake(&counter, 1), ==,
				cases[i].amount);
		/* What comes then is known again. */
		hdCounterFollow(&counter, &law, cases[i].new + 3, 0);
		g_assert_cmpint(rutCounterTake(&counter, 1), ==, 3);
	}
	/* Absurd amounts are bounded, also in another unit. */
	for (int64_t unit = 1; unit <= 1000000; unit *= 1000) {
		struct hdCounter counter = { .sum = UINT64_MAX,
					     .isBased = true };

		g_assert_cmpint(rutCounterTake(&counter, unit), ==,
				RUT_AMOUNT_MAX);
		counter.sum += 7;
		g_assert_cmpint(rutCounterTake(&counter, unit), ==, 7 * unit);
	}
}

/* One that cannot be read has no value until it has been read twice. */
static void testCounterLost(void)
{
	const struct hdCounterLaw law = { 0 };
	struct hdCounter counter = { 0 };

	hdCounterBegin(&counter, 100, 0);
	hdCounterFollow(&counter, &law, 110, 0);
	hdCounterLose(&counter);
	g_assert_cmpint(rutCounterTake(&counter, 1), ==, HD_CELL_MISSING);
	hdCounterLose(&counter);
	g_assert_cmpint(rutCounterTake(&counter, 1), ==, HD_CELL_MISSING);
	hdCounterFollow(&counter, &law, 500, 0);
	hdCounterFollow(&counter, &law, 510, 0);
	g_assert_cmpint(rutCounterTake(&counter, 1), ==, HD_CELL_MISSING);
	hdCounterFollow(&counter, &law, 512, 0);
	g_assert_cmpint(rutCounterTake(&counter, 1), ==, 2);
}

/* Counters that follow a law, with errors, other hardware under the same name,
 * resets and wraps: an amount is that of the law, or there is none. */
static void testCounterLaw(void)
{
	for (guint32 seed = 0; seed < 1000; seed++) {
		GRand *chance = g_rand_new_with_seed(seed);
		struct hdCounter counter = { 0 };
		const struct hdCounterLaw law = {
			.span = seed % 2 ? (uint64_t)UINT32_MAX + 1 : 0
		};
		uint64_t mask = seed % 2 ? UINT32_MAX : UINT64_MAX;
		uint64_t shown =
			mask - (uint64_t)g_rand_int_range(chance, 0, 5000000);
		int64_t gained = 0, known = 0, missing = 0;

		hdCounterBegin(&counter, shown, 0);
		for (int i = 0; i < 100; i++) {
			int64_t gain = g_rand_int_range(chance, 0, 200000);
			int event = g_rand_int_range(chance, 0, 20);
			int64_t amount;

			shown = (shown + (uint64_t)gain) & mask;
			gained += gain;
			if (event == 0) {
				/* It cannot be read. */
				hdCounterLose(&counter);
			} else if (event == 1) {
				/* Another one, which may be ahead. */
				shown = g_rand_int(chance);
				hdCounterLose(&counter);
				hdCounterFollow(&counter, &law, shown, 0);
			} else {
				hdCounterFollow(&counter, &law, shown, 0);
			}
			if (g_rand_boolean(chance))
				continue;
			amount = rutCounterTake(&counter, 1);
			if (amount != HD_CELL_MISSING) {
				g_assert_cmpint(amount, ==, gained);
				known++;
			} else {
				missing++;
			}
			gained = 0;
		}
		g_assert_cmpint(known, >, missing);
		g_rand_free(chance);
	}
}

/* Disks. */

static void diskWrite(const char *root, const char *path, int sectors)
{
	fixtureWrite(root, path, "%8d 0 %8d 0 %8d 0 %8d 0 %8d %8d 0\n",
		     sectors / 8, sectors, sectors / 8, 2 * sectors, 3,
		     sectors);
}

/* From mount points to devices; all stat files of the tree are listed with
 * the number that tells them apart. */
static void testMounts(void)
{
	static const char mountinfo[] =
		"22 27 0:21 / /proc rw - proc proc rw\n"
		"27 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
		"28 27 253:0 / /home rw - xfs /dev/mapper/vg-home rw\n"
		"29 27 7:1 / /loop\\040mount rw - ext4 /dev/loop1 rw\n"
		"30 27 0:44 /root /btr rw shared:7 master:3 - btrfs "
		"/dev/mapper/two rw,space_cache\n"
		"31 27 0:45 / /one rw - btrfs /dev/sdz rw\n"
		"32 27 0:50 / /over rw - overlay overlay "
		"rw,lowerdir=/home/a:/b,upperdir=/home/up,workdir=/home/w\n"
		"33 27 0:51 / /over2 rw - overlay overlay "
		"rw,lowerdir=/a,upperdir=/over/up,workdir=/over/w\n"
		"34 27 0:52 / /ro rw - overlay overlay rw,lowerdir=/a\n"
		"35 27 0:60 / /nfs rw - nfs4 server:/x rw\n"
		"36 27 0:61 / /tmp rw - tmpfs tmpfs rw\n"
		"37 36 8:3 / /tmp rw - ext4 /dev/sda3 rw\n"
		"38 27 9:9 / /gone rw - ext4 /dev/md9 rw\n"
		"garbage\n\n39 27\n40 27 8:4 / /cut rw - ext4";
	static const struct {
		const char *point;
		int ret;
		int kib; /* Read. */
	} cases[] = {
		{ "/", 0, 2 },
		{ "/home", 0, 3 },
		{ "/home/", 0, 3 },
		{ "/loop mount", 0, 4 },
		{ "/btr", 0, 5 + 6 },
		{ "/one", 0, 7 },
		{ "/over", 0, 3 },
		{ "/over2", 0, 3 },
		{ "/tmp", 0, 8 },
		{ "/ro", -ENODEV, 0 },
		{ "/nfs", -ENODEV, 0 },
		{ "/gone", -ENODEV, 0 },
		{ "/nowhere", -ENODEV, 0 },
		{ "/home/user", -ENODEV, 0 },
		{ "/cut", -ENODEV, 0 },
		{ "", -ENODEV, 0 },
		{ "home", -ENODEV, 0 },
	};
	static const struct {
		const char *path;
		int kib;
	} devices[] = {
		{ "/sys/dev/block/8:2/stat", 2 },
		{ "/sys/dev/block/253:0/stat", 3 },
		{ "/sys/dev/block/7:1/stat", 4 },
		{ "/sys/class/block/dm-1/stat", 5 },
		{ "/sys/class/block/sdb/stat", 6 },
		{ "/sys/class/block/sdz/stat", 7 },
		{ "/sys/dev/block/8:3/stat", 8 },
	};
	char *root = fixtureCreate();

	fixtureWrite(root, "/proc/self/mountinfo", "%s", mountinfo);
	fixtureLink(root, "/dev/mapper/two", "../dm-1");
	fixtureWrite(root, "/sys/fs/btrfs/features/x", "1\n");
	fixtureWrite(root, "/sys/fs/btrfs/1-2-3/devices/dm-1/x", "1\n");
	fixtureWrite(root, "/sys/fs/btrfs/1-2-3/devices/sdb/x", "1\n");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct rutSetup setup = setupOf(root);
		struct used used;

		g_test_message("%s", cases[i].point);
		for (size_t j = 0; j < G_N_ELEMENTS(devices); j++)
			diskWrite(root, devices[j].path, 0);
		setup.mountPoint = cases[i].point;
		g_assert_cmpint(usedOpen(&used, &rutDiskSource, &setup), ==,
				cases[i].ret);
		if (cases[i].ret < 0)
			continue;
		usedRead(&used, RUT_WHY_BEGIN);
		for (size_t j = 0; j < G_N_ELEMENTS(devices); j++)
			diskWrite(root, devices[j].path, 2 * devices[j].kib);
		usedRead(&used, RUT_WHY_SAMPLE);
		g_assert_cmpint(used.cells[0].i, ==, 1024 * cases[i].kib);
		g_assert_cmpint(used.cells[1].i, ==, 2048 * cases[i].kib);
		usedClose(&used);
	}
	fixtureRemove(root);
}

/* Without a mount point: all disks, each byte once. */
static void testDisks(void)
{
	static const char *const names[] = { "sda",  "nvme0n1", "nvme0c0n1",
					     "dm-0", "loop0",   "loop1",
					     "zram0" };
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used disks, devices;

	g_assert_cmpint(usedOpen(&disks, &rutDiskSource, &setup), ==, -ENOENT);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_strconcat("/sys/class/block/", names[i], "/stat",
					 NULL);
		char *block =
			g_strconcat("/sys/block/", names[i], "/size", NULL);

		diskWrite(root, path, 0);
		fixtureWrite(root, block, "1\n");
		g_free(path);
		g_free(block);
	}
	fixtureWrite(root, "/sys/block/sda/device/x", "1\n");
	fixtureWrite(root, "/sys/block/nvme0n1/device/x", "1\n");
	fixtureWrite(root, "/sys/block/nvme0n1/hidden", "0\n");
	fixtureWrite(root, "/sys/block/nvme0c0n1/device/x", "1\n");
	fixtureWrite(root, "/sys/block/nvme0c0n1/hidden", "1\n");
	fixtureWrite(root, "/sys/block/dm-0/dm/name", "x\n");
	fixtureWrite(root, "/sys/block/loop1/loop/backing_file", "/x\n");
	g_assert_cmpint(usedOpen(&disks, &rutDiskSource, &setup), ==, 0);
	g_assert_cmpint(usedOpen(&devices, &rutDevicesSource, &setup), ==, 0);
	g_assert_cmpuint(devices.columns.count, ==, 4 * 6);
	usedRead(&disks, RUT_WHY_BEGIN);
	usedRead(&devices, RUT_WHY_BEGIN);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_strconcat("/sys/class/block/", names[i], "/stat",
					 NULL);

		diskWrite(root, path, 16 << (2 * i));
		g_free(path);
	}
	usedRead(&disks, RUT_WHY_SAMPLE);
	usedRead(&devices, RUT_WHY_SAMPLE);
	usedExpect(&disks, "HDD_READ=40960 HDD_WRITE=81920");
	/* By name: dm-0 first. Busy for longer than the time that passed. */
	g_assert_cmpstr(devices.columns.list[0].name, ==, "HDD_READ_OPS_dm-0");
	g_assert_cmpint(devices.cells[0].i, ==, 128);
	g_assert_cmpint(devices.cells[2].i, ==, 1024 * 512);
	g_assert_cmpint(devices.cells[3].i, ==, 2048 * 512);
	g_assert_cmpfloat(devices.cells[4].f, ==, 100);
	g_assert_cmpint(devices.cells[5].i, ==, 3);
	/* Garbage: what a sum lacks is not known. */
	fixtureWrite(root, "/sys/class/block/sda/stat", "1 2 x\n");
	usedRead(&disks, RUT_WHY_SAMPLE);
	g_assert_cmpint(disks.cells[0].i, ==, HD_CELL_MISSING);
	g_assert_cmpint(disks.cells[1].i, ==, HD_CELL_MISSING);
	usedClose(&disks);
	usedClose(&devices);
	fixtureRemove(root);
}

/* A disk that goes and comes back counts from then on. */
static void testDiskAway(void)
{
	static const char path[] = "/sys/class/block/sda/stat";
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/sys/block/sda/device/x", "1\n");
	diskWrite(root, path, 1000);
	g_assert_cmpint(usedOpen(&used, &rutDevicesSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureDelete(root, path);
	rutFilePread = readShort;
	for (int i = 0; i < 2; i++) {
		readFailures = 1;
		usedRead(&used, RUT_WHY_SAMPLE);
		for (size_t k = 0; k < used.columns.count; k++)
			g_assert_cmpint(
				isnan(hdCellNumber(used.columns.list[k].type,
						   used.cells[k])),
				!=, 0);
	}
	readFailures = 0;
	diskWrite(root, path, 16);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[0].i, ==, HD_CELL_MISSING);
	g_assert_cmpint(used.cells[5].i, ==, 3);
	diskWrite(root, path, 32);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[2].i, ==, 16 * 512);
	rutFilePread = pread;
	usedClose(&used);
	fixtureRemove(root);
}

/* CPUs: 1 to 1,024, 5,000 interrupts, offline ones, short reads. */

static void statWrite(const char *root, unsigned int cpus, unsigned int irqs,
		      unsigned int offline, unsigned int ticks)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "cpu  0 0 0 %u 0 0 0 0 0 0\n",
			       cpus * ticks);
	for (unsigned int i = 0; i < cpus; i++) {
		if (i != offline)
			g_string_append_printf(
				text, "cpu%u 0 0 0 %u 0 0 0 0 0 0\n", i, ticks);
	}
	g_string_append(text, "intr 1");
	for (unsigned int i = 0; i < irqs; i++)
		g_string_append_printf(text, " %u", i);
	g_string_append_printf(text, "\nctxt %u\nbtime 1\n", 10 * ticks);
	fixtureWrite(root, "/proc/stat", "%s", text->str);
	g_string_free(text, TRUE);
}

/* A utilization, or NaN where it is not known. */
static void cpuExpect(const struct used *used, size_t column, float percent)
{
	if (isnan(percent))
		g_assert_cmpint(isnan(used->cells[column].f), !=, 0);
	else
		g_assert_cmpfloat(used->cells[column].f, ==, percent);
}

static void testManyCpus(void)
{
	static const struct {
		unsigned int cpus, irqs, offline;
		int readBytes;
	} cases[] = {
		{ 1, 0, 9999, 0 },       { 2, 20, 9999, 1 },
		{ 2, 20, 1, 3 },         { 64, 5000, 9999, 0 },
		{ 1024, 5000, 9999, 0 }, { 1024, 5000, 700, 1000 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate();
		struct rutSetup setup = setupOf(root);
		unsigned int last = cases[i].cpus - 1;
		struct used cpus, switches;

		g_test_message("%u CPUs, %u interrupts", cases[i].cpus,
			       cases[i].irqs);
		if (cases[i].cpus > 1)
			fixtureWrite(root, "/sys/devices/system/cpu/present",
				     "0-%u\n", last);
		readBytes = cases[i].readBytes;
		statWrite(root, cases[i].cpus, cases[i].irqs, cases[i].offline,
			  1000);
		g_assert_cmpint(usedOpen(&cpus, &rutCpuSource, &setup), ==, 0);
		g_assert_cmpint(usedOpen(&switches, &rutSwitchesSource, &setup),
				==, 0);
		g_assert_cmpuint(cpus.columns.count, ==, cases[i].cpus + 1);
		g_assert_cmpstr(cpus.columns.list[0].name, ==, "CPU_TOTAL");
		g_assert_cmpstr(cpus.columns.list[1].name, ==, "CPU_TOTAL_0");
		g_assert_cmpstr(cpus.columns.list[1].source, ==, "stat");
		usedRead(&cpus, RUT_WHY_BEGIN);
		usedRead(&switches, RUT_WHY_BEGIN);
		/* No tick of idle: all that are online are busy. */
		usedRead(&cpus, RUT_WHY_SAMPLE);
		for (unsigned int j = 0; j < cases[i].cpus; j++)
			cpuExpect(&cpus, j + 1,
				  j == cases[i].offline ? NAN : 100);
		g_assert_cmpfloat(cpus.cells[0].f, ==, 100);
		/* An hour of idle. */
		statWrite(root, cases[i].cpus, cases[i].irqs, cases[i].offline,
			  361000);
		usedRead(&cpus, RUT_WHY_SAMPLE);
		usedRead(&switches, RUT_WHY_SAMPLE);
		g_assert_cmpfloat(cpus.cells[0].f, ==, 0);
		for (unsigned int j = 0; j < cases[i].cpus; j++)
			cpuExpect(&cpus, j + 1,
				  j == cases[i].offline ? NAN : 0);
		g_assert_cmpint(switches.cells[0].i, ==, 3600000);
		usedClose(&cpus);
		usedClose(&switches);
		readBytes = 0;
		fixtureRemove(root);
	}
}

/* The other sources. */

static void testFrequency(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-2\n");
	g_assert_cmpint(usedOpen(&used, &rutFrequencySource, &setup), ==,
			-ENOENT);
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cpufreq/"
		     "scaling_cur_freq",
		     "800000\n");
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu2/cpufreq/"
		     "scaling_cur_freq",
		     "<unknown>\n");
	g_assert_cmpint(usedOpen(&used, &rutFrequencySource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[0].i, ==, 800000000);
	g_assert_cmpint(used.cells[1].i, ==, HD_CELL_MISSING);
	usedClose(&used);
	fixtureRemove(root);
}

static void testIdle(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0\n");
	g_assert_cmpint(usedOpen(&used, &rutIdleSource, &setup), ==, -ENOENT);
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cpuidle/state0/time",
		     "5\n");
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cpuidle/state0/name",
		     "POLL\n");
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cpuidle/state1/time",
		     "5\n");
	g_assert_cmpint(usedOpen(&used, &rutIdleSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cpuidle/state1/time",
		     "900000000\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "CPU_IDLE_0_POLL=0 CPU_IDLE_0_state1=100");
	usedClose(&used);
	fixtureRemove(root);
}

/* States of CPUs: one comes, one goes, waiting runs backwards. */

static void testStates(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-2\n");
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  100 0 50 800 50 0 0 0 0 0\n"
		     "cpu0 100 0 50 800 50 0 0 0 0 0\n"
		     "cpu1 0 0 0 0 0 0 0 0 0 0\nintr 1\n");
	setup.sources.CPU_STATES_X = 0;
	g_assert_cmpint(usedOpen(&used, &rutStatesSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	/* 40 user, 10 nice, 20 + 5 + 5 system, 10 idle, 0 wait, 10 stolen. */
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  140 10 70 810 50 5 5 10 40 0\nintr 1\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "CPU_STATE_USER=40 CPU_STATE_NICE=10 "
			  "CPU_STATE_SYSTEM=30 CPU_STATE_IDLE=10 "
			  "CPU_STATE_IOWAIT=0 CPU_STATE_STEAL=10");
	/* Not a tick: as before. Then waiting is corrected downwards. */
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "CPU_STATE_USER=40 CPU_STATE_NICE=10 "
			  "CPU_STATE_SYSTEM=30 CPU_STATE_IDLE=10 "
			  "CPU_STATE_IOWAIT=0 CPU_STATE_STEAL=10");
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  140 10 70 910 30 5 5 10 40 0\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "CPU_STATE_USER=0 CPU_STATE_NICE=0 "
			  "CPU_STATE_SYSTEM=0 CPU_STATE_IDLE=100 "
			  "CPU_STATE_IOWAIT=0 CPU_STATE_STEAL=0");
	usedClose(&used);

	setup.sources.CPU_STATES = 0;
	setup.sources.CPU_STATES_X = 1;
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  0 0 0 0\ncpu0 100 0 0 100\n");
	g_assert_cmpint(usedOpen(&used, &rutStatesSource, &setup), ==, 0);
	g_assert_cmpuint(used.columns.count, ==, 18);
	usedRead(&used, RUT_WHY_BEGIN);
	/* CPU 2 is there now; what it did before is not known. */
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  0 0 0 0\ncpu0 175 0 0 125\ncpu2 0 0 10 30\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(isnan(used.cells[14].f), !=, 0);
	g_assert_cmpfloat((double)used.cells[0].f, ==, 75);
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  0 0 0 0\ncpu0 250 0 0 150\ncpu2 0 0 20 60\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpstr(used.columns.list[0].name, ==, "CPU_STATE_USER_0");
	g_assert_cmpfloat((double)used.cells[0].f, ==, 75);
	g_assert_cmpstr(used.columns.list[9].name, ==, "CPU_STATE_IDLE_1");
	g_assert_cmpint(isnan(used.cells[9].f), !=, 0);
	g_assert_cmpstr(used.columns.list[14].name, ==, "CPU_STATE_SYSTEM_2");
	g_assert_cmpfloat((double)used.cells[14].f, ==, 25);
	/* It goes; then nothing can be read. */
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  0 0 0 0\ncpu0 250 0 0 160\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpfloat((double)used.cells[3].f, ==, 100);
	g_assert_cmpint(isnan(used.cells[14].f), !=, 0);
	fixtureWrite(root, "/proc/stat", "%s", "");
	usedRead(&used, RUT_WHY_SAMPLE);
	for (size_t i = 0; i < used.columns.count; i++)
		g_assert_cmpint(isnan(used.cells[i].f), !=, 0);
	usedClose(&used);

	fixtureWrite(root, "/proc/stat", "%s", "cpu  0 0 0\n");
	g_assert_cmpint(usedOpen(&used, &rutStatesSource, &setup), ==, -ENOENT);
	fixtureRemove(root);
}

/* Stolen time that steps back counts once. */
static void testStatesBack(void)
{
	static const unsigned int stolen[] = { 150, 140, 160, 150, 200 };
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	double ticks = 0;
	struct used used;

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0\n");
	fixtureWrite(root, "/proc/stat", "cpu  0 0 0 0 0 0 0 100\n");
	setup.sources.CPU_STATES_X = 0;
	g_assert_cmpint(usedOpen(&used, &rutStatesSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	for (unsigned int i = 0; i < G_N_ELEMENTS(stolen); i++) {
		/* 50 ticks of idle. */
		fixtureWrite(root, "/proc/stat", "cpu  0 0 0 %u 0 0 0 %u\n",
			     50 * (i + 1), stolen[i]);
		usedRead(&used, RUT_WHY_SAMPLE);
		/* From shares back to ticks. */
		ticks += 50 * (double)used.cells[5].f / (double)used.cells[3].f;
	}
	g_assert_cmpfloat(fabs(ticks - 100), <, 1e-4);
	usedClose(&used);
	fixtureRemove(root);
}

/* Without a line of any CPU in /proc/stat nothing is known of them. */
static void testCpuUnreadable(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	statWrite(root, 2, 0, 9999, 1000);
	g_assert_cmpint(usedOpen(&used, &rutCpuSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureWrite(root, "/proc/stat", "%s", "");
	usedRead(&used, RUT_WHY_SAMPLE);
	for (size_t i = 0; i < used.columns.count; i++)
		g_assert_cmpint(isnan(used.cells[i].f), !=, 0);
	statWrite(root, 2, 0, 9999, 361000);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpfloat((double)used.cells[0].f, ==, 0);
	usedClose(&used);
	fixtureRemove(root);
}

/* Load. */

static void testLoad(void)
{
	static const char *const wrong[] = { "", "1.0 2.00 3.00\n",
					     "1.00 2.00\n", "x\n" };
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		fixtureWrite(root, "/proc/loadavg", "%s", wrong[i]);
		g_assert_cmpint(usedOpen(&used, &rutLoadSource, &setup), ==,
				-EINVAL);
	}
	fixtureWrite(root, "/proc/loadavg", "2.00 31.00 512.00 1/80 11206\n");
	g_assert_cmpint(usedOpen(&used, &rutLoadSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "LOAD_1=2 LOAD_5=31 LOAD_15=512");
	fixtureWrite(root, "/proc/loadavg", "nonsense\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	for (size_t i = 0; i < used.columns.count; i++)
		g_assert_cmpint(isnan(used.cells[i].f), !=, 0);
	usedClose(&used);
	fixtureRemove(root);
}

/* Swap: what is there, and what goes in and out, in pages. */

static void testSwap(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;
	char *expected;

	fixtureWrite(root, "/proc/meminfo", "%s",
		     "MemTotal: 100 kB\nMemAvailable: 40 kB\n"
		     "SwapTotal: 30 kB\nSwapFree: 20 kB\n");
	fixtureWrite(root, "/proc/vmstat", "%s",
		     "pgpgin 9\npswpin 4294967295\npswpout 7\n");
	g_assert_cmpint(usedOpen(&used, &rutSwapSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	/* It counts in 64 bits. */
	fixtureWrite(root, "/proc/vmstat", "%s",
		     "pgpgin 9\npswpin 4294967297\npswpout 10\n");
	fixtureWrite(root, "/proc/meminfo", "%s",
		     "MemTotal: 100 kB\nMemAvailable: 50 kB\n"
		     "SwapTotal: 30 kB\nSwapFree: 0 kB\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	expected = g_strdup_printf("MEM_AVAILABLE=51200 SWAP_USED=30720 "
				   "SWAP_FREE=0 SWAP_IN=%ld SWAP_OUT=%ld",
				   2 * sysconf(_SC_PAGESIZE),
				   3 * sysconf(_SC_PAGESIZE));
	usedExpect(&used, expected);
	g_free(expected);
	/* It begins anew; nothing else can be read. */
	fixtureWrite(root, "/proc/vmstat", "%s",
		     "pgpgin 9\npswpin 3\npswpout 11\n");
	fixtureWrite(root, "/proc/meminfo", "SwapTotal: 30 kB\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	for (size_t i = 0; i < 4; i++)
		g_assert_cmpint(used.cells[i].i, ==, HD_CELL_MISSING);
	g_assert_cmpint(used.cells[4].i, ==, sysconf(_SC_PAGESIZE));
	usedClose(&used);
	fixtureRemove(root);
}

static void testSwapOld(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	/* A kernel without estimate, and without swap. */
	fixtureWrite(root, "/proc/meminfo", "MemTotal: 100 kB\n");
	g_assert_cmpint(usedOpen(&used, &rutSwapSource, &setup), ==, -ENOENT);
	fixtureWrite(root, "/proc/meminfo",
		     "MemTotal: 1 kB\nSwapTotal: 2 kB\nSwapFree: 2 kB\n");
	g_assert_cmpint(usedOpen(&used, &rutSwapSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "SWAP_USED=0 SWAP_FREE=2048");
	usedClose(&used);
	fixtureRemove(root);
}

/* File systems: by path, in bytes of their fragments. */

static int someStatvfs(const char *path, struct statvfs *is)
{
	memset(is, 0, sizeof(*is));
	is->f_frsize = 1024;
	is->f_blocks = g_str_has_suffix(path, "/") ? 100 : 10;
	is->f_bfree = 9;
	is->f_bavail = 8;
	errno = EACCES;
	return g_str_has_suffix(path, "/secret") ? -1 : 0;
}

static int noStatvfs(const char *path, struct statvfs *is)
{
	(void)path;
	(void)is;
	errno = EIO;
	return -1;
}

static void testStorage(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	rutStatvfs = someStatvfs;
	fixtureWrite(root, "/proc/self/mountinfo", "%s",
		     "22 27 0:21 / /proc rw - proc proc rw\n"
		     "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		     "28 27 8:2 / /my\\040data rw - xfs /dev/sda2 rw\n"
		     "29 27 8:2 / /again rw - xfs /dev/sda2 rw\n"
		     "30 27 7:0 / /snap ro - squashfs /dev/loop0 ro\n"
		     "31 27 8:3 / /secret rw - ext4 /dev/sda3 rw\n"
		     "32 27 0:40 / /far rw - nfs4 server:/x rw\n");
	g_assert_cmpint(usedOpen(&used, &rutStorageSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "STORAGE_SIZE_/=102400 STORAGE_FREE_/=8192 "
			  "STORAGE_SIZE_/my_data=10240 "
			  "STORAGE_FREE_/my_data=8192");
	/* What cannot be asked any more is not known. */
	rutStatvfs = noStatvfs;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "STORAGE_SIZE_/=nan STORAGE_FREE_/=nan "
			  "STORAGE_SIZE_/my_data=nan "
			  "STORAGE_FREE_/my_data=nan");
	rutStatvfs = someStatvfs;
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpfloat(used.cells[0].d, ==, 102400);
	usedClose(&used);
	/* A container: nothing has a device. */
	fixtureWrite(root, "/proc/self/mountinfo",
		     "1 0 0:30 / / rw - overlay overlay rw\n");
	g_assert_cmpint(usedOpen(&used, &rutStorageSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "STORAGE_SIZE_/=102400 STORAGE_FREE_/=8192");
	usedClose(&used);
	rutStatvfs = statvfs;
	fixtureRemove(root);
}

/* A source that hangs where the test says so, and counts what it is asked. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t over;
	bool isHanging;
	int openResult;
	int value;
	int asked, opened, closed;
} slow = { .mutex = PTHREAD_MUTEX_INITIALIZER,
	   .over = PTHREAD_COND_INITIALIZER };

static void slowHang(bool is)
{
	pthread_mutex_lock(&slow.mutex);
	slow.isHanging = is;
	pthread_cond_broadcast(&slow.over);
	pthread_mutex_unlock(&slow.mutex);
}

/* With the mutex. */
static void slowWait(void)
{
	while (slow.isHanging)
		pthread_cond_wait(&slow.over, &slow.mutex);
}

static int slowCount(const int *count)
{
	int is;

	pthread_mutex_lock(&slow.mutex);
	is = *count;
	pthread_mutex_unlock(&slow.mutex);
	return is;
}

static bool slowIsWanted(const rutSources *sources)
{
	return sources->STORAGE;
}

static int slowOpen(const struct rutSetup *setup, struct rutColumns *columns,
		    void **state)
{
	const struct rutColumn column = { .type = DOUBLE, .unit = "B" };
	int ret;

	g_assert_cmpstr(setup->root, ==, "root");
	pthread_mutex_lock(&slow.mutex);
	slow.asked++;
	slowWait();
	ret = slow.openResult;
	slow.opened += ret == 0;
	pthread_mutex_unlock(&slow.mutex);
	*state = &slow;
	return ret < 0 ? ret : rutColumnsAdd(columns, &column, "SLOW");
}

static void slowRead(void *state, enum rutWhy why, union hdCell *cells)
{
	g_assert_true(state == &slow);
	g_assert_cmpint(why, ==, RUT_WHY_SAMPLE);
	pthread_mutex_lock(&slow.mutex);
	slowWait();
	cells->d = slow.value++;
	pthread_mutex_unlock(&slow.mutex);
}

static void slowClose(void *state)
{
	g_assert_true(state == &slow);
	pthread_mutex_lock(&slow.mutex);
	slow.closed++;
	pthread_mutex_unlock(&slow.mutex);
}

static _Atomic(uint64_t) slowHanging;

static const struct rutSource slowSource = {
	.name = "slow",
	.hanging = &slowHanging,
	.isWanted = slowIsWanted,
	.open = slowOpen,
	.read = slowRead,
	.close = slowClose,
};

static void slowCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 7;
	*late = 0;
}

static const struct rutSource *const slowList[] = { &slowSource,
						    &rutTracerSource, NULL };

/* It is waited for a while; then what it says is not known. */
static void slowReads(struct rutUsed *used)
{
	int before;

	rutUsedRead(used, RUT_WHY_BEGIN);
	g_assert_cmpfloat(used->cells[0].d, ==, 0);
	rutUsedRead(used, RUT_WHY_FOLLOW);
	do
		rutUsedRead(used, RUT_WHY_SAMPLE);
	while (!rutUsedIsKnown(used, 0));
	g_assert_cmpfloat(used->cells[0].d, >=, 1);
	slowHang(true);
	for (int i = 0; i < 3; i++) {
		rutUsedRead(used, RUT_WHY_SAMPLE);
		g_assert_false(rutUsedIsKnown(used, 0));
		for (size_t k = 1; k < used->columns.count; k++)
			g_assert_true(rutUsedIsKnown(used, k));
	}
	before = slowCount(&slow.value);
	slowHang(false);
	do
		rutUsedRead(used, RUT_WHY_SAMPLE);
	while (!rutUsedIsKnown(used, 0));
	/* What came too late is not given for what is now. */
	g_assert_cmpfloat(used->cells[0].d, >, before);
}

/* What hangs in the parent does not hang in a child of fork(), which has none
 * of its threads; what hangs in the child does not hang in the parent. */
static void slowFork(const struct rutSetup *setup)
{
	struct rutSetup patient = *setup;
	struct rutUsed used = { 0 };
	int hanging = rutWorkerHanging(&slowSource), status;
	pid_t child = fork();

	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		alarm(60);
		/* As others have left them, who are not there. */
		pthread_mutex_init(&slow.mutex, NULL);
		pthread_cond_init(&slow.over, NULL);
		slow.isHanging = false;
		g_assert_cmpint(rutWorkerHanging(&slowSource), ==, 0);
		patient.openPatienceNs = 30 * HD_NS_PER_S;
		g_assert_cmpint(rutUsedOpen(&used, slowList, &patient), ==, 0);
		g_assert_false(used.isIncomplete);
		g_assert_cmpuint(used.columns.count, ==, 3);
		rutUsedClose(&used);
		slowHang(true);
		g_assert_cmpint(rutUsedOpen(&used, slowList, setup), ==, 0);
		g_assert_true(used.isIncomplete);
		g_assert_cmpint(rutWorkerHanging(&slowSource), ==, 1);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(rutWorkerHanging(&slowSource), ==, hanging);
}

static void testHang(void)
{
	struct rutSetup setup = { .root = "root",
				  .intervalNs = 10000000,
				  .patienceNs = 20000000,
				  .openPatienceNs = 500000000 };
	struct rutUsed used = { 0 };
	int asked;

	setup.sources.STORAGE = 1;
	setup.sources.TRACER = 1;
	setup.getCost = slowCost;
	g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
	g_assert_cmpuint(used.columns.count, ==, 3);
	slowReads(&used);
	slowHang(true);
	rutUsedRead(&used, RUT_WHY_SAMPLE);
	rutUsedClose(&used);
	g_assert_cmpint(slowCount(&slow.closed), ==, 0);
	slowHang(false);
	while (slowCount(&slow.closed) < 1 || rutWorkerHanging(&slowSource) > 0)
		poll(NULL, 0, 2);

	/* It does not open in time; others do. */
	slowHang(true);
	g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
	g_assert_true(used.isIncomplete);
	g_assert_cmpuint(used.columns.count, ==, 2);
	rutUsedClose(&used);
	/* While it hangs it is not asked again, by one thread more each time.
	 */
	asked = slowCount(&slow.asked);
	for (int i = 0; i < 3; i++) {
		g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
		g_assert_true(used.isIncomplete);
		g_assert_cmpuint(used.columns.count, ==, 2);
		rutUsedClose(&used);
	}
	g_assert_cmpint(slowCount(&slow.asked), ==, asked);
	/* Threads cannot be made, or locks can hang, in a child there. */
	if (!TEST_HAS_TSAN && !TEST_HAS_ASAN)
		slowFork(&setup);
	slowHang(false);
	while (slowCount(&slow.closed) < 2 || rutWorkerHanging(&slowSource) > 0)
		poll(NULL, 0, 2);
	g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
	g_assert_false(used.isIncomplete);
	g_assert_cmpuint(used.columns.count, ==, 3);
	rutUsedClose(&used);

	/* It is not there. */
	slow.openResult = -ENOENT;
	g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
	g_assert_false(used.isIncomplete);
	g_assert_cmpuint(used.columns.count, ==, 2);
	rutUsedClose(&used);
	slow.openResult = 0;
	g_assert_cmpint(slow.opened, ==, slow.closed);
}

/* One that is slow, but not too slow for an interval, is not waited for: its
 * values come a sample later. */
static void testSlow(void)
{
	struct rutSetup setup = { .root = "root",
				  .intervalNs = 60 * HD_NS_PER_S,
				  .patienceNs = 20000000,
				  .openPatienceNs = 60 * HD_NS_PER_S };
	struct rutUsed used = { 0 };
	int before;

	setup.sources.STORAGE = 1;
	g_assert_cmpint(rutUsedOpen(&used, slowList, &setup), ==, 0);
	before = slowCount(&slow.value);
	slowHang(true);
	rutUsedRead(&used, RUT_WHY_SAMPLE);
	g_assert_false(rutUsedIsKnown(&used, 0));
	slowHang(false);
	for (int i = 0; i < 2; i++) {
		while (slowCount(&slow.value) <= before + i)
			poll(NULL, 0, 2);
		do
			rutUsedRead(&used, RUT_WHY_SAMPLE);
		while (!rutUsedIsKnown(&used, 0));
		g_assert_cmpfloat(used.cells[0].d, ==, before + i);
	}
	g_assert_cmpint(rutUsedCpuNs(&used), >, 0);
	rutUsedClose(&used);
}

/* Hardware counters of a kernel that the test makes: of each CPU four, which
 * take turns with others' and have half of the time. */

static int perfOpened, perfClosed, perfError;
static uint64_t perfSteps;

static int perfOpen(const struct perf_event_attr *attr, int pid, int cpu,
		    int leader)
{
	(void)attr;
	(void)leader;
	g_assert_cmpint(pid, ==, -1);
	/* All other CPUs are offline. */
	if (perfError || cpu > 0)
		return perfError ? -perfError : -ENODEV;
	return perfOpened++;
}

/* The first so many of its numbers are other files by now. */
static int perfTaken;

static int perfRead(int counter, uint64_t *numbers, size_t count)
{
	g_assert_cmpuint(count, ==, 3);
	g_assert_cmpint(counter, >=, perfTaken);
	numbers[0] = perfSteps * 1000 * (uint64_t)(counter + 1);
	numbers[1] = perfSteps * 2000000;
	numbers[2] = perfSteps * 1000000;
	return 0;
}

static int perfIdentify(int counter, uint64_t *id)
{
	if (counter < perfTaken)
		return -ENOTTY;
	*id = (uint64_t)counter + 1;
	return 0;
}

static void perfClose(int counter)
{
	g_assert_cmpint(counter, >=, perfTaken);
	perfClosed++;
}

static void testCounters(void)
{
	static const struct hdPerfKernel kernel = { .open = perfOpen,
						    .read = perfRead,
						    .identify = perfIdentify,
						    .close = perfClose };
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	/* Machines of files have none; and no set has them. */
	g_assert_false(rutCountersSource.isWanted(&setup.sources));
	setup.sources.HW_COUNTERS = 1;
	g_assert_true(rutCountersSource.isWanted(&setup.sources));
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==,
			-ENOENT);
	hdPerfFake = &kernel;
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==, 0);
	g_assert_cmpint(perfOpened, ==, 4);
	perfSteps = 5;
	usedRead(&used, RUT_WHY_BEGIN);
	perfSteps = 6;
	usedRead(&used, RUT_WHY_FOLLOW);
	perfSteps = 7;
	usedRead(&used, RUT_WHY_SAMPLE);
	/* Two steps, and twice as much as was counted in half of the time. */
	usedExpect(&used, "HW_CYCLES=4000 HW_INSTRUCTIONS=8000 "
			  "HW_CACHE_REFERENCES=12000 HW_CACHE_MISSES=16000");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES=0 HW_INSTRUCTIONS=0 "
			  "HW_CACHE_REFERENCES=0 HW_CACHE_MISSES=0");
	/* The program has closed all, and has files of its own there: these
	 * are neither read nor closed, and counters are opened anew. */
	perfTaken = 4;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES=0 HW_INSTRUCTIONS=0 "
			  "HW_CACHE_REFERENCES=0 HW_CACHE_MISSES=0");
	g_assert_cmpint(perfOpened, ==, 8);
	g_assert_cmpint(perfClosed, ==, 0);
	perfSteps = 8;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES=10000 HW_INSTRUCTIONS=12000 "
			  "HW_CACHE_REFERENCES=14000 HW_CACHE_MISSES=16000");
	perfTaken = 6;
	usedClose(&used);
	g_assert_cmpint(perfClosed, ==, 2);
	perfTaken = 0;
	/* Forbidden: nothing stays open. */
	perfError = EACCES;
	rutLogger.isSilent = true;
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==,
			-ENOENT);
	rutLogger.isSilent = false;
	g_assert_cmpint(perfClosed, ==, 2);
	hdPerfFake = NULL;
	fixtureRemove(root);
}

/* A kernel with controllers and CPUs: what is counted depends on both. */
static bool isCpuAway;
static uint64_t unitSteps;

static int unitOpen(const struct perf_event_attr *attr, int pid, int cpu,
		    int leader)
{
	g_assert_cmpint(pid, ==, -1);
	g_assert_cmpint(leader, ==, -1);
	if (attr->type == PERF_TYPE_HARDWARE && (cpu > 0 || isCpuAway))
		return -ENODEV;
	if (perfError)
		return -perfError;
	/* Number of the PMU, config, CPU. */
	perfOpened++;
	return (int)attr->type * 100000 + (int)attr->config * 20 + cpu;
}

/* A controller of type 30 + n counts n + 1 reads of 2^20 / 16384 bytes a step,
 * and twice the writes; a CPU 3, whatever the event. */
static int unitRead(int handle, uint64_t *numbers, size_t count)
{
	int type = handle / 100000, config = handle / 20 % 5000;
	uint64_t each = 3;

	g_assert_cmpuint(count, ==, 3);
	if (type == PERF_TYPE_HARDWARE && isCpuAway)
		return -ENODEV;
	if (type >= 30)
		each = (uint64_t)(type - 29) * (config == 0x304 ? 1 : 2);
	if (type >= 30)
		g_assert_true(config == 0x304 || config == 0xc04);
	numbers[0] = unitSteps * each;
	numbers[1] = numbers[2] = unitSteps * 1000;
	return 0;
}

static void writeController(const char *root, int number, const char *cpus)
{
	static const char *const files[][2] = {
		{ "events/cas_count_read", "event=0x04,umask=0x03\n" },
		{ "events/cas_count_read.scale", "6.103515625e-5\n" },
		{ "events/cas_count_read.unit", "MiB\n" },
		{ "events/cas_count_write", "event=0x04,umask=0x0c\n" },
		{ "events/cas_count_write.scale", "6.103515625e-5\n" },
		{ "events/cas_count_write.unit", "MiB\n" },
		{ "format/event", "config:0-7\n" },
		{ "format/umask", "config:8-15\n" },
	};
	char *folder = g_strdup_printf(
		"/sys/bus/event_source/devices/uncore_imc_%d", number);
	char *path = g_strdup_printf("%s/type", folder);

	fixtureWrite(root, path, "%d\n", 30 + number);
	g_free(path);
	path = g_strdup_printf("%s/cpumask", folder);
	fixtureWrite(root, path, "%s\n", cpus);
	g_free(path);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		path = g_strdup_printf("%s/%s", folder, files[i][0]);
		fixtureWrite(root, path, "%s", files[i][1]);
		g_free(path);
	}
	g_free(folder);
}

static const struct hdPerfKernel unitKernel = { .open = unitOpen,
						.read = unitRead,
						.identify = perfIdentify,
						.close = perfClose };

/* By hand: two controllers, on two packages each; 2^20 x 2^-14 = 64 bytes a
 * count; 2 x (1 + 2) x 64 = 384 bytes read a step, and 768 written. */
static void testTraffic(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = { .root = root, .intervalNs = 10000000 };
	struct used used;

	perfError = 0;
	hdPerfFake = &unitKernel;
	setup.sources.MEM_TRAFFIC = 1;
	writeController(root, 0, "0,18");
	writeController(root, 1, "0,18");
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==, 0);
	unitSteps = 7;
	usedRead(&used, RUT_WHY_BEGIN);
	unitSteps = 8;
	usedRead(&used, RUT_WHY_FOLLOW);
	unitSteps = 17;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "MEM_TRAFFIC_READ=3840 MEM_TRAFFIC_WRITE=7680");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "MEM_TRAFFIC_READ=0 MEM_TRAFFIC_WRITE=0");
	/* Other files are neither read nor closed. */
	perfTaken = INT_MAX;
	unitSteps++;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "MEM_TRAFFIC_READ=0 MEM_TRAFFIC_WRITE=0");
	usedClose(&used);
	perfTaken = 0;
	/* Half of the controllers would be taken for all. */
	fixtureWrite(root, "/sys/bus/event_source/devices/uncore_imc_1/cpumask",
		     "x\n");
	fixtureWrite(root, "/sys/bus/event_source/devices/uncore_imc_0/cpumask",
		     "\n");
	/* Of CPU 0 alone: 3 misses a step, of 64 bytes; of 128, where so. */
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	unitSteps += 10;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "MEM_TRAFFIC_CACHE_MISSES=1920");
	usedClose(&used);
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cache/index0/level",
		     "1\n");
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cache/index0/"
		     "coherency_line_size",
		     "64\n");
	fixtureWrite(root, "/sys/devices/system/cpu/cpu0/cache/index1/level",
		     "3\n");
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cache/index1/"
		     "coherency_line_size",
		     "128\n");
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	unitSteps += 10;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "MEM_TRAFFIC_CACHE_MISSES=3840");
	usedClose(&used);
	perfError = EACCES;
	rutLogger.isSilent = true;
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==,
			-ENOENT);
	rutLogger.isSilent = false;
	perfError = 0;
	hdPerfFake = NULL;
	fixtureRemove(root);
}

/* Descriptions that are none of a controller: cache misses are taken. */
static void testTrafficGarbage(void)
{
	static const struct {
		const char *file, *text;
	} cases[] = {
		{ "type", "x\n" },
		{ "type", "" },
		{ "cpumask", "1-0\n" },
		{ "events/cas_count_read", "event=0x04,umask=\n" },
		{ "events/cas_count_read", "event=0x100,umask=3\n" },
		{ "events/cas_count_read", "event=0x04,filter=3\n" },
		{ "events/cas_count_read", "event=,umask=3\n" },
		{ "events/cas_count_read.unit", "B\n" },
		{ "events/cas_count_write.scale", "0\n" },
		{ "events/cas_count_write.scale", "1,5\n" },
		{ "format/umask", "config1:8-15\n" },
		{ "format/umask", "config:8-65\n" },
		{ "format/umask", "config:15-8\n" },
		{ "format/umask", "config:\n" },
	};

	perfError = 0;
	hdPerfFake = &unitKernel;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate();
		struct rutSetup setup = { .root = root,
					  .intervalNs = 10000000 };
		char *path = g_strconcat(
			"/sys/bus/event_source/devices/uncore_imc_0/",
			cases[i].file, NULL);
		struct used used;

		g_test_message("%s: %s", cases[i].file, cases[i].text);
		setup.sources.MEM_TRAFFIC = 1;
		writeController(root, 0, "0");
		fixtureWrite(root, path, "%s", cases[i].text);
		g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==,
				0);
		usedRead(&used, RUT_WHY_BEGIN);
		usedRead(&used, RUT_WHY_SAMPLE);
		usedExpect(&used, "MEM_TRAFFIC_CACHE_MISSES=0");
		usedClose(&used);
		g_free(path);
		fixtureRemove(root);
	}
	hdPerfFake = NULL;
}

/* Of each CPU; one that goes and comes back. */
static void testCountersOfCpus(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = { .root = root, .intervalNs = 10000000 };
	struct used used;

	perfError = 0;
	hdPerfFake = &unitKernel;
	setup.sources.HW_COUNTERS_X = 1;
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	unitSteps += 2;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES_0=6 HW_INSTRUCTIONS_0=6 "
			  "HW_CACHE_REFERENCES_0=6 HW_CACHE_MISSES_0=6");
	isCpuAway = true;
	unitSteps += 2;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES_0=0 HW_INSTRUCTIONS_0=0 "
			  "HW_CACHE_REFERENCES_0=0 HW_CACHE_MISSES_0=0");
	isCpuAway = false;
	unitSteps += 2;
	usedRead(&used, RUT_WHY_SAMPLE);
	unitSteps += 3;
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "HW_CYCLES_0=9 HW_INSTRUCTIONS_0=9 "
			  "HW_CACHE_REFERENCES_0=9 HW_CACHE_MISSES_0=9");
	usedClose(&used);
	hdPerfFake = NULL;
	fixtureRemove(root);
}

static void testPressure(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);
	struct used used;

	g_assert_cmpint(usedOpen(&used, &rutPressureSource, &setup), ==,
			-ENOENT);
	fixtureWrite(root, "/proc/pressure/cpu", "some avg10=1.00 total=7\n");
	fixtureWrite(root, "/proc/pressure/memory",
		     "some avg10=0.00 total=7\nfull avg10=0.00 total=7\n");
	g_assert_cmpint(usedOpen(&used, &rutPressureSource, &setup), ==,
			-ENOENT);
	fixtureWrite(root, "/proc/pressure/io", "some total=\nfull\n");
	g_assert_cmpint(usedOpen(&used, &rutPressureSource, &setup), ==, 0);
	usedRead(&used, RUT_WHY_BEGIN);
	fixtureWrite(root, "/proc/pressure/memory",
		     "some avg10=0.00 total=7\n"
		     "full avg10=0.00 avg60=0.00 total=900000000\n");
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "PSI_CPU_SOME=0 PSI_MEM_SOME=0 PSI_MEM_FULL=100 "
			  "PSI_IO_SOME=nan PSI_IO_FULL=nan");
	usedClose(&used);
	fixtureRemove(root);
}

/* Files that fail or come in pieces give the same values, and no crash. */
static void testBadReads(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);

	fixtureWrite(root, "/proc/meminfo", "MemTotal: 4 kB\nMemFree: 1 kB\n");
	for (int failures = 0; failures < 200; failures++) {
		struct used used;
		int ret;

		readBytes = 1 + failures % 3;
		readFailures = failures;
		ret = usedOpen(&used, &rutMemorySource, &setup);
		if (ret == 0) {
			usedRead(&used, RUT_WHY_SAMPLE);
			/* Or there is no value. */
			if (used.cells[0].i != HD_CELL_MISSING)
				g_assert_cmpint(used.cells[0].i, ==, 3072);
			usedClose(&used);
		} else {
			g_assert_cmpint(ret, ==, -EIO);
		}
		readBytes = readFailures = 0;
	}
	fixtureRemove(root);
}

/* Nothing there at all: every source says so and leaves nothing behind. */
static void testNothing(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = setupOf(root);

	setup.sources.HW_COUNTERS = 1;
	setup.sources.GPU_X = 1;
	rutGpuLibrary = "/nowhere/libnvidia-ml.so.1";
	for (size_t i = 0; rutLinuxSources[i]; i++) {
		struct used used;

		g_test_message("%s", rutLinuxSources[i]->name);
		g_assert_true(rutLinuxSources[i]->isWanted(&setup.sources));
		g_assert_cmpint(usedOpen(&used, rutLinuxSources[i], &setup), ==,
				-ENOENT);
	}
	memset(&setup.sources, 0, sizeof(setup.sources));
	for (size_t i = 0; rutLinuxSources[i]; i++)
		g_assert_false(rutLinuxSources[i]->isWanted(&setup.sources));
	fixtureRemove(root);
}

/* A descriptor that the program has for a file of its own, or that is another
 * one of ours, is not read, by the first read nor by any later one. */
static void testTakenFiles(void)
{
	char *root = fixtureCreate(), *path;
	struct rutFile file, other;
	struct hdScan scan;
	int own, kept;

	fixtureWrite(root, "/proc/a", "1\n");
	fixtureWrite(root, "/proc/b", "2\n");
	g_assert_cmpint(rutFileOpen(&file, root, "/proc/a"), ==, 0);
	g_assert_cmpint(rutFileOpen(&other, root, "/proc/b"), ==, 0);
	path = g_build_filename(root, "proc/b", NULL);
	own = open(path, O_RDONLY | O_CLOEXEC);
	kept = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
	g_assert_cmpint(own, >=, 0);
	g_assert_cmpint(kept, >=, 0);
	for (int i = 0; i < 200; i++) {
		g_assert_cmpint(rutFileRead(&file, &scan), ==, 0);
		g_assert_cmpint(*scan.at, ==, '1');
		g_assert_cmpint(dup2(own, file.fd), ==, file.fd);
		g_assert_cmpint(rutFileRead(&file, &scan), ==, -EBADF);
		g_assert_true(scan.at == scan.end);
		g_assert_cmpint(dup2(other.fd, file.fd), ==, file.fd);
		g_assert_cmpint(rutFileRead(&file, &scan), ==, -EBADF);
		g_assert_cmpint(dup2(kept, file.fd), ==, file.fd);
	}
	rutFileClose(&file);
	rutFileClose(&other);
	close(own);
	close(kept);
	g_free(path);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	rutFilePread = readShort;
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
	g_test_add_func("/rut/memory", testMemory);
	g_test_add_func("/rut/network/sums", testNetwork);
	g_test_add_func("/rut/network/container", testNetworkContainer);
	g_test_add_func("/rut/network/packets", testPackets);
	g_test_add_func("/rut/network/identity", testNetworkIdentity);
	g_test_add_func("/rut/counter", testCounter);
	g_test_add_func("/rut/counter/lost", testCounterLost);
	g_test_add_func("/rut/counter/law", testCounterLaw);
	g_test_add_func("/rut/disk/mounts", testMounts);
	g_test_add_func("/rut/disk/all", testDisks);
	g_test_add_func("/rut/disk/away", testDiskAway);
	g_test_add_func("/rut/cpu/many", testManyCpus);
	g_test_add_func("/rut/cpu/unreadable", testCpuUnreadable);
	g_test_add_func("/rut/frequency", testFrequency);
	g_test_add_func("/rut/idle", testIdle);
	g_test_add_func("/rut/pressure", testPressure);
	g_test_add_func("/rut/counters", testCounters);
	g_test_add_func("/rut/states", testStates);
	g_test_add_func("/rut/states/back", testStatesBack);
	g_test_add_func("/rut/load", testLoad);
	g_test_add_func("/rut/swap", testSwap);
	g_test_add_func("/rut/swap/old", testSwapOld);
	g_test_add_func("/rut/storage", testStorage);
	g_test_add_func("/rut/hang", testHang);
	g_test_add_func("/rut/hang/slow", testSlow);
	g_test_add_func("/rut/counters/cpus", testCountersOfCpus);
	g_test_add_func("/rut/counters/traffic", testTraffic);
	g_test_add_func("/rut/counters/traffic/garbage", testTrafficGarbage);
	g_test_add_func("/rut/bad-reads", testBadReads);
	g_test_add_func("/rut/taken", testTakenFiles);
	g_test_add_func("/rut/nothing", testNothing);
	return g_test_run();
}
