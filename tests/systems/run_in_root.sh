#!/usr/bin/env bash
# README's two commands on a system that has nothing yet: run_in_root.sh SUITE [--fresh] [--only run|test]
# Makes a minimal root of that Debian or Ubuntu (trixie, bookworm, noble ...), copies the committed tree into it, and
# holds that ./run.sh goes from nothing to an answer and that ./test.sh passes. Not part of test.sh: it takes an hour.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/../..")
source "$checkout/tests/systems/root.sh"

suite=${1:?which system? a suite that debootstrap knows, such as trixie}; shift
only=
while [ $# -gt 0 ]; do
  case "$1" in
    --fresh) rm -rf --one-file-system "${HEADROOM_ROOTS:-$checkout/build/roots}/$suite" ;;
    --only) only=$2; shift ;;
    *) echo "run_in_root.sh: unknown argument $1: expected --fresh or --only run|test" >&2; exit 2 ;;
  esac
  shift
done

root_make "$suite" "$suite"
root_copy /srv/headroom
# Public cases that some tests read when they stand beside the checkout.
if [ -d "$checkout/../shared/data" ]; then
  mkdir -p "$root/srv/shared"
  rm -rf "$root/srv/shared/data"
  cp -r "$checkout/../shared/data" "$root/srv/shared/data"
fi

if [ "$only" != test ]; then
  echo "== $suite: ./run.sh"
  root_run bash -c 'cd /srv/headroom && time ./run.sh' </dev/null 2>&1 | tee "$root.run.log"
  grep -q 'taken since the load: drivers 0 B, mappings 0 B' "$root.run.log" || { echo "run_in_root.sh: no answer on $suite" >&2; exit 1; }
fi
if [ "$only" != run ]; then
  echo "== $suite: ./test.sh"
  root_run bash -c 'cd /srv/headroom && time ./test.sh' </dev/null 2>&1 | tee "$root.test.log"
  grep -qE '^[1-9][0-9]* passed, 0 failed' "$root.test.log"
fi
echo "== $suite: done"
