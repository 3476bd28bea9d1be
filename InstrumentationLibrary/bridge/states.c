/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurements of probes as states.
 *
 * Each thread has a lane: its trace, and what is open in it. Lanes are in a
 * list until the recording stops; a thread that stops it closes those of
 * others, so each lane has a flag that is taken for a moment, at each state,
 * and that nobody else wants before. A signal handler that finds its own lane
 * taken records nothing. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdError.h>
#include <hdMPI.h>
#include <hdProbe.h>
#include <hdTrace.h>

#include "InstrumentationLibrary/bridge/states.h"
#include "InstrumentationLibrary/src/core/page.h"
#include "common/format/projectname.h"

/** States that can be open at once; deeper ones are not recorded. */
#define DEPTH_MAX 64
/** Levels of a topology that are enough. */
#define PATH_MAX_LEVELS 32
/** What the state of a dispatch has behind the name of its kernel. */
#define DISPATCH ".dispatch"

/** An open measurement. */
struct open {
	const char *name; /**< The probe's: the pointer says which. */
	unsigned int kind;
	bool hasState; /**< To be ended. */
	bool inBody;   /**< Of a kernel; and that has a state: */
	bool hasBody;
};

/** A thread. */
struct lane {
	_Atomic bool isTaken;
	_Atomic bool hasEnded; /**< The recording has. */
	void *thread;          /**< Of libhdMPI's recorder ... */
	hdTrace *trace;        /**< ... or a trace of our own. */
	unsigned int depth;
	struct open open[DEPTH_MAX];
	struct lane *next;
};

/** What was asked for. It stays, and is used again: a thread may look at it
 *  after the recording has ended. */
struct names {
	struct names *next;
	char text[];
};

static struct {
	const struct hdMPI_recorder *recorder;
	hdTopology *topology;
	const char *path[PATH_MAX_LEVELS];
	int length;
	_Atomic(const struct names *) names;
	_Atomic bool isOn;
	pthread_mutex_t lock; /**< Of what follows. */
	struct lane *lanes;
	unsigned int count;
	int error;
} states = { .lock = PTHREAD_MUTEX_INITIALIZER };

/** The calling thread's. */
static _Thread_local struct lane *own;
/** One is being made: a handler that comes then records nothing. */
static _Thread_local volatile bool isMaking;
static pthread_key_t key;
static bool hasKey;

/* ---- Lanes -----------------------------------------------------------------
 */

static void findRecorder(void)
{
	const struct hdMPI_recorder *(*get)(void);

	/* The way of POSIX from an object to a function. */
	*(void **)&get = dlsym(RTLD_DEFAULT, "hdMPI_getRecorder");
	states.recorder = get ? get() : NULL;
}

static hdTrace *probeStatesCreateTrace(unsigned int number)
{
	char thread[16];
	const char *path[PATH_MAX_LEVELS];
	hdTopoNode *node;
	hdTrace *trace;

	memcpy(path, states.path, sizeof(path));
	snprintf(thread, sizeof(thread), "%u", number);
	path[states.length] = thread;
	node = hdT_createTopoNode(states.topology, path, states.length + 1);
	trace = node ? hdT_createTrace(node) : NULL;
	if (!trace && !states.error)
		states.error = errno;
	if (node)
		hdT_destroyTopoNode(node);
	return trace;
}

/** The calling thread's lane, one in all of its life; the lock is held. */
static struct lane *probeStatesFindLane(void)
{
	struct lane *lane = own ? own : calloc(1, sizeof(*lane));

	if (own || !lane)
		return lane;
	if (pthread_setspecific(key, lane) != 0) {
		free(lane);
		return NULL;
	}
	lane->next = states.lanes;
	states.lanes = lane;
	own = lane;
	return lane;
}

/** A lane without a place to write is one all the same: it is not tried again.
 */
static struct lane *makeLane(void)
{
	struct lane *lane = NULL;

