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

/** For tasksRun: wait until another task with a lower number was done. */
void tasksWaitFor(struct tasks *tasks, size_t number);

#endif
