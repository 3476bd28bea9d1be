/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Switching on and off while the volume serves, as hdgluster asks for.
 *
 * hdgluster sets an extended attribute of the root of a mount, CONTROL_KEY,
 * which the highest of our instances in the client's graph takes: nothing of it
 * is stored. That instance does what it says in its own graph, and asks each
 * brick by an operation of GlusterFS' own for such things, ipc, which it hands
 * to each protocol/client below it, past distribution and replication. So it
 * reaches every brick of a volume, on other hosts too, of glusterd's volumes as
 * of those that were written by hand, by connections that are there; a socket a
 * process would not leave its host. What came of it is read as the value of the
 * same attribute.
 *
 * A brick that has not answered after 20 s has not obeyed; it may do so later.
 *
 * The name is in `trusted`, which takes a mount's root user. Bricks do not
 * trust it more than that: a request names a project, never a directory.
 *
 * Who asks reads the attribute first: only the value of an instance of ours has
 * an end of line in it. Any other client would store what is set.
 *
 * The value is words with blanks between them:
 *
 *     ID enable|disable|status [layers=A,B] [fops=a,b] [what=a,b]
 * [project=NAME]
 *
 * and the report lines, the first one with the ID of the request:
 *
 *     ID
 *     ok NODE LAYER on|off WHAT FOPS PROJECT
 *     failed NODE WHY
 *
 * Before there was a request the value is CONTROL_NONE.
 */
#ifndef HDG_CONTROL_H
#define HDG_CONTROL_H

/** Name of the attribute. */
#define CONTROL_KEY "trusted.hdtrace.control"
/** What is read before anybody has asked. */
#define CONTROL_NONE "-\n"
/** Number of the operation, which nobody else uses: "hdt". */
#define CONTROL_OP 0x686474
/** Bytes of a request. */
#define CONTROL_REQUEST_MAX 4096

#endif
