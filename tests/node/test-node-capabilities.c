/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* F7: what a machine is, on trees that stand for machines; and this one, beside
 * what the kernel says by other ways. */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "NodeStatus/local/machine.h"
#include "NodeStatus/local/sample.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/gpu.h"
#include "tests/lib/fixture.h"
#include "tests/node/jsonpath.h"
#include "tests/pt/fakenvml.h"

/* A CPU of x86 in /proc/cpuinfo. */
static void addX86(GString *text, int cpu, int package, int core)
{
	g_string_append_printf(
		text,
		"processor\t: %d\nvendor_id\t: GenuineIntel\n"
		"model name\t: Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz\n"
		"cpu MHz\t\t: 1200.5%d\nphysical id\t: %d\ncore id\t\t: %d\n"
		"flags\t\t: fpu vme  de pse\nbogomips\t: 5200.00\n\n",
		cpu, cpu % 10, package, core);
}

static json_t *readTree(const char *root)
{
	json_t *json = nodeMachineRead("n", root);

	g_assert_nonnull(json);
	return json;
}

/* Listing 5.2 of the thesis: two cores, no swap, slowed down for being idle. */
static void testDualCore(void)
{
	char *root = fixtureCreate();
	json_t *json;

	fixtureWrite(root, "/proc/cpuinfo", "%s",
		     "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
		     "model name\t: AMD Athlon(tm) 64 X2 Dual Core Processor "
		     "4200+\ncpu MHz\t\t: 1000.000\nphysical id\t: 0\n"
		     "core id\t\t: 0\nflags\t\t: fpu vme hypervisor\n\n"
		     "processor\t: 1\nvendor_id\t: AuthenticAMD\n"
		     "cpu MHz\t\t: 1000.000\nphysical id\t: 0\n"
		     "core id\t\t: 1\n\n");
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	fixtureWrite(root, "/proc/meminfo",
		     "MemTotal: 3928528 kB\nSwapTotal: 0 kB\n");
	json = readTree(root);
	jsonIs(json, "cpus", "2");
	jsonIs(json, "packages", "1");
	jsonIs(json, "cores", "2");
	jsonIs(json, "threads_per_core", "1");
	jsonIs(json, "vendor", "\"AuthenticAMD\"");
	jsonIs(json, "model",
	       "\"AMD Athlon(tm) 64 X2 Dual Core Processor 4200+\"");
	jsonIs(json, "flags", "[\"fpu\", \"vme\", \"hypervisor\"]");
	jsonIs(json, "is_virtual", "true");
	jsonIs(json, "memory_bytes", "4022812672");
	jsonIs(json, "swap_bytes", "0");
	jsonIs(json, "cpu.1.mhz", "1000.0");
	jsonIs(json, "mhz_nominal", "null");
	jsonIs(json, "topology_source", "\"kernel\"");
	json_decref(json);
	fixtureRemove(root);
}

/* Two packages of two cores of two threads, numbered as Intel's are; and one of
 * them offline, of which cpuinfo has nothing. */
static void testSmt(void)
{
	char *root = fixtureCreate();
	GString *text = g_string_new(NULL);
	json_t *json;

	for (int i = 0; i < 7; i++)
		addX86(text, i, i / 2 % 2, i % 2 ? 4 : 0);
	fixtureWrite(root, "/proc/cpuinfo", "%s", text->str);
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-7\n");
	fixtureWrite(root, "/sys/devices/system/cpu/online", "0-6\n");
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
		     "2700000\n");
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
		     "3300000\n");
	fixtureWrite(root, "/sys/devices/system/node/node0/cpulist", "0\n");
	fixtureWrite(root, "/sys/devices/system/node/node1/cpulist", "1\n");
	fixtureWrite(root, "/sys/devices/system/node/online", "0-1\n");
	json = readTree(root);
	jsonIs(json, "cpus", "7");
	jsonIs(json, "cpus_present", "8");
	jsonIs(json, "packages", "2");
	jsonIs(json, "cores", "4");
	/* Not all cores have the same. */
	jsonIs(json, "threads_per_core", "null");
	jsonIs(json, "numa_nodes", "2");
	jsonIs(json, "mhz_nominal", "2600.0");
	jsonIs(json, "mhz_max", "3300.0");
	jsonIs(json, "cpu.0.mhz", "2700.0");
	jsonIs(json, "cpu.3",
	       "{\"cpu\": 3, \"package\": 1, \"core\": 4, \"online\": true, "
	       "\"mhz\": 1200.53}");
	jsonIs(json, "cpu.7",
	       "{\"cpu\": 7, \"package\": null, \"core\": null, \"online\": "
	       "false, \"mhz\": null}");
	json_decref(json);

	addX86(text, 7, 1, 4);
	fixtureWrite(root, "/proc/cpuinfo", "%s", text->str);
	fixtureWrite(root, "/sys/devices/system/cpu/online", "0-7\n");
	json = readTree(root);
	jsonIs(json, "cpus", "8");
	jsonIs(json, "cores", "4");
	jsonIs(json, "threads_per_core", "2");
	json_decref(json);
	g_string_free(text, TRUE);
	fixtureRemove(root);
}

