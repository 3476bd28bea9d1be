/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of sources, and which of them work here. */
#include "config.h"

#include <string.h>

#include "ResourcesUtilizationTracingLibrary/rut/rut.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "common/clock.h"

#define SETTER(field)                                \
	static void set_##field(rutSources *sources) \
	{                                            \
		sources->field = 1;                  \
	}

SETTER(CPU_UTIL)
SETTER(CPU_UTIL_X)
SETTER(MEM_USED)
SETTER(MEM_FREE)
SETTER(MEM_SHARED)
SETTER(MEM_BUFFER)
SETTER(MEM_CACHED)
SETTER(NET_IN_X)
SETTER(NET_OUT_X)
SETTER(NET_IN_EXT)
SETTER(NET_OUT_EXT)
SETTER(NET_IN)
SETTER(NET_OUT)
SETTER(HDD_READ)
SETTER(HDD_WRITE)
SETTER(CTX_SWITCHES)
SETTER(CPU_FREQ_X)
SETTER(CPU_IDLE_X)
SETTER(HDD_DEV_X)
SETTER(NET_PACKETS_X)
SETTER(PRESSURE)
SETTER(TRACER)
SETTER(HW_COUNTERS)
SETTER(CPU_STATES)
SETTER(CPU_STATES_X)
SETTER(LOAD)
SETTER(MEM_AVAILABLE)
SETTER(SWAP)
SETTER(STORAGE)
SETTER(HW_COUNTERS_X)
SETTER(MEM_TRAFFIC)
SETTER(GPU_X)

/* Those of the thesis, and those beyond it. */
#define THESIS "all"
#define MORE "more"

static const struct {
	const char *name;
	const char *group;
	const char *set;
	const char *unit; /* Where the source cannot be asked. */
	const char *text;
	void (*setter)(rutSources *sources);
} sources[] = {
#define SOURCE(name, group, set, unit, text)              \
	{                                                 \
#name, group, set, unit, text, set_##name \
	}
	SOURCE(CPU_UTIL, "cpu", THESIS, "%", "utilization of all CPUs"),
	SOURCE(CPU_UTIL_X, "cpu", THESIS, "%", "utilization of each CPU"),
	SOURCE(MEM_USED, "mem", THESIS, "B", "memory used"),
	SOURCE(MEM_FREE, "mem", THESIS, "B", "memory free"),
	SOURCE(MEM_SHARED, "mem", THESIS, "B", "memory shared"),
	SOURCE(MEM_BUFFER, "mem", THESIS, "B", "memory used as buffers"),
	SOURCE(MEM_CACHED, "mem", THESIS, "B", "memory cached"),
	SOURCE(NET_IN_X, "net", THESIS, "B", "incoming, each interface"),
	SOURCE(NET_OUT_X, "net", THESIS, "B", "outgoing, each interface"),
	SOURCE(NET_IN_EXT, "net", THESIS, "B", "incoming, external interfaces"),
	SOURCE(NET_OUT_EXT, "net", THESIS, "B",
	       "outgoing, external interfaces"),
	SOURCE(NET_IN, "net", THESIS, "B", "incoming, all interfaces"),
	SOURCE(NET_OUT, "net", THESIS, "B", "outgoing, all interfaces"),
	SOURCE(HDD_READ, "hdd", THESIS, "B", "read from disk"),
	SOURCE(HDD_WRITE, "hdd", THESIS, "B", "written to disk"),
	SOURCE(CTX_SWITCHES, "ctx", MORE, "switches", "context switches"),
	SOURCE(CPU_FREQ_X, "freq", MORE, "Hz", "frequency of each CPU"),
	SOURCE(CPU_IDLE_X, "idle", MORE, "%", "idle states of each CPU"),
	SOURCE(HDD_DEV_X, "dev", MORE, "B", "counters of each block device"),
	SOURCE(NET_PACKETS_X, "packets", MORE, "packets",
	       "packets, errors, drops of each interface"),
	SOURCE(PRESSURE, "psi", MORE, "%", "tasks waiting for a resource"),
	SOURCE(CPU_STATES, "state", MORE, "%", "user, system, ... of all CPUs"),
	SOURCE(CPU_STATES_X, "state", MORE, "%",
	       "user, system, ... of each CPU"),
	SOURCE(LOAD, "load", MORE, "tasks", "load of 1, 5, 15 minutes"),
	SOURCE(MEM_AVAILABLE, "swap", MORE, "B",
	       "memory available to programs"),
	SOURCE(SWAP, "swap", MORE, "B", "swap: used, free, in, out"),
	SOURCE(STORAGE, "storage", MORE, "B",
	       "size and free space of file systems"),
	SOURCE(TRACER, "tracer", MORE, "ns", "cost of tracing"),
	SOURCE(HW_COUNTERS, "hw", "hw", "cycles", "hardware counters"),
	SOURCE(HW_COUNTERS_X, "hw", "hw", "cycles",
	       "hardware counters of each CPU"),
	SOURCE(MEM_TRAFFIC, "hw", "hw", "B", "bytes from and to memory"),
	SOURCE(GPU_X, "gpu", "gpu", "%",
	       "utilization and memory of each NVIDIA GPU"),
};

