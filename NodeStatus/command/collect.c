/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode collect: what many nodes say, as a table, as JSON or as a project,
 * once or again and again. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <jansson.h>

#include "NodeStatus/collect/collector.h"
#include "NodeStatus/command/hdnode.h"
#include "NodeStatus/command/noderecording.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "cli/rows.h"
#include "common/clock.h"
#include "common/net.h"

/* How often nodes are asked for a project: those that look once a second are
 * not missed. */
#define PROJECT_INTERVAL_S 0.5

/* Numbers from this one on are written with an exponent. */
#define NUMBER_MAX 1e9

/* What is asked for, unless probes are wanted, too. */
#define USUAL \
	(HDNODE_CAPABILITIES | HDNODE_STATUS | HDNODE_HEALTH | HDNODE_ALARMS)

static const char *const formats[] = { "text", "json", NULL };
enum { TEXT, JSON };

static const struct cliWords words[] = {
	{ "format", formats, false },
	{ NULL, NULL, false },
};

static const struct cliNumber numbers[] = {
	{ "interval", 0, 86400, "s" },
	{ "number", 0, INFINITY, NULL },
	{ "timeout", CLI_ABOVE_ZERO, 86400, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdnode collect",
	.arguments = "[HOST[:PORT]...]",
	.description =
		"Query the hdnode daemons of many nodes at the same time. A "
		"node that does not answer in time is shown as late and does "
		"not delay the others.",
	.notes = "Exit status: 0 all nodes answered, 1 some did not, 2 usage "
		 "error,\nno query was possible, or a project could not be "
		 "written.\n\n"
		 "Examples:\n"
		 "  hdnode collect node01 node02\n"
		 "  hdnode collect --format=json --probes localhost\n"
		 "  hdnode collect --project=cluster --nodes=nodes.txt",
	.usageStatus = NODE_FAILED,
	.numbers = numbers,
	.words = words,
};

struct options {
	struct nodeAsk ask;
	char *format;
	int chosen, number;
	double interval;
	gboolean hasProbes, isReset;
	int signalFd;
	struct nodeRecording *recording; /* NULL: none. */
};

/* A project is all that is wanted, unless there is a format. */
static bool isPrinted(const struct options *options)
{
	return !options->ask.project || options->format || options->hasProbes;
}

static unsigned int sectionsOf(const struct options *options)
{
	return (isPrinted(options) ? USUAL : HDNODE_STATUS) |
	       (options->hasProbes ? HDNODE_PROBES : 0U);
}

/* ---- A table ------------------------------------------------------------ */

enum column {
	NAME,
	STATE,
	AGE,
	SAMPLE,
	OFFSET,
	CPUS,
	BUSY,
	LOAD,
	MEMORY,
	POWER,
	ALARMS
};

static const struct rowColumn columns[] = {
	[NAME] = { "<node", NULL, ROW_TEXT, 0 },
	[STATE] = { "<state", NULL, ROW_TEXT, 0 },
	[AGE] = { ">age", NULL, ROW_TEXT, ROW_DASH },
	[SAMPLE] = { ">sample", NULL, ROW_TEXT, ROW_DASH },
	[OFFSET] = { ">clock", NULL, ROW_TEXT, ROW_DASH },
	[CPUS] = { ">CPUs", NULL, ROW_TEXT, ROW_DASH },
	[BUSY] = { ".busy", NULL, ROW_TEXT, ROW_DASH },
	[LOAD] = { ">load", NULL, ROW_TEXT, ROW_DASH },
	[MEMORY] = { ">memory left", NULL, ROW_TEXT, ROW_DASH },
	[POWER] = { ".power", NULL, ROW_TEXT, ROW_DASH },
	[ALARMS] = { "<alarms", NULL, ROW_TEXT, ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};

/* A number somewhere in a section: "cpu.busy_cpus"; NaN for none. */
static double collectNumberAt(const json_t *section, const char *path)
{
	char **keys = g_strsplit(path, ".", -1);

	for (char **key = keys; *key; key++)
		section = json_object_get(section, *key);
	g_strfreev(keys);
	return json_is_number(section) ? json_number_value(section) : NAN;
}

/* Show a number with a format, if there is one. */
static void collectShowNumber(struct rows *rows, enum column column,
			      const char *format, double number)
{
	char *text;

	if (!isfinite(number))
		return;
	/* A number that cannot be makes no column wide. */
	text = fabs(number) < NUMBER_MAX ? g_strdup_printf(format, number)
					 : g_strdup_printf("%.3g", number);
	rowsText(rows, column, text);
	g_free(text);
}

/* Show a number with the significant digits that the user wants. */
static void showRounded(struct rows *rows, enum column column, double number,
			const char *unit)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (!isfinite(number))
		return;
	text = g_strconcat(outRounded(buffer, number), unit, NULL);
	rowsText(rows, column, text);
	g_free(text);
}

static void showCapabilities(struct rows *rows, const json_t *section)
{
	collectShowNumber(rows, CPUS, "%.0f", collectNumberAt(section, "cpus"));
}

/* How old the sample was when the node answered. */
static void showAge(struct rows *rows, const json_t *section)
{
	const json_t *stale = json_object_get(section, "stale");

	collectShowNumber(rows, SAMPLE,
			  json_is_true(stale) ? "%.1f s, stale" : "%.1f s",
			  collectNumberAt(section, "age_s"));
}

static void showStatus(struct rows *rows, const json_t *section)
{
	const json_t *load = json_object_get(section, "load");
	double left = collectNumberAt(section, "memory.available_bytes");
	char size[OUT_NUMBER_SIZE];

	showAge(rows, section);
	showRounded(rows, BUSY, collectNumberAt(section, "cpu.busy_cpus"), "");
	if (json_is_array(load))
		collectShowNumber(rows, LOAD, "%.2f",
				  json_number_value(json_array_get(load, 0)));
	if (left >= 0 && left < 9e18)
		rowsText(rows, MEMORY, outSize(size, (int64_t)left));
	showRounded(rows, POWER, collectNumberAt(section, "power.watts"), " W");
}

static void showAlarms(struct rows *rows, const json_t *section)
{
	GString *raised = g_string_new("");
	const json_t *alarm;
	size_t i;

	json_array_foreach(section, i, alarm)
	{
		const char *state =
			json_string_value(json_object_get(alarm, "state"));
		const char *name =
			json_string_value(json_object_get(alarm, "name"));

		if (g_strcmp0(state, "raised") == 0 && name)
			g_string_append_printf(raised, "%s%s",
					       raised->len ? ", " : "", name);
	}
	rowsText(rows, ALARMS, raised->len ? raised->str : NULL);
	g_string_free(raised, TRUE);
}

/* Show a section that may not be there. */
static void showSection(struct rows *rows, hdNode_Collector *collector,
			size_t index, enum hdNode_Section section,
			void (*show)(struct rows *rows, const json_t *section))
{
	const char *text = hdNode_section(collector, index, section);
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	if (json)
		show(rows, json);
	json_decref(json);
}

/* The clock: ahead or behind, and how sure that is. */
static void showClock(struct rows *rows, const hdNode_Info *info)
{
	char offset[OUT_NUMBER_SIZE], error[OUT_NUMBER_SIZE];
	char *text;

	if (!isfinite(info->offset))
		return;
	text = g_strdup_printf(
		"%c%s +-%s", info->offset < 0 ? '-' : '+',
		outDuration(offset, (int64_t)(fabs(info->offset) * 1e9)),
		outDuration(error, (int64_t)(info->offsetError * 1e9)));
	rowsText(rows, OFFSET, text);
	g_free(text);
}

/* The name of a node, with its address if another one has the same name. */
static char *collectNameIn(hdNode_Collector *collector, size_t index)
{
	hdNode_Info info, other;
	bool isAlone = true;

	hdNode_info(collector, index, &info);
	for (size_t i = 0; isAlone && i < hdNode_count(collector); i++) {
		hdNode_info(collector, i, &other);
		isAlone = i == index || strcmp(info.name, other.name) != 0;
	}
	return isAlone ? g_strdup(info.name)
		       : g_strdup_printf("%s (%s)", info.name, info.address);
}

static void collectPrintTable(hdNode_Collector *collector)
{
	struct rows *rows = rowsNew(columns, OUT_TEXT, NULL);

	for (size_t i = 0; i < hdNode_count(collector); i++) {
		char *name = collectNameIn(collector, i);
		hdNode_Info info;

		hdNode_info(collector, i, &info);
		rowsText(rows, NAME, name);
		g_free(name);
		rowsText(rows, STATE, info.word);
		collectShowNumber(rows, AGE, "%.1f s", info.age);
		showClock(rows, &info);
		showSection(rows, collector, i, HDNODE_CAPABILITIES,
			    showCapabilities);
		showSection(rows, collector, i, HDNODE_STATUS, showStatus);
		showSection(rows, collector, i, HDNODE_ALARMS, showAlarms);
		rowsEnd(rows);
	}
	rowsPrint(rows, "", isatty(STDOUT_FILENO));
	rowsFree(rows);
	for (size_t i = 0; i < hdNode_count(collector); i++) {
		hdNode_Info info;

		hdNode_info(collector, i, &info);
		if (info.state != HDNODE_OK && info.why)
			outSay(stderr, "%s: %s: %s", command.name, info.name,
			       info.why);
	}
}

static int collectPrintAll(const struct options *options,
			   hdNode_Collector *collector, int round)
{
	if (options->chosen == TEXT) {
		if (round > 1)
			printf(isatty(STDOUT_FILENO) ? "\033[H\033[J" : "\n");
		collectPrintTable(collector);
		return -1;
	}
	if (!hdNodeDocument(collector, sectionsOf(options),
			    options->interval > 0, stdout)) {
		outSay(stderr, "%s: out of memory", command.name);
		return NODE_FAILED;
	}
	putchar('\n');
	return -1;
}

/* ---- Again and again ----------------------------------------------------- */

/* Wait until a time; false if a signal came. */
static bool collectWaitUntil(const struct options *options, int64_t ns)
{
	return hdNetWait(-1, 0, options->signalFd, ns) == -ETIMEDOUT;
}

static int collectRound(struct options *options, hdNode_Collector *collector)
{
	int64_t next = hdMonotonicNow();
	int64_t interval = (int64_t)(options->interval * 1e9);

	for (int i = 1;; i++) {
		int answered = hdNode_pull(collector, sectionsOf(options),
					   options->isReset ? HDNODE_RESET : 0);
		int status = -1;

		if (answered < 0) {
			outSay(stderr, "%s: %s", command.name,
			       g_strerror(-answered));
			return NODE_FAILED;
		}
		if (options->recording)
			nodeRecordingTake(options->recording, collector);
		if (isPrinted(options))
			status = collectPrintAll(options, collector, i);
		if (status >= 0)
			return status;
		fflush(stdout);
		next += interval;
		/* Pulls that took longer than the interval are left out. */
		if (next < hdMonotonicNow())
			next = hdMonotonicNow();
		if (interval == 0 || i == options->number || ferror(stdout) ||
		    !collectWaitUntil(options, next)) {
			status = cliFinish(&command);
			return status == 0 && (size_t)answered <
						       hdNode_count(collector)
				       ? NODE_SOME
				       : status;
		}
		nodeAskAgain(&command, &options->ask, collector);
	}
}

/* Who watches ends with what was printed last. */
static int watchSignals(const struct options *options)
{
	sigset_t signals;

	if (options->interval == 0)
		return -1;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Ask nodes, with a project or without. */
static int collectNodes(struct options *options, hdNode_Collector *collector)
{
	int status;

	if (options->ask.project) {
		options->recording =
			nodeRecordingBegin(&command, options->ask.project);
		if (!options->recording)
			return NODE_FAILED;
	}
	options->signalFd = watchSignals(options);
	status = collectRound(options, collector);
	if (options->recording && !nodeRecordingEnd(options->recording))
		status = NODE_FAILED;
	if (options->signalFd >= 0)
		close(options->signalFd);
	return status;
}

/* ---- Options ------------------------------------------------------------ */

/* What --probes said: there is one command line. */
static gboolean hasProbes, isReset;

static gboolean takeProbes(const gchar *name, const gchar *value, gpointer data,
			   GError **error)
{
	(void)name;
	(void)data;
	hasProbes = TRUE;
	if (!value)
		return TRUE;
	isReset = strcmp(value, "reset") == 0;
	if (!isReset)
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--probes: invalid value \"%s\"; expected reset",
			    value);
	return isReset;
}

static int collectCheck(struct options *options)
{
	int status;

	options->hasProbes = hasProbes;
	options->isReset = isReset;
	status = cliChoose(&command, "format", options->format,
			   &options->chosen);

	if (status >= 0)
		return status;
	if (options->ask.project && options->interval == 0)
		options->interval = PROJECT_INTERVAL_S;
	return -1;
}

int collectRun(int argc, char **argv)
{
	struct options options = { .ask = { .timeout = 5 }, .signalFd = -1 };
	const GOptionEntry entries[] = {
		{ "format", 0, 0, G_OPTION_ARG_STRING, &options.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ "interval", 'i', 0, G_OPTION_ARG_DOUBLE, &options.interval,
		  "Repeat the query at this interval in seconds until a "
		  "signal ends it (default: 0.5 with --project, else once)",
		  "SECONDS" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME,
		  &options.ask.project,
		  "Record a project with this path; print only with --format",
		  "NAME" },
		CLI_OPTION_COMPRESS,
		{ "number", 'N', 0, G_OPTION_ARG_INT, &options.number,
		  "Stop after this number of queries", "COUNT" },
		{ "probes", 0, G_OPTION_FLAG_OPTIONAL_ARG,
		  G_OPTION_ARG_CALLBACK, (gpointer)(void *)takeProbes,
		  "Include probe counters (JSON only); reset also sets them "
		  "to zero",
		  "reset" },
		NODE_ASK_OPTIONS(&options.ask),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	hdNode_Collector *collector;
	int status = cliParse(&command, lists, &argc, &argv);

	if (status < 0)
		status = collectCheck(&options);
	if (status < 0)
		status = nodeAskBegin(&command, &options.ask, argc, argv,
				      &collector);
	if (status < 0) {
		status = collectNodes(&options, collector);
		hdNode_destroy(collector);
	}
	g_free(options.format);
	nodeAskClear(&options.ask);
	return status;
}
