#!/usr/bin/env bash
# check_packages.sh: cmake/packages.sh tells what is installed, as run.sh uses it: where any failure ends the script.
set -euo pipefail
cd "$(dirname "$0")/../.."
source cmake/packages.sh
# Read as headroom_install does, since there a failure inside ends the list.
mapfile -t lines < <(
  headroom_choose bash no-such-package-a "no-such-package-b|no-such-package-c" "no-such-package-d|bash")
said=$(printf '%s\n' "${lines[@]}")
expected="installed bash
missing no-such-package-a
missing no-such-package-c
installed bash"
[ "$said" = "$expected" ] || { echo "expected: $expected"; echo "found: $said"; exit 1; }
headroom_install bash "no-such-package-d|bash"  # nothing is missing: no network, no root
