/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a BMC is asked about power, and answers (DCMI 1.5, section 6.6.1).
 *
 * Works on bytes alone.
 *
 * ipmi sends DCMI's request by FreeIPMI as bytes and takes the answer apart
 * itself (dcmi.c), so that what is wrong with it is known, and can be
 * fuzzed. FreeIPMI cannot be woken; so it waits for 2 s at most.
 */
#ifndef PT_DCMI_H
#define PT_DCMI_H

#include <stddef.h>
#include <stdint.h>

/** Network function of group extensions; DCMI's command Get Power Reading, with
 *  all that belongs to it: system power statistics. */
#define PT_DCMI_NETFN 0x2c
#define PT_DCMI_REQUEST                      \
	{                                    \
		0x02, 0xdc, 0x01, 0x00, 0x00 \
	}

/** A reading; all in watts. */
struct ptDcmiReading {
	unsigned int watts;
	unsigned int minimum, maximum, average; /**< Of the last periodMs. */
	uint32_t time;                          /**< Of the BMC's clock, s. */
	uint32_t periodMs;
};

/**
 * Take the bytes of an answer, with the command and the completion code.
 *
 * @param[out] why What is wrong.
 *
 * @retval -ENOTSUP The BMC does not measure power.
 * @retval -EACCES It does not tell it to us.
 * @retval -EPROTO There is no reading this time: it is busy, has switched
 *         measuring off, or this is no such answer.
 */
int ptDcmiTake(const uint8_t *bytes, size_t size, struct ptDcmiReading *reading,
	       char *why, size_t whySize);

#endif
