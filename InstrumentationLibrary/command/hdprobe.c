/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdprobe: the probes of a running process. */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "InstrumentationLibrary/attach/core/attach.h"
#include "InstrumentationLibrary/command/print.h"
#include "InstrumentationLibrary/src/core/page.h"
#include "cli/options.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "common/clock.h"

/* Exit status if the process cannot be read, or the options are wrong. */
#define FAILED 2
/* How long a reading takes at most, and waits for threads that are counting. */
#define READ_NS (2 * HD_NS_PER_S)
#define WAIT_NS (HD_NS_PER_S / 10)

static const char *const formats[] = { "text", "json",  "csv",
				       "dot",  "metis", NULL };
enum { TEXT, JSON, CSV, DOT, METIS };

static const struct cliWords words[] = {
	{ "format", formats, false },
	{ NULL, NULL, false },
};

static const struct cliNumber numbers[] = {
	{ "share", CLI_ABOVE_ZERO, 100, NULL },
	{ "interval", 0, 86400, "s" },
	{ "number", 0, INFINITY, NULL },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdprobe",
	.arguments = "PID",
	.description = "Show the counters of the probes in a running process: "
		       "the number of runs of each kernel, and the time of "
		       "its dispatch and its body. The process must be linked "
		       "with libhdProbe and belong to the same user.",
	.notes = "Examples:\n"
		 "  hdprobe 4711\n"
		 "  hdprobe --advice --interval=2 4711",
	.usageStatus = FAILED,
	.numbers = numbers,
	.words = words,
};

struct options {
	char *format;
	double interval, share;
	int number, chosen;
	gboolean hasReset;
	struct printing how;
};

static void hdprobePrint(const struct options *options,
			 const struct probeTable *table)
{
	static void (*const printers[])(const struct probeTable *table,
					const struct printing *how) = {
		printText, printJson, printCsv, printDot, printMetis
	};

	printers[options->chosen](table, &options->how);
	fflush(stdout);
}

static int hdprobeFail(int pid, const char *text)
{
	outSay(stderr, "hdprobe: process %d: %s", pid, text);
	return FAILED;
}

/* What one reading may take. Slots are as many as a page can have. */
static struct attachLimits limitsNow(void)
{
	return (struct attachLimits){
		.deadlineNs = hdMonotonicNow() + READ_NS,
		.waitNs = WAIT_NS,
		.slots = HD_PROBE_SLOTS,
		.hasLanes = true,
	};
}

/* Once, or again and again until the process ends. */
static int hdprobeShow(const struct options *options, struct attached *process)
{
	bool isScreen = options->chosen == TEXT && isatty(STDOUT_FILENO);

	for (int i = 1;; i++) {
		struct probeTable table = { 0 };
		const struct attachLimits limits = limitsNow();
		int ret = attachedRead(process, options->hasReset, &limits,
				       &table);

		if (ret < 0)
			return hdprobeFail(options->how.pid, g_strerror(-ret));
		if (options->interval > 0 && isScreen)
			printf("\033[H\033[J");
		else if (i > 1 && options->chosen == TEXT)
			printf("\n");
		hdprobePrint(options, &table);
		probeTableClear(&table);
		if (!(options->interval > 0) || i == options->number ||
		    ferror(stdout) ||
		    !attachedWait(process, (int)ceil(options->interval * 1000)))
			return cliFinish(&command);
	}
}

static int hdprobeRun(struct options *options, const char *pid)
{
	struct attached *process;
	char *end, *error;
	long number = strtol(pid, &end, 10);
	int status;

	if (*end || end == pid || number <= 0 || number > G_MAXINT)
		return cliUsage(&command,
				"invalid process ID \"%s\"; expected 1 or more",
				pid);
	options->how.pid = (int)number;
	process = attach((pid_t)number, options->hasReset,
			 hdMonotonicNow() + READ_NS, &error);
	if (!process) {
		status = hdprobeFail((int)number, error);
		g_free(error);
		return status;
	}
	status = hdprobeShow(options, process);
	detach(process);
	return status;
}

static int hdprobeCheck(struct options *options, int argc, char **argv)
{
	int result;

	if (argc < 2)
		return cliErrorMissing(&command, "PID");
	if (argc > 2)
		return cliErrorUnexpected(&command, argv[2]);
	result = cliChoose(&command, "format", options->format,
			   &options->chosen);
	if (result >= 0)
		return result;
	options->how.most = options->share / 100;
	options->how.isColored =
		options->chosen == TEXT && isatty(STDOUT_FILENO);
	return hdprobeRun(options, argv[1]);
}

int main(int argc, char **argv)
{
	struct options options = { .share = 5 };
	gboolean hasThreads = FALSE, hasAdvice = FALSE, isSafe = FALSE;
	const GOptionEntry entries[] = {
		{ "format", 0, 0, G_OPTION_ARG_STRING, &options.format,
		  "Output format: text, json, csv, dot for Graphviz, or metis "
		  "for METIS (default: text)",
		  "FORMAT" },
		{ "threads", 0, 0, G_OPTION_ARG_NONE, &hasThreads,
		  "Also print one row for each thread", NULL },
		{ "advice", 0, 0, G_OPTION_ARG_NONE, &hasAdvice,
		  "Print the kernels that should be dispatched in batches",
		  NULL },
		{ "share", 0, 0, G_OPTION_ARG_DOUBLE, &options.share,
		  "Acceptable time of the dispatch in % (default: 5)",
		  "PERCENT" },
		{ "interval", 'i', 0, G_OPTION_ARG_DOUBLE, &options.interval,
		  "Repeat the output at this interval in seconds until the "
		  "process ends",
		  "SECONDS" },
		{ "number", 'N', 0, G_OPTION_ARG_INT, &options.number,
		  "With --interval, stop after this number of outputs",
		  "COUNT" },
		{ "csv-safe", 0, 0, G_OPTION_ARG_NONE, &isSafe,
		  "Put an apostrophe before CSV texts that look like formulas",
		  NULL },
		{ "reset", 0, 0, G_OPTION_ARG_NONE, &options.hasReset,
		  "Set the counters to zero after reading them", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	int result;

	setlocale(LC_CTYPE, "");
	result = cliParse(&command, lists, &argc, &argv);
	outCsvSetSafe(isSafe);
	options.how.hasThreads = hasThreads;
	options.how.hasAdvice = hasAdvice;
	if (result < 0)
		result = hdprobeCheck(&options, argc, argv);
	g_free(options.format);
	return result;
}
