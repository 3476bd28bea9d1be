/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pt devices: what a power service has. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/client/where.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"

#define TOOL "pt devices"

/* After so many cycles without a reading the last one is stale. */
#define STALE_CYCLES 3
/* Exit status if the service cannot be asked, or the options are wrong. */
#define FAILED 2

static char *devicesCommandValuesOf(const struct ptListedLine *line)
{
	GString *names = g_string_new(NULL);

	for (size_t i = 0; i < line->valueCount; i++)
		g_string_append_printf(
			names, "%s%s%s%s%s", names->len ? ", " : "",
			line->values[i].name, *line->values[i].unit ? " [" : "",
			line->values[i].unit, *line->values[i].unit ? "]" : "");
	return g_string_free(names, FALSE);
}

static void devicesCommandAddNumber(struct outTable *table, uint64_t number)
{
	char text[OUT_NUMBER_SIZE];

	outTableAdd(table, outInteger(text, (outInt128)number));
}

static const char *devicesCommandStateOf(const struct ptListedDevice *device)
{
	return device->isUp ? "works" : "out of reach";
}

/* Age of the last reading in seconds; NaN for none. */
static double devicesAge(const struct ptListedDevice *device)
{
	return device->lastNs
		       ? fmax(0, (double)(hdClockNow() - device->lastNs) / 1e9)
		       : NAN;
}

/* As in the metrics of the service: after three cycles, and a second at least.
 */
static bool devicesIsStale(const struct ptListedDevice *device)
{
	double limit = STALE_CYCLES * (double)device->intervalNs / 1e9;

	return !(devicesAge(device) <= fmax(limit, 1));
}

static void devicesAddAge(struct outTable *table,
			  const struct ptListedDevice *device)
{
	char *text = g_strdup_printf(devicesIsStale(device) ? "%.1f s, stale"
							    : "%.1f s",
				     devicesAge(device));

	outTableAdd(table, device->lastNs ? text : "-");
	g_free(text);
}

static double devicesCommandRateOf(const struct ptListedDevice *device)
{
	return device->intervalNs > 0 ? 1e9 / (double)device->intervalNs : 0;
}

static void printDevices(const struct ptListed *listed)
{
	static const char *const headings[] = {
		"<Device", "<Driver",     ".Hz",          "<State",
		">Age",    ">Readings",   ">Lost",        ">Errors",
		">Late",   ">Reconnects", "<Description", NULL,
	};
	struct outTable *table = outTableNew(headings);

	for (size_t i = 0; i < listed->count; i++) {
		const struct ptListedDevice *device = &listed->devices[i];
		char text[OUT_NUMBER_SIZE];

		outTableAdd(table, device->name);
		outTableAdd(table, device->driver);
		g_snprintf(text, sizeof(text), "%g",
			   devicesCommandRateOf(device));
		outTableAdd(table, text);
		outTableAdd(table, devicesCommandStateOf(device));
		devicesAddAge(table, device);
		devicesCommandAddNumber(table, device->readings);
		devicesCommandAddNumber(table, device->lost);
		devicesCommandAddNumber(table, device->errors);
		devicesCommandAddNumber(table, device->late);
		devicesCommandAddNumber(table, device->reconnects);
		outTableAdd(table, device->description);
	}
	outTablePrint(table, "", isatty(STDOUT_FILENO) == 1);
}

/* Values that are the same for all lines are not said for each. */
static void printLines(const struct ptListed *listed)
{
	static const char *const headings[] = {
		"<Node",   "<Device", ">No.",         "<Line", "<Input",
		"<Values", "<",       "<Description", NULL,
	};
	struct outTable *table = outTableNew(headings);

	for (size_t i = 0; i < listed->count; i++) {
		for (size_t k = 0; k < listed->devices[i].lineCount; k++) {
			const struct ptListedLine *line =
				&listed->devices[i].lines[k];
			gboolean isSimulated = line->valueCount > 0 &&
					       line->values[0].isSimulated;
			char *values = devicesCommandValuesOf(line);

			outTableAdd(table, line->node);
			outTableAdd(table, listed->devices[i].name);
			devicesCommandAddNumber(table, line->number);
			outTableAdd(table, line->name);
			outTableAdd(table, line->channel);
			outTableAdd(table, values);
			outTableAdd(table, isSimulated ? "simulated" : "");
			outTableAdd(table, line->description);
			g_free(values);
		}
	}
	outTablePrint(table, "", isatty(STDOUT_FILENO) == 1);
}

/* ---- JSON -------------------------------------------------------------- */

