/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which service, and what of it; see where.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/client/where.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"

/* ---- Options ----------------------------------------------------------- */

const struct cliOldLetter whereOldLetters[] = {
	{ 's', "server", NULL }, { 'v', "values", NULL },
	{ 'l', "lines", NULL },  { 'a', "anyway", NULL },
	{ 'j', "json", NULL },   { '\0', NULL, NULL },
};

/* ---- The server -------------------------------------------------------- */

/* Take a variable where the option is not given. */
static void takeVariable(char **option, const char *name)
{
	const char *value = g_getenv(name);

	if (!*option && value && *value)
		*option = g_strdup(value);
}

gboolean whereParse(const char *tool, struct where *where)
{
	takeVariable(&where->server, "HDTRACE_PT_SERVER");
	takeVariable(&where->token, "HDTRACE_PT_TOKEN");
	takeVariable(&where->user, "HDTRACE_PT_USER");
	takeVariable(&where->ca, "HDTRACE_PT_CA");
	takeVariable(&where->fingerprint, "HDTRACE_PT_FINGERPRINT");
	where->setup.user = where->user;
	where->setup.tokenFile = where->token;
	where->setup.caFile = where->ca;
	where->setup.fingerprint = where->fingerprint;
	where->setup.isEncrypted =
		where->isEncrypted || where->ca || where->fingerprint;
	if (ptRemoteParse(where->server, &where->setup.address) == 0)
		return TRUE;
	outSay(stderr, "%s: " CLI_TEXT_VALUE, tool, "server", where->server,
	       "HOST[:PORT] or unix:/PATH");
	return FALSE;
}

/* ---- The selections --------------------------------------------------------
 */

/* Take "a,b" apart; FALSE if a name is empty or there twice. */
static gboolean whereSplitList(const char *text, GPtrArray *list)
{
	char **names = g_strsplit(text, ",", -1);
	gboolean isGood = names[0] != NULL;

	for (size_t i = 0; isGood && names[i]; i++) {
		isGood = *names[i] &&
			 !g_ptr_array_find_with_equal_func(list, names[i],
							   g_str_equal, NULL);
		g_ptr_array_add(list, g_strdup(names[i]));
	}
	g_strfreev(names);
	return isGood;
}

static void makeWishes(struct where *where)
{
	g_array_set_size(where->selections, 0);
	for (guint i = 0; i < where->nodeList->len; i++) {
		for (guint k = 0; k < where->valueList->len; k++) {
			const struct ptSelection selection = {
				.device = where->device,
				.node = where->nodeList->pdata[i],
				.value = where->valueList->pdata[k],
			};

			g_array_append_val(where->selections, selection);
		}
	}
}

gboolean whereWish(const char *tool, struct where *where)
{
	where->nodeList = g_ptr_array_new_with_free_func(g_free);
	where->valueList = g_ptr_array_new_with_free_func(g_free);
	where->selections =
		g_array_new(FALSE, FALSE, sizeof(struct ptSelection));
	if (!whereSplitList(where->nodes ? where->nodes : g_get_host_name(),
			    where->nodeList) ||
	    !whereSplitList(where->values ? where->values : "P",
			    where->valueList)) {
		fprintf(stderr,
			"%s: --nodes, --values: invalid list; use different "
			"names, separated by commas\n",
			tool);
		return FALSE;
	}
	makeWishes(where);
	if (where->selections->len <= PT_WIRE_SELECTIONS_MAX)
		return TRUE;
	fprintf(stderr, "%s: too many values of nodes; the limit is %d\n", tool,
		PT_WIRE_SELECTIONS_MAX);
	return FALSE;
}

/* ---- What there is ----------------------------------------------------- */

/* A service may know this host with its domain, or without. */
static void findHost(struct where *where, const struct ptListed *listed)
{
	const char *name = where->nodeList->pdata[0];

	if (where->nodes || ptListedHasNode(listed, name))
		return;
	for (size_t i = 0; i < listed->count; i++) {
		for (size_t k = 0; k < listed->devices[i].lineCount; k++) {
			const char *node = listed->devices[i].lines[k].node;

			if (!ptConfigIsSameHost(node, name))
				continue;
			g_free(where->nodeList->pdata[0]);
			where->nodeList->pdata[0] = g_strdup(node);
			makeWishes(where);
			return;
		}
	}
}

static int hasDevice(const struct where *where, const struct ptListed *listed)
{
	for (size_t i = 0; where->device && i < listed->count; i++)
		if (strcmp(listed->devices[i].name, where->device) == 0)
			return 0;
	if (!where->device)
		return 0;
	ptMessage(HD_LOG_ERROR, "%s: unknown device %s",
		  where->setup.address.text, where->device);
	return -ENOENT;
}

/* Whether a selection can be fulfilled; says what there is if not. */
static int hasWish(const struct where *where, const struct ptListed *listed,
		   const struct ptSelection *selection)
{
	char *names;

	if (strcmp(selection->node, "*") == 0)
		return 0;
	if (!ptListedHasNode(listed, selection->node)) {
		names = ptListedNodes(listed);
		ptMessage(HD_LOG_ERROR, "%s: unknown node %s%s%s%s",
			  where->setup.address.text, selection->node,
			  *names ? "; known nodes: " : "", names,
			  where->nodes ? "" : "; select one with --nodes");
	} else if (strcmp(selection->value, "*") != 0 &&
		   !ptListedHasValue(listed, selection->node,
				     selection->value)) {
		names = ptListedValues(listed, selection->node);
		ptMessage(HD_LOG_ERROR,
			  "%s: node %s: unknown value %s; known values: %s",
			  where->setup.address.text, selection->node,
			  selection->value, names);
	} else {
		return 0;
	}
	g_free(names);
	return -ENOENT;
}

int whereCheck(struct where *where)
{
	struct ptRemote *remote;
	struct ptListed *listed = NULL;
	int ret = ptRemoteOpen(&where->setup, -1, &remote);

	if (ret < 0)
		return ret;
	ret = ptRemoteList(remote, &listed);
	ptRemoteClose(remote);
	if (ret < 0)
		return ret;
	findHost(where, listed);
	ret = hasDevice(where, listed);
	for (guint i = 0; ret == 0 && i < where->selections->len; i++)
		ret = hasWish(where, listed,
			      &g_array_index(where->selections,
					     struct ptSelection, i));
	ptListedFree(listed);
	return ret;
}

gboolean whereIsService(const struct where *where)
{
	const struct ptRemoteAddress *address = &where->setup.address;
	int64_t deadline = hdMonotonicNow() + PT_REMOTE_PATIENCE_NS;
	const char *why;
	int fd, ret;

	if (where->server || where->token || where->user || where->nodes ||
	    where->values || where->device || where->setup.isEncrypted)
		return TRUE;
	ret = address->isPath
		      ? hdNetConnectPath(address->host, -1, deadline, &fd)
		      : hdNetConnect(address->host, address->port, -1, deadline,
				     &fd, &why);
	if (ret < 0)
		return FALSE;
	close(fd);
	return TRUE;
}

void whereClear(struct where *where)
{
	g_free(where->server);
	g_free(where->token);
	g_free(where->user);
	g_free(where->ca);
	g_free(where->fingerprint);
	g_free(where->nodes);
	g_free(where->values);
	g_free(where->device);
	if (where->nodeList)
		g_ptr_array_free(where->nodeList, TRUE);
	if (where->valueList)
		g_ptr_array_free(where->valueList, TRUE);
	if (where->selections)
		g_array_free(where->selections, TRUE);
}
