/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small dispatcher of kernels, after the execution node of P2G
 * (Kristoffersen, Utilization of instrumentation data to improve distributed
 * multimedia processing, Oslo 2011, chapter 3).
 *
 * A field is an array whose elements are written once. To write again, one goes
 * to its next age; ages that nobody needs any more are freed. A kernel says
 * what it fetches and what it stores; an instance of it, for an age and an
 * index, becomes ready when all that it fetches has been stored, and workers
 * run those that are ready, in that order. So kernels say nothing of threads.
 *
 * Each kernel has a probe of libhdProbe: how long bodies take, and how long
 * everything around them. A kernel whose instances are small may be dispatched
 * in batches: neighbours that become ready together.
 */
#ifndef KERNELS_DISPATCHER_H
#define KERNELS_DISPATCHER_H

#include <stddef.h>
#include <stdint.h>

#include <hdProbe.h>

#define MOST_FETCHES 4
#define MOST_STORES 4
#define MOST_KERNELS 8

/* In an access: the age is this one, whatever that of the instance. A kernel of
 * several ages fetches something of its own age, too. */
#define AGE_FIXED 1
/* All elements, not only that of the instance's index. */
#define WHOLE 2

struct fieldAge;

/* elements of elementSize bytes, for each age. Zeroed but for the first three.
 */
struct field {
	const char *name;
	size_t elementSize;
	size_t elements;
	struct fieldAge *ages; /* A list. */
};

/* What an instance fetches or stores: of field, age of the instance + age. */
struct access {
	struct field *field;
	int age;
	int flags;
};

struct instance;

struct kernel {
	const char *name;
	size_t indices; /* Instances of an age. */
	int ages;       /* How many there are; they begin at 0. */
	void (*code)(struct instance *instance);
	struct access fetches[MOST_FETCHES]; /* Ends where field is NULL. */
	struct access stores[MOST_STORES];
	size_t batch; /* Instances dispatched at once; 0 is 1. */

	struct hdProbe *probe; /* The rest is the dispatcher's. */
	struct hdProbe *edges[MOST_STORES][MOST_KERNELS];
	struct wave *waves;
};

/* Index x of an age, in its kernel's code. */
struct instance {
	int age;
	size_t x;
	/* Elements, in the order of the kernel's lists: of the index x, or all
	 * of them. What is fetched of ages is the kernel's own, and may be
	 * changed, but for what is fetched whole in batches: all instances of
	 * one share it. What is fetched from a fixed age is a constant. */
	void *fetched[MOST_FETCHES];
	void *stored[MOST_STORES];
};

struct settings {
	unsigned int threads; /* Workers; 0: as many as processors. */
	int takesAdvice;      /* Choose batches while running. */
};

/*
 * Run all instances of kernels, up to MOST_KERNELS, until none is left.
 * Programs that cannot go on (no memory, a field written twice) end.
 */
void dispatch(struct kernel *kernels, size_t count,
	      const struct settings *settings);

/* Print what kernels cost: the columns of tables 6.4 and 6.5 there. */
void printKernels(const struct kernel *kernels, size_t count);

/* ---- What both programs' options need ----------------------------------- */

/* Set the batch of a kernel, from NAME=COUNT. Returns 0, or -1: no such. */
int setBatch(struct kernel *kernels, size_t count, const char *text);

/* A number between, or the program ends with a message. */
unsigned long numberBetween(const char *text, unsigned long least,
			    unsigned long most);

/* End the program, with a message of what failed and errno. */
void fail(const char *what) __attribute__((noreturn));

double seconds(void);

#endif
