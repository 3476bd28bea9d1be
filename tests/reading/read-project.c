/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: smoke */
/* Projects: what the .proj says, and which files there are. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/reading/reading.h"

#define APP(inside) "<Application name='app'>" inside "</Application>\n"
#define NODES                                                       \
	"<Topology><Level type='Host'><Level type='Rank'/></Level>" \
	"<Node name='a'><Node name='0'/></Node><Node name='b'/></Topology>"
#define GROUPS "<ExternalStatistics><G/><H/></ExternalStatistics>"

/* A header for node LABEL and group NAME. */
#define HEAD(label, name)                                    \
	"<Statistics><TopologyNode>" label "</TopologyNode>" \
	"<Group name='" name "'><v type='INT32'/></Group></Statistics>"
#define LABEL(label) "<Label value='" label "'/>"

struct file {
	const char *name;    /* With '/' at the end: a directory. */
	const char *content; /* NULL: an empty trace. Of .stat: the header. */
};

static const struct row {
	const char *name;
	const char *proj; /* NULL: none. */
	struct file files[6];
	const char *messages; /* Lines RULE@FILE. */
	const char *outline;  /* NULL: it cannot be opened. */
	int error;
} rows[] = {
	{ "all declared",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat", HEAD(LABEL("a"), "G") },
	    { "p_H.stat", HEAD("", "H") },
	    { "p_a_0.trc", NULL },
	    { "p_a_0.info", "" } },
	  "",
	  "app +H()\n"
	  ".a +G(a)\n"
	  "..0 trc info\n"
	  ".b\n",
	  0 },
	{ "elements in any case",
	  "<APPLICATION name='app'><topology><node name='a'/></topology>"
	  "<externalstatistics><G/></externalstatistics></APPLICATION>",
	  { { "p_a_G.stat", HEAD(LABEL("a"), "G") } },
	  "",
	  "app\n.a +G(a)\n",
	  0 },
	{ "unknown elements",
	  APP("<x><Topology><Node name='no'/></Topology></x>" NODES "<y/>"),
	  { { NULL, NULL } },
	  "",
	  "app\n.a\n..0\n.b\n",
	  0 },
	{ "name of the file where there is no other",
	  "<Application>" NODES "</Application>",
	  { { NULL, NULL } },
	  "",
	  "p\n.a\n..0\n.b\n",
	  0 },

	/* File names. */
	{ "literal names",
	  APP("<Topology><Node name='my_host.a-1'><Node name='x y'/></Node>"
	      "</Topology><ExternalStatistics><G_1/></ExternalStatistics>"),
	  { { "p_my_host.a-1_G_1.stat", HEAD(LABEL("my_host.a-1"), "G_1") },
	    { "p_my_host.a-1_x y.trc", NULL } },
	  "",
	  "app\n.my_host.a-1 +G_1(my_host.a-1)\n..x y trc\n",
	  0 },
	{ "names without special characters",
	  APP("<Topology><Node name='my_host:1'><Node name='x+y'/></Node>"
	      "</Topology><ExternalStatistics><G_1/></ExternalStatistics>"),
	  { { "p_myhost1_G1.stat", HEAD(LABEL("my_host:1"), "G_1") },
	    { "p_myhost1_xy.trc", NULL } },
	  "",
	  "app\n.my_host:1 +G_1(my_host:1)\n..x+y trc\n",
	  0 },
	{ "the literal name comes first",
	  APP("<Topology><Node name='a+b'/></Topology>"),
	  { { "p_a+b.trc", NULL }, { "p_ab.trc", NULL } },
	  "proj.undeclared@p_ab.trc\n",
	  "app\n.a+b trc\n.ab? trc\n",
	  0 },

	/* What is missing, and what is not declared. */
	{ "group without file",
	  APP(NODES GROUPS),
	  { { "p_b_G.stat", HEAD(LABEL("b"), "G") } },
	  "proj.group-missing@p.proj\n",
	  "app\n.a\n..0\n.b +G(b)\n",
	  0 },
	{ "group not declared",
	  APP(NODES),
	  { { "p_b_G.stat", HEAD(LABEL("b"), "G") } },
	  "proj.undeclared@p_b_G.stat\n",
	  "app\n.a\n..0\n.b -G(b)\n",
	  0 },
	{ "group not declared, of the root",
	  APP(NODES),
	  { { "p_G.stat", HEAD("", "G") } },
	  "proj.undeclared@p_G.stat\n",
	  "app -G()\n.a\n..0\n.b\n",
	  0 },
	{ "node not declared",
	  APP(NODES GROUPS),
	  { { "p_b_G.stat", HEAD(LABEL("b"), "G") },
	    { "p_b_H.stat", HEAD(LABEL("b"), "H") },
	    { "p_a_1_x.trc", NULL },
	    { "p_c_G.stat", HEAD(LABEL("c"), "G") } },
	  "proj.undeclared@p_a_1_x.trc\nproj.undeclared@p_c_G.stat\n",
	  "app\n.a\n..0\n..1?\n...x? trc\n.b +G(b) +H(b)\n.c? +G(c)\n",
	  0 },
	{ "labels of a header tell what belongs together",
	  APP(NODES),
	  { { "p_x_y_G_1.stat", HEAD(LABEL("x_y"), "G_1") } },
	  "proj.undeclared@p_x_y_G_1.stat\nproj.undeclared@p_x_y_G_1.stat\n",
	  "app\n.a\n..0\n.b\n.x_y? -G_1(x_y)\n",
	  0 },
	{ "the header names another node",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat", HEAD(LABEL("b"), "G") },
	    { "p_a_H.stat", HEAD(LABEL("a"), "H") } },
	  "stat.name@p_a_G.stat\n",
	  "app\n.a +G(b) +H(a)\n..0\n.b\n",
	  0 },
	{ "the header names another group",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat", HEAD(LABEL("a"), "H") },
	    { "p_a_H.stat", HEAD(LABEL("a"), "H") } },
	  "stat.name@p_a_G.stat\n",
	  "app\n.a +G(a) +H(a)\n..0\n.b\n",
	  0 },
	{ "no labels in the header",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat", HEAD("", "G") }, { "p_a_H.stat", HEAD("", "H") } },
	  "",
	  "app\n.a +G() +H()\n..0\n.b\n",
	  0 },
	{ "files of another project",
	  APP(NODES),
	  { { "p_x.proj", APP(NODES) },
	    { "p_x_a.trc", NULL },
	    { "pp_a.trc", NULL },
	    { "q_a.trc", NULL },
	    { "p_xy.trc", NULL } },
	  "proj.undeclared@p_xy.trc\n",
	  "app\n.a\n..0\n.b\n.xy? trc\n",
	  0 },

	/* One bad file never takes the project down. */
	{ "bad header",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat", "nonsense" },
	    { "p_a_H.stat", HEAD(LABEL("a"), "H") } },
	  "stat.header@p_a_G.stat\n",
	  "app\n.a +G!() +H(a)\n..0\n.b\n",
	  0 },
	{ "bad header, not declared",
	  APP(NODES),
	  { { "p_a_0_G.stat", "nonsense" }, { "p_x_G.stat", "nonsense" } },
	  "stat.header@p_a_0_G.stat\nproj.undeclared@p_a_0_G.stat\n"
	  "stat.header@p_x_G.stat\nproj.undeclared@p_x_G.stat\n"
	  "proj.undeclared@p_x_G.stat\n",
	  "app\n.a\n..0 -G!()\n.b\n.x? -G!()\n",
	  0 },
	{ "directories that are called like files",
	  APP(NODES GROUPS),
	  { { "p_a_G.stat/", NULL },
	    { "p_a_0.trc/", NULL },
	    { "p_H.stat", HEAD("", "H") } },
	  "file.open@p_a_G.stat\nfile.open@p_a_0.trc\n",
	  "app +H()\n.a +G!()\n..0 trc\n.b\n",
	  0 },

	/* The topology. */
	{ "the same node twice",
	  APP("<Topology><Node name='a'><Node name='0'/></Node>"
	      "<Node name='a'><Node name='1'/></Node></Topology>"),
	  { { NULL, NULL } },
	  "proj.topology@p.proj\n",
	  "app\n.a\n..0\n..1\n",
	  0 },
	{ "nodes without a name",
	  APP("<Topology><Node/><Node name=''><Node name='0'/></Node>"
	      "<Node name='a'/></Topology>"),
	  { { NULL, NULL } },
	  "proj.topology@p.proj\nproj.topology@p.proj\n",
	  "app\n.a\n",
	  0 },
	{ "nodes of the same path",
	  APP("<Topology><Node name='a_b'/><Node name='a'><Node name='b'/>"
	      "</Node></Topology>"),
	  { { "p_a_b.trc", NULL } },
	  "",
	  "app\n.a_b trc\n.a\n..b\n",
	  0 },
	{ "old format",
	  APP("<Topology><Level name='host'/><Label value='a'/></Topology>"),
	  { { NULL, NULL } },
	  "proj.old-format@p.proj\n",
	  "app\n.a\n",
	  0 },
	{ "old format, values in the project",
	  APP(NODES "<ExternalStatistics><G timeOffset='1'><x type='float'/>"
		    "</G></ExternalStatistics>"),
	  { { "p_a_G.stat", HEAD(LABEL("a"), "G") } },
	  "proj.old-format@p.proj\n",
	  "app\n.a +G(a)\n..0\n.b\n",
	  0 },

	/* Bad .proj files. */
	{ "no .proj",
	  NULL,
	  { { "p_a.trc", NULL } },
	  "file.open@p.proj\n",
	  NULL,
	  ENOENT },
	{ "a directory called .proj",
	  "/",
	  { { "p_a.trc", NULL } },
	  "file.open@p.proj\n",
	  NULL,
	  ENOENT },
	{ "empty .proj",
	  "",
	  { { NULL, NULL } },
	  "proj.xml@p.proj\n",
	  NULL,
	  EBADMSG },
	{ "not XML",
	  "nonsense",
	  { { NULL, NULL } },
	  "proj.xml@p.proj\n",
	  NULL,
	  EBADMSG },
	{ "not XML, but there are files",
	  "nonsense",
	  { { "p_a.trc", NULL } },
	  "proj.xml@p.proj\nproj.undeclared@p_a.trc\n",
	  "p\n.a? trc\n",
	  0 },
	{ "neither topology nor files",
	  APP(""),
	  { { NULL, NULL } },
	  "proj.topology@p.proj\n",
	  NULL,
	  EBADMSG },
	{ "other root",
	  "<Program/>",
	  { { NULL, NULL } },
	  "proj.root@p.proj\n",
	  NULL,
	  EBADMSG },
	{ "other root, but there are files",
	  "<Program/>",
	  { { "p_a.trc", NULL } },
	  "proj.root@p.proj\nproj.undeclared@p_a.trc\n",
	  "p\n.a? trc\n",
	  0 },
	{ "cut",
	  "<Application name='app'><Topology><Node name='a'/><Node na",
	  { { "p_a.trc", NULL } },
	  "proj.xml@p.proj\n",
	  "app\n.a trc\n",
	  0 },
	{ "DOCTYPE",
	  "<!DOCTYPE Application>" APP(NODES),
	  { { NULL, NULL } },
	  "proj.xml@p.proj\n",
	  NULL,
	  EBADMSG },
	{ "entities that grow",
	  "<!DOCTYPE a [<!ENTITY b 'bbb'><!ENTITY c '&b;&b;'>]>" APP(
		  NODES "<Description>&c;</Description>"),
	  { { NULL, NULL } },
	  "proj.xml@p.proj\n",
	  NULL,
	  EBADMSG },
};

