/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Includes PT.h. The thesis (section 4.3.5) and programs that follow it use the
 * name `pt.h` for the header with the error values.
 */
#ifndef PT_LOWER_PT_H
#define PT_LOWER_PT_H

#include <PT.h>

#endif
