/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace-slurm-record: records a node during a step, as the user of the job.
 *
 * slurmstepd starts it (node.h) with a socket as descriptor 3: "ready" goes
 * there when it records. It ends when that socket does, so also when slurmstepd
 * is killed; then it completes the files, adds a line to the step's account,
 * and answers "last ..." if all nodes have, else "done".
 *
 *     hdtrace-slurm-record PROJECT NODE INTERVAL NODES JOB POWER HDTRACE
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <PT.h>
#include <RUT.h>

#include "NodeStatus/slurm/account.h"
#include "NodeStatus/slurm/node.h"
#include "NodeStatus/slurm/service.h"
#include "common/clock.h"
#include "common/format/level.h"

#define SOCKET 3
#define OUTPUT_MAX 65536
/** How long energy may be added up: slurmstepd waits for ten seconds. */
#define REPORT_S 7

struct recorder {
	const char *project;
	const char *power;
	const char *hdtrace;
	int intervalMs;
	unsigned int nodes;
	struct hdslurmNode node;
	UtilTrace *utilization;
	PowerTrace *trace;
	struct hdslurmService service;
	bool hasPower;
};

/* Remember what is not recorded; of several the first. */
static void slurmRecordNoteLoss(struct recorder *recorder, const char *what)
{
	if (!*recorder->node.text)
		snprintf(recorder->node.text, sizeof(recorder->node.text), "%s",
			 what);
}

static double now(void)
{
	return (double)hdClockNow() / (double)HD_NS_PER_S;
}

/* ---- Power ----------------------------------------------------------------
 */

static int openPowerFile(struct recorder *recorder, const char *file,
			 hdTopology *topology)
{
	return pt_createTrace(file, topology, &recorder->trace);
}

/* All inputs of a device that this machine has, by a configuration that is
 * nowhere but in memory. */
static int openPowerDevice(struct recorder *recorder, const char *device,
			   hdTopology *topology)
{
	int fd = memfd_create("hdtrace-power", MFD_CLOEXEC);
	char path[64];
	int ret = PT_EMEMORY;

	if (fd < 0)
		return ret;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (dprintf(fd,
		    "[General]\ndevice=%s\ncycle=%d\n[Trace]\ntype=HDSTATS\n"
		    "node=%s\ninput=*\nvalues=P,E\n",
		    device, recorder->intervalMs, recorder->node.name) > 0)
		ret = openPowerFile(recorder, path, topology);
	close(fd);
	return ret;
}

/* "service" or "service:ADDRESS"; pt is where hdtrace is. */
static int openPowerService(struct recorder *recorder, const char *address)
{
	const char *slash = strrchr(recorder->hdtrace, '/');
	char pt[PATH_MAX];

	snprintf(pt, sizeof(pt), "%.*s/pt",
		 slash ? (int)(slash - recorder->hdtrace) : 1,
		 slash ? recorder->hdtrace : ".");
	if (*address && *address++ != ':')
		return PT_ECONFINVALID;
	return hdslurmServiceStart(&recorder->service, pt, recorder->project,
				   recorder->node.name,
				   *address ? address : NULL)
		       ? PT_SUCCESS
		       : PT_EMEMORY;
}

static int openPower(struct recorder *recorder, hdTopology *topology)
{
	static const char *const devices[] = { "powercap", "perf", "hwmon" };
	const char *power = recorder->power;

	if (strncmp(power, "service", 7) == 0)
		return openPowerService(recorder, power + 7);
	if (strchr(power, '/'))
		return openPowerFile(recorder, power, topology);
	if (strcmp(power, "auto") != 0)
		return openPowerDevice(recorder, power, topology);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (openPowerDevice(recorder, devices[i], topology) ==
		    PT_SUCCESS)
			return PT_SUCCESS;
	return PT_EDEVICE;
}

/* A machine need have no meter; what the site names should work. */
static void slurmRecordStartPower(struct recorder *recorder,
				  hdTopology *topology)
{
	if (strcmp(recorder->power, "none") == 0)
		return;
	if (openPower(recorder, topology) == PT_SUCCESS) {
		if (recorder->trace)
			pt_startTracing(recorder->trace);
		recorder->hasPower = true;
	} else if (strcmp(recorder->power, "auto") != 0) {
		char what[HDSLURM_TEXT_MAX];

		snprintf(what, sizeof(what), "no power is recorded: %.200s",
			 recorder->power);
		slurmRecordNoteLoss(recorder, what);
	}
}

