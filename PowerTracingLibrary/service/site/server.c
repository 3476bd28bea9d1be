/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The [Server] section of the configuration of a service. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls.h"
#include "net/http.h"
#include "PowerTracingLibrary/service/site/privileges.h"
#include "PowerTracingLibrary/service/site/parse.h"
#include "common/clock.h"

#define MIB (INT64_C(1) << 20)

static const char *const serverKeys[] = {
	"listen",       "socketMode",  "socketGroup", "metrics",
	"dialect",      "order",       "pmlib",       "tokens",
	"certificate",  "key",         "user",        "group",
	"keep",         "clients",     "counters",    "memory",
	"clientMemory", "timeout",     "idle",        "userShare",
	"addressShare", "metricsUser", NULL,
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

bool ptSiteYes(struct ptParse *parse, const struct hdIniSection *section,
	       const char *name, bool isDefault)
{
	const struct hdIniKey *key = hdIniFind(section, name);

	if (!key)
		return isDefault;
	if (strcmp(key->value, "yes") != 0 && strcmp(key->value, "no") != 0)
		ptParseFail(parse, key,
			    "%s=%.60s: invalid value; expected yes or no", name,
			    key->value);
	return strcmp(key->value, "yes") == 0;
}

/* Read a whole number; without a key it stays. */
static void serverNumber(struct ptParse *parse,
			 const struct hdIniSection *section, const char *name,
			 long min, long max, int64_t unit, int64_t *number)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	long value;
	char *end;

	if (!key)
		return;
	errno = 0;
	value = strtol(key->value, &end, 10);
	if (errno || end == key->value || *end || *key->value == '+' ||
	    value < min || value > max)
		ptParseFail(parse, key,
			    "%s=%.60s: invalid number; expected %ld to %ld",
			    name, key->value, min, max);
	else
		*number = value * unit;
}

static void serverLimits(struct ptParse *parse,
			 const struct hdIniSection *section,
			 struct ptSiteLimits *limits)
{
	int64_t clients = 1024, counters = 4096;
	int64_t userShare = 50, addressShare = 50;

	limits->memory = 1024 * MIB;
	limits->clientMemory = 256 * MIB;
	limits->timeoutNs = 10 * HD_NS_PER_S;
	limits->idleNs = 3600 * HD_NS_PER_S;
	serverNumber(parse, section, "clients", 1, 100000, 1, &clients);
	serverNumber(parse, section, "counters", 1, 1000000, 1, &counters);
	serverNumber(parse, section, "memory", 1, 1 << 20, MIB,
		     &limits->memory);
	serverNumber(parse, section, "clientMemory", 1, 1 << 20, MIB,
		     &limits->clientMemory);
	serverNumber(parse, section, "timeout", 1, 3600, HD_NS_PER_S,
		     &limits->timeoutNs);
	serverNumber(parse, section, "idle", 1, 100000000, HD_NS_PER_S,
		     &limits->idleNs);
	serverNumber(parse, section, "userShare", 1, 100, 1, &userShare);
	serverNumber(parse, section, "addressShare", 1, 100, 1, &addressShare);
	limits->userShare = (long)userShare;
	limits->addressShare = (long)addressShare;
	limits->clients = (long)clients;
	limits->counters = (long)counters;
}

static const char *serverText(struct ptParse *parse,
			      const struct hdIniSection *section,
			      const char *name)
{
	const struct hdIniKey *key = hdIniFind(section, name);

	if (!key)
		return NULL;
	if (!*key->value)
		ptParseFail(parse, key, "%s= is empty", name);
	return key->value;
}

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

	site->metricsUser = serverText(parse, section, "metricsUser");
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
	site->socketGroup = serverText(parse, section, "socketGroup");
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

static void siteServerReadSecrets(struct ptParse *parse, struct ptSite *site,
				  const struct hdIniSection *section)
{
	site->tokens = serverText(parse, section, "tokens");
	site->certificate = serverText(parse, section, "certificate");
	site->key = serverText(parse, section, "key");
	if (!site->certificate != !site->key)
		ptParseFailAt(parse, section->line,
			      "certificate= and key= require each other");
	else if (site->certificate && !hdHasTls)
		ptParseFailAt(parse, section->line,
			      "certificate=: this pt was built without GnuTLS");
}

static void serverPrivileges(struct ptParse *parse, struct ptSite *site,
			     const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "keep");
	char why[200];

	site->user = serverText(parse, section, "user");
	site->group = serverText(parse, section, "group");
	site->keep = serverText(parse, section, "keep");
	if (key && ptPrivilegesCheck(key->value, why, sizeof(why)) < 0)
		ptParseFail(parse, key, "keep=%.60s: %s", key->value, why);
	if (!site->user && (site->group || site->keep))
		ptParseFailAt(parse, section->line,
			      "group= and keep= require user=");
}

void ptSiteServer(struct ptParse *parse, struct ptSite *site,
		  const struct hdIniSection *section)
{
	siteServerReadSecrets(parse, site, section);
	siteServerReadListen(parse, site, section);
	siteServerReadMetrics(parse, site, section);
	serverDialect(parse, site, section);
	serverPmlib(parse, site, section);
	serverSocket(parse, site, section);
	serverPrivileges(parse, site, section);
	serverLimits(parse, section, &site->limits);
	ptParseUnknown(parse, section, serverKeys, NULL);
}
