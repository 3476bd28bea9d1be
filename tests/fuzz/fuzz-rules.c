/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the configuration of hdnode, hdnode.conf, which also comes over
 * the network. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/local/rules.h"
#include "tests/fuzz/fuzz.h"

static void checkRules(const struct nodeRules *rules)
{
	must(rules->count <= NODE_RULES_MAX);
	must(isfinite(rules->intervalS) && rules->intervalS > 0);
	must(isfinite(rules->healthIntervalS) && rules->healthIntervalS > 0);
	for (size_t i = 0; i < rules->count; i++) {
		const struct nodeRule *rule = &rules->list[i];

		must(*rule->name &&
		     memchr(rule->name, '\0', sizeof(rule->name)));
		must(rule->metric < NODE_METRIC_COUNT);
		must(isfinite(rule->threshold) && isfinite(rule->holdS));
		must(rule->hysteresis >= 0 && rule->holdS >= 0);
		must(nodeRuleComparator(rule) != NULL);
		for (size_t k = 0; k < i; k++)
			must(strcmp(rules->list[k].name, rule->name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nodeRules rules, again;
	char *error = NULL;
	int ret = nodeRulesParse((const char *)data, size, &rules, &error);

	must(ret == 0 || ret == -EINVAL);
	must((ret == 0) == (error == NULL));
	free(error);
	if (ret < 0)
		return 0;
	checkRules(&rules);
	/* What is shown is what holds. */
	must(nodeRulesParse(rules.ini, strlen(rules.ini), &again, &error) == 0);
	must(again.count == rules.count);
	nodeRulesClear(&again);
	nodeRulesClear(&rules);
	return 0;
}
