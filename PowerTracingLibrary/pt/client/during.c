/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording while a command runs; see during.h. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "PowerTracingLibrary/pt/client/during.h"
#include "common/clock.h"

const char *duringCheck(struct cliWait *wait, int argc, char **argv,
			gboolean hasDuration, gboolean hasPid)
{
	int modes;

	if (argc > 1 && strcmp(argv[1], "--") == 0) {
		argv++;
		argc--;
	}
	if (argc > 1)
		wait->command = argv + 1;
	modes = !!wait->command + hasDuration + hasPid;
	if (modes == 0)
		return "missing argument: COMMAND, --duration or --pid";
	if (modes > 1)
		return hasDuration && hasPid
			       ? "--duration: cannot be combined with --pid"
		       : hasPid ? "--pid: cannot be combined with COMMAND"
				: "--duration: cannot be combined with COMMAND";
	if (hasPid && kill(wait->pid, 0) != 0 && errno == ESRCH)
		return "--pid: no such process";
	return NULL;
}

static int duringBegin(struct during *during, struct ptRecorder **recorder)
{
	int ret;

	if (during->own)
		return ptOwnBegin(during->own);
	ret = ptRecorderOpen(&during->setup, during->calls, during->context,
			     recorder);
	if (ret == 0)
		ret = ptRecorderBegin(*recorder);
	if (ret < 0) {
		ptRecorderFree(*recorder);
		*recorder = NULL;
	}
	return ret;
}

int duringRun(struct during *during, struct ptRecorder **recorder)
{
	int64_t began;
	int result = 0;

	*recorder = NULL;
	if (during->wait.command)
		result = cliCheckCommand(during->wait.tool,
					 during->wait.command[0]);
	if (result != 0)
		return result;
	/* Before there is a thread. */
	cliPrepare();
	if (duringBegin(during, recorder) < 0)
		return CLI_EXIT_FAILED;
	during->hasRun = TRUE;
	during->fromNs = hdClockNow();
	began = hdMonotonicNow();
	if (during->sum)
		ptPowerSumBegin(during->sum, during->fromNs);
	result = cliWaitFor(&during->wait);
	during->toNs = during->fromNs + hdMonotonicNow() - began;
	if (during->sum)
		ptPowerSumEnd(during->sum, during->toNs);
	if (during->own) {
		ptOwnEnd(during->own, during->toNs);
		return result;
	}
	ptRecorderEnd(*recorder, during->toNs);
	during->reconnects = ptRecorderReconnects(*recorder);
	return result;
}
