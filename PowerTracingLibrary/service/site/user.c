/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The [User] sections of the configuration of a service. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/site/parse.h"
#include "common/number.h"

static const char *const userKeys[] = { "name", "nodes", "rate", NULL };

static void userName(struct ptParse *parse, const struct ptSite *site,
		     struct ptSiteUser *user, const struct hdIniKey *key)
{
	user->name = key->value;
	if (strcmp(key->value, "*") != 0)
		ptSiteCheckName(parse, key, key->value);
	for (size_t i = 0; i + 1 < site->userCount; i++)
		if (strcmp(site->users[i].name, user->name) == 0)
			ptParseFail(parse, key, "name=%.60s: duplicate user",
				    user->name);
}

/* Whether a pattern matches a node: only a star at its end is special. */
static bool userMatches(const char *pattern, const char *node)
{
	size_t length = strlen(pattern);

	if (length > 0 && pattern[length - 1] == '*')
		return strncmp(pattern, node, length - 1) == 0;
	return strcmp(pattern, node) == 0;
}

/* A node that nothing measures is a slip of the pen. */
static bool userNodeIsThere(const struct ptSite *site, const char *pattern)
{
	for (size_t i = 0; i < site->deviceCount; i++) {
		const struct ptSiteDevice *device = &site->devices[i];

		for (size_t j = 0; j < device->lineCount; j++)
			if (userMatches(pattern, device->lines[j].node))
				return true;
	}
	return strcmp(pattern, "*") == 0;
}

static void userNodes(struct ptParse *parse, const struct ptSite *site,
		      struct ptSiteUser *user, const struct hdIniKey *key)
{
	user->nodes = ptParseSplit(parse, key->value, ',', &user->nodeCount);
	if (!user->nodes)
		user->nodeCount = 0;
	for (size_t i = 0; i < user->nodeCount; i++)
		if (!userNodeIsThere(site, user->nodes[i]))
			ptParseFail(parse, key,
				    "nodes: no [Line] has the node \"%.60s\"",
				    user->nodes[i]);
}

static void userRate(struct ptParse *parse, struct ptSiteUser *user,
		     const struct hdIniKey *key)
{
	int ret = hdNumberParse(key->value, &user->rate);

	if (ret == -ENOMEM)
		parse->isOutOfMemory = true;
	else if (ret < 0 || !isfinite(user->rate) || user->rate <= 0)
		ptParseFail(parse, key,
			    "rate=%.60s: invalid rate; expected readings per "
			    "second, above 0",
			    key->value);
}

static void userRead(struct ptParse *parse, const struct ptSite *site,
		     struct ptSiteUser *user,
		     const struct hdIniSection *section)
{
	const struct hdIniKey *name = ptParseNeed(parse, section, "name"),
			      *nodes = ptParseNeed(parse, section, "nodes"),
			      *rate = hdIniFind(section, "rate");

	user->name = "";
	if (name)
		userName(parse, site, user, name);
	if (nodes)
		userNodes(parse, site, user, nodes);
	if (rate)
		userRate(parse, user, rate);
	ptParseUnknown(parse, section, userKeys, NULL);
}

/* Who gets metrics must be somebody. */
static void userMetrics(struct ptParse *parse, const struct ptSite *site)
{
	bool all;

	if (site->metricsUser &&
	    !ptSiteFindUser(site, site->metricsUser, &all) && !all)
		ptParseFailAt(parse, 0,
			      "metricsUser=%.60s: no [User] has this name",
			      site->metricsUser);
}

void ptSiteUsers(struct ptParse *parse, struct ptSite *site)
{
	const struct hdIni *ini = parse->ini;

	site->users = calloc(ini->count + 1, sizeof(*site->users));
	if (!ptParseGot(parse, site->users))
		return;
	for (size_t i = 0; i < ini->count; i++)
		if (strcmp(ini->sections[i].name, "User") == 0)
			userRead(parse, site, &site->users[site->userCount++],
				 &ini->sections[i]);
	userMetrics(parse, site);
}

const struct ptSiteUser *ptSiteFindUser(const struct ptSite *site,
					const char *name, bool *all)
{
	const struct ptSiteUser *found = NULL;

	*all = site->userCount == 0;
	for (size_t i = 0; i < site->userCount; i++) {
		const struct ptSiteUser *user = &site->users[i];

		if (strcmp(user->name, name ? name : "anonymous") == 0)
			return user;
		if (name && strcmp(user->name, "*") == 0)
			found = user;
	}
	return found;
}

bool ptSiteUserSees(const struct ptSiteUser *user, const char *node)
{
	for (size_t i = 0; i < user->nodeCount; i++)
		if (userMatches(user->nodes[i], node))
			return true;
	return false;
}
