/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mapping is asked for; see mapchoice.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/mapchoice.h"
#include "common/clock.h"
#include "common/duration.h"

const char mapChoiceCosts[] =
	"time, energy, edp, 'energy at time<=T' or 'time at power<=W'";

/* A number above 0, and perhaps W behind it. */
static bool mapChoiceWatts(const char *text, double *watts)
{
	char *end;

	*watts = g_ascii_strtod(text, &end);
	while (*end == ' ')
		end++;
	return end != text && (!*end || strcmp(end, "W") == 0) && *watts > 0 &&
	       *watts < HUGE_VAL;
}

bool mapChoiceReadCost(const char *text, hdPMapping *mapping)
{
	static const struct {
		const char *name;
		hdPCost cost;
	} words[] = { { "time", HDP_COST_TIME },
		      { "energy", HDP_COST_ENERGY },
		      { "edp", HDP_COST_EDP } };
	static const char atTime[] = "energy at time<=";
	static const char atPower[] = "time at power<=";
	bool hasUnit;
	int64_t ns;

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		if (strcmp(text, words[i].name) == 0) {
			mapping->cost = words[i].cost;
			return true;
		}
	}
	if (g_str_has_prefix(text, atTime)) {
		text += strlen(atTime);
		mapping->cost = HDP_COST_ENERGY_AT_TIME;
		if (hdDurationParse(text, HD_NS_PER_S, &ns, &hasUnit) != 0)
			return false;
		/* Predicted times have more digits than those of ns. */
		mapping->limit =
			hasUnit ? (double)ns / 1e9 : g_ascii_strtod(text, NULL);
		return ns > 0;
	}
	mapping->cost = HDP_COST_TIME_AT_POWER;
	return g_str_has_prefix(text, atPower) &&
	       mapChoiceWatts(text + strlen(atPower), &mapping->limit);
}

/* What only one method has. */
static int mapChoiceCheckAnneal(struct predict *predict,
				const struct mapChoice *choice,
				hdPMapping *mapping)
{
	const char *only = choice->cost          ? "cost"
			   : choice->budget != 0 ? "budget"
			   : choice->steps       ? "steps"
						 : NULL;

	if (only && mapping->mapper != HDP_ANNEAL)
		return predictUsage(predict, "--%s: requires --map anneal",
				    only);
	if (choice->cost && !mapChoiceReadCost(choice->cost, mapping))
		return predictInvalidValue(predict, "cost", choice->cost,
					   mapChoiceCosts);
	if (!(choice->budget >= 0 && choice->budget <= 1e6))
		return predictOutOfRange(predict, "budget", choice->budget,
					 "seconds, 0 to 1000000");
	if (choice->steps < 0)
		return predictOutOfRange(predict, "steps",
					 (double)choice->steps, "1 or more");
	mapping->budget = choice->budget;
	mapping->steps = (uint64_t)choice->steps;
	return PREDICT_OK;
}

/* Whether a partition can be read: it is opened once, since it may be a pipe.
 */
static int mapChoiceCheckFile(struct predict *predict, const char *path)
{
	struct stat about;

	if (stat(path, &about) != 0 || access(path, R_OK) != 0)
		return predictErrorOpen(predict, path, errno);
	if (S_ISDIR(about.st_mode))
		return predictErrorRead(predict, path, EISDIR);
	return PREDICT_OK;
}

/* The number of a method; -1 after a message. All else is a file with the part
 * of each task, which is mapped with EFT. */
static int mapChoiceMethod(struct predict *predict, const char *map,
			   const char *const *maps, const char **partition)
{
	*partition = NULL;
	for (int i = 0; maps[i]; i++) {
		if (!map || strcmp(map, maps[i]) == 0)
			return i;
	}
	if (access(map, F_OK) != 0 && !strchr(map, '/')) {
		char *words = g_strjoinv(", ", (char **)maps);
		char *text = g_strdup_printf("%s or a file with the part of "
					     "each task",
					     words);

		predictInvalidValue(predict, "map", map, text);
		g_free(text);
		g_free(words);
		return -1;
	}
	*partition = map;
	return mapChoiceCheckFile(predict, map) == PREDICT_OK ? 0 : -1;
}

/* The meaning of the parts: nodes or PEs. */
static int mapChoiceCheckParts(struct predict *predict,
			       const struct mapChoice *choice,
			       hdPMapping *mapping)
{
	static const char *const words[] = { "nodes", "pes", NULL };
	int number;

	if (!choice->parts)
		return PREDICT_OK;
	if (!mapping->partition)
		return predictUsage(predict, "--parts: requires --map FILE");
	number = predictChoose(predict, "--parts", choice->parts, words);
	mapping->partsArePes = number == 1;
	return number < 0 ? PREDICT_FAILED : PREDICT_OK;
}

int mapChoiceCheck(struct predict *predict, const struct mapChoice *choice,
		   const char *map, bool isGivenAllowed, hdPMapping *mapping,
		   bool *isGiven)
{
	static const char *const all[] = { "given", "eft", "heft", "anneal",
					   NULL };
	const char *const *maps = isGivenAllowed ? all : all + 1;
	const char *partition;
	int number = mapChoiceMethod(predict, map, maps, &partition);

	if (number < 0)
		return PREDICT_FAILED;
	*isGiven = isGivenAllowed && number == 0 && !partition;
	*mapping = (hdPMapping){
		.mapper = partition ? HDP_EFT
				    : (hdPMapper)(number -
						  isGivenAllowed * !*isGiven),
		.partition = partition,
		.pattern = choice->use,
		.keepsMapping = !choice->ignoresMap,
		.seed = (uint64_t)choice->seed,
	};
	if (*isGiven && (choice->use || choice->ignoresMap))
		return predictUsage(predict,
				    "--%s: requires --map eft, heft, anneal or "
				    "a file",
				    choice->use ? "use" : "ignore-map");
	if (mapChoiceCheckParts(predict, choice, mapping) != PREDICT_OK)
		return PREDICT_FAILED;
	return mapChoiceCheckAnneal(predict, choice, mapping);
}

int mapChoiceSelect(struct predict *predict, const struct mapChoice *choice,
		    hdPPlatform *platform)
{
	int64_t found =
		choice->nodes ? hdP_selectServers(platform, choice->nodes) : 1;

	if (found > 0)
		return PREDICT_OK;
	return predictUsage(predict, MAP_CHOICE_NO_NODES, "--nodes",
			    choice->nodes, hdP_getServerCount(platform));
}

int mapChoiceRun(struct predict *predict, const struct mapChoice *choice,
		 const hdPMapping *mapping, hdPGraph *graph,
		 const hdPPlatform *platform, const hdPResources *resources)
{
	int64_t mapped = hdP_getMappedCount(graph);
	int ret;

	if (choice->ignoresMap && mapped)
		outSay(stderr, "hdpredict %s: " MAP_CHOICE_IGNORED,
		       predict->command, mapped, mapped == 1 ? "" : "s");
	ret = hdP_mapAs(graph, platform, resources, mapping, predictTake,
			predict);
	return predictStatus(predict, ret,
			     mapping->partition ? mapping->partition
						: "mapping");
}
