/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * States of a Python program.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdError.h>
#include <hdMPI.h>
#include <hdTrace.h>

#include "PythonModule/src/lanes.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/format/escape.h"
#include "common/format/level.h"
#include "common/format/projectname.h"

/** States that can be open at once; deeper ones are not recorded. */
#define LANE_STATES_MAX 900
/** Longest name of a state, with its final NUL. */
#define LANE_NAME_SIZE 256
/** Level of the ranks. */
#define LANE_LEVEL_RANK 2

/** A thread. */
struct lane {
	void *thread;   /**< Of libhdMPI's recorder ... */
	hdTrace *trace; /**< ... or a trace of our own. */
	unsigned int
		recording; /**< The number of the recording that it is of. */
	unsigned int depth;
	uint64_t states[LANE_STATES_MAX]; /**< Numbers of open states. */
	struct lane *next;
};

/** A group. */
struct laneGroup {
	uint64_t number;
	struct hdRecord record;
	struct laneGroup *next;
};

static struct {
	bool isOn;
	bool hasStopped;
	const struct hdMPI_recorder *recorder;
	hdTopology *topology;
	char project[HD_PROJECT_PATH_MAX];
	char host[HD_PROJECT_PATH_MAX];
	char rank[64];
	uint64_t states;        /**< Numbers that were given. */
	uint64_t groupCount;    /**< Likewise, ... */
	unsigned int threads;   /**< ... in this recording, ... */
	unsigned int recording; /**< ... and of recordings. */
	struct laneGroup *groups;
	int error;
	pthread_mutex_t lock; /**< Of the list, which ends of threads change. */
	struct lane *lanes;
} lanes = { .lock = PTHREAD_MUTEX_INITIALIZER };

/** The calling thread's. */
static _Thread_local struct lane *laneOwn;
static pthread_key_t laneKey;

static void laneFail(int error)
{
	if (!lanes.error)
		lanes.error = error;
}

/* ---- The project ------------------------------------------------------- */

static void laneFindRecorder(void)
{
	const struct hdMPI_recorder *(*get)(void);

	/* The way of POSIX from an object to a function. */
	*(void **)&get = dlsym(RTLD_DEFAULT, "hdMPI_getRecorder");
	lanes.recorder = get ? get() : NULL;
}

/** The rank of this process, of MPI without libhdMPI; NULL: there is none. */
static const char *laneRank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					     "SLURM_PROCID" };
	const char *rank = NULL;

	for (size_t i = 0; !rank && i < sizeof(names) / sizeof(*names); i++)
		rank = hdEnvironmentText(names[i]);
	return rank;
}

/** Make the path of the project absolute, since the program may change its
 *  directory; false: there is no room. */
static bool laneFixProject(void)
{
	const char *prefix = hdEnvironmentText("HDTRACE_PREFIX");
	char path[HD_PROJECT_PATH_MAX], directory[HD_PROJECT_PATH_MAX];

	if (!hdProjectPath(prefix, lanes.project, path, sizeof(path)))
		return false;
	if (*path == '/')
		directory[0] = '\0';
	else if (!getcwd(directory, sizeof(directory)))
		return true;
	return (size_t)snprintf(lanes.project, sizeof(lanes.project), "%s%s%s",
				directory, *path == '/' ? "" : "/",
				path) < sizeof(lanes.project);
}

/** Choose the project that libhdMPI writes; false: it is not known. */
static bool laneUseProjectOfMpi(void)
{
	const char *project = hdEnvironmentText("HDTRACE_MPI_PROJECT");
	const char *directory = hdEnvironmentText("HDTRACE_MPI_DIR");

	if (!project || hdEnvironmentText("HDTRACE_MPI_NUMBER"))
		return false;
	return (size_t)snprintf(lanes.project, sizeof(lanes.project), "%s%s%s",
				directory ? directory : "",
				directory ? "/" : "",
				project) < sizeof(lanes.project) &&
	       laneFixProject();
}

