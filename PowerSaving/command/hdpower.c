/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpower: runs programs with settings that save power, and shows and restores
 * settings.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/command/hdpower.h"
#include "PowerSaving/core/journal.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/output.h"

static struct cliCommand hdpower = {
	.name = "hdpower",
	.arguments = "COMMAND [OPTION...]",
	.description =
		"Run programs with settings that save power, and undo every "
		"setting afterwards.",
	.usageStatus = HDPOWER_FAILED,
	.isPrefix = true,
};

static const struct cliSubcommand subcommands[] = {
	{ "run", "Run a command with settings, or show what would be set" },
	{ "status", "Show leases and changed settings" },
	{ "restore", "Restore all settings now" },
	{ NULL, NULL },
};

/* ---- status ------------------------------------------------------------ */

struct statusLines {
	GPtrArray *leases;   /* Texts without their first word. */
	GPtrArray *settings; /* Likewise. */
};

static void statusTake(void *context, const char *line)
{
	const struct statusLines *lines = context;

	if (g_str_has_prefix(line, "lease "))
		g_ptr_array_add(lines->leases, g_strdup(line + 6));
	else if (g_str_has_prefix(line, "set "))
		g_ptr_array_add(lines->settings, g_strdup(line + 4));
}

/* What a service that was killed has left. */
static int statusTakeJournal(const char *root, const struct statusLines *lines)
{
	struct hdJournalEntry *entries;
	size_t count;
	int ret = hdJournalLook(root, &entries, &count);

	for (size_t i = 0; i < count; i++) {
		if (hdJournalIsChanged(&entries[i]))
			g_ptr_array_add(lines->settings,
					g_strdup_printf("%s %s %s",
							entries[i].path,
							entries[i].old,
							entries[i].now));
	}
	free(entries);
	return ret;
}

static void statusPrintTable(const char *const *headings,
			     const GPtrArray *lines, const char *none)
{
	struct outTable *table;

	if (lines->len == 0) {
		puts(none);
		return;
	}
	table = outTableNew(headings);
	for (guint i = 0; i < lines->len; i++) {
		char **words = g_strsplit(lines->pdata[i], " ", 5);
		size_t column = 0;

		for (; words[column] && headings[column]; column++)
			outTableAdd(table, words[column]);
		for (; headings[column]; column++)
			outTableAdd(table, "");
		g_strfreev(words);
	}
	outTablePrint(table, "", false);
}

static void statusPrint(const struct statusLines *lines, bool isRunning,
			bool isHidden)
{
	static const char *const leases[] = { "<Process",  "<User",
					      "<Policy",   "<Since",
					      "<Settings", NULL };
	static const char *const settings[] = { "<Setting", ">Before", ">Now",
						NULL };

	puts(isRunning ? "Service: running" : "Service: not running");
	statusPrintTable(leases, lines->leases, "No leases.");
	statusPrintTable(settings, lines->settings,
			 isHidden ? "Changed settings: unknown; only root can "
				    "read the journal."
				  : "No changed settings.");
	if (!isRunning && lines->settings->len)
		puts("Use 'hdpower restore' or start hdpowerd to restore "
		     "them.");
}

/* "4711 0 fixed 1796000000 max_freq=1200000,governor=powersave" */
static void statusPutLease(struct outJson *json, const char *line)
{
	char **words = g_strsplit(line, " ", 5);

	outJsonObject(json, NULL, false);
	if (g_strv_length(words) == 5) {
		char **settings = g_strsplit(words[4], ",", -1);

		outJsonInteger(json, "process",
			       g_ascii_strtoll(words[0], NULL, 10));
		outJsonInteger(json, "user",
			       g_ascii_strtoll(words[1], NULL, 10));
		outJsonText(json, "policy", words[2]);
		outJsonInteger(json, "since_s",
			       g_ascii_strtoll(words[3], NULL, 10));
		outJsonArray(json, "settings", true);
		for (size_t i = 0; settings[i]; i++)
			outJsonText(json, NULL, settings[i]);
		outJsonEnd(json);
		g_strfreev(settings);
	}
	outJsonEnd(json);
	g_strfreev(words);
}

