/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * BMI: messages over sockets, which are posted and complete later.
 *
 * A thread waits for all sockets whose operations could not be done at once.
 */
#ifndef BMI_H
#define BMI_H

#include <stddef.h>

#include <hdRelation.h>

struct bmi;

struct bmiOperation {
	int socket; /* Non-blocking; one operation at a time. */
	char *buffer;
	size_t size;
	int isSend;
	const hdR_hints *hints; /* Carry the token of what it belongs to. */
	/* Called by the thread: ERROR is a value of errno, or 0. */
	void (*completed)(struct bmiOperation *operation, int error);
	void *owner;

	/* Of the layer. */
	size_t done;
	hdR_token token;
	struct bmiOperation *next;
};

struct bmi *bmiStart(void);
/* No operation may be pending. */
void bmiStop(struct bmi *bmi);

/* Post an operation: 1, it is complete; 0, it will be, and completed() is
 * called then; or a negative value of errno, it failed. */
int bmiPost(struct bmi *bmi, struct bmiOperation *operation);

/* A socket that listens at a port, 0 for any one; or negative errno. */
int bmiListen(int *port);
/* One that is connected to HOST:PORT; or negative errno. */
int bmiConnect(const char *address);
/* Make one that was accepted fit. */
int bmiPrepare(int socket);

#endif