/** Choose a project of our own; 0, or an errno. */
static int laneUseOwnProject(const struct hdPyPlace *place)
{
	const char *overwrite =
		hdEnvironmentText("HDTRACE_OVERWRITE_EXISTING_FILES");
	const char *prefix = hdEnvironmentText("HDTRACE_PREFIX");
	char path[HD_PROJECT_PATH_MAX];

	snprintf(lanes.project, sizeof(lanes.project), "%s",
		 place->project                      ? place->project
		 : place->program && *place->program ? place->program
						     : "python");
	if (!place->project)
		hdProjectMakePlain(lanes.project);
	else if (hdProjectPath(prefix, lanes.project, path, sizeof(path)))
		hdProjectMakeDirectories(path);
	/* A name that was not given gets a number where it is taken; ranks of
	 * one program would get several. */
	if (!place->project && !laneRank() &&
	    !(overwrite && strcmp(overwrite, "1") == 0) &&
	    !hdProjectFindFree(prefix, lanes.project, sizeof(lanes.project)))
		return HD_ERR_BUFFER_OVERFLOW;
	return laneFixProject() ? 0 : HD_ERR_BUFFER_OVERFLOW;
}

static int laneMakeTopology(void)
{
	const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
				 HD_LEVEL_THREAD };

	if (!lanes.topology)
		lanes.topology = hdT_createTopology(lanes.project, levels, 3);
	return lanes.topology ? 0 : errno;
}

static void laneEndThread(void *ended);

int hdPyLanesStart(const struct hdPyPlace *place)
{
	static bool hasKey;
	const char *host = place->host;
	const char *rank = place->rank ? place->rank : laneRank();
	int error = 0;

	if (lanes.isOn)
		return EALREADY;
	if (!hasKey) {
		error = pthread_key_create(&laneKey, laneEndThread);
		if (error)
			return error;
		hasKey = true;
	}
	laneFindRecorder();
	lanes.project[0] = '\0';
	if (!host && lanes.recorder)
		host = hdEnvironmentText("HDTRACE_MPI_HOST");
	hdProjectHost(host, lanes.host, sizeof(lanes.host));
	snprintf(lanes.rank, sizeof(lanes.rank), "%s", rank ? rank : "0");
	hdProjectMakePlain(lanes.rank);
	if (lanes.recorder)
		laneUseProjectOfMpi();
	else
		error = laneUseOwnProject(place);
	if (!error && !lanes.recorder)
		error = laneMakeTopology();
	lanes.threads = 0;
	lanes.recording++;
	lanes.error = 0;
	lanes.hasStopped = false;
	lanes.isOn = !error;
	return error;
}

const char *hdPyLanesProject(void)
{
	const char *project = lanes.project;
	char directory[HD_PROJECT_PATH_MAX];
	size_t length;

	if (!lanes.topology || lanes.recorder)
		return NULL;
	/* What is below the directory is shown as it was given. */
	if (!getcwd(directory, sizeof(directory)))
		return project;
	length = strlen(directory);
	return strncmp(project, directory, length) == 0 &&
			       project[length] == '/' && project[length + 1]
		       ? project + length + 1
		       : project;
}

/* ---- Lanes ------------------------------------------------------------- */

static hdTrace *laneCreateTrace(unsigned int number)
{
	char thread[16];
	const char *path[] = { lanes.host, lanes.rank, thread };
	hdTopoNode *node;
	hdTrace *trace;

	snprintf(thread, sizeof(thread), "%u", number);
	node = hdT_createTopoNode(lanes.topology, path, 3);
	trace = node ? hdT_createTrace(node) : NULL;
	if (!trace)
		laneFail(errno);
	if (node)
		hdT_destroyTopoNode(node);
	return trace;
}

/** Make a lane; one without a place to write is one all the same. */
static struct lane *laneMake(void)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane || pthread_setspecific(laneKey, lane) != 0) {
		free(lane);
		return NULL;
	}
	pthread_mutex_lock(&lanes.lock);
	lane->next = lanes.lanes;
	lanes.lanes = lane;
	pthread_mutex_unlock(&lanes.lock);
	laneOwn = lane;
	return lane;
}

/** The calling thread's lane; NULL: nothing is recorded. */
static struct lane *laneGet(void)
{
	static const struct hdPyPlace nowhere;
	struct lane *lane;

