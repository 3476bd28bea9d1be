/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the values of a point of a sweep mean; see point.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/mapchoice.h"
#include "PredictionLibrary/command/sweep/point.h"

/* Kinds of values. */
enum kind { COUNT, SEED, AMOUNT, WORD, TEXT, FILES, NODES };

/* What a number belongs to, which excludes a file. */
enum part { ANY, BOTH, GRAPH, PLATFORM, REPLAY };

static const char *const maps[] = { "given", "eft", "heft", "anneal", NULL };
static const char *const onOff[] = { "off", "on", NULL };
static const char *const waits[] = { "busy", "idle", NULL };
static const char *const comms[] = { "exclusive", "share", NULL };

#define PLACE(field) offsetof(struct setting, field)

static const struct parameter {
	const char *name;
	enum kind kind;
	enum part part;
	size_t place;
	const char *const *words;
} parameters[] = {
	{ "graph", FILES, BOTH, PLACE(graph), NULL },
	{ "tiles", COUNT, GRAPH, PLACE(generation.tiles), NULL },
	{ "tile-size", COUNT, GRAPH, PLACE(generation.tileSize), NULL },
	{ "matrix", COUNT, GRAPH, PLACE(matrix), NULL },
	{ "width", COUNT, GRAPH, PLACE(generation.width), NULL },
	{ "steps", COUNT, GRAPH, PLACE(generation.steps), NULL },
	{ "inputs", COUNT, GRAPH, PLACE(generation.inputs), NULL },
	{ "seed", SEED, GRAPH, PLACE(generation.seed), NULL },
	{ "platform", FILES, BOTH, PLACE(platform), NULL },
	{ "nodes", NODES, ANY, PLACE(nodes), NULL },
	{ "pes", COUNT, PLATFORM, PLACE(topology.pes), NULL },
	{ "topology", WORD, PLATFORM, PLACE(topology.kind), topologyKinds },
	{ "radix", COUNT, PLATFORM, PLACE(topology.radix), NULL },
	{ "architecture", TEXT, PLATFORM, PLACE(topology.architecture), NULL },
	{ "idle-power", AMOUNT, PLATFORM, PLACE(topology.idlePower), NULL },
	{ "memory", AMOUNT, PLATFORM, PLACE(topology.memory), NULL },
	{ "init-latency", AMOUNT, PLATFORM, PLACE(topology.initLatency), NULL },
	{ "packet-size", AMOUNT, PLATFORM, PLACE(topology.packetSize), NULL },
	{ "packet-latency", AMOUNT, PLATFORM, PLACE(topology.packetLatency),
	  NULL },
	{ "packet-energy", AMOUNT, PLATFORM, PLACE(topology.packetEnergy),
	  NULL },
	{ "resources", FILES, ANY, PLACE(resources), NULL },
	{ "clock", AMOUNT, ANY, PLACE(clock), NULL },
	{ "kernel-energy", AMOUNT, ANY, PLACE(energy), NULL },
	{ "links", AMOUNT, ANY, PLACE(links), NULL },
	{ "map", WORD, ANY, PLACE(map), maps },
	{ "use", TEXT, ANY, PLACE(use), NULL },
	{ "cost", TEXT, ANY, PLACE(cost), NULL },
	{ "map-steps", COUNT, ANY, PLACE(mapSteps), NULL },
	{ "map-seed", SEED, ANY, PLACE(mapSeed), NULL },
	{ "ignore-map", WORD, ANY, PLACE(ignoresMap), onOff },
	{ "slowdown", WORD, ANY, PLACE(slowdown), onOff },
	{ "comm", WORD, ANY, PLACE(comm), comms },
	{ "off-unused", WORD, ANY, PLACE(off), onOff },
	{ "cpu", AMOUNT, REPLAY, PLACE(cpu), NULL },
	{ "bandwidth", AMOUNT, REPLAY, PLACE(bandwidth), NULL },
	{ "latency", AMOUNT, REPLAY, PLACE(latency), NULL },
	{ "ranks", TEXT, REPLAY, PLACE(ranks), NULL },
	{ "waiting", WORD, REPLAY, PLACE(waiting), waits },
	{ "power-model", FILES, REPLAY, PLACE(powerModel), NULL },
};

