/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers of zip files, as APPNOTE 6.3.3 defines them, and which of them
 * archives of projects have. All are little endian.
 */
#ifndef HD_ZIP_H
#define HD_ZIP_H

#include <stdint.h>

/** What names of archives end with. */
#define HD_ZIP_SUFFIX ".hdz"

#define HD_ZIP_LOCAL_MAGIC UINT32_C(0x04034b50)
#define HD_ZIP_ENTRY_MAGIC UINT32_C(0x02014b50)
#define HD_ZIP_END_MAGIC UINT32_C(0x06054b50)
#define HD_ZIP_LOCATOR_MAGIC UINT32_C(0x07064b50)
#define HD_ZIP_LARGE_END_MAGIC UINT32_C(0x06064b50)

/** Bytes of a local header, an entry of the directory, the end of the file,
 *  the locator of the end of zip64, and that end, without what follows. */
#define HD_ZIP_LOCAL 30
#define HD_ZIP_ENTRY 46
#define HD_ZIP_END 22
#define HD_ZIP_LOCATOR 20
#define HD_ZIP_LARGE_END 56

/** The field of zip64, and what stands where a number is too large. */
#define HD_ZIP_LARGE_FIELD 1
#define HD_ZIP_LARGE16 UINT32_C(0xffff)
#define HD_ZIP_LARGE32 UINT32_C(0xffffffff)

/** Flag: names are UTF-8. */
#define HD_ZIP_UTF8 UINT32_C(0x0800)
/** The first of January 1980, which is the date of all entries. */
#define HD_ZIP_DATE 0x21
/** Versions that are needed: 1.0, and 4.5 for zip64. */
#define HD_ZIP_VERSION 10
#define HD_ZIP_VERSION_LARGE 45

/** No file has a longer name. */
#define HD_ZIP_NAME_MAX 255
/** A directory of a million entries. */
#define HD_ZIP_DIRECTORY_MAX (UINT64_C(512) << 20)

#endif
