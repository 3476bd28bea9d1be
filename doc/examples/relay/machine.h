/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State machines, and the threads that run them.
 *
 * Each request of a server and each call of a client is a machine. A state has
 * an action, which may begin one operation that takes time and then says
 * MACHINE_DEFERRED: the machine goes on when machineGoOn() is called, in
 * whichever thread is free. Or a state is a machine itself, which is run inside
 * it.
 *
 * A machine's relation has a state with the machine's name, in it one for each
 * of its states, and in those of nested machines the states of these.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <hdRelation.h>

#define MACHINE_DEPTH 4
/* The next state is none: the (nested) machine has ended. */
#define MACHINE_RETURN -1

struct machine;

enum machineResult {
	MACHINE_COMPLETE,  /* Go on with the next state. */
	MACHINE_DEFERRED,  /* Later, when machineGoOn() is called. */
	MACHINE_TERMINATE, /* End the machine, whatever it is nested in. */
	MACHINE_ERROR      /* It failed, with machine->error. */
};

struct machineState {
	const char *name;
	enum machineResult (*run)(struct machine *machine);
	const struct machineState *nested; /* Or this. */
	int success;                       /* Index of the next state. */
	int failure;                       /* The same, after an error. */
};

struct machinePool;

struct machine {
	const char *name;
	hdR_token token; /* Its relation; used by who runs the machine. */
	void *owner;
	int error; /* What failed last: a value of errno, or 0. */
	/* Called with the outermost state still open: to describe it. */
	void (*describe)(struct machine *machine);
	/* Called last, with the relation ended; may free the machine. */
	void (*ended)(struct machine *machine);

	/* Of the engine. */
	struct machinePool *pool;
	const struct machineState *stack[MACHINE_DEPTH];
	const struct machineState *tables[MACHINE_DEPTH];
	int depth;
	int result; /* Of the operation that it waited for. */
	int isRunning, isReady;
	struct machine *next;
};

/* Start so many threads; NULL if that fails. */
struct machinePool *machinePoolStart(int workers);
/* All machines have to have ended. */
void machinePoolStop(struct machinePool *pool);

/* Start a machine whose fields above are set; STATES[0] is the first. */
void machineStart(struct machinePool *pool, struct machine *machine,
		  const struct machineState *states);

/* What a machine waits for is over; ERROR is a value of errno, or 0. */
void machineGoOn(struct machine *machine, int error);

#endif
