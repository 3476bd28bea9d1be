/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict simulate --power-limit and --subgraphs; see limits.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/limits.h"
#include "cli/quantity.h"

/* Power of a server, or of all (-1). */
struct look {
	int64_t server;
	double limit;
	hdPPower power;
	hdPExcess list[LIMITS_SHOWN];
};

/* A number above 0, and nothing else. */
static bool limitsReadNumber(const char *text, double *value)
{
	char *end;

	if ((!g_ascii_isdigit(*text) && *text != '.') || strpbrk(text, "xX"))
		return false;
	*value = g_ascii_strtod(text, &end);
	return !*end && *value > 0 && *value < HUGE_VAL;
}

static int limitsParseOne(struct predict *predict, const char *text,
			  struct limitValues *values)
{
	const struct {
		const char *name;
		double *value;
	} kinds[] = { { "power=", &values->power },
		      { "memory=", &values->memory } };

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const char *name = kinds[i].name;

		if (!g_str_has_prefix(text, name))
			continue;
		if (*kinds[i].value > 0)
			return predictUsage(predict,
					    "--limit: %.*s is given twice",
					    (int)strlen(name) - 1, name);
		if (limitsReadNumber(text + strlen(name), kinds[i].value))
			return PREDICT_OK;
	}
	return predictInvalidValue(predict, "limit", text,
				   "power=W or memory=BYTES, more than 0");
}

int limitsParse(struct predict *predict, char **texts,
		struct limitValues *values)
{
	int status = PREDICT_OK;

	*values = (struct limitValues){ 0 };
	for (; texts && *texts && status == PREDICT_OK; texts++)
		status = limitsParseOne(predict, *texts, values);
	return status;
}

bool limitsAreKept(const struct limitValues *limits, double power,
		   double memory)
{
	/* Rounding of sums is no excess, as in hdP_getPower(). */
	return (!(limits->power > 0) || power <= limits->power * (1 + 1e-12)) &&
	       (!(limits->memory > 0) || memory <= limits->memory);
}

double limitsPeak(const hdPResult *result)
{
	hdPPower power;
	int ret = hdP_getPower(result, -1, 0, &power, NULL, 0);

	if (ret < 0)
		g_error("power: %s", g_strerror(-ret));
	return power.peak;
}

double limitsMemory(const hdPResult *result)
{
	double most = 0;

	for (int64_t s = 0; s < hdP_getUseCount(result, HDP_SERVERS); s++) {
		hdPUse use;

		hdP_getUse(result, HDP_SERVERS, s, &use);
		most = fmax(most, use.peak);
	}
	return most;
}

/* The next server that needs more memory than the limit, which is a finding;
 * false: none is left. */
static bool limitsNextMemory(struct limits *limits, const hdPResult *result,
			     int64_t *server, hdPUse *use)
{
	while (limits->memory > 0 &&
	       hdP_getUse(result, HDP_SERVERS, (*server)++, use) == 0) {
		if (!(use->peak > limits->memory))
			continue;
		limits->findings++;
		return true;
	}
	return false;
}

static void limitsTextMemory(struct limits *limits, const hdPResult *result)
{
	hdPUse use;

	for (int64_t s = 0; limitsNextMemory(limits, result, &s, &use);)
		outSay(stdout,
		       "Memory of %s exceeds the limit: %.0f of %.0f bytes",
		       use.id, use.peak, limits->memory);
}

static void limitsJsonMemory(struct limits *limits, const hdPResult *result,
			     struct outJson *json)
{
	uint64_t before = limits->findings;
	hdPUse use;

	if (!(limits->memory > 0))
		return;
	outJsonObject(json, "memory", false);
	outJsonDouble(json, "limit_bytes", limits->memory);
	outJsonArray(json, "servers", false);
	for (int64_t s = 0; limitsNextMemory(limits, result, &s, &use);) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "id", use.id);
		outJsonDouble(json, "memory_peak_bytes", use.peak);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonBool(json, "exceeded", limits->findings > before);
	outJsonEnd(json);
}

bool limitsHasPeak(const hdPPlatform *platform)
{
	for (int64_t s = 0; s < hdP_getServerCount(platform); s++) {
		if (hdP_getServerPeak(platform, s) > 0)
			return true;
	}
	return false;
}

