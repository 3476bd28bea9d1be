/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A device of the service: its meter, what that has measured, and its health.
 *
 * The meter has a thread; all functions here are for the thread of the service.
 */
#ifndef PT_SERVED_H
#define PT_SERVED_H

#include "PowerTracingLibrary/service/site/site.h"
#include "PowerTracingLibrary/service/store/store.h"
#include "PowerTracingLibrary/src/meter/meter.h"

struct ptServed;

/** What is known of a column once the device was opened. */
struct ptServedColumn {
	char source[HD_FIELD_TEXT_MAX + 1];
	char resolution[HD_FIELD_TEXT_MAX + 1];
	bool isSimulated;
};

/** How a device is. */
struct ptHealth {
	bool isUp;
	struct ptCounts counts;
	int64_t lastWall; /**< End of the last reading; 0 for none. */
	int64_t lastMono;
	/** Time and kind of the last change: lost, or back; counted. */
	uint64_t changes;
	int64_t changeWall, changeMono;
};

/** What a line has used, as far as it measures power or energy. */
struct ptServedSum {
	bool isPower, isEnergy;
	double watts; /**< The last. NaN for none. */
	double joules;
};

/** What those need to know who create devices. */
struct ptServedContext {
	struct ptAccount *memory; /**< Of the service. */
	const char *root;         /**< As of struct ptSetup. */
	int wakeFd;   /**< An eventfd that tells the service of readings. */
	bool isLater; /**< Devices are opened by their threads. */
	/**
	 * Writes the project file of a device that has [Trace] sections, and
	 * gives it as its project a name that lives as long as the process; in
	 * the thread of the device.
	 */
	int (*project)(void *data, struct ptConfig *config);
	/**
	 * The files of that project are there, or could not be made.
	 *
	 * @param config Gets its final name as its project.
	 *
	 * @return 0, or less: then it is not recorded.
	 */
	int (*begun)(void *data, struct ptConfig *config, bool isThere);
	void *data; /**< For these. */
};

/**
 * Create a device and try to open it. One that is not there is tried again
 * later.
 *
 * @param device Of @p site, which is used until the end.
 *
 * @return 0, or one of the public error values.
 */
int ptServedCreate(struct ptSite *site, const struct ptSiteDevice *device,
		   const struct ptServedContext *context,
		   struct ptServed **result);

/** Begin to measure; creates the thread. Returns as ptServedCreate(). */
int ptServedBegin(struct ptServed *served);

/** End measuring, close the device, and say what happened; nobody may have a
 * set any more. Takes NULL. */
void ptServedDestroy(struct ptServed *served);

/** Get what it was configured to be. */
const struct ptSiteDevice *ptServedSite(const struct ptServed *served);

/** Get its readings. */
struct ptStore *ptServedStore(struct ptServed *served);

/** Get the time from one reading to the next in nanoseconds. */
int64_t ptServedCycle(struct ptServed *served);

/** Get how it is. */
void ptServedHealth(struct ptServed *served, struct ptHealth *health);

/**
 * Get the age of the last reading.
 *
 * @param[out] isStale Whether it is of no use any more: there is none, or it is
 *        older than three cycles, and a second at least.
 *
 * @return Seconds; NaN for none.
 */
double ptServedAge(struct ptServed *served, bool *isStale);

/** Get what is known of a column. */
void ptServedColumnGet(struct ptServed *served, size_t column,
		       struct ptServedColumn *known);

/** Get what a line has used so far. */
void ptServedSumGet(struct ptServed *served, size_t line,
		    struct ptServedSum *sum);

/** Say whether somebody wants to be woken for readings: +1 or -1. */
void ptServedWatch(struct ptServed *served, int change);

/** Tell whether there are readings since the last call; watched ones only. */
bool ptServedHasNew(struct ptServed *served);

#endif
