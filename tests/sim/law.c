/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulated meter measures.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gio/gio.h>

#include "tests/sim/law.h"

/** Which parameters a kind of law has; those of the supply all have. */
static const struct {
	const char *name;
	const char *parameters; /**< What a message about a mistake says. */
	bool levels, period, duty, late, memory;
} shapes[] = {
	[SIM_CONSTANT] = { "constant", "watts", false, false, false },
	[SIM_RAMP] = { "ramp", "low, high, period", true, true, false },
	[SIM_SINE] = { "sine", "low, high, period", true, true, false },
	[SIM_SQUARE] = { "square", "low, high, period, duty", true, true,
			 true },
	[SIM_HOST] = { "host", "low, high", true, false, false },
	[SIM_FILE] = { "file", "a path first", false, false, false },
	[SIM_PROCESS] = { "process", "a path first, low, high", true, false,
			  false },
	[SIM_EDGES] = { "edges", "a path first, low, high, late", true, false,
			false, true },
	[SIM_NODE] = { "node", "a path first, low, high, memory", true, false,
		       false, false, true },
};

uint32_t simBits(double value)
{
	float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

/* One NAME=VALUE. */
static bool setParameter(struct simLaw *law, const char *name, double value)
{
	double *where = NULL;

	if (!strcmp(name, "volts"))
		where = &law->volts;
	else if (!strcmp(name, "factor"))
		where = &law->factor;
	else if (!strcmp(name, "hertz"))
		where = &law->hertz;
	else if (!strcmp(name, "watts") && law->shape == SIM_CONSTANT)
		where = &law->low;
	else if (!strcmp(name, "low") && shapes[law->shape].levels)
		where = &law->low;
	else if (!strcmp(name, "high") && shapes[law->shape].levels)
		where = &law->high;
	else if (!strcmp(name, "period") && shapes[law->shape].period)
		where = &law->period;
	else if (!strcmp(name, "duty") && shapes[law->shape].duty)
		where = &law->duty;
	else if (!strcmp(name, "late") && shapes[law->shape].late)
		where = &law->late;
	else if (!strcmp(name, "memory") && shapes[law->shape].memory)
		where = &law->memory;
	if (!where)
		return false;
	*where = value;
	return true;
}

static bool readValues(struct simLaw *law, const char *path, GError **error)
{
	char *content;
	gsize length;

	if (!g_file_get_contents(path, &content, &length, error))
		return false;
	law->values = g_array_new(false, false, sizeof(uint32_t));
	for (gsize i = 0; i + 4 <= length; i += 4) {
		uint32_t bits;

		memcpy(&bits, content + i, sizeof(bits));
		bits = GUINT32_FROM_LE(bits);
		g_array_append_val(law->values, bits);
	}
	g_free(content);
	if (length && length % 4 == 0)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
		    "%s: %" G_GSIZE_FORMAT " bytes are no array of floats",
		    path, length);
	return false;
}

static bool parseParameters(struct simLaw *law, char **words, GError **error)
{
	for (; *words; words++) {
		char *value = strchr(*words, '=');
		char *end = NULL;
		double number = 0;

		if (value) {
			*value++ = '\0';
			number = g_ascii_strtod(value, &end);
		}
		if (value && end != value && !*end && isfinite(number) &&
		    setParameter(law, *words, number))
			continue;
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "law \"%s\": \"%s\" is no parameter; \"%s\" has "
			    "%s; volts, factor and hertz, each =NUMBER",
			    law->text, *words, shapes[law->shape].name,
			    shapes[law->shape].parameters);
		return false;
	}
	if (law->period > 0 && law->duty >= 0 && law->duty <= 1 &&
	    law->volts > 0 && law->factor > 0 && law->factor <= 1)
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "law \"%s\": period and volts must be above 0, factor "
		    "above 0 and up to 1, duty 0 to 1",
		    law->text);
	return false;
}

struct simLaw *simLawParse(const char *text, GError **error)
{
	struct simLaw *law = g_new0(struct simLaw, 1);
	char *kind = g_strdup(text);
	char *rest = strchr(kind, ':');
	char **words;
	guint shape = 0;
	bool good;