static void statusPutSetting(struct outJson *json, const char *line)
{
	char **words = g_strsplit(line, " ", 3);

	outJsonObject(json, NULL, true);
	if (g_strv_length(words) == 3) {
		outJsonText(json, "path", words[0]);
		outJsonText(json, "old", words[1]);
		outJsonText(json, "new", words[2]);
	}
	outJsonEnd(json);
	g_strfreev(words);
}

static void statusPrintJson(const struct statusLines *lines, bool isRunning,
			    bool isHidden)
{
	struct outJson json = { .depth = 0 };

	outJsonDocument(&json, "hdpower-status");
	outJsonBool(&json, "running", isRunning);
	outJsonArray(&json, "leases", false);
	for (guint i = 0; i < lines->leases->len; i++)
		statusPutLease(&json, lines->leases->pdata[i]);
	outJsonEnd(&json);
	if (isHidden) {
		outJsonPlain(&json, "changed", "null");
	} else {
		outJsonArray(&json, "changed", false);
		for (guint i = 0; i < lines->settings->len; i++)
			statusPutSetting(&json, lines->settings->pdata[i]);
		outJsonEnd(&json);
	}
	outJsonEnd(&json);
}

static int statusShow(const char *root, bool isJson)
{
	struct statusLines lines = { g_ptr_array_new_with_free_func(g_free),
				     g_ptr_array_new_with_free_func(g_free) };
	struct powerLink link;
	char *error = NULL;
	int ret = powerLinkOpen(&link, root);
	bool isRunning = ret == 0, isHidden;

	if (isRunning) {
		ret = powerLinkAsk(&link, "status", statusTake, &lines, &error);
		powerLinkClose(&link);
	} else if (powerLinkIsAbsent(ret)) {
		ret = statusTakeJournal(root, &lines);
	}
	/* Without a service, only root sees what it has left. */
	isHidden = ret == -EACCES && !isRunning;
	if (isHidden)
		ret = 0;
	if (ret < 0)
		outSay(stderr, "hdpower status: %s" HD_POWER_FOLDER ": %s",
		       root, error ? error : cliErrorReason(ret));
	else if (isJson)
		statusPrintJson(&lines, isRunning, isHidden);
	else
		statusPrint(&lines, isRunning, isHidden);
	g_free(error);
	g_ptr_array_unref(lines.leases);
	g_ptr_array_unref(lines.settings);
	return ret < 0 ? HDPOWER_FAILED : HDPOWER_OK;
}

/* ---- restore ----------------------------------------------------------- */

static void restoreTake(void *context, const char *line)
{
	(void)context;
	outSay(stdout, "%s", line);
}

static void restoreTell(void *context, const char *path, const char *value,
			int error)
{
	(void)context;
	if (error)
		outSay(stderr, "hdpower restore: %s: cannot restore %s: %s",
		       path, value, strerror(error));
	else
		outSay(stdout, "restored %s %s", path, value);
}

/* There is no service: do it here. */
static int restoreHere(const char *root)
{
	struct hdJournal journal;
	int ret = hdJournalOpen(&journal, root);
	size_t left;

	if (ret < 0) {
		outSay(stderr, "hdpower restore: %s" HD_POWER_FOLDER ": %s",
		       root,
		       ret == -EPERM ? "other users can change the journal"
				     : cliErrorReason(ret));
		return HDPOWER_FAILED;
	}
	if (journal.dropped > 0)
		outSay(stdout, "dropped %zu lines of another boot",
		       journal.dropped);
	if (journal.invalid > 0)
		outSay(stderr, "hdpower restore: ignored %zu invalid lines",
		       journal.invalid);
	left = hdJournalRestoreAll(&journal, restoreTell, NULL);
	ret = hdJournalClean(&journal);
	hdJournalClose(&journal);
	if (ret < 0)
		cliErrorWrite("hdpower restore", "journal", ret);
	return ret < 0 ? HDPOWER_FAILED : left ? HDPOWER_PROBLEMS : HDPOWER_OK;
}

