/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The subcommands of pt; each has a file of its own. */
#include "config.h"

#include "PowerTracingLibrary/pt/pt.h"

const struct command commands[] = {
	{ "devices", "list what a power service has", commandDevices },
	{ "energy", "print what a command costs, in one line", commandEnergy },
	{ "record", "record the power of nodes while a command runs",
	  commandRecord },
	{ "watch", "show the power of nodes as it is", commandWatch },
	{ NULL, NULL, NULL },
};