	*law = (struct simLaw){ .period = 10,
				.low = 100,
				.high = 200,
				.duty = 0.5,
				.volts = 230,
				.factor = 0.95,
				.hertz = 50,
				.spent = -1,
				.text = g_strdup(text) };
	if (rest)
		*rest++ = '\0';
	words = g_strsplit(rest ? rest : "", ",", 0);
	while (shape < G_N_ELEMENTS(shapes) && strcmp(kind, shapes[shape].name))
		shape++;
	law->shape = shape;
	if (shape == G_N_ELEMENTS(shapes)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "law \"%s\": the kinds are constant, ramp, sine, "
			    "square, host, file, process, edges, node",
			    text);
		good = false;
	} else if (shape == SIM_FILE) {
		good = readValues(law, words[0] ? words[0] : "", error) &&
		       parseParameters(law, words + 1, error);
	} else if (shape == SIM_PROCESS || shape == SIM_EDGES ||
		   shape == SIM_NODE) {
		law->path = g_strdup(words[0] ? words[0] : "");
		good = parseParameters(law, words[0] ? words + 1 : words,
				       error);
	} else {
		good = parseParameters(law, words, error);
	}
	g_strfreev(words);
	g_free(kind);
	if (good)
		return law;
	simLawDestroy(law);
	return NULL;
}

void simLawDestroy(struct simLaw *law)
{
	if (!law)
		return;
	if (law->values)
		g_array_unref(law->values);
	if (law->edges)
		g_array_unref(law->edges);
	g_free(law->path);
	g_free(law->text);
	g_free(law);
}

/* The share of time that the processors of this host were busy since the last
   call, or since boot. */
static double hostBusy(struct simLaw *law)
{
	unsigned long long ticks[8] = { 0 };
	uint64_t idle, busy = 0;
	double share = 0;
	FILE *file = fopen("/proc/stat", "re");
	int count;

	if (!file)
		return 0;
	count = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
		       &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4],
		       &ticks[5], &ticks[6], &ticks[7]);
	fclose(file);
	if (count < 4)
		return 0;
	idle = ticks[3] + ticks[4];
	for (int i = 0; i < 8; i++)
		busy += ticks[i];
	busy -= idle;
	/* Time in iowait may decrease. */
	if (busy > law->busy && idle >= law->idle)
		share = (double)(busy - law->busy) /
			(double)(busy - law->busy + idle - law->idle);
	law->busy = busy;
	law->idle = idle;
	return share;
}

/* CPU time of a process so far, in ns; -1: there is none. */
static int64_t cpuTime(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &time) != 0)
		return -1;
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Likewise, with those that it has started and not waited for. What one that
   has ended spent is lost to us: no less than before is said. */
static int64_t familyTime(const char *path)
{
	char *text = NULL, *list = NULL, *children;
	int64_t sum = -1;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		long pid = strtol(text, NULL, 10);

		sum = cpuTime((pid_t)pid);
		children = g_strdup_printf("/proc/%ld/task/%ld/children", pid,
					   pid);
		if (sum >= 0 &&
		    g_file_get_contents(children, &list, NULL, NULL)) {
			char *end = list;

			while ((pid = strtol(end, &end, 10)) > 0)
				sum += MAX(cpuTime((pid_t)pid), 0);
		}
		g_free(children);
	}
	g_free(list);
	g_free(text);
	return sum;
}

/* CPU time of a process since the last call, as a share of a cycle; from when
   it is there on. So what it spends in all is in the energy of all cycles. */
static double processBusy(struct simLaw *law, double cycle)
{
	int64_t now = familyTime(law->path);
	double share = 0;

	if (now > law->spent && law->spent >= 0 && cycle > 0)
		share = (double)(now - law->spent) / 1e9 / cycle;
	if (now < 0 || now > law->spent)
		law->spent = now;
	return share;
}

/* A level, from a moment on. */
struct edge {
	int64_t ns;
	double level;
};

