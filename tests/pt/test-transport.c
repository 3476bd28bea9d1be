/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways to a meter: pseudo-terminals and connections of this host. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <glib.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/transport/calls.h"
#include "common/clock.h"
#include "common/net.h"

#define MS INT64_C(1000000)
/* Long enough for what is to happen, short for what is not. */
#define LONG (hdMonotonicNow() + 60000 * MS)
#define SHORT (hdMonotonicNow() + 20 * MS)

static const struct ptLine line = { 57600, PT_PARITY_NONE, PT_FLOW_RTSCTS };

static GString *said;

static void takeMessage(enum hdLogLevel level, const char *text)
{
	(void)level;
	g_string_append(said, text);
	g_string_append_c(said, '\n');
}

/* A message with these words has been printed since the last time. */
static void assertSaid(const char *words)
{
	if (!strstr(said->str, words))
		g_error("nobody said \"%s\", but: %s", words, said->str);
	g_string_truncate(said, 0);
}

/* ---- Addresses --------------------------------------------------------- */

static void testAddresses(void)
{
	static const struct {
		const char *address;
		int check, open;
	} rows[] = {
		{ "ttyUSB0", -EINVAL, -EINVAL },
		{ "", -EINVAL, -EINVAL },
		{ "udp://host:1", -EINVAL, -EINVAL },
		{ "/nowhere/tty", 0, -ENOENT },
		{ "/dev/null", 0, -ENOTTY },
		{ "/dev", 0, -EISDIR },
		{ "tcp://host", 0, -EINVAL },
		{ "tcp://:1", 0, -EINVAL },
		{ "tcp://host:", 0, -EINVAL },
		{ "tcp://host:0", 0, -EINVAL },
		{ "tcp://host:65536", 0, -EINVAL },
		{ "tcp://host:1x", 0, -EINVAL },
		{ "tcp://::1:1", 0, -EINVAL },
		{ "tcp://[]:1", 0, -EINVAL },
		{ "tcp://[::1:1", 0, -EINVAL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ptTransport *transport;
		char why[128] = "";

		g_test_message("%s", rows[i].address);
		g_assert_cmpint(
			ptTransportCheck(rows[i].address, why, sizeof(why)), ==,
			rows[i].check);
		if (rows[i].check)
			g_assert_cmpstr(why, ==,
					"invalid device; expected a path, such "
					"as /dev/ttyUSB0, or tcp://HOST:PORT");
		g_assert_cmpint(ptTransportOpen(rows[i].address, &line, -1,
						LONG, &transport),
				==, rows[i].open);
		assertSaid(rows[i].address);
	}
}

/* ---- Serial ports ------------------------------------------------------ */

static int terminal(char *name, size_t size)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(grantpt(fd), ==, 0);
	g_assert_cmpint(unlockpt(fd), ==, 0);
	g_assert_cmpint(ptsname_r(fd, name, size), ==, 0);
	return fd;
}

static struct ptTransport *openSerial(const char *name, int wakeFd)
{
	struct ptTransport *transport = NULL;

	g_assert_cmpint(ptTransportOpen(name, &line, wakeFd, LONG, &transport),
			==, 0);
	return transport;
}

static void readAll(int fd, unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t count = read(fd, bytes, size);

		g_assert_cmpint(count, >, 0);
		bytes += count;
		size -= (size_t)count;
	}
}

/* Take exactly @p size bytes out of a transport. */
static void takeAll(struct ptTransport *transport, unsigned char *bytes,
		    size_t size)
{
	while (size > 0) {
		int64_t before = hdClockNow(), whenNs;
		ssize_t count =
			ptTransportRead(transport, bytes, size, LONG, &whenNs);

		g_assert_cmpint(count, >, 0);
		g_assert_cmpint(whenNs, >=, before);
		g_assert_cmpint(whenNs, <=, hdClockNow());
		bytes += count;
		size -= (size_t)count;
	}
}

