/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an APC rack PDU tells by SNMP; see apcmib.h. */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/src/drivers/snmp/apcmib.h"

#define RPDU2 1, 3, 6, 1, 4, 1, 318, 1, 1, 26

const struct ptQuantity ptApcQuantities[] = {
	{ "P", FLOAT, "W", "Power", "active power" },
	{ "Ppeak", FLOAT, "W", "Power", "highest power since the last reset" },
	{ "I", FLOAT, "A", "Current", "current; outlets only" },
	{ "S", FLOAT, "VA", "ApparentPower", "apparent power; device only" },
	{ "PF", FLOAT, "", "PowerFactor", "power factor; device only" },
	{ "EP", DOUBLE, "Wh", "Energy", "active energy since the last reset",
	  .kind = HD_KIND_COUNTER },
	{ "On", FLOAT, "", "State", "1 if switched on, else 0; outlets only" },
	{ NULL },
};

/* The columns of tables that quantities are in, how many make one of the unit
 * (or one makes of it), and the most there can be; in the order above. */
struct place {
	uint32_t column; /* 0: there is none. */
	double factor, divisor;
	int64_t max;
};

/* rPDU2OutletMeteredStatusTable, .26.9.4.3.1; rPDU2OutletSwitchedStatusState,
 * .26.9.2.3.1.5, is a table of its own. */
static const struct place outlets[] = {
	{ 7, 1, 1, 100000 }, { 8, 1, 1, 100000 }, { 6, 1, 10, 10000 },
	{ 0, 1, 1, 0 },      { 0, 1, 1, 0 },      { 11, 100, 1, INT32_MAX },
	{ 5, 1, 1, 2 },
};
#define ON 6
#define SWITCHED_OFF 1

/* rPDU2DeviceStatusTable, .26.4.3.1. */
static const struct place devices[] = {
	{ 5, 10, 1, 100000 },  { 6, 10, 1, 100000 }, { 0, 1, 1, 0 },
	{ 16, 10, 1, 100000 }, { 17, 1, 100, 100 },  { 9, 100, 1, INT32_MAX },
	{ 0, 1, 1, 0 },
};

const struct ptSnmpOid ptApcDescription = {
	.length = 9,
	.numbers = { 1, 3, 6, 1, 2, 1, 1, 1, 0 },
};
const struct ptSnmpOid ptApcModel = {
	.length = 14,
	.numbers = { RPDU2, 2, 1, 8, 1 },
};
const struct ptSnmpOid ptApcOutlets = {
	.length = 15,
	.numbers = { RPDU2, 4, 2, 1, 4, 1 },
};

static struct ptSnmpOid outletObject(uint32_t table, uint32_t column,
				     unsigned int outlet)
{
	return (struct ptSnmpOid){
		.length = 16,
		.numbers = { RPDU2, 9, table, 3, 1, column, outlet },
	};
}

struct ptSnmpOid ptApcNameOf(unsigned int outlet)
{
	return outletObject(4, 3, outlet);
}

static const struct place *apcMibPlaceOf(const struct ptQuantity *quantity,
					 unsigned int channel)
{
	return &(channel == PT_APC_DEVICE
			 ? devices
			 : outlets)[quantity - ptApcQuantities];
}

int ptApcObject(const struct ptQuantity *quantity, unsigned int channel,
		struct ptSnmpOid *name)
{
	const struct place *place = apcMibPlaceOf(quantity, channel);

	if (place->column == 0)
		return -EINVAL;
	if (channel != PT_APC_DEVICE)
		*name = outletObject(quantity - ptApcQuantities == ON ? 2 : 4,
				     place->column, channel);
	else
		*name = (struct ptSnmpOid){
			.length = 15,
			.numbers = { RPDU2, 4, 3, 1, place->column, 1 },
		};
	return 0;
}

int ptApcValue(const struct ptQuantity *quantity, unsigned int channel,
	       const struct ptSnmpValue *object, double *value)
{
	const struct place *place = apcMibPlaceOf(quantity, channel);

	if (object->kind == PT_SNMP_UNTOLD)
		return -EAGAIN;
	if (object->kind == PT_SNMP_NONE)
		return -ENOENT;
	if (object->kind == PT_SNMP_TEXT && object->text[0] == '\0')
		return -ENOTSUP;
	if (object->kind == PT_SNMP_NUMBER && object->number == -1)
		return -ENOTSUP;
	if (object->kind != PT_SNMP_NUMBER || object->number < 0 ||
	    object->number > place->max)
		return -EPROTO;
	*value = (double)object->number * place->factor / place->divisor;
	if (quantity - ptApcQuantities == ON)
		*value = object->number != SWITCHED_OFF;
	return 0;
}