/* ---- Energy ---------------------------------------------------------------
 */

static bool slurmRecordFindNumber(const char *text, const char *key,
				  double *number)
{
	char pattern[32];
	const char *found;

	snprintf(pattern, sizeof(pattern), "\"%s\": ", key);
	found = strstr(text, pattern);
	return found && sscanf(found + strlen(pattern), "%lf", number) == 1;
}

/* Take the first energy of a report, that of the whole node. */
static void takeEnergy(struct recorder *recorder, char *report)
{
	static const char key[] = "\n  \"energy\": {";
	char *energy = strstr(report, key);
	char *end = energy ? strchr(energy, '}') : NULL;
	double joules, knownS;

	if (!end)
		return;
	*end = '\0';
	if (!slurmRecordFindNumber(energy, "energy_j", &joules) ||
	    !slurmRecordFindNumber(energy, "known_s", &knownS))
		return;
	recorder->node.joules = joules;
	recorder->node.knownS = knownS;
	recorder->node.isSimulated =
		strstr(energy, "\"simulated\": true") != NULL;
}

/* Append the names of a list of the report, "[\"P_a\", ...]" or of objects with
 * a name; what does not fit is left out whole. */
static void slurmRecordAddNames(char *inputs, const char *list)
{
	const char *end = list ? strchr(list, ']') : NULL;
	const char *name = list;
	bool isFirst = true;

	while (end && (name = strchr(name, '"')) && name < end) {
		size_t length = strcspn(++name, "\""), used = strlen(inputs);

		/* Keys and reasons are no names. */
		if ((*name == 'P' || *name == 'E') &&
		    (name[1] == '_' || length == 1)) {
			if (used + length + 2 > HDSLURM_INPUTS_MAX)
				return;
			snprintf(inputs + used, HDSLURM_INPUTS_MAX - used,
				 "%s%.*s", isFirst ? "" : ",", (int)length,
				 name);
			isFirst = false;
		}
		name += length + 1;
	}
}

/* Take the inputs of the first node of a report. */
static void slurmRecordTakeInputs(struct recorder *recorder, const char *report)
{
	char *inputs = recorder->node.inputs;
	size_t length;

	slurmRecordAddNames(inputs, strstr(report, "\"energy_from\": ["));
	length = strlen(inputs);
	if (length + 1 < HDSLURM_INPUTS_MAX)
		strcpy(inputs + length, ";");
	slurmRecordAddNames(inputs, strstr(report, "\"energy_left_out\": ["));
	if (strcmp(inputs, ";") == 0)
		strcpy(inputs, "-");
	for (char *at = inputs + strspn(inputs, HDSLURM_INPUTS_BYTES); *at;
	     at += strspn(at, HDSLURM_INPUTS_BYTES))
		*at = '_';
}

static pid_t startReport(const struct recorder *recorder, const char *file,
			 int output)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	dup2(output, 1);
	close(SOCKET);
	alarm(REPORT_S);
	execl(recorder->hdtrace, "hdtrace", "report", "--format=json", file,
	      (char *)NULL);
	_exit(127);
}

