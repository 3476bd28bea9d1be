/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The platform of a replay with all links by themselves; see links.h. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/links.h"

/* Hosts at most: each pair has a route. */
#define FLAT_HOSTS 256

/* The name of the zone, and how names of ranks begin. */
#define FLAT_ZONE "hdpredict-flat"
#define FLAT_RANK "rank-"

/* Exit status of the process that writes it. */
enum flatStatus {
	FLAT_DONE,
	FLAT_LATE,
	FLAT_ALIKE,
};

/* A path may have this part more latency than its links. */
#define FLAT_LATENCY 1e-9

static void flatPutNumber(const char *before, double number, const char *after)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	printf("%s%s%s", before, g_ascii_dtostr(text, sizeof(text), number),
	       after);
}

static void flatPutText(const char *before, const char *text, const char *after)
{
	char *escaped = g_markup_escape_text(text, -1);

	printf("%s%s%s", before, escaped, after);
	g_free(escaped);
}

static void flatPutHost(const struct machineApi *api, const char *name)
{
	static const char *const keys[] = { "wattage_per_state",
					    "watt_per_state", "wattage_off",
					    "watt_off" };
	const void *host = api->byName(name);

	flatPutText("<host id=\"", name, "\" speed=\"");
	for (unsigned long i = 0; i < api->states(host); i++)
		flatPutNumber(i ? "," : "", api->speedOf(host, i), "f");
	printf("\" pstate=\"%lu\" core=\"%d\">", api->pstate(host),
	       api->cores(host));
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const char *value = api->property(host, keys[i]);

		if (!value)
			continue;
		printf("<prop id=\"%s\"", keys[i]);
		flatPutText(" value=\"", value, "\"/>");
	}
	puts("</host>");
}

static void flatPutLink(const struct machineApi *api, const void *link)
{
	flatPutText("<link id=\"", api->linkName(link), "\"");
	flatPutNumber(" bandwidth=\"", api->linkBandwidth(link), "Bps\"");
	flatPutNumber(" latency=\"", api->linkLatency(link), "s\"");
	printf(" sharing_policy=\"%s\"/>\n",
	       api->linkIsShared(link) ? "SHARED" : "FATPIPE");
}

/* Whether hosts have a link to themselves that SimGrid adds. */
static bool flatIsImplied(const struct machineApi *api, void *route)
{
	return api->dynarLength(route) == 0 ||
	       strcmp(api->linkName(*(void **)api->dynarGet(route, 0)),
		      "__loopback__") == 0;
}

/* Look at the links of a path, or print it. */
static bool flatRoute(const struct machineApi *api, const char *names[2],
		      void *route, GHashTable *links)
{
	const void *hosts[2] = { api->byName(names[0]), api->byName(names[1]) };
	double latency = 0, expected;

	api->dynarReset(route);
	api->route(hosts[0], hosts[1], route);
	if (flatIsImplied(api, route))
		return names[0] == names[1];
	if (!links) {
		flatPutText("<route src=\"", names[0], "\"");
		flatPutText(" dst=\"", names[1], "\" symmetrical=\"NO\">");
	}
	for (unsigned long i = 0; i < api->dynarLength(route); i++) {
		void *link = *(void **)api->dynarGet(route, i);

		if (!links)
			flatPutText("<link_ctn id=\"", api->linkName(link),
				    "\"/>");
		else if (g_hash_table_add(links, link))
			flatPutLink(api, link);
		latency += api->linkLatency(link);
	}
	if (!links)
		puts("</route>");
	expected = api->routeLatency(hosts[0], hosts[1]);
	return fabs(latency - expected) <= FLAT_LATENCY * expected;
}

static bool flatRoutes(const struct machineApi *api, const GPtrArray *hosts,
		       void *route, GHashTable *links)
{
	for (guint i = 0; i < hosts->len; i++) {
		for (guint k = 0; k < hosts->len; k++) {
			const char *names[2] = { hosts->pdata[i],
						 hosts->pdata[k] };

			if (!flatRoute(api, names, route, links))
				return false;
		}
	}
	return true;
}

/* Whether the trace can have all hosts and links: it has one set of names for
 * them, the zone and the ranks. */
static bool flatIsDistinct(const struct machineApi *api, const GPtrArray *hosts,
			   GHashTable *links)
{
	GHashTableIter iter;
	gpointer link;

	for (guint i = 0; i < hosts->len; i++) {
		if (strcmp(hosts->pdata[i], FLAT_ZONE) == 0 ||
		    g_str_has_prefix(hosts->pdata[i], FLAT_RANK))
			return false;
	}
	g_hash_table_iter_init(&iter, links);
	while (g_hash_table_iter_next(&iter, &link, NULL)) {
		const char *name = api->linkName(link);

		if (strcmp(name, FLAT_ZONE) == 0 ||
		    g_str_has_prefix(name, FLAT_RANK) || api->byName(name))
			return false;
	}
	return true;
}

