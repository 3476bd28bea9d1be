/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State machines, and the threads that run them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct worker {
	struct machinePool *pool;
	int number;
	pthread_t thread;
};

struct machinePool {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct machine *first, **last; /* Those that can go on. */
	int isEnding;
	int count;
	struct worker workers[];
};

static void append(struct machinePool *pool, struct machine *machine)
{
	machine->next = NULL;
	*pool->last = machine;
	pool->last = &machine->next;
	pthread_cond_signal(&pool->wake);
}

/* End the innermost open state. */
static void stop(struct machine *machine, int error)
{
	if (error)
		hdR_endFailed(machine->token, strerror(error));
	else
		hdR_endS(machine->token);
}

/* The first state of a table is now the innermost one. */
static void push(struct machine *machine, const struct machineState *states)
{
	machine->tables[machine->depth] = states;
	machine->stack[machine->depth++] = states;
}

/* Go into what is nested in the innermost state. */
static void nest(struct machine *machine)
{
	const struct machineState *state = machine->stack[machine->depth - 1];

	hdR_startS(machine->token, state->name);
	if (machine->depth == MACHINE_DEPTH)
		abort();
	push(machine, state->nested);
}

/* PINT_state_machine_next: go to the state behind the innermost one, out of
 * what is nested where that has ended. Whether there is any. */
static int next(struct machine *machine, int error)
{
	while (machine->depth > 0) {
		const struct machineState *state =
			machine->stack[machine->depth - 1];
		int to = error ? state->failure : state->success;

		if (to != MACHINE_RETURN) {
			machine->stack[machine->depth - 1] =
				&machine->tables[machine->depth - 1][to];
			return 1;
		}
		/* The state that it is nested in has ended, too. */
		if (--machine->depth > 0)
			stop(machine, error);
	}
	return 0;
}

/* Invoke the action of the innermost state. */
static enum machineResult invoke(struct machine *machine, int worker)
{
	const struct machineState *state = machine->stack[machine->depth - 1];

	hdR_startS(machine->token, state->name);
	hdR_logAttributeInt64(machine->token, "worker", worker);
	return state->run(machine);
}

static void terminate(struct machine *machine)
{
	for (; machine->depth > 1; machine->depth--)
		hdR_endS(machine->token);
	if (machine->describe)
		machine->describe(machine);
	stop(machine, machine->error);
	hdR_destroyRelation(&machine->token);
	machine->ended(machine);
}

/* Whether what the machine waits for is over already; else it is no longer this
 * thread's. */
static int isOver(struct machine *machine)
{
	struct machinePool *pool = machine->pool;
	int isReady;

	pthread_mutex_lock(&pool->lock);
	isReady = machine->isReady;
	machine->isReady = 0;
	machine->isRunning = isReady;
	pthread_mutex_unlock(&pool->lock);
	return isReady;
}

/* The operation that a machine waited for is over. */
static enum machineResult resume(struct machine *machine, int worker)
{
	hdR_logAttributeInt64(machine->token, "deferred", worker);
	if (machine->result == 0)
		return MACHINE_COMPLETE;
	machine->error = machine->result;
	return MACHINE_ERROR;
}

/* Run a machine as far as it goes. */
static void run(struct machine *machine, int worker, int isDeferred)
{
	for (;;) {
		enum machineResult result;
		int error;

		if (!isDeferred && machine->stack[machine->depth - 1]->nested) {
			nest(machine);
			continue;
		}
		result = isDeferred ? resume(machine, worker)
				    : invoke(machine, worker);
		isDeferred = result == MACHINE_DEFERRED;
		if (isDeferred) {
			if (isOver(machine))
				continue;
			return;
		}
		error = result == MACHINE_ERROR ? machine->error : 0;
		stop(machine, error);
		if (result == MACHINE_TERMINATE || !next(machine, error)) {
			terminate(machine);
			return;
		}
	}
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct machinePool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	while (pool->first || !pool->isEnding) {
		struct machine *machine = pool->first;
		int isDeferred;

		if (!machine) {
			pthread_cond_wait(&pool->wake, &pool->lock);
			continue;
		}
		pool->first = machine->next;
		if (!pool->first)
			pool->last = &pool->first;
		isDeferred = machine->isReady;
		machine->isReady = 0;
		machine->isRunning = 1;
		pthread_mutex_unlock(&pool->lock);
		run(machine, worker->number, isDeferred);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct machinePool *machinePoolStart(int workers)
{
	struct machinePool *pool = calloc(
		1, sizeof(*pool) + (size_t)workers * sizeof(struct worker));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pool->last = &pool->first;
	for (; pool->count < workers; pool->count++) {
		struct worker *worker = &pool->workers[pool->count];

		worker->pool = pool;
		worker->number = pool->count;
		if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
			machinePoolStop(pool);
			return NULL;
		}
	}
	return pool;
}

void machinePoolStop(struct machinePool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->isEnding = 1;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->count; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->wake);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void machineStart(struct machinePool *pool, struct machine *machine,
		  const struct machineState *states)
{
	machine->pool = pool;
	machine->depth = 0;
	machine->error = 0;
	machine->isRunning = 0;
	machine->isReady = 0;
	push(machine, states);
	hdR_startS(machine->token, machine->name);
	pthread_mutex_lock(&pool->lock);
	append(pool, machine);
	pthread_mutex_unlock(&pool->lock);
}

void machineGoOn(struct machine *machine, int error)
{
	struct machinePool *pool = machine->pool;

	pthread_mutex_lock(&pool->lock);
	machine->result = error;
	machine->isReady = 1;
	if (!machine->isRunning)
		append(pool, machine);
	pthread_mutex_unlock(&pool->lock);
}