/* Read the lines that have come: time, CPU (there is one), level. */
static void readEdges(struct simLaw *law)
{
	FILE *file = fopen(law->path, "re");
	struct edge edge;
	int cpu;

	if (!law->edges)
		law->edges = g_array_new(false, false, sizeof(struct edge));
	if (!file)
		return;
	fseek(file, law->offset, SEEK_SET);
	while (fscanf(file, "%" SCNd64 " %d %lf\n", &edge.ns, &cpu,
		      &edge.level) == 3) {
		g_array_append_val(law->edges, edge);
		law->offset = ftell(file);
	}
	fclose(file);
}

/* The mean level of the edges, in an interval that lies so much earlier:
   exactly. It is 0 before the first one. */
static double edgesBusy(struct simLaw *law, double from, double to)
{
	int64_t begin = law->origin + (int64_t)((from * 1e3 - law->late) * 1e6);
	int64_t end = law->origin + (int64_t)((to * 1e3 - law->late) * 1e6);
	double sum = 0;

	readEdges(law);
	for (guint i = 0; i < law->edges->len; i++) {
		struct edge edge = g_array_index(law->edges, struct edge, i);
		int64_t until =
			i + 1 < law->edges->len
				? g_array_index(law->edges, struct edge, i + 1)
					  .ns
				: end;
		int64_t first = MAX(edge.ns, begin), last = MIN(until, end);

		if (last > first)
			sum += edge.level * (double)(last - first);
	}
	return end > begin ? sum / (double)(end - begin) : 0;
}

/* The integral, from 0 to x periods, of a shape that goes from 0 to 1. */
static double integral(const struct simLaw *law, double x)
{
	double whole = floor(x);
	double part = x - whole;

	switch (law->shape) {
	case SIM_RAMP:
		return whole / 2 + part * part / 2;
	case SIM_SINE:
		return x / 2 + (1 - cos(2 * G_PI * part)) / (4 * G_PI);
	case SIM_SQUARE: /* Low first. */
		return whole * law->duty + fmax(0, part - (1 - law->duty));
	default:
		return 0;
	}
}

/* The memory traffic that was last written, as a fraction of all that is
   possible; 0 before. */
static double memoryTraffic(const struct simLaw *law)
{
	char *text = NULL;
	double traffic = 0;

	if (g_file_get_contents(law->path, &text, NULL, NULL))
		traffic = CLAMP(g_ascii_strtod(text, NULL), 0, 1);
	g_free(text);
	return traffic;
}

static double meanPower(struct simLaw *law, double from, double to)
{
	double share = 0;

	if (law->shape == SIM_NODE)
		return law->low + hostBusy(law) * (law->high - law->low) +
		       memoryTraffic(law) * law->memory;
	if (law->shape == SIM_HOST)
		share = hostBusy(law);
	else if (law->shape == SIM_PROCESS)
		share = processBusy(law, to - from);
	else if (law->shape == SIM_EDGES)
		share = edgesBusy(law, from, to);
	else if (law->shape != SIM_CONSTANT && to > from)
		share = (integral(law, to / law->period) -
			 integral(law, from / law->period)) *
			law->period / (to - from);
	return law->low + share * (law->high - law->low);
}

void simLawMeasure(struct simLaw *law, double from, double to, double *energy,
		   uint32_t bits[SIM_QUANTITIES])
{
	double watts, apparent;

	if (law->shape == SIM_FILE)
		return;
	watts = meanPower(law, from, to);
	apparent = watts / law->factor;
	*energy += watts * (to - from) / 3600;
	bits[SIM_UTRMS] = simBits(law->volts);
	bits[SIM_ITRMS] = simBits(fabs(apparent) / law->volts);
	bits[SIM_P] = simBits(watts);
	bits[SIM_S] = simBits(fabs(apparent));
	bits[SIM_Q] = simBits(sqrt(apparent * apparent - watts * watts));
	bits[SIM_PF] = simBits(law->factor);
	bits[SIM_FREQ] = simBits(law->hertz);
	bits[SIM_EP] = simBits(*energy);
}

uint32_t simLawNext(struct simLaw *law)
{
	uint32_t bits = g_array_index(law->values, uint32_t, law->next);

	law->next = (law->next + 1) % law->values->len;
	return bits;
}
