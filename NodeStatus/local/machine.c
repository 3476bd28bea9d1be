/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a machine is, from /proc and /sys, and by hwloc where that is.
 *
 * /proc/cpuinfo of x86 says which package and core a CPU is; that of ARM and
 * others does not, but /sys does, also of CPUs that are offline as far as it
 * can. hwloc is asked of this machine only, not of trees that stand for one.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <glib.h>

#include "NodeStatus/local/json.h"
#include "NodeStatus/local/machine.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/cpulist.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"

/* A CPU; -1: not known. */
struct cpu {
	unsigned int number;
	int package, core;
	bool isOnline;
	double mhz; /* Now; NaN. */
};

struct machine {
	const char *root;
	struct cpu *cpus;
	size_t count;
	char *model, *vendor, *flags;
	int64_t memory, swap;
};

/* ---- /proc/cpuinfo ----------------------------------------------------- */

/* Take "key<blanks>: value" apart, in place; the value or NULL. */
static char *splitLine(char *line)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	g_strchomp(line);
	return g_strstrip(colon + 1);
}

static struct cpu *cpuOf(struct machine *machine, const char *number)
{
	char *end;
	unsigned long n = strtoul(number, &end, 10);

	for (size_t i = 0; end != number && i < machine->count; i++)
		if (machine->cpus[i].number == n)
			return &machine->cpus[i];
	return NULL;
}

static void nodeMachineAddText(char **where, const char *value)
{
	if (!*where && *value)
		*where = g_strdup(value);
}

/* A line of cpuinfo, whatever the architecture calls it. */
static void nodeMachineAddLine(struct machine *machine, struct cpu *cpu,
			       const char *key, const char *value)
{
	if (strcmp(key, "model name") == 0 || strcmp(key, "Model") == 0 ||
	    strcmp(key, "cpu") == 0)
		nodeMachineAddText(&machine->model, value);
	else if (strcmp(key, "vendor_id") == 0 ||
		 strcmp(key, "CPU implementer") == 0)
		nodeMachineAddText(&machine->vendor, value);
	else if (strcmp(key, "flags") == 0 || strcmp(key, "Features") == 0)
		nodeMachineAddText(&machine->flags, value);
	else if (cpu && strcmp(key, "physical id") == 0)
		cpu->package = atoi(value);
	else if (cpu && strcmp(key, "core id") == 0)
		cpu->core = atoi(value);
	else if (cpu && strcmp(key, "cpu MHz") == 0)
		cpu->mhz = g_ascii_strtod(value, NULL);
}

static void readCpuinfo(struct machine *machine)
{
	char *path = g_strconcat(machine->root, "/proc/cpuinfo", NULL), *text;
	struct cpu *cpu = NULL;
	char **lines;

	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		g_free(path);
		return;
	}
	lines = g_strsplit(text, "\n", -1);
	for (size_t i = 0; lines[i]; i++) {
		char *value = splitLine(lines[i]);

		if (!value)
			continue;
		if (strcmp(lines[i], "processor") == 0)
			cpu = cpuOf(machine, value);
		else
			nodeMachineAddLine(machine, cpu, lines[i], value);
	}
	g_strfreev(lines);
	g_free(text);
	g_free(path);
}

/* ---- /sys/devices/system/cpu ------------------------------------------- */

