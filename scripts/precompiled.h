/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers that most files include. With --enable-precompiled-headers the
 * compiler reads them once for a build; a file that forgets one of them is
 * found by the builds without that option. */
#ifndef __cplusplus
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>
#endif
