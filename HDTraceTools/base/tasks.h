/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Does work in as many threads as there are processors, and takes the results
 * in order, so that they do not depend on who was faster.
 *
 * hdtrace report reads several files at a time. Results are taken in the
 * order of the files, so that sums of floating point numbers do not depend
 * on which thread was faster.
 */
#ifndef HD_TASKS_H
#define HD_TASKS_H

#include <stdbool.h>
#include <stddef.h>

struct tasks;

/** Does a task, in any thread; tasks are begun in the order of their numbers.
 */
typedef void tasksRun(struct tasks *tasks, void *data, size_t number);
/** Takes the result of a task, in the thread that called tasksDo(), in the
 *  order of the numbers. */
typedef void tasksTake(void *data, size_t number);

/** Do all tasks, from number 0 on; returns when all results were taken. */
void tasksDo(size_t count, tasksRun *run, tasksTake *take, void *data);

/** For tasksRun: whether all results of tasks with lower numbers were taken, so
 *  that this one may do what is to be done in order; and wait for that. */
bool tasksIsTurn(struct tasks *tasks, size_t number);
void tasksWaitTurn(struct tasks *tasks, size_t number);

/** Whether something is so that who waits wants. */
typedef bool tasksIsSo(void *data);

/** For tasksRun: wait until it is the task's turn, or something is so; and tell
 *  those who wait that it may be. @p isSo is called with a lock held, so it
 *  calls nothing of here. */
void tasksWaitUntil(struct tasks *tasks, size_t number, tasksIsSo *isSo,
		    void *data);
void tasksTell(struct tasks *tasks);

/** For tasksRun: wait until another task with a lower number was done. */
void tasksWaitFor(struct tasks *tasks, size_t number);

#endif
