/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See dispatcher.h. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dispatcher.h"

/* Share of dispatch that is fine. */
#define FINE 0.05
/* Instances, after which advice is worth something. */
#define KNOWN 200
#define MOST_PROBES 64

struct fieldAge {
	int age;
	struct fieldAge *next;
	char *data;
	unsigned char *isStored; /* By element. */
	size_t missing;          /* Elements. */
	size_t readers;          /* Instances that will still fetch it. */
};

/* All instances of a kernel of one age. */
struct wave {
	int age;
	struct wave *next;
	unsigned char *missing; /* Fetches that are not there yet, by index. */
	size_t left;            /* Instances that have not run yet. */
};

/* Instances that are ready, next to each other: of a kernel, and an age. */
struct task {
	struct task *next;
	struct kernel *kernel;
	int age;
	size_t first, count;
	struct instance instance;
	void *locals[MOST_FETCHES];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct kernel *kernels;
	size_t count;
	struct task *first, *last; /* Ready, the oldest first. */
	size_t waiting;            /* Workers without a task. */
	size_t working;            /* Workers with one. */
	int takesAdvice;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER,
	  .change = PTHREAD_COND_INITIALIZER };

void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		fail("memory");
	return memory;
}

/* ---- Fields -------------------------------------------------------------- */

static int ageOf(const struct access *access, int age)
{
	return access->flags & AGE_FIXED ? access->age : age + access->age;
}

/* How many instances fetch an age of a field. */
static size_t countReaders(const struct field *field, int age)
{
	size_t readers = 0;

	for (size_t i = 0; i < all.count; i++) {
		const struct kernel *kernel = &all.kernels[i];

		for (const struct access *fetch = kernel->fetches;
		     fetch < kernel->fetches + MOST_FETCHES && fetch->field;
		     fetch++) {
			int its = age - fetch->age;

			if (fetch->field != field)
				continue;
			if (fetch->flags & AGE_FIXED)
				readers +=
					its == 0 ? kernel->indices *
							   (size_t)kernel->ages
						 : 0;
			else if (its >= 0 && its < kernel->ages)
				readers += kernel->indices;
		}
	}
	return readers;
}

static struct fieldAge *findAge(const struct field *field, int age)
{
	struct fieldAge *is = field->ages;

	while (is && is->age != age)
		is = is->next;
	return is;
}

static struct fieldAge *needAge(struct field *field, int age)
{
	struct fieldAge *is = findAge(field, age);

	if (is)
		return is;
	is = allocate(1, sizeof(*is));
	is->age = age;
	is->data = allocate(field->elements, field->elementSize);
	is->isStored = allocate(field->elements, 1);
	is->missing = field->elements;
	is->readers = countReaders(field, age);
	is->next = field->ages;
	field->ages = is;
	return is;
}

/* Free an age that nobody will fetch. */
static void dropAge(struct field *field, struct fieldAge *is)
{
	struct fieldAge **link = &field->ages;

	if (is->missing > 0 || is->readers > 0)
		return;
	while (*link != is)
		link = &(*link)->next;
	*link = is->next;
	free(is->data);
	free(is->isStored);
	free(is);
}

/* ---- What is ready --------------------------------------------------------
 */

/* An instance is ready: a task, or part of the newest one. */
static void makeReady(struct kernel *kernel, int age, size_t x)
{
	struct task *task = all.last;

	if (task && task->kernel == kernel && task->age == age &&
	    task->first + task->count == x && task->count < kernel->batch) {
		task->count++;
		return;
	}
	task = allocate(1, sizeof(*task));
	task->kernel = kernel;
	task->age = age;
	task->first = x;
	task->count = 1;
	if (all.last)
		all.last->next = task;
	else
		all.first = task;
	all.last = task;
	if (all.waiting > 0)
		pthread_cond_signal(&all.change);
}

static struct wave *findWave(const struct kernel *kernel, int age)
{
	struct wave *wave = kernel->waves;

	while (wave && wave->age != age)
		wave = wave->next;
	return wave;
}

/* Fetches of index x that have not been stored yet. */
static unsigned char countMissing(const struct kernel *kernel, int age,
				  size_t x)
{
	unsigned char missing = 0;

	for (int i = 0; i < MOST_FETCHES && kernel->fetches[i].field; i++) {
		const struct access *fetch = &kernel->fetches[i];
		struct fieldAge *is = findAge(fetch->field, ageOf(fetch, age));

		if (!is)
			missing++;
		else if (fetch->flags & WHOLE)
			missing += is->missing > 0;
		else
			missing += !is->isStored[x];
	}
	return missing;
}

/* Later ages of a kernel that fetches from a fixed one come with what else it
 * fetches. */
