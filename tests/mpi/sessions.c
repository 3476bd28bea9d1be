/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of MPI 4.0. The argument says how: "alone"; "self", with no
 * communicator of all processes; "inside", with MPI_Init and MPI_Finalize
 * inside of the session; "around", the other way round; "first", with the end
 * of the session before MPI_Finalize; "twice", two sessions of which the other
 * one ends last.
 */
#include <mpi.h>
#include <string.h>

static MPI_Session openSession(void)
{
	MPI_Session session;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	return session;
}

static MPI_Comm commOf(MPI_Session session, const char *set, const char *tag)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, set, &group);
	MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL,
				   MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	return comm;
}

static int work(MPI_Comm comm)
{
	int rank, size, sum = 0, got = -1;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
		     (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE);
	return sum != size * (size - 1) / 2 || got != (rank + size - 1) % size;
}

/* Two groups, of the first rank and of the others. */
static void between(MPI_Session session, MPI_Comm comm)
{
	MPI_Group all, first, others;
	int rank, zero = 0, value;
	MPI_Comm two;

	MPI_Comm_rank(comm, &rank);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
	MPI_Group_incl(all, 1, &zero, &first);
	MPI_Group_excl(all, 1, &zero, &others);
	MPI_Intercomm_create_from_groups(
		rank == 0 ? first : others, 0, rank == 0 ? others : first, 0,
		"org.example.two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &two);
	value = rank;
	MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, two);
	MPI_Comm_free(&two);
	MPI_Group_free(&all);
	MPI_Group_free(&first);
	MPI_Group_free(&others);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "alone";
	int isInside = strcmp(how, "inside") == 0, ret = 0;
	int isAround = strcmp(how, "around") == 0;
	int isFirst = strcmp(how, "first") == 0;
	MPI_Session session, other = MPI_SESSION_NULL;
	MPI_Comm self, comm;

	if (isAround)
		MPI_Init(&argc, &argv);
	session = openSession();
	if (strcmp(how, "twice") == 0)
		other = openSession();
	self = commOf(session, "mpi://SELF", "org.example.self");
	ret |= work(self);
	MPI_Comm_free(&self);
	if (strcmp(how, "self") != 0) {
		comm = commOf(session, "mpi://WORLD", "org.example.all");
		if (isInside || isFirst) {
			MPI_Init(&argc, &argv);
			ret |= work(MPI_COMM_WORLD);
		}
		ret |= work(comm);
		if (argc > 2)
			between(session, comm);
		if (isInside)
			MPI_Finalize();
		ret |= work(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Session_finalize(&session);
	if (other != MPI_SESSION_NULL)
		MPI_Session_finalize(&other);
	if (isFirst)
		ret |= work(MPI_COMM_WORLD);
	if (isAround || isFirst)
		MPI_Finalize();
	return ret;
}