/* ---- Running them ------------------------------------------------------ */

struct outcome {
	GString *messages;
	GString *outline;
};

static void takeMessage(const hdIMessage *message, void *data)
{
	struct outcome *outcome = data;
	char *file = g_path_get_basename(message->file);

	g_string_append_printf(outcome->messages, "%s@%s\n", message->rule,
			       file);
	g_test_message("%s %s:%" PRId64 ":%" PRId64 ": %s", message->rule, file,
		       message->offset, message->line, message->text);
	g_free(file);
}

static void makeFile(const char *directory, const char *name,
		     const char *content)
{
	char *path = g_build_filename(directory, name, NULL);
	GString *text = g_string_new(NULL);

	if (g_str_has_suffix(name, "/")) {
		g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
	} else {
		if (g_str_has_suffix(name, ".stat")) {
			GString *bytes =
				readingStat(NULL, content, NULL, NULL, "T1");

			g_string_append_len(text, bytes->str,
					    (gssize)bytes->len);
			g_string_free(bytes, TRUE);
		} else {
			g_string_append(text, content ? content : "<Program/>");
		}
		g_assert_true(g_file_set_contents(path, text->str,
						  (gssize)text->len, NULL));
	}
	g_string_free(text, TRUE);
	g_free(path);
}

static void removeAll(const char *directory)
{
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(directory, name, NULL);

		g_assert_cmpint(g_remove(path), ==, 0);
		g_free(path);
	}
	g_dir_close(dir);
	g_assert_cmpint(g_rmdir(directory), ==, 0);
}

