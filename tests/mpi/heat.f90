! SPDX-License-Identifier: LGPL-2.1-or-later
! Heat that spreads along a rod which is cut among the processes: ends are
! exchanged with the neighbours, and the result goes into one file. Compiled for
! mpif.h, "use mpi" or mpi_f08; all say the same of their calls (calls.h).
#ifndef FIRST
#define FIRST 1
#endif
program heat
#if defined(F08)
  use mpi_f08
  implicit none
#define HANDLE(kind) type(kind)
#elif defined(MPIF)
  implicit none
  include 'mpif.h'
#define HANDLE(kind) integer
#else
  use mpi
  implicit none
#define HANDLE(kind) integer
#endif
  include 'hdMPI.inc'
  integer, parameter :: n = 100
  double precision :: rod(0:n + 1), next(n), change, largest
  integer :: rank, ranks, left, right, step, ierror, done, which
  integer :: sizes(1), parts(1), starts(1)
  integer(kind=MPI_OFFSET_KIND) :: nowhere
  logical :: flag
  character(len=200) :: directory
  HANDLE(MPI_Request) :: requests(4)
  HANDLE(MPI_Datatype) :: part
  HANDLE(MPI_File) :: file
  HANDLE(MPI_Comm) :: line
#ifdef F08
  type(MPI_Status) :: status, statuses(4)
#else
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4)
#endif
  integer :: indices(4)

  call get_command_argument(1, directory)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  open(unit=10, file=trim(directory)//'/expected_'//char(48 + rank)//'_0')
  write(10, '(a)') 'Init'

  call expect('Cart_create cid=0 ndims=1 newCid=1')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.false.], .false., line, &
                       ierror)
  call MPI_Cart_shift(line, 0, 1, left, right, ierror)
  rod = 0
  if (rank == 0) rod(0) = 100
  do step = 1, 3
    call expectStart('Isend size=8 count=1 tid=0 toRank=', left, 1, 4 * step - 4)
    call expectStart('Isend size=8 count=1 tid=0 toRank=', right, 2, 4 * step - 3)
    call expectStart('Irecv size=8 count=1 tid=0 fromRank=', left, 2, 4 * step - 2)
    call expectStart('Irecv size=8 count=1 tid=0 fromRank=', right, 1, 4 * step - 1)
    call hdMPI_regionStart('Exchange')
    call hdMPI_attributeInt('step', step)
    call MPI_Isend(rod(1), 1, MPI_DOUBLE_PRECISION, left, 1, line, &
                   requests(1), ierror)
    call MPI_Isend(rod(n), 1, MPI_DOUBLE_PRECISION, right, 2, line, &
                   requests(2), ierror)
    call MPI_Irecv(rod(0), 1, MPI_DOUBLE_PRECISION, left, 2, line, &
                   requests(3), ierror)
    call MPI_Irecv(rod(n + 1), 1, MPI_DOUBLE_PRECISION, right, 1, line, &
                   requests(4), ierror)
    if (step == 1) then
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
    else
      call MPI_Waitall(4, requests, statuses, ierror)
    end if
    call hdMPI_regionEnd()
    call expectAll(4 * step - 4)
    write(10, '(a,i0)') 'Exchange step=', step
    next = (rod(0:n - 1) + 2 * rod(1:n) + rod(2:n + 1)) / 4
    change = maxval(abs(next - rod(1:n)))
    rod(1:n) = next
    call expect('Allreduce size=8 count=1 tid=0 cid=1 op=MAX')
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                       line, ierror)
  end do
  call expect('Allreduce size=8 count=1 tid=0 cid=1 op=SUM inPlace=1')
  call MPI_Allreduce(MPI_IN_PLACE, rod(0), 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                     line, ierror)
  call expect('Allgather recvSize=8 recvCount=1 recvTid=0 cid=1 inPlace=1')
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, rod(1:ranks), 1, &
                     MPI_DOUBLE_PRECISION, line, ierror)

  ! Every process' own part of one array in a file.
  sizes = n * ranks
  parts = n
  starts = n * rank
  call expect('Type_create_subarray oldTid=0 tid=1')
  call MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_FORTRAN, &
                                MPI_DOUBLE_PRECISION, part, ierror)
  call expect('Type_commit tid=1')
  call MPI_Type_commit(part, ierror)
  write(10, '(a,i0,a)') 'File_open cid=1 name=heat.dat flags=', &
    MPI_MODE_CREATE + MPI_MODE_RDWR, ' fid=0'
  call MPI_File_open(line, 'heat.dat  ', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, file, ierror)
  nowhere = 0
  call expect('File_set_view fid=0 offset=0 etid=0 ftid=1 datarep=native')
  call MPI_File_set_view(file, nowhere, MPI_DOUBLE_PRECISION, part, 'native', &
                         MPI_INFO_NULL, ierror)
  write(10, '(a,i0,a)') 'File_write_all offset=', 8 * n * rank, &
    ' fid=0 size=800 count=100 tid=0'
  call MPI_File_write_all(file, rod(1), n, MPI_DOUBLE_PRECISION, &
                          MPI_STATUS_IGNORE, ierror)
  call expect('File_close fid=0')
  call MPI_File_close(file, ierror)
  call expect('Type_free tid=1')
  call MPI_Type_free(part, ierror)

  ! Indices count from 1 here.
  call expectStart('Irecv size=8 count=1 tid=0 fromRank=', rank, 5, 12)
  call expectStart('Irecv size=8 count=1 tid=0 fromRank=', rank, 6, 13)
  call MPI_Irecv(rod(1), 1, MPI_DOUBLE_PRECISION, rank, 5, line, requests(1), &
                 ierror)
  call MPI_Irecv(rod(2), 1, MPI_DOUBLE_PRECISION, rank, 6, line, requests(2), &
                 ierror)
  call expect('Test flag=0')
  call MPI_Test(requests(1), flag, status, ierror)
  write(10, '(a,i0,a,i0,a)') &
    'Sendrecv size=8 count=1 sendTid=0 toRank=', -2, &
    ' toTag=6 fromRank=', -2, &
    ' fromTag=-1 recvSize=0 recvCount=1 recvTid=0 cid=1'
  call MPI_Sendrecv(rod(3), 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 6, rod(4), &
                    1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 6, line, &
                    MPI_STATUS_IGNORE, ierror)
  write(10, '(a,i0,a)') 'Send size=8 count=1 tid=0 toRank=', rank, &
    ' toTag=6 cid=1'
  call MPI_Send(rod(3), 1, MPI_DOUBLE_PRECISION, rank, 6, line, ierror)
  write(10, '(a,i0,a)') 'Waitsome count=2 completed=1 <Request rid=13 &
    &fromRank=', rank, ' fromTag=6 size=8 cid=1/>'
  call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
  if (done /= 1 .or. indices(1) /= FIRST + 1) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  write(10, '(a,i0,a)') 'Send size=8 count=1 tid=0 toRank=', rank, &
    ' toTag=5 cid=1'
  call MPI_Send(rod(3), 1, MPI_DOUBLE_PRECISION, rank, 5, line, ierror)
  write(10, '(a,i0,a)') 'Waitany count=2 flag=1 rid=12 fromRank=', rank, &
    ' fromTag=5 size=8 cid=1'
  call MPI_Waitany(2, requests, which, status, ierror)
  if (which /= FIRST) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
