/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Another name of hdTopology.h, for old programs.
 */
#include <hdTopology.h>
