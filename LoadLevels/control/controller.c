/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The controller of a load; see controller.h. */
#include "config.h"

#include "LoadLevels/control/controller.h"

/* Time in which a deficit is made up for, in s. */
#define CONTROL_HORIZON 0.5
/* Deficits do not grow beyond this, where a level cannot be reached. */
#define CONTROL_DEFICIT_MAX 0.3
/* Weight of a new measurement of other processes. */
#define CONTROL_SMOOTHING 0.5

static double controlClamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

void hdLoadControllerReset(struct hdLoadController *self)
{
	self->deficit = 0;
}

double hdLoadControl(struct hdLoadController *self, double target, double all,
		     double own, double seconds)
{
	double others = controlClamp(all - own, 0, 1);

	self->others = self->isPrimed
			       ? self->others + CONTROL_SMOOTHING *
							(others - self->others)
			       : others;
	self->isPrimed = true;
	if (target <= 0 || target >= 1) {
		self->deficit = 0;
		return target <= 0 ? 0 : 1;
	}
	self->deficit = controlClamp(self->deficit + (target - all) * seconds,
				     -CONTROL_DEFICIT_MAX, CONTROL_DEFICIT_MAX);
	return controlClamp(
		target - self->others + self->deficit / CONTROL_HORIZON, 0, 1);
}
