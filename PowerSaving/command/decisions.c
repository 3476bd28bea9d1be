/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decisions of a run: applied or not, and recorded; see run.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/command/run.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/output.h"

static void decisionsFreeChange(void *data)
{
	struct runChange *change = data;

	g_free(change->path);
	g_free(change->old);
	g_free(change->now);
}

static void decisionsAdd(struct run *self, const char *path, const char *old,
			 const char *now)
{
	struct runChange change = { g_strdup(path), g_strdup(old),
				    g_strdup(now) };

	g_array_append_val(self->changes, change);
}

/* ---- Recording --------------------------------------------------------- */

/* A state for each setting, inside each other: the states of a trace do not
 * overlap. */
static void decisionsRecord(const struct run *self)
{
	hdTrace *trace =
		self->record ? hdLoadRecordHostTrace(self->record) : NULL;

	for (guint i = 0; trace && i < self->changes->len; i++) {
		const struct runChange *change =
			&g_array_index(self->changes, struct runChange, i);

		hdT_logStateStart(trace, "Decision");
		hdT_logAttributes(
			trace,
			"path='%s' old='%s' new='%s' policy='%s' applied='%s'",
			change->path, change->old, change->now,
			runPolicyName(self), self->link.fd >= 0 ? "yes" : "no");
	}
}

static hdTrace *decisionsTrace(const struct run *self)
{
	return self->record ? hdLoadRecordHostTrace(self->record) : NULL;
}

static void decisionsEndStates(const struct run *self)
{
	hdTrace *trace = decisionsTrace(self);

	for (guint i = 0; trace && self->changes && i < self->changes->len; i++)
		hdT_logStateEnd(trace);
}

void runForget(struct run *self)
{
	decisionsEndStates(self);
	if (self->changes)
		g_array_unref(self->changes);
	self->changes = g_array_new(FALSE, FALSE, sizeof(struct runChange));
	g_array_set_clear_func(self->changes, decisionsFreeChange);
}

void runRecordPlan(struct run *self)
{
	const struct powerPlan *plan = &self->plan;
	hdTrace *trace = decisionsTrace(self);

	if (!trace || plan->count == 0)
		return;
	hdT_logStateStart(trace, "Plan");
	hdT_logAttributeString(trace, "policy", runPolicyName(self));
	hdT_logAttributeString(trace, "applied",
			       self->link.fd >= 0 ? "yes" : "no");
	hdT_logAttributeDouble(trace, "expected_s", plan->time);
	hdT_logAttributeDouble(trace, "expected_j", plan->energy);
	hdT_logAttributeDouble(trace, "base_s", plan->baseTime);
	hdT_logAttributeDouble(trace, "base_j", plan->baseEnergy);
	self->hasPlan = true;
}

void runRecordPhase(struct run *self, const char *name)
{
	hdTrace *trace = decisionsTrace(self);

	decisionsEndStates(self);
	if (trace && self->phase)
		hdT_logStateEnd(trace);
	g_free(self->phase);
	self->phase = g_strdup(name);
	if (!trace)
		return;
	hdT_logStateStart(trace, "Phase");
	hdT_logAttributeString(trace, "name", name);
	decisionsRecord(self);
}

void runRecordEnd(struct run *self)
{
	hdTrace *trace = decisionsTrace(self);

	if (trace && self->phase)
		hdT_logStateEnd(trace);
	if (trace && self->hasPlan)
		hdT_logStateEnd(trace);
	g_free(self->phase);
	self->phase = NULL;
	self->hasPlan = false;
}

/* ---- Applying ---------------------------------------------------------- */

static void decisionsTakeLine(void *context, const char *line)
{
	char **words = g_strsplit(line, " ", 5);

	if (g_strv_length(words) == 4 && strcmp(words[0], "set") == 0)
		decisionsAdd(context, words[1], words[2], words[3]);
	g_strfreev(words);
}

static int decisionsAsk(struct run *self, const struct hdSettingValues *values)
{
	char text[HD_SETTING_KINDS * (HD_SETTING_VALUE_SIZE + 12)];
	char *request, *error;
	int ret;

	hdSettingsText(values, text, sizeof(text));
	request = g_strdup_printf("lease %s %s", runPolicyName(self), text);
	ret = powerLinkAsk(&self->link, request, decisionsTakeLine, self,
			   &error);
	g_free(request);
	if (ret < 0 && !error)
		error = g_strdup(cliErrorReason(ret));
	/* Each phase may fail for the same reason: once is enough. */
	if (error && g_strcmp0(error, self->error) != 0)
		outSay(stderr, RUN_TOOL ": %s", error);
	g_free(self->error);
	self->error = error;
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

struct decisionsLook {
	struct run *run;
	const char *wanted;
	int error;
};

static void decisionsTakePath(void *context, const char *path)
{
	struct decisionsLook *look = context;
	char old[HD_SETTING_VALUE_SIZE], now[HD_SETTING_VALUE_SIZE];
	int ret = hdSettingRead(look->run->root, path, old);

	if (ret == 0)
		ret = hdSettingFit(look->run->root, path, look->wanted, now);
	if (ret < 0) {
		look->error = ret;
		outSay(stderr, RUN_TOOL ": %s: cannot set %s: %s", path,
		       look->wanted, strerror(-ret));
		return;
	}
	decisionsAdd(look->run, path, old, now);
}

/* What would be set, by a look at the files. */
static int decisionsLookAt(struct run *self,
			   const struct hdSettingValues *values)
{
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		struct decisionsLook look = { self, values->of[i], 0 };

		if (!values->of[i][0])
			continue;
		if (hdSettingFiles(self->root, (enum hdSettingKind)i,
				   decisionsTakePath, &look) == 0) {
			outSay(stderr,
			       RUN_TOOL
			       ": %s: this machine does not have the setting",
			       hdSettingNames[i]);
			return CLI_EXIT_FAILED;
		}
		if (look.error < 0)
			return CLI_EXIT_FAILED;
	}
	return 0;
}

static void decisionsPrint(const struct run *self)
{
	bool isDry = self->link.fd < 0;

	if (self->options->isQuiet || (!isDry && !self->options->isVerbose))
		return;
	for (guint i = 0; i < self->changes->len; i++) {
		const struct runChange *change =
			&g_array_index(self->changes, struct runChange, i);

		outSay(stderr, RUN_TOOL ": %s %s: %s -> %s",
		       isDry ? "would set" : "set", change->path, change->old,
		       change->now);
	}
}

int runApply(struct run *self, const struct hdSettingValues *values)
{
	int status;

	runForget(self);
	status = self->link.fd >= 0 ? decisionsAsk(self, values)
				    : decisionsLookAt(self, values);
	if (status != 0)
		return status;
	self->values = *values;
	decisionsPrint(self);
	decisionsRecord(self);
	return 0;
}