static struct wave *needWave(struct kernel *kernel, int age,
			     const struct access *fetch)
{
	struct wave *wave = findWave(kernel, age);

	if (wave || (fetch && fetch->flags & AGE_FIXED && age > 0))
		return wave;
	wave = allocate(1, sizeof(*wave));
	wave->age = age;
	wave->missing = allocate(kernel->indices, 1);
	wave->left = kernel->indices;
	for (size_t x = 0; x < kernel->indices; x++)
		wave->missing[x] = countMissing(kernel, age, x);
	wave->next = kernel->waves;
	kernel->waves = wave;
	return wave;
}

static void dropWave(struct kernel *kernel, struct wave *wave)
{
	struct wave **link = &kernel->waves;

	while (*link != wave)
		link = &(*link)->next;
	*link = wave->next;
	free(wave->missing);
	free(wave);
}

/* One thing less is missing for instances of a wave. */
static void arrived(struct kernel *kernel, struct wave *wave, size_t first,
		    size_t count)
{
	for (size_t x = first; x < first + count; x++) {
		if (--wave->missing[x] == 0)
			makeReady(kernel, wave->age, x);
	}
}

/* ---- What probes say ------------------------------------------------------
 */

struct probes {
	struct hdProbeFigures list[MOST_PROBES];
	int count; /* 0: not read yet. */
};

static void readProbes(struct probes *probes)
{
	probes->count = hdProbe_snapshot(probes->list, MOST_PROBES, 0);
	if (probes->count > MOST_PROBES)
		probes->count = MOST_PROBES;
}

/* NULL: nothing is known of the kernel. */
static const struct hdProbeFigures *figuresOf(const struct probes *probes,
					      const struct kernel *kernel)
{
	for (int i = 0; i < probes->count; i++) {
		if (probes->list[i].kind == HDPROBE_KIND_KERNEL &&
		    strcmp(probes->list[i].name, kernel->name) == 0)
			return &probes->list[i];
	}
	return NULL;
}

/*
 * How many instances of a kernel should be dispatched at once, so that dispatch
 * has 5 % of its time at most: with d for the dispatch of an instance and b for
 * its body, n = d 0.95 / (0.05 b). As hdprobe --advice has it.
 *
 * 0 if dispatch has less already, or nothing is known.
 */
static size_t adviseBatch(const struct hdProbeFigures *is)
{
	double d, b;

	if (!is || is->instances < KNOWN)
		return 0;
	d = is->dispatch_mean_s;
	b = is->mean_s;
	if (!(d > FINE * (d + b)) || !(b > 0))
		return 0;
	return (size_t)ceil(d * (1 - FINE) / (FINE * b));
}

/* ---- Storing --------------------------------------------------------------
 */

/* Do something for each wave that fetches this age of a field: make it, before
 * elements are stored, or tell it of them. */
static void forReaders(struct field *field, struct fieldAge *is, int isStored,
		       size_t first, size_t count)
{
	for (size_t i = 0; i < all.count * MOST_FETCHES; i++) {
		struct kernel *kernel = &all.kernels[i / MOST_FETCHES];
		const struct access *fetch = &kernel->fetches[i % MOST_FETCHES];
		int begin = is->age - fetch->age, end = begin + 1;

		if (fetch->field != field)
			continue;
		if (fetch->flags & AGE_FIXED) {
			if (begin != 0)
				continue;
			end = kernel->ages;
		}
		for (int age = begin; age < end; age++) {
			struct wave *wave;

			if (age < 0 || age >= kernel->ages)
				continue;
			wave = needWave(kernel, age, fetch);
			if (!isStored || !wave)
				continue;
			if (!(fetch->flags & WHOLE))
				arrived(kernel, wave, first, count);
			else if (is->missing == 0)
				arrived(kernel, wave, 0, kernel->indices);
		}
	}
}

static void store(struct field *field, struct fieldAge *is, size_t first,
		  size_t count)
{
	forReaders(field, is, 0, first, count);
	for (size_t x = first; x < first + count; x++) {
		if (is->isStored[x]) {
			fprintf(stderr, "%s(%d)[%zu] is written twice\n",
				field->name, is->age, x);
			abort();
		}
		is->isStored[x] = 1;
	}
	is->missing -= count;
	forReaders(field, is, 1, first, count);
	dropAge(field, is);
}

/* Choose a batch for each kernel that has none, once it is known well enough;
 * with some batches left for each worker. */
static void takeAdvice(void)
{
	struct probes probes;

	probes.count = 0;
	for (size_t i = 0; i < all.count; i++) {
		struct kernel *kernel = &all.kernels[i];
		size_t most =
			kernel->indices / (4 * (all.waiting + all.working));
		size_t batch;

		if (kernel->batch > 1 || most < 2)
			continue;
		if (probes.count == 0)
			readProbes(&probes);
		batch = adviseBatch(figuresOf(&probes, kernel));
		if (batch > 1)
			kernel->batch = batch < most ? batch : most;
	}
}

