/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Scripts of faults.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include <gio/gio.h>

#include "tests/sim/script.h"

/** What follows the name of an action. */
enum arguments {
	NOTHING,
	NUMBER,       /**< One number. */
	OPTIONAL,     /**< One number, 0 if it is missing. */
	POSITION,     /**< A position and, 1 if it is missing, a number. */
	POSITION_HEX, /**< A position and bytes. */
	HEX,          /**< Bytes. */
	TEXT,         /**< The rest of the line. */
};

/** The actions' names; in a message about a mistake @c usage. */
static const struct {
	const char *name;
	const char *usage;
	enum arguments arguments;
} actions[] = {
	[SIM_SILENT] = { "silent", "", NOTHING },
	[SIM_LOSE] = { "lose", "POSITION [NUMBER]", POSITION },
	[SIM_DOUBLE] = { "double", "POSITION [NUMBER]", POSITION },
	[SIM_INSERT] = { "insert", "POSITION HEX", POSITION_HEX },
	[SIM_REPLACE] = { "replace", "HEX", HEX },
	[SIM_LENGTH] = { "length", "NUMBER", NUMBER },
	[SIM_VALUES] = { "values", "NUMBER", NUMBER },
	[SIM_ASCII] = { "ascii", "", NOTHING },
	[SIM_PACKED] = { "packed", "", NOTHING },
	[SIM_SLOW] = { "slow", "MILLISECONDS", NUMBER },
	[SIM_AGAIN] = { "again", "", NOTHING },
	[SIM_SWAP] = { "swap", "", NOTHING },
	[SIM_ERROR] = { "error", "TEXT", TEXT },
	[SIM_IDENTITY] = { "identity", "TEXT", TEXT },
	[SIM_HANG] = { "hang", "[SECONDS]", OPTIONAL },
	[SIM_UNPLUG] = { "unplug", "[SECONDS]", OPTIONAL },
	[SIM_REBOOT] = { "reboot", "[SECONDS]", OPTIONAL },
	[SIM_DRIFT] = { "drift", "PPM", NUMBER },
	[SIM_COUNT] = { "count", "NUMBER", NUMBER },
	[SIM_COUNTER] = { "counter", "KIND", TEXT },
};

bool simActionOnMessage(enum simAction action)
{
	return action <= SIM_SWAP;
}

/* A rule may name a command with or without its arguments. */
static bool namesCommand(const char *name, const char *command)
{
	size_t length = strlen(name);

	return !strncmp(name, command, length) &&
	       (!command[length] || command[length] == ' ');
}

static void freeRule(void *data)
{
	struct simRule *rule = data;

	if (rule->bytes)
		g_string_free(rule->bytes, true);
	g_free(rule->command);
	g_free(rule);
}

GPtrArray *simScriptNew(void)
{
	return g_ptr_array_new_with_free_func(freeRule);
}

/* A number that is a whole word; the next word is at *text then. */
static bool takeNumber(const char **text, double *number)
{
	char *end;

	*number = g_ascii_strtod(*text, &end);
	if (end == *text || (*end && *end != ' ') || !isfinite(*number))
		return false;
	*text = end + strspn(end, " ");
	return true;
}

static bool takeHex(const char *text, GString *bytes)
{
	for (; *text; text += 2 + strspn(text + 2, " ")) {
		int high = g_ascii_xdigit_value(text[0]);
		int low = high < 0 ? -1 : g_ascii_xdigit_value(text[1]);

		if (low < 0)
			return false;
		g_string_append_c(bytes, (char)(high << 4 | low));
	}
	return bytes->len > 0;
}

static bool takeArguments(struct simRule *rule, const char *text)
{
	double count = 1;

	switch (actions[rule->action].arguments) {
	case NOTHING:
		return !*text;
	case OPTIONAL:
		return !*text || (takeNumber(&text, &rule->number) && !*text);
	case NUMBER:
		return takeNumber(&text, &rule->number) && !*text;
	case POSITION:
		if (!takeNumber(&text, &rule->number))
			return false;
		if (*text && !(takeNumber(&text, &count) && !*text))
			return false;
		rule->count = (long)count;
		return rule->count > 0;
	case POSITION_HEX:
		rule->bytes = g_string_new(NULL);
		return takeNumber(&text, &rule->number) &&
		       takeHex(text, rule->bytes);
	case HEX:
		rule->bytes = g_string_new(NULL);
		return takeHex(text, rule->bytes);
	case TEXT:
		rule->bytes = g_string_new(text);
		return *text;
	}
	return false;
}

/* A, A-B or A-, with A at least 1. */
static bool takeRange(const char *text, struct simRule *rule)
{
	char *end;

	if (!g_ascii_isdigit(*text))
		return false;
	rule->from = rule->to = g_ascii_strtoull(text, &end, 10);
	if (*end == '-' && !end[1]) {
		rule->to = G_MAXUINT64;
		end++;
	} else if (*end == '-' && g_ascii_isdigit(end[1])) {
		rule->to = g_ascii_strtoull(end + 1, &end, 10);
	}
	return !*end && rule->from > 0 && rule->to >= rule->from;
}

