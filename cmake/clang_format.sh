#!/usr/bin/env bash
# Prints the path of clang-format 14, the version that this code is formatted with: Debian's and Ubuntu's package, else
# the same program from PyPI's wheel, whose hashes stand below. Exit code 1, with the reason, when there is neither.
#     clang_format.sh            # says where it is; fetches nothing
#     clang_format.sh --fetch    # gets the wheel into build/tools when the package is not there
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/fetch_wheels.sh
tool=build/tools/clang-format-14

if command -v clang-format-14; then exit 0; fi
if [ ! -x "$tool" ] && [ "${1:-}" = --fetch ]; then
  work=build/tools/clang-format
  # For x86-64 and 64-bit Arm.
  headroom_fetch_wheels "$work" "clang-format==14.0.6 \
    --hash=sha256:d7c1c5e404c58e55f0170f01b3c5611dce6c119e62b5d1020347e0ad97d5a047 \
    --hash=sha256:dbfd60528eb3bb7d7cfe8576faa70845fbf93601f815ef75163d36606e87f388"
  install -m 755 "$work/clang_format/data/bin/clang-format" "$tool"
  rm -rf "$work"
fi
if [ ! -x "$tool" ]; then
  echo "clang-format 14 is neither installed (package clang-format-14) nor in build/tools (cmake/clang_format.sh" \
    "--fetch, which needs python3-pip)" >&2
  exit 1
fi
echo "$PWD/$tool"
