/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpower run: the command. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerSaving/command/run.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/output.h"

static const char *const policies[] = { "fixed", "min-energy", "min-time",
					NULL };

static const struct cliWords words[] = {
	{ "policy", policies, false },
	{ NULL, NULL, false },
};

static const struct cliCommand runCommand = {
	.name = RUN_TOOL,
	.arguments = "-- COMMAND [ARGUMENT...]",
	.description =
		"Run a command with settings that save power. Without --apply, "
		"nothing is changed: the\ndecisions are printed, and the "
		"command runs as usual.",
	.notes = "Examples:\n"
		 "  hdpower run --policy=fixed --set=max_freq=1200MHz -- "
		 "./solver\n"
		 "  hdpower run --apply --policy=min-energy --slowdown=5% "
		 "--usage=solver.usage -- ./solver\n"
		 "  hdpower run --apply --policy=min-time --limit=150W "
		 "--usage=solver.usage -- ./solver\n\n"
		 "Exit status: that of the command; 125 if hdpower fails, 126 "
		 "or 127 if the command\ncannot be run or is not found.",
	.usageStatus = CLI_EXIT_FAILED,
	.isPrefix = true,
	.words = words,
};

const char *runPolicyName(const struct run *self)
{
	return policies[self->policy];
}

/* ---- Policies ---------------------------------------------------------- */

static void runTakeClocks(void *context, const char *path)
{
	const struct runPath {
		const char *root;
		GArray *clocks;
	} *self = context;
	char *file = g_strdup_printf("%s%.*s/scaling_available_frequencies",
				     self->root,
				     (int)(strrchr(path, '/') - path), path);
	char *text;

	if (self->clocks->len == 0 &&
	    g_file_get_contents(file, &text, NULL, NULL)) {
		char **list = g_strsplit_set(g_strstrip(text), " \n", -1);

		for (size_t i = 0; list[i]; i++) {
			double mhz = g_ascii_strtod(list[i], NULL) / 1e3;

			if (mhz > 0)
				g_array_append_val(self->clocks, mhz);
		}
		g_strfreev(list);
		g_free(text);
	}
	g_free(file);
}

GArray *runClocks(const char *root)
{
	struct {
		const char *root;
		GArray *clocks;
	} self = { root, g_array_new(FALSE, FALSE, sizeof(double)) };

	hdSettingFiles(root, HD_SETTING_MAX_FREQ, runTakeClocks, &self);
	return self.clocks;
}

/* "5%" or "0.05" */
static int runParseSlowdown(const char *text, double *slowdown)
{
	char *end;

	*slowdown = g_ascii_strtod(text, &end);
	if (end != text && strcmp(end, "%") == 0)
		*slowdown /= 100;
	else if (end == text || *end)
		return cliErrorValue(&runCommand, "slowdown", text,
				     "a percentage such as 5%");
	return *slowdown >= 0 && *slowdown <= 10
		       ? -1
		       : cliErrorValue(&runCommand, "slowdown", text,
				       "0% to 1000%");
}

static int runParseLimit(const char *text, double *limit)
{
	char *end;

	*limit = g_ascii_strtod(text, &end);
	return end != text && strcmp(end, "W") == 0 && *limit > 0 &&
			       isfinite(*limit)
		       ? -1
		       : cliErrorValue(&runCommand, "limit", text,
				       "a power such as 150W");
}

static void runPrintPlan(const struct run *self)
{
	const struct powerPlan *plan = &self->plan;

	for (size_t i = 0; i < plan->count && !self->options->isQuiet; i++) {
		const struct powerPhase *phase = self->usage->pdata[i];

		outSay(stderr,
		       RUN_TOOL ": phase %s: %.0f MHz, expected %.4g s at "
				"%.4g W",
		       phase->name, plan->phases[i].mhz, plan->phases[i].time,
		       plan->phases[i].power);
	}
	if (!self->options->isQuiet)
		outSay(stderr,
		       RUN_TOOL ": expected %.4g J in %.4g s, %.1f %% of the "
				"energy and %.1f %% of the time at the highest "
				"clock",
		       plan->energy, plan->time,
		       100 * plan->energy / plan->baseEnergy,
		       100 * plan->time / plan->baseTime);
	if (!plan->isFeasible)
		outSay(stderr, RUN_TOOL ": the limit cannot be met in all "
					"phases; using their lowest power");
}

