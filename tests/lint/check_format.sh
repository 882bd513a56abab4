#!/usr/bin/env bash
# check_format.sh CLANG_FORMAT ROOT: fails and names each file that the formatter would change.
set -uo pipefail
cd "$2" || exit 1
find engine ui app tests -name '*.h' -o -name '*.cpp' -o -name '*.inl' | xargs "$1" --dry-run -Werror
