/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What an APC rack PDU with outlets that are metered tells by SNMP.
 *
 * (PowerNet-MIB, rPDU2.) Works on what was received alone.
 */
#ifndef PT_APCMIB_H
#define PT_APCMIB_H

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/core/driver.h"

/** Outlets of one unit, and of as many as can be chained. */
#define PT_APC_OUTLETS 24
#define PT_APC_OUTLETS_MAX 96

/** Channel of the unit as a whole; others are outlets. */
#define PT_APC_DEVICE 0

/** Quantities, in the order of ptApcQuantities[]. */
extern const struct ptQuantity ptApcQuantities[];

/** Objects that are not measured. */
extern const struct ptSnmpOid ptApcDescription; /**< sysDescr */
extern const struct ptSnmpOid ptApcModel;       /**< rPDU2IdentModelNumber */
extern const struct ptSnmpOid ptApcOutlets; /**< rPDU2DevicePropertiesNumOutlets
					     */

/** The name of an outlet. */
struct ptSnmpOid ptApcNameOf(unsigned int outlet);

/**
 * Find the object of a quantity of a channel.
 *
 * @retval -EINVAL It has no such quantity.
 */
int ptApcObject(const struct ptQuantity *quantity, unsigned int channel,
		struct ptSnmpOid *name);

/**
 * Make a value of an object.
 *
 * @retval -ENOENT There is no such object.
 * @retval -EAGAIN It was not told, because there is no such other object.
 * @retval -ENOTSUP The device does not measure it: -1, or an empty text.
 * @retval -EPROTO It is no such value.
 */
int ptApcValue(const struct ptQuantity *quantity, unsigned int channel,
	       const struct ptSnmpValue *object, double *value);

#endif