	if (!lanes.isOn &&
	    (lanes.hasStopped || lanes.error || hdPyLanesStart(&nowhere) != 0))
		return NULL;
	lane = laneOwn ? laneOwn : laneMake();
	if (!lane)
		return NULL;
	if (lane->recording != lanes.recording) {
		lane->recording = lanes.recording;
		if (!lanes.recorder)
			lane->trace = laneCreateTrace(lanes.threads++);
	}
	/* Before MPI_Init() there is none. */
	if (lanes.recorder && !lane->thread)
		lane->thread = lanes.recorder->thread();
	return lane->thread || lane->trace ? lane : NULL;
}

static void laneEndState(struct lane *lane)
{
	lane->depth--;
	if (lane->thread)
		lanes.recorder->end(lane->thread, NULL);
	else
		hdT_logStateEnd(lane->trace);
}

/** Finish the trace of a lane. */
static void laneFinish(struct lane *lane)
{
	/* Of libhdMPI's traces, only the thread itself may end states. */
	while (lane->depth > 0 && (lane->trace || lane == laneOwn))
		laneEndState(lane);
	if (lane->trace && hdT_finalize(lane->trace) != 0)
		laneFail(errno);
	lane->trace = NULL;
	lane->thread = NULL;
	lane->depth = 0;
}

static void laneEndThread(void *ended)
{
	struct lane **at = &lanes.lanes, *lane = ended;

	pthread_mutex_lock(&lanes.lock);
	while (*at && *at != lane)
		at = &(*at)->next;
	if (*at) {
		*at = (*at)->next;
		/* libhdMPI's own destructor may have come first: it has ended
		 * the states, and its thread may be another one's by now. */
		if (lanes.recorder) {
			lane->thread = NULL;
			lane->depth = 0;
		}
		laneFinish(lane);
		free(lane);
	}
	laneOwn = NULL;
	pthread_mutex_unlock(&lanes.lock);
}

/* ---- States ------------------------------------------------------------ */

/** Make the name of a state; returns whether it is another text. */
static bool laneMakeName(char *name, const char *text)
{
	static const char *const reserved[] = { "Nested", "Event", "Program" };
	size_t length = hdNameLength(text);
	size_t used = 0;
	bool isReserved = false;

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		isReserved |= strcmp(text, reserved[i]) == 0;
	if (length > 0 && length < LANE_NAME_SIZE && !text[length] &&
	    !isReserved) {
		memcpy(name, text, length + 1);
		return false;
	}
	if (isReserved || !(hdNameBytes[(unsigned char)*text] & HD_NAME_START))
		name[used++] = '_';
	for (; *text && used < LANE_NAME_SIZE - 1; text++) {
		unsigned char byte = (unsigned char)*text;

		/* Of a character of several bytes, one is replaced. */
		if (hdNameBytes[byte])
			name[used++] = *text;
		else if ((byte & 0xc0) != 0x80)
			name[used++] = '_';
	}
	name[used] = '\0';
	return true;
}

uint64_t hdPyLanesBegin(const char *name)
{
	struct lane *lane = laneGet();
	char plain[LANE_NAME_SIZE];
	bool isOther;
	int ret;

	if (!lane || lane->depth == LANE_STATES_MAX)
		return 0;
	isOther = laneMakeName(plain, name);
	ret = lane->thread ? lanes.recorder->start(lane->thread, plain, NULL)
			   : hdT_logStateStart(lane->trace, plain);
	if (ret < 0) {
		if (lane->trace)
			laneFail(errno);
		return 0;
	}
	lane->states[lane->depth++] = ++lanes.states;
	if (isOther)
		hdPyLanesPutText("name", name);
	return lanes.states;
}

bool hdPyLanesIsInnermost(uint64_t state)
{
	const struct lane *lane = laneOwn;

	return state && lane && lane->depth > 0 &&
	       lane->states[lane->depth - 1] == state;
}

void hdPyLanesEnd(uint64_t state)
{
	struct lane *lane = laneOwn;
	unsigned int at = lane ? lane->depth : 0;

	while (at > 0 && lane->states[at - 1] > state)
		at--;
	if (at == 0 || lane->states[at - 1] != state)
		return;
	while (lane->depth >= at)
		laneEndState(lane);
}

/* ---- What states have -------------------------------------------------- */

/** The lane of the calling thread, if it has an open state. */
static struct lane *laneOfState(void)
{
	return laneOwn && laneOwn->depth > 0 ? laneOwn : NULL;
}