/* Decide by usage; the first setting is for programs that name no phases. */
static int runPlan(struct run *self, struct hdSettingValues *values)
{
	struct powerPolicy policy = { .isMinTime =
					      self->policy == RUN_MIN_TIME };
	const struct runOptions *options = self->options;
	GArray *clocks;
	int status;

	if (!options->usage)
		return cliErrorNeeds(&runCommand, "policy", "usage");
	if (policy.isMinTime && !options->limit)
		return cliErrorMissingOption(&runCommand, "limit");
	status = policy.isMinTime
			 ? runParseLimit(options->limit, &policy.limit)
			 : runParseSlowdown(
				   options->slowdown ? options->slowdown : "0%",
				   &policy.slowdown);
	if (status >= 0)
		return status;
	self->usage = powerUsageRead(RUN_TOOL, options->usage);
	if (!self->usage)
		return CLI_EXIT_FAILED;
	clocks = runClocks(self->root);
	powerPlanMake(self->usage, &policy,
		      (const double *)(const void *)clocks->data, clocks->len,
		      &self->plan);
	g_array_unref(clocks);
	runPrintPlan(self);
	memset(values, 0, sizeof(*values));
	snprintf(values->of[HD_SETTING_MAX_FREQ], HD_SETTING_VALUE_SIZE, "%.0f",
		 self->plan.wholeMhz * 1e3);
	return -1;
}

static int runDecide(struct run *self, struct hdSettingValues *values)
{
	const struct runOptions *options = self->options;
	const char *why;

	if (self->policy != RUN_FIXED) {
		if (options->set)
			return cliUsage(&runCommand, "--set: requires "
						     "--policy=fixed");
		return runPlan(self, values);
	}
	if (options->slowdown || options->limit)
		return cliUsage(&runCommand,
				"%s: cannot be combined with "
				"--policy=fixed",
				options->slowdown ? "--slowdown" : "--limit");
	if (!options->set)
		return cliErrorMissingOption(&runCommand, "set");
	if (hdSettingsParse(options->set, values, &why) < 0)
		return cliErrorValue(&runCommand, "set", options->set, why);
	return -1;
}

/* ---- The command ------------------------------------------------------- */

/* The lease ends with the connection; but when hdpower ends, all is restored.
 */
static void runEndLease(struct run *self)
{
	char *error = NULL;

	if (self->link.fd >= 0 &&
	    powerLinkAsk(&self->link, "end", NULL, NULL, &error) < 0)
		outSay(stderr, RUN_TOOL ": %s",
		       error ? error
			     : "hdpowerd ended the connection; see 'hdpower "
			       "status'");
	g_free(error);
	if (self->link.in)
		powerLinkClose(&self->link);
}

