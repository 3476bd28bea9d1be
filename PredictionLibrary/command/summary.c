/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was predicted, as text and JSON; see summary.h. */
#include "config.h"

#include <stdio.h>
#include <glib.h>

#include "PredictionLibrary/command/summary.h"
#include "cli/output.h"
#include "cli/quantity.h"

/* What is listed of what. */
struct listing {
	hdPWhat what;
	const char *key;
	const char *title;
};

static const struct listing listings[] = {
	{ HDP_KERNELS, "kernels", "Kernel" },
	{ HDP_PES, "pes", "PE" },
	{ HDP_SERVERS, "servers", "Server" },
	{ HDP_BRIDGES, "bridges", "Bridge" },
};

/* ---- JSON -------------------------------------------------------------- */

static void jsonUse(struct outJson *json, hdPWhat what, const hdPUse *use)
{
	outJsonObject(json, NULL, true);
	outJsonText(json, "id", use->id);
	outJsonInteger(json, what == HDP_BRIDGES ? "messages" : "tasks",
		       (int64_t)use->tasks);
	outJsonDouble(json, "busy_s", use->busy);
	if (what == HDP_BRIDGES) {
		outJsonDouble(json, "bytes", use->bytes);
		outJsonDouble(json, "energy_communication_j", use->transfers);
		outJsonEnd(json);
		return;
	}
	outJsonDouble(json, "wait_data_s", use->waitData);
	outJsonDouble(json, "wait_pe_s", use->waitPe);
	outJsonDouble(json, "energy_computation_j", use->energy);
	if (what == HDP_SERVERS) {
		outJsonDouble(json, "energy_communication_j", use->transfers);
		outJsonDouble(json, "energy_idle_j", use->idle);
		outJsonDouble(json, "memory_bytes", use->memory);
		outJsonDouble(json, "memory_peak_bytes", use->peak);
		outJsonBool(json, "memory_overflow", use->peak > use->memory);
	}
	outJsonEnd(json);
}

/* The PEs of a task, as a mapping names them; to be freed. */
static char *predictSummaryPes(const hdPPlatform *platform,
			       const hdPResult *result, int64_t task)
{
	int64_t count = hdP_getTaskPes(result, task, NULL, 0);
	int64_t *pes = g_new(int64_t, count);
	GString *text = g_string_new(NULL);

	hdP_getTaskPes(result, task, pes, (size_t)count);
	for (int64_t i = 0; i < count; i++)
		g_string_append_printf(text, "%s%s", i ? "," : "",
				       hdP_getPeId(platform, pes[i]));
	g_free(pes);
	return g_string_free(text, FALSE);
}

static void predictSummaryPutTasks(struct outJson *json, const hdPGraph *graph,
				   const hdPPlatform *platform,
				   const hdPResult *result)
{
	outJsonArray(json, "per_task", false);
	for (int64_t t = 0; t < hdP_getTaskCount(graph); t++) {
		hdPTaskTimes times;
		size_t length;
		const char *id = hdP_getTaskId(graph, t, &length);
		char *pes = predictSummaryPes(platform, result, t);

		hdP_getTaskTimes(result, t, &times);
		outJsonObject(json, NULL, true);
		outJsonBytes(json, "id", id, length);
		outJsonText(json, "pe", pes);
		outJsonDouble(json, "start_s", times.start);
		outJsonDouble(json, "end_s", times.end);
		outJsonEnd(json);
		g_free(pes);
	}
	outJsonEnd(json);
}

static void predictSummaryPrintJson(const hdPGraph *graph,
				    const hdPPlatform *platform,
				    const hdPResult *result,
				    const hdPTotals *totals,
				    const struct samples *samples,
				    struct limits *limits, bool hasTasks)
{
	struct outJson *json = g_new0(struct outJson, 1);
	double dynamic = totals->computation + totals->communication;

