/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdnode-health: what slurmd runs as HealthCheckProgram. It drains its node
 * when an alarm is raised that says so, and resumes it when none is any more -
 * if it was drained by this, and by nobody else since.
 *
 * Alarms come from the node's hdnode, asked as `hdnode collect` does; where
 * there is none, from looking for itself. What is not known changes nothing: a
 * node is neither drained nor resumed for want of knowledge.
 *
 * slurmd's environment has SLURMD_NODENAME, and neither PATH nor SLURM_CONF.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <jansson.h>

#include "NodeStatus/local/child.h"
#include "NodeStatus/local/core/local.h"
#include "NodeStatus/slurm/listener.h"
#include "cli/options.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/readfile.h"
#include "common/clock.h"
#include "common/ini.h"

#define NAME "hdnode-health"
/** slurmd kills it after a minute. */
#define ASK_NS (10 * HD_NS_PER_S)
#define SCONTROL_NS (15 * HD_NS_PER_S)
#define LOOK_NS (15 * HD_NS_PER_S)
#define LOOK_INTERVAL_NS (HD_NS_PER_S / 5)
#define OUTPUT_MAX (16 * 1024 * 1024)
/** How its reasons begin. */
#define REASON "hdtrace: "

/** What it is told. */
struct settings {
	char *node;
	char *file;
	gboolean isDry;
	/* Of the file. */
	char *address, *drain, *slurmConf, *hdnode, *rules, *smartctl, *root;
};

/** What alarms say together. */
struct verdict {
	GString *reason; /**< Empty: nothing is raised. */
	gboolean isUnknown;
};

/** What Slurm says of the node. */
struct slurmState {
	gboolean isDrained;
	gboolean isOurs; /**< Drained by this. */
	char *reason;    /**< Without who and when. */
};

/* ---- Settings -------------------------------------------------------------
 */

static void reportLine(void *context, long line, const char *text)
{
	const struct settings *settings = context;

	outSay(stderr, NAME ": %s:%ld: %s", settings->file, line, text);
}

static void takeKey(struct settings *settings, const struct hdIniKey *key)
{
	const struct {
		const char *name;
		char **value;
	} keys[] = {
		{ "address", &settings->address },
		{ "drain", &settings->drain },
		{ "slurm_conf", &settings->slurmConf },
		{ "hdnode", &settings->hdnode },
		{ "rules", &settings->rules },
		{ "smartctl", &settings->smartctl },
		{ "root", &settings->root },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (strcmp(keys[i].name, key->name) != 0)
			continue;
		g_free(*keys[i].value);
		*keys[i].value = g_strdup(key->value);
		return;
	}
	reportLine(settings, key->line, "unknown key");
}

static void takeSection(const struct hdIniSection *section, void *context)
{
	for (size_t k = 0; k < section->count; k++)
		takeKey(context, &section->keys[k]);
}

/* Without a file all is usual; a wrong line counts as not written. */
static gboolean readSettings(struct settings *settings)
{
	static const struct hdIniPart parts[] = {
		{ "Health", false, false, takeSection }, { .name = NULL }
	};
	gboolean isGiven = settings->file != NULL;
	struct hdIni ini;
	int ret;

	settings->address = g_strdup("127.0.0.1:6528");
	settings->drain =
		g_strdup("smart-failing memory-errors low-disk hot-cpu");
	settings->hdnode = g_strdup(HDNODE_BINDIR "/hdnode");
	if (!isGiven)
		settings->file = g_strdup(HDNODE_SYSCONFDIR
					  "/hdtrace/hdnode-health.conf");
	ret = hdIniRead(settings->file, reportLine, settings, &ini);
	if (ret < 0) {
		if (isGiven || ret != -ENOENT)
			cliErrorRead(NAME, settings->file, ret);
		return !isGiven;
	}
	hdIniSections(&ini, parts, "[Health]", reportLine, settings);
	hdIniClear(&ini);
	return TRUE;
}

static void clearSettings(struct settings *settings)
{
	g_free(settings->node);
	g_free(settings->file);
	g_free(settings->address);
	g_free(settings->drain);
	g_free(settings->slurmConf);
	g_free(settings->hdnode);
	g_free(settings->rules);
	g_free(settings->smartctl);
	g_free(settings->root);
}

/* ---- Alarms ---------------------------------------------------------------
 */

/* Whether a hdnode is there that may be asked. What anybody else says would
 * have root take the node out of service, or keep it there. */
static gboolean hasDaemon(const struct settings *settings)
{
	enum hdslurmListener listener;

	if (strcmp(settings->address, "none") == 0)
		return FALSE;
	listener = hdslurmListenerFind(settings->address);
	if (listener == HDSLURM_LISTENER_STRANGER)
		outSay(stderr,
		       NAME ": %s: not queried, because the listening process "
			    "does not belong to root",
		       settings->address);
	return listener == HDSLURM_LISTENER_OURS;
}

