/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin of Slurm (spank.h): hooks, in srun and on the nodes.
 *
 * srun decides (step.h) and tells the nodes in a variable, which is set for the
 * time of a step. On each node slurmstepd has the recorder run and the tasks
 * preload libhdMPI (node.h).
 *
 * No hook returns an error: where the plugin is required that would keep jobs
 * from running, take nodes out of service, or hang srun. Nor does srun wait for
 * anything here without a limit, but for the merge at its end.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "NodeStatus/slurm/node.h"
#include "NodeStatus/slurm/options.h"
#include "NodeStatus/slurm/program.h"
#include "NodeStatus/slurm/step.h"
#include "common/format/projectname.h"

/** What a list of variables may take. */
#define PRELOAD_MAX (2 * PATH_MAX)
/** How long a node waits for its recorder to begin, and to end. */
#define BEGIN_MS 5000
#define END_MS 10000
/** And for the comment of the job. */
#define COMMENT_S 10

SPANK_PLUGIN(hdtrace, 1)

int slurm_spank_init(spank_t spank, int count, char **words);
int slurm_spank_init_post_opt(spank_t spank, int count, char **words);
int slurm_spank_local_user_init(spank_t spank, int count, char **words);
int slurm_spank_user_init(spank_t spank, int count, char **words);
int slurm_spank_task_init(spank_t spank, int count, char **words);
int slurm_spank_task_exit(spank_t spank, int count, char **words);
int slurm_spank_exit(spank_t spank, int count, char **words);

static struct {
	struct hdslurmSite site;
	/* srun. */
	bool isAsked; /* By an option that makes sense, or not. */
	char *argument;
	bool isInherited;
	bool isBegun;
	struct hdslurmStep step;
	/* A node. */
	bool isOrdered;
	struct hdslurmOrder order;
	char node[HDSLURM_NODE_MAX];
	int recorder; /* Its socket; -1 for none. */
	unsigned int tasks, ended;
} plugin = { .recorder = -1 };

/* ---- Options --------------------------------------------------------------
 */

static void pluginIgnore(const char *what)
{
	(void)what;
}

static void pluginLogError(const char *what)
{
	hdslurmSay("--" HDSLURM_OPTION "=%s", what);
}

static void pluginLogSite(const char *what)
{
	hdslurmSay("plugstack.conf: %s", what);
}

/* Where sbatch and salloc leave their options for srun. */
static const char *inherited(void)
{
	return getenv("SLURM_SPANK__SLURM_SPANK_OPTION_hdtrace_hdtrace");
}

/* Called for what srun inherits, then for what it is given. */
static int pluginOnOption(int value, const char *argument, int isRemote)
{
	const char *other = inherited();

	(void)value;
	if (isRemote)
		return 0;
	free(plugin.argument);
	plugin.argument = strdup(argument ? argument : "");
	plugin.isAsked = plugin.argument != NULL;
	plugin.isInherited =
		plugin.isAsked && other && strcmp(other, plugin.argument) == 0;
	return 0;
}

static char optionName[] = HDSLURM_OPTION;
static char optionArgument[] = "project=NAME,directory=DIR,interval=MS,"
			       "mpi=LIBRARY";
static char optionHelp[] =
	"record utilization, power and MPI calls of each step (HDTrace)";

static struct spank_option option = {
	.name = optionName,
	.arginfo = optionArgument,
	.usage = optionHelp,
	.has_arg = 2,
	.cb = pluginOnOption,
};

int slurm_spank_init(spank_t spank, int count, char **words)
{
	spank_context_t context = spank_context();

	if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR &&
	    context != S_CTX_REMOTE)
		return ESPANK_SUCCESS;
	spank_option_register(spank, &option);
	hdslurmSiteParse(count, words, &plugin.site, pluginIgnore);
	return ESPANK_SUCCESS;
}

/* ---- srun, sbatch, salloc -------------------------------------------------
 */

/* The path of something of ours: NAME, in DIRECTORY if it is installed. */
static void findOurs(const char *directory, const char *name, char *path)
{
	const char *place = *plugin.site.from ? plugin.site.from : directory;

	/* What is too long is nowhere. */
	if (snprintf(path, PATH_MAX, "%s/%s", place, name) >= PATH_MAX)
		*path = '\0';
}

static void order(const struct hdslurmOptions *options)
{
	struct hdslurmOrder given = {
		.intervalMs = options->intervalMs ? options->intervalMs
						  : plugin.site.intervalMs,
	};
	char text[PATH_MAX + 64];

	strcpy(given.mpi, options->mpi);
	strcpy(given.path, plugin.step.path);
	if (hdslurmOrderFormat(&given, text, sizeof(text)))
		setenv(HDSLURM_VARIABLE, text, 1);
}