static void takeId(int *id, const char *root, unsigned int cpu,
		   const char *name)
{
	uint64_t number;

	if (ptSysGetNumber(&number, root,
			   "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			   name) == 0 &&
	    number < INT_MAX)
		*id = (int)number;
}

static void readCpu(struct machine *machine, struct cpu *cpu)
{
	uint64_t khz;

	takeId(&cpu->package, machine->root, cpu->number,
	       "physical_package_id");
	takeId(&cpu->core, machine->root, cpu->number, "core_id");
	if (ptSysGetNumber(
		    &khz, machine->root,
		    "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
		    cpu->number) == 0)
		cpu->mhz = (double)khz / 1000;
}

static void findCpus(struct machine *machine)
{
	struct rutCpuList present = { 0 }, online = { 0 };
	size_t hint = 0;

	if (rutCpuListGet(&present, machine->root, "present") < 0)
		return;
	machine->cpus = g_new0(struct cpu, present.count + 1);
	machine->count = present.count;
	if (rutCpuListGet(&online, machine->root, "online") < 0)
		online = (struct rutCpuList){ 0 };
	for (size_t i = 0; i < present.count; i++) {
		struct cpu *cpu = &machine->cpus[i];

		cpu->number = present.numbers[i];
		cpu->package = cpu->core = -1;
		cpu->mhz = NAN;
		cpu->isOnline = online.count == 0 ||
				rutCpuListFind(&online, cpu->number, &hint) <
					online.count;
	}
	rutCpuListClear(&present);
	rutCpuListClear(&online);
}

/* ---- What follows from the CPUs ---------------------------------------- */

/* How many different packages, or cores of packages, are online; -1 if any is
 * not known. */
static int64_t countUnits(const struct machine *machine, bool isCore)
{
	GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						 g_free, NULL);
	bool isKnown = true;
	int64_t count;

	for (size_t i = 0; i < machine->count; i++) {
		const struct cpu *cpu = &machine->cpus[i];
		gint64 *unit;

		if (!cpu->isOnline)
			continue;
		if (cpu->package < 0 || (isCore && cpu->core < 0))
			isKnown = false;
		unit = g_new(gint64, 1);
		*unit = (gint64)((guint64)(uint32_t)cpu->package << 32 |
				 (isCore ? (uint32_t)cpu->core : 0));
		g_hash_table_add(seen, unit);
	}
	count = g_hash_table_size(seen);
	g_hash_table_unref(seen);
	return isKnown && count > 0 ? count : -1;
}

static int64_t countOnline(const struct machine *machine)
{
	int64_t count = 0;

	for (size_t i = 0; i < machine->count; i++)
		count += machine->cpus[i].isOnline;
	return count > 0 ? count : -1;
}

/* What the vendor says that it runs at: of the kernel, or in its name. */
static double nominalMhz(const struct machine *machine)
{
	const char *at = machine->model ? strrchr(machine->model, '@') : NULL;
	uint64_t khz;
	double ghz;
	char *end;

	if (ptSysGetNumber(
		    &khz, machine->root,
		    "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency") == 0)
		return (double)khz / 1000;
	if (!at)
		return NAN;
	ghz = g_ascii_strtod(at + 1, &end);
	return end > at + 1 && g_str_has_prefix(end, "GHz") ? ghz * 1000 : NAN;
}

static double maxMhz(const struct machine *machine)
{
	uint64_t khz;

	return ptSysGetNumber(&khz, machine->root,
			      "/sys/devices/system/cpu/cpu0/cpufreq/"
			      "cpuinfo_max_freq") == 0
		       ? (double)khz / 1000
		       : NAN;
}

static int64_t countNuma(const struct machine *machine)
{
	char **names;
	ssize_t count = ptSysListNames(&names, machine->root,
				       "/sys/devices/system/node");
	int64_t nodes = 0;

	if (count < 0)
		return -1;
	for (ssize_t i = 0; i < count; i++)
		nodes += g_str_has_prefix(names[i], "node") &&
			 g_ascii_isdigit(names[i][4]);
	ptSysFreeNames(names, (size_t)count);
	return nodes > 0 ? nodes : -1;
}

/* ---- Memory ------------------------------------------------------------ */

static void readMemory(struct machine *machine)
{
	struct rutFile file;
	struct hdScan scan;
	uint64_t kib;

	machine->memory = machine->swap = -1;
	if (rutFileGet(&file, &scan, machine->root, "/proc/meminfo") < 0)
		return;
	do {
		int64_t *where =
			hdScanLiteral(&scan, "MemTotal:")    ? &machine->memory
			: hdScanLiteral(&scan, "SwapTotal:") ? &machine->swap
							     : NULL;

		if (where && hdScanNumber(&scan, &kib) &&
		    kib < INT64_MAX / 1024)
			*where = (int64_t)kib * 1024;
	} while (hdScanNextLine(&scan));
	rutFileClose(&file);
}

