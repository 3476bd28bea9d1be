/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a service as a whole; see site.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include "PowerTracingLibrary/service/site/parse.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

static void siteIgnore(void *context, long line, const char *text)
{
	(void)context;
	(void)line;
	(void)text;
}

static const struct hdIniSection *siteFindSection(const struct hdIni *ini,
						  const char *name)
{
	for (size_t i = 0; i < ini->count; i++)
		if (strcmp(ini->sections[i].name, name) == 0)
			return &ini->sections[i];
	return NULL;
}

bool ptSiteIsOne(const char *file)
{
	struct hdIni ini;
	bool is;

	/* What is wrong with it is said when it is read for good. */
	if (hdIniRead(file, siteIgnore, NULL, &ini) < 0)
		return false;
	is = siteFindSection(&ini, "Server") != NULL;
	hdIniClear(&ini);
	return is;
}

static void siteSections(struct ptParse *parse, struct ptSite *site)
{
	static const struct hdIniPart parts[] = {
		{ "Server", true, true, NULL },
		{ "Device", false, false, NULL },
		{ "Line", false, false, NULL },
		{ "Trace", false, false, NULL },
		{ "User", false, false, NULL },
		{ .name = NULL }
	};
	const struct hdIniSection *server =
		siteFindSection(&site->ini, "Server");

	hdIniSections(&site->ini, parts,
		      "[Server], [Device], [Line], [Trace] or [User]",
		      ptParseReport, parse);
	if (server)
		ptSiteServer(parse, site, server);
	if (!parse->isOutOfMemory)
		ptSiteDevices(parse, site);
	if (!parse->isOutOfMemory)
		ptSiteUsers(parse, site);
}

static int siteReadInto(const struct ptRequest *request, struct ptSite *site)
{
	struct ptRequest own = *request;
	struct ptConfig none = { 0 };
	struct ptParse parse = {
		.request = &own,
		.config = &none,
		.ini = &site->ini,
		.setup = { .root = request->root, .wakeFd = -1 },
	};
	int ret = hdIniRead(request->file, ptParseReport, &parse, &site->ini);

	own.depth = -1;
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
	ptParseOldNames(&parse, &site->ini);
	siteSections(&parse, site);
	if (parse.isOutOfMemory)
		return PT_EMEMORY;
	if (parse.errors > 0)
		return PT_ECONFINVALID;
	if (site->deviceCount > 0)
		return 0;
	ptParseFailAt(&parse, 0, "missing section [Device]");
	return PT_ENOTRACES;
}

int ptSiteRead(const struct ptRequest *request, struct ptSite **result)
{
	struct ptSite *site = calloc(1, sizeof(*site));
	int ret;

	if (!site)
		return PT_EMEMORY;
	site->uses = 1;
	site->file = request->file;
	ret = siteReadInto(request, site);
	if (ret < 0) {
		ptSiteUnref(site);
		return ret;
	}
	*result = site;
	return 0;
}

struct ptSite *ptSiteRef(struct ptSite *site)
{
	site->uses++;
	return site;
}

void ptSiteUnref(struct ptSite *site)
{
	if (!site || --site->uses > 0)
		return;
	for (size_t i = 0; i < site->userCount; i++)
		free(site->users[i].nodes);
	free(site->users);
	ptSiteFreeDevices(site);
	free(site->listen);
	free(site->listenTexts);
	free(site->pmlib);
	hdIniClear(&site->ini);
	free(site);
}

const struct ptSiteDevice *ptSiteFindDevice(const struct ptSite *site,
					    const char *name)
{
	for (size_t i = 0; i < site->deviceCount; i++)
		if (strcmp(site->devices[i].name, name) == 0)
			return &site->devices[i];
	return NULL;
}
