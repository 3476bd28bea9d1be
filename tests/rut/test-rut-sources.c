/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every source over trees that stand for /proc and /sys. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "ResourcesUtilizationTracingLibrary/src/kernel/file.h"
#include "ResourcesUtilizationTracingLibrary/src/message.h"
#include "ResourcesUtilizationTracingLibrary/src/source.h"
#include "common/perf.h"
#include "tests/lib/fixture.h"

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

		if (column->type == FLOAT)
			g_string_append_printf(text, "%s%s=%.0f", i ? " " : "",
					       column->name,
					       (double)used->cells[i].f);
		else
			g_string_append_printf(text, "%s%s=%lld", i ? " " : "",
					       column->name,
					       (long long)used->cells[i].i);
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
			/* Garbage later: the last values stay. */
			fixtureWrite(root, "/proc/meminfo", "MemTotal: x\n");
			usedRead(&used, RUT_WHY_SAMPLE);
			usedExpect(&used, cases[i].values);
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

	/* eth0 wraps at 32 bits; eth1 and veth1 are gone; a new one comes; in
	 * between there was a look at the counters. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4294967290, 1020);
	netLine(text, "wlan0", 70, 7);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_FOLLOW);
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4, 1030);
	netLine(text, "wlan0", 77, 8);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	usedExpect(&used, "NET_IN_lo=0 NET_OUT_lo=0 NET_IN_eth0=4294966290 "
			  "NET_OUT_eth0=10 NET_IN_eth1=0 NET_OUT_eth1=0 "
			  "NET_IN_bond0=0 NET_OUT_bond0=0 NET_IN_vlan5=0 "
			  "NET_OUT_vlan5=0 NET_IN_br0=0 NET_OUT_br0=0 "
			  "NET_IN_veth1=0 NET_OUT_veth1=0 "
			  "NET_IN_EXT=4294966290 NET_OUT_EXT=10 "
			  "NET_IN=4294966367 NET_OUT=18");

	/* One comes again with its counters at zero; then a pause; then
	 * garbage and nothing. */
	text = g_string_new(NET_HEAD);
	netLine(text, "eth0", 4, 1030);
	netLine(text, "eth1", 3, 2);
	netWrite(root, text);
	usedRead(&used, RUT_WHY_SAMPLE);
	g_assert_cmpint(used.cells[4].i, ==, 3);
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
	for (size_t i = 0; i < used.columns.count; i++)
		g_assert_cmpint(used.cells[i].i, ==, 0);
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
		uint64_t old, new, amount;
	} cases[] = {
		{ 5, 5, 0 },
		{ 5, 9, 4 },
		/* 32 bits wrap, 64 bits wrap, a reset. */
		{ UINT32_MAX, 0, 1 },
		{ UINT32_MAX - 9, 10, 20 },
		{ UINT64_MAX, 4, 5 },
		{ 1000, 10, 10 },
		{ (uint64_t)UINT32_MAX + 1, 10, 10 },
		{ UINT32_MAX, UINT64_C(1) << 33,
		  (UINT64_C(1) << 33) - UINT32_MAX },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct rutCounter counter = { 0 };

		rutCounterBegin(&counter, cases[i].old);
		rutCounterFollow(&counter, cases[i].new);
		g_assert_cmpuint((uint64_t)rutCounterTake(&counter, 1), ==,
				 cases[i].amount);
		g_assert_cmpint(rutCounterTake(&counter, 1), ==, 0);
	}
	/* Absurd amounts are bounded, also in another unit. */
	for (int64_t unit = 1; unit <= 1000000; unit *= 1000) {
		struct rutCounter counter = { .sum = UINT64_MAX };

		g_assert_cmpint(rutCounterTake(&counter, unit), ==,
				RUT_AMOUNT_MAX);
		counter.sum += 7;
		g_assert_cmpint(rutCounterTake(&counter, unit), ==, 7 * unit);
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
	/* Garbage: nothing happened. */
	fixtureWrite(root, "/sys/class/block/sda/stat", "1 2 x\n");
	usedRead(&disks, RUT_WHY_SAMPLE);
	usedExpect(&disks, "HDD_READ=0 HDD_WRITE=0");
	usedClose(&disks);
	usedClose(&devices);
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
			g_assert_cmpfloat(cpus.cells[j + 1].f, ==,
					  j == cases[i].offline ? 0 : 100);
		g_assert_cmpfloat(cpus.cells[0].f, ==, 100);
		/* An hour of idle. */
		statWrite(root, cases[i].cpus, cases[i].irqs, cases[i].offline,
			  361000);
		usedRead(&cpus, RUT_WHY_SAMPLE);
		usedRead(&switches, RUT_WHY_SAMPLE);
		for (unsigned int j = 0; j <= cases[i].cpus; j++)
			g_assert_cmpfloat(cpus.cells[j].f, ==, 0);
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
	usedExpect(&used, "CPU_FREQ_0=800000000 CPU_FREQ_2=0");
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

/* Hardware counters of a kernel that the test makes: of each CPU four, which
 * take turns with others' and have half of the time. */

static int perfOpened, perfClosed, perfError;
static uint64_t perfSteps;

static int perfOpen(const void *attr, int pid, int cpu)
{
	(void)attr;
	g_assert_cmpint(pid, ==, -1);
	/* All other CPUs are offline. */
	if (perfError || cpu > 0)
		return perfError ? -perfError : -ENODEV;
	return perfOpened++;
}

static int perfRead(int counter, uint64_t *numbers)
{
	numbers[0] = perfSteps * 1000 * (uint64_t)(counter + 1);
	numbers[1] = perfSteps * 2000000;
	numbers[2] = perfSteps * 1000000;
	return 0;
}

static void perfClose(int counter)
{
	(void)counter;
	perfClosed++;
}

static void testCounters(void)
{
	static const struct hdPerfKernel kernel = { perfOpen, perfRead,
						    perfClose };
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
	usedClose(&used);
	g_assert_cmpint(perfClosed, ==, 4);
	/* Forbidden: nothing stays open. */
	perfError = EACCES;
	rutLogger.isSilent = true;
	g_assert_cmpint(usedOpen(&used, &rutCountersSource, &setup), ==,
			-ENOENT);
	rutLogger.isSilent = false;
	g_assert_cmpint(perfClosed, ==, 4);
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
			  "PSI_IO_SOME=0 PSI_IO_FULL=0");
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	rutFilePread = readShort;
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
	g_test_add_func("/rut/memory", testMemory);
	g_test_add_func("/rut/network/sums", testNetwork);
	g_test_add_func("/rut/network/container", testNetworkContainer);
	g_test_add_func("/rut/network/packets", testPackets);
	g_test_add_func("/rut/counter", testCounter);
	g_test_add_func("/rut/disk/mounts", testMounts);
	g_test_add_func("/rut/disk/all", testDisks);
	g_test_add_func("/rut/cpu/many", testManyCpus);
	g_test_add_func("/rut/frequency", testFrequency);
	g_test_add_func("/rut/idle", testIdle);
	g_test_add_func("/rut/pressure", testPressure);
	g_test_add_func("/rut/counters", testCounters);
	g_test_add_func("/rut/bad-reads", testBadReads);
	g_test_add_func("/rut/nothing", testNothing);
	return g_test_run();
}
