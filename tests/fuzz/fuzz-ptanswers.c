/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what meters answer that are asked: the objects of an APC rack
 * PDU (SNMP itself is net-snmp's), and DCMI's power reading of a BMC.
 *
 * The first byte says which. Of an object the second is the quantity, the third
 * the channel, the fourth the kind, and the rest its number and text.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/ipmi/dcmi.h"
#include "PowerTracingLibrary/src/drivers/snmp/apcmib.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

#define WHY_MAX 80
#define APC_MAX 2147483647e2 /* Of a counter of 0.1 kWh, in Wh. */

/* A BMC's answer; not a byte more than there is is read. */
static void takeDcmi(const uint8_t *data, size_t size)
{
	struct ptDcmiReading reading;
	uint8_t *copy = malloc(size ? size : 1);
	char why[WHY_MAX] = "";
	int ret;

	must(copy != NULL);
	memcpy(copy, data, size);
	memset(&reading, 0xaa, sizeof(reading));
	ret = ptDcmiTake(copy, size, &reading, why, sizeof(why));
	must(ret == 0 || ret == -ENOTSUP || ret == -EACCES || ret == -EPROTO);
	must((ret == 0) == (*why == '\0'));
	if (ret == 0) {
		must(size == 20 && copy[1] == 0);
		must(reading.watts == copy[3] + 256U * copy[4]);
		must(reading.average == copy[9] + 256U * copy[10]);
	}
	free(copy);
}

static unsigned int quantityCount(void)
{
	unsigned int count = 0;

	while (ptApcQuantities[count].name)
		count++;
	return count;
}

/* An object of a rack PDU. */
static void takeObject(const uint8_t *data, size_t size)
{
	const struct ptQuantity *quantity =
		&ptApcQuantities[data[0] % quantityCount()];
	unsigned int channel = data[1] % (PT_APC_OUTLETS_MAX + 1);
	struct ptSnmpValue object = {
		.kind = (enum ptSnmpKind)(data[2] % (PT_SNMP_OTHER + 1)),
	};
	struct ptSnmpOid name = { 0 };
	double value = NAN;
	int ret;

	data += 3;
	size -= 3;
	memcpy(&object.number, data,
	       size < sizeof(object.number) ? size : sizeof(object.number));
	memcpy(object.text, data,
	       size < sizeof(object.text) ? size : sizeof(object.text) - 1);
	ret = ptApcObject(quantity, channel, &name);
	must(ret == 0 || ret == -EINVAL);
	if (ret < 0)
		return;
	must(name.length > 0 && name.length <= PT_SNMP_OID_MAX);
	ret = ptApcValue(quantity, channel, &object, &value);
	must(ret == 0 || ret == -ENOENT || ret == -EAGAIN || ret == -ENOTSUP ||
	     ret == -EPROTO);
	must((ret == 0) == !isnan(value));
	if (ret == 0)
		must(value >= 0 && value <= APC_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	if (data[0] % 2 == 0)
		takeDcmi(data + 1, size - 1);
	else if (size >= 4)
		takeObject(data + 1, size - 1);
	return 0;
}
