/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what the drivers for the machine's own meters read from /sys and
 * /proc, and the law of sim.
 *
 * The first byte chooses the driver. The rest is texts with a zero after each:
 * what files hold, by the kind of file. The first two are those that are read
 * again and again: at first, and later.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"
#include "common/perf.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

#define FDS 256
#define COLUMNS 16
#define LAW "idle:10,busy:30"

/* What the driver model computes power by. */
static const char powerModel[] =
	"[model]\nversion = 1\nunit = W\nidle_w = 10\nidle_low = 9\n"
	"idle_high = 11\nerror_w = 1\n"
	"[component cpu]\nw_per_percent = 0.2\nlow = 0.1\nhigh = 0.3\n"
	"[component network]\nw_per_percent = 0.01\nlow = 0\nhigh = 0.02\n"
	"max = 1e9\n"
	"[component disk-read]\nw_per_percent = 0.01\nlow = 0\nhigh = 0.02\n"
	"max = 1e9\n";

/* Texts of the input. */
enum text { VALUE, LATER, NAME, NUMBER, LIST, EVENT, SCALE, UNIT, TEXTS };

/* Files that there are, and what they hold. */
static const struct {
	const char *path;
	enum text text;
} files[] = {
	{ "/proc/stat", VALUE },
	{ "/proc/net/dev", VALUE },
	{ "/sys/block/sda/stat", VALUE },
	{ "/sys/block/sdb/stat", LIST },
	{ "/sys/fs/cgroup/cpuacct/release_agent", NAME },
	{ "/sys/fs/cgroup/cpuacct/cpuacct.usage", VALUE },
	{ "/sys/class/powercap/intel-rapl:0/name", NAME },
	{ "/sys/class/powercap/intel-rapl:0/energy_uj", VALUE },
	{ "/sys/class/powercap/intel-rapl:0/max_energy_range_uj", NUMBER },
	{ "/sys/class/powercap/intel-rapl:0:0/name", NAME },
	{ "/sys/class/powercap/intel-rapl:0:0/power_uw", VALUE },
	{ "/sys/class/hwmon/hwmon0/name", NAME },
	{ "/sys/class/hwmon/hwmon0/power1_average", VALUE },
	{ "/sys/class/hwmon/hwmon0/power1_average_interval", NUMBER },
	{ "/sys/class/hwmon/hwmon0/energy2_input", VALUE },
	{ "/sys/class/hwmon/hwmon0/energy2_label", NAME },
	{ "/sys/bus/event_source/devices/power/type", NUMBER },
	{ "/sys/bus/event_source/devices/power/cpumask", LIST },
	{ "/sys/bus/event_source/devices/power/events/energy-pkg", EVENT },
	{ "/sys/bus/event_source/devices/power/events/energy-pkg.scale",
	  SCALE },
	{ "/sys/bus/event_source/devices/power/events/energy-pkg.unit", UNIT },
	{ "/sys/devices/system/cpu/cpu0/topology/physical_package_id", NUMBER },
	{ "/sys/devices/system/cpu/present", NUMBER },
	{ "/sys/devices/system/cpu/online", LIST },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state0/name", NAME },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state0/time", VALUE },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state1/name", EVENT },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state1/time", SCALE },
	{ "/sys/devices/system/cpu/cpu1/cpufreq/stats/time_in_state", VALUE },
	{ "/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", UNIT },
};
#define FILES (sizeof(files) / sizeof(files[0]))

extern const struct ptDriver ptCstatesDriver, ptHwmonDriver, ptPerfDriver,
	ptModelDriver, ptPowercapDriver, ptPstatesDriver, ptSimDriver;

static const struct ptDriver *const drivers[] = {
	&ptPowercapDriver, &ptHwmonDriver,   &ptPerfDriver, &ptSimDriver,
	&ptCstatesDriver,  &ptPstatesDriver, &ptModelDriver
};

static char root[] = "/tmp/hdtrace-fuzz-pt-XXXXXX";
static struct {
	const char *bytes;
	size_t size;
} texts[TEXTS];
static bool isLater;
static int64_t nowNs;
static int fdTexts[FDS]; /* Which text a descriptor reads, or -1. */

/* ---- The machine ------------------------------------------------------- */

static int fuzzOpen(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fd >= FDS)
		abort();
	fdTexts[fd] = -1;
	for (size_t i = 0; i < FILES; i++) {
		if (strcmp(path + sizeof(root) - 1, files[i].path) == 0)
			fdTexts[fd] = (int)files[i].text;
	}
	return fd;
}

static ssize_t fuzzPread(int fd, void *bytes, size_t count, off_t offset)
{
	int text = fdTexts[fd];
	size_t at = (size_t)offset;

	if (text == VALUE && isLater)
		text = LATER;
	if (text < 0 || at >= texts[text].size)
		return 0;
	if (count > texts[text].size - at)
		count = texts[text].size - at;
	memcpy(bytes, texts[text].bytes + at, count);
	return (ssize_t)count;
}

