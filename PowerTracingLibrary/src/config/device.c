/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device of a configuration: driver, port, cycle and options; and where
 * its traces go. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/parse.h"
#include "PowerTracingLibrary/src/core/transport.h"

#define NS_PER_MS INT64_C(1000000)
#define DELAY_MAX_MS 60000

/* Parse milliseconds, a decimal number. */
static bool configMs(const char *text, int64_t *ns)
{
	int64_t unit = NS_PER_MS;
	const char *at = text;
	size_t digits = 0;

	*ns = 0;
	for (; *at >= '0' && *at <= '9' && digits <= 9; at++, digits++)
		*ns = *ns * 10 + (*at - '0');
	*ns *= NS_PER_MS;
	if (*at == '.') {
		at++;
		for (; *at >= '0' && *at <= '9'; at++, digits++) {
			unit /= 10;
			*ns += (*at - '0') * unit;
		}
	}
	return digits > 0 && *at == '\0';
}

static void configDevice(struct ptParse *parse, const struct hdIniKey *key)
{
	char list[400] = "";

	parse->config->driver =
		ptDriverFind(parse->request->drivers, key->value);
	if (parse->config->driver) {
		parse->config->name = parse->config->driver->name;
		return;
	}
	for (const struct ptDriver *const *d = parse->request->drivers; *d; d++)
		ptParseList(list, sizeof(list), (*d)->name);
	ptParseFail(parse, key, "unknown device \"%.60s\"; expected one of %s",
		    key->value, list);
}

/* Check the form of an address that the driver takes. */
static int configCheckAddress(const struct ptConfig *config, char *why,
			      size_t whySize)
{
	const struct ptDriver *driver = config->driver;
	int ret = 0;

	if (driver->needsPort)
		ret = ptTransportCheck(config->address, why, whySize);
	if (ret == 0 && driver->checkAddress)
		ret = driver->checkAddress(config->address, why, whySize);
	return ret;
}

/* Split NODE:DEVICE; a device file or URL alone is the device. */
static void configPort(struct ptParse *parse, const struct hdIniKey *key)
{
	struct ptConfig *config = parse->config;
	const char *device = key->value, *colon = strchr(key->value, ':');
	const char *driver = config->driver->name;
	char why[200];

	if (*key->value != '/' && colon && strncmp(colon, "://", 3) != 0)
		device = colon + 1;
	else if (*key->value != '/' && !colon)
		device = key->value + strlen(key->value);
	if (device != key->value) {
		size_t length = strcspn(key->value, ":");

		config->host = strndup(key->value, length);
		if (!ptParseGot(parse, config->host))
			return;
		if (length == 0)
			ptParseFail(parse, key,
				    "port=%.60s: NODE is empty; use "
				    "NODE:DEVICE or DEVICE",
				    key->value);
	}
	config->address = *device ? device : NULL;
	if (config->address && !config->driver->needsPort &&
	    !config->driver->checkAddress)
		ptParseFail(parse, key,
			    "port=%.60s: %s has no port; use only NODE:, the "
			    "host to run on",
			    key->value, driver);
	else if (!config->address && config->driver->needsPort)
		ptParseFail(parse, key,
			    "port=%.60s: DEVICE is missing; use NODE:DEVICE or "
			    "DEVICE",
			    key->value);
	else if (configCheckAddress(config, why, sizeof(why)) < 0)
		ptParseFail(parse, key, "port=%.60s: %s", key->value, why);
}

static void configBaud(struct ptParse *parse, const struct hdIniKey *key)
{
	static const char *const speeds[] = {
		"1200",  "2400",  "4800",   "9600",   "19200",
		"38400", "57600", "115200", "230400", NULL,
	};
	char list[200] = "";

	if (ptParseIsIn(speeds, key->value)) {
		parse->config->baud =
			(unsigned int)strtoul(key->value, NULL, 10);
		return;
	}
	for (const char *const *speed = speeds; *speed; speed++)
		ptParseList(list, sizeof(list), *speed);
	ptParseFail(parse, key, "baud=%.60s: invalid speed; expected one of %s",
		    key->value, list);
}

static int64_t configNs(double ms)
{
	return llround(ms * (double)NS_PER_MS);
}

static void configCycle(struct ptParse *parse, const struct hdIniKey *key)
{
	const struct ptDriver *driver = parse->config->driver;
	int64_t ns;

	parse->config->isCycleGiven = true;
	if (configMs(key->value, &ns) && ns >= configNs(driver->minCycleMs) &&
	    ns <= configNs(driver->maxCycleMs))
		parse->config->cycleNs = ns;
	else if (driver->minCycleMs >= driver->maxCycleMs)
		ptParseFail(parse, key,
			    "cycle=%.60s: %s gives a reading every %g ms; use "
			    "this cycle, or omit the key",
			    key->value, driver->name, driver->minCycleMs);
	else
		ptParseFail(parse, key,
			    "cycle=%.60s: invalid cycle of %s; expected %g to "
			    "%g ms",
			    key->value, driver->name, driver->minCycleMs,
			    driver->maxCycleMs);
}

