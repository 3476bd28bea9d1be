/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What meters have in common that measure direct currents and send them by
 * themselves: each channel gives a raw number, which makes a current, which
 * with the voltage of the line makes a power.
 */
#ifndef PT_RAWMETER_H
#define PT_RAWMETER_H

#include "PowerTracingLibrary/src/meter/frames.h"

/** The quantities of such a meter, in the order of ptDriver.quantities. */
enum ptRawQuantity { PT_RAW_POWER, PT_RAW_CURRENT, PT_RAW_NUMBER };

/** A kind of such meters. */
struct ptRawKind {
	size_t size; /**< Of the driver's state, which has ptRawMeter first. */
	const struct ptFraming *framing;
	enum ptFramesRate rate;
	double voltage; /**< Of lines for which none is given. */
	/** Make a current of a raw number. */
	double (*current)(double raw, const struct ptScale *scale);
	/** Let the meter stop sending, as ptDriver.stop(); or NULL. */
	int (*stop)(struct ptDevice *dev);
};

/** What a column is made from. */
struct ptRawColumn {
	enum ptRawQuantity quantity;
	bool isDouble;
	unsigned int channel;
	struct ptScale scale;
	char source[64]; /**< For struct ptColumn. */
};

/** Such a meter. */
struct ptRawMeter {
	struct ptFrames stream; /**< Its format is to be set. */
	const struct ptRawKind *kind;
	bool isStarted; /**< Is to be stopped before it is closed. */
	size_t count;
	struct ptRawColumn *columns;
};

/**
 * Make what ptDriver.open() needs, and fill in the columns' source. It is in
 * dev->state, and to be given to ptRawMeterClose(), also when open() fails.
 *
 * @param byteNs Time of a byte on the wire; -1 if that is what the speed of the
 *        serial port makes of it.
 *
 * @retval -ENOMEM There is no memory.
 */
int ptRawMeterOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count,
		   const struct ptRawKind *kind, int64_t byteNs);

/**
 * Make the cells of a reading.
 *
 * @param raw The raw numbers, by channel; that of channel 1 is the first.
 */
void ptRawMeterFill(const struct ptRawMeter *meter, const double *raw,
		    union hdCell *cells);

/** ptDriver.close(). */
void ptRawMeterClose(struct ptDevice *dev);

#endif
