#!/usr/bin/env bash
# tidy.sh FILE...: clang-tidy over some sources with the compile commands of build/dev. Not a test: a whole run takes longer than everything else together.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
exec clang-tidy -p build/dev --quiet "$@"