static int restoreAll(const char *root)
{
	struct powerLink link;
	char *error = NULL;
	int ret = powerLinkOpen(&link, root);

	if (powerLinkIsAbsent(ret))
		return restoreHere(root);
	if (ret == 0) {
		ret = powerLinkAsk(&link, "restore", restoreTake, NULL, &error);
		powerLinkClose(&link);
	}
	if (ret < 0)
		outSay(stderr, "hdpower restore: %s",
		       error ? error : cliErrorReason(ret));
	g_free(error);
	return ret < 0 ? HDPOWER_FAILED : HDPOWER_OK;
}

/* ---- The whole --------------------------------------------------------- */

static const char *const statusFormats[] = { "text", "json", NULL };
static const struct cliWords statusWords[] = {
	{ "format", statusFormats, false },
	{ NULL, NULL, false },
};

static const struct cliCommand statusCommand = {
	.name = "hdpower status",
	.description = "Show leases and changed settings.",
	.usageStatus = HDPOWER_FAILED,
	.words = statusWords,
};

static const struct cliCommand restoreCommand = {
	.name = "hdpower restore",
	.description = "End all leases and restore all settings. Programs go "
		       "on.",
	.notes = "Exit status: 0 for success, 1 if a setting cannot be "
		 "restored, 2 for other failures.",
	.usageStatus = HDPOWER_FAILED,
};

#define HDPOWER_ROOT_ENTRY(root)                                  \
	{                                                         \
		"root", 0, 0, G_OPTION_ARG_FILENAME, root,        \
			"Directory that contains /sys and /run, " \
			"for tests",                              \
			"DIR"                                     \
	}

static int hdpowerStatus(int argc, char **argv)
{
	char *root = NULL, *format = NULL;
	const GOptionEntry entries[] = {
		{ "format", 0, 0, G_OPTION_ARG_STRING, &format,
		  "Format: text or json (default: text)", "FORMAT" },
		HDPOWER_ROOT_ENTRY(&root),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&statusCommand, lists, &argc, &argv);
	int chosen = 0;

	if (status < 0 && argc > 1)
		status = cliErrorUnexpected(&statusCommand, argv[1]);
	if (status < 0)
		status = cliChoose(&statusCommand, "format", format, &chosen);
	if (status < 0) {
		status = statusShow(root ? root : "", chosen == 1);
		if (status == HDPOWER_OK)
			status = cliFinish(&statusCommand);
	}
	g_free(root);
	g_free(format);
	return status;
}

static int hdpowerRestore(int argc, char **argv)
{
	char *root = NULL;
	const GOptionEntry entries[] = {
		HDPOWER_ROOT_ENTRY(&root),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&restoreCommand, lists, &argc, &argv);

	if (status < 0 && argc > 1)
		status = cliErrorUnexpected(&restoreCommand, argv[1]);
	if (status < 0) {
		status = restoreAll(root ? root : "");
		if (status == HDPOWER_OK)
			status = cliFinish(&restoreCommand);
	}
	g_free(root);
	return status;
}

static int hdpowerRun(int argc, char **argv)
{
	if (strcmp(argv[0], "run") == 0)
		return powerRun(argc, argv);
	if (strcmp(argv[0], "status") == 0)
		return hdpowerStatus(argc, argv);
	if (strcmp(argv[0], "restore") == 0)
		return hdpowerRestore(argc, argv);
	return cliNoSubcommand(&hdpower, subcommands, argv[0]);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	hdpower.notes = cliSubcommandsNotes(
		"Commands:\n", subcommands,
		"\n'hdpower COMMAND --help' describes a command.\n\n"
		"Examples:\n"
		"  hdpower run --policy=fixed --set=max_freq=1200MHz -- "
		"./solver\n"
		"  hdpower run --apply --policy=fixed --set=governor=powersave "
		"-- ./solver\n"
		"  hdpower status");
	return cliSubcommandsMain(&hdpower, subcommands, NULL, hdpowerRun, argc,
				  argv);
}