/* What of the node's values is all of its power is the report's business. */
static void findEnergy(struct recorder *recorder)
{
	char file[2 * PATH_MAX];
	char *report = malloc(OUTPUT_MAX);
	size_t length = 0;
	ssize_t got = 1;
	int ends[2];
	pid_t child;
	int status = 0;

	if (!report || pipe2(ends, O_CLOEXEC) < 0) {
		free(report);
		return;
	}
	snprintf(file, sizeof(file), "%s_%s_Energy.stat", recorder->project,
		 recorder->node.name);
	child = startReport(recorder, file, ends[1]);
	close(ends[1]);
	while (child > 0 && got > 0 && length < OUTPUT_MAX - 1) {
		got = read(ends[0], report + length, OUTPUT_MAX - 1 - length);
		length += got > 0 ? (size_t)got : 0;
	}
	close(ends[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		slurmRecordNoteLoss(
			recorder, "no joules: computing the energy timed out");
	report[length] = '\0';
	slurmRecordTakeInputs(recorder, report);
	takeEnergy(recorder, report);
	free(report);
}

/* ---- Begin, and end -------------------------------------------------------
 */

static void slurmRecordStartUtilization(struct recorder *recorder,
					hdTopoNode *host)
{
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	if (rut_createTrace(host, 1, sources, recorder->intervalMs,
			    &recorder->utilization) == RUT_SUCCESS)
		rut_startTrace(recorder->utilization);
	else
		slurmRecordNoteLoss(recorder, "no utilization is recorded");
}

static void slurmRecordStartAll(struct recorder *recorder)
{
	const char *levels[] = { HD_LEVEL_HOST };
	const char *path[] = { recorder->node.name };
	hdTopology *topology = hdT_createTopology(recorder->project, levels, 1);
	hdTopoNode *host =
		topology ? hdT_createTopoNode(topology, path, 1) : NULL;

	recorder->node.fromS = now();
	if (host) {
		slurmRecordStartUtilization(recorder, host);
		slurmRecordStartPower(recorder, topology);
		hdT_destroyTopoNode(host);
	} else {
		slurmRecordNoteLoss(recorder,
				    "nothing is recorded on this node");
	}
	if (topology)
		hdT_destroyTopology(topology);
}

static void slurmRecordEndAll(struct recorder *recorder)
{
	if (recorder->utilization &&
	    rut_finalizeTrace(recorder->utilization) != RUT_SUCCESS)
		slurmRecordNoteLoss(recorder, "the utilization is incomplete");
	if (recorder->trace && pt_finalizeTrace(recorder->trace) != PT_SUCCESS)
		slurmRecordNoteLoss(recorder, "the power is incomplete");
	if (recorder->service.child &&
	    !hdslurmServiceEnd(&recorder->service, recorder->project,
			       recorder->node.name))
		slurmRecordNoteLoss(recorder, "no power is recorded: the power "
					      "service has no values");
	recorder->node.toS = now();
	if (recorder->hasPower)
		findEnergy(recorder);
}

static void slurmRecordAnswerLine(const char *line)
{
	/* Nobody may be there. */
	(void)send(SOCKET, line, strlen(line), MSG_NOSIGNAL);
}

/* Nothing comes; it is closed, or at its end, when the step is. */
static void slurmRecordWaitForEnd(void)
{
	char byte;
	ssize_t got;

	do {
		got = recv(SOCKET, &byte, 1, 0);
	} while (got > 0 || (got < 0 && errno == EINTR));
}

static void slurmRecordReportResult(struct recorder *recorder)
{
	char account[PATH_MAX], line[HDSLURM_ANSWER_MAX] = "done\n";
	struct hdslurmTotal total;

	if (hdslurmAccountPath(recorder->project, account) &&
	    hdslurmAccountAdd(account, &recorder->node, recorder->nodes,
			      &total) == 1)
		hdslurmNodeFormat(&total, line, sizeof(line));
	slurmRecordAnswerLine(line);
}

static bool readArguments(struct recorder *recorder, int count, char **words)
{
	if (count != 8 || *words[1] != '/' ||
	    strlen(words[2]) >= sizeof(recorder->node.name))
		return false;
	recorder->project = words[1];
	strcpy(recorder->node.name, words[2]);
	recorder->intervalMs = atoi(words[3]);
	recorder->nodes = (unsigned int)atoi(words[4]);
	recorder->node.job = (unsigned int)strtoul(words[5], NULL, 10);
	recorder->power = words[6];
	recorder->hdtrace = words[7];
	return recorder->intervalMs > 0;
}

int main(int argc, char **argv)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct recorder recorder = { 0 };

	if (!readArguments(&recorder, argc, argv)) {
		fprintf(stderr, "hdtrace-slurm-record: only the Slurm plugin "
				"hdtrace.so can run this program\n");
		return 2;
	}
	/* Signals to a step are for its tasks. */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	fcntl(SOCKET, F_SETFD, FD_CLOEXEC);
	slurmRecordStartAll(&recorder);
	slurmRecordAnswerLine("ready\n");
	slurmRecordWaitForEnd();
	slurmRecordEndAll(&recorder);
	slurmRecordReportResult(&recorder);
	return 0;
}
