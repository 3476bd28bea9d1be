/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pt energy: what a command costs, in one line. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/pt/client/during.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/precision.h"

#define TOOL "pt energy"

struct energy {
	struct where where;
	struct during during;
	struct ptPowerSum sum;
	char *output;
	char *meter, *root; /* Of this machine. */
	gboolean isSimulated, isVerbose;
};

static int energyCommandOnOpened(void *context,
				 const struct ptRecorderGroup *groups,
				 size_t count,
				 const struct ptRemoteClock *clock)
{
	struct energy *energy = context;

	(void)clock;
	ptPowerSumOpen(&energy->sum, groups, count);
	for (size_t i = 0; i < energy->sum.count; i++) {
		const struct ptPowerColumn *column = &energy->sum.columns[i];

		if (groups[column->group].columns[column->column].isSimulated)
			energy->isSimulated = TRUE;
	}
	if (energy->sum.count > 0)
		return 0;
	fprintf(stderr, TOOL ": no power value is selected\n");
	return -ENOENT;
}

static void energyCommandOnReading(void *context, size_t group,
				   const struct ptRecorderReading *reading)
{
	struct energy *energy = context;

	ptPowerSumAdd(&energy->sum, group, reading);
}

static FILE *energyCommandOpenOutput(const struct energy *energy)
{
	FILE *file = energy->output ? fopen(energy->output, "ae") : stderr;

	if (!file)
		cliErrorOpen(TOOL, energy->output, errno);
	return file;
}

/* Say that a counter does not count; of all that is left out if asked for. */
static void energyCommandReportLeftOut(void *context,
				       const struct ptOwnInput *input)
{
	const struct energy *energy = context;

	if (!input->isCounted && (input->isFault || energy->isVerbose))
		fprintf(stderr, TOOL ": %s: left out: %s\n", input->label,
			input->reason);
}

/* Which meters count is known when all has been read. */
static void energyCommandSettleMeters(struct energy *energy)
{
	ptPowerSumSettle(&energy->sum);
	ptOwnEachInput(energy->during.own, energyCommandReportLeftOut, energy);
}

/* Print the line; FALSE if there is nothing to be printed. */
static gboolean energyCommandPrint(const struct energy *energy)
{
	const struct ptIntegral *integral = &energy->sum.integral;
	const struct known known = {
		.knownNs = ptIntegralCovered(integral),
		.durationNs = energy->during.toNs - energy->during.fromNs,
	};
	double seconds = (double)known.durationNs / 1e9;
	char number[OUT_NUMBER_SIZE];
	FILE *file;

	if (known.knownNs <= 0) {
		fprintf(stderr, TOOL ": no readings within %.3f s\n", seconds);
		return FALSE;
	}
	if (!knownIsWhole(known))
		fprintf(stderr,
			TOOL
			": the power is known for only %.3f s of %.3f s; the "
			"joules cover this time\n",
			(double)known.knownNs / 1e9, seconds);
	file = energyCommandOpenOutput(energy);
	if (!file)
		return FALSE;
	fprintf(file, "%.3f s, %s%s J, mean ", seconds, knownMark(known),
		outRounded(number, ptIntegralJoules(integral)));
	if (knownHasMean(known))
		fprintf(file, "%s W",
			outRounded(number, ptIntegralWatts(integral)));
	else
		fprintf(file, "-");
	fprintf(file, ", peak %s W", outRounded(number, integral->peak));
	if (energy->isSimulated)
		fprintf(file, " (simulated)\n");
	else if (energy->during.own)
		fprintf(file, " (%s)\n", ptOwnName(energy->during.own));
	else
		fputc('\n', file);
	return file == stderr || fclose(file) == 0;
}

