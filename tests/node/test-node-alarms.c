/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* F10: alarms, as tables of what comes and what they say; F11: configurations,
 * right and wrong. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "NodeStatus/local/alarms.h"
#include "NodeStatus/local/rules.h"

#define SECOND INT64_C(1000000000)

/* A second of values, and the letters of the states: O, R, U. */
struct story {
	const char *name;
	struct nodeRule rule;
	const char *states;
	double values[16];
};

#define NONE NAN

static const struct story stories[] = {
	{ "at once",
	  { .isAbove = true, .threshold = 0 },
	  "OORRO",
	  { 0, -1, 1, 2, 0 } },
	{ "the threshold itself is not beyond",
	  { .isAbove = true, .threshold = 5 },
	  "OORO",
	  { 5, 4, 5.1, 5 } },
	{ "below",
	  { .isAbove = false, .threshold = 5, .hysteresis = 2 },
	  "OORRRO",
	  { 9, 5, 4, 6, 6.9, 7 } },
	{ "held for three seconds",
	  { .isAbove = true, .threshold = 10, .holdS = 3 },
	  "OOOORRO",
	  { 9, 11, 12, 13, 11, 11, 10 } },
	{ "too short, again and again",
	  { .isAbove = true, .threshold = 10, .holdS = 2 },
	  "UUOOOOOO",
	  { 11, 12, 9, 11, 12, 10, 11, 12 } },
	{ "no flapping about the threshold",
	  { .isAbove = true, .threshold = 10, .hysteresis = 4 },
	  "RRRRRROO",
	  { 11, 9, 11, 9, 7, 6.5, 6, 9 } },
	{ "without a value",
	  { .isAbove = true, .threshold = 10, .holdS = 2 },
	  "UUOUOO",
	  { NONE, NONE, 1, NONE, 1, 1 } },
	{ "missing while it is held: the time begins anew",
	  { .isAbove = true, .threshold = 10, .holdS = 2 },
	  "UUUUUR",
	  { 11, 11, NONE, 11, 11, 11 } },
	{ "missing while it is raised: raised again, or not",
	  { .isAbove = true, .threshold = 10, .hysteresis = 5, .holdS = 1 },
	  "URURRUO",
	  { 11, 11, NONE, 11, 9, NONE, 5 } },
	{ "infinite is no value",
	  { .isAbove = true, .threshold = 10 },
	  "UU",
	  { INFINITY, -INFINITY } },
};

static char letterOf(enum nodeAlarmState state)
{
	return "ORU"[state];
}

static void testStory(gconstpointer data)
{
	const struct story *story = data;
	struct nodeAlarm alarm = { .state = NODE_ALARM_UNKNOWN };
	char found[16] = "";
	int64_t change = 0;

	for (size_t i = 0; story->states[i]; i++) {
		int64_t now = (int64_t)(i + 1) * SECOND;
		enum nodeAlarmState before = alarm.state;

		nodeAlarmTake(&alarm, &story->rule, story->values[i], now,
			      1000 * SECOND + now);
		found[i] = letterOf(alarm.state);
		if (i == 0 || alarm.state != before)
			change = 1000 * SECOND + now;
		g_assert_cmpint(alarm.changeNs, ==, change);
	}
	g_assert_cmpstr(found, ==, story->states);
}

/* Samples that come late: it is time that counts, not their number. */
static void testLate(void)
{
	const struct nodeRule rule = { .isAbove = true,
				       .threshold = 1,
				       .holdS = 10 };
	struct nodeAlarm alarm = { .state = NODE_ALARM_UNKNOWN };

	nodeAlarmTake(&alarm, &rule, 2, SECOND, SECOND);
	nodeAlarmTake(&alarm, &rule, 2, 10 * SECOND, SECOND);
	g_assert_cmpint(alarm.state, ==, NODE_ALARM_UNKNOWN);
	nodeAlarmTake(&alarm, &rule, 2, 11 * SECOND, SECOND);
	g_assert_cmpint(alarm.state, ==, NODE_ALARM_RAISED);
}

/* ---- F11 --------------------------------------------------------------- */

static void parses(const char *ini, struct nodeRules *rules)
{
	char *error;
	int ret = nodeRulesParse(ini, strlen(ini), rules, &error);

	g_test_message("%s", error ? error : "-");
	g_assert_cmpint(ret, ==, 0);
	g_assert_null(error);
}

static void testBuiltIn(void)
{
	static const char *const names[] = {
		"thrashing",  "low-memory",       "low-disk",
		"hot-cpu",    "smart-failing",    "memory-errors",
		"under-used", "missed-deadlines",
	};
	struct nodeRules rules;

	parses(nodeRulesBuiltIn, &rules);
	g_assert_cmpuint(rules.count, ==, G_N_ELEMENTS(names));
	for (size_t i = 0; i < rules.count; i++)
		g_assert_cmpstr(rules.list[i].name, ==, names[i]);
	g_assert_cmpint(rules.list[0].metric, ==,
			NODE_swap_thrashing_bytes_per_s);
	g_assert_cmpfloat(rules.list[0].threshold, ==, 1048576);
	g_assert_cmpfloat(rules.list[0].holdS, ==, 10);
	g_assert_cmpfloat(rules.intervalS, ==, 1);
	g_assert_cmpstr(rules.ini, ==, nodeRulesBuiltIn);
	nodeRulesClear(&rules);
	/* Nothing is a configuration, too: no alarms. */
	parses("", &rules);
	g_assert_cmpuint(rules.count, ==, 0);
	g_assert_cmpfloat(rules.healthIntervalS, ==, 60);
	nodeRulesClear(&rules);
}