/* Find where a limit is passed, which is a finding; the excesses to list. */
static size_t limitsFind(struct limits *limits, const hdPResult *result,
			 struct look *look)
{
	int ret = hdP_getPower(result, look->server, look->limit, &look->power,
			       look->list, LIMITS_SHOWN);

	if (ret < 0)
		g_error("power: %s", g_strerror(-ret));
	limits->findings += look->power.excesses > 0;
	return (size_t)MIN(look->power.excesses, LIMITS_SHOWN);
}

static hdPSubgraph *subgraphs(const hdPResult *result, int64_t *count)
{
	hdPSubgraph *list;

	*count = hdP_getSubgraphs(result, NULL, 0);
	if (*count < 0)
		g_error("subgraphs: %s", g_strerror((int)-*count));
	list = g_new0(hdPSubgraph, (gsize)*count + 1);
	*count = hdP_getSubgraphs(result, list, (size_t)*count);
	if (*count < 0)
		g_error("subgraphs: %s", g_strerror((int)-*count));
	return list;
}

/* The power to look at: of all servers first, then of each; false: no more. */
static bool limitsNextLook(const struct limits *limits,
			   const hdPPlatform *platform, int64_t *server,
			   struct look *look)
{
	int64_t at = (*server)++;

	*look = (struct look){ .server = at,
			       .limit = at < 0 ? limits->limit
					       : hdP_getServerPeak(platform,
								   at) };
	return limits->hasPower && at < hdP_getServerCount(platform);
}

void limitsCount(struct limits *limits, const hdPPlatform *platform,
		 const hdPResult *result)
{
	struct look look;
	hdPUse use;

	for (int64_t s = 0; limitsNextMemory(limits, result, &s, &use);)
		;
	for (int64_t s = -1; limitsNextLook(limits, platform, &s, &look);)
		limitsFind(limits, result, &look);
}

/* ---- JSON -------------------------------------------------------------- */

static void jsonLook(struct limits *limits, const hdPGraph *graph,
		     const hdPPlatform *platform, const hdPResult *result,
		     struct look *look, struct outJson *json)
{
	size_t count = limitsFind(limits, result, look);

