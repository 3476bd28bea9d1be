/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A ZES ZIMMER LMG450 power analyzer made of software; see README.
 *
 * It knows the meter only from its protocol, and shares no code with what it
 * is to test.
 */
#include "config.h"

#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gio/gio.h>

#include "tests/sim/counter.h"
#include "tests/sim/device.h"

#define IDENTITY "ZES ZIMMER Electronic Systems GmbH,LMG450,12345678,3.115"

/** What the command line says. */
struct options {
	char *link, *tcp, *blocks, *breakWhen, *identity;
	char *counter, *noDigit;
	char *script, *log, *truth;
	char **laws;
	double baud, speedup, latency, phase, drift;
	gboolean fastest;
	gint64 cycles;
};

static volatile sig_atomic_t terminate;

static void onSignal(int number)
{
	(void)number;
	terminate = 1;
}

/* Signals arrive in ppoll() only. */
static void catchSignals(sigset_t *during)
{
	struct sigaction action = { .sa_handler = onSignal };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, during);
	sigdelset(during, SIGTERM);
	sigdelset(during, SIGINT);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static bool badUsage(GError **error, const char *what)
{
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    what);
	return false;
}

/* N:LAW, where N is a channel, or * for all. */
static bool setLaw(struct simDevice *device, const char *text, GError **error)
{
	int channel = text[0] - '1';

	if (!(text[0] == '*' || (channel >= 0 && channel < SIM_CHANNELS)) ||
	    text[1] != ':')
		return badUsage(error, "--law is CHANNEL:LAW, the channel "
				       "1 to 4, or * for all");
	for (int i = 0; i < SIM_CHANNELS; i++) {
		if (text[0] != '*' && i != channel)
			continue;
		simLawDestroy(device->channels[i].law);
		device->channels[i].law = simLawParse(text + 2, error);
		if (!device->channels[i].law)
			return false;
	}
	return true;
}

static bool setLaws(struct simDevice *device, char **laws, GError **error)
{
	for (int i = 0; i < SIM_CHANNELS; i++) {
		char *law =
			g_strdup_printf("%d:constant:watts=%d00", i + 1, i + 1);
		bool set = setLaw(device, law, error);

		g_free(law);
		if (!set)
			return false;
	}
	for (; laws && *laws; laws++) {
		if (!setLaw(device, *laws, error))
			return false;
	}
	return true;
}

/* What COUNT? answers, now and later. */
static bool setCounter(struct simDevice *device, const char *name,
		       GError **error)
{
	char *names;

	device->counter = simCounterFind(name);
	for (guint i = 0; i < device->script->len && device->counter >= 0;
	     i++) {
		const struct simRule *rule = device->script->pdata[i];

		if (rule->action == SIM_COUNTER &&
		    simCounterFind(rule->bytes->str) < 0)
			device->counter = -1;
	}
	if (device->counter >= 0)
		return true;
	names = g_strjoinv(", ", (char **)simCounters);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "a counter is one of %s", names);
	g_free(names);
	return false;
}

static bool setChoices(struct simDevice *device, const struct options *options,
		       GError **error)
{
	if (!g_strcmp0(options->blocks, "each"))
		device->blocks = SIM_BLOCK_EACH;
	else if (options->blocks && strcmp(options->blocks, "one"))
		return badUsage(error, "--blocks is one or each");
	if (!setCounter(device, options->counter ? options->counter : "cycles",
			error))
		return false;
	device->oneChannel = !g_strcmp0(options->noDigit, "one");
	if (options->noDigit && !device->oneChannel &&
	    strcmp(options->noDigit, "all"))
		return badUsage(error, "--no-digit is all or one");
	if (!g_strcmp0(options->breakWhen, "flush"))
		device->port->breakWhen = SIM_BREAK_FLUSH;
	else if (!g_strcmp0(options->breakWhen, "none"))
		device->port->breakWhen = SIM_BREAK_NONE;
	else if (options->breakWhen && strcmp(options->breakWhen, "open"))
		return badUsage(error, "--break is open, flush or none");
	if (options->tcp) {
		char *end;
		gint64 port = g_ascii_strtoll(options->tcp, &end, 10);

		if (end == options->tcp || *end || port < 0 || port > 65535 ||
		    options->link)
			return badUsage(error, "--tcp takes a port, 0 for any; "
					       "and there is no --link then");
		device->port->tcp = (int)port;
	}
	if (!(options->speedup > 0) || options->baud < 0 ||
	    options->latency < 0 || options->phase < 0 || options->cycles < 0)
		return badUsage(error, "numbers must not be negative, and "
				       "--speedup not 0");
	return true;
}