static int fuzzOpenEvent(const struct perf_event_attr *attr, int pid, int cpu,
			 int leader)
{
	(void)attr;
	(void)leader;
	if (cpu < 0 || pid != -1)
		abort();
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int fuzzReadEvent(int fd, uint64_t *numbers, size_t count)
{
	int text = isLater ? LATER : VALUE;
	size_t size = texts[text].size;

	(void)fd;
	if (size == 0)
		return -ENODEV;
	memset(numbers, 0, count * sizeof(*numbers));
	memcpy(numbers, texts[text].bytes,
	       size < sizeof(*numbers) ? size : sizeof(*numbers));
	return size < sizeof(*numbers) ? -EPROTO : 0;
}

static void fuzzCloseEvent(int fd)
{
	close(fd);
}

static const struct hdPerfKernel fuzzKernel = { .open = fuzzOpenEvent,
						.read = fuzzReadEvent,
						.close = fuzzCloseEvent };

static int64_t fuzzNow(void)
{
	return nowNs;
}

static void removeTree(void)
{
	char command[sizeof(root) + 16];

	strcpy(command, "rm -rf ");
	strcat(command, root);
	if (system(command) != 0)
		abort();
}

static void makeTree(void)
{
	if (!mkdtemp(root))
		abort();
	atexit(removeTree);
	for (size_t i = 0; i < FILES; i++) {
		char path[256];
		int fd;

		strcpy(path, root);
		strcat(path, files[i].path);
		for (char *at = path + sizeof(root); *at; at++) {
			if (*at == '/') {
				*at = '\0';
				mkdir(path, 0700);
				*at = '/';
			}
		}
		fd = creat(path, 0600);
		if (fd < 0)
			abort();
		close(fd);
	}
	ptSysOpenPath = fuzzOpen;
	ptSysPread = fuzzPread;
	hdPerfFake = &fuzzKernel;
	ptNow = fuzzNow;
	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
}

/* ---- The driver -------------------------------------------------------- */

static void split(const char *data, size_t size)
{
	for (int i = 0; i < TEXTS; i++) {
		size_t length = strnlen(data, size);

		texts[i].bytes = data;
		texts[i].size = length;
		size -= length < size ? length + 1 : size;
		data += length < size + length ? length + 1 : 0;
	}
}

/* No value is nonsense, whatever the machine says. */
static void check(const struct ptDriver *driver, const struct ptColumn *columns,
		  const union hdCell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = columns[i].quantity->type == DOUBLE
				       ? cells[i].d
				       : (double)cells[i].f;

		/* A sensor of a battery that charges has less than 0 W. */
		if ((value < 0 && driver != &ptHwmonDriver &&
		     driver != &ptPowercapDriver) ||
		    isinf(value))
			abort();
		if (driver == &ptSimDriver && (value < 10 || value > 30))
			abort();
		if (columns[i].quantity->unit[0] == '%' && value > 100)
			abort();
	}
}

static void readAll(struct ptDevice *dev, const struct ptColumn *columns,
		    size_t count)
{
	union hdCell cells[COLUMNS];
	struct ptReading reading;

	if (dev->driver->start(dev) == 0) {
		for (int i = 0; i < 3; i++) {
			nowNs += HD_NS_PER_S;
			isLater = i > 0;
			if (dev->driver->read(dev, cells, &reading) < 0)
				break;
			check(dev->driver, columns, cells, count);
		}
	}
	ptDriverStop(dev);
}

/* Make columns of a channel: what there is of it. */
static size_t addColumns(const struct ptDriver *driver, struct ptColumn *column)
{
	const struct ptQuantity *quantity = driver->quantities;

	/* A state, or the clock of a CPU. */
	if (driver == &ptCstatesDriver || driver == &ptPstatesDriver) {
		column->quantity = quantity + !strchr(column->label, '-');
		return 1;
	}
	/* P and E. */
	while (quantity->name[0] != 'P')
		quantity++;
	column[0].quantity = quantity;
	column[1] = column[0];
	column[1].quantity = quantity + 1;
	return 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *options[] = { "law", LAW, "model", NULL, NULL };
	struct ptColumn columns[COLUMNS] = { 0 };
	struct ptDevice dev = { .setup = { .cycleNs = HD_NS_PER_S,
					   .root = root,
					   .wakeFd = -1,
					   .options = options } };
	const struct ptDriver *driver;
	size_t count = 0;
	char why[64];

	if (ptSysPread != fuzzPread)
		makeTree();
	if (size < 1)
		return 0;
	options[3] = memoryFile(powerModel, sizeof(powerModel) - 1);
	driver = drivers[data[0] % (sizeof(drivers) / sizeof(drivers[0]))];
	split((const char *)data + 1, size - 1);
	isLater = false;
	dev.driver = driver;
	for (size_t i = 0;
	     count < COLUMNS - 1 &&
	     driver->resolve(&dev.setup, "*", i, &columns[count].channel,
			     columns[count].label, why, sizeof(why)) == 0;
	     i++)
		count += addColumns(driver, &columns[count]);
	if (driver->open(&dev, columns, count) == 0) {
		readAll(&dev, columns, count);
		driver->close(&dev);
	}
	if (driver->checkOption && texts[NAME].size < sizeof(why)) {
		char law[sizeof(why)];

		memcpy(law, texts[NAME].bytes, texts[NAME].size);
		law[texts[NAME].size] = '\0';
		driver->checkOption("law", law, why, sizeof(why));
	}
	return 0;
}