static void jsonLine(struct outJson *json, const struct ptListedLine *line)
{
	outJsonObject(json, NULL, false);
	outJsonInteger(json, "number", line->number);
	outJsonText(json, "name", line->name);
	outJsonText(json, "node", line->node);
	outJsonText(json, "channel", line->channel);
	outJsonText(json, "description", line->description);
	outJsonDouble(json, "voltage_v", line->voltage);
	outJsonBool(json, "summed", line->isSummed);
	outJsonArray(json, "values", false);
	for (size_t i = 0; i < line->valueCount; i++) {
		const struct ptListedValue *value = &line->values[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", value->name);
		outJsonText(json, "unit", value->unit);
		outJsonText(json, "grouping", value->grouping);
		outJsonText(json, "source", value->source);
		outJsonText(json, "resolution", value->resolution);
		outJsonBool(json, "simulated", value->isSimulated);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void jsonDevice(struct outJson *json,
		       const struct ptListedDevice *device)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "name", device->name);
	outJsonText(json, "driver", device->driver);
	outJsonText(json, "description", device->description);
	outJsonSeconds(json, "interval_s", device->intervalNs);
	outJsonBool(json, "timed_by_meter", device->isTimedByMeter);
	outJsonBool(json, "up", device->isUp);
	outJsonInteger(json, "readings", (int64_t)device->readings);
	outJsonInteger(json, "lost", (int64_t)device->lost);
	outJsonInteger(json, "errors", (int64_t)device->errors);
	outJsonInteger(json, "late", (int64_t)device->late);
	outJsonInteger(json, "reconnects", (int64_t)device->reconnects);
	if (device->lastNs) {
		outJsonSeconds(json, "last_reading_s", device->lastNs);
		outJsonDouble(json, "last_reading_age_s", devicesAge(device));
	}
	outJsonBool(json, "stale", devicesIsStale(device));
	outJsonArray(json, "lines", false);
	for (size_t i = 0; i < device->lineCount; i++)
		jsonLine(json, &device->lines[i]);
	outJsonEnd(json);
	outJsonEnd(json);
}

static void devicesCommandPrintJson(const char *server,
				    const struct ptListed *listed,
				    const struct ptRemoteClock *clock)
{
	struct outJson *json = g_new0(struct outJson, 1);

	outJsonDocument(json, "pt-devices");
	outJsonText(json, "server", server);
	outJsonSeconds(json, "offset_s", ptRemoteClockOffset(clock));
	outJsonSeconds(json, "offset_error_s", ptRemoteClockError(clock));
	outJsonArray(json, "devices", false);
	for (size_t i = 0; i < listed->count; i++)
		jsonDevice(json, &listed->devices[i]);
	outJsonEnd(json);
	outJsonEnd(json);
	g_free(json);
}

/* ---- The command ------------------------------------------------------- */

static void devicesCommandPrintText(const struct ptListed *listed)
{
	if (listed->count == 0) {
		puts("No devices are visible to you.");
		return;
	}
	printDevices(listed);
	putchar('\n');
	printLines(listed);
}

static const char *const formats[] = { "text", "json", NULL };
static const struct cliWords words[] = {
	{ "format", formats, false },
	{ NULL, NULL, false },
};
static const struct cliCommand command = {
	.name = TOOL,
	.description =
		"List the devices of a power service, and the lines and "
		"values of nodes that they\nmeasure. The list has only nodes "
		"that you are allowed to see.",
	.notes = "Examples:\n"
		 "  pt devices\n"
		 "  pt devices --server=head --format=json\n\n" WHERE_NOTES
		 "Exit status: 0; 2 if the service cannot be reached, or after "
		 "a usage error.",
	.usageStatus = FAILED,
	.words = words,
	.oldLetters = whereOldLetters,
};

static int devicesCommandListDevices(struct where *where, gboolean isJson)
{
	struct ptListed *listed;
	struct ptRemote *remote;
	int ret;

	if (!whereParse(TOOL, where))
		return FAILED;
	ret = ptRemoteOpen(&where->setup, -1, &remote);
	if (ret < 0)
		return FAILED;
	ret = ptRemoteList(remote, &listed);
	if (ret == 0) {
		if (isJson)
			devicesCommandPrintJson(where->setup.address.text,
						listed,
						ptRemoteGetClock(remote));
		else
			devicesCommandPrintText(listed);
		ptListedFree(listed);
	}
	ptRemoteClose(remote);
	return ret < 0 ? FAILED : cliFinish(&command);
}

int commandDevices(int argc, char **argv)
{
	struct where where = { 0 };
	char *format = NULL;
	gboolean isJson = FALSE;
	const GOptionEntry entries[] = {
		{ "format", 0, 0, G_OPTION_ARG_FILENAME, &format,
		  "Format: text or json (default: text)", "FORMAT" },
		{ "json", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &isJson,
		  "Same as --format=json", NULL },
		WHERE_SERVER_ENTRIES(&where),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int result = cliParse(&command, lists, &argc, &argv);
	int chosen = 0;

	if (result < 0 && argc > 1)
		result = cliErrorUnexpected(&command, argv[1]);
	if (result < 0)
		result = cliChoose(&command, "format", format, &chosen);
	if (result < 0)
		result = devicesCommandListDevices(&where,
						   isJson || chosen == 1);
	g_free(format);
	whereClear(&where);
	return result;
}