/* ARM: cpuinfo has neither package nor model, /sys has the topology. */
static void testArm(void)
{
	char *root = fixtureCreate();
	json_t *json;

	fixtureWrite(root, "/proc/cpuinfo", "%s",
		     "processor\t: 0\nBogoMIPS\t: 50.00\n"
		     "Features\t: fp asimd evtstrm\nCPU implementer\t: 0x41\n"
		     "CPU part\t: 0xd0c\n\nprocessor\t: 1\n"
		     "Features\t: fp asimd evtstrm\n\n");
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	for (int i = 0; i < 2; i++) {
		char *path = g_strdup_printf("/sys/devices/system/cpu/cpu%d/"
					     "topology/physical_package_id",
					     i);
		char *core = g_strdup_printf(
			"/sys/devices/system/cpu/cpu%d/topology/core_id", i);

		fixtureWrite(root, path, "36\n");
		fixtureWrite(root, core, "%d\n", i);
		g_free(path);
		g_free(core);
	}
	json = readTree(root);
	jsonIs(json, "packages", "1");
	jsonIs(json, "cores", "2");
	jsonIs(json, "model", "null");
	jsonIs(json, "vendor", "\"0x41\"");
	jsonIs(json, "flags", "[\"fp\", \"asimd\", \"evtstrm\"]");
	jsonIs(json, "is_virtual", "false");
	jsonIs(json, "mhz_nominal", "null");
	jsonIs(json, "cpu.0.mhz", "null");
	json_decref(json);
	/* A package that says that it is none: -1. */
	fixtureWrite(
		root,
		"/sys/devices/system/cpu/cpu0/topology/physical_package_id",
		"-1\n");
	json = readTree(root);
	jsonIs(json, "packages", "null");
	jsonIs(json, "cores", "null");
	json_decref(json);
	fixtureRemove(root);
}

static void testDevices(void)
{
	char *root = fixtureCreate();
	json_t *json;

	fixtureWrite(root, "/sys/block/sda/size", "1953525168\n");
	fixtureWrite(root, "/sys/block/sda/queue/rotational", "1\n");
	fixtureWrite(root, "/sys/block/sda/device/model", "ST1000NM0033    \n");
	fixtureWrite(root, "/sys/block/nvme0n1/size", "100\n");
	fixtureWrite(root, "/sys/block/nvme0n1/queue/rotational", "0\n");
	fixtureWrite(root, "/sys/block/nvme0n1/device/state", "live\n");
	fixtureWrite(root, "/sys/block/loop0/size", "8\n");
	fixtureWrite(root, "/sys/block/bad0/device/x", "\n");
	fixtureWrite(root, "/sys/block/bad0/size", "many\n");
	fixtureWrite(root, "/sys/class/net/eth0/speed", "10000\n");
	fixtureWrite(root, "/sys/class/net/eth0/device/x", "\n");
	fixtureWrite(root, "/sys/class/net/eth1/speed", "-1\n");
	fixtureWrite(root, "/sys/class/net/eth1/device/x", "\n");
	fixtureWrite(root, "/sys/class/net/br0/x", "\n");
	fixtureWrite(root, "/sys/class/net/lo/x", "\n");
	json = readTree(root);
	jsonIs(json, "disks",
	       "[{\"name\": \"bad0\", \"bytes\": null, \"model\": null, "
	       "\"rotates\": null}, {\"name\": \"nvme0n1\", \"bytes\": 51200, "
	       "\"model\": null, \"rotates\": false}, {\"name\": \"sda\", "
	       "\"bytes\": 1000204886016, \"model\": \"ST1000NM0033\", "
	       "\"rotates\": true}]");
	jsonIs(json, "nics",
	       "[{\"name\": \"br0\", \"bits_per_s\": null, \"is_hardware\": "
	       "false}, {\"name\": \"eth0\", \"bits_per_s\": 10000000000, "
	       "\"is_hardware\": true}, {\"name\": \"eth1\", \"bits_per_s\": "
	       "null, \"is_hardware\": true}]");
	json_decref(json);
	fixtureRemove(root);
}

static json_t *nextStatus(struct nodeSample *sample)
{
	nodeSampleRead(sample);
	nodeSampleTake(sample);
	return nodeSampleJson(sample);
}

