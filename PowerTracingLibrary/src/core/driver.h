/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a power meter must do to be traced.
 *
 * The core knows a meter only through struct ptDriver, and a driver reaches
 * its meter, if that is not the machine itself, only through struct
 * ptTransport. A new meter is one file, drivers/NAME.c, one line in
 * drivers/drivers.c and in Makemodule.am, and its test.
 *
 * A meter has channels, and each channel measures quantities. What is wanted of
 * it is a list of columns: a quantity of a channel. The core asks the driver to
 * resolve() the texts of the configuration, opens the device with all columns,
 * and then either waits for readings in the meter's own cycle
 * (PT_TIMED_BY_METER) or takes one at each multiple of the cycle with the
 * shared sampler (PT_TIMED_BY_HOST).
 */
#ifndef PT_DRIVER_H
#define PT_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdStats.h>
#include "PowerTracingLibrary/src/core/transport.h"
#include "recording/cell.h"
#include "common/kind.h"

/** Longest label of a channel, with the terminating zero. */
#define PT_CHANNEL_MAX 64

/** Terms of struct ptScale. */
enum ptScaleTerm {
	PT_SCALE_VOLTAGE = 1,
	PT_SCALE_SLOPE = 2,
	PT_SCALE_OFFSET = 4,
};

/**
 * What the user knows of a channel that gives raw numbers, and not the meter:
 * keys of [Trace]. What each driver does with it is in pt-drivers(7).
 */
struct ptScale {
	unsigned int set; /**< PT_SCALE_* of those that are given. */
	double voltage;   /**< Of the line, in volts. */
	double slope;     /**< Never 0. */
	double offset;
};

/** A quantity that a driver knows. */
struct ptQuantity {
	const char *name; /**< As in `values=`: "Utrms"; compared exactly. */
	hdStatsValueType type; /**< FLOAT, DOUBLE or INT64. */
	const char *unit;      /**< "V", "A", "W", "J", ... */
	const char
		*grouping; /**< "Voltage", "Current", "Power", "Energy", ... */
	const char *description; /**< For pt -l: one line, no full stop. */
	unsigned int needs;      /**< PT_SCALE_* that it cannot do without. */
	enum hdKind kind;
};

/** One value to read in every cycle. */
struct ptColumn {
	const struct ptQuantity *quantity;
	unsigned int channel;       /**< The driver's number for the channel. */
	char label[PT_CHANNEL_MAX]; /**< Name of the channel: "1", "package-0".
				     */
	struct ptScale scale;
	/**
	 * What the value comes from, how fine it is, which hardware measures it
	 * (a path or a serial number that stays the same), and whether it is
	 * computed by a law instead of measured; NULL/false where there is
	 * nothing to say. Filled in by the driver's open() at the latest; the
	 * strings belong to the driver and live until close(). They become the
	 * attributes source, resolution, hardware and simulated of <Value>.
	 */
	const char *source;
	const char *resolution;
	const char *hardware;
	bool isSimulated;
};

/** What is known of a reading beside its values. */
struct ptReading {
	/** Wall clock time at which the measurement ended, ns since the epoch.
	 */
	int64_t endNs;
	/** Its length in nanoseconds: normally the cycle. */
	int64_t lengthNs;
	/**
	 * Cycles that are missing between the reading before and this one,
	 * those included for which read() returned -ETIMEDOUT or -EPROTO.
	 */
	uint64_t lost;
};

/** How a device is to be used; texts are those of the configuration. */
struct ptSetup {
	int64_t cycleNs;
	/** Prefix before /sys and /proc ("" normally): where tests have theirs.
	 */
	const char *root;
	/** Readable when a call that waits must return -EINTR; or -1. */
	int wakeFd;
	/** Speed of the serial port. */
	unsigned int baud;
	/** DEVICE of `port`, or NULL. */
	const char *address;
	/** When open() must be done, by CLOCK_MONOTONIC; 0 for any time. */
	int64_t deadlineNs;
	/** Driver options of [General], e.g. law=; NULL terminated pairs. */
	const char *const *options;
};

/**
 * What is known of a meter only when it is open. The strings belong to the
 * driver and live until close().
 */
struct ptFound {
	/**
	 * Time between its readings, in nanoseconds, if it is not the cycle
	 * that was asked for; else 0. Nothing makes a meter faster: who wants
	 * to know how often readings come asks ptMeterCycle(). read() may set
	 * it as well, where only watching tells.
	 */
	int64_t cycleNs;
	/** What it says that it is, or NULL. */
	const char *identity;
	/** Its channels have numbers below this; 0 if it does not tell. */
	unsigned int channels;
	/** Its own names of these, by number; NULL, also for some, for none. */
	const char *const *names;
	/** How cycles that are missing are found: "counter" or "time"; or NULL.
	 */
	const char *gapsFoundBy;
};

/** Get the value of an option, or NULL. */
const char *ptSetupOption(const struct ptSetup *setup, const char *name);

/** Get the value of an option, or what holds without it. */
const char *ptSetupOptionOr(const struct ptSetup *setup, const char *name,
			    const char *otherwise);

