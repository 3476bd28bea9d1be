/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode rules: the alarms of a configuration as alerting rules of Prometheus.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/command/hdnode.h"
#include "NodeStatus/local/rules.h"
#include "cli/output.h"

static const struct cliCommand command = {
	.name = "hdnode rules",
	.arguments = "[FILE]",
	.description =
		"Print the alarms of a configuration (hdnode.conf(5)), or "
		"those that are built in, as alerting rules of Prometheus: "
		"with the same thresholds, and held for as long.",
	.usageStatus = NODE_FAILED,
};

/* An alert that fires goes on until its value has gone back by the hysteresis.
 */
static void printRule(const struct nodeRule *rule)
{
	const struct nodeMetricInfo *metric = &nodeMetrics[rule->metric];
	const char *compare = rule->isAbove ? ">" : "<";
	double back = rule->isAbove ? rule->threshold - rule->hysteresis
				    : rule->threshold + rule->hysteresis;
	char threshold[OUT_NUMBER_SIZE], value[OUT_NUMBER_SIZE];

	printf("  - alert: \"%s\"\n    expr: >-\n      %s %s %s", rule->name,
	       metric->prometheus, compare,
	       outDouble(threshold, rule->threshold));
	if (rule->hysteresis > 0)
		printf("\n      or (%s %s %s\n      and on (node, instance) "
		       "ALERTS{alertname=\"%s\", alertstate=\"firing\"})",
		       metric->prometheus, compare, outDouble(value, back),
		       rule->name);
	printf("\n    for: %lldms\n    annotations:\n      summary: '{{ "
	       "$labels.node }}: %s is {{ $value }} %s'\n      description: "
	       "\"%s\"\n",
	       (long long)(rule->holdS * 1000), rule->name, metric->unit,
	       metric->help);
}

static void printRules(const struct nodeRules *rules)
{
	puts("# Made by hdnode rules of the alarms of hdnode.conf(5).\n"
	     "groups:\n- name: hdnode\n  rules:");
	for (size_t i = 0; i < rules->count; i++)
		printRule(&rules->list[i]);
	puts("  # The node does not say anything any more.\n"
	     "  - alert: \"node-silent\"\n    expr: up{job=\"hdnode\"} == 0\n"
	     "    for: 60s\n    annotations:\n      summary: '{{ "
	     "$labels.instance }} does not answer'");
}

int rulesRun(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	struct nodeRules rules = { 0 };
	GError *error = NULL;
	char *text = NULL, *wrong = NULL;
	const char *ini = nodeRulesBuiltIn;
	gsize length = strlen(ini);
	int status = cliParse(&command, lists, &argc, &argv);

	if (status >= 0)
		return status;
	if (argc > 2)
		return cliUsage(&command, "too many arguments: %s", argv[2]);
	if (argc == 2 &&
	    !g_file_get_contents(argv[1], &text, &length, &error)) {
		outSay(stderr, "%s: %s", command.name, error->message);
		g_error_free(error);
		return NODE_FAILED;
	}
	if (nodeRulesParse(text ? text : ini, length, &rules, &wrong) == 0) {
		printRules(&rules);
		nodeRulesClear(&rules);
		status = cliFinish(&command);
	} else {
		outSay(stderr, "%s: %s: %s", command.name,
		       argc == 2 ? argv[1] : "", wrong ? wrong : "no memory");
		status = NODE_FAILED;
	}
	free(wrong);
	g_free(text);
	return status;
}
