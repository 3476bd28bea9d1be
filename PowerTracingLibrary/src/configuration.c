/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file as a whole, and its [General]; see configuration.h. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "PT.h"
#include "configparse.h"
#include "message.h"
#include "transport.h"

#define NS_PER_MS INT64_C(1000000)
#define DELAY_MAX_MS 60000

static const char *const generalKeys[] = {
	"device", "port", "baud", "cycle", "delay", "project", "topology", NULL,
};

static void configPrint(struct ptParse *parse, const char *name, long line,
			const char *format, va_list arguments)
{
	char text[900];

	vsnprintf(text, sizeof(text), format, arguments);
	/* What came from the file may be anything. */
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	parse->errors++;
	if (name)
		ptMessage(HD_LOG_ERROR, "%s: %s", name, text);
	else if (line > 0)
		ptMessage(HD_LOG_ERROR, "%s:%ld: %s", parse->request->file,
			  line, text);
	else
		ptMessage(HD_LOG_ERROR, "%s: %s", parse->request->file, text);
}

void ptParseFail(struct ptParse *parse, const struct hdIniKey *key,
		 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	configPrint(parse, key->line == 0 ? key->name : NULL, key->line, format,
		    arguments);
	va_end(arguments);
}

void ptParseFailAt(struct ptParse *parse, long line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	configPrint(parse, NULL, line, format, arguments);
	va_end(arguments);
}

bool ptParseGot(struct ptParse *parse, const void *memory)
{
	if (!memory)
		parse->isOutOfMemory = true;
	return memory != NULL;
}

void ptParseList(char *list, size_t size, const char *name)
{
	size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

const struct hdIniKey *ptParseNeed(struct ptParse *parse,
				   const struct hdIniSection *section,
				   const char *name)
{
	const struct hdIniKey *key = hdIniFind(section, name);

	if (!key) {
		ptParseFailAt(parse, section->line,
			      "[%s] has no %s=", section->name, name);
		return NULL;
	}
	if (*key->value)
		return key;
	ptParseFail(parse, key, "%s= is empty", name);
	return NULL;
}

static bool configIsIn(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

void ptParseUnknown(struct ptParse *parse, const struct hdIniSection *section,
		    const char *const *known, const char *const *options)
{
	char list[400] = "";

	for (const char *const *name = known; *name; name++)
		ptParseList(list, sizeof(list), *name);
	for (const char *const *name = options; name && *name; name++)
		ptParseList(list, sizeof(list), *name);
	for (size_t i = 0; i < section->count; i++) {
		const struct hdIniKey *key = &section->keys[i];

		if (!configIsIn(known, key->name) &&
		    !configIsIn(options, key->name))
			ptParseFail(parse, key,
				    "unknown key \"%.60s\"; [%s] may have %s",
				    key->name, section->name, list);
	}
}

char **ptParseSplit(struct ptParse *parse, const char *text, char separator,
		    size_t *count)
{
	size_t parts = 1, length = strlen(text) + 1;
	char **list, *at;

	for (const char *c = text; *c; c++)
		parts += *c == separator;
	list = malloc(parts * sizeof(*list) + length);
	if (!ptParseGot(parse, list))
		return NULL;
	at = memcpy(list + parts, text, length);
	for (size_t i = 0; i < parts; i++) {
		char *end = strchr(at, separator), *next;

		if (!end)
			end = at + strlen(at);
		next = end + 1;
		while (*at == ' ' || *at == '\t')
			at++;
		while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		*end = '\0';
		list[i] = at;
		at = next;
	}
	*count = parts;
	return list;
}

bool ptParseLabels(struct ptParse *parse, const struct hdIniKey *key,
		   char *const *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = labels[i];

		while ((*at >= 'a' && *at <= 'z') ||
		       (*at >= 'A' && *at <= 'Z') ||
		       (*at >= '0' && *at <= '9') || *at == '.' || *at == '-')
			at++;
		if (*at || at == labels[i]) {
			ptParseFail(parse, key,
				    "\"%.60s\": each part between two \"_\" is "
				    "letters, digits, \".\" and \"-\"",
				    key->value);
			return false;
		}
	}
	return true;
}

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
	if (parse->config->driver)
		return;
	for (const struct ptDriver *const *d = parse->request->drivers; *d; d++)
		ptParseList(list, sizeof(list), (*d)->name);
	ptParseFail(parse, key, "unknown device \"%.60s\"; there are %s",
		    key->value, list);
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
				    "port=%.60s: NODE is empty; "
				    "port is NODE:DEVICE or DEVICE",
				    key->value);
	}
	if (*device && !config->driver->needsPort)
		ptParseFail(parse, key,
			    "port=%.60s: %s has no port; only NODE: may be "
			    "given, the host to run on",
			    key->value, driver);
	else if (!*device && config->driver->needsPort)
		ptParseFail(parse, key,
			    "port=%.60s: DEVICE is missing; port is "
			    "NODE:DEVICE or DEVICE",
			    key->value);
	else if (*device && ptTransportCheck(device, why, sizeof(why)) < 0)
		ptParseFail(parse, key, "port=%.60s: %s", key->value, why);
	config->address = *device ? device : NULL;
}