/* All bytes pass unchanged in both directions. */
static void testSerialBytes(void)
{
	unsigned char sent[256], got[256];
	char name[64];
	int fd = terminal(name, sizeof(name));
	struct ptTransport *transport = openSerial(name, -1);

	for (int i = 0; i < 256; i++)
		sent[i] = (unsigned char)i;
	g_assert_cmpint(write(fd, sent, 256), ==, 256);
	takeAll(transport, got, 256);
	g_assert_cmpmem(got, 256, sent, 256);
	g_assert_cmpint(ptTransportWrite(transport, sent, 256, LONG), ==, 0);
	g_assert_cmpint(ptTransportDrain(transport, LONG), ==, 0);
	readAll(fd, got, 256);
	g_assert_cmpmem(got, 256, sent, 256);
	ptTransportClose(transport);
	ptTransportClose(NULL);
	close(fd);
}

static void testSerialSetup(void)
{
	const struct ptLine odd = { .baud = 4711 };
	struct ptTransport *transport;
	struct termios is;
	char name[64];
	int fd = terminal(name, sizeof(name));

	g_assert_cmpint(ptTransportOpen(name, &odd, -1, LONG, &transport), ==,
			-EINVAL);
	assertSaid("unsupported speed of 4711 baud");
	transport = openSerial(name, -1);
	g_assert_cmpint(tcgetattr(fd, &is), ==, 0);
	g_assert_cmpuint(is.c_iflag & (ICRNL | INLCR | IGNCR | ISTRIP | IXON |
				       IXOFF | IXANY | PARMRK | BRKINT),
			 ==, 0);
	g_assert_cmpuint(is.c_oflag & OPOST, ==, 0);
	g_assert_cmpuint(is.c_lflag & (ICANON | ECHO | ISIG | IEXTEN), ==, 0);
	g_assert_cmpuint(is.c_cflag & (CSIZE | PARENB | CSTOPB | CRTSCTS), ==,
			 CS8 | CRTSCTS);
	g_assert_cmpuint(cfgetispeed(&is), ==, B57600);
	g_assert_cmpuint(cfgetospeed(&is), ==, B57600);
	g_assert_cmpint(ptTransportBreak(transport), ==, 0);
	ptTransportClose(transport);
	close(fd);
}

/* Forms that a terminal of software does not have, too. */
static void testSerialMode(void)
{
	static const struct {
		struct ptLine line;
		tcflag_t cflag, iflag;
		speed_t speed;
	} rows[] = {
		{ { 57600, PT_PARITY_NONE, PT_FLOW_RTSCTS },
		  CRTSCTS,
		  IGNPAR,
		  B57600 },
		{ { 19200, PT_PARITY_ODD, PT_FLOW_RTSCTS | PT_FLOW_DTR },
		  CRTSCTS | PARENB | PARODD,
		  INPCK,
		  B19200 },
		{ { 9600, PT_PARITY_EVEN, 0 }, PARENB, INPCK, B9600 },
		{ { 115200, PT_PARITY_NONE, 0 }, 0, IGNPAR, B115200 },
	};
	struct termios mode;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_assert_cmpint(ptSerialMode(&rows[i].line, &mode), ==, 0);
		g_assert_cmphex(mode.c_cflag & (CSIZE | CSTOPB | PARENB |
						PARODD | CRTSCTS | HUPCL),
				==, CS8 | rows[i].cflag);
		g_assert_cmphex(mode.c_iflag, ==, IGNBRK | rows[i].iflag);
		g_assert_cmphex(mode.c_oflag | mode.c_lflag, ==, 0);
		g_assert_cmphex(cfgetispeed(&mode), ==, rows[i].speed);
		g_assert_cmphex(cfgetospeed(&mode), ==, rows[i].speed);
	}
}

/* A port without parity is used with a warning; without flow control there is
 * nothing to warn of. */
static void testSerialParity(void)
{
	static const struct ptLine parity = { 19200, PT_PARITY_ODD,
					      PT_FLOW_DTR };
	struct ptTransport *transport;
	struct termios is;
	char name[64];
	int fd = terminal(name, sizeof(name));

	g_assert_cmpint(ptTransportOpen(name, &parity, -1, LONG, &transport),
			==, 0);
	g_assert_cmpint(tcgetattr(fd, &is), ==, 0);
	g_assert_cmphex(is.c_cflag & CRTSCTS, ==, 0);
	if (is.c_cflag & PARENB)
		g_assert_cmpuint(said->len, ==, 0);
	else
		assertSaid("the port does not support parity");
	ptTransportClose(transport);
	close(fd);
}

