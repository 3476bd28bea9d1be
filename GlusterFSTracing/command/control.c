/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdgluster enable, disable and status: what a volume that serves records. How
 * it is reached is said in GlusterFSTracing/xlator/control.h. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "GlusterFSTracing/command/hdgluster.h"
#include "GlusterFSTracing/xlator/control.h"
#include "GlusterFSTracing/xlator/fops.h"
#include "cli/errors.h"
#include "cli/rows.h"

#define REPORT_MAX 65536

#define FOP_NAME(name, INDEX, ...) #name,
static const char *const fopWords[] = { "all", HDG_FOPS(FOP_NAME) NULL };
static const char *const whatWords[] = { "gauges", "relations", "states", "all",
					 NULL };

static const struct cliWords disableWords[] = {
	{ "fops", fopWords, true },
	{ NULL, NULL, false },
};
static const struct cliWords enableWords[] = {
	{ "fops", fopWords, true },
	{ "what", whatWords, true },
	{ NULL, NULL, false },
};

enum { NODE, LAYER, STATE, WHAT, FOPS, PROJECT };
static const struct rowColumn columns[] = {
	[NODE] = { "<Node", "node", ROW_TEXT, 0 },
	[LAYER] = { "<Layer", "layer", ROW_TEXT, 0 },
	[STATE] = { "<Recording", "state", ROW_TEXT, 0 },
	[WHAT] = { "<What", "what", ROW_TEXT, 0 },
	[FOPS] = { "<Operations", "operations", ROW_TEXT, 0 },
	[PROJECT] = { "<Project", "project", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

struct control {
	const struct cliCommand *command;
	const char *verb;
	char *layers, *fops, *what, *project;
	char id[64];
};

/* ---- The mount --------------------------------------------------------- */

static int controlReportError(const char *mount, const char *why)
{
	fprintf(stderr, "hdgluster: %s: %s\n", mount, why);
	return GLUSTER_FAILED;
}

static const char *controlExplain(int error)
{
	switch (error) {
	case ENOTSUP:
	case ENODATA:
		return "no GlusterFS client with the translator debug/hdtrace "
		       "is mounted here";
	case EPERM:
		return "permission denied; run this command as root";
	case ERANGE:
	case E2BIG:
		return "reply exceeds the size limit; select fewer layers "
		       "with --layers";
	default:
		return g_strerror(error);
	}
}

static void requestAdd(GString *request, const char *key, const char *value)
{
	if (value)
		g_string_append_printf(request, " %s=%s", key, value);
}

static char *requestText(struct control *control)
{
	GString *request = g_string_new(NULL);

	g_snprintf(control->id, sizeof(control->id), "%d.%" G_GINT64_FORMAT,
		   (int)getpid(), g_get_real_time());
	g_string_printf(request, "%s %s", control->id, control->verb);
	requestAdd(request, "layers", control->layers);
	requestAdd(request, "fops", control->fops);
	requestAdd(request, "what", control->what);
	requestAdd(request, "project", control->project);
	return g_string_free(request, FALSE);
}

/* Whether the client of a mount has our translator at its top: 0, or an errno.
 * Others would store what is set. */
static int controlFindTranslator(const char *mount, char *report)
{
	ssize_t length = getxattr(mount, CONTROL_KEY, report, REPORT_MAX - 1);

	/* Nobody else has one that is too long: the report on the request
	 * before, which another one replaces. */
	if (length < 0 && (errno == ERANGE || errno == E2BIG))
		return 0;
	/* The kernel hides such attributes from others. */
	if (length < 0)
		return errno == ENODATA && geteuid() != 0 ? EPERM : errno;
	return memchr(report, '\n', (size_t)length) ? 0 : ENODATA;
}

/* Ask, and get the report, or NULL: why was said. */
static char *controlGetReport(struct control *control, const char *mount)
{
	char *request = requestText(control);
	char *report = g_malloc(REPORT_MAX);
	size_t id = strlen(control->id);
	int error = controlFindTranslator(mount, report);
	ssize_t length = -1;

	/* With the '\0', which the other side wants. */
	if (strlen(request) >= CONTROL_REQUEST_MAX) {
		controlReportError(mount, "request exceeds the size limit");
	} else if (error) {
		controlReportError(mount, controlExplain(error));
	} else if (setxattr(mount, CONTROL_KEY, request, strlen(request) + 1,
			    0) < 0 ||
		   (length = getxattr(mount, CONTROL_KEY, report,
				      REPORT_MAX - 1)) < 0) {
		controlReportError(mount, controlExplain(errno));
	} else {
		report[length] = '\0';
		if (strncmp(report, control->id, id) != 0 ||
		    report[id] != '\n') {
			controlReportError(
				mount, "another command changed the request "
				       "at the same time; "
				       "try again");
			length = -1;
		}
	}
	g_free(request);
	if (length >= 0)
		return report;
	g_free(report);
	return NULL;
}

/* ---- The report -------------------------------------------------------- */

/* Take a line of the report: whether it says that a process obeys. */
static bool controlAddLine(const char *line, struct rows *rows,
			   GHashTable *layers)
{
	char **cells = g_strsplit(line, " ", PROJECT + 2);
	bool isGood = strcmp(cells[0], "ok") == 0 &&
		      g_strv_length(cells) == PROJECT + 2;

	if (isGood) {
		g_hash_table_add(layers, g_strdup(cells[2]));
		for (size_t i = NODE; i <= PROJECT; i++)
			rowsText(rows, i, cells[i + 1]);
		rowsEnd(rows);
	} else {
		fprintf(stderr, "hdgluster: %s\n",
			g_str_has_prefix(line, "failed ")
				? line + strlen("failed ")
				: line);
	}
	g_strfreev(cells);
	return isGood;
}

/* Whether each layer that was named is one of somebody's. */
static bool hasLayers(const struct control *control, GHashTable *layers)
{
	char **wanted =
		control->layers ? g_strsplit(control->layers, ",", 0) : NULL;
	bool isGood = true;

	for (char **i = wanted; i && *i; i++) {
		if (g_hash_table_contains(layers, *i))
			continue;
		fprintf(stderr, "hdgluster: %s: no process has this layer\n",
			*i);
		isGood = false;
	}
	g_strfreev(wanted);
	return isGood;
}

static int controlShowReport(const struct control *control, char *report)
{
	GHashTable *layers =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct rows *rows = rowsNew(columns, OUT_TEXT, NULL);
	char **lines = g_strsplit(report, "\n", 0);
	bool isGood = true;

	for (char **i = lines + 1; *i; i++) {
		if (**i)
			isGood &= controlAddLine(*i, rows, layers);
	}
	isGood &= hasLayers(control, layers);
	if (strcmp(control->verb, "status") == 0)
		rowsPrint(rows, "", false);
	rowsFree(rows);
	g_strfreev(lines);
	g_hash_table_destroy(layers);
	return isGood ? GLUSTER_OK : GLUSTER_WRONG;
}

/* ---- Commands ---------------------------------------------------------- */

static bool isWordOf(const char *const *list, const char *word)
{
	for (; *list; list++) {
		if (g_ascii_strcasecmp(*list, word) == 0)
			return true;
	}
	return false;
}

/* Check a list with commas; -1: go on. */
static int checkList(const struct control *control, const char *option,
		     const char *list, const char *const *of)
{
	char **all = list ? g_strsplit(list, ",", 0) : NULL;
	int status = -1;

	if (all && !*all)
		status = cliErrorValue(control->command, option, list,
				       "a list of names");
	for (char **i = all; status < 0 && i && *i; i++) {
		if (!**i || strpbrk(*i, " \t\n") || (of && !isWordOf(of, *i)))
			status = cliErrorValue(
				control->command, option, *i,
				of ? "a name that hdtrace-gluster(7) lists"
				   : "names of layers");
	}
	g_strfreev(all);
	return status;
}

static int controlCheckOptions(const struct control *control, int argc,
			       char **argv)
{
	int status;

	if (argc < 2)
		return cliErrorMissing(control->command, "MOUNT");
	if (argc > 2)
		return cliErrorUnexpected(control->command, argv[2]);
	status = glusterCheckProject(control->command, control->project);
	if (status < 0)
		status = checkList(control, "layers", control->layers, NULL);
	if (status < 0)
		status = checkList(control, "fops", control->fops, fopWords);
	if (status < 0)
		status = checkList(control, "what", control->what, whatWords);
	return status;
}

static int controlRun(const struct cliCommand *command, const char *verb,
		      int argc, char **argv)
{
	struct control control = { .command = command, .verb = verb };
	const GOptionEntry common[] = {
		{ "layers", 0, 0, G_OPTION_ARG_STRING, &control.layers,
		  "Select only these layers, such as REQ,TROVE", "LIST" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry changing[] = {
		{ "fops", 0, 0, G_OPTION_ARG_STRING, &control.fops,
		  "Select only these operations, such as readv,writev; "
		  "or all",
		  "LIST" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry enabling[] = {
		{ "what", 0, 0, G_OPTION_ARG_STRING, &control.what,
		  "Record gauges, relations, states (which include "
		  "relations), or all",
		  "LIST" },
		{ "project", 'p', 0, G_OPTION_ARG_STRING, &control.project,
		  "Record into this project, in the directory that the "
		  "volume file sets",
		  "NAME" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const bool isEnabling = strcmp(verb, "enable") == 0;
	const GOptionEntry *lists[] = { common,
					strcmp(verb, "status") == 0 ? NULL
								    : changing,
					isEnabling ? enabling : NULL, NULL };
	int status = cliParse(command, lists, &argc, &argv);
	char *report;

	if (status < 0)
		status = controlCheckOptions(&control, argc, argv);
	if (status < 0) {
		status = GLUSTER_FAILED;
		report = controlGetReport(&control, argv[1]);
		if (report)
			status = controlShowReport(&control, report);
		g_free(report);
	}
	g_free(control.layers);
	g_free(control.fops);
	g_free(control.what);
	g_free(control.project);
	return status;
}

int enableRun(int argc, char **argv)
{
	static const struct cliCommand command = {
		.name = "hdgluster enable",
		.arguments = "MOUNT",
		.description =
			"Start recording in a running volume: in the client of "
			"this mount and in all bricks. With another project "
			"name, the files of the current project are completed.",
		.notes = "Examples:\n"
			 "  hdgluster enable /mnt/gv0\n"
			 "  hdgluster enable --project=slowday "
			 "--layers=REQ,TROVE --what=gauges /mnt/gv0",
		.usageStatus = GLUSTER_FAILED,
		.words = enableWords,
	};

	return controlRun(&command, "enable", argc, argv);
}

int disableRun(int argc, char **argv)
{
	static const struct cliCommand command = {
		.name = "hdgluster disable",
		.arguments = "MOUNT",
		.description =
			"Stop recording in a running volume: in the client of "
			"this mount and in all bricks. The files are then "
			"complete. With --fops, only these operations stop.",
		.notes = "Examples:\n"
			 "  hdgluster disable /mnt/gv0\n"
			 "  hdgluster disable --fops=lookup,stat /mnt/gv0",
		.usageStatus = GLUSTER_FAILED,
		.words = disableWords,
	};

	return controlRun(&command, "disable", argc, argv);
}

int statusRun(int argc, char **argv)
{
	static const struct cliCommand command = {
		.name = "hdgluster status",
		.arguments = "MOUNT",
		.description =
			"Show the state of recording in the client of this "
			"mount and in all bricks of its volume.",
		.notes = "Examples:\n"
			 "  hdgluster status /mnt/gv0\n"
			 "  hdgluster status --layers=REQ,TROVE /mnt/gv0",
		.usageStatus = GLUSTER_FAILED,
	};

	return controlRun(&command, "status", argc, argv);
}