static const struct parameter *settingFindParameter(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(parameters); i++) {
		if (strcmp(parameters[i].name, name) == 0)
			return &parameters[i];
	}
	return NULL;
}

bool settingIsFile(const char *name)
{
	const struct parameter *parameter = settingFindParameter(name);

	return parameter && parameter->kind == FILES;
}

void settingNames(GString *out)
{
	for (size_t i = 0; i < G_N_ELEMENTS(parameters); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "",
				       parameters[i].name);
}

void settingInit(struct setting *setting)
{
	*setting = (struct setting){
		.generation = GENERATION_DEFAULT,
		.topology = TOPOLOGY_DEFAULT,
		.clock = 1,
		.energy = 1,
		.links = 1,
		.cpu = 1,
		.bandwidth = 1,
		.latency = 1,
		.map = -1,
		.mapSeed = 1,
		.slowdown = 1,
	};
}

static bool settingIsRun(const char *path)
{
	char *project = g_strconcat(path, ".proj", NULL);
	bool isRun = g_str_has_suffix(path, ".proj") ||
		     g_file_test(project, G_FILE_TEST_IS_REGULAR);

	g_free(project);
	return isRun;
}

void settingGraph(struct setting *setting, const char *graph)
{
	setting->run = NULL;
	for (int i = 0; generationKinds[i]; i++) {
		if (strcmp(generationKinds[i], graph) == 0) {
			setting->generation.kind = i;
			setting->graph = NULL;
			return;
		}
	}
	setting->graph = graph;
	if (settingIsRun(graph))
		setting->run = graph;
}

static bool setCount(const char *text, int64_t most, int64_t *number)
{
	char *end;

	*number = g_ascii_strtoll(text, &end, 10);
	return end != text && !*end && *number >= 0 && *number <= most;
}

static bool settingSetAmount(const char *text, double *amount)
{
	char *end;

	*amount = g_ascii_strtod(text, &end);
	return end != text && !*end && *amount >= 0 && *amount < HUGE_VAL;
}

static bool setWord(const char *text, const char *const *words, int *number)
{
	for (*number = 0; words[*number]; ++*number) {
		if (strcmp(words[*number], text) == 0)
			return true;
	}
	return false;
}

static bool set(struct setting *setting, const struct parameter *parameter,
		const char *text)
{
	char *place = (char *)setting + parameter->place;
	int64_t number = 0;
	bool isGood;

	switch (parameter->kind) {
	case COUNT:
		isGood = setCount(text, INT32_MAX, &number);
		*(int *)place = (int)number;
		return isGood;
	case SEED:
		isGood = setCount(text, INT64_MAX, &number);
		*(gint64 *)place = number;
		return isGood;
	case AMOUNT:
		return settingSetAmount(text, (double *)place);
	case WORD:
		return setWord(text, parameter->words, (int *)place);
	case NODES:
		/* A number generates a platform, or selects from a file. */
		setting->topology.nodes =
			setCount(text, INT32_MAX, &number) ? (int)number : -1;
		break;
	case TEXT:
	case FILES:
		break;
	}
	*(const char **)place = text;
	if (strcmp(parameter->name, "graph") == 0)
		settingGraph(setting, text);
	return strcmp(text, "-") != 0;
}

static char *setValue(struct setting *setting, const char *name,
		      const char *text)
{
	const struct parameter *parameter = settingFindParameter(name);
	GString *out;

	if (!parameter) {
		out = g_string_new(NULL);
		g_string_append_printf(
			out, "unknown parameter \"%s\"; expected ", name);
		settingNames(out);
		return g_string_free(out, FALSE);
	}
	if (!set(setting, parameter, text))
		return g_strdup_printf("%s: invalid value \"%s\"", name, text);
	setting->hasModel |= parameter->part == ANY;
	setting->hasReplay |= parameter->part == REPLAY;
	setting->hasGeneration |= parameter->part == GRAPH;
	setting->hasTopology |= parameter->part == PLATFORM;
	return NULL;
}