/* What was received and not read is forgotten, what was not sent is not. */
static void testSerialFlush(void)
{
	unsigned char got[4];
	char name[64];
	int fd = terminal(name, sizeof(name));
	struct ptTransport *transport = openSerial(name, -1);

	g_assert_cmpint(ptTransportWrite(transport, "sent", 4, LONG), ==, 0);
	g_assert_cmpint(write(fd, "abc", 3), ==, 3);
	takeAll(transport, got, 1);
	ptTransportFlushInput(transport);
	g_assert_cmpint(ptTransportRead(transport, got, 1, SHORT, NULL), ==,
			-ETIMEDOUT);
	readAll(fd, got, 4);
	g_assert_cmpmem(got, 4, "sent", 4);
	ptTransportClose(transport);
	close(fd);
}

static void testSerialWake(void)
{
	char name[64], byte;
	int fd = terminal(name, sizeof(name)), wake[2];
	struct ptTransport *transport;

	g_assert_cmpint(pipe(wake), ==, 0);
	transport = openSerial(name, wake[0]);
	g_assert_cmpint(ptTransportRead(transport, &byte, 1, SHORT, NULL), ==,
			-ETIMEDOUT);
	g_assert_cmpint(write(wake[1], "", 1), ==, 1);
	g_assert_cmpint(ptTransportRead(transport, &byte, 1, LONG, NULL), ==,
			-EINTR);
	g_assert_cmpint(read(wake[0], &byte, 1), ==, 1);
	g_assert_cmpint(write(fd, "x", 1), ==, 1);
	takeAll(transport, (unsigned char *)&byte, 1);
	g_assert_cmpint(byte, ==, 'x');
	g_assert_cmpuint(said->len, ==, 0);
	ptTransportClose(transport);
	close(wake[0]);
	close(wake[1]);
	close(fd);
}

/* Only one at a time; and when it is done with the next. */
static void testSerialBusy(void)
{
	struct ptTransport *transport, *other;
	char name[64];
	int fd = terminal(name, sizeof(name));

	transport = openSerial(name, -1);
	g_assert_cmpint(ptTransportOpen(name, &line, -1, LONG, &other), ==,
			-EBUSY);
	assertSaid("another program uses the port");
	ptTransportClose(transport);
	transport = openSerial(name, -1);
	ptTransportClose(transport);
	close(fd);
}

