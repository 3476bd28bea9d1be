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
	bool hasNode;
};

static void nodeRulesReport(void *context, long line, const char *text)
{
	struct reader *reader = context;

	g_string_append_printf(reader->errors, "%ld: %s\n", line, text);
}

static void wrong(struct reader *reader, long line, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

static void wrong(struct reader *reader, long line, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	nodeRulesReport(reader, line, text);
	g_free(text);
}

/* A number within limits; without the key it stays as it was. */
static void nodeRulesReadNumber(struct reader *reader,
				const struct hdIniSection *section,
				const char *name, double min, double max,
				double *value)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	double number;
	char *end;

	if (!key)
		return;
	number = g_ascii_strtod(key->value, &end);
	if (end == key->value || *end || !isfinite(number))
		wrong(reader, key->line, "%s: invalid number \"%s\"", name,
		      key->value);
	else if (number < min || number > max)
		wrong(reader, key->line,
		      "%s: %s is out of range; expected %g to %g", name,
		      key->value, min, max);
	else
		*value = number;
}

/* Every key must be one of those that a section has. */
static void checkKeys(struct reader *reader, const struct hdIniSection *section,
		      const char *const *known)
{
	for (size_t i = 0; i < section->count; i++) {
		const struct hdIniKey *key = &section->keys[i];

		if (!g_strv_contains(known, key->name))
			wrong(reader, key->line, "[%s]: unknown key \"%s\"",
			      section->name, key->name);
	}
}

static void nodeRulesReadNode(struct reader *reader,
			      const struct hdIniSection *section)
{
	static const char *const known[] = { "interval", "health_interval",
					     NULL };

	checkKeys(reader, section, known);
	if (reader->hasNode)
		wrong(reader, section->line, "duplicate section [Node]");
	reader->hasNode = true;
	nodeRulesReadNumber(reader, section, "interval", INTERVAL_MIN,
			    INTERVAL_MAX, &reader->rules->intervalS);
	nodeRulesReadNumber(reader, section, "health_interval", HEALTH_MIN,
			    HEALTH_MAX, &reader->rules->healthIntervalS);
}

/* The value of a key that must be there, or NULL after a message. */
static const struct hdIniKey *nodeRulesNeedKey(
	struct reader *reader, const struct hdIniSection *section,
	const char *name)
{
	const struct hdIniKey *key = hdIniFind(section, name);

	if (!key)
		wrong(reader, section->line, "missing key \"%s\" in [Alarm]",
		      name);
	return key;
}

static bool nodeRulesIsName(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length < NODE_RULE_NAME_MAX &&
	       strspn(text,
		      "abcdefghijklmnopqrstuvwxyz"
		      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length;
}

static void readName(struct reader *reader, const struct hdIniSection *section,
		     struct nodeRule *rule)
{
	const struct hdIniKey *key = nodeRulesNeedKey(reader, section, "name");

	if (!key)
		return;
	if (!nodeRulesIsName(key->value)) {
		wrong(reader, key->line,
		      "name: invalid name; use at most %d letters, digits, "
		      "\"-\", \"_\" and \".\"",
		      NODE_RULE_NAME_MAX - 1);
		return;
	}
	for (size_t i = 0; i < reader->rules->count; i++)
		if (strcmp(reader->rules->list[i].name, key->value) == 0)
			wrong(reader, key->line, "duplicate alarm \"%s\"",
			      key->value);
	g_strlcpy(rule->name, key->value, sizeof(rule->name));
}

static void readMetric(struct reader *reader,
		       const struct hdIniSection *section,
		       struct nodeRule *rule)
{
	const struct hdIniKey *key =
		nodeRulesNeedKey(reader, section, "metric");

	if (!key)
		return;
	rule->metric = nodeMetricFind(key->value);
	if (rule->metric == NODE_METRIC_COUNT)
		wrong(reader, key->line, "unknown metric \"%s\"", key->value);
}

static void readComparator(struct reader *reader,
			   const struct hdIniSection *section,
			   struct nodeRule *rule)
{
	const struct hdIniKey *key =
		nodeRulesNeedKey(reader, section, "comparator");

	if (!key)
		return;
	rule->isAbove = strcmp(key->value, "above") == 0;
	if (!rule->isAbove && strcmp(key->value, "below") != 0)
		wrong(reader, key->line,
		      "comparator: invalid value \"%s\"; expected above or "
		      "below",
		      key->value);
}

static void readAlarm(struct reader *reader, const struct hdIniSection *section)
{
	static const char *const known[] = {
		"name", "metric",     "comparator", "threshold",
		"hold", "hysteresis", NULL,
	};
	struct nodeRules *rules = reader->rules;
	struct nodeRule rule = { .metric = NODE_METRIC_COUNT };

	if (rules->count == NODE_RULES_MAX) {
		wrong(reader, section->line, "too many alarms; the limit is %d",
		      NODE_RULES_MAX);
		return;
	}
	checkKeys(reader, section, known);
	readName(reader, section, &rule);
	readMetric(reader, section, &rule);
	readComparator(reader, section, &rule);
	if (nodeRulesNeedKey(reader, section, "threshold"))
		nodeRulesReadNumber(reader, section, "threshold", -1e300, 1e300,
				    &rule.threshold);
	nodeRulesReadNumber(reader, section, "hold", 0, HOLD_MAX, &rule.holdS);
	nodeRulesReadNumber(reader, section, "hysteresis", 0, 1e300,
			    &rule.hysteresis);
	rules->list = g_renew(struct nodeRule, rules->list, rules->count + 1);
	rules->list[rules->count++] = rule;
}

int nodeRulesParse(const char *ini, size_t length, struct nodeRules *rules,
		   char **error)
{
	struct reader reader = { g_string_new(NULL), rules, false };
	struct hdIni parsed;
	int ret;

	*error = NULL;
	*rules = (struct nodeRules){ .intervalS = 1, .healthIntervalS = 60 };
	if (length > HD_INI_MAX) {
		wrong(&reader, 1, "the configuration exceeds %d bytes",
		      HD_INI_MAX);
		ret = 0;
		parsed = (struct hdIni){ 0 };
	} else {
		ret = hdIniParse(ini, length, nodeRulesReport, &reader,
				 &parsed);
	}
	for (size_t i = 0; ret == 0 && i < parsed.count; i++) {
		const struct hdIniSection *section = &parsed.sections[i];

		if (strcmp(section->name, "Node") == 0)
			nodeRulesReadNode(&reader, section);
		else if (strcmp(section->name, "Alarm") == 0)
			readAlarm(&reader, section);
		else
			wrong(&reader, section->line, "unknown section [%s]",
			      section->name);
	}
	if (ret == 0)
		hdIniClear(&parsed);
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
