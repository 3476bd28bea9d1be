/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How long names in volume files may be, for those who write them and the
 * translator, which refuses others.
 */
#ifndef HDG_LABEL_H
#define HDG_LABEL_H

/** Bytes of the label of a node or host, with the NUL. */
#define LABEL_GIVEN_MAX 96
/** Bytes of the name of a project, with the NUL. */
#define LABEL_PROJECT_MAX 128

#endif