/* Measure by what is asked for by the options: this machine's meters. */
static int measureOwn(struct energy *energy)
{
	struct during *during = &energy->during;
	struct ptRecorder *none;
	int result = CLI_EXIT_FAILED;

	ptPowerSumInit(&energy->sum);
	during->sum = &energy->sum;
	/* Before there is a thread. */
	cliPrepare();
	during->own =
		ptOwnOpen(TOOL, energy->meter, energy->root, 0, &energy->sum);
	if (during->own) {
		energy->isSimulated = ptOwnIsSimulated(during->own);
		result = duringRun(during, &none);
		if (during->hasRun)
			energyCommandSettleMeters(energy);
		if (during->hasRun && !energyCommandPrint(energy) &&
		    result == 0)
			result = CLI_EXIT_FAILED;
	}
	ptOwnFree(during->own);
	ptPowerSumClear(&energy->sum);
	return result;
}

static int energyCommandMeasure(struct energy *energy)
{
	static const struct ptRecorderCalls calls = {
		.opened = energyCommandOnOpened,
		.add = energyCommandOnReading,
	};
	struct during *during = &energy->during;
	struct ptRecorder *recorder;
	int result;

	if (!whereParse(TOOL, &energy->where))
		return CLI_EXIT_FAILED;
	if (energy->meter || energy->root || !whereIsService(&energy->where))
		return measureOwn(energy);
	if (!whereWish(TOOL, &energy->where))
		return CLI_EXIT_FAILED;
	if (whereCheck(&energy->where) < 0)
		return CLI_EXIT_FAILED;
	ptPowerSumInit(&energy->sum);
	during->setup.remote = &energy->where.setup;
	during->setup.selections = (const struct ptSelection *)(const void *)
					   energy->where.selections->data;
	during->setup.selectionCount = energy->where.selections->len;
	during->calls = &calls;
	during->context = energy;
	during->sum = &energy->sum;
	result = duringRun(during, &recorder);
	if (recorder && !energyCommandPrint(energy) && result == 0)
		result = CLI_EXIT_FAILED;
	ptRecorderFree(recorder);
	ptPowerSumClear(&energy->sum);
	return result;
}

static const struct cliNumber numbers[] = {
	{ "duration", CLI_ABOVE_ZERO, 1e9, "s" },
	{ "pid", 1, INFINITY, NULL },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = TOOL,
	.arguments = "[--] COMMAND [ARGUMENT...]",
	.description =
		"Print the energy of nodes while COMMAND runs, in one line.\n"
		"The line has seconds, joules, mean and peak watts. Without a "
		"power service, the\nmeters of this machine are used.",
	.notes =
		"Examples:\n"
		"  pt energy -- ./solve\n"
		"  pt energy -n node06,node07 -- mpirun ./solve\n\n" WHERE_NOTES
			WHERE_COMMAND_STATUS,
	.usageStatus = CLI_EXIT_FAILED,
	.isPrefix = true,
	.oldLetters = whereOldLetters,
	.numbers = numbers,
};

int commandEnergy(int argc, char **argv)
{
	struct energy energy = { .during.wait.tool = TOOL };
	struct cliWait *wait = &energy.during.wait;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &energy.output,
		  "Append the line to FILE (default: standard error)", "FILE" },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &wait->duration,
		  "Duration of the measurement in seconds", "S" },
		{ "pid", 'P', 0, G_OPTION_ARG_INT, &wait->pid,
		  "Measure until this process ends", "PID" },
		{ "meter", 0, 0, G_OPTION_ARG_STRING, &energy.meter,
		  "Meter of this machine instead of a service: powercap, perf, "
		  "nvml, hwmon, power_supply or sim",
		  "NAME" },
		{ "verbose", 0, 0, G_OPTION_ARG_NONE, &energy.isVerbose,
		  "Name omitted inputs with the reason", NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &energy.root,
		  "Read /sys and /proc below DIR, for tests", "DIR" },
		WHERE_WISH_ENTRIES(&energy.where),
		WHERE_SERVER_ENTRIES(&energy.where),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	const char *message;
	int result;

	result = cliParse(&command, lists, &argc, &argv);
	if (result < 0) {
		message = duringCheck(wait, argc, argv, wait->duration != 0,
				      wait->pid != 0);
		result = message ? cliUsage(&command, "%s", message)
				 : energyCommandMeasure(&energy);
	}
	whereClear(&energy.where);
	g_free(energy.output);
	g_free(energy.meter);
	g_free(energy.root);
	return result;
}