/* The tree, with what is consistent in any project checked on the way. */
static void outlineNode(GString *text, const hdIProject *project,
			const hdINode *node)
{
	g_assert_true(hdI_findNode(project, node->path) == node ||
		      strchr(node->path, '_'));
	for (int i = 0; i < node->level; i++)
		g_string_append_c(text, '.');
	g_string_append_printf(text, "%s%s", node->label,
			       node->isDeclared ? "" : "?");
	if (node->trace)
		g_string_append_printf(text, " trc%s",
				       node->trace->infoFile ? " info" : "");
	for (size_t i = 0; i < node->groupCount; i++) {
		const hdIGroup *group = node->groups[i];

		g_assert_true(group->node == node);
		g_string_append_printf(
			text, " %s%s%s(", group->isDeclared ? "+" : "-",
			group->name, group->isReadable ? "" : "!");
		for (size_t k = 0; k < group->labelCount; k++)
			g_string_append_printf(text, "%s%s", k ? "," : "",
					       group->labels[k]);
		g_string_append_c(text, ')');
	}
	g_string_append_c(text, '\n');
	for (size_t i = 0; i < node->childCount; i++) {
		g_assert_true(node->children[i]->parent == node);
		g_assert_cmpint(node->children[i]->level, ==, node->level + 1);
		outlineNode(text, project, node->children[i]);
	}
}

