/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a BMC answers about power; see dcmi.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "PowerTracingLibrary/src/drivers/ipmi/dcmi.h"

#define COMMAND 0x02
#define GROUP 0xdc
#define ANSWER_SIZE 20
#define IS_MEASURING 0x40

/* Completion codes (IPMI 2.0, table 5-2) that say more than others. */
static const struct {
	uint8_t code;
	int error;
	const char *why;
} codes[] = {
	{ 0xc0, -EPROTO, "the BMC is busy" },
	{ 0xc1, -ENOTSUP, "the BMC does not support DCMI" },
	{ 0xc3, -EPROTO, "the BMC timed out" },
	{ 0xc9, -ENOTSUP, "the BMC has no such power reading" },
	{ 0xcb, -ENOTSUP, "the BMC has no power reading" },
	{ 0xcc, -ENOTSUP, "the BMC has no such power reading" },
	{ 0xce, -EPROTO, "the BMC cannot answer now" },
	{ 0xd0, -EPROTO, "the BMC is being updated" },
	{ 0xd1, -EPROTO, "the BMC is being updated" },
	{ 0xd2, -EPROTO, "the BMC is starting" },
	{ 0xd4, -EACCES, "insufficient privilege level" },
	{ 0xd5, -EPROTO, "the BMC cannot answer in its present state" },
};

static unsigned int word(const uint8_t *bytes)
{
	return bytes[0] | (unsigned int)bytes[1] << 8;
}

static uint32_t doubleWord(const uint8_t *bytes)
{
	return word(bytes) | (uint32_t)word(bytes + 2) << 16;
}

static int dcmiRefused(uint8_t code, char *why, size_t whySize)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code) {
			snprintf(why, whySize, "%s (completion code %02x)",
				 codes[i].why, code);
			return codes[i].error;
		}
	snprintf(why, whySize, "the BMC refuses (completion code %02x)", code);
	return -EPROTO;
}

int ptDcmiTake(const uint8_t *bytes, size_t size, struct ptDcmiReading *reading,
	       char *why, size_t whySize)
{
	if (size >= 2 && bytes[0] == COMMAND && bytes[1] != 0)
		return dcmiRefused(bytes[1], why, whySize);
	if (size != ANSWER_SIZE || bytes[0] != COMMAND || bytes[2] != GROUP) {
		snprintf(why, whySize, "invalid power reading of %zu bytes",
			 size);
		return -EPROTO;
	}
	if (!(bytes[19] & IS_MEASURING)) {
		snprintf(why, whySize, "the BMC has disabled measuring");
		return -EPROTO;
	}
	*reading = (struct ptDcmiReading){
		.watts = word(bytes + 3),
		.minimum = word(bytes + 5),
		.maximum = word(bytes + 7),
		.average = word(bytes + 9),
		.time = doubleWord(bytes + 11),
		.periodMs = doubleWord(bytes + 15),
	};
	return 0;
}