int slurm_spank_local_user_init(spank_t spank, int count, char **words)
{
	struct hdslurmOptions options;
	struct hdslurmStepInfo info = {
		.task = getenv("SLURM_ARRAY_TASK_ID"),
		.isInherited = plugin.isInherited,
	};

	if (plugin.isBegun)
		return ESPANK_SUCCESS;
	unsetenv(HDSLURM_VARIABLE);
	if (!plugin.isAsked ||
	    spank_get_item(spank, S_JOB_ID, &info.job) != ESPANK_SUCCESS ||
	    spank_get_item(spank, S_JOB_STEPID, &info.step) != ESPANK_SUCCESS ||
	    info.step >= HDSLURM_STEP_MAX)
		return ESPANK_SUCCESS;
	spank_get_item(spank, S_JOB_NNODES, &info.nodes);
	hdslurmSiteParse(count, words, &plugin.site, pluginLogSite);
	hdslurmOptionsParse(plugin.argument, &options, pluginLogError);
	plugin.isBegun = hdslurmStepBegin(&options, &info, &plugin.step);
	if (!plugin.isBegun)
		return ESPANK_SUCCESS;
	order(&options);
	/* srun has made the environments of all components before, and adds to
	 * one of them what was set here: to that whose thread comes first. */
	if (getenv("SLURM_HET_SIZE"))
		hdslurmSay("the job is heterogeneous; only the component of "
			   "job %u is recorded",
			   info.job);
	return ESPANK_SUCCESS;
}

static void pluginEndStep(void)
{
	char hdtrace[PATH_MAX];

	if (!plugin.isBegun)
		return;
	plugin.isBegun = false;
	findOurs(HDSLURM_BINDIR, "hdtrace", hdtrace);
	hdslurmStepEnd(&plugin.step, hdtrace);
}

/* Who submits a job is told at once what makes no sense; srun says it itself.
 */
int slurm_spank_init_post_opt(spank_t spank, int count, char **words)
{
	struct hdslurmOptions options;

	(void)spank;
	(void)count;
	(void)words;
	if (spank_context() == S_CTX_ALLOCATOR && plugin.isAsked)
		hdslurmOptionsParse(plugin.argument, &options, pluginLogError);
	return ESPANK_SUCCESS;
}

/* ---- A node: the recorder -------------------------------------------------
 */

static void pluginFindNode(spank_t spank, char *node)
{
	const char *name = getenv("SLURMD_NODENAME");

	if (!name && spank_getenv(spank, "SLURMD_NODENAME", node,
				  HDSLURM_NODE_MAX) == ESPANK_SUCCESS)
		return;
	hdProjectHost(name, node, HDSLURM_NODE_MAX);
}

/* Whether the step is recorded, and how. */
static bool findOrder(spank_t spank)
{
	char text[PATH_MAX + 64];
	unsigned int step;

	return spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
	       step < HDSLURM_STEP_MAX &&
	       spank_getenv(spank, HDSLURM_VARIABLE, text, sizeof(text)) ==
		       ESPANK_SUCCESS &&
	       hdslurmOrderParse(text, &plugin.order);
}

static bool findUser(spank_t spank, struct hdslurmUser *user)
{
	gid_t *groups = NULL;
	int count = 0;

	if (spank_get_item(spank, S_JOB_UID, &user->uid) != ESPANK_SUCCESS ||
	    spank_get_item(spank, S_JOB_GID, &user->gid) != ESPANK_SUCCESS)
		return false;
	spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count);
	user->groups = groups;
	user->groupCount = groups && count > 0 ? (size_t)count : 0;
	return true;
}

static void findPower(spank_t spank, char *power)
{
	char own[PATH_MAX];

	if (spank_getenv(spank, "HDTRACE_PT_CFG", own, sizeof(own)) ==
		    ESPANK_SUCCESS &&
	    *own == '/')
		strcpy(power, own);
	else if (!hdslurmExpand(plugin.site.power, plugin.node, power,
				PATH_MAX))
		strcpy(power, "none");
}