	outJsonDocument(json, "hdpredict-simulate");
	outJsonInteger(json, "tasks", (int64_t)totals->tasks);
	outJsonDouble(json, "makespan_s", totals->makespan);
	outJsonDouble(json, "energy_computation_j", totals->computation);
	outJsonDouble(json, "energy_communication_j", totals->communication);
	outJsonDouble(json, "energy_dynamic_j", dynamic);
	outJsonDouble(json, "energy_idle_j", totals->idle);
	outJsonDouble(json, "energy_total_j", dynamic + totals->idle);
	outJsonInteger(json, "messages", (int64_t)totals->messages);
	outJsonDouble(json, "message_bytes", totals->bytes);
	outJsonDouble(json, "message_wait_s", totals->queued);
	outJsonDouble(json, "message_transfer_s", totals->transferring);
	outJsonInteger(json, "slowdowns_mixed", (int64_t)totals->mixedLoads);
	outJsonInteger(json, "slowdowns_beyond", (int64_t)totals->beyondLoads);
	outJsonInteger(json, "memory_overflows", (int64_t)totals->overflows);
	outJsonDouble(json, "peak_power_w", limitsPeak(result));
	outJsonDouble(json, "memory_peak_bytes", limitsMemory(result));
	outJsonInteger(json, "pending_max", (int64_t)totals->pendingMax);
	outJsonBool(json, "energy_assumed", hdP_isIdlePowerAssumed(platform));
	for (size_t i = 0; i < G_N_ELEMENTS(listings); i++) {
		outJsonArray(json, listings[i].key, false);
		for (int64_t k = 0;
		     k < hdP_getUseCount(result, listings[i].what); k++) {
			hdPUse use;

			hdP_getUse(result, listings[i].what, k, &use);
			jsonUse(json, listings[i].what, &use);
		}
		outJsonEnd(json);
	}
	limitsJson(limits, graph, platform, result, json);
	samplesJson(samples, json);
	if (hasTasks)
		predictSummaryPutTasks(json, graph, platform, result);
	outJsonEnd(json);
	printf("\n");
	g_free(json);
}

/* ---- Text -------------------------------------------------------------- */

static void predictSummaryAddCell(struct outTable *table, double value)
{
	char text[OUT_NUMBER_SIZE];

	outTableAdd(table, outRounded(text, value));
}

static void textUse(const hdPResult *result, const struct listing *listing)
{
	static const char *const ofTasks[] = { "<",           ">tasks",
					       ".busy s",     ".waits data s",
					       ".waits PE s", ".energy J",
					       NULL };
	static const char *const ofMessages[] = { "<",         ">messages",
						  ".busy s",   ".bytes",
						  ".energy J", NULL };
	bool isBridge = listing->what == HDP_BRIDGES;
	struct outTable *table = outTableNew(isBridge ? ofMessages : ofTasks);

	for (int64_t i = 0; i < hdP_getUseCount(result, listing->what); i++) {
		char count[OUT_NUMBER_SIZE];
		hdPUse use;

		hdP_getUse(result, listing->what, i, &use);
		if (!use.tasks)
			continue;
		outTableAdd(table, use.id);
		outTableAdd(table, outInteger(count, (outInt128)use.tasks));
		predictSummaryAddCell(table, use.busy);
		if (isBridge) {
			predictSummaryAddCell(table, use.bytes);
			predictSummaryAddCell(table, use.transfers);
			continue;
		}
		predictSummaryAddCell(table, use.waitData);
		predictSummaryAddCell(table, use.waitPe);
		predictSummaryAddCell(table, use.energy);
	}
	printf("\n%s\n", listing->title);
	outTablePrint(table, "  ", false);
}

static void predictSummaryPrintLine(const char *label, double value,
				    const char *unit)
{
	char text[OUT_NUMBER_SIZE];

	printf("%-22s %s %s\n", label, outRounded(text, value), unit);
}

static void textMemory(const hdPResult *result)
{
	for (int64_t i = 0; i < hdP_getUseCount(result, HDP_SERVERS); i++) {
		hdPUse use;

		hdP_getUse(result, HDP_SERVERS, i, &use);
		if (use.peak > use.memory)
			printf("Memory of %s overflows: %.0f of %.0f bytes\n",
			       use.id, use.peak, use.memory);
	}
}

static void predictSummaryPrintTasks(const hdPGraph *graph,
				     const hdPPlatform *platform,
				     const hdPResult *result)
{
	static const char *const headings[] = { "<Task", "<PE", ".start s",
						".end s", NULL };
	struct outTable *table = outTableNew(headings);

	for (int64_t t = 0; t < hdP_getTaskCount(graph); t++) {
		hdPTaskTimes times;
		size_t length;
		const char *id = hdP_getTaskId(graph, t, &length);
		char *copy = g_strndup(id, length);
		char *pes = predictSummaryPes(platform, result, t);

		hdP_getTaskTimes(result, t, &times);
		outTableAdd(table, copy);
		outTableAdd(table, pes);
		predictSummaryAddCell(table, times.start);
		predictSummaryAddCell(table, times.end);
		g_free(copy);
		g_free(pes);
	}
	printf("\n");
	outTablePrint(table, "", false);
}

