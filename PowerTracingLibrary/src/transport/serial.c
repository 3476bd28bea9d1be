/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The serial port: raw, ours alone.
 *
 * Nothing is translated in either direction: with ICRNL, which the thesis has
 * (listing 4.5), every byte 0x0D of a binary value becomes 0x0A.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/transport/calls.h"

static const struct {
	unsigned int baud;
	speed_t speed;
} speeds[] = {
	{ 1200, B1200 },     { 2400, B2400 },     { 4800, B4800 },
	{ 9600, B9600 },     { 19200, B19200 },   { 38400, B38400 },
	{ 57600, B57600 },   { 115200, B115200 }, { 230400, B230400 },
	{ 460800, B460800 }, { 921600, B921600 },
};

static int serialMatches(const char *address)
{
	return address[0] == '/';
}

static int serialReportRefusal(const char *address, int error)
{
	const char *hint = "";

	if (error == EACCES)
		hint = "; join the group of the device file, often dialout";
	else if (error == EBUSY)
		hint = "; another program uses the port";
	ptMessage(HD_LOG_ERROR, "%s: %s%s", address, strerror(error), hint);
	return -error;
}

int ptSerialMode(const struct ptLine *line, struct termios *mode)
{
	static const tcflag_t parities[] = {
		[PT_PARITY_NONE] = 0,
		[PT_PARITY_ODD] = PARENB | PARODD,
		[PT_PARITY_EVEN] = PARENB,
	};
	speed_t speed = B0;

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (speeds[i].baud == line->baud)
			speed = speeds[i].speed;
	}
	if (speed == B0)
		return -EINVAL;
	memset(mode, 0, sizeof(*mode));
	mode->c_iflag =
		IGNBRK | (line->parity == PT_PARITY_NONE ? IGNPAR : INPCK);
	mode->c_cflag = CS8 | CREAD | CLOCAL | parities[line->parity] |
			(line->flow & PT_FLOW_RTSCTS ? CRTSCTS : 0);
	mode->c_cc[VMIN] = 1;
	cfsetispeed(mode, speed);
	cfsetospeed(mode, speed);
	return 0;
}

/* Say what the port does not have. A terminal of software has no parity. */
static void warn(const char *address, const struct termios *wanted,
		 const struct termios *is)
{
	static const struct {
		tcflag_t flag;
		const char *name;
	} flags[] = { { CRTSCTS, "RTS/CTS" }, { PARENB, "parity" } };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (wanted->c_cflag & ~is->c_cflag & flags[i].flag)
			ptMessage(HD_LOG_WARNING,
				  "%s: the port does not support %s", address,
				  flags[i].name);
	}
}

static int setUp(int fd, const char *address, const struct ptLine *line,
		 const struct termios *wanted)
{
	const int dtr = TIOCM_DTR;
	struct termios is;

	/* tcsetattr() succeeds if it could do a part. */
	if (tcsetattr(fd, TCSANOW, wanted) != 0 || tcgetattr(fd, &is) != 0)
		return serialReportRefusal(address, errno);
	if (cfgetospeed(&is) != cfgetospeed(wanted) ||
	    (is.c_cflag & CSIZE) != CS8 || is.c_cflag & CSTOPB ||
	    is.c_cflag & PARENB & ~wanted->c_cflag || is.c_lflag & ICANON) {
		ptMessage(HD_LOG_ERROR,
			  "%s: the port does not support this speed and format",
			  address);
		return -EINVAL;
	}
	warn(address, wanted, &is);
	/* It is on already, but for ports that were told otherwise. */
	if (line->flow & PT_FLOW_DTR)
		(void)ioctl(fd, TIOCMBIS, &dtr);
	tcflush(fd, TCIOFLUSH);
	return 0;
}

static const struct ptTransportCalls serialCalls;

static int serialOpen(const char *address, const struct ptLine *line,
		      int64_t deadlineNs, struct ptTransport **result)
{
	struct termios wanted;
	int fd, ret;

	(void)deadlineNs; /* Nothing here waits. */
	if (ptSerialMode(line, &wanted) < 0) {
		ptMessage(HD_LOG_ERROR, "%s: unsupported speed of %u baud",
			  address, line->baud);
		return -EINVAL;
	}
	fd = open(address, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return serialReportRefusal(address, errno);
	if (!isatty(fd)) {
		ret = serialReportRefusal(address, ENOTTY);
		goto fail;
	}
	/* TIOCEXCL keeps others out, but not root; the lock is what programs
	 * agree on. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		ret = serialReportRefusal(address,
					  errno == EWOULDBLOCK ? EBUSY : errno);
		goto fail;
	}
	if (ioctl(fd, TIOCEXCL) != 0) {
		ret = serialReportRefusal(address, errno);
		goto fail;
	}
	ret = setUp(fd, address, line, &wanted);
	if (ret == 0)
		ret = ptFdTransport(&serialCalls, fd, address, result);
	if (ret == 0)
		return 0;
	ioctl(fd, TIOCNXCL);
fail:
	close(fd);
	return ret;
}

static void serialFlushInput(struct ptTransport *transport)
{
	if (hdOwnedIs(&transport->owned, transport->fd))
		tcflush(transport->fd, TCIFLUSH);
}

static int serialBreak(struct ptTransport *transport)
{
	int ret = ptFdCheck(transport);

	if (ret < 0)
		return ret;
	/* A quarter of a second or more. */
	if (tcsendbreak(transport->fd, 0) != 0) {
		ptMessage(HD_LOG_ERROR, "%s: BREAK: %s", transport->address,
			  strerror(errno));
		return errno == EIO || errno == ENXIO ? -ENODEV : -errno;
	}
	return 0;
}

static void serialClose(struct ptTransport *transport)
{
	int queued = 0;

	if (hdOwnedIs(&transport->owned, transport->fd)) {
		/* The kernel would wait half a minute for what cannot be
		 * sent. */
		if (ioctl(transport->fd, TIOCOUTQ, &queued) == 0 && queued > 0)
			tcflush(transport->fd, TCOFLUSH);
		ioctl(transport->fd, TIOCNXCL);
	}
	ptFdClose(transport);
}

static const struct ptTransportCalls serialCalls = {
	.read = ptFdRead,
	.write = ptFdWrite,
	.drain = ptFdDrain,
	.flushInput = serialFlushInput,
	.sendBreak = serialBreak,
	.close = serialClose,
};

const struct ptTransportKind ptSerialKind = {
	.name = "serial",
	.matches = serialMatches,
	.open = serialOpen,
};
