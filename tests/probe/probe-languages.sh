#!/bin/sh
# A program of three lines of probes links with libhdProbe in C, C++ and Fortran,
# and counts.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$scratch" || exit 99
include=$abs_top_srcdir/InstrumentationLibrary/include
libs=${abs_top_builddir:?}/.libs
LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
case ${CC:-cc} in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac

cat >show.c <<'END'
#include <stdio.h>
#include <string.h>
#include <hdProbe.h>
void show(void);
void show(void)
{
	struct hdProbeFigures all[8];
	int count = hdProbe_snapshot(all, 8, 0);

	for (int i = 0; i < count; i++)
		printf("%s%s%s %llu %d\n", all[i].name, *all[i].to ? ">" : "",
		       all[i].to, (unsigned long long)all[i].instances,
		       all[i].body_s >= 0);
}
END
cat >in.c <<'END'
#include <hdProbe.h>
void show(void);
int main(void)
{
	for (int i = 0; i < 10; i++) {
		HDPROBE_SCOPE("scope");
		HDPROBE_START(pair, "pair");
		HDPROBE_STOP_N(pair, 4);
		HDPROBE_TRANSFER("a", "b", 512);
	}
	show();
	return 0;
}
END
cat >in.cpp <<'END'
#include <hdProbe.h>
#include <stdexcept>
extern "C" void show();
static void thrower(int i)
{
	HDPROBE_SCOPE("scope");
	HDPROBE_START(pair, "pair");
	HDPROBE_STOP_N(pair, 4);
	HDPROBE_TRANSFER("a", "b", 512);
	if (i % 2)
		throw std::runtime_error("left");
}
int main()
{
	for (int i = 0; i < 10; i++) {
		try {
			thrower(i);
		} catch (const std::exception &) {
		}
	}
	show();
}
END
cat >in.f90 <<'END'
include "hdprobe.f90"
program main
  use hdprobe
  implicit none
  interface
    subroutine show() bind(c)
    end subroutine
  end interface
  type(hdprobe_timer) :: scope, pair, moved
  integer(c_int64_t) :: outer, inner
  integer :: i
  scope = hdprobe_find("scope")
  pair = hdprobe_find("pair")
  moved = hdprobe_find_transfer("a", "b")
  do i = 1, 10
    outer = hdprobe_start(scope)
    inner = hdprobe_start(pair)
    call hdprobe_stop_n(pair, inner, 4_c_int64_t)
    call hdprobe_add(moved, 512_c_int64_t)
    call hdprobe_stop(scope, outer)
  end do
  call show()
end program
END
cat >kernel.f90 <<'END'
include "hdprobe.f90"
program main
  use hdprobe
  implicit none
  interface
    subroutine show() bind(c)
    end subroutine
  end interface
  type(hdprobe_timer) :: kernel
  type(hdprobe_span) :: span
  integer :: i
  kernel = hdprobe_find_kernel("assign")
  call hdprobe_set_deadline(kernel, 1d0)
  do i = 1, 7
    call hdprobe_dispatch_start(kernel, span)
    call hdprobe_body_start(span)
    call hdprobe_body_stop(span)
    call hdprobe_dispatch_stop(kernel, span)
  end do
  call hdprobe_enable(.false.)
  call hdprobe_dispatch_start(kernel, span)
  call hdprobe_dispatch_stop(kernel, span)
  if (hdprobe_quantile(kernel, 0.5d0) < 0) error stop
  call show()
end program
END
printf 'scope 10 1\npair 40 1\na>b 10 1\n' | sort >expected
echo 'assign 7 1' >expected-kernel

# Build and run: EXPECTED COMPILER SOURCE
counts() {
	expected=$1
	source=$3
	# shellcheck disable=SC2086
	$2 ${HD_SANITIZE-} -Wall -I"$include" -o program "$source" show.o \
		-L"$libs" -lhdProbe -pthread && ./program | sort >found &&
		diff "$expected" found
}

# shellcheck disable=SC2086
${CC:-cc} ${HD_SANITIZE-} -I"$include" -c show.c || exit 99
ok "probes count in C" counts expected "${CC:-cc} -Wextra -Werror" in.c
if command -v $cxx >/dev/null; then
	ok "probes count in C++, also with exceptions" \
		counts expected "$cxx -Wextra -Werror" in.cpp
else
	skip "probes count in C++" "there is no $cxx"
fi
if command -v gfortran >/dev/null; then
	ok "probes count in Fortran" counts expected gfortran in.f90
	ok "a kernel counts in Fortran" counts expected-kernel gfortran kernel.f90
else
	skip "probes count in Fortran" "there is no gfortran"
fi
done_testing
