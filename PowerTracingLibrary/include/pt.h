/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * PT.h, by the name that the thesis has in its text for the header with the
 * error values (section 4.3.5): programs written after it include `pt.h`.
 */
#ifndef PT_LOWER_CASE_H
#define PT_LOWER_CASE_H

#include <PT.h>

#endif