/* The first lines: tasks, time and energy. */
static void predictSummaryPrintEnergy(const hdPPlatform *platform,
				      const hdPTotals *totals)
{
	double dynamic = totals->computation + totals->communication;
	bool isAssumed = hdP_isIdlePowerAssumed(platform);

	printf("%-22s %" PRIu64 "\n", "Tasks", totals->tasks);
	predictSummaryPrintLine("Time", totals->makespan, "s");
	predictSummaryPrintLine("Energy", dynamic + totals->idle,
				isAssumed ? "J (assumed idle power)" : "J");
	predictSummaryPrintLine("  idle", totals->idle,
				isAssumed ? "J (assumed)" : "J");
	predictSummaryPrintLine("  computation", totals->computation, "J");
	predictSummaryPrintLine("  communication", totals->communication, "J");
}

static void predictSummaryPrintBrief(const hdPPlatform *platform,
				     const hdPResult *result,
				     const hdPTotals *totals)
{
	predictSummaryPrintEnergy(platform, totals);
	predictSummaryPrintLine("Peak power", limitsPeak(result), "W");
	predictSummaryPrintLine("Memory of a node", limitsMemory(result),
				"bytes");
	printf("%-22s %" PRIu64 "\n", "Messages", totals->messages);
	printf("%-22s %" PRIu64 "\n", "Pending on a node", totals->pendingMax);
}

static void predictSummaryPrintText(const hdPGraph *graph,
				    const hdPPlatform *platform,
				    const hdPResult *result,
				    const hdPTotals *totals,
				    const struct samples *samples,
				    struct limits *limits, bool hasTasks)
{
	double dynamic = totals->computation + totals->communication;

	predictSummaryPrintEnergy(platform, totals);
	if (totals->makespan > 0)
		predictSummaryPrintLine(
			"Mean power",
			(dynamic + totals->idle) / totals->makespan, "W");
	printf("%-22s %" PRIu64 "\n", "Messages", totals->messages);
	if (totals->mixedLoads)
		printf("Slowdowns from the mean of several entries: %" PRIu64
		       "\n",
		       totals->mixedLoads);
	if (totals->beyondLoads)
		printf("Slowdowns from the last known entry: %" PRIu64 "\n",
		       totals->beyondLoads);
	textMemory(result);
	limitsText(limits, graph, platform, result);
	samplesText(samples);
	for (size_t i = 0; i < G_N_ELEMENTS(listings); i++)
		textUse(result, &listings[i]);
	if (hasTasks)
		predictSummaryPrintTasks(graph, platform, result);
}

void summaryPrintDeadlock(const hdPGraph *graph, const hdPPlatform *platform,
			  const hdPDeadlock *deadlock)
{
	struct outJson *json = g_new0(struct outJson, 1);

	outJsonDocument(json, "hdpredict-deadlock");
	outJsonObject(json, "deadlock", false);
	outJsonText(json, "node", hdP_getServerId(platform, deadlock->server));
	outJsonDouble(json, "time_s", deadlock->at);
	outJsonArray(json, "tasks", true);
	for (size_t i = 0; i < deadlock->taskCount; i++) {
		size_t length;
		const char *id =
			hdP_getTaskId(graph, deadlock->tasks[i], &length);

		outJsonBytes(json, NULL, id, length);
	}
	outJsonEnd(json);
	outJsonEnd(json);
	outJsonEnd(json);
	printf("\n");
	g_free(json);
}

void summaryPrint(const hdPGraph *graph, const hdPPlatform *platform,
		  const hdPResult *result, const struct samples *samples,
		  struct limits *limits, enum summaryForm form)
{
	hdPTotals totals;
	bool hasTasks = form == SUMMARY_TASKS || form == SUMMARY_JSON_TASKS;

	hdP_getTotals(result, &totals);
	limits->findings += totals.overflows;
	if (form == SUMMARY_BRIEF) {
		predictSummaryPrintBrief(platform, result, &totals);
		limitsCount(limits, platform, result);
		return;
	}
	(form == SUMMARY_JSON || form == SUMMARY_JSON_TASKS
		 ? predictSummaryPrintJson
		 : predictSummaryPrintText)(graph, platform, result, &totals,
					    samples, limits, hasTasks);
}