	isMaking = true;
	pthread_mutex_lock(&states.lock);
	if (atomic_load(&states.isOn) && hasKey)
		lane = probeStatesFindLane();
	if (lane) {
		lane->thread = NULL;
		lane->depth = 0;
		if (!states.recorder && !states.error)
			lane->trace = probeStatesCreateTrace(states.count++);
		atomic_store(&lane->hasEnded, false);
	}
	pthread_mutex_unlock(&states.lock);
	isMaking = false;
	return lane;
}

/** The thread's lane, taken; NULL: nothing is recorded. */
static struct lane *probeStatesTakeLane(void)
{
	struct lane *lane = own;

	if (!atomic_load_explicit(&states.isOn, memory_order_acquire) ||
	    isMaking)
		return NULL;
	if (!lane ||
	    atomic_load_explicit(&lane->hasEnded, memory_order_relaxed))
		lane = makeLane();
	if (!lane || atomic_exchange_explicit(&lane->isTaken, true,
					      memory_order_acquire))
		return NULL;
	/* Before MPI_Init() there is none. */
	if (states.recorder && !lane->thread)
		lane->thread = states.recorder->thread();
	if (!lane->hasEnded && (lane->trace || lane->thread))
		return lane;
	atomic_store_explicit(&lane->isTaken, false, memory_order_release);
	return NULL;
}

static void giveBack(struct lane *lane)
{
	atomic_store_explicit(&lane->isTaken, false, memory_order_release);
}

/* ---- States ----------------------------------------------------------------
 */

/** Whether it is to be ended. */
static bool startState(struct lane *lane, const char *name, const char *suffix)
{
	char text[HDPROBE_NAME_SIZE + sizeof(DISPATCH) + 1];
	/* What a state may begin with. */
	bool isLetter = (*name >= 'a' && *name <= 'z') ||
			(*name >= 'A' && *name <= 'Z');

	snprintf(text, sizeof(text), "_%s%s", name, suffix);
	hdProjectMakePlain(text + 1);
	if (lane->thread)
		return states.recorder->start(lane->thread, text + isLetter,
					      NULL) >= 0;
	/* The format has some names for itself. */
	return hdT_logStateStart(lane->trace, text + isLetter) == 0 ||
	       (errno == HD_ERR_INVALID_ARGUMENT &&
		hdT_logStateStart(lane->trace, text) == 0);
}

static void probeStatesEndState(struct lane *lane)
{
	if (lane->thread)
		states.recorder->end(lane->thread, NULL);
	else
		hdT_logStateEnd(lane->trace);
}

static void endTop(struct lane *lane)
{
	const struct open *top = &lane->open[--lane->depth];

	if (top->hasBody)
		probeStatesEndState(lane);
	if (top->hasState)
		probeStatesEndState(lane);
}

static void probeStatesBegin(const char *name, unsigned int kind)
{
	int before = errno;
	struct lane *lane = probeStatesTakeLane();
	struct open *top;

	if (lane && lane->depth < DEPTH_MAX) {
		top = &lane->open[lane->depth++];
		*top = (struct open){ .name = name, .kind = kind };
		top->hasState =
			startState(lane, name,
				   kind == HDPROBE_KIND_KERNEL ? DISPATCH : "");
	}
	if (lane)
		giveBack(lane);
	errno = before;
}

static void bodyOf(int isBegin)
{
	int before = errno;
	struct lane *lane = probeStatesTakeLane();
	struct open *top =
		lane && lane->depth ? &lane->open[lane->depth - 1] : NULL;

	if (top && top->kind == HDPROBE_KIND_KERNEL &&
	    top->inBody != (isBegin != 0)) {
		top->inBody = isBegin != 0;
		if (isBegin)
			top->hasBody = startState(lane, top->name, "");
		else if (top->hasBody)
			probeStatesEndState(lane);
		if (!isBegin)
			top->hasBody = false;
	}
	if (lane)
		giveBack(lane);
	errno = before;
}

static void probeStatesEnd(const char *name, unsigned int kind)
{
	int before = errno;
	struct lane *lane = probeStatesTakeLane();
	unsigned int i = lane ? lane->depth : 0;

	while (i > 0 && (lane->open[i - 1].name != name ||
			 lane->open[i - 1].kind != kind))
		i--;
	/* Begun by another thread, or before anybody looked: none. */
	while (i > 0 && lane->depth >= i)
		endTop(lane);
	if (lane)
		giveBack(lane);
	errno = before;
}