/** A meter in use. */
struct ptDevice {
	const struct ptDriver *driver;
	struct ptTransport *transport; /**< Owned by the core; NULL for none. */
	struct ptSetup setup;
	struct ptFound found; /**< Set by the driver's open(). */
	void *state;          /**< Owned by the driver. */
};

/** Who determines when a reading is taken. */
enum ptTiming {
	PT_TIMED_BY_METER, /**< read() waits for what the meter sends. */
	PT_TIMED_BY_HOST,  /**< read() takes a reading now. */
};

/** Prints one line of pt -l. */
typedef void ptDriverPrint(void *context, const char *label,
			   const char *description, bool works);

/**
 * A kind of meter.
 *
 * The core calls these functions from one thread at a time. Those that can fail
 * return 0 or a negative errno value, after logging the reason (ptMessage()),
 * with the name of the driver and the culprit.
 */
struct ptDriver {
	const char *name;        /**< As in `device=`; compared without case. */
	const char *description; /**< For pt -l: one line, no full stop. */
	enum ptTiming timing;
	bool needsPort; /**< Whether there must be a transport. */
	struct ptLine
		line; /**< Of a serial port, but for a configured speed. */
	/** Allowed values of `cycle`; one only if the meter has just that. */
	double minCycleMs, maxCycleMs;
	/** What holds where `cycle` is left out; 0 if it must be given. */
	double usualCycleMs;
	/** PT_SCALE_* that its channels may have. */
	unsigned int scales;
	/** Form of DEVICE of `port`, for pt -l, if it is none of a transport's:
	 *  "snmp://HOST[:PORT]". */
	const char *addressForm;
	/** The quantities, ended by one whose name is NULL. */
	const struct ptQuantity *quantities;
	/** Names of options that [General] may have for it; NULL ended or NULL.
	 */
	const char *const *options;

	/**
	 * Check DEVICE of `port`. For a driver with needsPort it is one of a
	 * transport's already, and this may be NULL. Another one that has this
	 * goes its own way to the meter, by ptSetup.address; who has neither
	 * has no DEVICE.
	 *
	 * @param address NULL if it is not given.
	 * @param[out] why What is allowed: "a device is snmp://HOST[:PORT]".
	 * @retval -EINVAL It is not.
	 */
	int (*checkAddress)(const char *address, char *why, size_t whySize);

	/**
	 * Check the value of an option before the device is opened; NULL if any
	 * will do.
	 *
	 * @param[out] why What is allowed: "is ascii or packed".
	 * @retval -EINVAL It is not.
	 */
	int (*checkOption)(const char *name, const char *value, char *why,
			   size_t whySize);

	/**
	 * Resolve a channel as written in the configuration ("1", "package-0";
	 * NULL if not given) to the columns' number and label. Does not touch
	 * the meter; may look at the machine below @p root, and leave out of
	 * "*" what cannot be read.
	 *
	 * "*" means every channel there is, where the driver supports it: the
	 * core calls with index 0, 1, ... until -ENOENT.
	 *
	 * @param[out] why What is allowed, for the message: "channels are 1 to
	 * 4".
	 * @retval -ENOENT There is no (further) such channel.
	 * @retval -EINVAL Not a channel; @p why says what is.
	 */
	int (*resolve)(const struct ptSetup *setup, const char *channel,
		       size_t index, unsigned int *number,
		       char label[PT_CHANNEL_MAX], char *why, size_t whySize);

	/** Report what this machine has (pt -l); may be NULL. */
	void (*list)(const struct ptSetup *setup, ptDriverPrint *print,
		     void *context);

	/**
	 * Identify the meter and choose what read() delivers, in order.
	 * The columns live as long as the device. Fills in dev->found, which is
	 * empty before.
	 */
	int (*open)(struct ptDevice *dev, struct ptColumn *columns,
		    size_t count);

	/** Begin to measure: the next read() ends a whole interval. */
	int (*start)(struct ptDevice *dev);

	/**
	 * Take, or wait for, one reading of every column.
	 *
	 * @retval -EINTR The wakeFd became readable.
	 * @retval -ETIMEDOUT The meter was silent; trying again may help.
	 * @retval -EPROTO The meter answered nonsense; trying again may help.
	 *         The reading counts as lost; @p cells is untouched.
	 * @retval -ENODEV (or any other) The meter is gone; close() and open().
	 */
	int (*read)(struct ptDevice *dev, union hdCell *cells,
		    struct ptReading *reading);

	/** End measuring; the device stays open. NULL: nothing is to be done.
	 */
	int (*stop)(struct ptDevice *dev);

	/**
	 * Undo open(). Called only after open() succeeded; cannot fail. Not
	 * called in a child that inherited the device by fork().
	 */
	void (*close)(struct ptDevice *dev);
};

/** Let a device's driver end measuring; as its stop(). */
static inline int ptDriverStop(struct ptDevice *dev)
{
	return dev->driver->stop ? dev->driver->stop(dev) : 0;
}

/** The drivers of libPT, defined in drivers/NAME.c; the list ends with NULL. */
extern const struct ptDriver *const ptDrivers[];

/** Find a driver of a list by name, without case, or return NULL. */
const struct ptDriver *ptDriverFind(const struct ptDriver *const *list,
				    const char *name);

#endif