static void configDelay(struct ptParse *parse, const struct hdIniKey *key)
{
	if (!configMs(key->value, &parse->config->delayNs) ||
	    parse->config->delayNs > DELAY_MAX_MS * NS_PER_MS)
		ptParseFail(parse, key,
			    "delay=%.60s: invalid delay; expected 0 to %d ms",
			    key->value, DELAY_MAX_MS);
}

static void configTopology(struct ptParse *parse, const struct hdIniKey *key)
{
	struct ptConfig *config = parse->config;

	config->levels =
		ptParseSplit(parse, key->value, '_', &config->levelCount);
	if (config->levels &&
	    !ptParseLabels(parse, key, config->levels, config->levelCount))
		config->levelCount = 0;
}

static void configOptions(struct ptParse *parse,
			  const struct hdIniSection *section)
{
	const struct ptDriver *driver = parse->config->driver;
	const char **list = calloc(2 * section->count + 2, sizeof(*list));
	size_t used = 0;

	parse->config->options = list;
	if (!ptParseGot(parse, list))
		return;
	for (size_t i = 0; i < section->count; i++) {
		const struct hdIniKey *key = &section->keys[i];
		char why[200] = "not allowed";

		if (!ptParseIsIn(driver->options, key->name))
			continue;
		if (driver->checkOption &&
		    driver->checkOption(key->name, key->value, why,
					sizeof(why)) < 0)
			ptParseFail(parse, key, "%s=%.60s: %s", key->name,
				    key->value, why);
		list[used++] = key->name;
		list[used++] = key->value;
	}
	parse->setup.options = list;
}

/* What the caller gives goes before what the file says, which must be there if
 * it is needed. */
static const struct hdIniKey *configChoose(struct ptParse *parse,
					   const struct hdIniSection *section,
					   const char *option,
					   const char *given, bool isNeeded,
					   struct hdIniKey *own)
{
	const char *name = option + strlen("--");

	*own = (struct hdIniKey){ .name = option, .value = given };
	if (given && *given)
		return own;
	if (given)
		ptParseFail(parse, own, "is empty");
	else if (isNeeded || hdIniFind(section, name))
		return ptParseNeed(parse, section, name);
	return NULL;
}

static bool configNeedsPort(const struct ptDriver *driver)
{
	char why[200];

	return driver->needsPort ||
	       (driver->checkAddress &&
		driver->checkAddress(NULL, why, sizeof(why)) < 0);
}

/* What can be checked once the driver is known. */
static void configForDriver(struct ptParse *parse,
			    const struct hdIniSection *section,
			    const char *const *keys)
{
	const struct ptDriver *driver = parse->config->driver;
	const struct hdIniKey *key = hdIniFind(section, "baud");
	struct hdIniKey own;

	parse->config->baud = driver->line.baud;
	if (key && driver->needsPort)
		configBaud(parse, key);
	else if (key)
		ptParseFail(parse, key, "baud=%.60s: %s has no port",
			    key->value, driver->name);
	parse->config->cycleNs = configNs(driver->usualCycleMs);
	if (driver->usualCycleMs <= 0 || hdIniFind(section, "cycle")) {
		key = ptParseNeed(parse, section, "cycle");
		if (key)
			configCycle(parse, key);
	}
	parse->setup.cycleNs = parse->config->cycleNs;
	key = configChoose(parse, section, "--port", parse->request->port,
			   configNeedsPort(driver), &own);
	if (key)
		configPort(parse, key);
	parse->setup.address = parse->config->address;
	configOptions(parse, section);
	ptParseUnknown(parse, section, keys, driver->options);
}

void ptParseDevice(struct ptParse *parse, const struct hdIniSection *section,
		   const char *driver, const char *const *keys)
{
	const struct hdIniKey *key = ptParseNeed(parse, section, driver);

	if (key)
		configDevice(parse, key);
	if (parse->config->driver)
		configForDriver(parse, section, keys);
	key = hdIniFind(section, "delay");
	if (key)
		configDelay(parse, key);
}

void ptParseProject(struct ptParse *parse, const struct hdIniSection *section,
		    bool isNeeded)
{
	const struct ptRequest *request = parse->request;
	const struct hdIniKey *key;
	struct hdIniKey own;

	key = configChoose(parse, section, "--project", request->project,
			   isNeeded, &own);
	if (key && isNeeded)
		parse->config->project = key->value;
	key = configChoose(parse, section, "--topology", request->topology,
			   isNeeded, &own);
	if (key)
		configTopology(parse, key);
}
