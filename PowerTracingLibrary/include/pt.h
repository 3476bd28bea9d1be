/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Includes PT.h. The text of the thesis uses the name `pt.h` for the header
 * with the error values (section 4.3.5), and so do programs that follow it.
 */
#ifndef PT_LOWER_CASE_H
#define PT_LOWER_CASE_H

#include <PT.h>

#endif