static int runConnect(struct run *self)
{
	int ret = powerLinkOpen(&self->link, self->root);

	if (powerLinkIsAbsent(ret))
		outSay(stderr, RUN_TOOL ": hdpowerd is not running; start it, "
					"or leave out --apply");
	else if (ret < 0)
		outSay(stderr, RUN_TOOL ": cannot connect to hdpowerd: %s",
		       cliErrorReason(ret));
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

static int runRecord(struct run *self)
{
	const struct runOptions *options = self->options;
	const struct hdLoadTarget target = {
		.tool = RUN_TOOL,
		.project = options->project,
		.level = "Part",
		.configuration = options->configuration,
		.isForced = options->isForced,
		.hasHost = true,
	};

	if (!options->project)
		return 0;
	return hdLoadRecordBegin(&target, &self->record) ? 0 : CLI_EXIT_FAILED;
}

static int runWhole(struct run *self, const struct hdSettingValues *values,
		    char **command)
{
	const struct cliWait wait = { .tool = RUN_TOOL, .command = command };
	int status = cliCheckCommand(RUN_TOOL, command[0]);

	if (status == 0 && self->options->applies)
		status = runConnect(self);
	if (status == 0)
		status = runRecord(self);
	if (status == 0) {
		runRecordPlan(self);
		status = runApply(self, values);
	}
	if (status != 0)
		return status;
	cliPrepare();
	if (!runFollowPhases(self)) {
		outSay(stderr, RUN_TOOL ": cannot listen for phases: %s",
		       strerror(errno));
		status = CLI_EXIT_FAILED;
	}
	if (status == 0)
		status = cliWaitFor(&wait);
	runEndPhases(self);
	return status;
}

static int runStart(struct run *self, int argc, char **argv)
{
	struct hdSettingValues values;
	int status;

	if (argc < 2)
		return cliErrorMissing(&runCommand, "COMMAND");
	status = cliChoose(&runCommand, "policy", self->options->policy,
			   &self->policy);
	if (status < 0 && self->options->configuration &&
	    !self->options->project)
		status = cliErrorNeeds(&runCommand, "config", "project");
	if (status < 0)
		status = runDecide(self, &values);
	if (status < 0)
		status = runWhole(self, &values, argv + 1);
	return status;
}

int powerRun(int argc, char **argv)
{
	struct runOptions options = { .root = NULL };
	struct run self = { .options = &options, .link = { .fd = -1 } };
	const GOptionEntry entries[] = {
		{ "apply", 0, 0, G_OPTION_ARG_NONE, &options.applies,
		  "Change settings by hdpowerd (default: show them)", NULL },
		{ "policy", 0, 0, G_OPTION_ARG_STRING, &options.policy,
		  "Policy: fixed, min-energy or min-time (default: fixed)",
		  "POLICY" },
		{ "set", 0, 0, G_OPTION_ARG_STRING, &options.set,
		  "For fixed: max_freq, min_freq, governor, epp, uncore and "
		  "rapl, such as max_freq=1200MHz",
		  "KEY=VALUE,..." },
		{ "slowdown", 0, 0, G_OPTION_ARG_STRING, &options.slowdown,
		  "For min-energy: accepted increase of the time (default: "
		  "0%)",
		  "PERCENT" },
		{ "limit", 0, 0, G_OPTION_ARG_STRING, &options.limit,
		  "For min-time: highest power of a node", "WATTS" },
		{ "usage", 0, 0, G_OPTION_ARG_FILENAME, &options.usage,
		  "Usage of the program in earlier runs", "FILE" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &options.project,
		  "Record decisions as states of this project", "PROJECT" },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME,
		  &options.configuration,
		  "Also record the power; see pt.cfg(5)", "FILE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace an existing project", NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options.root,
		  "Directory that contains /sys and /run, for tests", "DIR" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.isQuiet,
		  "Print only errors", NULL },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &options.isVerbose,
		  "Also print applied settings", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&runCommand, lists, &argc, &argv);

	if (status < 0) {
		self.root = options.root ? options.root : "";
		status = runStart(&self, argc, argv);
	}
	runForget(&self);
	g_array_unref(self.changes);
	self.changes = NULL;
	runRecordEnd(&self);
	runEndLease(&self);
	if (self.record && !hdLoadRecordEnd(self.record) && status == 0)
		status = CLI_EXIT_FAILED;
	powerPlanClear(&self.plan);
	g_free(self.error);
	if (self.usage)
		g_ptr_array_unref(self.usage);
	g_free(options.root);
	g_free(options.policy);
	g_free(options.set);
	g_free(options.slowdown);
	g_free(options.limit);
	g_free(options.usage);
	g_free(options.project);
	g_free(options.configuration);
	return status;
}
