/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of libPT; see message.h. */
#include "config.h"

#include "PowerTracingLibrary/src/message.h"

struct hdLogger ptLogger = { .prefix = "pt", .level = HD_LOG_ERROR };

__thread bool ptMessageIsQuiet;