static void checkLists(const hdIProject *project)
{
	size_t groups = 0, traces = 0;

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		g_assert_cmpint(node->level, <=, (int)project->levelCount);
		for (size_t k = 0; k < node->groupCount; k++)
			g_assert_true(project->groups[groups++] ==
				      node->groups[k]);
		if (node->trace) {
			g_assert_true(project->traces[traces++] == node->trace);
			g_assert_true(node->trace->node == node);
		}
	}
	g_assert_cmpuint(groups, ==, project->groupCount);
	g_assert_cmpuint(traces, ==, project->traceCount);
	g_assert_true(project->nodes[0] == project->root);
	g_assert_null(hdI_findNode(project, "no such node"));
}

static void run(const char *path, const char *messages, const char *outline,
		int error)
{
	struct outcome outcome = { g_string_new(NULL), g_string_new(NULL) };
	hdIProject *project = hdI_openProject(path, takeMessage, &outcome);
	int found = errno;

	if (project) {
		outlineNode(outcome.outline, project, project->root);
		checkLists(project);
	}
	g_assert_cmpstr(outcome.messages->str, ==, messages);
	if (outline) {
		g_assert_nonnull(project);
		g_assert_cmpstr(outcome.outline->str, ==, outline);
	} else {
		g_assert_null(project);
		g_assert_cmpint(found, ==, error);
	}
	hdI_closeProject(project);
	g_string_free(outcome.messages, TRUE);
	g_string_free(outcome.outline, TRUE);
}

static char *makeDirectory(void)
{
	char *directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);

	g_assert_nonnull(directory);
	return directory;
}

static void testRow(gconstpointer data)
{
	const struct row *row = data;
	char *directory = makeDirectory();
	char *path = g_build_filename(directory, "p.proj", NULL);

	if (row->proj && strcmp(row->proj, "/") == 0)
		makeFile(directory, "p.proj/", NULL);
	else if (row->proj)
		makeFile(directory, "p.proj", row->proj);
	for (size_t i = 0; i < G_N_ELEMENTS(row->files); i++)
		if (row->files[i].name)
			makeFile(directory, row->files[i].name,
				 row->files[i].content);
	run(path, row->messages, row->outline, row->error);
	removeAll(directory);
	g_free(path);
	g_free(directory);
}

/* ---- Ways to name a project -------------------------------------------- */

