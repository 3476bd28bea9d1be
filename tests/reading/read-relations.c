/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Relations: historic files, ours, damaged ones, and every cut of one. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hdReading.h>
#include <hdRelation.h>
#include "tests/lib/testlib.h"
#include "tests/reading/reading.h"

#define HEAD                                                 \
	"<relation version='1' hostID='h' localToken='1.2' " \
	"topologyNumber='0' timeAdjustment='100'>\n"

static void expect(const char *body, int result, const char *values,
		   const char *messages)
{
	struct reading reading;
	char **lines = g_strsplit(messages, " ", -1);
	char **found;

	readingInit(&reading);
	readingRun(&reading, "test.rel", body, strlen(body));
	g_assert_cmpint(reading.result, ==, result);
	g_assert_cmpstr(reading.values->str, ==, values);
	found = g_strsplit(reading.messages->str, "\n", -1);
	for (guint i = 0; i + 1 < g_strv_length(found); i++) {
		g_assert_cmpuint(i, <, g_strv_length(lines));
		*strchr(found[i], '@') = '\0';
		g_assert_cmpstr(found[i], ==, lines[i]);
	}
	g_assert_cmpuint(g_strv_length(found) - 1, ==, g_strv_length(lines));
	g_strfreev(found);
	g_strfreev(lines);
	readingClear(&reading);
}

/* Without messages the list above has one empty word. */
static void expectGood(const char *body, const char *values)
{
	struct reading reading;

	readingInit(&reading);
	readingRun(&reading, "test.rel", body, strlen(body));
	g_assert_cmpint(reading.result, ==, 0);
	g_assert_cmpstr(reading.messages->str, ==, "");
	g_assert_cmpstr(reading.values->str, ==, values);
	readingClear(&reading);
}

static void testGood(void)
{
	expectGood(HEAD "<rel t='0' time='1'/><rel t='7' time='1.5' i='0'/>"
			"<s name='a' t='0' time='2' k='1' l='x'><d/></s>"
			"<s name='b' t='0' time='2.25'/>"
			"<e t='0' time='3'/><s t='7' time='3' name='z'/>"
			"<e t='0' time='4' m='3' k='2'/>"
			"<link t='0' time='4' r='h:1:2:3'/>"
			"<un t='0' time='5'/> \n</relation>\n",
		   "0 101000000000 105000000000 -: w:"
		   " [0 a 102000000000 104000000000 k=2 l=x m=3]"
		   " [1 b 102250000000 103000000000] +h:1:2:3\n"
		   "7 101500000000 never i:0 w: [0 z 103000000000 never]\n");
	expectGood(HEAD "<rel t='0' time='1' p='3:4'/><un t='0' time='1'/>"
			"<rel t='1' time='1' l='9:3:4'/><un t='1' time='1'/>"
			"<rel t='2' time='1' r='x:9:3:4' w='0-1'/>"
			"<un t='2' time='1'/>"
			"<rel t='18446744073709551615' time='1' ws='0a'/>"
			"</relation>",
		   "0 101000000000 101000000000 p:3:4 w:\n"
		   "1 101000000000 101000000000 l:9:3:4 w:\n"
		   "2 101000000000 101000000000 r:x:9:3:4 w:0-1\n"
		   "18446744073709551615 101000000000 never ws:0a w:\n");
	expectGood(HEAD "</relation>", "");
}

static void testDamaged(void)
{
	expect("<Program/>", -1, "", "rel.root");
	expect("", 0, "", "rel.no-end");
	expect(HEAD "<rel t='1' time='1'/>", 0, "1 101000000000 never -: w:\n",
	       "rel.no-end");
	expect(HEAD "<rel t='1' time='1'/><s t='1", 0,
	       "1 101000000000 never -: w:\n", "rel.cut");
	/* What is open is delivered before the error. */
	expect(HEAD "<rel t='1' time='1'/><s name='a' t='1' time='1'></e>", -1,
	       "1 101000000000 never -: w:\n", "rel.xml");
	expect(HEAD "<rel t='1' time='1'/><rel t='1' time='1'/>"
		    "<e t='1' time='2'/><s name='a' t='2' time='2'/>"
		    "<un t='1' time='0'/><un t='1' time='3'/></relation>",
	       0, "1 101000000000 100000000000 -: w:\n",
	       "rel.order rel.order rel.order rel.time-order rel.order");
	expect(HEAD "<x t='1' time='1'/><rel t='-1' time='1'/>"
		    "<rel t='18446744073709551616' time='1'/><rel time='1'/>"
		    "<rel t='1'/><rel t='1' time='one'/><s t='1' time='1'/>"
		    "<link t='1' time='1'/><link t='1' time='1' p='1:2'/>"
		    "<Nested><rel t='1' time='1'/></Nested></relation>",
	       0, "",
	       "rel.element rel.element rel.element rel.element rel.element "
	       "rel.element rel.element rel.element rel.element rel.element");
	expect("<relation timeAdjustment='x'></relation>", 0, "",
	       "rel.adjustment");
}