static void startRecorder(spank_t spank)
{
	char program[PATH_MAX], hdtrace[PATH_MAX], power[PATH_MAX];
	char interval[16], nodes[16], job[16];
	char path[] = "PATH=/usr/bin:/bin";
	char *environment[] = { path, NULL };
	char *arguments[] = {
		program, plugin.order.path, plugin.node, interval, nodes, job,
		power,   hdtrace,           NULL
	};
	unsigned int nodeCount = 1, jobNumber = 0;
	char line[HDSLURM_ANSWER_MAX];
	struct hdslurmUser user = { 0 };

	spank_get_item(spank, S_JOB_NNODES, &nodeCount);
	spank_get_item(spank, S_JOB_ID, &jobNumber);
	if (!findUser(spank, &user))
		return;
	findPower(spank, power);
	findOurs(HDSLURM_LIBEXECDIR, "hdtrace-slurm-record", program);
	findOurs(HDSLURM_BINDIR, "hdtrace", hdtrace);
	snprintf(interval, sizeof(interval), "%u", plugin.order.intervalMs);
	snprintf(nodes, sizeof(nodes), "%u", nodeCount);
	snprintf(job, sizeof(job), "%u", jobNumber);
	plugin.recorder = hdslurmNodeRun(arguments, environment, &user, 0);
	/* So that it is there when the tasks begin, if it can be. */
	if (plugin.recorder >= 0)
		hdslurmNodeRead(plugin.recorder, BEGIN_MS, line, sizeof(line));
}

int slurm_spank_user_init(spank_t spank, int count, char **words)
{
	(void)count;
	(void)words;
	plugin.isOrdered = spank_remote(spank) == 1 && findOrder(spank);
	if (!plugin.isOrdered)
		return ESPANK_SUCCESS;
	pluginFindNode(spank, plugin.node);
	spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &plugin.tasks);
	startRecorder(spank);
	return ESPANK_SUCCESS;
}

/* ---- A node: the tasks ----------------------------------------------------
 */

/* The MPI library whose calls are recorded by preloading; NULL for none. */
static const char *findMpi(spank_t spank)
{
	char searched[PRELOAD_MAX], libraries[PRELOAD_MAX], path[PATH_MAX];
	const char *mpi = plugin.order.mpi;
	char **arguments;
	int count;

	if (strcmp(mpi, "none") == 0)
		return NULL;
	if (strcmp(mpi, "auto") != 0)
		return mpi;
	if (spank_get_item(spank, S_JOB_ARGV, &count, &arguments) !=
		    ESPANK_SUCCESS ||
	    count < 1)
		return NULL;
	if (spank_getenv(spank, "PATH", searched, sizeof(searched)) !=
	    ESPANK_SUCCESS)
		*searched = '\0';
	if (spank_getenv(spank, "LD_LIBRARY_PATH", libraries,
			 sizeof(libraries)) != ESPANK_SUCCESS)
		*libraries = '\0';
	if (!hdslurmProgramFind(arguments[0], searched, path))
		return NULL;
	return hdslurmProgramMpi(path, *libraries ? libraries : NULL);
}

/* Say once why libhdMPI is not there: two words of it. */
static void pluginLogMpi(spank_t spank, const char *why, const char *what)
{
	unsigned int rank = 0;

	spank_get_item(spank, S_TASK_GLOBAL_ID, &rank);
	if (rank == 0)
		slurm_spank_log("hdtrace: MPI calls are not recorded: %s%s",
				why, what);
}

static void preload(spank_t spank, const char *mpi)
{
	char library[PATH_MAX], list[PRELOAD_MAX], name[64];
	char before[PRELOAD_MAX - PATH_MAX];
	spank_err_t error;

	snprintf(name, sizeof(name), "libhdMPI-%s.so", mpi);
	findOurs(HDSLURM_PKGLIBDIR, name, library);
	if (access(library, R_OK) != 0) {
		pluginLogMpi(spank, "missing library ", library);
		return;
	}
	error = spank_getenv(spank, "LD_PRELOAD", before, sizeof(before));
	if (error == ESPANK_ENV_NOEXIST) {
		*before = '\0';
	} else if (error != ESPANK_SUCCESS) {
		pluginLogMpi(spank, "LD_PRELOAD is too long", "");
		return;
	}
	snprintf(list, sizeof(list), "%s%s%s", library, *before ? ":" : "",
		 before);
	spank_setenv(spank, "LD_PRELOAD", list, 1);
}

/* What libhdMPI is told, also where it is in the program itself, or comes by
 * hdmpirun. The recorder has utilization and power; ranks add their CPU time.
 */
