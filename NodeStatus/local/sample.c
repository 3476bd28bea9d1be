/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a node is; see sample.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "NodeStatus/local/json.h"
#include "NodeStatus/local/sample.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/mount.h"
#include "common/clock.h"

/* How long one sample waits for disks and GPUs, which may hang, and for those
 * that are opened; how old may be what hardly changes, so that no thread is
 * woken for it; and how long until one is tried again that did not open in
 * time. */
#define PATIENCE_NS (HD_NS_PER_S / 5)
#define OPEN_PATIENCE_NS (5 * HD_NS_PER_S)
#define REST_NS (5 * HD_NS_PER_S)
#define AGAIN_NS (60 * HD_NS_PER_S)

/* ---- Which units there are --------------------------------------------- */

static void addNames(GString *text, const char *root, const char *folder)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "%s", folder);

	for (ssize_t i = 0; i < count; i++)
		g_string_append_printf(text, "%s ", names[i]);
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	g_string_append_c(text, '\n');
}

static int addMount(void *context, const struct rutMount *mount)
{
	if (mount->major != 0)
		g_string_append_printf(
			context, "%u:%u %s\n", (unsigned int)mount->major,
			(unsigned int)mount->minor, mount->point);
	return 0;
}

static void nodeSampleAddLine(GString *text, const char *root, const char *path)
{
	char line[256];

	if (ptSysGetLine(line, sizeof(line), root, "%s", path) >= 0)
		g_string_append(text, line);
	g_string_append_c(text, '\n');
}