/* Ask the node's hdnode: a new reference to its alarms, or NULL. */
static json_t *askDaemon(const struct settings *settings)
{
	const char *const arguments[] = { "hdnode",          "collect",
					  "--format=json",   "--timeout=5",
					  settings->address, NULL };
	struct nodeChildResult result;
	json_t *said, *node, *alarms;
	const char *state;

	if (!hasDaemon(settings) ||
	    nodeChildRun(settings->hdnode, arguments, -1, ASK_NS, OUTPUT_MAX,
			 NULL, &result) < 0)
		return NULL;
	said = json_loads(result.output, 0, NULL);
	free(result.output);
	node = json_array_get(json_object_get(said, "nodes"), 0);
	state = json_string_value(json_object_get(node, "state"));
	alarms = json_object_get(node, "alarms");
	/* It was there all the time. */
	alarms = state && strcmp(state, "ok") == 0 && json_is_array(alarms) &&
				 hasDaemon(settings)
			 ? json_incref(alarms)
			 : NULL;
	json_decref(said);
	return alarms;
}

static const json_t *findAlarm(const json_t *alarms, const char *name)
{
	for (size_t i = 0; i < json_array_size(alarms); i++) {
		const json_t *alarm = json_array_get(alarms, i);
		const char *found =
			json_string_value(json_object_get(alarm, "name"));

		if (found && strcmp(found, name) == 0)
			return alarm;
	}
	return NULL;
}

/* Look at those alarms that drain; an alarm that there is not says nothing. */
static struct verdict slurmHealthJudgeAlarms(const struct settings *settings,
					     const json_t *alarms)
{
	struct verdict verdict = { .reason = g_string_new(NULL) };
	char **names = g_strsplit_set(settings->drain, " ,\t", -1);

	for (size_t i = 0; names[i]; i++) {
		const char *state = json_string_value(
			json_object_get(findAlarm(alarms, names[i]), "state"));

		if (state && strcmp(state, "raised") == 0)
			g_string_append_printf(verdict.reason, "%s%s",
					       verdict.reason->len ? ", " : "",
					       names[i]);
		else if (state && strcmp(state, "ok") != 0)
			verdict.isUnknown = TRUE;
	}
	g_strfreev(names);
	return verdict;
}

/* Look for itself, until everything that counts is known; for alarms that are
 * to hold for some time that is too short, so these are not raised. */
static json_t *lookHere(const struct settings *settings)
{
	struct hdNodeSetup setup = {
		.name = settings->node,
		.root = settings->root,
		.intervalNs = LOOK_INTERVAL_NS,
		.smartctl = settings->smartctl,
		.power = "",
	};
	int64_t untilNs = hdMonotonicNow() + LOOK_NS;
	struct hdNodeLocal *local;
	json_t *alarms = NULL;
	gboolean isDone = FALSE;
	char *ini = NULL;

	if (settings->rules && !cliReadFile(NAME, settings->rules, &ini, NULL))
		return NULL;
	setup.ini = ini;
	setup.file = settings->rules;
	if (hdNodeLocalStart(&setup, &local) < 0) {
		outSay(stderr, NAME ": cannot check this node%s%s",
		       settings->rules ? "; check the file " : "",
		       settings->rules ? settings->rules : "");
		g_free(ini);
		return NULL;
	}
	while (!isDone) {
		struct verdict verdict;

		g_usleep((gulong)(LOOK_INTERVAL_NS / 1000));
		json_decref(alarms);
		alarms = hdNodeLocalSection(local, HD_NODE_ALARMS);
		verdict = slurmHealthJudgeAlarms(settings, alarms);
		isDone = !verdict.isUnknown || hdMonotonicNow() >= untilNs;
		g_string_free(verdict.reason, TRUE);
	}
	hdNodeLocalStop(local);
	g_free(ini);
	return alarms;
}

/* ---- Slurm ----------------------------------------------------------------
 */

/* Run scontrol; its output, to be freed, or NULL after a message. */
static char *scontrol(const char *const *arguments)
{
	char *program = nodeChildFind("scontrol");
	struct nodeChildResult result = { 0 };
	int ret;

	if (!program) {
		outSay(stderr, NAME ": scontrol: command not found");
		return NULL;
	}
	ret = nodeChildRun(program, arguments, -1, SCONTROL_NS, OUTPUT_MAX,
			   NULL, &result);
	g_free(program);
	if (ret == 0 && result.status == 0)
		return result.output;
	outSay(stderr, NAME ": scontrol %s: %s", arguments[1],
	       ret < 0 ? strerror(-ret) : "command failed");
	free(result.output);
	return NULL;
}

/* Get the text behind "KEY=", up to the next blank or line; NULL for none. */
static char *findWord(const char *text, const char *key, const char *ends)
{
	const char *found = strstr(text, key);

	if (!found)
		return NULL;
	found += strlen(key);
	return g_strndup(found, strcspn(found, ends));
}