#ifdef F08
  if (status%MPI_TAG /= 5) call MPI_Abort(MPI_COMM_WORLD, 1)
#else
  if (status(MPI_TAG) /= 5) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
#endif
  call expect('Comm_set_name cid=1 name=rod')
  call MPI_Comm_set_name(line, 'rod', ierror)
  call expect('Comm_free cid=1')
  call MPI_Comm_free(line, ierror)
  call expect('Finalize')
  close(10)
#ifdef F08
  call MPI_Finalize()
#else
  call MPI_Finalize(ierror)
#endif

contains

  subroutine expect(text)
    character(len=*), intent(in) :: text
    write(10, '(a)') text
  end subroutine

  subroutine expectStart(text, other, tag, rid)
    character(len=*), intent(in) :: text
    integer, intent(in) :: other, tag, rid
    if (rid < 12) write(10, '(a)', advance='no') '  '
    if (index(text, 'Isend') > 0) then
      write(10, '(a,i0,a,i0,a,i0)') text, named(other), ' toTag=', tag, &
        ' cid=1 rid=', rid
    else
      write(10, '(a,i0,a,i0,a,i0)') text, named(other), ' fromTag=', tag, &
        ' cid=1 rid=', rid
    end if
  end subroutine

  ! Nobody has the same number with every MPI library.
  integer function named(other)
    integer, intent(in) :: other
    named = merge(-2, other, other == MPI_PROC_NULL)
  end function

  ! What was received from nobody has no tag and no size.
  subroutine expectAll(rid)
    integer, intent(in) :: rid
    write(10, '(a,i0,a,i0,a)', advance='no') &
      '  Waitall count=4 completed=4 <Request rid=', rid, '/> <Request rid=', &
      rid + 1, '/>'
    call expectReceived(rid + 2, left, 2)
    call expectReceived(rid + 3, right, 1)
    write(10, '(a)') ''
  end subroutine

  subroutine expectReceived(rid, other, tag)
    integer, intent(in) :: rid, other, tag
    integer :: realTag, bytes
    realTag = merge(MPI_ANY_TAG, tag, other == MPI_PROC_NULL)
    bytes = merge(0, 8, other == MPI_PROC_NULL)
    write(10, '(a,i0,a,i0,a,i0,a,i0,a)', advance='no') ' <Request rid=', rid, &
      ' fromRank=', named(other), ' fromTag=', realTag, ' size=', bytes, ' cid=1/>'
  end subroutine
end program