/* ---- Devices ----------------------------------------------------------- */

static bool nodeMachineIsThere(const char *root, const char *folder,
			       const char *name, const char *file)
{
	return rutFileExists(root, "%s/%s/%s", folder, name, file);
}

static json_t *describeDisk(const char *root, const char *name)
{
	char model[256];
	uint64_t sectors, rotates;

	if (ptSysGetNumber(&sectors, root, "/sys/block/%s/size", name) < 0 ||
	    sectors > INT64_MAX / 512)
		sectors = UINT64_MAX;
	if (ptSysGetNumber(&rotates, root, "/sys/block/%s/queue/rotational",
			   name) < 0)
		rotates = 2;
	if (ptSysGetLine(model, sizeof(model), root,
			 "/sys/block/%s/device/model", name) < 0)
		*model = '\0';
	return json_pack("{sososo so}", "name", nodeJsonText(name), "bytes",
			 nodeJsonCount(sectors == UINT64_MAX
					       ? -1
					       : (int64_t)sectors * 512),
			 "model", nodeJsonText(g_strstrip(model)), "rotates",
			 nodeJsonBool(rotates < 2 ? (int)rotates : -1));
}

static json_t *listDisks(const char *root)
{
	json_t *list = json_array();
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/block");

	for (ssize_t i = 0; i < count; i++)
		if (nodeMachineIsThere(root, "/sys/block", names[i], "device"))
			json_array_append_new(list,
					      describeDisk(root, names[i]));
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	return list;
}

int64_t nodeLinkSpeed(const char *root, const char *name)
{
	uint64_t megabits;

	/* Without a link it is -1, which is no number here, or an error. */
	if (ptSysGetNumber(&megabits, root, "/sys/class/net/%s/speed", name) <
		    0 ||
	    megabits == 0 || megabits >= UINT32_MAX)
		return -1;
	return (int64_t)megabits * 1000000;
}

