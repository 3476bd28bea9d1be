/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The platform of a replay with all links by themselves; see links.h. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "PredictionLibrary/command/replay/links.h"

/* Hosts at most: each pair has a route. */
#define FLAT_HOSTS 256

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

/* Options of the platform itself, to be freed; NULL: it has none. */
static char *flatConfig(const char *text)
{
	const char *start = strstr(text, "<config"), *end;

	end = start ? strstr(start, "</config>") : NULL;
	return end ? g_strndup(start,
			       (gsize)(end - start) + strlen("</config>"))
		   : NULL;
}

static int flatPut(const struct machineApi *api, const struct replay *self)
{
	GPtrArray *hosts = g_ptr_array_new();
	GHashTable *links = g_hash_table_new(NULL, NULL);
	void *route = api->dynarNew(sizeof(void *), NULL);
	char *text = NULL, *config = NULL;
	bool isGood;

	if (g_file_get_contents("platform.xml", &text, NULL, NULL))
		config = flatConfig(text);
	printf("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
	       "\"https://simgrid.org/simgrid.dtd\">\n"
	       "<platform version=\"4.1\">\n%s\n"
	       "<zone id=\"flat\" routing=\"Full\">\n",
	       config ? config : "");
	for (guint i = 0; i < self->hosts->len; i++) {
		const struct replayHost *host = replayHostAt(self, i);

		if (host->ranks == 0)
			continue;
		g_ptr_array_add(hosts, host->name);
		flatPutHost(api, host->name);
	}
	isGood = flatRoutes(api, hosts, route, links) &&
		 flatRoutes(api, hosts, route, NULL);
	puts("</zone>\n</platform>");
	g_free(text);
	g_free(config);
	g_ptr_array_unref(hosts);
	g_hash_table_destroy(links);
	return isGood ? 0 : 1;
}

/* Whether the platform has only what flatPut() writes. */
static bool flatIsPlain(const struct replay *self)
{
	static const char *const others[] = { "_profile",    "_file",
					      "<trace",      "WIFI",
					      "coordinates", "<include",
					      "loopback_id" };
	char *path = replayFile(self, "platform.xml"), *text = NULL;
	bool isPlain = g_file_get_contents(path, &text, NULL, NULL);
	guint hosts = 0;

	for (size_t i = 0; isPlain && i < G_N_ELEMENTS(others); i++)
		isPlain = !strstr(text, others[i]);
	for (guint i = 0; i < self->hosts->len; i++)
		hosts += replayHostAt(self, i)->ranks > 0;
	g_free(text);
	g_free(path);
	return isPlain && hosts <= FLAT_HOSTS;
}

void flatWrite(struct replay *self)
{
	int state;

	if (!flatIsPlain(self))
		return;
	state = machineInChild(self, "flat.xml", flatPut);
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
		return;
	self->platform = "flat.xml";
	self->hasLinks = true;
}
