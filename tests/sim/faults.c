/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the rules of a script do.
 */
#include "config.h"

#include "tests/sim/counter.h"
#include "tests/sim/faults.h"

/* When something ends that lasts this long; 0: never. */
static int64_t endOf(double seconds)
{
	return seconds > 0 ? simNow() + (int64_t)(seconds * SIM_SECOND_NS)
			   : INT64_MAX;
}

/* What a rule does to the meter. */
static void act(struct simDevice *device, const struct simRule *rule)
{
	const char *text = rule->bytes ? rule->bytes->str : NULL;

	switch (rule->action) {
	case SIM_ERROR:
		simDeviceError(device, text);
		break;
	case SIM_IDENTITY:
		g_free(device->identity);
		device->identity = g_strdup(text);
		break;
	case SIM_UNPLUG:
		simRecordEvent(device->record, "unplugged");
		simPortUnplug(device->port, endOf(rule->number));
		break;
	case SIM_REBOOT:
		simRecordEvent(device->record, "switched off");
		simDeviceBreak(device);
		simDeviceClearErrors(device);
		simDeviceReset(device);
		device->count = 0;
		device->deafUntil = endOf(rule->number);
		break;
	case SIM_HANG:
		simRecordEvent(device->record, "hangs");
		device->deafUntil = endOf(rule->number);
		break;
	case SIM_DRIFT:
		device->drift = rule->number;
		break;
	case SIM_COUNTER:
		device->counter = simCounterFind(text);
		break;
	case SIM_COUNT:
		device->count = (uint64_t)rule->number;
		break;
	default:
		break;
	}
}

void simFaultsApply(struct simDevice *device, GSList *rules)
{
	for (GSList *link = rules; link; link = link->next) {
		const struct simRule *rule = link->data;

		if (simActionOnMessage(rule->action))
			device->faults =
				g_slist_append(device->faults, link->data);
		else
			act(device, rule);
	}
	g_slist_free(rules);
}

bool simFaultsMayRun(struct simDevice *device, const char *command)
{
	GSList *rules =
		simScriptMatch(device->script, SIM_AT_COMMAND, 0, command);
	bool run = true;

	for (GSList *link = rules, *next; link; link = next) {
		const struct simRule *rule = link->data;

		next = link->next;
		if (rule->action != SIM_SILENT)
			continue;
		rules = g_slist_delete_link(rules, link);
		run = false;
	}
	simFaultsApply(device, rules);
	return run && !simDeviceDeaf(device, simNow());
}