/* What a task has stored may be fetched; what it fetched is one less to keep.
 */
static void finish(struct task *task)
{
	struct kernel *kernel = task->kernel;
	struct wave *wave = findWave(kernel, task->age);

	wave->left -= task->count;
	if (wave->left == 0) {
		dropWave(kernel, wave);
		if (all.takesAdvice)
			takeAdvice();
	}
	for (int i = 0; i < MOST_STORES && kernel->stores[i].field; i++) {
		const struct access *access = &kernel->stores[i];
		struct field *field = access->field;
		struct fieldAge *is = findAge(field, ageOf(access, task->age));

		if (access->flags & WHOLE)
			store(field, is, 0, field->elements);
		else
			store(field, is, task->first, task->count);
	}
	for (int i = 0; i < MOST_FETCHES && kernel->fetches[i].field; i++) {
		const struct access *fetch = &kernel->fetches[i];
		struct fieldAge *is =
			findAge(fetch->field, ageOf(fetch, task->age));

		is->readers -= task->count;
		dropAge(fetch->field, is);
	}
}

/* ---- Workers --------------------------------------------------------------
 */

/* Where elements are, for the first index of a task. */
static void locate(struct task *task)
{
	struct kernel *kernel = task->kernel;
	struct instance *instance = &task->instance;

	instance->age = task->age;
	instance->x = task->first;
	for (int i = 0; i < MOST_FETCHES && kernel->fetches[i].field; i++) {
		const struct access *fetch = &kernel->fetches[i];
		struct fieldAge *is =
			findAge(fetch->field, ageOf(fetch, task->age));

		instance->fetched[i] = is->data;
		if (!(fetch->flags & WHOLE))
			instance->fetched[i] =
				is->data +
				task->first * fetch->field->elementSize;
	}
	for (int i = 0; i < MOST_STORES && kernel->stores[i].field; i++) {
		const struct access *access = &kernel->stores[i];
		struct fieldAge *is =
			needAge(access->field, ageOf(access, task->age));

		instance->stored[i] = is->data;
		if (!(access->flags & WHOLE))
			instance->stored[i] =
				is->data +
				task->first * access->field->elementSize;
	}
}

/* What is fetched becomes the kernel's own, for all instances of the task; but
 * for constants. Nobody frees the age meanwhile: this task still counts. */
static void fetch(struct task *task)
{
	const struct kernel *kernel = task->kernel;

	for (int i = 0; i < MOST_FETCHES && kernel->fetches[i].field; i++) {
		const struct access *access = &kernel->fetches[i];
		size_t size = access->field->elementSize *
			      (access->flags & WHOLE ? access->field->elements
						     : task->count);

		if (access->flags & AGE_FIXED)
			continue;
		task->locals[i] = malloc(size);
		if (!task->locals[i])
			fail("memory");
		memcpy(task->locals[i], task->instance.fetched[i], size);
		task->instance.fetched[i] = task->locals[i];
	}
}

static void destroyTask(struct task *task)
{
	for (int i = 0; i < MOST_FETCHES; i++)
		free(task->locals[i]);
	free(task);
}

/* Run the instances of a task, one after the other. */
static void runBodies(struct task *task)
{
	const struct kernel *kernel = task->kernel;
	struct instance *instance = &task->instance;

	kernel->code(instance);
	while (++instance->x < task->first + task->count) {
		for (int i = 0; i < MOST_FETCHES && kernel->fetches[i].field;
		     i++) {
			if (!(kernel->fetches[i].flags & WHOLE))
				instance->fetched[i] =
					(char *)instance->fetched[i] +
					kernel->fetches[i].field->elementSize;
		}
		for (int i = 0; i < MOST_STORES && kernel->stores[i].field;
		     i++) {
			if (!(kernel->stores[i].flags & WHOLE))
				instance->stored[i] =
					(char *)instance->stored[i] +
					kernel->stores[i].field->elementSize;
		}
		kernel->code(instance);
	}
}

/* The bytes that go from this kernel to those that fetch them. */
static void countTransfers(const struct task *task)
{
	struct kernel *kernel = task->kernel;

	for (int i = 0; i < MOST_STORES && kernel->stores[i].field; i++) {
		const struct access *access = &kernel->stores[i];
		size_t elements = access->flags & WHOLE
					  ? access->field->elements
					  : task->count;

		for (size_t k = 0; k < all.count && kernel->edges[i][k]; k++)
			hdProbe_add(kernel->edges[i][k],
				    elements * access->field->elementSize);
	}
}

/* The oldest task, or NULL. The lock is held. */
static struct task *take(void)
{
	struct task *task = all.first;

