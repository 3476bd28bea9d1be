/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Network interfaces of a machine: which of them carry traffic of their own.
 */
#ifndef HD_NETDEVICE_H
#define HD_NETDEVICE_H

/** What an interface is. */
enum hdNetDevice {
	/** Loopback, a port of a bridge, a tunnel, or one that stands upon
	 *  others that are counted themselves. */
	HD_NET_INNER,
	/** The way out where there is no hardware: in a container this is one
	 *  end of a veth pair. */
	HD_NET_WAY_OUT,
	HD_NET_HARDWARE,
};

/** Find out what an interface is, by its files below @p root. */
enum hdNetDevice hdNetDeviceOf(const char *root, const char *name);

#endif
