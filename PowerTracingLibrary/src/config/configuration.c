/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file as a whole; see configuration.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/config/parse.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

static const char *const generalKeys[] = {
	"device", "port", "baud", "cycle", "delay", "project", "topology", NULL,
};

static void configGeneral(const struct hdIniSection *section, void *context)
{
	struct ptParse *parse = context;

	ptParseDevice(parse, section, "device", generalKeys);
	ptParseProject(parse, section, parse->request->depth < 0);
}

static void configSections(struct ptParse *parse)
{
	static const struct hdIniPart parts[] = {
		{ "General", true, true, configGeneral },
		{ "Trace", false, false, NULL },
		{ .name = NULL }
	};

	hdIniSections(&parse->config->ini, parts, "[General] or [Trace]",
		      ptParseReport, parse);
}

int ptConfigRead(const struct ptRequest *request, struct ptConfig *config)
{
	struct ptParse parse = {
		.request = request,
		.config = config,
		.ini = &config->ini,
		.setup = { .root = request->root, .wakeFd = -1 },
	};
	int ret;

	*config = (struct ptConfig){ 0 };
	ret = hdIniRead(request->file, ptParseReport, &parse, &config->ini);
	if (ret == -ENOMEM)
		return PT_EMEMORY;
	if (ret == -EFBIG) {
		ptParseFailAt(&parse, 0, "larger than %d bytes", HD_INI_MAX);
		return PT_ECONFINVALID;
	}
	if (ret < 0) {
		ptLoss("%s: cannot read: %s", request->file, strerror(-ret));
		return PT_ECONFNOTFOUND;
	}
	ptParseOldNames(&parse, &config->ini);
	configSections(&parse);
	if (!parse.isOutOfMemory)
		ptParseTraces(&parse);
	if (parse.isOutOfMemory) {
		ret = PT_EMEMORY;
	} else if (parse.errors > 0) {
		ret = PT_ECONFINVALID;
	} else if (config->nodeCount == 0) {
		ptParseFailAt(&parse, 0, "missing section [Trace]");
		ret = PT_ENOTRACES;
	}
	if (ret < 0)
		ptConfigClear(config);
	return ret;
}

void ptConfigClear(struct ptConfig *config)
{
	for (size_t i = 0; i < config->nodeCount; i++) {
		free(config->nodes[i].path);
		free(config->nodes[i].labels);
	}
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