/* Whether links are up: their speed is known from then on. */
static void nodeSampleAddLinks(GString *text, const char *root)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/class/net");

	for (ssize_t i = 0; i < count; i++) {
		char *path = g_strdup_printf("/sys/class/net/%s/operstate",
					     names[i]);

		g_string_append_printf(text, "%s ", names[i]);
		nodeSampleAddLine(text, root, path);
		g_free(path);
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

/* What changes when an interface, a disk, a CPU, a file system or the driver of
 * GPUs comes or goes. */
static char *unitsOf(const char *root)
{
	GString *text = g_string_new(NULL);

	nodeSampleAddLinks(text, root);
	addNames(text, root, "/sys/block");
	nodeSampleAddLine(text, root, "/sys/devices/system/cpu/present");
	nodeSampleAddLine(text, root, "/sys/devices/system/cpu/online");
	if (rutFileExists(root, "/sys/module/nvidia"))
		g_string_append(text, "nvidia\n");
	rutMountsEach(root, addMount, text);
	return g_string_free(text, FALSE);
}

/* ---- Sources ----------------------------------------------------------- */

static void nodeSampleNoCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

static void setSources(rutSources *sources)
{
	RUTSRC_UNSET_ALL(*sources);
	RUTSRC_SET_MEM(*sources);
	sources->NET_IN_X = 1;
	sources->NET_OUT_X = 1;
	sources->NET_PACKETS_X = 1;
	sources->HDD_DEV_X = 1;
	sources->CPU_STATES = 1;
	sources->CPU_STATES_X = 1;
	sources->LOAD = 1;
	sources->MEM_AVAILABLE = 1;
	sources->SWAP = 1;
	sources->STORAGE = 1;
	sources->GPU_X = 1;
}

/* Open what there is now, beside what is in use; takes the text of units. */
static void openNext(struct nodeSample *sample, char *units)
{
	g_free(sample->units);
	sample->units = NULL;
	if (rutUsedOpen(&sample->next, rutLinuxSources, &sample->setup) < 0) {
		/* The next reading tries again. */
		g_free(units);
		return;
	}
	rutUsedRead(&sample->next, RUT_WHY_BEGIN);
	sample->openedNs = hdMonotonicNow();
	sample->units = units;
	sample->hasNext = true;
}

static void forgetNow(gpointer name, gpointer value, gpointer context)
{
	(void)name;
	(void)context;
	((struct nodeValue *)value)->now = NAN;
}

/* Remember all values, and which of them are of now. */
static void keepValues(struct nodeSample *sample)
{
	const struct rutColumns *columns = &sample->used.columns;

	g_hash_table_foreach(sample->known, forgetNow, NULL);
	for (size_t i = 0; i < columns->count; i++)
		g_hash_table_insert(sample->known,
				    g_strdup(columns->list[i].name),
				    g_memdup2(&sample->values[i],
					      sizeof(sample->values[i])));
}

/* Use what was opened; values and sums go on where a unit was there before. */
static void useNext(struct nodeSample *sample)
{
	const struct rutColumns *columns = &sample->next.columns;

	keepValues(sample);
	g_free(sample->values);
	sample->values = g_new0(struct nodeValue, columns->count + 1);
	for (size_t i = 0; i < columns->count; i++) {
		const struct nodeValue *value = g_hash_table_lookup(
			sample->known, columns->list[i].name);

		if (value)
			sample->values[i] = *value;
		else
			sample->values[i].now = NAN;
	}
	rutUsedClose(&sample->used);
	sample->used = sample->next;
	sample->next = (struct rutUsed){ 0 };
	sample->hasNext = false;
}

void nodeSampleBegin(struct nodeSample *sample, const char *root)
{
	*sample = (struct nodeSample){ .root = g_strdup(root) };
	sample->setup = (struct rutSetup){
		.root = sample->root,
		.intervalNs = HD_NS_PER_S,
		.patienceNs = PATIENCE_NS,
		.openPatienceNs = OPEN_PATIENCE_NS,
		.restNs = REST_NS,
		.getCost = nodeSampleNoCost,
	};
	setSources(&sample->setup.sources);
	sample->known =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	openNext(sample, unitsOf(sample->root));
	if (sample->hasNext)
		useNext(sample);
	sample->beganNs = hdMonotonicNow();
}

void nodeSampleFollow(struct nodeSample *sample)
{
	rutUsedRead(&sample->used, RUT_WHY_FOLLOW);
}

static void nodeSampleReadValues(struct nodeSample *sample)
{
	const struct rutColumns *columns = &sample->used.columns;

	for (size_t i = 0; i < columns->count; i++) {
		const struct rutColumn *column = &columns->list[i];
		struct nodeValue *value = &sample->values[i];
		double number =
			hdCellNumber(column->type, sample->used.cells[i]);

		if (column->kind == HD_KIND_DELTA) {
			if (!isnan(number))
				value->sum += number;
			number /= sample->lengthS;
		}
		/* A float has no more decimals than that. */
		if (column->type == FLOAT)
			number = round(number * 1e4) / 1e4;
		value->now = rutUsedIsKnown(&sample->used, i) ? number : NAN;
	}
}

/* Whether there may be others than when the sources were opened. */
static bool isOutdated(const struct nodeSample *sample, const char *units)
{
	return g_strcmp0(units, sample->units) != 0 ||
	       (sample->used.isIncomplete &&
		sample->readNs - sample->openedNs > AGAIN_NS);
}

void nodeSampleRead(struct nodeSample *sample)
{
	char *units = unitsOf(sample->root);

	if (sample->used.count > 0)
		rutUsedRead(&sample->used, RUT_WHY_SAMPLE);
	sample->readNs = hdMonotonicNow();
	sample->readWallNs = hdWallNow();
	if (isOutdated(sample, units))
		openNext(sample, units);
	else
		g_free(units);
}

bool nodeSampleTake(struct nodeSample *sample)
{
	bool isNew = sample->hasNext;

	sample->stampNs = sample->readWallNs;
	sample->lengthS = (double)(sample->readNs - sample->beganNs) / 1e9;
	sample->beganNs = sample->endedNs = sample->readNs;
	if (sample->lengthS > 0)
		nodeSampleReadValues(sample);
	if (isNew)
		useNext(sample);
	return isNew;
}

void nodeSampleEnd(struct nodeSample *sample)
{
	rutUsedClose(&sample->used);
	if (sample->hasNext)
		rutUsedClose(&sample->next);
	g_hash_table_unref(sample->known);
	g_free(sample->values);
	g_free(sample->units);
	g_free(sample->root);
	*sample = (struct nodeSample){ 0 };
}

double nodeSampleValue(const struct nodeSample *sample, const char *name)
{
	const struct rutColumns *columns = &sample->used.columns;

	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->list[i].name, name) == 0)
			return sample->values[i].now;
	return NAN;
}

void nodeSampleEach(const struct nodeSample *sample, const char *prefix,
		    void (*take)(void *context, const char *unit, double value),
		    void *context)
{
	const struct rutColumns *columns = &sample->used.columns;
	size_t length = strlen(prefix);

	for (size_t i = 0; i < columns->count; i++)
		if (strncmp(columns->list[i].name, prefix, length) == 0)
			take(context, columns->list[i].name + length,
			     sample->values[i].now);
}

/* ---- JSON -------------------------------------------------------------- */

