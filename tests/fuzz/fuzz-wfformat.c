/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: workflows in WfFormat. */
#include "config.h"

#include "tests/fuzz/imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	importedTry(importWfformat, "time_s", data, size);
	return 0;
}