static bool takeTrigger(const char *text, struct simRule *rule)
{
	const char *argument = strchr(text, ' ');
	const char *mark;

	if (!argument)
		return false;
	argument += strspn(argument, " ");
	if (g_str_has_prefix(text, "cycle ")) {
		rule->trigger = SIM_AT_CYCLE;
		return takeRange(argument, rule);
	}
	if (g_str_has_prefix(text, "reply ")) {
		rule->trigger = SIM_AT_REPLY;
		return takeRange(argument, rule);
	}
	if (g_str_has_prefix(text, "time ")) {
		rule->trigger = SIM_AT_TIME;
		return takeNumber(&argument, &rule->seconds) && !*argument;
	}
	if (!g_str_has_prefix(text, "command "))
		return false;
	rule->trigger = SIM_AT_COMMAND;
	rule->from = 1;
	rule->to = G_MAXUINT64;
	mark = strchr(argument, '#');
	rule->command = mark ? g_ascii_strup(argument, mark - argument)
			     : g_ascii_strup(argument, -1);
	return *rule->command && (!mark || takeRange(mark + 1, rule));
}

static bool parseRule(struct simRule *rule, char *line, char **why)
{
	/* Commands may have colons too, but no space after them. */
	char *text = strstr(line, ": ");
	guint action = 0;
	size_t length;

	if (text) {
		*text++ = '\0';
		g_strchug(text);
	}
	if (!text || !takeTrigger(line, rule)) {
		*why = g_strdup("a line is TRIGGER: ACTION; the triggers are "
				"cycle N[-[M]], reply N[-[M]], time SECONDS, "
				"command NAME[#N[-[M]]]");
		return false;
	}
	length = strcspn(text, " ");
	for (; action < G_N_ELEMENTS(actions); action++) {
		if (strlen(actions[action].name) == length &&
		    !strncmp(text, actions[action].name, length))
			break;
	}
	if (action == G_N_ELEMENTS(actions)) {
		GString *list = g_string_new("the actions are");

		for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
			g_string_append_printf(list, " %s", actions[i].name);
		*why = g_string_free(list, false);
		return false;
	}
	rule->action = action;
	text += length;
	if (takeArguments(rule, text + strspn(text, " ")))
		return true;
	*why = g_strdup_printf("usage: %s %s", actions[action].name,
			       actions[action].usage);
	return false;
}

GPtrArray *simScriptRead(const char *path, GError **error)
{
	GPtrArray *script;
	char *content;
	char **lines;

	if (!g_file_get_contents(path, &content, NULL, error))
		return NULL;
	script = simScriptNew();
	lines = g_strsplit(content, "\n", 0);
	g_free(content);
	for (guint i = 0; lines[i]; i++) {
		struct simRule *rule;
		char *why = NULL;

		g_strstrip(lines[i]);
		if (!lines[i][0] || lines[i][0] == '#')
			continue;
		rule = g_new0(struct simRule, 1);
		g_ptr_array_add(script, rule);
		if (parseRule(rule, lines[i], &why))
			continue;
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
			    "%s:%u: %s", path, i + 1, why);
		g_free(why);
		g_ptr_array_unref(script);
		script = NULL;
		break;
	}
	g_strfreev(lines);
	return script;
}

GSList *simScriptMatch(GPtrArray *script, enum simTrigger trigger,
		       uint64_t number, const char *command)
{
	GSList *found = NULL;

	for (guint i = 0; i < script->len; i++) {
		struct simRule *rule = script->pdata[i];
		uint64_t which = number;

		if (rule->trigger != trigger)
			continue;
		if (trigger == SIM_AT_COMMAND) {
			if (!namesCommand(rule->command, command))
				continue;
			which = ++rule->seen;
		}
		if (which >= rule->from && which <= rule->to)
			found = g_slist_append(found, rule);
	}
	return found;
}

GSList *simScriptTimed(GPtrArray *script, double seconds)
{
	GSList *found = NULL;

	for (guint i = 0; i < script->len; i++) {
		struct simRule *rule = script->pdata[i];

		if (rule->trigger == SIM_AT_TIME && !rule->done &&
		    rule->seconds <= seconds) {
			rule->done = true;
			found = g_slist_append(found, rule);
		}
	}
	return found;
}

double simScriptNext(const GPtrArray *script)
{
	double next = INFINITY;

	for (guint i = 0; i < script->len; i++) {
		const struct simRule *rule = script->pdata[i];

		if (rule->trigger == SIM_AT_TIME && !rule->done)
			next = fmin(next, rule->seconds);
	}
	return next;
}