/* A prefix that another one begins with comes behind it. */
const struct nodePlace nodePlaces[] = {
#define STATE(name, key)                                            \
	{ "CPU_STATE_" name "_", "cpus", "cpu", key, NULL, false }, \
	{                                                           \
		"CPU_STATE_" name, "cpu", NULL, key, NULL, false    \
	}
	STATE("USER", "user_percent"),
	STATE("NICE", "nice_percent"),
	STATE("SYSTEM", "system_percent"),
	STATE("IDLE", "idle_percent"),
	STATE("IOWAIT", "iowait_percent"),
	STATE("STEAL", "steal_percent"),
#undef STATE
	{ "MEM_USED", "memory", NULL, "used_bytes", NULL, true },
	{ "MEM_FREE", "memory", NULL, "free_bytes", NULL, true },
	{ "MEM_SHARED", "memory", NULL, "shared_bytes", NULL, true },
	{ "MEM_BUFFER", "memory", NULL, "buffer_bytes", NULL, true },
	{ "MEM_CACHED", "memory", NULL, "cached_bytes", NULL, true },
	{ "MEM_AVAILABLE", "memory", NULL, "available_bytes", NULL, true },
	{ "SWAP_USED", "swap", NULL, "used_bytes", NULL, true },
	{ "SWAP_FREE", "swap", NULL, "free_bytes", NULL, true },
	{ "SWAP_IN", "swap", NULL, "in_bytes_per_s", "in_bytes", false },
	{ "SWAP_OUT", "swap", NULL, "out_bytes_per_s", "out_bytes", false },
	{ "NET_IN_", "nics", "name", "in_bytes_per_s", "in_bytes", false },
	{ "NET_OUT_", "nics", "name", "out_bytes_per_s", "out_bytes", false },
	{ "NET_ERRORS_IN_", "nics", "name", "in_errors_per_s", "in_errors",
	  false },
	{ "NET_ERRORS_OUT_", "nics", "name", "out_errors_per_s", "out_errors",
	  false },
	{ "NET_DROPS_IN_", "nics", "name", "in_drops_per_s", "in_drops",
	  false },
	{ "NET_DROPS_OUT_", "nics", "name", "out_drops_per_s", "out_drops",
	  false },
	{ "HDD_READ_OPS_", "disks", "name", "reads_per_s", "reads", false },
	{ "HDD_WRITE_OPS_", "disks", "name", "writes_per_s", "writes", false },
	{ "HDD_READ_", "disks", "name", "read_bytes_per_s", "read_bytes",
	  false },
	{ "HDD_WRITE_", "disks", "name", "written_bytes_per_s", "written_bytes",
	  false },
	{ "HDD_BUSY_", "disks", "name", "busy_percent", NULL, false },
	{ "STORAGE_SIZE_", "storage", "path", "total_bytes", NULL, true },
	{ "STORAGE_FREE_", "storage", "path", "free_bytes", NULL, true },
	{ "GPU_UTIL_", "gpus", "gpu", "use_percent", NULL, false },
	{ "GPU_MEM_USED_", "gpus", "gpu", "memory_used_bytes", NULL, true },
	{ "GPU_MEM_SIZE_", "gpus", "gpu", "memory_bytes", NULL, true },
	{ NULL, NULL, NULL, NULL, NULL, false },
};

/* The object of a unit, which is made if it is not there yet. */
static json_t *nodeSampleUnitObject(json_t *list, const char *key,
				    const char *unit)
{
	bool isNumber = strcmp(key, "cpu") == 0 || strcmp(key, "gpu") == 0;
	json_int_t number = isNumber ? g_ascii_strtoll(unit, NULL, 10) : 0;
	json_t *object;

	/* It is the last one, as a rule. */
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *known;

		object = json_array_get(list, i);
		known = json_object_get(object, key);
		if (isNumber ? json_integer_value(known) == number
			     : g_strcmp0(json_string_value(known), unit) == 0)
			return object;
	}
	object = json_object();
	json_object_set_new(object, key,
			    isNumber ? json_integer(number)
				     : nodeJsonText(unit));
	json_array_append_new(list, object);
	return object;
}

static json_t *section(json_t *status, const char *name, bool isArray)
{
	json_t *object = json_object_get(status, name);

	if (object)
		return object;
	object = isArray ? json_array() : json_object();
	json_object_set_new(status, name, object);
	return object;
}

static json_t *jsonOf(double value, bool isWhole)
{
	return isWhole && isfinite(value) ? json_integer((json_int_t)value)
					  : nodeJsonReal(value);
}

