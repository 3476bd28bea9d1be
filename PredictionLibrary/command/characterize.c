/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict characterize: models of what was measured. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "cli/rows.h"

/* What is asked for. */
struct settings {
	char *output;
	char *format;
	char *kernel;
	char *architecture;
	char *reference;
	char *full;
	double drift;
	double packetSize;
	double memory;
	gboolean isForced;
	gboolean isAsRecorded;
	gboolean isTimeOnly;
};

static const char *const lateness[] = {
	[LATE_UNKNOWN] = "unknown",
	[LATE_RECORDED] = "recorded",
	[LATE_ESTIMATED] = "estimated",
	[LATE_IGNORED] = "ignored",
};

/* ---- Tables ------------------------------------------------------------- */

/* Where tables go: they are printed, or are arrays of the document. */
struct output {
	enum outFormat format;
	struct outJson *json;
	struct rows *rows;
};

static void beginTable(struct output *out, const char *key,
		       const struct rowColumn *columns)
{
	if (out->format == OUT_JSON)
		outJsonArray(out->json, key, false);
	out->rows = rowsNew(columns, out->format, out->json);
}

static void endTable(struct output *out, const char *title, size_t count)
{
	if (out->format == OUT_TEXT && count)
		printf("%s\n", title);
	if (out->format == OUT_JSON || count)
		rowsPrint(out->rows, "  ", false);
	if (out->format == OUT_TEXT && count)
		printf("\n");
	rowsFree(out->rows);
	if (out->format == OUT_JSON)
		outJsonEnd(out->json);
}

/* The relative error of a number, for people; nothing if it is below the last
 * digit that is printed. */
static void putError(struct rows *rows, size_t column, double error,
		     double mean)
{
	char text[32];

	rowsNumber(rows, column, error);
	if (!isfinite(error) || !(fabs(mean) > 0))
		return;
	g_snprintf(text, sizeof(text), "%.2g %%", 100 * error / fabs(mean));
	if (error > 0 && error < pow(10, -outDecimals(mean)))
		*text = '\0';
	rowsShow(rows, column, text);
}

static char *variablesText(const GArray *variables)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < variables->len; i++) {
		const struct learntVariable *variable =
			&g_array_index(variables, struct learntVariable, i);
		char number[OUT_NUMBER_SIZE];

		g_string_append_printf(text, "%s%s=%s", i ? " " : "",
				       variable->name,
				       outDouble(number, variable->value));
	}
	return g_string_free(text, FALSE);
}

enum {
	E_KERNEL,
	E_VARIABLES,
	E_ARCHITECTURE,
	E_PES,
	E_TIME,
	E_TIME_SD,
	E_TIME_ERROR,
	E_N,
	E_ENERGY,
	E_ENERGY_SD,
	E_ENERGY_ERROR,
	E_ENERGY_N,
	E_REFUSED,
	E_FITTED,
	E_ALONE,
	E_PROFILE
};

