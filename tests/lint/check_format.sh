#!/usr/bin/env bash
# check_format.sh ROOT: fails and names each file that clang-format 14 would change; ends with 77 (skipped) without it.
# One version, or two machines disagree about the same file.
set -uo pipefail
cd "$1" || exit 1
clang_format=$(cmake/clang_format.sh) || exit 77  # it has said what is missing
find engine ui app tests -name '*.h' -o -name '*.cpp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh' | xargs "$clang_format" --dry-run -Werror