/* GPUs: what they are, what they do, and one that is lost. */
static void testGpus(void)
{
	const char *build = g_getenv("abs_top_builddir");
	char *library = g_build_filename(build ? build : ".", "tests", "pt",
					 "fakenvml.so", NULL);
	void *handle = dlopen(library, RTLD_NOW);
	fakeNvmlGetter *get;
	struct fakeNvml *fake;
	char *root = fixtureCreate();
	struct nodeSample sample;
	json_t *json;

	g_assert_nonnull(handle);
	*(void **)(void *)&get = dlsym(handle, "fakeNvmlGet");
	g_assert_nonnull(get);
	fake = get();
	fake->count = 3;
	fake->gpus[0] = (struct fakeGpu){ .name = "A",
					  .memoryTotal = 1000,
					  .memoryUsed = 10,
					  .usePercent = 50 };
	fake->gpus[1] = (struct fakeGpu){ .name = "B",
					  .memoryTotal = 2000,
					  .usePercent = 20,
					  .memoryResult = 3 };
	fake->gpus[2] = (struct fakeGpu){ .name = "C", .handleResult = 15 };
	rutGpuLibrary = library;
	nodeSampleBegin(&sample, root);
	json = nodeSampleGpus(&sample);
	jsonIs(json, "0", "{\"name\": \"A\", \"memory_bytes\": 1000}");
	jsonIs(json, "1", "{\"name\": \"B\", \"memory_bytes\": null}");
	/* What tells nothing is none. */
	g_assert_cmpuint(json_array_size(json), ==, 2);
	json_decref(json);
	json = nextStatus(&sample);
	jsonIs(json, "gpus.0",
	       "{\"gpu\": 0, \"use_percent\": 50.0, "
	       "\"memory_used_bytes\": 10, \"memory_bytes\": 1000, "
	       "\"name\": \"A\"}");
	jsonIs(json, "gpus.1",
	       "{\"gpu\": 1, \"use_percent\": 20.0, \"name\": \"B\", "
	       "\"memory_used_bytes\": null, \"memory_bytes\": null}");
	json_decref(json);
	/* One that is lost, and is back. */
	fake->gpus[0].handleResult = 15;
	json = nextStatus(&sample);
	jsonIs(json, "gpus.0.use_percent", "null");
	jsonIs(json, "gpus.0.memory_used_bytes", "null");
	jsonIs(json, "gpus.1.use_percent", "20.0");
	json_decref(json);
	fake->gpus[0].handleResult = 0;
	fake->gpus[0].usePercent = 60;
	json = nextStatus(&sample);
	jsonIs(json, "gpus.0.use_percent", "60.0");
	json_decref(json);
	nodeSampleEnd(&sample);
	g_assert_cmpint(fake->inits, ==, 1);
	g_assert_cmpint(fake->shutdowns, ==, 1);
	g_assert_false(fake->isMisused);
	/* A driver that does not work is none. */
	fake->initResult = 9;
	nodeSampleBegin(&sample, root);
	json = nextStatus(&sample);
	jsonIs(json, "gpus", "[]");
	json_decref(json);
	nodeSampleEnd(&sample);
	dlclose(handle);
	g_free(library);
	fixtureRemove(root);
}

/* Nothing: everything is null, and no key is missing. */
static void testNothing(void)
{
	static const char *const keys[] = {
		"kernel",       "boot_id",          "architecture",
		"cpus",         "packages",         "cores",
		"model",        "vendor",           "flags",
		"is_virtual",   "mhz_nominal",      "mhz_max",
		"numa_nodes",   "memory_bytes",     "swap_bytes",
		"cpus_present", "threads_per_core",
	};
	char *root = fixtureCreate();
	json_t *json = readTree(root);

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		g_test_message("%s", keys[i]);
		jsonIs(json, keys[i], "null");
	}
	jsonIs(json, "name", "\"n\"");
	jsonIs(json, "cpu", "[]");
	json_decref(json);
	/* Not even text. */
	fixtureWrite(
		root, "/proc/cpuinfo", "%s",
		"processor\t: 0\nmodel name\t: M\xfc\nprocessor\t: x\n:\n");
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0\n");
	json = readTree(root);
	jsonIs(json, "model", "\"M?\"");
	json_decref(json);
	fixtureRemove(root);
}

/* This machine, by the C library: sysinfo() counts in units of its own. */
static void testHere(void)
{
	json_t *json = nodeMachineRead("here", "");
	struct sysinfo is;

	g_assert_cmpint(sysinfo(&is), ==, 0);
	g_assert_cmpint(json_integer_value(json_object_get(json, "cpus")), ==,
			sysconf(_SC_NPROCESSORS_ONLN));
	g_assert_cmpuint((guint64)json_integer_value(
				 json_object_get(json, "memory_bytes")),
			 ==, (guint64)is.totalram * is.mem_unit);
	g_assert_cmpuint((guint64)json_integer_value(
				 json_object_get(json, "swap_bytes")),
			 ==, (guint64)is.totalswap * is.mem_unit);
	json_decref(json);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node-capabilities/dual core", testDualCore);
	g_test_add_func("/node-capabilities/packages, threads and offline CPUs",
			testSmt);
	g_test_add_func("/node-capabilities/ARM", testArm);
	g_test_add_func("/node-capabilities/disks and network interfaces",
			testDevices);
	g_test_add_func("/node-capabilities/GPUs", testGpus);
	g_test_add_func("/node-capabilities/empty machine", testNothing);
	g_test_add_func("/node-capabilities/this machine", testHere);
	return g_test_run();
}
