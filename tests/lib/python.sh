# shellcheck shell=sh
# For tests of the package hdtrace of Python. Source it after tap.sh. It sets
#
#     pythons   the interpreters that can load the package, from 3.11 on
#     python    the first of them
#     panda     one of them that has NumPy and pandas, or empty
#
# SPDX-License-Identifier: LGPL-2.1-or-later
PYTHONPATH=${abs_top_builddir:?}/PythonModule
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
[ -e "$PYTHONPATH/hdtrace/_native.abi3.so" ] ||
	skip_all "built without the package of Python"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are not in Python"
pythons=
panda=
for candidate in "$(command -v python3)" /usr/bin/python3; do
	case " $pythons " in
	*" $candidate "*) continue ;;
	esac
	[ -x "$candidate" ] || continue
	"$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
	pythons="$pythons${pythons:+ }$candidate"
	if [ -z "$panda" ] && "$candidate" -c 'import numpy, pandas' 2>/dev/null; then
		panda=$candidate
	fi
done
[ -n "$pythons" ] || skip_all "no Python 3.11 or later"
# shellcheck disable=SC2034 # for tests
python=${pythons%% *}
