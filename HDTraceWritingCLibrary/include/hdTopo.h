/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Old name of hdTopology.h, kept for existing programs.
 */
#include <hdTopology.h>
