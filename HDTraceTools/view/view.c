/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: shows a project of any size in a browser.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/command/select.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/view/jobs.h"
#include "HDTraceTools/view/server.h"

/** What the command is asked for. */
struct view {
	struct findings findings;
	gboolean isAlone; /**< No browser is started. */
	int port;
};

/* ---- Starting ---------------------------------------------------------- */

/** When the first record of a trace starts, whatever it lies in. */
static bool firstRecord(const hdIProject *project, const hdITraceFile *trace,
			int64_t *time)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	const hdIRecord *record;
	bool found = reader && hdI_readTrace(reader, &record) == 1;

	if (found)
		*time = record->start;
	hdI_closeTrace(reader);
	return found;
}

static bool firstEntry(const hdIProject *project, const hdIGroup *group,
		       int64_t *time)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, group, &diagnosticsDropped);
	bool found = reader && hdI_getStatStart(reader, time);

	hdI_closeStat(reader);
	return found;
}

/** About when the project starts: the exact time may be at the end of a trace,
 *  where a state stands that lasted all of the run. */
static bool guessStart(const hdIProject *project, int64_t *start)
{
	bool found = false;
	int64_t time;

	*start = INT64_MAX;
	for (size_t i = 0; i < project->groupCount; i++) {
		if (!project->groups[i]->isReadable ||
		    !firstEntry(project, project->groups[i], &time))
			continue;
		*start = MIN(*start, time);
		found = true;
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		if (!firstRecord(project, project->traces[i], &time))
			continue;
		*start = MIN(*start, time);
		found = true;
	}
	return found;
}

/** In a child that is to become a browser. */
static void prepareChild(gpointer data)
{
	int null = open("/dev/null", O_RDWR);

	/* Ctrl-C is not for the browser. */
	setsid();
	pthread_sigmask(SIG_SETMASK, data, NULL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
}

/**
 * Write a page that leads to an address: in the arguments of a program all
 * users of this host could read it.
 *
 * @return Its path, to be freed with g_free(); NULL after an error, which was
 *         said.
 */
static char *writeLead(struct tool *tool, const char *url)
{
	char *path = g_build_filename(g_get_tmp_dir(),
				      "hdtrace-view-XXXXXX.html", NULL);
	int fd = g_mkstemp_full(path, O_WRONLY | O_CLOEXEC, 0600);
	int ret = fd < 0 ? -errno : 0;

	if (ret == 0 &&
	    dprintf(fd,
		    "<!doctype html>\n<meta charset=\"utf-8\">\n"
		    "<title>hdtrace view</title>\n"
		    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
		    url) < 0)
		ret = -errno;
	if (fd >= 0 && close(fd) < 0)
		ret = -errno;
	if (ret == 0)
		return path;
	toolError(tool, "%s: %s", path, strerror(-ret));
	if (fd >= 0)
		unlink(path);
	g_free(path);
	return NULL;
}

/** Open a page; who has no browser reads the address. */
static void openBrowser(struct tool *tool, char *path, sigset_t *mask)
{
	char program[] = "xdg-open";
	char *command[] = { program, path, NULL };

	if (!g_spawn_async(NULL, command, NULL,
			   G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
			   prepareChild, mask, NULL, NULL) &&
	    !tool->isQuiet)
		fputs("hdtrace view: xdg-open, which opens a browser, is "
		      "missing\n",
		      stderr);
}

/* ---- Serving ----------------------------------------------------------- */

/** Say where, open it, and wait until a signal comes. */
static void waitForEnd(const struct view *view, const char *url,
		       const sigset_t *signals, sigset_t *before)
{
	struct tool *tool = view->findings.tool;
	char *lead = view->isAlone ? NULL : writeLead(tool, url);
	int number;

	puts(url);
	fflush(stdout);
	if (lead)
		openBrowser(tool, lead, before);
	sigwait(signals, &number);
	if (lead)
		unlink(lead);
	g_free(lead);
}

/** What the data lacks is shown on the page; only what keeps us from showing it
 *  counts. */
static int finish(struct tool *tool)
{
	tool->warnings = 0;
	tool->errors = 0;
	return toolFinish(tool);
}

/** Serve until a signal comes. */
static void serve(struct view *view, struct tracks *tracks)
{
	struct tool *tool = view->findings.tool;
	struct viewServer *server = NULL;
	struct viewJobs *jobs = viewJobsNew(tracks, &view->findings);
	int64_t start;
	bool hasStart = guessStart(tracks->project, &start);
	sigset_t signals;
	sigset_t before;
	char *url = NULL;
	int ret;

	/* No thread takes them, but sigwait(). */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	ret = viewServerStart(&server, (uint16_t)view->port, tracks,
			      &view->findings, jobs, hasStart ? &start : NULL,
			      &url);
	if (ret == 0) {
		viewJobsStart(jobs);
		waitForEnd(view, url, &signals, &before);
	} else {
		toolError(tool, "cannot serve at port %d: %s", view->port,
			  strerror(-ret));
	}
	viewServerStop(server);
	/* A report that is being made cannot be stopped, but leaves nothing
	 * behind either. All that is of the tool is its threads'. */
	if (ret == 0 && !viewJobsProgress(jobs).hasReport)
		_exit(toolIsOutputBroken() ? TOOL_FAILED : TOOL_OK);
	viewJobsFree(jobs);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	g_free(url);
}

static void viewProject(struct view *view, const hdIProject *project)
{
	struct tracks *tracks;

	if (findingsStart(&view->findings, project) == 0) {
		/* Where the terminal shows it, nobody looks. */
		view->findings.tool->progress.isOn = false;
		tracks = tracksNew(&view->findings);
		serve(view, tracks);
		tracksFree(tracks);
	}
	findingsEnd(&view->findings);
}

static int runOn(struct view *view, const char *path)
{
	hdIProject *project = findingsOpen(&view->findings, path);

	if (!project)
		return toolFinish(view->findings.tool);
	viewProject(view, project);
	hdI_closeProject(project);
	return finish(view->findings.tool);
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Shows a project of any size in a browser: the viewer of "
		"hdtrace report --html, which reads\nwhat it shows on demand. "
		"It is served to this host only, at an address that nobody can "
		"guess,\nwhich is printed, until Ctrl-C.",
	.examples = "  hdtrace view run1\n"
		    "  hdtrace view --no-browser --port=8080 run1\n",
	.minArguments = 1,
	.maxArguments = 1,
	.formats = TOOL_TEXT_ONLY,
};

int viewRun(struct tool *tool, int argc, char **argv)
{
	struct view view = { .isAlone = FALSE };
	const GOptionEntry entries[] = {
		{ "no-browser", 0, 0, G_OPTION_ARG_NONE, &view.isAlone,
		  "Print the address, and open no browser", NULL },
		{ "port", 0, 0, G_OPTION_ARG_INT, &view.port,
		  "Serve at this port (0: any)", "PORT" },
		FINDINGS_ENTRIES(&view.findings),
		{ NULL },
	};
	int status;

	findingsInit(&view.findings, tool);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0 && (view.port < 0 || view.port > UINT16_MAX))
		status = toolUsage(tool, "--port: not a port: %d", view.port);
	if (status < 0)
		status = findingsCheckOptions(&view.findings, true);
	if (status < 0 && !pageExists())
		status = toolUsage(tool, "%s", pageMissing);
	if (status < 0)
		status = runOn(&view, argv[1]);
	findingsClear(&view.findings);
	return status;
}
