/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * What threads of a brick do to the translator, without GlusterFS' own threads,
 * for ThreadSanitizer: operations come into a layer in some, wait in a queue,
 * leave the layer and end in others, while recording is switched off and on, by
 * the very functions that a volume calls. Afterwards each gauge is at 0, and
 * was never below. And a task that goes on in another thread than the one in
 * which it handed an operation down.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "GlusterFSTracing/xlator/operation.h"
#include "GlusterFSTracing/xlator/instances.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

#define THREADS 4
#define SWITCHES 25
/* Operations between two of them, at least. */
#define OPERATIONS 40
/* Of them, those that wait at most. */
#define WAITING_MAX 20

/* An operation between the threads, with its frames: of both sides. */
struct request {
	struct request *next;
	call_stack_t stack;
	call_frame_t enter, leave;
};

/* What io-threads is: whoever is first takes what came last. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct request *first;
	int waiting; /* Requests in it. */
	int sources; /* Threads that put something in. */
	int ended;   /* Operations. */
	bool isEnding;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .filled = PTHREAD_COND_INITIALIZER,
	    .sources = THREADS };

static xlator_t translators[2];
static struct instance instances[2];

/* Whether there is to be more. */
static bool queuePut(struct request *request)
{
	bool isEnding;

	pthread_mutex_lock(&queue.lock);
	while (queue.waiting == WAITING_MAX)
		pthread_cond_wait(&queue.filled, &queue.lock);
	queue.waiting++;
	request->next = queue.first;
	queue.first = request;
	isEnding = queue.isEnding;
	queue.sources -= isEnding;
	pthread_cond_broadcast(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
	return !isEnding;
}

static struct request *queueTake(void)
{
	struct request *request;

	pthread_mutex_lock(&queue.lock);
	while (!queue.first && queue.sources > 0)
		pthread_cond_wait(&queue.filled, &queue.lock);
	request = queue.first;
	if (request) {
		queue.first = request->next;
		queue.waiting--;
		pthread_cond_broadcast(&queue.filled);
	}
	pthread_mutex_unlock(&queue.lock);
	return request;
}

static void queueEnded(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.ended++;
	pthread_cond_broadcast(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

/* Wait until so many more have ended; the last time: tell those that come. */
static void queueWait(int number, bool isEnding)
{
	pthread_mutex_lock(&queue.lock);
	number += queue.ended;
	while (queue.ended < number)
		pthread_cond_wait(&queue.filled, &queue.lock);
	queue.isEnding = isEnding;
	pthread_mutex_unlock(&queue.lock);
}

/* Who waits for a result, and who gets it for the instance. */
static void answered(void)
{
}

static OPERATION_DONE void resultDone(void)
{
}

/* As the functions of hdtrace.c go through an instance. */
static void pass(struct instance *instance, call_frame_t *frame, int number)
{
	struct operationWay way;
	struct operationAbout about = { .fop = GF_FOP_WRITE,
					.name = "writev",
					.done = resultDone,
					.hasOffset = true,
					.movesBytes = true,
					.waits = number % 8 == 0,
					.offset = number };

	if (instancePasses(instance, GF_FOP_WRITE)) {
		g_assert_null(
			operationPass(frame, instance, GF_FOP_WRITE, NULL));
		return;
	}
	g_assert_null(operationBegin(frame, instance, &about, NULL, &way));
	operationReturn(way);
}

/* As its result goes back by a frame. */
static void goBack(struct request *request)
{
	call_frame_t *frame = &request->enter;

	if (frame->ret == (ret_fn_t)resultDone) {
		struct operationWay way;
		struct operationCaller caller =
			operationEnd(frame->cookie, 4096, 0, NULL, &way);

		g_assert_true(caller.ret == answered);
		g_assert_true(caller.cookie == request);
		operationReturn(way);
	}
	g_assert_true(frame->ret == (ret_fn_t)answered);
	g_assert_true(frame->cookie == request);
}

static struct request *requestMake(void)
{
	struct request *request = g_new0(struct request, 1);

	request->enter.root = &request->stack;
	request->enter.this = &translators[0];
	request->enter.ret = (ret_fn_t)answered;
	request->enter.cookie = request;
	request->leave.root = &request->stack;
	request->leave.this = &translators[1];
	request->leave.ret = (ret_fn_t)answered;
	request->leave.parent = &request->enter;
	return request;
}

static void *come(void *context)
{
	struct request *request;
	int number = 0;

	(void)context;
	do {
		request = requestMake();
		pass(&instances[0], &request->enter, number++);
	} while (queuePut(request));
	return NULL;
}

static void *serve(void *context)
{
	struct request *request;

	(void)context;
	while ((request = queueTake())) {
		pass(&instances[1], &request->leave, 0);
		goBack(request);
		g_free(request);
		queueEnded();
	}
	return NULL;
}

static void placeSet(struct instance *instance, bool isOn, const char *project)
{
	instancesLock();
	g_free(instance->project);
	instance->project = g_strdup(project);
	instance->choice =
		(struct instanceChoice){ isOn, RECORD_ALL, UINT64_MAX };
	instanceApply(instance);
	instancesUnlock();
}

static void placePrepare(int at, enum instanceSide side)
{
	struct instance *instance = &instances[at];

	translators[at].name = "brick";
	translators[at].private = instance;
	instance->this = &translators[at];
	strcpy(instance->layer, "BREQ");
	strcpy(instance->host, "host");
	strcpy(instance->node, "brick");
	instance->directory = g_get_current_dir();
	instance->isTop = side == INSTANCE_ENTER;
	instance->isLowest = true;
	instance->side = side;
}

static void placeForget(int at)
{
	placeSet(&instances[at], false, "none");
	g_clear_pointer(&instances[at].project, g_free);
	g_clear_pointer(&instances[at].directory, g_free);
}

/* The gauge of a run, from 0 to 0: how many came. */
static int64_t readGauge(const char *path)
{
	struct testStatFile *file = testStatRead(path);
	int64_t number = 0, before = 0, came = 0;

	for (size_t i = 0; i < file->count; i++) {
		if (file->entries[i].isGap)
			continue;
		number = (int64_t)testBig64(file->entries[i].values);
		g_assert_cmpint(number, >=, 0);
		g_assert_cmpint(number, <=, queue.ended);
		came += number > before ? number - before : 0;
		before = number;
	}
	g_assert_cmpint(number, ==, 0);
	testStatFree(file);
	return came;
}

/* In each run so many operations ended; those that had come before it were in
 * the queue, or a thread had them. */
static void checkRuns(void)
{
	int64_t all = 0;

	for (int i = 0; i < SWITCHES; i++) {
		char path[64];
		int64_t came;

		snprintf(path, sizeof(path), "run%d_host_brick_BREQ.stat", i);
		came = readGauge(path);
		g_assert_cmpint(came, >=,
				OPERATIONS - WAITING_MAX - 2 * THREADS);
		all += came;
	}
	g_assert_cmpint(all, <=, queue.ended);
}

static void testHandoff(void)
{
	pthread_t threads[2 * THREADS];
	char project[16];

	if (!testInProcess("HDTRACE_FLUSH_MS=1"))
		return;
	placePrepare(0, INSTANCE_ENTER);
	placePrepare(1, INSTANCE_LEAVE);
	for (int i = 0; i < 2 * THREADS; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL,
					       i < THREADS ? come : serve,
					       NULL),
				==, 0);
	for (int i = 0; i < SWITCHES; i++) {
		snprintf(project, sizeof(project), "run%d", i);
		placeSet(&instances[0], true, project);
		placeSet(&instances[1], true, project);
		queueWait(OPERATIONS, false);
		if (i % 2 == 0)
			placeSet(&instances[0], false, project);
	}
	queueWait(OPERATIONS, true);
	for (int i = 0; i < 2 * THREADS; i++)
		pthread_join(threads[i], NULL);
	placeForget(0);
	placeForget(1);
	g_assert_cmpint(recordCountOpen(), ==, 0);
	g_assert_cmpint(recordCountUsers(), ==, 0);
	checkRuns();
}

static struct operationWay goDown(struct instance *instance,
				  struct request *request)
{
	struct operationWay way;
	struct operationAbout about = { .fop = GF_FOP_WRITE,
					.name = "writev",
					.done = resultDone };

	g_assert_null(
		operationBegin(&request->enter, instance, &about, NULL, &way));
	return way;
}

/* The call returns here; what this thread does then is on nobody's account. */
static void *goOn(void *context)
{
	const struct operationWay *way = context;
	struct request *own = requestMake();

	operationReturn(*way);
	operationReturn(goDown(&instances[1], own));
	goBack(own);
	g_free(own);
	return NULL;
}

static void testTask(void)
{
	struct request *outer, *inner;
	/* What it holds is not let go of. */
	static struct operationWay innerWay;
	struct operationWay outerWay;
	pthread_t thread;
	char *text;

	if (!testInProcess("HDTRACE_FLUSH_MS=1"))
		return;
	outer = requestMake();
	inner = requestMake();
	placePrepare(0, INSTANCE_WHOLE);
	placePrepare(1, INSTANCE_WHOLE);
	strcpy(instances[0].layer, "REQ");
	instances[0].isTop = true;
	instances[0].isLowest = false;
	placeSet(&instances[0], true, "task");
	placeSet(&instances[1], true, "task");
	outerWay = goDown(&instances[0], outer);
	innerWay = goDown(&instances[0], inner);
	g_assert_cmpint(pthread_create(&thread, NULL, goOn, &innerWay), ==, 0);
	pthread_join(thread, NULL);
	operationReturn(outerWay);
	goBack(inner);
	goBack(outer);
	placeForget(0);
	placeForget(1);
	g_assert_cmpint(recordCountOpen(), ==, 0);
	g_assert_true(g_file_get_contents("task_host_brick_BREQ.rel", &text,
					  NULL, NULL));
	g_assert_nonnull(strstr(text, "<rel "));
	g_assert_null(strstr(text, " r=\""));
	g_free(text);
	g_free(outer);
	g_free(inner);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/gluster/handoff", testHandoff);
	g_test_add_func("/gluster/handoff/task", testTask);
	return testRun();
}
