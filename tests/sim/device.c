/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The state of the simulated meter, its cycles and its faults.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/sim/counter.h"
#include "tests/sim/damage.h"
#include "tests/sim/device.h"
#include "tests/sim/faults.h"

#define LINE_MAX_BYTES 4096
#define DEFAULT_CYCLE 0.5
#define ERRORS_MAX 32
/** After so many cycles look whether the host or a signal came. */
#define CYCLES_AT_ONCE 10000

/* The meter's time, but for the fastest mode, where cycles make it. */
static double deviceTime(const struct simDevice *device, int64_t now)
{
	if (device->fastest)
		return device->cycleStart;
	return (double)(now - device->origin) / SIM_SECOND_NS * device->speedup;
}

static int64_t monotonic(const struct simDevice *device, double seconds)
{
	if (device->fastest)
		return simNow();
	return device->origin +
	       (int64_t)(seconds / device->speedup * SIM_SECOND_NS);
}

void simDeviceSetCycle(struct simDevice *device, double seconds)
{
	device->cycle = seconds;
	device->cycleStart = deviceTime(device, simNow()) + device->phase;
	device->cycleEnd =
		device->cycleStart + seconds * (1 + device->drift * 1e-6);
}

void simDeviceReset(struct simDevice *device)
{
	device->continuous = false;
	device->packed = false;
	g_array_set_size(device->action, 0);
	for (int i = 0; i < SIM_CHANNELS; i++)
		device->channels[i].energy = 0;
	simDeviceSetCycle(device, DEFAULT_CYCLE);
}

void simDeviceStart(struct simDevice *device)
{
	device->action = g_array_new(false, false, sizeof(struct simQuery));
	device->reply = simItemsNew();
	device->lastValues = g_array_new(false, false, sizeof(uint32_t));
	device->line = g_string_new(NULL);
	device->origin = simNow();
	simDeviceReset(device);
	simRecordOrigin(device->record, device->origin);
	for (int i = 0; i < SIM_CHANNELS; i++) {
		device->channels[i].law->origin = device->origin;
		simRecordTruth(device->record, "law %d %s", i + 1,
			       device->channels[i].law->text);
	}
}

void simDeviceClearErrors(struct simDevice *device)
{
	char *error;

	while ((error = g_queue_pop_head(&device->errors)))
		g_free(error);
}

void simDeviceStop(struct simDevice *device)
{
	simCommandsForget(device);
	simDeviceClearErrors(device);
	g_slist_free(device->faults);
	if (device->held)
		g_string_free(device->held, true);
	g_array_unref(device->action);
	g_array_unref(device->reply);
	g_array_unref(device->lastValues);
	g_string_free(device->line, true);
}

void simDeviceError(struct simDevice *device, const char *error)
{
	simRecordEvent(device->record, "error %s", error);
	if (device->errors.length < ERRORS_MAX)
		g_queue_push_tail(&device->errors, g_strdup(error));
}

void simDeviceBreak(struct simDevice *device)
{
	simRecordEvent(device->record, "BREAK");
	simCommandsForget(device);
	simPortDiscard(device->port);
	device->shortLanguage = device->packed = device->continuous = false;
}

bool simDeviceDeaf(const struct simDevice *device, int64_t now)
{
	return now < device->deafUntil;
}

bool simDeviceDone(const struct simDevice *device)
{
	return device->limit && device->messages >= device->limit;
}

void simDeviceAnswer(struct simDevice *device, const struct simQuery *query,
		     GArray *items, bool isContinuous)
{
	struct simItem item = { 0 };
	struct simChannel *channel = &device->channels[query->channel];

	if (query->quantity < 0) {
		simCounterAnswer(device, items, isContinuous);
		return;
	}
	item.bits = channel->law->shape == SIM_FILE
			    ? simLawNext(channel->law)
			    : channel->bits[query->quantity];
	g_array_append_val(items, item);
}

/* ---- Messages ------------------------------------------------------------ */

/* Send a message as the faults of the moment have it; says what became of it.
 */
static const char *sendItems(struct simDevice *device, const GArray *items,
			     int64_t notBefore)
{
	GSList *faults = g_steal_pointer(&device->faults);
	const char *fate = faults ? "faulty" : "sent";
	struct simForm form = { device->packed, device->blocks, 0 };
	bool silent = false, swap = false, again = false;
	long values = 0;
	GString *message;

	for (GSList *link = faults; link; link = link->next) {
		const struct simRule *rule = link->data;

		silent |= rule->action == SIM_SILENT;
		swap |= rule->action == SIM_SWAP;
		again |= rule->action == SIM_AGAIN;
		if (rule->action == SIM_VALUES)
			values += (long)rule->number;
		else if (rule->action == SIM_LENGTH)
			form.lengthOff += (long)rule->number;
		else if (rule->action == SIM_ASCII)
			form.packed = false;
		else if (rule->action == SIM_PACKED)
			form.packed = true;
		else if (rule->action == SIM_SLOW)
			notBefore += (int64_t)(rule->number * 1e6);
	}
	message = simMessageCompose(items, &form, values);
	for (GSList *link = faults; link; link = link->next)
		simDamage(message, link->data);
	g_slist_free(faults);
	if (silent || simDeviceDeaf(device, simNow())) {
		g_string_free(message, true);
		return "silent";
	}
	if (swap && !device->held) {
		device->held = message;
		return "late";
	}
	if (again)
		simPortSend(
			device->port,
			g_string_new_len(message->str, (gssize)message->len),
			notBefore);
	if (!simPortSend(device->port, message, notBefore))
		fate = "dropped";
	if (device->held)
		simPortSend(device->port, g_steal_pointer(&device->held),
			    notBefore);
	return fate;
}

