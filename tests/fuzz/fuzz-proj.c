/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a .proj file, of a directory without other files. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzzRead("/nonexistent/fuzz.proj", data, size);
	return 0;
}