static void testPaths(void)
{
	char *directory = makeDirectory();
	char *slash = g_strconcat(directory, "/", NULL);
	char *name = g_build_filename(directory, "p", NULL);
	char *file = g_build_filename(directory, "p.proj", NULL);
	char *stat = g_build_filename(directory, "p_a_0_G.stat", NULL);
	char *other = g_build_filename(directory, "x.stat", NULL);
	char *trace = g_build_filename(directory, "p_a.trc", NULL);
	char *saved = g_get_current_dir();

	{
		char *base = g_path_get_basename(directory);
		char *message = g_strdup_printf("file.open@%s\n", base);

		run(directory, message, NULL, ENOENT);
		g_free(message);
		g_free(base);
	}
	makeFile(directory, "p.proj", APP("<Topology/>"));
	makeFile(directory, "p_a.trc", NULL);
	makeFile(directory, "p_a_0_G.stat",
		 HEAD("<Label value='a'><Label value='0'/></Label>", "G"));
	makeFile(directory, "x.stat", HEAD(LABEL("a"), "G"));
	{
		static const char messages[] = "proj.undeclared@p_a.trc\n"
					       "proj.undeclared@p_a_0_G.stat\n"
					       "proj.undeclared@p_a_0_G.stat\n";
		static const char outline[] = "app\n.a? trc\n..0? -G(a,0)\n";

		run(directory, messages, outline, 0);
		run(slash, messages, outline, 0);
		run(name, messages, outline, 0);
		run(file, messages, outline, 0);
		g_assert_cmpint(g_chdir(directory), ==, 0);
		run(".", messages, outline, 0);
		run("p", messages, outline, 0);
		run("p.proj", messages, outline, 0);
		run("p_a_0_G.stat", "", "p\n.a\n..0 +G(a,0)\n", 0);
		g_assert_cmpint(g_chdir(saved), ==, 0);
	}
	/* Single files. */
	run(stat, "", "p\n.a\n..0 +G(a,0)\n", 0);
	run(other, "", "x +G(a)\n", 0);
	run(trace, "", "p_a trc\n", 0);
	run("/nonexistent/x.stat", "file.open@x.stat\n", NULL, ENOENT);
	run("/nonexistent/x.trc", "file.open@x.trc\n", NULL, ENOENT);
	run("/nonexistent/x", "file.open@x.proj\n", NULL, ENOENT);
	errno = 0;
	g_assert_null(hdI_openProject(NULL, NULL, NULL));
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_null(hdI_openProject("", NULL, NULL));
	hdI_closeProject(NULL);
	hdI_closeStat(NULL);
	hdI_closeTrace(NULL);

	makeFile(directory, "q.proj", APP("<Topology/>"));
	{
		char *base = g_path_get_basename(directory);
		char *message = g_strdup_printf("proj.several@%s\n", base);

		run(directory, message, NULL, EINVAL);
		g_free(message);
		g_free(base);
	}
	removeAll(directory);
	g_free(saved);
	g_free(trace);
	g_free(other);
	g_free(stat);
	g_free(file);
	g_free(name);
	g_free(slash);
	g_free(directory);
}

/* A pipe with a file's name must not hold the reader up. */
static void testPipe(void)
{
	char *directory = makeDirectory();
	char *file = g_build_filename(directory, "p.proj", NULL);
	char *pipe = g_build_filename(directory, "p_a.trc", NULL);

	makeFile(directory, "p.proj", APP(NODES));
	g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
	run(file, "file.open@p_a.trc\n", "app\n.a trc\n..0\n.b\n", 0);
	removeAll(directory);
	g_free(pipe);
	g_free(file);
	g_free(directory);
}

/* Labels that no file name can hold, and nodes that are too deep for one. */
static void testLimits(void)
{
	char *directory = makeDirectory();
	char *path = g_build_filename(directory, "p.proj", NULL);
	char *label = g_strnfill(4000, 'x');
	GString *proj = g_string_new("<Application><Topology><Node name='a'>");

	g_string_append_printf(proj, "<Node name='%s'/><Node name='%sy'>",
			       label, label);
	g_string_append_printf(proj, "<Node name='%s'/></Node></Node>", label);
	for (int i = 0; i < 900; i++)
		g_string_append(proj, "<Node name='bbbb'>");
	for (int i = 0; i < 900; i++)
		g_string_append(proj, "</Node>");
	g_string_append(proj, "</Topology></Application>");
	makeFile(directory, "p.proj", proj->str);
	{
		struct outcome outcome = { g_string_new(NULL), NULL };
		hdIProject *project =
			hdI_openProject(path, takeMessage, &outcome);

		g_assert_nonnull(project);
		g_assert_cmpuint(project->nodeCount, ==, 1 + 3 + 819);
		g_assert_cmpstr(outcome.messages->str, ==,
				"proj.topology@p.proj\nproj.topology@p.proj\n");
		hdI_closeProject(project);
		g_string_free(outcome.messages, TRUE);
	}
	removeAll(directory);
	g_string_free(proj, TRUE);
	g_free(label);
	g_free(path);
	g_free(directory);
}

/* Open a project with much of something; what it says. */
static void runMany(const char *before, const char *many, int count,
		    const char *after, const char *messages)
{
	char *directory = makeDirectory();
	char *path = g_build_filename(directory, "p.proj", NULL);
	GString *proj = g_string_new(before);
	struct outcome outcome = { g_string_new(NULL), NULL };
	hdIProject *project;

	for (int i = 0; i < count; i++)
		g_string_append_printf(proj, many, i);
	g_string_append(proj, after);
	makeFile(directory, "p.proj", proj->str);
	project = hdI_openProject(path, takeMessage, &outcome);
	g_assert_nonnull(project);
	g_assert_cmpstr(outcome.messages->str, ==, messages);
	hdI_closeProject(project);
	g_string_free(outcome.messages, TRUE);
	g_string_free(proj, TRUE);
	removeAll(directory);
	g_free(directory);
	g_free(path);
}