static const struct rowColumn entryColumns[] = {
	[E_KERNEL] = { "<Kernel", "kernel", ROW_TEXT, 0 },
	[E_VARIABLES] = { "<Variables", "variables", ROW_TEXT, 0 },
	[E_ARCHITECTURE] = { "<Architecture", "architecture", ROW_TEXT, 0 },
	[E_PES] = { ">PEs", "pes", ROW_COUNT, 0 },
	[E_TIME] = { ".Time s", "time_s", ROW_NUMBER, ROW_DASH },
	[E_TIME_SD] = { NULL, "time_sd_s", ROW_NUMBER, 0 },
	[E_TIME_ERROR] = { ">+/-", "time_error_s", ROW_NUMBER, ROW_DASH },
	[E_N] = { ">n", "n", ROW_COUNT, 0 },
	[E_ENERGY] = { ".Energy J", "energy_j", ROW_NUMBER, ROW_DASH },
	[E_ENERGY_SD] = { NULL, "energy_sd_j", ROW_NUMBER, 0 },
	[E_ENERGY_ERROR] = { ">+/-", "energy_error_j", ROW_NUMBER, ROW_DASH },
	[E_ENERGY_N] = { ">n", "energy_n", ROW_COUNT, 0 },
	[E_REFUSED] = { ">Refused", "refused", ROW_COUNT, 0 },
	[E_FITTED] = { "<Fitted", "is_fitted", ROW_FLAG, 0 },
	[E_ALONE] = { "<Alone", "is_alone", ROW_FLAG, 0 },
	[E_PROFILE] = { ">Profiled", "profiled", ROW_COUNT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printEntries(struct output *out, const struct learnt *learnt)
{
	beginTable(out, "entries", entryColumns);
	for (guint i = 0; i < learnt->entries->len; i++) {
		const struct learntEntry *entry =
			g_ptr_array_index(learnt->entries, i);
		char *variables = variablesText(entry->variables);
		struct rows *rows = out->rows;

		rowsText(rows, E_KERNEL, entry->kernel);
		rowsText(rows, E_VARIABLES, variables);
		rowsText(rows, E_ARCHITECTURE, entry->architecture);
		rowsCount(rows, E_PES, entry->pes);
		rowsNumber(rows, E_TIME, entry->time.mean);
		rowsNumber(rows, E_TIME_SD, entry->time.deviation);
		putError(rows, E_TIME_ERROR, entry->time.error,
			 entry->time.mean);
		rowsCount(rows, E_N, entry->time.count);
		rowsNumber(rows, E_ENERGY, entry->energy.mean);
		rowsNumber(rows, E_ENERGY_SD, entry->energy.deviation);
		putError(rows, E_ENERGY_ERROR, entry->energy.error,
			 entry->energy.mean);
		rowsCount(rows, E_ENERGY_N, entry->energy.count);
		rowsCount(rows, E_REFUSED, entry->refused);
		rowsFlag(rows, E_FITTED, entry->isFitted);
		rowsFlag(rows, E_ALONE, !entry->isLoaded);
		rowsCount(rows, E_PROFILE, entry->profiled);
		rowsEnd(rows);
		g_free(variables);
	}
	endTable(out, "Kernels", learnt->entries->len);
}

enum { S_KERNEL, S_ARCHITECTURE, S_BESIDE, S_COUNT, S_FACTOR, S_ERROR, S_N };

static const struct rowColumn slowdownColumns[] = {
	[S_KERNEL] = { "<Kernel", "kernel", ROW_TEXT, 0 },
	[S_ARCHITECTURE] = { "<Architecture", "architecture", ROW_TEXT, 0 },
	[S_BESIDE] = { "<Beside", "load", ROW_TEXT, 0 },
	[S_COUNT] = { ">PEs", "count", ROW_COUNT, 0 },
	[S_FACTOR] = { ".Factor", "factor", ROW_NUMBER, 0 },
	[S_ERROR] = { ">+/-", "factor_error", ROW_NUMBER, ROW_DASH },
	[S_N] = { ">n", "n", ROW_COUNT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printSlowdowns(struct output *out, const struct learnt *learnt)
{
	beginTable(out, "slowdowns", slowdownColumns);
	for (guint i = 0; i < learnt->slowdowns->len; i++) {
		const struct learntSlowdown *slowdown = &g_array_index(
			learnt->slowdowns, struct learntSlowdown, i);
		struct rows *rows = out->rows;

		rowsText(rows, S_KERNEL, slowdown->kernel);
		rowsText(rows, S_ARCHITECTURE, slowdown->architecture);
		rowsText(rows, S_BESIDE, slowdown->beside);
		rowsCount(rows, S_COUNT, slowdown->count);
		rowsNumber(rows, S_FACTOR, slowdown->factor.mean);
		putError(rows, S_ERROR, slowdown->factor.error,
			 slowdown->factor.mean);
		rowsCount(rows, S_N, slowdown->factor.count);
		rowsEnd(rows);
	}
	endTable(out, "Slowdowns", learnt->slowdowns->len);
}

enum {
	H_HOST,
	H_ARCHITECTURE,
	H_PES,
	H_IDLE,
	H_SD,
	H_PAUSES,
	H_SCALE,
	H_OFFSET,
	H_POINTS,
	H_RESIDUAL
};

static const struct rowColumn hostColumns[] = {
	[H_HOST] = { "<Host", "host", ROW_TEXT, 0 },
	[H_ARCHITECTURE] = { "<Architecture", "architecture", ROW_TEXT, 0 },
	[H_PES] = { ">PEs", "pes", ROW_COUNT, 0 },
	[H_IDLE] = { ".Idle W", "idle_w", ROW_NUMBER, ROW_DASH },
	[H_SD] = { ".sd", "idle_sd_w", ROW_NUMBER, ROW_DASH },
	[H_PAUSES] = { ">Pauses", "pauses", ROW_COUNT, 0 },
	[H_SCALE] = { ".Scale", "scale", ROW_NUMBER, ROW_DASH },
	[H_OFFSET] = { ".Offset W", "offset_w", ROW_NUMBER, ROW_DASH },
	[H_POINTS] = { ">Points", "points", ROW_COUNT, 0 },
	[H_RESIDUAL] = { ">Left", "residual", ROW_NUMBER, ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void characterizePrintHosts(struct output *out,
				   const struct learnt *learnt)
{
	beginTable(out, "hosts", hostColumns);
	for (guint i = 0; i < learnt->hosts->len; i++) {
		const struct learntHost *host =
			g_ptr_array_index(learnt->hosts, i);
		struct rows *rows = out->rows;

		rowsText(rows, H_HOST, host->label);
		rowsText(rows, H_ARCHITECTURE, host->architecture);
		rowsCount(rows, H_PES, host->pes->len);
		rowsNumber(rows, H_IDLE, host->idle);
		rowsNumber(rows, H_SD, host->idleSpread);
		rowsCount(rows, H_PAUSES, host->pauses);
		rowsNumber(rows, H_SCALE, host->points ? host->scale : NAN);
		rowsNumber(rows, H_OFFSET, host->points ? host->offset : NAN);
		rowsCount(rows, H_POINTS, host->points);
		putError(rows, H_RESIDUAL, host->residual, 1);
		rowsEnd(rows);
	}
	endTable(out, "Hosts", learnt->hosts->len);
}

enum { M_PROJECT, M_HOST, M_CYCLE, M_DELAY, M_ERROR, M_FROM, M_REASON };

static const struct rowColumn meterColumns[] = {
	[M_PROJECT] = { "<Project", "project", ROW_TEXT, 0 },
	[M_HOST] = { "<Host", "host", ROW_TEXT, 0 },
	[M_CYCLE] = { ">Cycle s", "cycle_s", ROW_NUMBER, ROW_DASH },
	[M_DELAY] = { ">Delay s", "delay_s", ROW_NUMBER, ROW_DASH },
	[M_ERROR] = { ">+/-", "delay_error_s", ROW_NUMBER, ROW_DASH },
	[M_FROM] = { "<Delay", "delay", ROW_TEXT, ROW_DASH },
	[M_REASON] = { "<", "reason", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printMeters(struct output *out, const struct learnt *learnt)
{
	size_t count = 0;

	beginTable(out, "meters", meterColumns);
	for (guint i = 0; i < learnt->meters->len; i++) {
		const struct learntMeter *meter =
			g_ptr_array_index(learnt->meters, i);
		bool isLate = meter->lateness == LATE_RECORDED ||
			      meter->lateness == LATE_ESTIMATED;
		struct rows *rows = out->rows;

		if (!meter->power)
			continue;
		rowsText(rows, M_PROJECT, meter->project->name);
		rowsText(rows, M_HOST, meter->node->label);
		rowsNumber(rows, M_CYCLE, (double)meter->cycle / 1e9);
		rowsNumber(rows, M_DELAY,
			   isLate ? (double)meter->late / 1e9 : NAN);
		rowsNumber(rows, M_ERROR,
			   meter->lateness == LATE_ESTIMATED
				   ? (double)meter->lateError / 1e9
				   : NAN);
		rowsText(rows, M_FROM, lateness[meter->lateness]);
		rowsText(rows, M_REASON, meter->lateReason);
		rowsEnd(rows);
		count++;
	}
	endTable(out, "Meters", count);
}

enum {
	P_FROM,
	P_TO,
	P_N,
	P_INIT,
	P_INIT_ERROR,
	P_LATENCY,
	P_LATENCY_ERROR,
	P_SPREAD
};

static const struct rowColumn pairColumns[] = {
	[P_FROM] = { "<From", "from", ROW_TEXT, 0 },
	[P_TO] = { "<To", "to", ROW_TEXT, 0 },
	[P_N] = { ">n", "n", ROW_COUNT, 0 },
	[P_INIT] = { ">Init s", "init_s", ROW_NUMBER, ROW_DASH },
	[P_INIT_ERROR] = { ">+/-", "init_error_s", ROW_NUMBER, ROW_DASH },
	[P_LATENCY] = { ">Packet s", "packet_s", ROW_NUMBER, ROW_DASH },
	[P_LATENCY_ERROR] = { ">+/-", "packet_error_s", ROW_NUMBER, ROW_DASH },
	[P_SPREAD] = { ">Left s", "residual_s", ROW_NUMBER, ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printPairs(struct output *out, const struct learnt *learnt)
{
	beginTable(out, "links", pairColumns);
	for (guint i = 0; i < learnt->pairs->len; i++) {
		const struct learntPair *pair =
			&g_array_index(learnt->pairs, struct learntPair, i);
		struct rows *rows = out->rows;

		rowsText(rows, P_FROM, pair->from);
		rowsText(rows, P_TO, pair->to);
		rowsCount(rows, P_N, pair->count);
		rowsNumber(rows, P_INIT, pair->init);
		putError(rows, P_INIT_ERROR, pair->initError, pair->init);
		rowsNumber(rows, P_LATENCY, pair->latency);
		putError(rows, P_LATENCY_ERROR, pair->latencyError,
			 pair->latency);
		rowsNumber(rows, P_SPREAD, pair->spread);
		rowsEnd(rows);
	}
	endTable(out, "Links", learnt->pairs->len);
}

enum {
	B_ARCHITECTURE,
	B_DIRECTION,
	B_INIT,
	B_LATENCY,
	B_ENERGY,
	B_ERROR,
	B_N,
	B_MISFIT
};

static const struct rowColumn bridgeColumns[] = {
	[B_ARCHITECTURE] = { "<Hosts", "architecture", ROW_TEXT, 0 },
	[B_DIRECTION] = { "<Direction", "direction", ROW_TEXT, 0 },
	[B_INIT] = { ">Init s", "init_s", ROW_NUMBER, ROW_DASH },
	[B_LATENCY] = { ">Packet s", "packet_s", ROW_NUMBER, ROW_DASH },
	[B_ENERGY] = { ">Packet J", "packet_j", ROW_NUMBER, ROW_DASH },
	[B_ERROR] = { ">+/-", "packet_error_j", ROW_NUMBER, ROW_DASH },
	[B_N] = { ">n", "n", ROW_COUNT, 0 },
	[B_MISFIT] = { ">Left", "residual", ROW_NUMBER, ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printBridges(struct output *out, const struct learnt *learnt)
{
	beginTable(out, "bridges", bridgeColumns);
	for (guint i = 0; i < learnt->bridges->len; i++) {
		const struct learntBridge *bridge =
			&g_array_index(learnt->bridges, struct learntBridge, i);
		struct rows *rows = out->rows;

		rowsText(rows, B_ARCHITECTURE, bridge->architecture);
		rowsText(rows, B_DIRECTION, bridge->isOut ? "out" : "in");
		rowsNumber(rows, B_INIT, bridge->init);
		rowsNumber(rows, B_LATENCY, bridge->latency);
		rowsNumber(rows, B_ENERGY, bridge->energy.mean);
		putError(rows, B_ERROR, bridge->energy.error,
			 bridge->energy.mean);
		rowsCount(rows, B_N, bridge->energy.count);
		putError(rows, B_MISFIT, bridge->misfit, 1);
		rowsEnd(rows);
	}
	endTable(out, "Bridges", learnt->bridges->len);
}

enum {
	A_ARCHITECTURE,
	A_ORDER,
	A_ACCESS,
	A_BYTES,
	A_TIME,
	A_TIME_ERROR,
	A_N,
	A_ENERGY,
	A_ENERGY_ERROR,
	A_ENERGY_N,
	A_FITTED
};

static const struct rowColumn accessColumns[] = {
	[A_ARCHITECTURE] = { "<Hosts", "architecture", ROW_TEXT, 0 },
	[A_ORDER] = { "<Order", "order", ROW_TEXT, 0 },
	[A_ACCESS] = { "<Access", "access", ROW_TEXT, 0 },
	[A_BYTES] = { ">Bytes", "size_bytes", ROW_NUMBER, 0 },
	[A_TIME] = { ">Time s", "time_s", ROW_NUMBER, 0 },
	[A_TIME_ERROR] = { ">+/-", "time_error_s", ROW_NUMBER, ROW_DASH },
	[A_N] = { ">n", "n", ROW_COUNT, 0 },
	[A_ENERGY] = { ">Energy J", "energy_j", ROW_NUMBER, ROW_DASH },
	[A_ENERGY_ERROR] = { ">+/-", "energy_error_j", ROW_NUMBER, ROW_DASH },
	[A_ENERGY_N] = { ">n", "energy_n", ROW_COUNT, 0 },
	[A_FITTED] = { "<Fitted", "is_fitted", ROW_FLAG, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void printAccesses(struct output *out, const struct learnt *learnt)
{
	beginTable(out, "accesses", accessColumns);
	for (guint i = 0; i < learnt->classes->len; i++) {
		const struct learntAccess *class =
			&g_array_index(learnt->classes, struct learntAccess, i);
		struct rows *rows = out->rows;

		rowsText(rows, A_ARCHITECTURE, class->architecture);
		rowsText(rows, A_ORDER, class->order);
		rowsText(rows, A_ACCESS, class->access);
		rowsNumber(rows, A_BYTES, class->bytes);
		rowsNumber(rows, A_TIME, class->time.mean);
		putError(rows, A_TIME_ERROR, class->time.error,
			 class->time.mean);
		rowsCount(rows, A_N, class->time.count);
		rowsNumber(rows, A_ENERGY, class->energy.mean);
		putError(rows, A_ENERGY_ERROR, class->energy.error,
			 class->energy.mean);
		rowsCount(rows, A_ENERGY_N, class->energy.count);
		rowsFlag(rows, A_FITTED, class->isFitted);
		rowsEnd(rows);
	}
	endTable(out, "Accesses to files", learnt->classes->len);
}

static void characterizePrint(const struct learnt *learnt, bool isJson)
{
	struct outJson json = { .depth = 0 };
	struct output out = { isJson ? OUT_JSON : OUT_TEXT, &json, NULL };

	if (isJson)
		outJsonDocument(&json, "hdpredict-characterize");
	printEntries(&out, learnt);
	printSlowdowns(&out, learnt);
	characterizePrintHosts(&out, learnt);
	printMeters(&out, learnt);
	printPairs(&out, learnt);
	printBridges(&out, learnt);
	printAccesses(&out, learnt);
	if (isJson) {
		outJsonInteger(&json, "refused", (int64_t)learnt->refused);
		outJsonEnd(&json);
	} else if (learnt->refused) {
		printf("Refused: %zu\n", learnt->refused);
	}
}

/* ---- The command -------------------------------------------------------- */

/* Kernels that have no entry: simulations cannot run them. */
static int characterizeCheckKernels(struct predict *predict,
				    const struct learnt *learnt)
{
	int status = PREDICT_OK;

	for (guint i = 0; i < learnt->entries->len; i++) {
		const struct learntEntry *entry =
			g_ptr_array_index(learnt->entries, i);
		char *variables;

		if (!entry->runs ||
		    (entry->time.count &&
		     (entry->energy.count || learnt->choice.isTimeOnly)))
			continue;
		variables = variablesText(entry->variables);
		predictError(predict,
			     "kernel %s%s%s on %s: energy unknown; omitted "
			     "from the model",
			     entry->kernel, *variables ? " " : "", variables,
			     entry->architecture);
		g_free(variables);
		status = PREDICT_INVALID;
	}
	return status;
}

static int characterizeWork(struct predict *predict,
			    const struct settings *settings,
			    struct learnt *learnt, bool isJson, char **projects)
{
	char *path = NULL;
	int status = PREDICT_OK, ret = 0;

	for (int i = 0; projects[i] && ret == 0; i++) {
		ret = learnProject(learnt, projects[i]);
		if (ret < 0)
			return predictStatus(predict, -EBADMSG, projects[i]);
	}
	ret = learnModel(learnt);
	status = predictStatus(predict, ret, "characterization");
	if (status != PREDICT_OK)
		return status;
	ret = learnWrite(learnt, settings->output, settings->isForced, &path);
	if (ret == -EEXIST)
		status = predictError(
			predict, "%s: the file exists; use -f to replace it",
			path);
	else if (ret < 0)
		status = predictErrorWrite(predict, path, ret);
	g_free(path);
	if (status != PREDICT_OK)
		return status;
	characterizePrint(learnt, isJson);
	return characterizeCheckKernels(predict, learnt);
}

static int characterizeCheck(struct predict *predict,
			     const struct settings *settings)
{
	if (!settings->output)
		return predictMissingOption(predict, "output");
	if (!(settings->drift >= 0 && settings->drift <= 100))
		return predictOutOfRange(predict, "drift", settings->drift,
					 "0 to 100");
	if (!(settings->packetSize >= 1 && settings->packetSize <= 1e15))
		return predictOutOfRange(predict, "packet-size",
					 settings->packetSize,
					 "1 or more bytes");
	if (!(settings->memory >= 0 && settings->memory <= 0x1p53))
		return predictOutOfRange(predict, "memory", settings->memory,
					 "0 or more bytes");
	if (settings->full && settings->memory == 0)
		return predictNeeds(predict, "full", "memory");
	if (settings->architecture && !*settings->architecture)
		return predictInvalidValue(predict, "architecture", "",
					   "a name");
	return PREDICT_OK;
}

int characterizeRun(struct predict *predict, int argc, char **argv)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const fulls[] = { "fail", "delay", NULL };
	struct settings settings = { .drift = 10, .packetSize = 1492 };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &settings.output,
		  "Directory for platform.xml, resources.xml and kernels.xml",
		  "DIRECTORY" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &settings.isForced,
		  "Replace existing files", NULL },
		{ "kernel", 0, 0, G_OPTION_ARG_STRING, &settings.kernel,
		  "Pattern of kernel states (default: by attribute, else all "
		  "except MPI)",
		  "PATTERN" },
		{ "architecture", 0, 0, G_OPTION_ARG_STRING,
		  &settings.architecture,
		  "Architecture of PEs if their states name none (default: "
		  "cpu)",
		  "NAME" },
		{ "reference", 0, 0, G_OPTION_ARG_STRING, &settings.reference,
		  "Host that represents the power of its architecture "
		  "(default: the first)",
		  "HOST" },
		{ "drift", 0, 0, G_OPTION_ARG_DOUBLE, &settings.drift,
		  "Maximum change of idle power in % of the energy (default: "
		  "10)",
		  "PERCENT" },
		{ "packet-size", 0, 0, G_OPTION_ARG_DOUBLE,
		  &settings.packetSize,
		  "Packet size of links in bytes (default: 1492)", "BYTES" },
		{ "memory", 0, 0, G_OPTION_ARG_DOUBLE, &settings.memory,
		  "Memory of each host in bytes (default: unlimited)",
		  "BYTES" },
		{ "full", 0, 0, G_OPTION_ARG_STRING, &settings.full,
		  "Behavior when memory is full: fail or delay (default: a "
		  "report)",
		  "HOW" },
		{ "no-delay", 0, 0, G_OPTION_ARG_NONE, &settings.isAsRecorded,
		  "Use power time stamps as recorded, without correction of "
		  "the meter delay",
		  NULL },
		{ "time-only", 0, 0, G_OPTION_ARG_NONE, &settings.isTimeOnly,
		  "Omit energies", NULL },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &settings.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"PROJECT...",
		"Create a platform and a resource model from projects with "
		"states and power.",
		"Exit status: 0 success; 1 no usable data, or a kernel without "
		"energy;\n"
		"2 usage, input or output error.\n"
		"\n"
		"Examples:\n"
		"  hdpredict characterize -o model here/measured.proj "
		"links.proj\n"
		"  hdpredict characterize --time-only -o model run1.proj "
		"run2.proj\n",
		1,
		-1,
		NULL,
		true,
	};
	struct learnChoice choice;
	struct learnt *learnt;
	int status = predictParse(predict, &argc, &argv, entries, &help);
	int format = 0, full = 0;

	if (status >= 0)
		return status;
	if (settings.format)
		format = predictChoose(predict, "--format", settings.format,
				       formats);
	if (settings.full && format >= 0)
		full = predictChoose(predict, "--full", settings.full, fulls);
	status = format < 0 || full < 0 ? PREDICT_FAILED
					: characterizeCheck(predict, &settings);
	if (status != PREDICT_OK)
		return status;
	choice = (struct learnChoice){
		.kernel = settings.kernel,
		.architecture =
			settings.architecture ? settings.architecture : "cpu",
		.reference = settings.reference,
		.drift = settings.drift / 100,
		.packetSize = settings.packetSize,
		.memory = settings.memory,
		.full = settings.full,
		.isAsRecorded = settings.isAsRecorded,
		.isTimeOnly = settings.isTimeOnly,
	};
	learnt = learntNew(&choice, predictTake, predict);
	status = characterizeWork(predict, &settings, learnt, format == 1,
				  argv + 1);
	learntFree(learnt);
	return status;
}
