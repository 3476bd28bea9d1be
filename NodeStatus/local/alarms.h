/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Alarms: rules over time. Looking at one changes nothing.
 *
 * An alarm is raised when its metric has been beyond the threshold for as long
 * as the rule holds, in all samples of that time, and stays raised until the
 * metric has gone back by the hysteresis. Without a value it is unknown; with
 * one again, an alarm that was raised is raised unless the metric has gone back
 * meanwhile, and the time of one that was not begins anew: it stays unknown
 * while the metric is beyond the threshold, and says "ok" with the first value
 * that is not.
 */
#ifndef HD_NODE_ALARMS_H
#define HD_NODE_ALARMS_H

#include <stdint.h>

#include "NodeStatus/local/rules.h"

/** What an alarm says. */
enum nodeAlarmState {
	NODE_ALARM_OK,
	NODE_ALARM_RAISED,
	NODE_ALARM_UNKNOWN,
};

/** An alarm; begins as { .state = NODE_ALARM_UNKNOWN }. */
struct nodeAlarm {
	enum nodeAlarmState state;
	double value;     /**< As last seen; NaN for none. */
	int64_t changeNs; /**< When the state changed, wall clock. */
	bool isLatched;   /**< It was raised, and has not gone back since. */
	bool isPending;   /**< Beyond the threshold, since this time: */
	int64_t beyondNs;
};

/** The word of a state. */
const char *nodeAlarmWord(enum nodeAlarmState state);

/**
 * Take a value.
 *
 * @param value NaN for none.
 * @param nowNs Monotonic time.
 * @param wallNs Wall clock.
 */
void nodeAlarmTake(struct nodeAlarm *alarm, const struct nodeRule *rule,
		   double value, int64_t nowNs, int64_t wallNs);

#endif