static void configBaud(struct ptParse *parse, const struct hdIniKey *key)
{
	static const char *const speeds[] = {
		"1200",  "2400",  "4800",   "9600",   "19200",
		"38400", "57600", "115200", "230400", NULL,
	};
	char list[200] = "";

	if (configIsIn(speeds, key->value)) {
		parse->config->baud =
			(unsigned int)strtoul(key->value, NULL, 10);
		return;
	}
	for (const char *const *speed = speeds; *speed; speed++)
		ptParseList(list, sizeof(list), *speed);
	ptParseFail(parse, key, "baud=%.60s: speeds are %s", key->value, list);
}

static void configCycle(struct ptParse *parse, const struct hdIniKey *key)
{
	const struct ptDriver *driver = parse->config->driver;
	int64_t ns;

	if (configMs(key->value, &ns) &&
	    (double)ns >= driver->minCycleMs * NS_PER_MS &&
	    (double)ns <= driver->maxCycleMs * NS_PER_MS)
		parse->config->cycleNs = ns;
	else
		ptParseFail(parse, key, "cycle=%.60s: %s allows %g to %g ms",
			    key->value, driver->name, driver->minCycleMs,
			    driver->maxCycleMs);
}

static void configDelay(struct ptParse *parse, const struct hdIniKey *key)
{
	if (!configMs(key->value, &parse->config->delayNs) ||
	    parse->config->delayNs > DELAY_MAX_MS * NS_PER_MS)
		ptParseFail(parse, key, "delay=%.60s: allowed are 0 to %d ms",
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

		if (!configIsIn(driver->options, key->name))
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

/* What can be checked once the driver is known. */
static void configForDriver(struct ptParse *parse,
			    const struct hdIniSection *section)
{
	const struct ptDriver *driver = parse->config->driver;
	const struct hdIniKey *key = hdIniFind(section, "baud");
	struct hdIniKey own;

	parse->config->baud = driver->baud;
	if (key && driver->needsPort)
		configBaud(parse, key);
	else if (key)
		ptParseFail(parse, key, "baud=%.60s: %s has no port",
			    key->value, driver->name);
	key = ptParseNeed(parse, section, "cycle");
	if (key)
		configCycle(parse, key);
	parse->setup.cycleNs = parse->config->cycleNs;
	key = configChoose(parse, section, "--port", parse->request->port,
			   driver->needsPort, &own);
	if (key)
		configPort(parse, key);
	configOptions(parse, section);
	ptParseUnknown(parse, section, generalKeys, driver->options);
}

static void configGeneral(struct ptParse *parse,
			  const struct hdIniSection *section)
{
	const struct ptRequest *request = parse->request;
	bool isNeeded = request->depth < 0;
	const struct hdIniKey *key = ptParseNeed(parse, section, "device");
	struct hdIniKey own;

	if (key)
		configDevice(parse, key);
	if (parse->config->driver)
		configForDriver(parse, section);
	key = hdIniFind(section, "delay");
	if (key)
		configDelay(parse, key);
	key = configChoose(parse, section, "--project", request->project,
			   isNeeded, &own);
	if (key && isNeeded)
		parse->config->project = key->value;
	key = configChoose(parse, section, "--topology", request->topology,
			   isNeeded, &own);
	if (key)
		configTopology(parse, key);
}

static void configReport(void *context, long line, const char *text)
{
	ptParseFailAt(context, line, "%s", text);
}

static void configSections(struct ptParse *parse)
{
	const struct hdIni *ini = &parse->config->ini;
	const struct hdIniSection *general = NULL;

	for (size_t i = 0; i < ini->count; i++) {
		const struct hdIniSection *section = &ini->sections[i];

		if (strcmp(section->name, "General") == 0) {
			if (general)
				ptParseFailAt(parse, section->line,
					      "a second [General]; the first "
					      "is in line %ld",
					      general->line);
			else
				general = section;
		} else if (strcmp(section->name, "Trace") != 0) {
			ptParseFailAt(parse, section->line,
				      "unknown section [%.60s]; there are "
				      "[General] and [Trace]",
				      section->name);
		}
	}
	if (general)
		configGeneral(parse, general);
	else
		ptParseFailAt(parse, 0, "there is no [General]");
}

int ptConfigRead(const struct ptRequest *request, struct ptConfig *config)
{
	struct ptParse parse = {
		.request = request,
		.config = config,
		.setup = { .root = request->root, .wakeFd = -1 },
	};
	int ret;

	*config = (struct ptConfig){ 0 };
	ret = hdIniRead(request->file, configReport, &parse, &config->ini);
	if (ret == -ENOMEM)
		return PT_EMEMORY;
	if (ret == -EFBIG) {
		ptParseFailAt(&parse, 0, "larger than %d bytes", HD_INI_MAX);
		return PT_ECONFINVALID;
	}
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "%s: %s", request->file,
			  strerror(-ret));
		return PT_ECONFNOTFOUND;
	}
	configSections(&parse);
	if (!parse.isOutOfMemory)
		ptParseTraces(&parse);
	if (parse.isOutOfMemory) {
		ret = PT_EMEMORY;
	} else if (parse.errors > 0) {
		ret = PT_ECONFINVALID;
	} else if (config->nodeCount == 0) {
		ptParseFailAt(&parse, 0, "there is no [Trace]");
		ret = PT_ENOTRACES;
	}
	if (ret < 0)
		ptConfigClear(config);
	return ret;
}

void ptConfigClear(struct ptConfig *config)
{
	for (size_t i = 0; i < config->nodeCount; i++)
		free(config->nodes[i].labels);
	for (size_t i = 0; config->names && i < config->columnCount; i++)
		free(config->names[i]);
	free(config->host);
	free(config->levels);
	free(config->options);
	free(config->nodes);
	free(config->columns);
	free(config->names);
	hdIniClear(&config->ini);
	*config = (struct ptConfig){ 0 };
}

bool ptConfigIsSameHost(const char *a, const char *b)
{
	size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	return length > 0 && strncasecmp(a, b, length) == 0 &&
	       (a[length] == '\0' || a[length] == '.') &&
	       (b[length] == '\0' || b[length] == '.');
}

bool ptConfigIsHere(const char *host)
{
	char name[256] = "";

	if (!host || strcasecmp(host, "localhost") == 0)
		return true;
	gethostname(name, sizeof(name) - 1);
	return ptConfigIsSameHost(host, name);
}