/* Nesting and attributes, which could cost their square. */
static void testMany(void)
{
	const char *topology = "<Application><Topology><Node name='a'/>"
			       "</Topology><Other>";
	const char *broken = "proj.xml@p.proj\n";

	/* With Application and Other. */
	runMany(topology, "<x%d>", 998, "", broken);
	runMany(topology, "<x%d>", 999, "", broken);
	runMany(topology, "<x%d/>", 5000, "</Other></Application>", "");
	topology = "<Application><Topology><Node name='a'/></Topology><Other";
	runMany(topology, " x%d=''", 2000, "/></Application>", "");
	runMany(topology, " x%d=''", 2001, "/></Application>", broken);
	runMany(topology, " x%d=''", 100000, "/></Application>", broken);
}

/* ---- What else a .proj holds ------------------------------------------- */

static const char content[] = APP(
	"<Description>\n one &lt; two </Description>" NODES
	"<FileList><File name='/a'><InitialSize> 12 </InitialSize></File>"
	"<File name='/b'/><File name='/c'><InitialSize>big</InitialSize></File>"
	"</FileList>"
	"<ClockList><Clock node='h' method='ping-pong' error='0.000001'>"
	"<Point time='1.5' offset='-0.25' error='0.000000001'/>"
	"<Point time='2' offset='0' error='-1'/><Other/><Point time='2'/>"
	"</Clock><Clock node='i' error='much'><Point time='2'/></Clock><Clock/>"
	"<Thing/><Clock node='k' error='0'/></ClockList>"
	"<CommunicatorList><Communicator name='WORLD'>"
	"<Rank global='0' local='1' cid='2'/><Rank global='x'/>"
	"<Rank global='-3' local='4' cid='5'/></Communicator>"
	"<Communicator name=''/><Communicator/></CommunicatorList>"
	"<Datatypes><Rank name='r' thread='t'>"
	"<NAMED id='1' name='MPI_INT'/>"
	"<struct id='-1946157051' name='' count='2'><Type id='1'/>text</struct>"
	"<STRANGE id='3'/><NAMED name='no id'/></Rank></Datatypes>" GROUPS);

