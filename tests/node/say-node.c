/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what a node says of itself, without a daemon: all sections as one
 * object of JSON, after some samples.
 *
 *     say-node [ROOT [SMARTCTL [SAMPLES [INTERVAL-MS]]]]
 */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "NodeStatus/local/core/local.h"

static const struct hdLogger logger = { .prefix = "say-node",
					.level = HD_LOG_ERROR };

static json_int_t samplesOf(struct hdNodeLocal *local)
{
	json_t *status = hdNodeLocalSection(local, HD_NODE_STATUS);
	json_int_t samples = json_integer_value(
		json_object_get(json_object_get(status, "sampler"), "samples"));

	json_decref(status);
	return samples;
}

int main(int argc, char **argv)
{
	const struct hdNodeSetup setup = {
		.root = argc > 1 ? argv[1] : "",
		.smartctl = argc > 2 ? argv[2] : NULL,
		.intervalNs = (argc > 4 ? atoi(argv[4]) : 1000) * 1000000LL,
		.logger = &logger,
	};
	long samples = argc > 3 ? atol(argv[3]) : 2;
	struct hdNodeLocal *local;
	json_t *all = json_object();

	if (hdNodeLocalStart(&setup, &local) != 0)
		return 2;
	fputs("begun\n", stderr);
	if (samples == 0) {
		while (getchar() != EOF)
			;
		/* One may have begun to be taken before. */
		samples = samplesOf(local) + 2;
	}
	while (samplesOf(local) < samples)
		poll(NULL, 0, 10);
	for (int i = 0; i < HD_NODE_SECTIONS; i++) {
		enum hdNodeSection section = (enum hdNodeSection)i;

		json_object_set_new(all, hdNodeSectionName(section),
				    hdNodeLocalSection(local, section));
	}
	json_dumpf(all, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(all);
	hdNodeLocalStop(local);
	return 0;
}