static void pluginSetVariables(spank_t spank)
{
	char path[PATH_MAX], interval[16];
	char *slash;

	strcpy(path, plugin.order.path);
	slash = strrchr(path, '/');
	*slash = '\0';
	snprintf(interval, sizeof(interval), "%u", plugin.order.intervalMs);
	spank_setenv(spank, "HDTRACE_MPI_DIR", *path ? path : "/", 1);
	spank_setenv(spank, "HDTRACE_MPI_PROJECT", slash + 1, 1);
	spank_setenv(spank, "HDTRACE_MPI_HOST", plugin.node, 1);
	spank_setenv(spank, "HDTRACE_MPI_PROJ", "0", 1);
	spank_setenv(spank, "HDTRACE_MPI_RUT", interval, 1);
	spank_setenv(spank, "HDTRACE_MPI_RUT_SOURCES", "-all", 1);
	spank_unsetenv(spank, "HDTRACE_MPI_NUMBER");
	spank_unsetenv(spank, "HDTRACE_OVERWRITE_EXISTING_FILES");
	spank_unsetenv(spank, "HDTRACE_PT_CFG");
}

int slurm_spank_task_init(spank_t spank, int count, char **words)
{
	const char *mpi;

	(void)count;
	(void)words;
	if (!plugin.isOrdered)
		return ESPANK_SUCCESS;
	pluginSetVariables(spank);
	mpi = findMpi(spank);
	if (mpi)
		preload(spank, mpi);
	return ESPANK_SUCCESS;
}

/* ---- A node: the end ------------------------------------------------------
 */

/* Put joules into the job's comment. Its program has a limit of its own. */
static void writeComment(spank_t spank, const struct hdslurmTotal *total)
{
	char program[PATH_MAX], job[16], step[16], nodes[16], times[2][32];
	char joules[32], known[32], duration[32], line[HDSLURM_ANSWER_MAX];
	char simulated[] = "simulated", measured[] = "measured";
	char inputs[HDSLURM_INPUTS_MAX];
	char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char configuration[PATH_MAX + 16];
	char *environment[] = { path, NULL, NULL };
	char *arguments[] = {
		program,  job,
		step,     nodes,
		times[0], times[1],
		joules,   known,
		duration, total->isSimulated ? simulated : measured,
		inputs,   NULL
	};
	const char *given = getenv("SLURM_CONF");
	unsigned int number = 0;
	int fd;

	spank_get_item(spank, S_JOB_ID, &number);
	snprintf(job, sizeof(job), "%u", number);
	spank_get_item(spank, S_JOB_STEPID, &number);
	snprintf(step, sizeof(step), "%u", number);
	snprintf(nodes, sizeof(nodes), "%u", total->nodes);
	snprintf(times[0], sizeof(times[0]), "%.3f", total->fromS);
	snprintf(times[1], sizeof(times[1]), "%.3f", total->toS);
	snprintf(joules, sizeof(joules), "%.3f", total->joules);
	snprintf(known, sizeof(known), "%.3f", total->knownS);
	snprintf(duration, sizeof(duration), "%.3f", total->durationS);
	snprintf(inputs, sizeof(inputs), "%s", total->inputs);
	if (given &&
	    snprintf(configuration, sizeof(configuration), "SLURM_CONF=%s",
		     given) < (int)sizeof(configuration))
		environment[1] = configuration;
	findOurs(HDSLURM_LIBEXECDIR, "hdtrace-slurm-comment", program);
	fd = hdslurmNodeRun(arguments, environment, NULL, COMMENT_S);
	if (fd < 0)
		return;
	/* It says nothing; its end is what is waited for. */
	hdslurmNodeRead(fd, COMMENT_S * 1000, line, sizeof(line));
	close(fd);
}

static void endRecorder(spank_t spank)
{
	char line[HDSLURM_ANSWER_MAX];
	struct hdslurmTotal total;
	int fd = plugin.recorder;

	if (fd < 0)
		return;
	plugin.recorder = -1;
	shutdown(fd, SHUT_WR);
	if (hdslurmNodeRead(fd, END_MS, line, sizeof(line)) == 0 &&
	    hdslurmNodeParse(line, &total))
		writeComment(spank, &total);
	close(fd);
}

int slurm_spank_task_exit(spank_t spank, int count, char **words)
{
	(void)count;
	(void)words;
	if (++plugin.ended >= plugin.tasks)
		endRecorder(spank);
	return ESPANK_SUCCESS;
}

int slurm_spank_exit(spank_t spank, int count, char **words)
{
	spank_context_t context = spank_context();

	(void)count;
	(void)words;
	if (context == S_CTX_REMOTE)
		endRecorder(spank); /* Of tasks that never began. */
	else if (context == S_CTX_LOCAL)
		pluginEndStep();
	return ESPANK_SUCCESS;
}