/* Read what came, until there is nothing more or the meter stops listening. */
static void listenToHost(struct simDevice *device)
{
	char buffer[4096];
	size_t length;

	while (!simDeviceDeaf(device, simNow())) {
		switch (simPortRead(device->port, buffer, sizeof(buffer) - 1,
				    &length)) {
		case SIM_INPUT_NOTHING:
			return;
		case SIM_INPUT_BYTES:
			simDeviceInput(device, buffer, length);
			break;
		case SIM_INPUT_BREAK:
			simDeviceBreak(device);
			break;
		case SIM_INPUT_CLOSED:
			if (device->port->breakWhen != SIM_BREAK_NONE)
				simDeviceBreak(device);
			break;
		}
	}
}

/* Wait until something is due or comes. */
static void wait(struct simDevice *device, const sigset_t *during)
{
	int64_t now = simNow();
	bool deaf = simDeviceDeaf(device, now);
	struct pollfd entries[2];
	nfds_t count = simPortPoll(device->port, !deaf, entries);
	int64_t until =
		MIN(simDeviceNext(device, now), simPortNext(device->port, now));
	struct timespec timeout;

	if (deaf)
		until = MIN(until, device->deafUntil);
	until = CLAMP(until - now, 0, INT64_C(3600000000000));
	timeout.tv_sec = until / 1000000000;
	timeout.tv_nsec = until % 1000000000;
	ppoll(entries, count, &timeout, during);
}

static bool run(struct simDevice *device, GError **error)
{
	sigset_t during;
	bool told = false;

	catchSignals(&during);
	printf("ready %s\n", device->port->name);
	fflush(stdout);
	while (!terminate) {
		int64_t now;

		wait(device, &during);
		now = simNow();
		if (!simPortService(device->port, now, error))
			return false;
		simDeviceTick(device, now);
		listenToHost(device);
		simPortWrite(device->port, simNow());
		if (!told && simDeviceDone(device) && !device->port->queued) {
			told = true;
			puts("done");
			fflush(stdout);
		}
	}
	simRecordTruth(device->record, "dropped %" PRIu64, device->dropped);
	return true;
}