/* Put a value where it belongs, if that is anywhere. */
static void nodeSamplePutValue(json_t *status, const char *name,
			       const struct nodeValue *value)
{
	for (const struct nodePlace *place = nodePlaces; place->prefix;
	     place++) {
		size_t length = strlen(place->prefix);
		json_t *object;

		if (place->unit ? strncmp(name, place->prefix, length) != 0
				: strcmp(name, place->prefix) != 0)
			continue;
		object = section(status, place->section, place->unit != NULL);
		if (place->unit)
			object = nodeSampleUnitObject(object, place->unit,
						      name + length);
		json_object_set_new(object, place->key,
				    jsonOf(value->now, place->isWhole));
		if (place->sumKey)
			json_object_set_new(
				object, place->sumKey,
				json_integer((json_int_t)value->sum));
		return;
	}
}

static void putLoad(json_t *status, const struct nodeSample *sample)
{
	static const char *const names[] = { "LOAD_1", "LOAD_5", "LOAD_15" };
	json_t *list = json_array();

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		json_array_append_new(
			list, nodeJsonReal(nodeSampleValue(sample, names[i])));
	json_object_set_new(status, "load", list);
}

/* What is used and what is free is all; null where that is not known. */
static void putTotal(json_t *object)
{
	const json_t *left = json_object_get(object, "free_bytes");
	const json_t *used = json_object_get(object, "used_bytes");

	json_object_set_new(object, "total_bytes",
			    json_is_integer(left) && json_is_integer(used)
				    ? json_integer(json_integer_value(left) +
						   json_integer_value(used))
				    : json_null());
}

/* Call for each GPU that tells something, with its number and its name. */
static void eachGpu(const struct nodeSample *sample, json_t *list,
		    void (*take)(const struct nodeSample *sample, json_t *list,
				 const char *unit, const char *name))
{
	const struct rutColumns *columns = &sample->used.columns;
	const char *last = "";

	for (size_t i = 0; i < columns->count; i++) {
		const char *name = columns->list[i].name;
		const char *unit = strrchr(name, '_');

		if (!g_str_has_prefix(name, "GPU_") || strcmp(unit, last) == 0)
			continue;
		take(sample, list, unit + 1, columns->list[i].source);
		last = unit;
	}
}

/* Its name, and null for what it does not tell. */
static void describeGpu(const struct nodeSample *sample, json_t *gpus,
			const char *unit, const char *name)
{
	json_t *gpu = nodeSampleUnitObject(gpus, "gpu", unit);

	(void)sample;
	json_object_set_new(gpu, "name", nodeJsonText(name));
	for (const struct nodePlace *place = nodePlaces; place->prefix; place++)
		if (strcmp(place->section, "gpus") == 0 &&
		    !json_object_get(gpu, place->key))
			json_object_set_new(gpu, place->key, json_null());
}

static void nodeSampleAddGpu(const struct nodeSample *sample, json_t *list,
			     const char *unit, const char *name)
{
	const struct rutColumns *columns = &sample->used.columns;
	char *size = g_strconcat("GPU_MEM_SIZE_", unit, NULL);
	json_t *bytes = json_null();

	/* Of when it was opened: no interval has ended yet. */
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->list[i].name, size) == 0 &&
		    rutUsedIsKnown(&sample->used, i))
			bytes = json_integer(
				(json_int_t)sample->used.cells[i].d);
	json_array_append_new(list,
			      json_pack("{soso}", "name", nodeJsonText(name),
					"memory_bytes", bytes));
	g_free(size);
}

json_t *nodeSampleGpus(const struct nodeSample *sample)
{
	json_t *list = json_array();

	eachGpu(sample, list, nodeSampleAddGpu);
	return list;
}

json_t *nodeSampleJson(const struct nodeSample *sample)
{
	static const char *const arrays[] = { "cpus", "nics", "disks",
					      "storage", "gpus" };
	static const char *const objects[] = { "cpu", "memory", "swap" };
	const struct rutColumns *columns = &sample->used.columns;
	json_t *status = json_object();
	bool isThere = sample->endedNs != 0;

	json_object_set_new(status, "stamp_s",
			    isThere ? json_real((double)sample->stampNs / 1e9)
				    : json_null());
	json_object_set_new(status, "interval_s",
			    isThere ? json_real(sample->lengthS) : json_null());
	for (size_t i = 0; i < G_N_ELEMENTS(objects); i++)
		section(status, objects[i], false);
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		section(status, arrays[i], true);
	for (size_t i = 0; i < columns->count; i++)
		nodeSamplePutValue(status, columns->list[i].name,
				   &sample->values[i]);
	eachGpu(sample, json_object_get(status, "gpus"), describeGpu);
	putLoad(status, sample);
	putTotal(json_object_get(status, "memory"));
	putTotal(json_object_get(status, "swap"));
	return status;
}