	if (!task)
		return NULL;
	all.first = task->next;
	if (!all.first)
		all.last = NULL;
	return task;
}

/* Wait for a task; NULL when there will not be any. */
static struct task *await(void)
{
	struct task *task;

	pthread_mutex_lock(&all.lock);
	all.waiting++;
	while (!(task = take()) && all.working > 0)
		pthread_cond_wait(&all.change, &all.lock);
	all.waiting--;
	if (task)
		all.working++;
	else
		pthread_cond_broadcast(&all.change);
	pthread_mutex_unlock(&all.lock);
	return task;
}

/* Dispatch a task; the next one is taken with the same lock. */
static struct task *run(struct task *task)
{
	struct kernel *kernel = task->kernel;
	size_t count = task->count;
	struct hdProbeSpan span;
	struct task *next;

	hdProbe_dispatchStart(kernel->probe, &span);
	pthread_mutex_lock(&all.lock);
	locate(task);
	pthread_mutex_unlock(&all.lock);
	fetch(task);

	hdProbe_bodyStart(&span);
	runBodies(task);
	hdProbe_bodyStop(&span);

	countTransfers(task);
	pthread_mutex_lock(&all.lock);
	finish(task);
	next = take();
	if (!next) {
		all.working--;
		if (all.working == 0)
			pthread_cond_broadcast(&all.change);
	}
	pthread_mutex_unlock(&all.lock);
	destroyTask(task);
	hdProbe_dispatchStop_n(kernel->probe, &span, count);
	return next;
}

static void *work(void *context)
{
	struct task *task;

	while ((task = await())) {
		while (task)
			task = run(task);
	}
	return context;
}

/* ---- All ------------------------------------------------------------------
 */

/* Probes of a kernel, and of those that fetch what it stores. */
static void findProbes(struct kernel *kernel)
{
	kernel->probe = hdProbe_find(kernel->name, NULL, HDPROBE_KIND_KERNEL);
	if (!kernel->probe)
		fail(kernel->name);
	for (int i = 0; i < MOST_STORES && kernel->stores[i].field; i++) {
		size_t edges = 0;

		for (size_t k = 0; k < all.count; k++) {
			int fetches = 0;

			for (int j = 0; j < MOST_FETCHES; j++)
				fetches |= all.kernels[k].fetches[j].field ==
					   kernel->stores[i].field;
			if (fetches)
				kernel->edges[i][edges++] = hdProbe_find(
					kernel->name, all.kernels[k].name,
					HDPROBE_KIND_TRANSFER);
		}
	}
}

void dispatch(struct kernel *kernels, size_t count,
	      const struct settings *settings)
{
	unsigned int threads = settings->threads;
	pthread_t *ids;

	if (threads == 0)
		threads = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	all.kernels = kernels;
	all.count = count;
	all.takesAdvice = settings->takesAdvice;
	for (size_t i = 0; i < count; i++) {
		findProbes(&kernels[i]);
		/* What waits for nothing. */
		if (!kernels[i].fetches[0].field) {
			needWave(&kernels[i], 0, NULL);
			for (size_t x = 0; x < kernels[i].indices; x++)
				makeReady(&kernels[i], 0, x);
		}
	}
	ids = allocate(threads, sizeof(*ids));
	for (unsigned int i = 0; i < threads; i++) {
		errno = pthread_create(&ids[i], NULL, work, NULL);
		if (errno)
			fail("cannot start a thread");
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

/* ---- For people -----------------------------------------------------------
 */

void printKernels(const struct kernel *kernels, size_t count)
{
	struct probes probes;

	readProbes(&probes);
	printf("%-16s %10s %10s %10s\n", "Kernel", "Instances", "Dispatch",
	       "Kernel");
	for (size_t i = 0; i < count; i++) {
		const struct hdProbeFigures *is =
			figuresOf(&probes, &kernels[i]);

		if (is)
			printf("%-16s %10llu %10.2f %10.2f\n", kernels[i].name,
			       (unsigned long long)is->instances,
			       is->dispatch_mean_s * 1e6, is->mean_s * 1e6);
	}
	if (!hdProbe_isEnabled())
		printf("(probes are off)\n");
}

int setBatch(struct kernel *kernels, size_t count, const char *text)
{
	const char *number = strrchr(text, '=');

	for (size_t i = 0; number && i < count; i++) {
		if (strncmp(kernels[i].name, text, (size_t)(number - text)) ||
		    kernels[i].name[number - text])
			continue;
		kernels[i].batch = numberBetween(number + 1, 1, 1000000);
		return 0;
	}
	return -1;
}

unsigned long numberBetween(const char *text, unsigned long least,
			    unsigned long most)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || number < least ||
	    number > most) {
		fprintf(stderr, "not a number from %lu to %lu: %s\n", least,
			most, text);
		exit(2);
	}
	return number;
}
