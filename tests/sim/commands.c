/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The languages of the simulated meter: SCPI, as far as to leave it, and SHORT.
 */
#include "config.h"

#include <string.h>

#include "tests/sim/device.h"
#include "tests/sim/faults.h"

#define UNDEFINED_HEADER "-113,\"Undefined header\""
#define MISSING_PARAMETER "-109,\"Missing parameter\""
#define OUT_OF_RANGE "-222,\"Data out of range\""
#define ILLEGAL_VALUE "-224,\"Illegal parameter value\""
#define CONFLICT "-221,\"Settings conflict\""

/** Queries for values: the names in the order of enum simQuantity. */
static const char *const quantities[SIM_QUANTITIES] = {
	"UTRMS", "ITRMS", "P", "S", "Q", "PF", "FREQ", "EP",
};

static void answerText(struct simDevice *device, char *text)
{
	struct simItem item = { .text = text };

	g_array_append_val(device->reply, item);
}

static void answerNumber(struct simDevice *device, double number)
{
	struct simItem item = { .bits = simBits(number) };

	g_array_append_val(device->reply, item);
}

static void doIdentity(struct simDevice *device, const char *argument)
{
	(void)argument;
	answerText(device, g_strdup(device->identity));
}

static void doComplete(struct simDevice *device, const char *argument)
{
	(void)argument;
	answerText(device, g_strdup("1"));
}

static void doClear(struct simDevice *device, const char *argument)
{
	(void)argument;
	simDeviceClearErrors(device);
}

static void doReset(struct simDevice *device, const char *argument)
{
	(void)argument;
	simDeviceReset(device);
}

static void doLocal(struct simDevice *device, const char *argument)
{
	(void)device;
	(void)argument;
}

static void doErrors(struct simDevice *device, const char *argument)
{
	GString *all = g_string_new(NULL);
	char *error;

	(void)argument;
	while ((error = g_queue_pop_head(&device->errors))) {
		g_string_append_printf(all, "%s%s", all->len ? "," : "", error);
		g_free(error);
	}
	if (!all->len)
		g_string_append(all, "0,\"No error\"");
	answerText(device, g_string_free(all, false));
}

static void doLanguage(struct simDevice *device, const char *argument)
{
	if (!strcmp(argument, "SHORT"))
		device->shortLanguage = true;
	else if (!strcmp(argument, "SCPI"))
		device->shortLanguage = false;
	else
		simDeviceError(device, ILLEGAL_VALUE);
}

static void doInit(struct simDevice *device, const char *argument)
{
	(void)argument;
	device->copyAtEnd = true;
}

static void doFormat(struct simDevice *device, const char *argument)
{
	if (!strcmp(argument, "PACKED"))
		device->packed = true;
	else if (!strcmp(argument, "ASCII"))
		device->packed = false;
	else
		simDeviceError(device, ILLEGAL_VALUE);
}

static void doCycle(struct simDevice *device, const char *argument)
{
	char *end;
	double seconds = g_ascii_strtod(argument, &end);

	if (end == argument || *end)
		simDeviceError(device, MISSING_PARAMETER);
	else if (!(seconds >= 0.05 && seconds <= 60))
		simDeviceError(device, OUT_OF_RANGE);
	else
		simDeviceSetCycle(device, seconds);
}

static void askCycle(struct simDevice *device, const char *argument)
{
	(void)argument;
	answerNumber(device, device->cycle);
}

static void doContinuous(struct simDevice *device, const char *argument)
{
	if (!strcmp(argument, "OFF"))
		device->continuous = false;
	else if (strcmp(argument, "ON"))
		simDeviceError(device, ILLEGAL_VALUE);
	else if (!device->action->len)
		simDeviceError(device, CONFLICT);
	else
		device->continuous = true;
}

/** Commands but for queries of values, and ACTN, which takes its line. */
static const struct {
	const char *name; /**< Capitals may not be left out. */
	bool scpi, small; /**< In which languages. */
	bool argument;
	void (*run)(struct simDevice *device, const char *argument);
} table[] = {
	{ "*IDN?", true, true, false, doIdentity },
	{ "*OPC?", true, true, false, doComplete },
	{ "*CLS", true, true, false, doClear },
	{ "*RST", true, true, false, doReset },
	{ "GTL", true, true, false, doLocal },
	{ "SYSTem:LANGuage", true, true, true, doLanguage },
	{ "SYSTem:ERRor:ALL?", true, false, false, doErrors },
	{ "LANG", false, true, true, doLanguage },
	{ "ERRALL?", false, true, false, doErrors },
	{ "INIM", false, true, false, doInit },
	{ "FRMT", false, true, true, doFormat },
	{ "CYCL", false, true, true, doCycle },
	{ "CYCL?", false, true, false, askCycle },
	{ "CONT", false, true, true, doContinuous },
};

