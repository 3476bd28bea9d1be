/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sensors that are one file with microjoules or microwatts; see sensor.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

int ptSensorFileOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	int fd = ptSysOpen(setup->root, "%s", sensor->path);

	if (fd < 0)
		return fd;
	sensor->fd = fd;
	hdOwnedSet(&sensor->owned, fd);
	return 0;
}

int ptSensorFileReadEnergy(const struct ptSensor *sensor, uint64_t *count)
{
	if (!hdOwnedIs(&sensor->owned, sensor->fd))
		return -ENODEV;
	return ptSysReadNumber(sensor->fd, count);
}

int ptSensorFileReadPower(const struct ptSensor *sensor, double *watts)
{
	int64_t microwatts;
	int ret;

	if (!hdOwnedIs(&sensor->owned, sensor->fd))
		return -ENODEV;
	/* That of a battery is negative while it charges. */
	ret = ptSysReadSigned(sensor->fd, &microwatts);
	if (ret == 0)
		*watts = (double)microwatts * 1e-6;
	return ret;
}

void ptSensorFileClose(struct ptSensor *sensor)
{
	hdOwnedClose(&sensor->owned, sensor->fd);
	sensor->fd = -1;
}

bool ptSensorFileExplain(const struct ptSetup *setup,
			 const struct ptSensor *sensor, int error, char *text,
			 size_t size)
{
	/* A counter of energy tells other users' secrets (CVE-2020-8694). */
	if (error == -EACCES || error == -EPERM)
		snprintf(text, size,
			 "%s%s: only root can read this file since 2020; run "
			 "as root, or use chgrp GROUP and chmod g+r as root",
			 setup->root, sensor->path);
	else if (error == -ENODATA)
		snprintf(text, size, "the sensor is disabled");
	else
		return false;
	return true;
}
