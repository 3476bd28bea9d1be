/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a node; see rules.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "NodeStatus/local/rules.h"
#include "common/ini.h"

/* Limits of [Node]. */
#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 3600
#define HEALTH_MIN 1
#define HEALTH_MAX 86400
#define HOLD_MAX 86400

const char nodeRulesBuiltIn[] =
#include "NodeStatus/local/rulestext.h"
	;

struct reader {
	GString *errors;
	struct nodeRules *rules;
};

static void nodeRulesReport(void *context, long line, const char *text)
{
	struct reader *reader = context;

	g_string_append_printf(reader->errors, "%ld: %s\n", line, text);
}

#define WRONG(reader, line, ...) \
	hdIniSay(nodeRulesReport, reader, line, __VA_ARGS__)

static void nodeRulesReadNode(const struct hdIniSection *section, void *context)
{
	static const struct hdIniField fields[] = {
		{ "interval", HD_INI_NUMBER,
		  offsetof(struct nodeRules, intervalS), INTERVAL_MIN,
		  INTERVAL_MAX, 0, false },
		{ "health_interval", HD_INI_NUMBER,
		  offsetof(struct nodeRules, healthIntervalS), HEALTH_MIN,
		  HEALTH_MAX, 0, false },
		{ .name = NULL }
	};
	const struct reader *reader = context;

	hdIniTake(section, fields, reader->rules, nodeRulesReport, context);
}

static bool nodeRulesIsName(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length < NODE_RULE_NAME_MAX &&
	       strspn(text,
		      "abcdefghijklmnopqrstuvwxyz"
		      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length;
}

static void readName(struct reader *reader, const struct hdIniKey *key,
		     struct nodeRule *rule)
{
	if (!nodeRulesIsName(key->value)) {
		WRONG(reader, key->line,
		      "name: invalid name; use at most %d letters, digits, "
		      "\"-\", \"_\" and \".\"",
		      NODE_RULE_NAME_MAX - 1);
		return;
	}
	for (size_t i = 0; i < reader->rules->count; i++)
		if (strcmp(reader->rules->list[i].name, key->value) == 0)
			WRONG(reader, key->line, "duplicate alarm \"%s\"",
			      key->value);
	g_strlcpy(rule->name, key->value, sizeof(rule->name));
}

static void readMetric(struct reader *reader, const struct hdIniKey *key,
		       struct nodeRule *rule)
{
	rule->metric = nodeMetricFind(key->value);
	if (rule->metric == NODE_METRIC_COUNT)
		WRONG(reader, key->line, "unknown metric \"%s\"", key->value);
}

static void readComparator(struct reader *reader, const struct hdIniKey *key,
			   struct nodeRule *rule)
{
	rule->isAbove = strcmp(key->value, "above") == 0;
	if (!rule->isAbove && strcmp(key->value, "below") != 0)
		WRONG(reader, key->line,
		      "comparator: invalid value \"%s\"; expected above or "
		      "below",
		      key->value);
}

static void readAlarm(const struct hdIniSection *section, void *context)
{
	static const struct hdIniField fields[] = {
		{ .name = "name", .isNeeded = true },
		{ .name = "metric", .isNeeded = true },
		{ .name = "comparator", .isNeeded = true },
		{ "threshold", HD_INI_NUMBER,
		  offsetof(struct nodeRule, threshold), 0, 0, 0, true },
		{ "hold", HD_INI_NUMBER, offsetof(struct nodeRule, holdS), 0,
		  HOLD_MAX, 0, false },
		{ "hysteresis", HD_INI_NUMBER,
		  offsetof(struct nodeRule, hysteresis), 0, INFINITY, 0,
		  false },
		{ .name = NULL }
	};
	static void (*const reads[])(struct reader *, const struct hdIniKey *,
				     struct nodeRule *) = {
		readName,
		readMetric,
		readComparator,
	};
	struct reader *reader = context;
	struct nodeRules *rules = reader->rules;
	struct nodeRule rule = { .metric = NODE_METRIC_COUNT };

	if (rules->count == NODE_RULES_MAX) {
		WRONG(reader, section->line, "too many alarms; the limit is %d",
		      NODE_RULES_MAX);
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(reads); i++) {
		const struct hdIniKey *key = hdIniFind(section, fields[i].name);

		if (key)
			reads[i](reader, key, &rule);
	}
	hdIniTake(section, fields, &rule, nodeRulesReport, reader);
	rules->list = g_renew(struct nodeRule, rules->list, rules->count + 1);
	rules->list[rules->count++] = rule;
}

int nodeRulesParse(const char *ini, size_t length, struct nodeRules *rules,
		   char **error)
{
	static const struct hdIniPart parts[] = {
		{ "Node", false, true, nodeRulesReadNode },
		{ "Alarm", false, false, readAlarm },
		{ .name = NULL }
	};
	struct reader reader = { g_string_new(NULL), rules };
	struct hdIni parsed;
	int ret;

	*error = NULL;
	*rules = (struct nodeRules){ .intervalS = 1, .healthIntervalS = 60 };
	if (length > HD_INI_MAX) {
		WRONG(&reader, 1, "the configuration exceeds %d bytes",
		      HD_INI_MAX);
		ret = 0;
		parsed = (struct hdIni){ 0 };
	} else {
		ret = hdIniParse(ini, length, nodeRulesReport, &reader,
				 &parsed);
	}
	if (ret == 0) {
		hdIniSections(&parsed, parts, "[Node] or [Alarm]",
			      nodeRulesReport, &reader);
		hdIniClear(&parsed);
	}
	if (ret == 0 && reader.errors->len > 0) {
		ret = -EINVAL;
		*error = strdup(reader.errors->str);
	}
	g_string_free(reader.errors, TRUE);
	if (ret == 0)
		rules->ini = g_strndup(ini, length);
	else
		nodeRulesClear(rules);
	return ret;
}

void nodeRulesClear(struct nodeRules *rules)
{
	g_free(rules->list);
	g_free(rules->ini);
	*rules = (struct nodeRules){ 0 };
}

const char *nodeRuleComparator(const struct nodeRule *rule)
{
	return rule->isAbove ? "above" : "below";
}
