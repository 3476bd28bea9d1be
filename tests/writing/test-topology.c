/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies, their nodes, file names, and the texts of errors. */
#include "config.h"

#include <string.h>

#include "HDTraceWritingCLibrary/src/topology.h"
#include "tests/lib/testlib.h"

/* Names of levels and labels, and whether they are allowed. */
static const struct {
	const char *name;
	bool isAllowed;
} names[] = {
	{ "Host", true },
	{ "a", true },
	{ "0", true },
	{ "node-06.cluster.example.org", true },
	{ "-", true },
	{ ".", true },
	{ "ABCXYZabcxyz0189", true },
	{ "", false },
	{ NULL, false },
	{ "a_b", false },
	{ "_", false },
	{ "a/b", false },
	{ "../x", false },
	{ "a b", false },
	{ " ", false },
	{ "a\n", false },
	{ "a\t", false },
	{ "a\x7f", false },
	{ "a:b", false },
	{ "a@", false },
	{ "a[", false },
	{ "a`", false },
	{ "a{", false },
	{ "a,b", false },
	{ "\xc3\xa4", false },
	{ "<a>", false },
	{ "a&b", false },
};

static void testNames(void)
{
	static const char *any[] = { "Any", "Any" };
	hdTopology *two;

	testMakes(two, hdT_createTopology("names", any, 2));
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *path[] = { "first", names[i].name };
		hdTopology *topology;
		hdTopoNode *node;

		g_test_message("\"%s\"", names[i].name);
		if (!names[i].isAllowed) {
			testFailsNull(HD_ERR_INVALID_ARGUMENT,
				      hdT_createTopology("p", path, 2));
			testFailsNull(HD_ERR_INVALID_ARGUMENT,
				      hdT_createTopoNode(two, path, 2));
			continue;
		}
		testMakes(topology, hdT_createTopology("p", path, 2));
		testMakes(node, hdT_createTopoNode(two, path, 2));
		g_assert_cmpstr(hdT_getTopoPathLabel(node, 2), ==,
				names[i].name);
		testWorks(hdT_destroyTopoNode(node));
		testWorks(hdT_destroyTopology(topology));
	}
	testWorks(hdT_destroyTopology(two));
}

/* Project names, and whether they are allowed. */
static const struct {
	const char *name;
	bool isAllowed;
} projects[] = {
	{ "p", true },
	{ "my project_1 (\xc3\xa4)", true },
	{ "/scratch/run1/p", true },
	{ "./p", true },
	{ "run.d/p", true },
	{ "", false },
	{ NULL, false },
	{ "/", false },
	{ "/scratch/run1/", false },
	{ "run.d/", false },
};

static void testProjects(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(projects); i++) {
		hdTopology *topology;

		if (!projects[i].isAllowed) {
			testFailsNull(
				HD_ERR_INVALID_ARGUMENT,
				hdT_createTopology(projects[i].name, NULL, 0));
			continue;
		}
		testMakes(topology,
			  hdT_createTopology(projects[i].name, NULL, 0));
		testGives(1, hdT_getTopoDepth(topology));
		testWorks(hdT_destroyTopology(topology));
	}
}

static void testArguments(void)
{
	static const char *levels[] = { "Host", "Rank" };
	static const char *path[] = { "node01", "3" };
	hdTopology *topology;
	hdTopoNode *node;

	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopology("p", levels, -1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopology("p", NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_destroyTopology(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_getTopoDepth(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_destroyTopoNode(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_getTopoNodeLevel(NULL));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_getTopoPathString(NULL));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_getTopoPathLabel(NULL, 1));

	testMakes(topology, hdT_createTopology("p", levels, 2));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopoNode(NULL, path, 2));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopoNode(topology, NULL, 1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopoNode(topology, path, -1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTopoNode(topology, path, 3));
	testMakes(node, hdT_createTopoNode(topology, path, 2));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_getTopoPathLabel(node, 0));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_getTopoPathLabel(node, 3));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_getTopoPathLabel(node, -1));
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdT_destroyTopology(topology));
}

/* Nodes of each length; they outlive the topology and the caller's strings. */
static void testNodes(void)
{
	static const char *const strings[] = { "", "h", "h_p-1", "h_p-1_t.2" };
	static const char *const labels[] = { "h", "p-1", "t.2" };
	hdTopoNode *nodes[4];
	const char *result;

	for (int length = 0; length <= 3; length++) {
		char own[3][8];
		const char *path[] = { own[0], own[1], own[2] };
		hdTopology *topology;

		for (int i = 0; i < 3; i++)
			strcpy(own[i], labels[i]);
		testMakes(topology, hdT_createTopology("p", path, 3));
		testGives(4, hdT_getTopoDepth(topology));
		testMakes(nodes[length],
			  hdT_createTopoNode(topology, path, length));
		testWorks(hdT_destroyTopology(topology));
		memset(own, 0, sizeof(own));
	}
	for (int length = 0; length <= 3; length++) {
		testGives(length, hdT_getTopoNodeLevel(nodes[length]));
		testMakes(result, hdT_getTopoPathString(nodes[length]));
		g_assert_cmpstr(result, ==, strings[length]);
		for (int level = 1; level <= length; level++) {
			testMakes(result,
				  hdT_getTopoPathLabel(nodes[length], level));
			g_assert_cmpstr(result, ==, labels[level - 1]);
		}
		testWorks(hdT_destroyTopoNode(nodes[length]));
	}
}