static gboolean askSlurm(const struct settings *settings,
			 struct slurmState *state)
{
	const char *const arguments[] = { "scontrol", "show", "node",
					  settings->node, NULL };
	char *text = scontrol(arguments), *flags, *reason;

	if (!text)
		return FALSE;
	flags = findWord(text, " State=", " \n");
	/* "hdtrace: hot-cpu [root@2026-11-27T00:00:00]" */
	reason = findWord(text, " Reason=", "\n");
	free(text);
	if (!flags)
		return FALSE;
	state->isDrained = strstr(flags, "DRAIN") != NULL;
	state->reason = reason ? reason : g_strdup("");
	if (strrchr(state->reason, '['))
		*strrchr(state->reason, '[') = '\0';
	g_strchomp(state->reason);
	state->isOurs =
		state->isDrained && g_str_has_prefix(state->reason, REASON);
	g_free(flags);
	return TRUE;
}

static gboolean update(const struct settings *settings, const char *state,
		       const char *reason)
{
	char *name = g_strconcat("nodename=", settings->node, NULL);
	char *change = g_strconcat("state=", state, NULL);
	char *why = reason ? g_strconcat("reason=", reason, NULL) : NULL;
	const char *const arguments[] = { "scontrol", "update", name,
					  change,     why,      NULL };
	char *output = NULL;

	outSay(stdout, NAME ": %s: %s%s%s", settings->node, state,
	       reason ? ": " : "", reason ? reason : "");
	if (!settings->isDry)
		output = scontrol(arguments);
	g_free(name);
	g_free(change);
	g_free(why);
	free(output);
	return settings->isDry || output;
}

/* ---- What is to be done ---------------------------------------------------
 */

static gboolean act(const struct settings *settings,
		    const struct verdict *verdict)
{
	struct slurmState state = { 0 };
	char *reason = g_strconcat(REASON, verdict->reason->str, NULL);
	gboolean isRaised = verdict->reason->len > 0;
	gboolean isGood = askSlurm(settings, &state);

	/* Who has drained it for another reason goes on having done so. */
	if (isGood && isRaised &&
	    (!state.isDrained ||
	     (state.isOurs && strcmp(state.reason, reason) != 0)))
		isGood = update(settings, "drain", reason);
	else if (isGood && !isRaised && !verdict->isUnknown && state.isOurs)
		isGood = update(settings, "resume", NULL);
	g_free(state.reason);
	g_free(reason);
	return isGood;
}

static int slurmHealthRun(struct settings *settings)
{
	struct verdict verdict;
	json_t *alarms;
	gboolean isGood;

	if (!readSettings(settings))
		return 2;
	if (settings->slurmConf)
		g_setenv("SLURM_CONF", settings->slurmConf, TRUE);
	alarms = askDaemon(settings);
	if (!alarms)
		alarms = lookHere(settings);
	if (!alarms)
		return 1;
	verdict = slurmHealthJudgeAlarms(settings, alarms);
	json_decref(alarms);
	isGood = act(settings, &verdict);
	g_string_free(verdict.reason, TRUE);
	return isGood ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct settings settings = { 0 };
	const GOptionEntry entries[] = {
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &settings.file,
		  "Configuration file (default: " HDNODE_SYSCONFDIR
		  "/hdtrace/hdnode-health.conf)",
		  "FILE" },
		{ "node", 'n', 0, G_OPTION_ARG_STRING, &settings.node,
		  "Name of the node (default: $SLURMD_NODENAME)", "NAME" },
		{ "dry-run", 0, 0, G_OPTION_ARG_NONE, &settings.isDry,
		  "Print the action without executing it", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	const struct cliCommand command = {
		.name = NAME,
		.description = "Drain this node in Slurm while alarms of "
			       "hdnode are raised, and resume it when they "
			       "end. slurmd runs this program as "
			       "HealthCheckProgram of slurm.conf.",
		.notes = "Exit status: 0 done, 1 the alarms are unknown or "
			 "Slurm does not answer, 2 wrong\nusage.\n\n"
			 "Examples:\n"
			 "  hdnode-health --node=n7 --dry-run\n"
			 "  hdnode-health --config=health.conf --node=n7",
		.usageStatus = 2,
	};
	int status;

	setlocale(LC_CTYPE, "");
	g_setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", FALSE);
	status = cliParse(&command, lists, &argc, &argv);
	if (status < 0 && argc > 1)
		status = cliErrorUnexpected(&command, argv[1]);
	if (status < 0 && !settings.node)
		settings.node = g_strdup(g_getenv("SLURMD_NODENAME"));
	if (status < 0 && (!settings.node || *settings.node == '-'))
		status = cliUsage(&command, "missing option: --node; "
					    "SLURMD_NODENAME is not set");
	if (status < 0)
		status = slurmHealthRun(&settings);
	clearSettings(&settings);
	return status;
}