static void testContent(void)
{
	char *directory = makeDirectory();
	char *file = g_build_filename(directory, "p.proj", NULL);
	struct outcome outcome = { g_string_new(NULL), g_string_new(NULL) };
	hdIProject *p;

	makeFile(directory, "p.proj", content);
	p = hdI_openProject(file, takeMessage, &outcome);
	g_assert_nonnull(p);
	g_assert_cmpstr(outcome.messages->str, ==,
			"proj.communicator@p.proj\n"
			"proj.datatype@p.proj\nproj.datatype@p.proj\n"
			"proj.file-size@p.proj\n"
			"proj.clock@p.proj\nproj.clock@p.proj\n"
			"proj.clock@p.proj\nproj.clock@p.proj\n"
			"proj.group-missing@p.proj\n"
			"proj.group-missing@p.proj\n");
	g_assert_cmpstr(p->name, ==, "app");
	g_assert_cmpstr(p->file, ==, file);
	g_assert_true(g_str_has_suffix(p->prefix, "/p"));
	g_assert_cmpstr(p->description, ==, "one < two");
	g_assert_cmpuint(p->levelCount, ==, 2);
	g_assert_cmpstr(p->levels[0], ==, "Host");
	g_assert_cmpstr(p->levels[1], ==, "Rank");

	g_assert_cmpuint(p->usedFileCount, ==, 3);
	g_assert_cmpstr(p->usedFiles[0].name, ==, "/a");
	g_assert_cmpint(p->usedFiles[0].initialSize, ==, 12);
	g_assert_cmpint(p->usedFiles[1].initialSize, ==, -1);
	g_assert_cmpint(p->usedFiles[2].initialSize, ==, -1);

	g_assert_cmpuint(p->clockCount, ==, 2);
	g_assert_cmpstr(p->clocks[0].node, ==, "h");
	g_assert_cmpstr(p->clocks[0].method, ==, "ping-pong");
	g_assert_cmpint(p->clocks[0].error, ==, 1000);
	g_assert_cmpuint(p->clocks[0].pointCount, ==, 1);
	g_assert_cmpint(p->clocks[0].points[0].time, ==, 1500000000);
	g_assert_cmpint(p->clocks[0].points[0].offset, ==, -250000000);
	g_assert_cmpint(p->clocks[0].points[0].error, ==, 1);
	g_assert_cmpstr(p->clocks[1].node, ==, "k");
	g_assert_cmpstr(p->clocks[1].method, ==, "");
	g_assert_cmpuint(p->clocks[1].pointCount, ==, 0);

	g_assert_cmpuint(p->communicatorCount, ==, 3);
	g_assert_cmpstr(p->communicators[0].name, ==, "WORLD");
	g_assert_cmpuint(p->communicators[0].rankCount, ==, 2);
	g_assert_cmpint(p->communicators[0].ranks[0].global, ==, 0);
	g_assert_cmpint(p->communicators[0].ranks[0].local, ==, 1);
	g_assert_cmpint(p->communicators[0].ranks[0].cid, ==, 2);
	g_assert_cmpint(p->communicators[0].ranks[1].global, ==, -3);
	g_assert_cmpstr(p->communicators[1].name, ==, "");
	g_assert_cmpstr(p->communicators[2].name, ==, "");

	g_assert_cmpuint(p->datatypeCount, ==, 3);
	g_assert_cmpstr(p->datatypes[0].rank, ==, "r");
	g_assert_cmpstr(p->datatypes[0].thread, ==, "t");
	g_assert_cmpint(p->datatypes[0].id, ==, 1);
	g_assert_cmpstr(p->datatypes[0].combiner, ==, "NAMED");
	g_assert_cmpstr(p->datatypes[0].name, ==, "MPI_INT");
	g_assert_cmpstr(p->datatypes[0].content, ==, "");
	g_assert_cmpuint(p->datatypes[0].attributeCount, ==, 0);
	g_assert_cmpint(p->datatypes[1].id, ==, -1946157051);
	g_assert_cmpstr(p->datatypes[1].combiner, ==, "STRUCT");
	g_assert_cmpstr(p->datatypes[1].content, ==, "<Type id=\"1\"/>text");
	g_assert_cmpuint(p->datatypes[1].attributeCount, ==, 1);
	g_assert_cmpstr(p->datatypes[1].attributes[0].name, ==, "count");
	g_assert_cmpstr(p->datatypes[1].attributes[0].value, ==, "2");
	g_assert_cmpstr(p->datatypes[2].combiner, ==, "STRANGE");

	g_assert_cmpuint(p->declaredGroupCount, ==, 2);
	g_assert_cmpstr(p->declaredGroups[0], ==, "G");
	g_assert_cmpstr(p->declaredGroups[1], ==, "H");
	hdI_closeProject(p);
	g_string_free(outcome.messages, TRUE);
	g_string_free(outcome.outline, TRUE);
	removeAll(directory);
	g_free(file);
	g_free(directory);
}

/* What the header of a group says beyond names and types. */
static void testGroup(void)
{
	static const char header[] =
		"<Statistics>\n<Group name='G' timestampDatatype='EPOCH' "
		"timeAdjustment='-1.5' source='rut &amp; co'>\n"
		"<Value name='v' type='FLOAT' unit='%' grouping='CPU' "
		"multiplier='1' resolution='0.1'/>\n"
		"<Value name='w' type='INT64'/>\n</Group></Statistics>\n";
	char *directory = makeDirectory();
	char *file = g_build_filename(directory, "x.stat", NULL);
	hdIProject *p;
	const hdIGroup *g;
	hdIStatReader *reader;
	int64_t start;

	makeFile(directory, "x.stat", header);
	p = hdI_openProject(file, NULL, NULL);
	g_assert_nonnull(p);
	g = p->groups[0];
	g_assert_cmpstr(g->name, ==, "G");
	g_assert_cmpstr(g->file, ==, file);
	g_assert_cmpint(g->timeAdjustment, ==, -1500000000);
	g_assert_cmpint(g->dataOffset, ==, 6 + (gint64)sizeof(header) - 1);
	g_assert_cmpint(g->fileSize, ==, g->dataOffset + 8);
	g_assert_cmpuint(g->entrySize, ==, 8 + 4 + 8);
	g_assert_cmpuint(g->attributeCount, ==, 1);
	g_assert_cmpstr(g->attributes[0].name, ==, "source");
	g_assert_cmpstr(g->attributes[0].value, ==, "rut & co");
	g_assert_cmpuint(g->valueCount, ==, 2);
	g_assert_cmpstr(g->values[0].unit, ==, "%");
	g_assert_cmpstr(g->values[0].grouping, ==, "CPU");
	g_assert_cmpuint(g->values[0].attributeCount, ==, 2);
	g_assert_cmpstr(g->values[0].attributes[1].name, ==, "resolution");
	g_assert_cmpstr(g->values[0].attributes[1].value, ==, "0.1");
	g_assert_cmpstr(g->values[1].unit, ==, "");
	g_assert_cmpstr(g->values[1].grouping, ==, "");
	reader = hdI_openStat(p, g);
	g_assert_nonnull(reader);
	g_assert_cmpint(hdI_getStatStart(reader, &start), ==, 1);
	g_assert_cmpint(start, ==, -500000000);
	hdI_closeStat(reader);
	/* Header only. */
	g_assert_cmpint(truncate(file, g->dataOffset), ==, 0);
	reader = hdI_openStat(p, g);
	g_assert_nonnull(reader);
	g_assert_cmpint(hdI_getStatStart(reader, &start), ==, 0);
	hdI_closeStat(reader);
	hdI_closeProject(p);
	removeAll(directory);
	g_free(file);
	g_free(directory);
}