#define GOOD                                                       \
	"[Alarm]\nname = a\nmetric = load_1\ncomparator = above\n" \
	"threshold = 3\n"

/* All that is wrong, each with its line. */
static const struct {
	const char *ini, *error;
} wrongs[] = {
	{ "[Alarm]\nname = a\n", "1: [Alarm]: missing key metric=\n"
				 "1: [Alarm]: missing key comparator=\n"
				 "1: [Alarm]: missing key threshold=\n" },
	{ "[Alarms]\n",
	  "1: unknown section [Alarms]; expected [Node] or [Alarm]\n" },
	{ "name = a\n", "1: key before the first [Section]\n" },
	{ GOOD GOOD, "7: duplicate alarm \"a\"\n" },
	{ GOOD "treshold = 3\n",
	  "6: unknown key \"treshold\" in [Alarm]; expected one of name, "
	  "metric, comparator, threshold, hold, hysteresis\n" },
	{ GOOD "hold = soon\n",
	  "6: hold=soon: invalid number; expected 0 to 86400\n" },
	{ GOOD "hold = 3 s\n",
	  "6: hold=3 s: invalid number; expected 0 to 86400\n" },
	{ GOOD "hold = -1\n",
	  "6: hold=-1: invalid number; expected 0 to 86400\n" },
	{ GOOD "hold = nan\n",
	  "6: hold=nan: invalid number; expected 0 to 86400\n" },
	{ GOOD "hysteresis = 1e999\n",
	  "6: hysteresis=1e999: invalid number; expected at least 0\n" },
	{ "[Alarm]\nname = a b\nmetric = load\ncomparator = >\nthreshold = 1\n",
	  "2: name: invalid name; use at most 63 letters, digits, \"-\", "
	  "\"_\" and \".\"\n"
	  "3: unknown metric \"load\"\n"
	  "4: comparator: invalid value \">\"; expected above or below\n" },
	{ "[Node]\ninterval = 0\nhealth_interval = 0.5\n[Node]\n",
	  "4: duplicate section [Node]; the first one is in line 1\n"
	  "2: interval=0: invalid number; expected 0.1 to 3600\n"
	  "3: health_interval=0.5: invalid number; expected 1 to 86400\n" },
	{ "[Node\n", "1: invalid section; expected [Name]\n" },
};

static void testWrong(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wrongs); i++) {
		struct nodeRules rules;
		char *error;

		g_assert_cmpint(nodeRulesParse(wrongs[i].ini,
					       strlen(wrongs[i].ini), &rules,
					       &error),
				==, -EINVAL);
		g_assert_cmpstr(error, ==, wrongs[i].error);
		free(error);
	}
}

static void testTooMuch(void)
{
	GString *ini = g_string_new(NULL);
	struct nodeRules rules;
	char *error;

	for (int i = 0; i <= NODE_RULES_MAX; i++)
		g_string_append_printf(ini,
				       "[Alarm]\nname = a%d\nmetric = load_1\n"
				       "comparator = above\nthreshold = 1\n",
				       i);
	g_assert_cmpint(nodeRulesParse(ini->str, ini->len, &rules, &error), ==,
			-EINVAL);
	g_assert_cmpstr(error, ==, "1281: too many alarms; the limit is 256\n");
	free(error);
	while (ini->len <= 1024 * 1024)
		g_string_append(ini,
				"# as much as a file may have, and more\n");
	g_assert_cmpint(nodeRulesParse(ini->str, ini->len, &rules, &error), ==,
			-EINVAL);
	g_assert_cmpstr(error, ==,
			"1: the configuration exceeds 1048576 bytes\n");
	free(error);
	/* A byte that is none of a text. */
	g_assert_cmpint(nodeRulesParse("[Node]\n\0", 8, &rules, &error), ==,
			-EINVAL);
	free(error);
	g_string_free(ini, TRUE);
}

/* Every name of a metric is found, and Prometheus can have it. */
static void testMetrics(void)
{
	for (unsigned int i = 0; i < NODE_METRIC_COUNT; i++) {
		const struct nodeMetricInfo *info = &nodeMetrics[i];

		g_assert_cmpint(nodeMetricFind(info->name), ==, i);
		g_assert_true(g_str_has_suffix(info->prometheus, info->unit));
		g_assert_cmpuint(
			strspn(info->prometheus,
			       "abcdefghijklmnopqrstuvwxyz_0123456789"),
			==, strlen(info->prometheus));
		g_assert_cmpuint(strlen(info->help), >, 5);
	}
	g_assert_cmpint(nodeMetricFind("no"), ==, NODE_METRIC_COUNT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(stories); i++) {
		char *path = g_strconcat("/node-alarms/story/", stories[i].name,
					 NULL);

		g_test_add_data_func(path, &stories[i], testStory);
		g_free(path);
	}
	g_test_add_func("/node-alarms/late sample", testLate);
	g_test_add_func("/node-alarms/every metric has a name for Prometheus",
			testMetrics);
	g_test_add_func("/node-rules/built-in rules equal hdnode.conf",
			testBuiltIn);
	g_test_add_func("/node-rules/every error with its line", testWrong);
	g_test_add_func("/node-rules/size limits", testTooMuch);
	return g_test_run();
}
