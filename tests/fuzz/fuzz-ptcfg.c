/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: configuration files of libPT, for a power analyzer and for a
 * device of this machine.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

static void checkConfig(const struct ptConfig *config)
{
	size_t columns = 0;

	must(config->driver && config->cycleNs > 0 && config->delayNs >= 0);
	must(config->project && *config->project && config->levelCount > 0);
	must(!config->driver->needsPort == !config->address);
	must(config->nodeCount > 0 && config->columnCount > 0);
	for (size_t i = 0; i < config->nodeCount; i++) {
		const struct ptNode *node = &config->nodes[i];

		must(node->depth > 0 && node->depth <= config->levelCount);
		must(node->first == columns && node->count > 0);
		columns += node->count;
		for (size_t j = 0; j < i; j++)
			must(strcmp(node->path, config->nodes[j].path) != 0);
	}
	must(columns == config->columnCount);
	for (size_t i = 0; i < columns; i++) {
		must(config->columns[i].quantity && config->names[i]);
		must(*config->columns[i].label);
	}
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
		.depth = -1,
	};
	struct ptConfig config;
	int ret;

	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
	ret = ptConfigRead(&request, &config);
	must(ret == PT_SUCCESS || ret == PT_ECONFINVALID ||
	     ret == PT_ENOTRACES);
	if (ret == PT_SUCCESS) {
		checkConfig(&config);
		ptConfigClear(&config);
	}
	must(!config.nodes && !config.columns && !config.ini.text);
	return 0;
}
