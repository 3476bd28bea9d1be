/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A libnvidia-ml.so.1 that answers what the test says; shares no declaration
 * with the driver.
 */
#ifndef FAKENVML_H
#define FAKENVML_H

#include <stdbool.h>

#define FAKE_GPUS 3

/** A GPU, and what each question is answered with: 0 is success. */
struct fakeGpu {
	const char *name;
	const char *uuid;
	unsigned int architecture;
	unsigned long long millijoules;
	unsigned int milliwatts;
	unsigned long long instantMilliwatts;
	int instantType; /**< Of the value; 1 is unsigned int. */
	int handleResult;
	int uuidResult;
	int energyResult;
	int powerResult;
	int fieldsResult;  /**< Of the call. */
	int instantResult; /**< Of the field. */
	unsigned long long memoryTotal, memoryUsed;
	unsigned int usePercent;
	int memoryResult, useResult;
};

/** The library. */
struct fakeNvml {
	int initResult;
	int countResult;
	unsigned int count;
	struct fakeGpu gpus[FAKE_GPUS];
	/** How often nvmlInit_v2() and nvmlShutdown() were called. */
	int inits, shutdowns;
	/** If not NULL, called when a GPU is asked what it does; it may hang.
	 */
	void (*asked)(void);
	/** The library is used without being initialized. */
	bool isMisused;
};

/** Get the state; the library has a function of this type, `fakeNvmlGet`. */
typedef struct fakeNvml *fakeNvmlGetter(void);

#endif