/* The project that the library of 2009 wrote; what its reader delivers is in
 * the corpus' README. */
static void testHistoric(void)
{
	static const char expected[] =
		"0 1795176222500119000 1795176223500215000 -: w:"
		" [0 Create 1795176222500129000 1795176223500210000"
		" schuh=leder test=#5]"
		" [1 finalize 1795176222500130000 1795176223500206000]\n"
		"1 1795176222500123000 1795176223500218000 l:20360:4:0 w:\n"
		"0 1795176222500122000 1795176223500217000 p:3:0 w:\n"
		"0 1795176222500121000 1795176223500216000 r:vm:20360:3:0 w:\n";
	const char *corpus = g_getenv("HDTRACE_CORPUS");
	hdIRelationOwner owner;
	hdIRelationReader *reader;
	struct reading reading;
	hdIProject *project;
	char *path;

	path = corpus ? g_build_filename(corpus, "relations", "test.proj", NULL)
		      : g_build_filename(g_getenv("abs_top_srcdir")
						 ? g_getenv("abs_top_srcdir")
						 : ".",
					 "..", "shared", "corpus", "relations",
					 "test.proj", NULL);
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_test_skip("there is no corpus");
		g_free(path);
		return;
	}
	readingInit(&reading);
	project = hdI_openProject(path, readingTakeMessage, &reading);
	g_assert_nonnull(project);
	g_assert_cmpuint(project->relationCount, ==, 3);
	g_assert_cmpstr(project->relations[2]->node->path, ==,
			"host1_process0");
	readingRunProject(&reading, project);
	g_assert_cmpstr(reading.values->str, ==, expected);
	g_assert_cmpstr(reading.messages->str, ==, "");
	reader = hdI_openRelations(project, project->relations[1]);
	g_assert_cmpint(hdI_getRelationOwner(reader, &owner), ==, 1);
	g_assert_cmpstr(owner.host, ==, "vm");
	g_assert_cmpstr(owner.process, ==, "20360");
	g_assert_cmpstr(owner.number, ==, "4");
	hdI_closeRelations(reader);
	hdI_closeProject(project);
	readingClear(&reading);
	g_free(path);
}

/* ---- Ours -------------------------------------------------------------- */

static char *writeOne(size_t *length)
{
	static const char *const keys[] = { "a", "b" };
	static const char *const values[] = { "<&>\"'\n\t \xc3\xa4", "2" };
	hdTopoNode *node = testNode("ours", "");
	hdR_topoToken topology;
	hdR_token a, b;

	testClockSet(INT64_C(1234567890123456789), 1);
	testWorks(hdR_initTopology(node, &topology));
	a = hdR_createTopLevelRelation(topology);
	testWorks(hdR_start(a, "first \"state\"", 2, keys, values));
	b = hdR_relateTopologyInternalToken(a);
	testWorks(hdR_startE(b, "inner", 0, NULL, NULL, "<x y='1'>text</x>"));
	testWorks(hdR_link(b, "h:1:2:3"));
	testWorks(hdR_end(a, 1, keys + 1, values));
	testWorks(hdR_endS(b));
	testWorks(hdR_startS(a, "open"));
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_finalize(&topology));
	testClockReset();
	hdT_destroyTopoNode(node);
	return testRead("ours.rel", length);
}