static bool parseOptions(struct options *options, int *argc, char ***argv,
			 GError **error)
{
	const GOptionEntry entries[] = {
		{ "link", 0, 0, G_OPTION_ARG_FILENAME, &options->link,
		  "Make a symbolic link to the terminal (default: none)",
		  "PATH" },
		{ "tcp", 0, 0, G_OPTION_ARG_STRING, &options->tcp,
		  "Listen on this port of 127.0.0.1 instead; 0 for a free one",
		  "PORT" },
		{ "law", 'l', 0, G_OPTION_ARG_STRING_ARRAY, &options->laws,
		  "What a channel (1 to 4, or *) measures: constant, ramp, "
		  "sine, square, host, file (default: 100 W times N)",
		  "N:LAW" },
		{ "blocks", 0, 0, G_OPTION_ARG_STRING, &options->blocks,
		  "Packed messages have one block (default), or one for each "
		  "value",
		  "one|each" },
		{ "counter", 0, 0, G_OPTION_ARG_STRING, &options->counter,
		  "What COUNT? answers (default: cycles); see README", "KIND" },
		{ "no-digit", 0, 0, G_OPTION_ARG_STRING, &options->noDigit,
		  "Queries without a digit are of all channels (default), or "
		  "of the first one",
		  "all|one" },
		{ "baud", 0, 0, G_OPTION_ARG_DOUBLE, &options->baud,
		  "Speed of the line (default: 57600; 0: no limit)", "N" },
		{ "latency", 0, 0, G_OPTION_ARG_DOUBLE, &options->latency,
		  "From the end of a cycle to its message (default: 0)", "MS" },
		{ "phase", 0, 0, G_OPTION_ARG_DOUBLE, &options->phase,
		  "From CYCL to the start of the first cycle (default: 7)",
		  "MS" },
		{ "drift", 0, 0, G_OPTION_ARG_DOUBLE, &options->drift,
		  "How much longer cycles last (default: 0)", "PPM" },
		{ "speedup", 0, 0, G_OPTION_ARG_DOUBLE, &options->speedup,
		  "How fast the meter's time passes (default: 1)", "N" },
		{ "fastest", 0, 0, G_OPTION_ARG_NONE, &options->fastest,
		  "A cycle is over as soon as the host reads; no line speed",
		  NULL },
		{ "cycles", 0, 0, G_OPTION_ARG_INT64, &options->cycles,
		  "Print \"done\" after N messages of continuous mode, and "
		  "send no more",
		  "N" },
		{ "break", 0, 0, G_OPTION_ARG_STRING, &options->breakWhen,
		  "What stands for a BREAK: the port is closed (default), "
		  "also that its input is flushed, or none of these",
		  "open|flush|none" },
		{ "identity", 0, 0, G_OPTION_ARG_STRING, &options->identity,
		  "What *IDN? answers", "TEXT" },
		{ "script", 's', 0, G_OPTION_ARG_FILENAME, &options->script,
		  "What is to go wrong, and when", "FILE" },
		{ "log", 0, 0, G_OPTION_ARG_FILENAME, &options->log,
		  "Write the dialogue to a file", "FILE" },
		{ "truth", 0, 0, G_OPTION_ARG_FILENAME, &options->truth,
		  "Write what was measured to a file", "FILE" },
		{ 0 },
	};
	GOptionContext *context =
		g_option_context_new("- simulate an LMG450 power analyzer");
	bool good;

	g_option_context_set_description(
		context, "Prints \"ready PORT\" when it can be used. Ends with "
			 "SIGTERM or SIGINT.\n");
	g_option_context_add_main_entries(context, entries, NULL);
	good = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	if (good && *argc > 1)
		return badUsage(error, "there are no arguments but options");
	return good;
}

static void freeOptions(struct options *options)
{
	g_free(options->link);
	g_free(options->tcp);
	g_free(options->blocks);
	g_free(options->breakWhen);
	g_free(options->counter);
	g_free(options->noDigit);
	g_free(options->identity);
	g_free(options->script);
	g_free(options->log);
	g_free(options->truth);
	g_strfreev(options->laws);
}

int main(int argc, char **argv)
{
	struct options options = { .baud = 57600, .speedup = 1, .phase = 7 };
	struct simRecord record = { 0 };
	struct simPort port = {
		.record = &record, .tcp = -1, .fd = -1, .listener = -1
	};
	struct simDevice device = { .port = &port, .record = &record };
	GError *error = NULL;
	bool good;

	setlocale(LC_ALL, "");
	if (!parseOptions(&options, &argc, &argv, &error)) {
		fprintf(stderr, "lmg450-sim: %s\n", error->message);
		g_error_free(error);
		freeOptions(&options);
		return 2;
	}
	device.identity =
		g_strdup(options.identity ? options.identity : IDENTITY);
	device.speedup = options.speedup;
	device.fastest = options.fastest;
	device.latencyNs = options.latency * 1e6;
	device.phase = options.phase / 1000;
	device.drift = options.drift;
	device.limit = (uint64_t)MAX(options.cycles, 0);
	port.link = options.link;
	port.baud = options.fastest ? 0 : options.baud;
	device.script = options.script ? simScriptRead(options.script, &error)
				       : simScriptNew();
	good = device.script && setChoices(&device, &options, &error) &&
	       setLaws(&device, options.laws, &error) &&
	       simRecordOpen(&record, options.log, options.truth, &error) &&
	       simPortOpen(&port, &error);
	if (good) {
		simDeviceStart(&device);
		good = run(&device, &error);
		simDeviceStop(&device);
	}
	simPortClose(&port);
	for (int i = 0; i < SIM_CHANNELS; i++)
		simLawDestroy(device.channels[i].law);
	g_free(device.identity);
	if (device.script)
		g_ptr_array_unref(device.script);
	if (!simRecordClose(&record) && !error)
		good = badUsage(&error, "a file could not be written");
	if (error)
		fprintf(stderr, "lmg450-sim: %s\n", error->message);
	g_clear_error(&error);
	freeOptions(&options);
	return good ? 0 : 1;
}
