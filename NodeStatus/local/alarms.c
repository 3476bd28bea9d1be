/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Alarms; see alarms.h. */
#include "config.h"

#include <math.h>

#include "NodeStatus/local/alarms.h"

const char *nodeAlarmWord(enum nodeAlarmState state)
{
	static const char *const words[] = {
		[NODE_ALARM_OK] = "ok",
		[NODE_ALARM_RAISED] = "raised",
		[NODE_ALARM_UNKNOWN] = "unknown",
	};

	return words[state];
}

static bool isBeyond(const struct nodeRule *rule, double value)
{
	return rule->isAbove ? value > rule->threshold
			     : value < rule->threshold;
}

static bool isBack(const struct nodeRule *rule, double value)
{
	return rule->isAbove ? value <= rule->threshold - rule->hysteresis
			     : value >= rule->threshold + rule->hysteresis;
}

/* What a value makes of an alarm. */
static enum nodeAlarmState alarmsNextState(struct nodeAlarm *alarm,
					   const struct nodeRule *rule,
					   double value, int64_t nowNs)
{
	if (!isfinite(value)) {
		alarm->isPending = false;
		return NODE_ALARM_UNKNOWN;
	}
	if (alarm->isLatched) {
		alarm->isLatched = !isBack(rule, value);
	} else if (!isBeyond(rule, value)) {
		alarm->isPending = false;
	} else {
		if (!alarm->isPending)
			alarm->beyondNs = nowNs;
		alarm->isPending = true;
		alarm->isLatched =
			(double)(nowNs - alarm->beyondNs) >= rule->holdS * 1e9;
	}
	if (alarm->isLatched)
		alarm->isPending = false;
	if (alarm->isLatched)
		return NODE_ALARM_RAISED;
	/* Who does not know yet does not say that all is well. */
	return alarm->isPending && alarm->state == NODE_ALARM_UNKNOWN
		       ? NODE_ALARM_UNKNOWN
		       : NODE_ALARM_OK;
}

void nodeAlarmTake(struct nodeAlarm *alarm, const struct nodeRule *rule,
		   double value, int64_t nowNs, int64_t wallNs)
{
	enum nodeAlarmState state = alarmsNextState(alarm, rule, value, nowNs);

	if (state != alarm->state || alarm->changeNs == 0)
		alarm->changeNs = wallNs;
	alarm->state = state;
	alarm->value = value;
}