/* Deep and wide: nothing has a limit. */
static void testDeep(void)
{
	enum { LEVELS = 3000 };
	const char **labels = g_new(const char *, LEVELS);
	char *label = g_strnfill(2000, 'x');
	hdTopology *topology;
	hdTopoNode *node;

	for (int i = 0; i < LEVELS; i++)
		labels[i] = label;
	testMakes(topology, hdT_createTopology("deep", labels, LEVELS));
	testGives(LEVELS + 1, hdT_getTopoDepth(topology));
	testMakes(node, hdT_createTopoNode(topology, labels, LEVELS));
	g_assert_cmpuint(strlen(hdT_getTopoPathString(node)), ==,
			 LEVELS * 2001 - 1);
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdT_destroyTopology(topology));
	g_free(label);
	g_free(labels);
}

/* PREFIX and path give the names of files. */
static void testFileNames(void)
{
	hdTopoNode *node = testNode("dir/my p", "h/3");
	static const struct {
		int level;
		const char *group;
		const char *suffix;
		const char *file;
	} files[] = {
		{ 0, NULL, ".trc", "dir/my p.trc" },
		{ 0, "G", ".stat", "dir/my p_G.stat" },
		{ 1, "G", ".stat", "dir/my p_h_G.stat" },
		{ 2, "G", ".stat", "dir/my p_h_3_G.stat" },
		{ 2, NULL, ".info", "dir/my p_h_3.info" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *file = hdTopoNodeFile(node, files[i].level,
					    files[i].group, files[i].suffix);

		g_assert_cmpstr(file, ==, files[i].file);
		free(file);
	}
	hdT_destroyTopoNode(node);
}

/* HDTRACE_PREFIX stands before relative names, and only these. */
static void testPrefix(void)
{
	static const struct {
		const char *project;
		const char *file;
	} files[] = {
		{ "p", "prefix/dir-p.x" },
		{ "sub/p", "prefix/dir-sub/p.x" },
		{ "/abs/p", "/abs/p.x" },
	};

	if (!testInProcess("HDTRACE_PREFIX=prefix/dir-"))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		hdTopoNode *node = testNode(files[i].project, "");
		char *file = hdTopoNodeFile(node, 0, NULL, ".x");

		g_assert_cmpstr(file, ==, files[i].file);
		free(file);
		hdT_destroyTopoNode(node);
	}
}

/* The values are part of the interface. */
static void testErrors(void)
{
	static const struct {
		int error;
		int value;
	} errors[] = {
		{ HD_ERR_INVALID_ARGUMENT, 800000 },
		{ HD_ERR_MALLOC, 800001 },
		{ HD_ERR_BUFFER_OVERFLOW, 800002 },
		{ HD_ERR_GET_TIME, 800003 },
		{ HD_ERR_CREATE_FILE, 800004 },
		{ HD_ERR_WRITE_FILE, 800005 },
		{ HD_ERR_CLOSE_FILE, 800006 },
		{ HD_ERR_TIMEOUT, 800007 },
		{ HD_ERR_TRACE_DISABLED, 800008 },
		{ HD_ERR_INVALID_CONTEXT, 800009 },
		{ HD_ERR_UNKNOWN, 800010 },
		{ HDS_ERR_GROUP_COMMIT_STATE, 800200 },
		{ HDS_ERR_UNEXPECTED_ARGVALUE, 800201 },
		{ HDS_ERR_ENTRY_STATE, 800202 },
	};
	static const int others[] = { 0,      -1,     EINVAL, 799999,
				      800011, 800199, 800203 };

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		const char *text;

		g_assert_cmpint(errors[i].error, ==, errors[i].value);
		testMakes(text, hdT_strerror(errors[i].error));
		g_assert_cmpint(text[strlen(text) - 1], ==, '.');
		for (size_t j = 0; j < i; j++)
			g_assert_cmpstr(text, !=,
					hdT_strerror(errors[j].error));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		g_assert_null(hdT_strerror(others[i]));
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/topology/names", testNames);
	g_test_add_func("/topology/projects", testProjects);
	g_test_add_func("/topology/arguments", testArguments);
	g_test_add_func("/topology/nodes", testNodes);
	g_test_add_func("/topology/deep", testDeep);
	g_test_add_func("/topology/file-names", testFileNames);
	g_test_add_func("/topology/prefix", testPrefix);
	g_test_add_func("/topology/errors", testErrors);
	return testRun();
}