static void testSerialPermission(void)
{
	char name[64];
	int fd = terminal(name, sizeof(name)), status;
	pid_t child;

	g_assert_cmpint(chmod(name, 0), ==, 0);
	child = fork();
	if (child == 0) {
		struct ptTransport *transport;

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(77);
		_exit(ptTransportOpen(name, &line, -1, LONG, &transport) ==
					      -EACCES &&
				      strstr(said->str, "Permission denied")
			      ? 0
			      : 1);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		g_test_skip("root that cannot be anybody else");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
	close(fd);
}

static void testSerialGone(void)
{
	char name[64], byte;
	int fd = terminal(name, sizeof(name));
	struct ptTransport *transport = openSerial(name, -1);

	/* What came before is read first. */
	g_assert_cmpint(write(fd, "x", 1), ==, 1);
	takeAll(transport, (unsigned char *)&byte, 1);
	close(fd);
	g_assert_cmpint(ptTransportRead(transport, &byte, 1, LONG, NULL), ==,
			-ENODEV);
	assertSaid(name);
	g_assert_cmpint(ptTransportWrite(transport, "x", 1, LONG), ==, -ENODEV);
	assertSaid(name);
	ptTransportClose(transport);
}

/* A meter that does not want to be sent anything. */
static void testSerialFull(void)
{
	static char bytes[1 << 20];
	char name[64];
	int fd = terminal(name, sizeof(name));
	struct ptTransport *transport = openSerial(name, -1);

	g_assert_cmpint(
		ptTransportWrite(transport, bytes, sizeof(bytes), SHORT), ==,
		-ETIMEDOUT);
	ptTransportClose(transport);
	close(fd);
}

/* ---- Connections ------------------------------------------------------- */

/* A listening socket of this host, and its address. */
static int listener(char *address, size_t size)
{
	struct sockaddr_in where = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(where);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(bind(fd, (struct sockaddr *)&where, length), ==, 0);
	g_assert_cmpint(listen(fd, 1), ==, 0);
	g_assert_cmpint(getsockname(fd, (struct sockaddr *)&where, &length), ==,
			0);
	g_snprintf(address, (gulong)size, "tcp://127.0.0.1:%d",
		   ntohs(where.sin_port));
	return fd;
}

static void testTcp(void)
{
	unsigned char sent[256], got[256];
	struct ptTransport *transport;
	char address[64];
	int door = listener(address, sizeof(address)), fd;

	for (int i = 0; i < 256; i++)
		sent[i] = (unsigned char)i;
	g_assert_cmpint(ptTransportOpen(address, NULL, -1, LONG, &transport),
			==, 0);
	fd = accept(door, NULL, NULL);
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, sent, 256), ==, 256);
	takeAll(transport, got, 256);
	g_assert_cmpmem(got, 256, sent, 256);
	g_assert_cmpint(ptTransportWrite(transport, sent, 256, LONG), ==, 0);
	readAll(fd, got, 256);
	g_assert_cmpmem(got, 256, sent, 256);
	g_assert_cmpint(ptTransportDrain(transport, LONG), ==, 0);
	g_assert_cmpint(ptTransportBreak(transport), ==, -ENOTSUP);
	g_assert_cmpuint(said->len, ==, 0);
	ptTransportFlushInput(transport);
	g_assert_cmpint(ptTransportRead(transport, got, 1, SHORT, NULL), ==,
			-ETIMEDOUT);
	close(fd);
	g_assert_cmpint(ptTransportRead(transport, got, 1, LONG, NULL), ==,
			-ENODEV);
	assertSaid("connection closed by the other side");
	/* The first write is answered with a reset, the next is refused. */
	for (int i = 0; i < 1000; i++) {
		if (ptTransportWrite(transport, sent, 1, LONG) == -ENODEV)
			break;
		g_usleep(1000);
	}
	assertSaid(address);
	ptTransportClose(transport);
	close(door);
}

/* Whether there is enough to be read. */
static int isReadable(const struct ptTransport *transport, int64_t deadlineNs)
{
	return hdNetWait(transport->fd, POLLIN, -1, deadlineNs) == POLLIN;
}

static void testTcpGather(void)
{
	static const char sent[200];
	struct ptTransport *transport;
	char address[64], got[200];
	int door = listener(address, sizeof(address)), fd;

	g_assert_cmpint(ptTransportOpen(address, NULL, -1, LONG, &transport),
			==, 0);
	fd = accept(door, NULL, NULL);
	ptTransportGather(transport, 100, 10 * MS);
	g_assert_cmpint(write(fd, sent, 60), ==, 60);
	g_assert_false(isReadable(transport, SHORT));
	g_assert_cmpint(write(fd, sent, 50), ==, 50);
	g_assert_true(isReadable(transport, LONG));
	g_assert_cmpint(ptTransportRead(transport, got, 200, LONG, NULL), ==,
			110);
	/* No more comes: after some time, at the deadline, at once. */
	g_assert_cmpint(write(fd, sent, 60), ==, 60);
	g_assert_cmpint(ptTransportRead(transport, got, 200, LONG, NULL), ==,
			60);
	ptTransportGather(transport, 100, 60000 * MS);
	g_assert_cmpint(write(fd, sent, 61), ==, 61);
	g_assert_cmpint(ptTransportRead(transport, got, 200, SHORT, NULL), ==,
			61);
	g_assert_cmpint(write(fd, sent, 62), ==, 62);
	g_assert_cmpint(ptTransportRead(transport, got, 200, 0, NULL), ==, 62);
	g_assert_cmpint(ptTransportRead(transport, got, 200, SHORT, NULL), ==,
			-ETIMEDOUT);
	/* What it has sent before it went. */
	g_assert_cmpint(write(fd, sent, 63), ==, 63);
	close(fd);
	g_assert_cmpint(ptTransportRead(transport, got, 200, LONG, NULL), ==,
			63);
	g_assert_cmpint(ptTransportRead(transport, got, 200, LONG, NULL), ==,
			-ENODEV);
	assertSaid("connection closed by the other side");
	ptTransportClose(transport);
	close(door);
}