static json_t *listNics(const char *root)
{
	json_t *list = json_array();
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/class/net");

	for (ssize_t i = 0; i < count; i++) {
		bool isHardware = nodeMachineIsThere(root, "/sys/class/net",
						     names[i], "device");

		if (strcmp(names[i], "lo") == 0 ||
		    !nodeMachineIsThere(root, "/sys/class/net", names[i], "."))
			continue;
		json_array_append_new(
			list,
			json_pack("{sososo}", "name", nodeJsonText(names[i]),
				  "bits_per_s",
				  nodeJsonCount(nodeLinkSpeed(root, names[i])),
				  "is_hardware", json_boolean(isHardware)));
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	return list;
}

/* ---- All of it --------------------------------------------------------- */

static json_t *listFlags(const struct machine *machine)
{
	json_t *list;
	char **words;

	if (!machine->flags)
		return json_null();
	list = json_array();
	words = g_strsplit_set(machine->flags, " \t", -1);
	for (size_t i = 0; words[i]; i++)
		if (*words[i])
			json_array_append_new(list, nodeJsonText(words[i]));
	g_strfreev(words);
	return list;
}

static json_t *listCpus(const struct machine *machine)
{
	json_t *list = json_array();

	for (size_t i = 0; i < machine->count; i++) {
		const struct cpu *cpu = &machine->cpus[i];

		json_array_append_new(
			list,
			json_pack("{sisososo so}", "cpu", (int)cpu->number,
				  "package", nodeJsonCount(cpu->package),
				  "core", nodeJsonCount(cpu->core), "online",
				  json_boolean(cpu->isOnline), "mhz",
				  nodeJsonReal(cpu->mhz)));
	}
	return list;
}

static void setLine(json_t *result, const char *key, const char *root,
		    const char *path)
{
	char line[256];

	if (ptSysGetLine(line, sizeof(line), root, "%s", path) < 0)
		*line = '\0';
	json_object_set_new(result, key, nodeJsonText(line));
}

static void setSystem(json_t *result, const struct machine *machine)
{
	struct utsname name;

	setLine(result, "kernel", machine->root, "/proc/sys/kernel/osrelease");
	setLine(result, "boot_id", machine->root,
		"/proc/sys/kernel/random/boot_id");
	json_object_set_new(result, "architecture",
			    nodeJsonText(*machine->root || uname(&name) != 0
						 ? NULL
						 : name.machine));
}

static void setTopology(json_t *result, const struct machine *machine)
{
	struct nodeTopology topology = { -1, -1, -1, -1 };
	bool isHwloc = !*machine->root && nodeHwloc(&topology) == 0;
	int64_t cpus = countOnline(machine), cores;

	if (!isHwloc || topology.packages < 1)
		topology.packages = (int)countUnits(machine, false);
	if (!isHwloc || topology.cores < 1)
		topology.cores = (int)countUnits(machine, true);
	if (!isHwloc || topology.numaNodes < 1)
		topology.numaNodes = (int)countNuma(machine);
	cores = topology.cores;
	json_object_set_new(result, "cpus", nodeJsonCount(cpus));
	json_object_set_new(
		result, "cpus_present",
		nodeJsonCount(machine->count ? (int64_t)machine->count : -1));
	json_object_set_new(result, "packages",
			    nodeJsonCount(topology.packages));
	json_object_set_new(result, "cores", nodeJsonCount(cores));
	json_object_set_new(result, "threads_per_core",
			    cores > 0 && cpus > 0 && cpus % cores == 0
				    ? json_integer(cpus / cores)
				    : json_null());
	json_object_set_new(result, "numa_nodes",
			    nodeJsonCount(topology.numaNodes));
	json_object_set_new(result, "topology_source",
			    json_string(isHwloc ? "hwloc" : "kernel"));
}

/* Whether the processor says that it is no real one. */
static int isVirtual(const struct machine *machine)
{
	char **words;
	int found;

	if (!machine->flags)
		return -1;
	words = g_strsplit_set(machine->flags, " \t", -1);
	found = g_strv_contains((const char *const *)words, "hypervisor");
	g_strfreev(words);
	return found;
}

json_t *nodeMachineRead(const char *name, const char *root)
{
	struct machine machine = { .root = root };
	json_t *result = json_object();

	findCpus(&machine);
	readCpuinfo(&machine);
	for (size_t i = 0; i < machine.count; i++)
		readCpu(&machine, &machine.cpus[i]);
	readMemory(&machine);
	json_object_set_new(result, "name", nodeJsonText(name));
	setSystem(result, &machine);
	setTopology(result, &machine);
	json_object_set_new(result, "model", nodeJsonText(machine.model));
	json_object_set_new(result, "vendor", nodeJsonText(machine.vendor));
	json_object_set_new(result, "is_virtual",
			    nodeJsonBool(isVirtual(&machine)));
	json_object_set_new(result, "mhz_nominal",
			    nodeJsonReal(nominalMhz(&machine)));
	json_object_set_new(result, "mhz_max", nodeJsonReal(maxMhz(&machine)));
	json_object_set_new(result, "memory_bytes",
			    nodeJsonCount(machine.memory));
	json_object_set_new(result, "swap_bytes", nodeJsonCount(machine.swap));
	json_object_set_new(result, "disks", listDisks(root));
	json_object_set_new(result, "nics", listNics(root));
	json_object_set_new(result, "cpu", listCpus(&machine));
	json_object_set_new(result, "flags", listFlags(&machine));
	g_free(machine.cpus);
	g_free(machine.model);
	g_free(machine.vendor);
	g_free(machine.flags);
	return result;
}