void simDeviceReply(struct simDevice *device)
{
	if (device->reply->len) {
		simFaultsApply(device,
			       simScriptMatch(device->script, SIM_AT_REPLY,
					      ++device->replies, NULL));
		sendItems(device, device->reply, simNow());
		simCounterNote(device, device->reply);
	}
	g_array_set_size(device->reply, 0);
	device->copyAtEnd = false;
}

/* ---- Cycles -------------------------------------------------------------- */

static void sendContinuous(struct simDevice *device, int64_t start, int64_t end)
{
	GArray *items = simItemsNew();
	const char *fate;

	for (guint i = 0; i < device->action->len; i++)
		simDeviceAnswer(
			device,
			&g_array_index(device->action, struct simQuery, i),
			items, true);
	simFaultsApply(device, simScriptMatch(device->script, SIM_AT_CYCLE,
					      ++device->messages, NULL));
	fate = sendItems(device, items, end + (int64_t)device->latencyNs);
	if (!strcmp(fate, "dropped"))
		device->dropped++;
	simRecordCycle(device->record, device->messages,
		       (unsigned int)(device->count % 65536), start, end, fate,
		       items);
	simCounterNote(device, items);
	g_array_unref(items);
}

static void endCycle(struct simDevice *device)
{
	int64_t start = monotonic(device, device->cycleStart);
	int64_t end = monotonic(device, device->cycleEnd);

	for (int i = 0; i < SIM_CHANNELS; i++)
		simLawMeasure(device->channels[i].law, device->cycleStart,
			      device->cycleEnd, &device->channels[i].energy,
			      device->channels[i].bits);
	device->count++;
	device->cycleStart = device->cycleEnd;
	device->cycleEnd += device->cycle * (1 + device->drift * 1e-6);
	if (device->waiting) {
		device->waiting = device->copyAtEnd = false;
		simCommandsRun(device);
	}
	if (device->continuous && !simDeviceDone(device))
		sendContinuous(device, start, end);
}

/* In the fastest mode a cycle is over when somebody waits for it. */
static bool cycleOver(const struct simDevice *device, int64_t now)
{
	if (!device->fastest)
		return deviceTime(device, now) >= device->cycleEnd;
	if (simDeviceDeaf(device, now))
		return false;
	return device->waiting ||
	       (device->continuous && !simDeviceDone(device) &&
		device->port->queued < 16384 && simPortConnected(device->port));
}

void simDeviceTick(struct simDevice *device, int64_t now)
{
	double seconds = (double)(now - device->origin) / SIM_SECOND_NS;
	int rest = CYCLES_AT_ONCE;

	simFaultsApply(device, simScriptTimed(device->script, seconds));
	while (rest-- && cycleOver(device, now))
		endCycle(device);
}

int64_t simDeviceNext(const struct simDevice *device, int64_t now)
{
	double rule = simScriptNext(device->script);
	int64_t next = INT64_MAX;

	if (!device->fastest)
		next = monotonic(device, device->cycleEnd) + 1;
	else if (simDeviceDeaf(device, now))
		next = device->deafUntil;
	else if (cycleOver(device, now))
		next = now;
	if (isfinite(rule))
		next = MIN(next, device->origin +
					 (int64_t)(rule * SIM_SECOND_NS) + 1);
	return next;
}

/* ---- Input --------------------------------------------------------------- */

/* The commands of a line, in upper case with one space before arguments. */
static void takeLine(struct simDevice *device)
{
	char **words = g_strsplit(device->line->str, ";", 0);

	for (char **word = words; *word; word++) {
		char *argument;

		g_strstrip(*word);
		if (!**word)
			continue;
		argument = *word + strcspn(*word, " \t");
		if (*argument) {
			*argument++ = '\0';
			g_strchug(argument);
		}
		argument = *argument ? g_strconcat(*word, " ", argument, NULL)
				     : g_strdup(*word);
		g_queue_push_tail(&device->commands,
				  g_ascii_strup(argument, -1));
		g_free(argument);
	}
	g_queue_push_tail(&device->commands, NULL);
	g_strfreev(words);
	g_string_truncate(device->line, 0);
	simCommandsRun(device);
}

void simDeviceInput(struct simDevice *device, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];
		bool command = device->telnet;

		device->telnet = byte == 0xff;
		if (command && byte == 0xf3)
			simDeviceBreak(device);
		else if (byte == '\n')
			takeLine(device);
		else if (byte == 0xff)
			continue;
		else if (device->line->len < LINE_MAX_BYTES)
			g_string_append_c(device->line, (char)byte);
		else
			g_string_assign(device->line, "?");
	}
}