static void testTcpRefused(void)
{
	struct ptTransport *transport;
	char address[64];

	close(listener(address, sizeof(address)));
	g_assert_cmpint(ptTransportOpen(address, NULL, -1, LONG, &transport),
			==, -ECONNREFUSED);
	assertSaid("Connection refused");
}

/* A program has closed the descriptor and has it for a file of its own. */
static void testTaken(void)
{
	char name[64], address[64], byte;
	int master = terminal(name, sizeof(name));
	int door = listener(address, sizeof(address));
	const char *const ways[] = { name, address };

	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		struct ptTransport *transport = openSerial(ways[i], -1);
		int fd = transport->fd, pair[2];

		g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK,
					   0, pair),
				==, 0);
		g_assert_cmpint(dup2(pair[0], fd), ==, fd);
		g_assert_cmpint(ptTransportWrite(transport, "x", 1, LONG), ==,
				-ENODEV);
		assertSaid("the program has closed our file descriptor");
		g_assert_cmpint(ptTransportDrain(transport, LONG), ==, -ENODEV);
		ptTransportBreak(transport);
		/* What comes for the program stays there. */
		g_assert_cmpint(write(pair[1], "y", 1), ==, 1);
		g_assert_cmpint(
			ptTransportRead(transport, &byte, 1, LONG, NULL), ==,
			-ENODEV);
		ptTransportFlushInput(transport);
		g_assert_cmpint(recv(fd, &byte, 1, 0), ==, 1);
		g_assert_cmpint(recv(pair[1], &byte, 1, 0), ==, -1);
		g_assert_cmpint(errno, ==, EAGAIN);
		ptTransportClose(transport);
		g_assert_cmpint(close(fd), ==, 0);
		close(pair[0]);
		close(pair[1]);
	}
	g_string_truncate(said, 0);
	close(master);
	close(door);
}

/* A name that nobody has, and one by name. */
static void testTcpNames(void)
{
	struct ptTransport *transport;
	char address[64], *byName;
	int door = listener(address, sizeof(address)), ret;

	ret = ptTransportOpen("tcp://nobody.invalid:1", NULL, -1, SHORT,
			      &transport);
	g_assert_true(ret == -ENOENT || ret == -ETIMEDOUT);
	assertSaid("tcp://nobody.invalid:1: ");
	byName = g_strconcat("tcp://localhost", strrchr(address, ':'), NULL);
	ret = ptTransportOpen(byName, NULL, -1, LONG, &transport);
	if (ret == -ENOENT) {
		g_test_skip("there is no localhost");
	} else {
		g_assert_cmpint(ret, ==, 0);
		ptTransportClose(transport);
	}
	g_free(byName);
	close(door);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	said = g_string_new(NULL);
	ptLogger.level = HD_LOG_INFO;
	ptLogger.print = takeMessage;
	g_test_add_func("/transport/addresses", testAddresses);
	g_test_add_func("/transport/serial/bytes", testSerialBytes);
	g_test_add_func("/transport/serial/setup", testSerialSetup);
	g_test_add_func("/transport/serial/mode", testSerialMode);
	g_test_add_func("/transport/serial/parity", testSerialParity);
	g_test_add_func("/transport/serial/flush", testSerialFlush);
	g_test_add_func("/transport/serial/wake", testSerialWake);
	g_test_add_func("/transport/serial/busy", testSerialBusy);
	g_test_add_func("/transport/serial/permission", testSerialPermission);
	g_test_add_func("/transport/serial/gone", testSerialGone);
	g_test_add_func("/transport/serial/full", testSerialFull);
	g_test_add_func("/transport/tcp/bytes", testTcp);
	g_test_add_func("/transport/tcp/gather", testTcpGather);
	g_test_add_func("/transport/tcp/refused", testTcpRefused);
	g_test_add_func("/transport/tcp/names", testTcpNames);
	g_test_add_func("/transport/taken", testTaken);
	return g_test_run();
}
