/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether the MPI library can start processes and connect worlds at all:
 * nothing of HDTrace is in this program.
 *
 *     dynamic spawn|meet
 *
 * 77: it cannot, and says on standard output why. Two ranks.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

static int rank;

/* Say it in one line: the innermost reason is the last one. */
static int cannot(const char *function, int error)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "", *last, *end;
	char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", *device;
	int length;

	if (rank > 0)
		return 77;
	MPI_Error_string(error, text, &length);
	for (end = text + strlen(text); end > text && end[-1] == '\n'; end--)
		end[-1] = '\0';
	last = strrchr(text, '\n');
	MPI_Get_library_version(version, &length);
	device = strstr(version, "MPICH Device:");
	if (device)
		device[strcspn(device, "\n")] = '\0';
	printf("%s: %s%s%s%s\n", function, last ? last + 1 : text,
	       device ? " (" : "", device ? device : "", device ? ")" : "");
	return 77;
}

static int spawn(char *program)
{
	char child[] = "child", *arguments[] = { child, NULL };
	MPI_Comm children;
	int error =
		MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0,
			       MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);

	if (error != MPI_SUCCESS)
		return cannot("MPI_Comm_spawn", error);
	return MPI_Comm_disconnect(&children) != MPI_SUCCESS;
}

static int meet(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int error = MPI_SUCCESS;
	MPI_Comm other;

	if (rank == 0)
		error = MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(&error, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (error != MPI_SUCCESS)
		return cannot("MPI_Open_port", error);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		error = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF,
					&other);
	else
		error = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF,
					 &other);
	if (error != MPI_SUCCESS)
		return cannot("MPI_Comm_accept", error);
	return MPI_Comm_disconnect(&other) != MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	int result = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		MPI_Comm_disconnect(&parent);
	else if (argc == 2 && strcmp(argv[1], "spawn") == 0)
		result = spawn(argv[0]);
	else
		result = meet();
	MPI_Finalize();
	return result;
}
