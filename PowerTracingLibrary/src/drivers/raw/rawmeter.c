/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meters that measure direct currents; see rawmeter.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "PowerTracingLibrary/src/drivers/raw/rawmeter.h"
#include "PowerTracingLibrary/src/core/now.h"

/* How long to wait until the last command has left. */
#define DRAIN_NS INT64_C(300000000)

/* Note what a column is made from, and say so. */
static void rawMeterSetColumn(const struct ptDriver *driver, double voltage,
			      struct ptColumn *from, struct ptRawColumn *to)
{
	to->quantity =
		(enum ptRawQuantity)(from->quantity - driver->quantities);
	to->isDouble = from->quantity->type == DOUBLE;
	to->channel = from->channel;
	to->scale = from->scale;
	if (!(to->scale.set & PT_SCALE_VOLTAGE))
		to->scale.voltage = voltage;
	if (to->quantity == PT_RAW_POWER)
		snprintf(to->source, sizeof(to->source),
			 "%s, current times %g V", driver->name,
			 to->scale.voltage);
	else
		snprintf(to->source, sizeof(to->source), "%s", driver->name);
	from->source = to->source;
}

static void rawMeterFreeMeter(struct ptRawMeter *meter)
{
	ptFramesClear(&meter->stream);
	free(meter->columns);
	free(meter);
}

int ptRawMeterOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count,
		   const struct ptRawKind *kind, int64_t byteNs)
{
	struct ptRawMeter *meter = calloc(1, kind->size);
	struct ptLine line = dev->driver->line;

	if (!meter)
		return -ENOMEM;
	if (dev->setup.baud)
		line.baud = dev->setup.baud;
	if (byteNs < 0)
		byteNs = ptLineByteNs(&line);
	meter->kind = kind;
	meter->count = count;
	meter->columns = calloc(count, sizeof(*meter->columns));
	if (!meter->columns ||
	    ptFramesInit(&meter->stream, dev, kind->framing, NULL, byteNs,
			 dev->setup.cycleNs, kind->rate) < 0) {
		rawMeterFreeMeter(meter);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		rawMeterSetColumn(dev->driver, kind->voltage, &columns[i],
				  &meter->columns[i]);
	dev->state = meter;
	return 0;
}

void ptRawMeterFill(const struct ptRawMeter *meter, const double *raw,
		    union hdCell *cells)
{
	for (size_t i = 0; i < meter->count; i++) {
		const struct ptRawColumn *column = &meter->columns[i];
		double value = raw[column->channel - 1];

		if (column->quantity != PT_RAW_NUMBER)
			value = meter->kind->current(value, &column->scale);
		if (column->quantity == PT_RAW_POWER)
			value *= column->scale.voltage;
		if (column->isDouble)
			cells[i].d = value;
		else
			cells[i].f = (float)value;
	}
}

void ptRawMeterClose(struct ptDevice *dev)
{
	struct ptRawMeter *meter = dev->state;

	if (meter->isStarted && !meter->stream.isGone && meter->kind->stop)
		meter->kind->stop(dev);
	if (!meter->stream.isGone)
		(void)ptTransportDrain(dev->transport, ptNow() + DRAIN_NS);
	rawMeterFreeMeter(meter);
	dev->state = NULL;
}
