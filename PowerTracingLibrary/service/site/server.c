/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The [Server] section of the configuration of a service. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls.h"
#include "net/http.h"
#include "PowerTracingLibrary/service/site/privileges.h"
#include "PowerTracingLibrary/service/site/parse.h"
#include "common/clock.h"

#define MIB (INT64_C(1) << 20)

#define TEXT(name)                                                          \
	{                                                                   \
#name, HD_INI_TEXT, offsetof(struct ptSite, name), 0, 0, 0, \
			false                                               \
	}
#define WHOLE(name, member, max, unit)                                         \
	{                                                                      \
		name, HD_INI_WHOLE, offsetof(struct ptSite, limits.member), 1, \
			max, unit, false                                       \
	}

static const struct hdIniField serverFields[] = {
	{ .name = "listen" },
	{ .name = "socketMode" },
	TEXT(socketGroup),
	{ .name = "metrics" },
	{ .name = "dialect" },
	{ .name = "order" },
	{ .name = "pmlib" },
	TEXT(tokens),
	TEXT(certificate),
	TEXT(key),
	TEXT(user),
	TEXT(group),
	TEXT(keep),
	WHOLE("clients", clients, 100000, 1),
	WHOLE("counters", counters, 1000000, 1),
	WHOLE("memory", memory, 1 << 20, MIB),
	WHOLE("clientMemory", clientMemory, 1 << 20, MIB),
	WHOLE("timeout", timeoutNs, 3600, HD_NS_PER_S),
	WHOLE("idle", idleNs, 100000000, HD_NS_PER_S),
	WHOLE("userShare", userShare, 100, 1),
	WHOLE("addressShare", addressShare, 100, 1),
	TEXT(metricsUser),
	{ .name = NULL }
};

static const struct ptSiteLimits limitsDefault = {
	.clients = 1024,
	.counters = 4096,
	.userShare = 50,
	.addressShare = 50,
	.memory = 1024 * MIB,
	.clientMemory = 256 * MIB,
	.timeoutNs = 10 * HD_NS_PER_S,
	.idleNs = 3600 * HD_NS_PER_S,
};

static const struct {
	const char *name;
	struct ptSiteDialect dialect;
} dialects[] = {
	{ "A", { .isFloat = true, .isListCounted = true } },
	{ "B", { .isListCounted = true } },
	{ "C", { .isSetMajor = true } },
	{ "D", { .isListCounted = true, .isSetMajor = true } },
};

static void siteServerReadListen(struct ptParse *parse, struct ptSite *site,
				 const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "listen");
	size_t count;
	char **parts;

	if (!key)
		return;
	parts = ptParseSplit(parse, key->value, ',', &count);
	if (!parts)
		return;
	site->listen = calloc(count, sizeof(*site->listen));
	/* The addresses keep the texts. */
	site->listenTexts = parts;
	if (!ptParseGot(parse, site->listen))
		return;
	for (size_t i = 0; i < count; i++) {
		struct hdAddress *address = &site->listen[i];

		if (hdAddressParse(parts[i], address) < 0)
			ptParseFail(
				parse, key,
				"listen: invalid address \"%.60s\"; expected "
				"ADDRESS:PORT, [ADDRESS]:PORT or unix:/PATH",
				parts[i]);
		else if (!address->isLocal && !site->tokens)
			ptParseFail(parse, key,
				    "listen: other hosts can reach %.60s; set "
				    "tokens=",
				    parts[i]);
	}
	site->listenCount = count;
}

static void siteServerReadMetrics(struct ptParse *parse, struct ptSite *site,
				  const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "metrics");

	if (!key)
		return;
	if (hdAddressParse(key->value, &site->metrics) < 0 ||
	    site->metrics.storage.ss_family == AF_UNIX)
		ptParseFail(parse, key,
			    "metrics=%.60s: invalid address; expected PORT, "
			    "ADDRESS:PORT or [ADDRESS]:PORT",
			    key->value);
	else if (!hdHasHttp)
		ptParseFail(parse, key,
			    "metrics: this pt was built without "
			    "libmicrohttpd");
}

static void serverDialect(struct ptParse *parse, struct ptSite *site,
			  const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "dialect");
	const char *name = key ? key->value : "B";
	bool isFound = false;

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		if (strcmp(dialects[i].name, name) == 0) {
			site->dialect = dialects[i].dialect;
			isFound = true;
		}
	}
	if (!isFound)
		ptParseFail(
			parse, key,
			"dialect=%.60s: unknown dialect; expected A, B, C or D",
			name);
	key = hdIniFind(section, "order");
	if (!key)
		return;
	if (strcmp(key->value, "lines") != 0 && strcmp(key->value, "sets") != 0)
		ptParseFail(
			parse, key,
			"order=%.60s: invalid order; expected lines or sets",
			key->value);
	site->dialect.isSetMajor = strcmp(key->value, "sets") == 0;
}

static void serverPmlib(struct ptParse *parse, struct ptSite *site,
			const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "pmlib");
	size_t count;
	char **parts;

	site->hasPmlib = !key || strcmp(key->value, "no") != 0;
	if (!key || !site->hasPmlib)
		return;
	parts = ptParseSplit(parse, key->value, ',', &count);
	if (!parts)
		return;
	site->pmlib = calloc(count, sizeof(*site->pmlib));
	if (!ptParseGot(parse, site->pmlib))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (hdNetworkParse(parts[i], &site->pmlib[i]) < 0)
			ptParseFail(parse, key,
				    "pmlib: invalid network \"%.60s\"; "
				    "expected ADDRESS[/BITS] or no",
				    parts[i]);
	site->pmlibCount = count;
	free(parts);
}

static void serverSocket(struct ptParse *parse, struct ptSite *site,
			 const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "socketMode");

	site->socketMode = 0666;
	if (!key)
		return;
	if (strlen(key->value) < 3 || strlen(key->value) > 4 ||
	    key->value[strspn(key->value, "01234567")] ||
	    strtoul(key->value, NULL, 8) > 0777)
		ptParseFail(parse, key,
			    "socketMode=%.60s: invalid mode; use a mode such "
			    "as 0660",
			    key->value);
	site->socketMode = (mode_t)strtoul(key->value, NULL, 8) & 0777;
}

static void serverSecrets(struct ptParse *parse, const struct ptSite *site,
			  const struct hdIniSection *section)
{
	if (!site->certificate != !site->key)
		ptParseFailAt(parse, section->line,
			      "certificate= and key= require each other");
	else if (site->certificate && !hdHasTls)
		ptParseFailAt(parse, section->line,
			      "certificate=: this pt was built without GnuTLS");
}

static void serverPrivileges(struct ptParse *parse, const struct ptSite *site,
			     const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "keep");
	char why[200];

	if (key && ptPrivilegesCheck(key->value, why, sizeof(why)) < 0)
		ptParseFail(parse, key, "keep=%.60s: %s", key->value, why);
	if (!site->user && (site->group || site->keep))
		ptParseFailAt(parse, section->line,
			      "group= and keep= require user=");
}

void ptSiteServer(struct ptParse *parse, struct ptSite *site,
		  const struct hdIniSection *section)
{
	site->limits = limitsDefault;
	hdIniTake(section, serverFields, site, ptParseReport, parse);
	serverSecrets(parse, site, section);
	siteServerReadListen(parse, site, section);
	siteServerReadMetrics(parse, site, section);
	serverDialect(parse, site, section);
	serverPmlib(parse, site, section);
	serverSocket(parse, site, section);
	serverPrivileges(parse, site, section);
}
