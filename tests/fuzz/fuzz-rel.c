/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a .rel file. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzzRead("fuzz.rel", data, size);
	return 0;
}