/* What does not go together with a replay. */
static char *settingCheckReplay(const struct setting *setting)
{
	const char *wrong = NULL;

	if (setting->hasGeneration || setting->hasTopology || setting->hasModel)
		wrong = "parameters of task graphs do not apply to a replay";
	else if (!setting->platform)
		wrong = "missing option: --platform";
	else if (!(setting->cpu > 0) || !(setting->bandwidth > 0) ||
		 !(setting->latency > 0))
		wrong = "cpu, bandwidth and latency must be greater than 0";
	return g_strdup(wrong);
}

/* How tasks are mapped. */
static char *settingCheckMap(struct setting *setting)
{
	hdPMapping *mapping = &setting->mapping;

	if (setting->map < 0)
		setting->map = setting->graph ? 0 : 1;
	if (setting->map == 0 && (setting->use || setting->ignoresMap))
		return g_strdup_printf("%s requires map=eft, heft or anneal",
				       setting->use ? "use" : "ignore-map");
	*mapping = (hdPMapping){
		.mapper = (hdPMapper)MAX(setting->map - 1, 0),
		.pattern = setting->use,
		.keepsMapping = !setting->ignoresMap,
		.seed = (uint64_t)setting->mapSeed,
		.steps = (uint64_t)setting->mapSteps,
	};
	if (setting->cost && !mapChoiceReadCost(setting->cost, mapping))
		return g_strdup_printf(
			"cost: invalid value \"%s\"; expected %s",
			setting->cost, mapChoiceCosts);
	if (mapping->cost != HDP_COST_TIME && mapping->mapper != HDP_ANNEAL)
		return g_strdup_printf("cost=%s requires map=anneal",
				       setting->cost);
	return NULL;
}

/* What does not go together. */
static char *settingCheckTogether(struct setting *setting)
{
	const char *wrong = NULL;
	char *number = NULL;
	int tiles = setting->generation.tiles;

	if (setting->run)
		return settingCheckReplay(setting);
	if (setting->hasReplay)
		return g_strdup("cpu, bandwidth, latency, ranks, waiting and "
				"power-model apply to replays only");
	if (setting->matrix && tiles > 0) {
		if (setting->matrix % tiles)
			return g_strdup_printf("%d rows of a matrix are not "
					       "divisible by %d rows of tiles",
					       setting->matrix, tiles);
		setting->generation.tileSize = setting->matrix / tiles;
	}
	if (setting->graph && setting->hasGeneration)
		wrong = "parameters of generated graphs do not apply to a "
			"graph from a file";
	else if (setting->platform && setting->hasTopology)
		wrong = "parameters of generated platforms do not apply to a "
			"platform from a file";
	else if (!setting->resources)
		wrong = "missing option: --resources";
	else if (!(setting->clock > 0) || !(setting->links > 0))
		wrong = "clock and links must be greater than 0";
	else if (!setting->graph)
		number = generationWrong(&setting->generation);
	if (!wrong && !number && !setting->platform && setting->nodes &&
	    setting->topology.nodes < 0)
		number =
			g_strdup_printf("nodes: invalid value \"%s\"; expected "
					"a number, for a generated platform",
					setting->nodes);
	if (!wrong && !number && !setting->platform)
		number = topologyWrong(&setting->topology);
	if (!wrong && !number)
		number = settingCheckMap(setting);
	return number ? number : g_strdup(wrong);
}

char *settingOf(const struct design *design, size_t point,
		const struct setting *base, struct setting *setting)
{
	char *wrong = NULL;

	*setting = *base;
	for (guint i = 0; i < design->names->len && !wrong; i++)
		wrong = setValue(setting, design->names->pdata[i],
				 designValue(design, point, i));
	return wrong ? wrong : settingCheckTogether(setting);
}