static void testTraceAttributes(void)
{
	char *directory = makeDirectory();
	char *file = g_build_filename(directory, "x.trc", NULL);
	hdIProject *p;
	hdITraceReader *reader;
	const hdIRecord *record;
	const hdIAttribute *attributes;
	size_t count;

	makeFile(directory, "x.trc",
		 "<Program timeAdjustment='5' k='v'><a time='1' end='2'/>");
	p = hdI_openProject(file, NULL, NULL);
	g_assert_nonnull(p);
	reader = hdI_openTrace(p, p->traces[0]);
	g_assert_nonnull(reader);
	attributes = hdI_getTraceAttributes(reader, &count);
	g_assert_cmpuint(count, ==, 2);
	g_assert_cmpint(hdI_readTrace(reader, &record), ==, 1);
	g_assert_cmpint(hdI_readTrace(reader, &record), ==, 0);
	g_assert_true(attributes == hdI_getTraceAttributes(reader, &count));
	g_assert_cmpstr(attributes[0].name, ==, "timeAdjustment");
	g_assert_cmpstr(attributes[0].value, ==, "5");
	g_assert_cmpstr(attributes[1].name, ==, "k");
	g_assert_cmpstr(attributes[1].value, ==, "v");
	hdI_closeTrace(reader);
	g_assert_cmpint(truncate(file, 20), ==, 0);
	reader = hdI_openTrace(p, p->traces[0]);
	g_assert_nonnull(reader);
	g_assert_null(hdI_getTraceAttributes(reader, &count));
	g_assert_cmpuint(count, ==, 0);
	g_assert_cmpint(hdI_readTrace(reader, &record), ==, 0);
	hdI_closeTrace(reader);
	g_assert_cmpint(g_remove(file), ==, 0);
	g_assert_null(hdI_openTrace(p, p->traces[0]));
	g_assert_cmpint(errno, ==, ENOENT);
	hdI_closeProject(p);
	removeAll(directory);
	g_free(file);
	g_free(directory);
}

/* The table of rules is complete and without doubles. */
static void testRules(void)
{
	size_t count;
	const hdIRule *rules = hdI_getRules(&count);

	g_assert_cmpuint(count, >, 20);
	for (size_t i = 0; i < count; i++) {
		g_assert_nonnull(rules[i].id);
		g_assert_nonnull(strchr(rules[i].id, '.'));
		g_assert_true(g_str_has_suffix(rules[i].meaning, "."));
		for (size_t k = 0; k < i; k++)
			g_assert_cmpstr(rules[i].id, !=, rules[k].id);
	}
	g_assert_true(rules == hdI_getRules(NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *path = g_strdup_printf("/read-project/%s", rows[i].name);

		g_test_add_data_func(path, &rows[i], testRow);
		g_free(path);
	}
	g_test_add_func("/read-project/paths", testPaths);
	g_test_add_func("/read-project/a pipe", testPipe);
	g_test_add_func("/read-project/limits", testLimits);
	g_test_add_func("/read-project/limits of the XML", testMany);
	g_test_add_func("/read-project/content", testContent);
	g_test_add_func("/read-project/group", testGroup);
	g_test_add_func("/read-project/trace attributes", testTraceAttributes);
	g_test_add_func("/read-project/rules", testRules);
	return g_test_run();
}