static gboolean sourcesSet(const char *name, rutSources *set)
{
	gboolean isKnown = FALSE;

	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		if (strcmp(name, sources[i].name) != 0 &&
		    strcmp(name, sources[i].group) != 0 &&
		    strcmp(name, sources[i].set) != 0 &&
		    strcmp(name, "everything") != 0)
			continue;
		sources[i].setter(set);
		isKnown = TRUE;
	}
	return isKnown;
}

gboolean sourcesParse(const char *list, rutSources *set, char **wrong)
{
	char **names = g_strsplit(list, ",", -1);
	gboolean isGood = names[0] != NULL;

	RUTSRC_UNSET_ALL(*set);
	if (!isGood)
		*wrong = g_strdup("");
	for (size_t i = 0; isGood && names[i]; i++) {
		isGood = sourcesSet(names[i], set);
		if (!isGood)
			*wrong = g_strdup(names[i]);
	}
	g_strfreev(names);
	return isGood;
}

static void sourcesAddWord(const char **words, const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	*words = word;
}

const char *const *sourcesWords(void)
{
	static const char *words[2 * G_N_ELEMENTS(sources) + 4];

	sourcesAddWord(words, THESIS);
	sourcesAddWord(words, MORE);
	sourcesAddWord(words, "everything");
	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++)
		sourcesAddWord(words, sources[i].group);
	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++)
		sourcesAddWord(words, sources[i].name);
	return words;
}

static void sourceListNoCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

void sourcesPrint(FILE *file, const char *root, const char *mountPoint)
{
	struct rutSetup setup = {
		.root = root,
		.mountPoint = mountPoint,
		.intervalNs = HD_NS_PER_S,
		.patienceNs = HD_NS_PER_S,
		.openPatienceNs = 5 * HD_NS_PER_S,
		.getCost = sourceListNoCost,
	};

	/* What is not there is in the list. */
	rutLogger.isSilent = true;
	fprintf(file, "%-8s %-14s %-7s %-9s %-18s %-10s %s\n", "Group",
		"Source", "Values", "Unit", "Resolution", "From", "What");
	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		struct rutUsed used = { 0 };
		const struct rutColumn *first;
		const struct rutSource *const *kind = rutLinuxSources;
		char values[32] = "no";

		RUTSRC_UNSET_ALL(setup.sources);
		sources[i].setter(&setup.sources);
		while (!(*kind)->isWanted(&setup.sources))
			kind++;
		if (rutUsedAdd(&used, *kind, &setup) == 0)
			g_snprintf(values, sizeof(values), "%zu",
				   used.columns.count);
		else if (used.isIncomplete)
			strcpy(values, "hangs");
		first = used.columns.count ? used.columns.list : NULL;
		fprintf(file, "%-8s %-14s %-7s %-9s %-18s %-10s %s\n",
			sources[i].group, sources[i].name, values,
			first ? first->unit : sources[i].unit,
			first && first->resolution ? first->resolution : "-",
			first && first->source ? first->source : "-",
			sources[i].text);
		rutUsedClose(&used);
	}
}
