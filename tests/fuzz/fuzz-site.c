/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: configuration files of power services. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include "PowerTracingLibrary/service/site/site.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

static void checkDevice(const struct ptSiteDevice *device)
{
	must(device->config.driver && device->config.cycleNs > 0);
	must(device->lineCount > 0 || device->config.nodeCount > 0);
	must(!device->config.driver->needsPort || device->config.address);
	for (size_t i = 0; i < device->lineCount; i++) {
		const struct ptSiteLine *line = &device->lines[i];

		must(*line->name && *line->node && *line->channel);
		must(line->valueCount > 0);
		for (size_t j = 0; j < line->valueCount; j++)
			must(line->values[j].column <
				     device->config.columnCount &&
			     device->config.columns[line->values[j].column]
					     .quantity ==
				     line->values[j].quantity);
		for (size_t j = 0; j < i; j++)
			must(strcmp(line->name, device->lines[j].name) != 0);
	}
}

static void checkSite(const struct ptSite *site)
{
	bool all;

	must(site->deviceCount > 0);
	must(site->limits.clients > 0 && site->limits.counters > 0);
	must(site->limits.memory > 0 && site->limits.clientMemory > 0);
	for (size_t i = 0; i < site->listenCount; i++)
		must(site->listen[i].length > 0 &&
		     (site->listen[i].isLocal || site->tokens));
	for (size_t i = 0; i < site->deviceCount; i++) {
		checkDevice(&site->devices[i]);
		must(ptSiteFindDevice(site, site->devices[i].name) ==
		     &site->devices[i]);
		must(ptSiteIsSame(&site->devices[i], &site->devices[i]));
	}
	for (size_t i = 0; i < site->userCount; i++) {
		must(site->users[i].nodeCount > 0);
		must(isfinite(site->users[i].rate) && site->users[i].rate >= 0);
	}
	ptSiteFindUser(site, NULL, &all);
	must(all == (site->userCount == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ptDriver *const drivers[] = {
		ptDriverFind(ptDrivers, "LMG450"),
		ptDriverFind(ptDrivers, "sim"),
		NULL,
	};
	const struct ptRequest request = {
		.file = memoryFile(data, size),
		.drivers = drivers,
		.root = "/no/such/tree",
	};
	struct ptSite *site = NULL;
	int ret;

	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
	ptSiteIsOne(request.file);
	ret = ptSiteRead(&request, &site);
	must(ret == PT_SUCCESS || ret == PT_ECONFINVALID ||
	     ret == PT_ENOTRACES);
	must((site != NULL) == (ret == PT_SUCCESS));
	if (site)
		checkSite(site);
	ptSiteUnref(site);
	return 0;
}