/* The platform without comments, to be freed; NULL: it cannot be read. */
static char *flatRead(const char *path)
{
	char *text = NULL, *end;
	const char *next;
	GString *rest;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	rest = g_string_new(NULL);
	next = text;
	while ((end = strstr(next, "<!--"))) {
		g_string_append_len(rest, next, end - next);
		end = strstr(end + strlen("<!--"), "-->");
		next = end ? end + strlen("-->") : "";
	}
	g_string_append(rest, next);
	g_free(text);
	return g_string_free(rest, FALSE);
}

/* Options of the platform itself. */
static void flatPutConfig(const char *text)
{
	const char *start = text, *end;

	while ((start = strstr(start, "<config")) &&
	       (end = strstr(start, "</config>"))) {
		end += strlen("</config>");
		printf("%.*s\n", (int)(end - start), start);
		start = end;
	}
}

static int flatPut(const struct machineApi *api, const struct replay *self)
{
	GPtrArray *hosts = g_ptr_array_new();
	GHashTable *links = g_hash_table_new(NULL, NULL);
	void *route = api->dynarNew(sizeof(void *), NULL);
	char *text = flatRead("platform.xml");
	int status = FLAT_DONE;

	puts("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
	     "\"https://simgrid.org/simgrid.dtd\">\n"
	     "<platform version=\"4.1\">");
	if (text)
		flatPutConfig(text);
	puts("<zone id=\"" FLAT_ZONE "\" routing=\"Full\">");
	for (guint i = 0; i < self->hosts->len; i++) {
		const struct replayHost *host = replayHostAt(self, i);

		if (host->ranks == 0)
			continue;
		g_ptr_array_add(hosts, host->name);
		flatPutHost(api, host->name);
	}
	if (!flatRoutes(api, hosts, route, links) ||
	    !flatRoutes(api, hosts, route, NULL))
		status = FLAT_LATE;
	else if (!flatIsDistinct(api, hosts, links))
		status = FLAT_ALIKE;
	puts("</zone>\n</platform>");
	g_free(text);
	g_ptr_array_unref(hosts);
	g_hash_table_destroy(links);
	return status;
}

/* What flatPut() does not write. */
static const struct {
	const char *text;
	const char *name;
} flatOthers[] = {
	{ "_profile", "properties that change over time" },
	{ "_file", "properties that change over time" },
	{ "<trace", "properties that change over time" },
	{ "WIFI", "wireless links" },
	{ "coordinates", "coordinates" },
	{ "<include", "other files" },
	{ "loopback_id", "loopback_id" },
};

/* Why a platform has no rows of links, to be freed; NULL: it may have. */
static char *flatReason(const struct replay *self)
{
	char *path = replayFile(self, "platform.xml"), *text = flatRead(path);
	char *reason = NULL;
	guint hosts = 0;

	for (guint i = 0; i < self->hosts->len; i++)
		hosts += replayHostAt(self, i)->ranks > 0;
	if (!text)
		reason = g_strdup("the platform cannot be read");
	else if (hosts > FLAT_HOSTS)
		reason = g_strdup_printf("more than %d hosts have ranks",
					 FLAT_HOSTS);
	for (size_t i = 0; !reason && i < G_N_ELEMENTS(flatOthers); i++) {
		if (strstr(text, flatOthers[i].text))
			reason = g_strdup_printf("the platform has %s",
						 flatOthers[i].name);
	}
	g_free(text);
	g_free(path);
	return reason;
}

/* Why the process failed, from waitpid(), to be freed; NULL: it did not. */
static char *flatFailure(int state)
{
	switch (WIFEXITED(state) ? WEXITSTATUS(state) : -1) {
	case FLAT_DONE:
		return NULL;
	case FLAT_LATE:
		return g_strdup("the platform has routes with more latency "
				"than their links");
	case FLAT_ALIKE:
		return g_strdup("the platform has equal names of hosts, links "
				"and ranks");
	default:
		return g_strdup("SimGrid does not list its routes");
	}
}

void flatWrite(struct replay *self, const char *name)
{
	char *reason = flatReason(self);
	int state = reason ? 0 : machineInChild(self, "flat.xml", flatPut);

	if (!reason)
		reason = flatFailure(state);
	if (reason) {
		predictError(self->predict,
			     PREDICT_WARNING "%s: no rows of links: %s", name,
			     reason);
		g_free(reason);
		return;
	}
	self->platform = "flat.xml";
	self->hasLinks = true;
}
