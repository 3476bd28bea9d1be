/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the parsers of libRUT's sources.
 *
 * The first byte chooses the source. What follows is the content of every file
 * that the source reads; the second byte tells where it is cut in two, the
 * second part being what the files hold later.
 */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "tests/fuzz/fuzz.h"

/* Files that must exist to be opened; what is in them comes from fuzzPread. */
static const char *const files[] = {
	"/proc/stat",
	"/proc/meminfo",
	"/proc/schedstat",
	"/proc/net/dev",
	"/proc/self/mountinfo",
	"/proc/pressure/cpu",
	"/proc/pressure/memory",
	"/proc/pressure/io",
	"/sys/devices/system/cpu/present",
	"/sys/devices/system/cpu/possible",
	"/sys/devices/system/cpu/online",
	"/sys/devices/system/cpu/cpu0/cpuidle/state0/time",
	"/sys/devices/system/cpu/cpu0/cpuidle/state0/name",
	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
	"/sys/fs/cgroup/cpuacct/release_agent",
	"/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu",
	"/sys/block/sda/device",
	"/sys/class/block/sda/stat",
	"/sys/dev/block/8:1/stat",
};

static char root[] = "/tmp/hdtrace-fuzz-rut-XXXXXX";
static const uint8_t *content;
static size_t contentSize;

static ssize_t fuzzPread(int fd, void *bytes, size_t count, off_t offset)
{
	size_t at = (size_t)offset;

	(void)fd;
	if (at >= contentSize)
		return 0;
	if (count > contentSize - at)
		count = contentSize - at;
	memcpy(bytes, content + at, count);
	return (ssize_t)count;
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
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[256];
		int fd;

		strcpy(path, root);
		strcat(path, files[i]);
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
	rutFilePread = fuzzPread;
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
}

static void noCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

static void readAll(const struct rutSource *source,
		    const struct rutSetup *setup, const uint8_t *later,
		    size_t laterSize)
{
	struct rutColumns columns = { 0 };
	union hdCell *cells;
	void *state;

	if (source->open(setup, &columns, &state) == 0) {
		cells = calloc(columns.count, sizeof(*cells));
		if (!cells)
			abort();
		source->read(state, RUT_WHY_BEGIN, cells);
		source->read(state, RUT_WHY_SAMPLE, cells);
		content = later;
		contentSize = laterSize;
		source->read(state, RUT_WHY_FOLLOW, cells);
		source->read(state, RUT_WHY_SAMPLE, cells);
		/* No value is nonsense, whatever the kernel says; NaN is none.
		 */
		for (size_t i = 0; i < columns.count; i++) {
			if (columns.list[i].type == FLOAT &&
			    !isnan(cells[i].f) &&
			    !(cells[i].f >= 0 && cells[i].f <= 100))
				abort();
		}
		free(cells);
		source->close(state);
	}
	rutColumnsTruncate(&columns, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rutSetup setup = {
		.root = root,
		.intervalNs = 10000000,
		.getCost = noCost,
	};
	size_t count = 0, cut;

	if (!rutFilePread || rutFilePread != fuzzPread)
		makeTree();
	while (rutLinuxSources[count])
		count++;
	if (size < 2)
		return 0;
	cut = 2 + (size - 2) * data[1] / 255;
	content = data + 2;
	contentSize = cut - 2;
	RUTSRC_SET_ALL(setup.sources);
	RUTSRC_SET_MORE(setup.sources);
	if (data[0] & 0x80)
		setup.mountPoint = "/m";
	setup.cpuSource = (enum rutCpuSource)((data[0] >> 4 & 7) % 5);
	readAll(rutLinuxSources[(data[0] & 31) % count], &setup, data + cut,
		size - cut);
	return 0;
}