/* What was written is read, to the nanosecond. */
static void testRoundTrip(void)
{
	size_t length;
	char *bytes = writeOne(&length);

	expectGood(bytes, "0 1234567890123456791 1234567890123456799 -: w:"
			  " [0 first \"state\" 1234567890123456792"
			  " 1234567890123456796 a=<&>\"'\n\t \xc3\xa4"
			  " b=<&>\"'\n\t \xc3\xa4]"
			  " [0 open 1234567890123456798 never]\n"
			  "1 1234567890123456793 1234567890123456800 i:0 w:"
			  " [0 inner 1234567890123456794 1234567890123456797]"
			  " +h:1:2:3\n");
	unlink("ours.rel");
	g_free(bytes);
}

/* Number of elements of relations that are complete in so many bytes. */
static size_t countElements(const char *bytes, size_t length)
{
	static const char *const ends[] = { "<rel ", "<s ", "<e ", "<un ",
					    "<link " };
	size_t count = 0;

	for (size_t at = 0; at < length; at++) {
		for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
			const char *end;

			if (!g_str_has_prefix(bytes + at, ends[i]))
				continue;
			end = strstr(bytes + at, ">");
			if (end[-1] != '/')
				end = strstr(end, "</s>") + 3;
			count += end < bytes + length;
		}
	}
	return count;
}

/* Every length of a file: every complete element is there, and one message
 * says that the end is not. */
static void testCut(void)
{
	size_t length, complete;
	char *bytes = writeOne(&length);

	complete = length;
	for (size_t size = 0; size <= length; size++) {
		const hdIRelationRecord *record;
		hdIRelationReader *reader;
		struct reading reading;
		hdIProject *project;
		size_t count = 0;
		int ret;

		g_file_set_contents("cut.rel", bytes, (gssize)size, NULL);
		readingInit(&reading);
		project = hdI_openProject("cut.rel", readingTakeMessage,
					  &reading);
		g_assert_nonnull(project);
		reader = hdI_openRelations(project, project->relations[0]);
		while ((ret = hdI_readRelationRecord(reader, &record)) == 1)
			count++;
		g_assert_cmpint(ret, ==, 0);
		g_assert_cmpuint(count, ==, countElements(bytes, size));
		hdI_closeRelations(reader);
		if (size == complete)
			g_assert_cmpstr(reading.messages->str, ==, "");
		else
			g_assert_true(g_str_has_prefix(reading.messages->str,
						       "rel.cut@") ||
				      g_str_has_prefix(reading.messages->str,
						       "rel.no-end@"));
		g_string_truncate(reading.messages, 0);
		readingRunProject(&reading, project);
		g_assert_cmpint(reading.result, ==, 0);
		hdI_closeProject(project);
		readingClear(&reading);
	}
	g_assert_cmpuint(countElements(bytes, length), ==, 10);
	g_free(bytes);
	unlink("cut.rel");
	unlink("ours.rel");
}

/* Undeclared files of a project, and a single one. */
static void testFiles(void)
{
	struct reading reading;
	hdIProject *project;

	g_assert_true(g_file_set_contents(
		"p.proj",
		"<Application name='p'><Topology><Level type='Host'/>"
		"<Node name='a'/></Topology></Application>",
		-1, NULL));
	g_assert_true(
		g_file_set_contents("p_a.rel", HEAD "</relation>", -1, NULL));
	g_assert_true(
		g_file_set_contents("p_b.rel", HEAD "</relation>", -1, NULL));
	readingInit(&reading);
	project = hdI_openProject("p.proj", readingTakeMessage, &reading);
	g_assert_nonnull(project);
	g_assert_cmpuint(project->relationCount, ==, 2);
	g_assert_true(hdI_findNode(project, "a")->relations ==
		      project->relations[0]);
	g_assert_true(hdI_findNode(project, "b")->relations ==
		      project->relations[1]);
	g_assert_cmpstr(reading.messages->str, ==, "proj.undeclared@-1\n");
	g_assert_null(hdI_openRelations(NULL, project->relations[0]));
	g_assert_null(hdI_openRelations(project, NULL));
	hdI_closeProject(project);
	readingClear(&reading);
	unlink("p.proj");
	unlink("p_a.rel");
	unlink("p_b.rel");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/relations/good", testGood);
	g_test_add_func("/relations/damaged", testDamaged);
	g_test_add_func("/relations/historic", testHistoric);
	g_test_add_func("/relations/round-trip", testRoundTrip);
	g_test_add_func("/relations/cut", testCut);
	g_test_add_func("/relations/files", testFiles);
	return testRun();
}