/* Whether a word in upper case is a name, or what its capitals are: "SYST" is
   "SYSTem", "SYSTE" is not. */
static bool isCommand(const char *word, const char *name)
{
	while (*name) {
		size_t small = strspn(name, "abcdefghijklmnopqrstuvwxyz");

		if (small && !g_ascii_strncasecmp(word, name, small))
			word += small;
		else if (!small && *word++ != *name)
			return false;
		name += small ? small : 1;
	}
	return !*word;
}

/* Queries of values: NAME? or NAMEn?, or COUNT?. Gives the quantity, -1 for the
   counter, and the channel, -1 for all. */
static bool isQuery(const char *word, struct simQuery *query)
{
	size_t length = strlen(word);

	if (!strcmp(word, "COUNT?")) {
		*query = (struct simQuery){ .quantity = -1 };
		return true;
	}
	if (length < 2 || word[length - 1] != '?')
		return false;
	length--;
	query->channel = -1;
	if (g_ascii_isdigit(word[length - 1])) {
		length--;
		query->channel = word[length] - '1';
		if (query->channel < 0 || query->channel >= SIM_CHANNELS)
			return false;
	}
	for (int i = 0; i < SIM_QUANTITIES; i++) {
		query->quantity = i;
		if (strlen(quantities[i]) == length &&
		    !strncmp(word, quantities[i], length))
			return true;
	}
	return false;
}

/* The queries that one stands for. */
static void addQueries(const struct simDevice *device, GArray *queries,
		       struct simQuery query)
{
	int last = device->oneChannel ? 1 : SIM_CHANNELS;

	if (query.channel >= 0) {
		g_array_append_val(queries, query);
		return;
	}
	for (query.channel = 0; query.channel < last; query.channel++)
		g_array_append_val(queries, query);
}

static void answerValues(struct simDevice *device, struct simQuery query)
{
	GArray *queries = g_array_new(false, false, sizeof(struct simQuery));

	addQueries(device, queries, query);
	for (guint i = 0; i < queries->len; i++)
		simDeviceAnswer(device,
				&g_array_index(queries, struct simQuery, i),
				device->reply, false);
	g_array_unref(queries);
}

/* ACTN;QUERY;...: the rest of its line is what continuous mode sends. */
static void doAction(struct simDevice *device)
{
	struct simQuery query;
	char *command;

	g_array_set_size(device->action, 0);
	while ((command = g_queue_pop_head(&device->commands))) {
		if (isQuery(command, &query))
			addQueries(device, device->action, query);
		else
			simDeviceError(device, UNDEFINED_HEADER);
		g_free(command);
	}
	g_queue_push_head(&device->commands, NULL);
}

static void runCommand(struct simDevice *device, char *command)
{
	char *argument = strchr(command, ' ');
	const char *word = *command == ':' ? command + 1 : command;
	struct simQuery query;

	if (argument)
		*argument++ = '\0';
	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		if (!(device->shortLanguage ? table[i].small : table[i].scpi) ||
		    !isCommand(word, table[i].name))
			continue;
		if (table[i].argument == !argument)
			simDeviceError(device, argument ? ILLEGAL_VALUE
							: MISSING_PARAMETER);
		else
			table[i].run(device, argument);
		return;
	}
	if (device->shortLanguage && !argument && !strcmp(word, "ACTN"))
		doAction(device);
	else if (device->shortLanguage && !argument && isQuery(word, &query))
		answerValues(device, query);
	else
		simDeviceError(device, UNDEFINED_HEADER);
}

/* After INIM, values are those of the cycle that ends next. */
static bool mustWait(struct simDevice *device, const char *command)
{
	struct simQuery query;

	if (!device->shortLanguage || !device->copyAtEnd ||
	    !isQuery(command, &query))
		return false;
	device->waiting = true;
	return true;
}

void simCommandsRun(struct simDevice *device)
{
	while (!device->waiting && !g_queue_is_empty(&device->commands)) {
		char *command = g_queue_peek_head(&device->commands);

		if (command && mustWait(device, command))
			return;
		g_queue_pop_head(&device->commands);
		if (!command)
			simDeviceReply(device);
		else if (simFaultsMayRun(device, command))
			runCommand(device, command);
		g_free(command);
	}
}

void simCommandsForget(struct simDevice *device)
{
	char *command;

	while (!g_queue_is_empty(&device->commands)) {
		command = g_queue_pop_head(&device->commands);
		g_free(command);
	}
	g_array_set_size(device->reply, 0);
	g_string_truncate(device->line, 0);
	device->waiting = false;
	device->copyAtEnd = false;
}
