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

#include "HDTraceTools/command/alignoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/view/server.h"

/** What the command is asked for. */
struct view {
	struct tool *tool;
	struct findings findings; /**< Options of all. */
	gboolean isAlone;         /**< No browser is started. */
	int port;
	char *align; /**< "wall", "start" or the name of a mark; or NULL. */
	struct viewFollow **projects;
	size_t count;
};

/* ---- Starting ---------------------------------------------------------- */

/** In a child that is to become a browser. */
static void viewPrepareChild(gpointer data)
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
			   viewPrepareChild, mask, NULL, NULL) &&
	    !tool->isQuiet)
		fputs("hdtrace view: xdg-open: not found; open the address in "
		      "a browser\n",
		      stderr);
}

/* ---- Serving ----------------------------------------------------------- */

/** Say where, open it, and wait until a signal comes. */
static void viewWaitForEnd(const struct view *view, const char *url,
			   const sigset_t *signals, sigset_t *before)
{
	struct tool *tool = view->tool;
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
static int viewFinishStatus(struct tool *tool)
{
	tool->warnings = 0;
	tool->errors = 0;
	return toolFinish(tool);
}

/** Whether nothing is done that cannot be stopped. */
static bool viewIsIdle(const struct view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		if (!viewFollowIsIdle(view->projects[i]))
			return false;
	}
	return true;
}

/** How projects are aligned, in words that a page understands. */
static char *alignText(const struct view *view)
{
	if (strcmp(view->align, "wall") == 0 ||
	    strcmp(view->align, "start") == 0)
		return g_strdup(view->align);
	return g_strconcat("mark ", view->align, NULL);
}

/** Serve until a signal comes. */
static void viewServeUntilSignal(struct view *view)
{
	struct tool *tool = view->tool;
	struct viewServer *server = NULL;
	char *align = alignText(view);
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
	ret = viewServerStart(&server, (uint16_t)view->port, view->projects,
			      view->count, align, &url);
	if (ret == 0) {
		for (size_t i = 0; i < view->count; i++)
			viewFollowStart(view->projects[i]);
		viewWaitForEnd(view, url, &signals, &before);
	} else {
		toolError(tool, "port %d: cannot listen: %s", view->port,
			  strerror(-ret));
	}
	viewServerStop(server);
	for (size_t i = 0; i < view->count; i++)
		viewFollowStop(view->projects[i]);
	/* A report that is being made cannot be stopped, but leaves nothing
	 * behind either. All that is of the tool is its threads'. */
	if (ret == 0 && !viewIsIdle(view))
		_exit(toolIsOutputBroken() ? TOOL_FAILED : TOOL_OK);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	g_free(url);
	g_free(align);
}

/* ---- Projects ---------------------------------------------------------- */

/** Get a project ready to be served; the first clock is that of all. */
static bool viewStartProject(struct view *view, size_t number, const char *path,
			     int64_t *first)
{
	const struct viewOpening opening = {
		.path = path,
		.tool = view->tool,
		.findings = &view->findings,
	};
	struct viewFollow *project = viewFollowNew(&opening);
	struct viewEdition *edition;
	int64_t zero = 0;
	bool isGood = true;

	view->projects[number] = project;
	if (!project)
		return false;
	if (view->count > 1) {
		edition = viewFollowTake(project);
		isGood = alignFind(view->align, view->tool, edition->project,
				   path, &zero);
		viewFollowGiveBack(project, edition);
	}
	if (number == 0)
		*first = zero;
	viewFollowShift(project, *first - zero);
	return isGood;
}

static int viewRunOn(struct view *view, char **paths)
{
	size_t ready = 0;
	int64_t first = 0;

	view->projects = g_new0(struct viewFollow *, view->count);
	while (ready < view->count &&
	       viewStartProject(view, ready, paths[ready], &first))
		ready++;
	if (ready == view->count)
		viewServeUntilSignal(view);
	for (size_t i = 0; i < view->count; i++)
		viewFollowFree(view->projects[i]);
	g_free(view->projects);
	return viewFinishStatus(view->tool);
}

static const struct toolHelp help = {
	.arguments = "PROJECT...",
	.description =
		"Show projects of any size in a browser, with the viewer of "
		"hdtrace report --html.\nThe server is reachable from this "
		"host "
		"only, at a secret address that is printed.\nIt runs until "
		"Ctrl-C.",
	.examples = "  hdtrace view run1\n"
		    "  hdtrace view --no-browser --port=8080 run1\n"
		    "  hdtrace view --align=Solve run1 run2\n",
	.minArguments = 1,
	.maxArguments = ALIGN_PROJECTS_MAX,
	.formats = TOOL_TEXT_ONLY,
};

int viewRun(struct tool *tool, int argc, char **argv)
{
	struct view view = { .tool = tool };
	const GOptionEntry entries[] = {
		{ "no-browser", 0, 0, G_OPTION_ARG_NONE, &view.isAlone,
		  "Print the address only", NULL },
		{ "port", 0, 0, G_OPTION_ARG_INT, &view.port,
		  "Port to serve (default: 0, any free port)", "PORT" },
		ALIGN_ENTRY(&view.align),
		FINDINGS_ENTRIES(&view.findings),
		{ NULL },
	};
	const char *missing;
	int status;

	findingsInit(&view.findings, tool);
	view.findings.keepsAllWaits = true;
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0 && (view.port < 0 || view.port > UINT16_MAX))
		status = toolInvalidInt(tool, "port", view.port, "0 to 65535");
	if (status < 0)
		status = findingsCheckOptions(&view.findings, true);
	if (status < 0 && !pageExists())
		status = toolUsage(tool, "%s", pageMissing);
	missing = status < 0 ? viewServerMissing() : NULL;
	if (missing) {
		toolError(tool, "%s; use hdtrace report --html", missing);
		status = TOOL_FAILED;
	}
	if (status < 0 && !view.align)
		view.align = g_strdup("start");
	if (status < 0) {
		view.count = (size_t)(argc - 1);
		status = viewRunOn(&view, argv + 1);
	}
	g_free(view.align);
	findingsClear(&view.findings);
	return status;
}
