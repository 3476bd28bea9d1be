/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a disk says of itself; see smart.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib.h>

#include "NodeStatus/local/child.h"
#include "NodeStatus/local/json.h"
#include "NodeStatus/local/smart.h"

/* It prints some 20 kB. */
#define OUTPUT_MAX (1024 * 1024)

/* From good to bad; the worst one counts. */
enum state {
	STATE_OK,
	STATE_WARNED,
	STATE_UNAVAILABLE,
	STATE_ASLEEP,
	STATE_UNKNOWN,
	STATE_FAILING,
};

static const char *const stateWords[] = {
	[STATE_OK] = "ok",
	[STATE_WARNED] = "warned",
	[STATE_UNAVAILABLE] = "unavailable",
	[STATE_ASLEEP] = "asleep",
	[STATE_UNKNOWN] = "unknown",
	[STATE_FAILING] = "failing",
};

/* The bits of its exit status. */
static const struct {
	enum state state;
	const char *reason;
} bits[8] = {
	/* Disks of a kind that has none are found so, too. */
	{ STATE_UNAVAILABLE, "smartctl does not support this disk" },
	{ STATE_UNAVAILABLE, "cannot open the disk" },
	/* Also of disks that lack a command: it is no sign of a fault. */
	{ STATE_OK, "the disk does not support a command" },
	{ STATE_FAILING, "the disk reports a failure" },
	{ STATE_FAILING, "an attribute is below its threshold" },
	{ STATE_WARNED, "an attribute was below its threshold" },
	{ STATE_WARNED, "the error log of the disk is not empty" },
	{ STATE_WARNED, "a self-test failed" },
};

struct verdict {
	enum state state;
	json_t *reasons;
};

static void smartAddReason(struct verdict *verdict, enum state state,
			   const char *reason)
{
	verdict->state = MAX(verdict->state, state);
	json_array_append_new(verdict->reasons, json_string(reason));
}

static const json_t *smartValueAt(const json_t *json, const char *a,
				  const char *b)
{
	const json_t *inner = json_object_get(json, a);

	return b ? json_object_get(inner, b) : inner;
}

/* What it prints when a disk sleeps is a message, and bit 1. */
static bool isAsleep(const json_t *json)
{
	const json_t *messages = smartValueAt(json, "smartctl", "messages");

	for (size_t i = 0; i < json_array_size(messages); i++) {
		const char *text = json_string_value(
			json_object_get(json_array_get(messages, i), "string"));

		if (text && strstr(text, "STANDBY"))
			return true;
	}
	return false;
}

static void judgeBits(struct verdict *verdict, int status, const json_t *json)
{
	bool sleeps = isAsleep(json);

	for (unsigned int i = 0; i < 8; i++) {
		if (!(status & 1 << i))
			continue;
		if (i == 1 && sleeps)
			smartAddReason(verdict, STATE_ASLEEP,
				       "the disk sleeps");
		else
			smartAddReason(verdict, bits[i].state, bits[i].reason);
	}
}

/* What its text says: without an opinion of the disk there is no "ok". */
static void judgeText(struct verdict *verdict, const json_t *json)
{
	const json_t *passed = smartValueAt(json, "smart_status", "passed");
	const json_t *supported =
		smartValueAt(json, "smart_support", "available");

	if (json_is_false(passed))
		smartAddReason(verdict, STATE_FAILING,
			       "the SMART health test failed");
	else if (json_is_false(supported))
		smartAddReason(verdict, STATE_UNAVAILABLE,
			       "SMART is not supported");
	else if (!json_is_true(passed) && verdict->state < STATE_UNAVAILABLE)
		smartAddReason(verdict, STATE_UNAVAILABLE,
			       "the health status is not available");
}

static json_t *smartNumberAt(const json_t *json, const char *a, const char *b)
{
	const json_t *number = smartValueAt(json, a, b);

	return json_is_number(number) ? json_deep_copy(number) : json_null();
}

static const char *failure(int error)
{
	switch (error) {
	case -ETIMEDOUT:
		return "smartctl does not respond";
	case -EFBIG:
		return "output of smartctl exceeds the size limit";
	default:
		return g_strerror(-error);
	}
}

static json_t *smartDescribe(const char *name, struct verdict *verdict,
			     int status, const json_t *json)
{
	return json_pack("{sossso so so so so so}", "name", nodeJsonText(name),
			 "state", stateWords[verdict->state], "reasons",
			 verdict->reasons, "bits", nodeJsonCount(status),
			 "temperature_celsius",
			 smartNumberAt(json, "temperature", "current"), "model",
			 nodeJsonText(json_string_value(
				 smartValueAt(json, "model_name", NULL))),
			 "serial",
			 nodeJsonText(json_string_value(
				 smartValueAt(json, "serial_number", NULL))),
			 "power_on_hours",
			 smartNumberAt(json, "power_on_time", "hours"));
}

json_t *nodeSmartAsk(const char *smartctl, const char *name, int wakeFd,
		     int64_t limitNs, pid_t *left)
{
	char *device = g_strconcat("/dev/", name, NULL);
	const char *const arguments[] = { "smartctl",     "--json=c",
					  "--info",       "--health",
					  "--attributes", "--nocheck=standby",
					  device,         NULL };
	struct verdict verdict = { STATE_OK, json_array() };
	struct nodeChildResult result = { -1, NULL, 0 };
	json_t *json = NULL, *all;
	int ret = nodeChildRun(smartctl, arguments, wakeFd, limitNs, OUTPUT_MAX,
			       left, &result);

	if (ret == 0)
		json = json_loadb(result.output, result.length, 0, NULL);
	if (ret < 0)
		smartAddReason(&verdict, STATE_UNKNOWN, failure(ret));
	else if (result.status < 0)
		smartAddReason(&verdict, STATE_UNKNOWN,
			       "smartctl was killed by a signal");
	else if (!json_is_object(json))
		smartAddReason(&verdict, STATE_UNKNOWN,
			       "output of smartctl is not JSON");
	if (json_is_object(json) && result.status >= 0) {
		judgeBits(&verdict, result.status, json);
		judgeText(&verdict, json);
	}
	all = smartDescribe(name, &verdict, result.status, json);
	json_decref(json);
	g_free(result.output);
	g_free(device);
	return all;
}
