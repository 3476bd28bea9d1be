/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file hdPower.h
 * libhdPower: a program tells hdpower(1) which phase begins.
 *
 *     hdPower_phase("solve");
 *     solve();
 *     hdPower_phase("write");
 *     write();
 *
 * `hdpower run` chooses the settings for each phase by the usage that was
 * learnt from earlier runs. Without hdpower, the function does nothing.
 */
#ifndef HDPOWER_H
#define HDPOWER_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Say which phase begins.
 *
 * Any thread may call it; the last call counts. It sends one datagram and never
 * waits. errno stays as it is.
 *
 * @param name Name of the phase, as in the usage file.
 *
 * @retval 0 hdpower was told.
 * @retval -1 This program does not run under hdpower, or hdpower is gone.
 */
int hdPower_phase(const char *name);

#ifdef __cplusplus
}
#endif

#endif
