! SPDX-License-Identifier: LGPL-2.1-or-later
!
! The functions of hdMPI.inc as a module. Module files belong to one version of one
! compiler, so compile this file with the program:
!
!     hdmpif90 -o heat PREFIX/include/hdmpi.f90 heat.f90
!
!     use hdmpi
!     call hdMPI_regionStart('Solve')
!
module hdmpi
  implicit none
  include 'hdMPI.inc'
end module hdmpi