	outJsonDouble(json, "peak_w", look->power.peak);
	outJsonDouble(json, "peak_at_s", look->power.peakAt);
	if (look->limit > 0)
		outJsonDouble(json, "limit_w", look->limit);
	outJsonDouble(json, "over_s", look->power.over);
	outJsonInteger(json, "excesses", (int64_t)look->power.excesses);
	outJsonArray(json, "first_excesses", false);
	for (size_t i = 0; i < count; i++) {
		const hdPExcess *excess = &look->list[i];
		size_t length;
		const char *id = hdP_getTaskId(graph, excess->task, &length);

		outJsonObject(json, NULL, true);
		outJsonDouble(json, "start_s", excess->start);
		outJsonDouble(json, "end_s", excess->end);
		outJsonDouble(json, "peak_w", excess->peak);
		if (id) {
			outJsonBytes(json, "task", id, length);
			outJsonBool(json, "message", excess->isMessage);
			outJsonText(json, "server",
				    hdP_getServerId(platform, excess->server));
		}
		if (excess->pe >= 0)
			outJsonText(json, "pe",
				    hdP_getPeId(platform, excess->pe));
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonSubgraphs(const hdPGraph *graph, const hdPResult *result,
			  struct outJson *json)
{
	int64_t count;
	hdPSubgraph *list = subgraphs(result, &count);

	outJsonArray(json, "subgraphs", false);
	for (int64_t i = 0; i < count; i++) {
		size_t length;
		const char *id = hdP_getTaskId(graph, list[i].task, &length);

		outJsonObject(json, NULL, true);
		outJsonBytes(json, "first", id, length);
		outJsonInteger(json, "tasks", (int64_t)list[i].tasks);
		outJsonDouble(json, "start_s", list[i].start);
		outJsonDouble(json, "end_s", list[i].end);
		outJsonDouble(json, "makespan_s", list[i].end - list[i].start);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	g_free(list);
}

void limitsJson(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result,
		struct outJson *json)
{
	struct look look;
	int64_t next = -1;

	limitsJsonMemory(limits, result, json);
	if (limitsNextLook(limits, platform, &next, &look)) {
		outJsonObject(json, "power", false);
		jsonLook(limits, graph, platform, result, &look, json);
		outJsonArray(json, "servers", false);
		while (limitsNextLook(limits, platform, &next, &look)) {
			outJsonObject(json, NULL, false);
			outJsonText(json, "id",
				    hdP_getServerId(platform, look.server));
			jsonLook(limits, graph, platform, result, &look, json);
			outJsonEnd(json);
		}
		outJsonEnd(json);
		outJsonEnd(json);
	}
	if (limits->hasSubgraphs)
		jsonSubgraphs(graph, result, json);
}

/* ---- Text -------------------------------------------------------------- */

static void textExcess(const hdPGraph *graph, const hdPPlatform *platform,
		       const hdPExcess *excess)
{
	char start[OUT_NUMBER_SIZE], end[OUT_NUMBER_SIZE];
	char peak[OUT_NUMBER_SIZE];
	size_t length = 0;
	const char *id = hdP_getTaskId(graph, excess->task, &length);

	outRounded(start, excess->start);
	outRounded(end, excess->end);
	outRounded(peak, excess->peak);
	if (!id)
		outSay(stdout,
		       "  from %s to %s s, up to %s W: idle power of the "
		       "servers",
		       start, end, peak);
	else
		outSay(stdout, "  from %s to %s s, up to %s W: %s%.*s on %s",
		       start, end, peak,
		       excess->isMessage ? "a message of " : "", (int)length,
		       id,
		       excess->pe >= 0
			       ? hdP_getPeId(platform, excess->pe)
			       : hdP_getServerId(platform, excess->server));
}

static void textLook(struct limits *limits, const hdPGraph *graph,
		     const hdPPlatform *platform, const hdPResult *result,
		     struct look *look)
{
	char numbers[4][OUT_NUMBER_SIZE];
	size_t count = limitsFind(limits, result, look);

	if (look->server < 0)
		printf("%-22s %s W at %s s\n", "Peak power",
		       outRounded(numbers[0], look->power.peak),
		       outRounded(numbers[1], look->power.peakAt));
	if (!look->power.excesses)
		return;
	outSay(stdout,
	       "Power of %s exceeds %s W: %" PRIu64 " times, for %s s; up to "
	       "%s W at %s s",
	       look->server < 0 ? "all servers"
				: hdP_getServerId(platform, look->server),
	       outRounded(numbers[0], look->limit), look->power.excesses,
	       outRounded(numbers[1], look->power.over),
	       outRounded(numbers[2], look->power.peak),
	       outRounded(numbers[3], look->power.peakAt));
	for (size_t i = 0; i < count; i++)
		textExcess(graph, platform, &look->list[i]);
	if (count < look->power.excesses)
		printf("  and %" PRIu64 " more\n",
		       look->power.excesses - count);
}

static void textSubgraphs(const hdPGraph *graph, const hdPResult *result)
{
	static const char *const headings[] = { "<First task", ">tasks",
						".start s",    ".end s",
						".time s",     NULL };
	struct outTable *table = outTableNew(headings);
	int64_t count;
	hdPSubgraph *list = subgraphs(result, &count);

	for (int64_t i = 0; i < count; i++) {
		char text[OUT_NUMBER_SIZE];
		size_t length;
		const char *id = hdP_getTaskId(graph, list[i].task, &length);
		char *copy = g_strndup(id, length);

		outTableAdd(table, copy);
		outTableAdd(table, outInteger(text, (outInt128)list[i].tasks));
		outTableAdd(table, outRounded(text, list[i].start));
		outTableAdd(table, outRounded(text, list[i].end));
		outTableAdd(table,
			    outRounded(text, list[i].end - list[i].start));
		g_free(copy);
	}
	printf("\nSubgraphs\n");
	outTablePrint(table, "  ", false);
	g_free(list);
}

void limitsText(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result)
{
	struct look look;

	limitsTextMemory(limits, result);
	for (int64_t s = -1; limitsNextLook(limits, platform, &s, &look);) {
		if (look.server < 0 || look.limit > 0)
			textLook(limits, graph, platform, result, &look);
	}
	if (limits->hasSubgraphs)
		textSubgraphs(graph, result);
}