void hdPyLanesPutInteger(const char *key, int64_t value)
{
	struct lane *lane = laneOfState();

	if (lane && lane->thread)
		lanes.recorder->attributes(lane->thread, key, &value);
	else if (lane)
		hdT_logAttributeInt64(lane->trace, key, value);
}

void hdPyLanesPutText(const char *key, const char *value)
{
	struct lane *lane = laneOfState();

	if (lane && lane->thread)
		lanes.recorder->text(lane->thread, key, value);
	else if (lane)
		hdT_logAttributeString(lane->trace, key, value);
}

void hdPyLanesPutDouble(const char *key, double value)
{
	struct lane *lane = laneOfState();
	int (*put)(const char *, double);

	if (lane && lane->trace) {
		hdT_logAttributeDouble(lane->trace, key, value);
	} else if (lane) {
		/* It is for the calling thread, whose region is the innermost.
		 */
		*(void **)&put = dlsym(RTLD_DEFAULT, "hdMPI_attributeDouble");
		if (put)
			put(key, value);
	}
}

void hdPyLanesEvent(const char *name)
{
	struct lane *lane = laneGet();
	int (*put)(const char *);

	if (lane && lane->trace) {
		hdT_logEvent(lane->trace, name);
	} else if (lane) {
		*(void **)&put = dlsym(RTLD_DEFAULT, "hdMPI_event");
		if (put)
			put(name);
	}
}

/* ---- Groups and the end ------------------------------------------------ */

/** Begin the file of a group; 0, or an errno. */
static int laneOpenGroup(struct hdRecord *record, const char *name,
			 const struct hdRecordColumn *columns, size_t count)
{
	const char *path[] = { lanes.host, lanes.rank };
	hdTopoNode *node =
		hdT_createTopoNode(lanes.topology, path, LANE_LEVEL_RANK);
	int ret = node ? hdRecordOpen(record, node, LANE_LEVEL_RANK, name) : -1;
	int error;

	for (size_t i = 0; ret == 0 && i < count; i++)
		ret = hdRecordAddColumn(record, &columns[i]);
	if (ret == 0)
		ret = hdRecordCommit(record);
	error = ret == 0 ? 0 : errno;
	if (node)
		hdT_destroyTopoNode(node);
	if (ret == 0)
		hdRecordEnable(record, hdClockNow());
	return error;
}

int hdPyLanesGroup(const char *name, const struct hdRecordColumn *columns,
		   size_t count, uint64_t *number)
{
	static const struct hdPyPlace nowhere;
	struct laneGroup *item;
	int error = lanes.isOn ? 0 : hdPyLanesStart(&nowhere);

	if (!error && !lanes.project[0])
		error = ENOTSUP;
	if (!error)
		error = laneMakeTopology();
	item = error ? NULL : calloc(1, sizeof(*item));
	if (!item)
		return error ? error : ENOMEM;
	error = laneOpenGroup(&item->record, name, columns, count);
	if (error) {
		hdRecordClose(&item->record);
		free(item);
		return error;
	}
	item->number = *number = ++lanes.groupCount;
	item->next = lanes.groups;
	lanes.groups = item;
	return 0;
}

bool hdPyLanesWrite(uint64_t number, const union hdCell *cells, size_t count)
{
	struct laneGroup *item = lanes.groups;

	while (item && item->number != number)
		item = item->next;
	if (!item || item->record.count != count)
		return false;
	/* Failures of files are said by the library, once. */
	hdRecordWrite(&item->record, cells, hdClockNow());
	return true;
}

int hdPyLanesStop(void)
{
	if (!lanes.isOn)
		return lanes.error;
	pthread_mutex_lock(&lanes.lock);
	for (struct lane *lane = lanes.lanes; lane; lane = lane->next)
		laneFinish(lane);
	pthread_mutex_unlock(&lanes.lock);
	while (lanes.groups) {
		struct laneGroup *item = lanes.groups;

		lanes.groups = item->next;
		if (hdRecordClose(&item->record) != 0)
			laneFail(errno);
		free(item);
	}
	if (lanes.topology)
		hdT_destroyTopology(lanes.topology);
	lanes.topology = NULL;
	lanes.isOn = false;
	lanes.hasStopped = true;
	return lanes.error;
}
