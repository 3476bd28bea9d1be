/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of Slurm's plugin, without Slurm: options, accounts, programs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "NodeStatus/slurm/account.h"
#include "NodeStatus/slurm/node.h"
#include "NodeStatus/slurm/options.h"
#include "NodeStatus/slurm/program.h"
#include "NodeStatus/slurm/step.h"

static char *directory;
static int complaints;

static void complain(const char *what)
{
	g_assert_true(g_utf8_validate(what, -1, NULL));
	complaints++;
}

/* ---- Options --------------------------------------------------------------
 */

static void testOptions(void)
{
	static const struct {
		const char *text;
		const char *project, *directory, *mpi;
		unsigned int intervalMs;
		int complaints;
	} rows[] = {
		{ NULL, "", "", "auto", 0, 0 },
		{ "", "", "", "auto", 0, 0 },
		{ "project=a", "a", "", "auto", 0, 0 },
		{ "project=a,directory=/b,interval=20,mpi=none", "a", "/b",
		  "none", 20, 0 },
		{ "directory=b=c", "", "b=c", "auto", 0, 0 },
		{ "interval=3600000", "", "", "auto", 3600000, 0 },
		/* What is wrong counts as not given; the rest holds. */
		{ "interval=0,project=a", "a", "", "auto", 0, 1 },
		{ "interval=3600001", "", "", "auto", 0, 1 },
		{ "interval=-1,interval=1x,interval=", "", "", "auto", 0, 3 },
		{ "interval=99999999999999999999", "", "", "auto", 0, 1 },
		{ "project=", "", "", "auto", 0, 1 },
		{ "project=a/b", "", "", "auto", 0, 1 },
		{ "project=..", "", "", "auto", 0, 1 },
		{ "project=a\nb", "", "", "auto", 0, 1 },
		{ "project=b,project=a/b", "b", "", "auto", 0, 1 },
		{ "mpi=lam", "", "", "auto", 0, 1 },
		{ "bogus,=,=x,,", "", "", "auto", 0, 4 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct hdslurmOptions options;

		complaints = 0;
		hdslurmOptionsParse(rows[i].text, &options, complain);
		g_assert_cmpstr(options.project, ==, rows[i].project);
		g_assert_cmpstr(options.directory, ==, rows[i].directory);
		g_assert_cmpstr(options.mpi, ==, rows[i].mpi);
		g_assert_cmpuint(options.intervalMs, ==, rows[i].intervalMs);
		g_assert_cmpint(complaints, ==, rows[i].complaints);
	}
}

static void testLongOptions(void)
{
	struct hdslurmOptions options;
	char *text = g_strdup_printf("project=%0*d,directory=/%0*d,mpi=mpich",
				     HDSLURM_NAME_MAX, 0, 2 * PATH_MAX, 0);

	complaints = 0;
	hdslurmOptionsParse(text, &options, complain);
	g_assert_cmpint(complaints, ==, 2);
	g_assert_cmpstr(options.project, ==, "");
	g_assert_cmpstr(options.directory, ==, "");
	g_assert_cmpstr(options.mpi, ==, "mpich");
	g_free(text);
}

static void testSite(void)
{
	char power[] = "power=/etc/%n.cfg", interval[] = "interval=7",
	     from[] = "from=/x", wrong[] = "power", bad[] = "interval=0";
	char *words[] = { power, interval, from, wrong, bad };
	struct hdslurmSite site;
	char path[64];

	complaints = 0;
	hdslurmSiteParse(0, NULL, &site, complain);
	g_assert_cmpstr(site.power, ==, "auto");
	g_assert_cmpuint(site.intervalMs, ==, 100);
	hdslurmSiteParse(G_N_ELEMENTS(words), words, &site, complain);
	g_assert_cmpint(complaints, ==, 2);
	g_assert_cmpuint(site.intervalMs, ==, 7);
	g_assert_cmpstr(site.from, ==, "/x");
	g_assert_true(hdslurmExpand(site.power, "n1", path, sizeof(path)));
	g_assert_cmpstr(path, ==, "/etc/n1.cfg");
	g_assert_true(hdslurmExpand("%%n%", "n1", path, sizeof(path)));
	g_assert_cmpstr(path, ==, "%n%");
	g_assert_false(hdslurmExpand("%n", "abc", path, 3));
}

static void testOrder(void)
{
	struct hdslurmOrder order = { .intervalMs = 5 }, read;
	char text[PATH_MAX];
	static const char *const wrong[] = {
		"",          "x",        "5 auto",      "5 auto name",
		"0 auto /a", "5 lam /a", "5 auto /a\nb"
	};

	strcpy(order.path, "/a b/c d");
	strcpy(order.mpi, "openmpi");
	g_assert_true(hdslurmOrderFormat(&order, text, sizeof(text)));
	g_assert_true(hdslurmOrderParse(text, &read));
	g_assert_cmpstr(read.path, ==, order.path);
	g_assert_cmpstr(read.mpi, ==, order.mpi);
	g_assert_cmpuint(read.intervalMs, ==, 5);
	g_assert_false(hdslurmOrderFormat(&order, text, 5));
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
		g_assert_false(hdslurmOrderParse(wrong[i], &read));
}

/* ---- The account ----------------------------------------------------------
 */

static struct hdslurmNode node(const char *name, unsigned int job, double from,
			       double to, double joules, double known)
{
	struct hdslurmNode result = { .job = job,
				      .fromS = from,
				      .toS = to,
				      .joules = joules,
				      .knownS = known };

	strcpy(result.name, name);
	strcpy(result.inputs, "P_package-0;P_psys");
	return result;
}

static void count(void *context, const struct hdslurmNode *found)
{
	int *joules = context;

	*joules += (int)found->joules;
	if (*found->text)
		g_assert_cmpstr(found->text, ==, "what is missing: all");
}

static void testAccount(void)
{
	char *project = g_build_filename(directory, "account", NULL);
	struct hdslurmNode a = node("n0", 7, 100, 110, 50, 10);
	struct hdslurmNode other = node("n9", 8, 0, 1, 1000, 1);
	struct hdslurmNode b = node("n1", 7, 101, 109, 0, 0);
	struct hdslurmTotal total;
	char path[PATH_MAX];
	int joules = 0;

	g_assert_true(hdslurmAccountPath(project, path));
	g_assert_cmpint(hdslurmAccountAdd(path, &a, 2, &total), ==, -ENOENT);
	g_assert_cmpint(hdslurmAccountCreate(path), ==, 0);
	g_assert_cmpint(hdslurmAccountCreate(path), ==, -EEXIST);
	g_assert_cmpint(hdslurmAccountAdd(path, &a, 2, &total), ==, 0);
	/* Of another part of a heterogeneous job. */
	g_assert_cmpint(hdslurmAccountAdd(path, &other, 2, &total), ==, 0);
	strcpy(b.text, "what is missing: all");
	b.isSimulated = true;
	g_assert_cmpint(hdslurmAccountAdd(path, &b, 2, &total), ==, 1);
	g_assert_cmpuint(total.nodes, ==, 2);
	g_assert_cmpfloat(total.joules, ==, 50);
	g_assert_cmpfloat(total.knownS, ==, 5);
	g_assert_cmpfloat(total.durationS, ==, 9);
	g_assert_cmpfloat(total.fromS, ==, 100);
	g_assert_cmpfloat(total.toS, ==, 110);
	g_assert_true(total.isSimulated);
	g_assert_cmpstr(total.inputs, ==, "P_package-0;P_psys");
	g_assert_cmpint(hdslurmAccountRead(path, count, &joules), ==, 3);
	g_assert_cmpint(joules, ==, 1050);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_free(project);
}

/* The inputs of nodes that have energy; one word if they differ. */
static void testInputs(void)
{
	char *path = g_build_filename(directory, "inputs.slurm", NULL);
	struct hdslurmNode nodes[3] = { node("n0", 1, 0, 1, 0, 0),
					node("n1", 1, 0, 1, 5, 1),
					node("n2", 1, 0, 1, 5, 1) };
	static const char *const expected[] = { "-", "P_package-0;P_psys",
						"various" };
	struct hdslurmTotal total;

	*nodes[0].inputs = '\0';
	strcpy(nodes[2].inputs, "P_psys;P_package-0");
	g_assert_cmpint(hdslurmAccountCreate(path), ==, 0);
	for (size_t i = 0; i < 3; i++) {
		g_assert_cmpint(hdslurmAccountAdd(path, &nodes[i], 3, &total),
				==, i == 2);
		g_assert_cmpstr(total.inputs, ==, expected[i]);
	}
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_free(path);
}

/* However many end at once, one is the last. */
static void testLast(void)
{
	enum { NODES = 16 };
	char *path = g_build_filename(directory, "last.slurm", NULL);
	int lasts = 0;

	g_assert_cmpint(hdslurmAccountCreate(path), ==, 0);
	for (int i = 0; i < NODES; i++) {
		if (fork() == 0) {
			struct hdslurmNode one = node("n", 1, 0, 1, 1, 1);
			struct hdslurmTotal total;

			_exit(hdslurmAccountAdd(path, &one, NODES, &total));
		}
	}
	for (int i = 0; i < NODES; i++) {
		int status;

		g_assert_cmpint(wait(&status), >, 0);
		g_assert_true(WIFEXITED(status));
		lasts += WEXITSTATUS(status);
	}
	g_assert_cmpint(lasts, ==, 1);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_free(path);
}

static void testAnswer(void)
{
	struct hdslurmTotal total = { .nodes = 4,
				      .fromS = 1795739983.5,
				      .toS = 1795739985.25,
				      .joules = 12.5,
				      .knownS = 1.5,
				      .durationS = 1.75,
				      .isSimulated = true,
				      .inputs = "P_a,P_b;P_c" };
	struct hdslurmTotal read;
	char line[HDSLURM_ANSWER_MAX];

	hdslurmNodeFormat(&total, line, sizeof(line));
	line[strlen(line) - 1] = '\0';
	g_assert_true(hdslurmNodeParse(line, &read));
	g_assert_cmpuint(read.nodes, ==, 4);
	g_assert_cmpfloat(read.toS, ==, total.toS);
	g_assert_cmpfloat(read.joules, ==, 12.5);
	g_assert_true(read.isSimulated);
	g_assert_cmpstr(read.inputs, ==, "P_a,P_b;P_c");
	g_assert_false(hdslurmNodeParse("done", &read));
	g_assert_true(hdslurmNodeParse("last 1 1 1 1 1 1 0 -", &read));
	g_assert_false(hdslurmNodeParse("last 1 1 1 1 1 1 0 -; reboot", &read));
	g_assert_false(hdslurmNodeParse("last 1 1 1 1 1 1 0 $(x)", &read));
	g_assert_false(hdslurmNodeParse("last 1 1 1 nan 1 1 0 -", &read));
}

/* ---- Programs -------------------------------------------------------------
 */

static void testRun(void)
{
	char shell[] = "/bin/sh", option[] = "-c",
	     script[] = "echo begun >&3; read line <&3; echo \"$line.\" >&3; "
			"ls /proc/self/fd | wc -l >&3";
	char silent[] = "exec sleep 100", path[] = "PATH=/usr/bin:/bin";
	char *arguments[] = { shell, option, script, NULL };
	char *hanging[] = { shell, option, silent, NULL };
	char *environment[] = { path, NULL };
	char line[64];
	int fd = hdslurmNodeRun(arguments, environment, NULL, 30);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(hdslurmNodeRead(fd, 20000, line, sizeof(line)), ==, 0);
	g_assert_cmpstr(line, ==, "begun");
	g_assert_cmpint((int)write(fd, "word\n", 5), ==, 5);
	g_assert_cmpint(hdslurmNodeRead(fd, 20000, line, sizeof(line)), ==, 0);
	g_assert_cmpstr(line, ==, "word.");
	/* Its own, and what ls opens: nothing of ours. */
	g_assert_cmpint(hdslurmNodeRead(fd, 20000, line, sizeof(line)), ==, 0);
	g_assert_cmpint(atoi(line), ==, 5);
	g_assert_cmpint(hdslurmNodeRead(fd, 20000, line, sizeof(line)), ==,
			-EPIPE);
	close(fd);
	/* What hangs is not waited for, and ends by itself. */
	fd = hdslurmNodeRun(hanging, environment, NULL, 1);
	g_assert_cmpint(hdslurmNodeRead(fd, 1, line, sizeof(line)), ==,
			-ETIMEDOUT);
	g_assert_cmpint(hdslurmNodeRead(fd, 60000, line, sizeof(line)), ==,
			-EPIPE);
	close(fd);
	/* What cannot be run is as what has ended. */
	strcpy(shell, "/bin/no");
	fd = hdslurmNodeRun(arguments, environment, NULL, 1);
	g_assert_cmpint(hdslurmNodeRead(fd, 60000, line, sizeof(line)), ==,
			-EPIPE);
	close(fd);
}

static void testProgram(void)
{
	char *script = g_build_filename(directory, "script", NULL);
	char *searched = g_strdup_printf("/nowhere::%s", directory);
	char path[PATH_MAX];

	g_assert_true(hdslurmProgramFind("/bin/sh", NULL, path));
	g_assert_cmpstr(path, ==, "/bin/sh");
	g_assert_false(hdslurmProgramFind("sh", NULL, path));
	g_assert_false(hdslurmProgramFind("/bin", NULL, path));
	g_assert_false(hdslurmProgramFind("script", searched, path));
	g_assert_true(g_file_set_contents(script, "#!/bin/sh\n", -1, NULL));
	g_assert_false(hdslurmProgramFind("script", searched, path));
	g_assert_cmpint(g_chmod(script, 0755), ==, 0);
	g_assert_true(hdslurmProgramFind("script", searched, path));
	g_assert_cmpstr(path, ==, script);
	g_assert_null(hdslurmProgramMpi(script, NULL));
	g_assert_null(hdslurmProgramMpi("/nowhere", NULL));
	g_assert_null(hdslurmProgramMpi("/bin/sh", NULL));
	/* ELF, but cut off. */
	g_assert_true(g_file_set_contents(script, "\177ELF\2\1\1", -1, NULL));
	g_assert_null(hdslurmProgramMpi(script, NULL));
	g_assert_cmpint(g_unlink(script), ==, 0);
	g_free(script);
	g_free(searched);
}

/* ---- Names ----------------------------------------------------------------
 */

static void begin(const char *project, bool isInherited, const char *task,
		  const char *expected)
{
	struct hdslurmOptions options = { 0 };
	struct hdslurmStepInfo info = { .job = 12,
					.step = 3,
					.nodes = 1,
					.task = task,
					.isInherited = isInherited };
	char *path = g_build_filename(directory, expected, NULL);
	struct hdslurmStep step;

	strcpy(options.project, project);
	strcpy(options.directory, directory);
	g_assert_true(hdslurmStepBegin(&options, &info, &step));
	g_assert_cmpstr(step.path, ==, path);
	g_assert_cmpint(g_access(step.account, F_OK), ==, 0);
	g_free(path);
}

static void testNames(void)
{
	char *old = g_build_filename(directory, "old_n0_0_0.trc", NULL);
	GDir *dir;
	const char *name;

	begin("", false, NULL, "hdtrace-12-3");
	begin("a", false, NULL, "a");
	begin("a", false, NULL, "a-2");
	begin("a", true, NULL, "a-3");
	begin("a", true, "5", "a-5-3");
	/* Also files without a .proj are a project. */
	g_assert_true(g_file_set_contents(old, "", 0, NULL));
	begin("old", false, NULL, "old-2");
	dir = g_dir_open(directory, 0, NULL);
	while ((name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(directory, name, NULL);

		g_unlink(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_free(old);
}

int main(int argc, char **argv)
{
	int result;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("hdtrace-slurm.XXXXXX", NULL);
	g_test_add_func("/slurm/options", testOptions);
	g_test_add_func("/slurm/options/long", testLongOptions);
	g_test_add_func("/slurm/site", testSite);
	g_test_add_func("/slurm/order", testOrder);
	g_test_add_func("/slurm/account", testAccount);
	g_test_add_func("/slurm/inputs of the energy", testInputs);
	g_test_add_func("/slurm/account/last", testLast);
	g_test_add_func("/slurm/answer", testAnswer);
	g_test_add_func("/slurm/run", testRun);
	g_test_add_func("/slurm/program", testProgram);
	g_test_add_func("/slurm/names", testNames);
	result = g_test_run();
	g_rmdir(directory);
	g_free(directory);
	return result;
}
