#!/bin/sh
# compile_kernel.sh LOG COMMAND...: runs the compiler; what it says goes to LOG, and is shown where it fails.
log=$1
shift
"$@" >"$log" 2>&1 && exit 0
status=$?
cat "$log" >&2
exit "$status"