static int wants(const char *name, const char *to, unsigned int kind)
{
	const struct names *names = atomic_load(&states.names);
	const char *at = names->text;
	size_t length = strlen(name);

	(void)to;
	if (!hdProbeIsTime(kind))
		return 0;
	if (strcmp(at, "all") == 0)
		return 1;
	while (*at) {
		size_t part = strcspn(at, ",");

		if (part == length && strncmp(at, name, length) == 0)
			return 1;
		at += part + (at[part] == ',');
	}
	return 0;
}

static const struct hdProbeObserver observer = {
	.wants = wants,
	.begin = probeStatesBegin,
	.body = bodyOf,
	.end = probeStatesEnd,
};

/* ---- All of them -----------------------------------------------------------
 */

int hdProbeStatesAreElsewhere(void)
{
	findRecorder();
	return states.recorder != NULL;
}

/** Close what a lane has, by whom ever. */
static void closeLane(struct lane *lane)
{
	while (atomic_exchange_explicit(&lane->isTaken, true,
					memory_order_acquire))
		sched_yield();
	/* Of libhdMPI's traces, only the thread itself may end states. */
	while (lane->depth > 0 && lane->trace)
		endTop(lane);
	if (lane->trace && hdT_finalize(lane->trace) != 0 && !states.error)
		states.error = errno;
	lane->trace = NULL;
	atomic_store(&lane->hasEnded, true);
	giveBack(lane);
}

/** A thread ends. */
static void probeStatesEndThread(void *ended)
{
	struct lane **at = &states.lanes;

	isMaking = true;
	pthread_mutex_lock(&states.lock);
	while (*at && *at != ended)
		at = &(*at)->next;
	/* Not there: of before a fork. */
	if (*at) {
		*at = (*at)->next;
		closeLane(ended);
		free(ended);
	}
	own = NULL;
	pthread_mutex_unlock(&states.lock);
	isMaking = false;
}

/** Set what is asked for; 0, or an errno. */
static int setNames(const char *text)
{
	static struct names *all;
	struct names *names = all;

	while (names && strcmp(names->text, text) != 0)
		names = names->next;
	if (!names) {
		names = malloc(sizeof(*names) + strlen(text) + 1);
		if (!names)
			return ENOMEM;
		strcpy(names->text, text);
		names->next = all;
		all = names;
	}
	atomic_store(&states.names, names);
	return 0;
}

int hdProbeStatesStart(hdTopology *topology, const hdTopoNode *node,
		       const char *names)
{
	int length = hdT_getTopoNodeLevel(node);
	int error;

	findRecorder();
	if (length >= PATH_MAX_LEVELS)
		return EINVAL;
	if (!hasKey) {
		error = pthread_key_create(&key, probeStatesEndThread);
		if (error)
			return error;
		hasKey = true;
	}
	error = setNames(names);
	if (error)
		return error;
	for (int i = 0; i < length; i++)
		states.path[i] = hdT_getTopoPathLabel(node, i + 1);
	states.topology = topology;
	states.length = length;
	states.count = 0;
	states.error = 0;
	atomic_store(&states.isOn, true);
	if (hdProbe_observe(&observer) == 0)
		return 0;
	atomic_store(&states.isOn, false);
	return errno;
}

int hdProbeStatesStop(void)
{
	int error;

	if (!atomic_load(&states.isOn))
		return 0;
	hdProbe_observe(NULL);
	pthread_mutex_lock(&states.lock);
	atomic_store(&states.isOn, false);
	for (struct lane *lane = states.lanes; lane; lane = lane->next)
		closeLane(lane);
	error = states.error;
	pthread_mutex_unlock(&states.lock);
	return error;
}

void hdProbeStatesForget(void)
{
	/* Another thread may have had it when it forked. */
	states.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (atomic_exchange(&states.isOn, false))
		hdProbe_observe(NULL);
	states.lanes = NULL;
	own = NULL;
	isMaking = false;
}
