/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Big-endian numbers and time stamps, at any address.
 */
#ifndef HDI_BYTES_H
#define HDI_BYTES_H

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#define HDI_NS_PER_S INT64_C(1000000000)

static inline uint16_t hdIBytes16(const char *p)
{
	uint16_t n;

	memcpy(&n, p, sizeof(n));
	return be16toh(n);
}

static inline uint32_t hdIBytes32(const char *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return be32toh(n);
}

static inline uint64_t hdIBytes64(const char *p)
{
	uint64_t n;

	memcpy(&n, p, sizeof(n));
	return be64toh(n);
}

/** Read a time stamp. Returns 0, or -EINVAL if its ns are out of range. */
static inline int hdIBytesStamp(const char *p, int64_t *stamp)
{
	uint64_t both = hdIBytes64(p);
	uint32_t ns = (uint32_t)both;

	*stamp = (int64_t)(both >> 32) * HDI_NS_PER_S + ns;
	return ns < HDI_NS_PER_S ? 0 : -EINVAL;
}

#endif
