! SPDX-License-Identifier: LGPL-2.1-or-later
!
! Empty procedures for hdMPI.inc. Compile this file with a program that shall
! not be traced, and do not link libhdMPI.
!
!     mpif90 -o heat heat.f90 $(prefix)/include/hdMPIoff.f90
!
! hdmpif90 -DHDMPI_OFF does this automatically.

subroutine hdMPI_enable()
end subroutine

subroutine hdMPI_disable()
end subroutine

subroutine hdMPI_regionStart(name)
  character(len=*), intent(in) :: name
  if (.false.) print *, name
end subroutine

subroutine hdMPI_regionEnd()
end subroutine

subroutine hdMPI_event(name)
  character(len=*), intent(in) :: name
  if (.false.) print *, name
end subroutine

subroutine hdMPI_attributeInt(key, value)
  character(len=*), intent(in) :: key
  integer, intent(in) :: value
  if (.false.) print *, key, value
end subroutine

subroutine hdMPI_attributeDouble(key, value)
  character(len=*), intent(in) :: key
  double precision, intent(in) :: value
  if (.false.) print *, key, value
end subroutine

subroutine hdMPI_attributeString(key, value)
  character(len=*), intent(in) :: key
  character(len=*), intent(in) :: value
  if (.false.) print *, key, value
end subroutine
