#!/usr/bin/env bash
# Prints the path of an nvcc that is new enough for CUDA's kernels: one of the system, else NVIDIA's wheels of PyPI, whose
# hashes stand below and of which nothing is handed out but what it compiled. Exit code 1, with the reason, when there is
# neither. CMake looks in the same places: find_nvcc.cmake.
#     nvcc.sh            # says where it is; fetches nothing
#     nvcc.sh --fetch    # gets the wheels (125 MB) into build/nvcc when the system has none
#     nvcc.sh --card     # exit code 0 where this machine has a card of NVIDIA's
#     nvcc.sh --architectures   # those of a build for this machine's cards, as HEADROOM_CUDA_ARCHITECTURES has them: "86;89".
#                               # Nothing without a card that our kernels run on; those of a release where nobody tells
#                               # what the cards are.
# HEADROOM_SYSTEM_ROOT: where /proc, /sys and /usr are, for tests.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/fetch_wheels.sh
root=${HEADROOM_SYSTEM_ROOT:-}
least=12.4  # HEADROOM_LEAST_NVCC
fetched=build/nvcc

# The cards of NVIDIA's on the bus and the version of their driver; nothing where there is neither. It is asked at each
# start of run.sh, so no other program is started for it.
cards() {
  local folder vendor class device line
  for folder in "$root"/sys/bus/pci/devices/*; do
    # Something that draws, of NVIDIA.
    if read -r vendor <"$folder/vendor" && [ "$vendor" = 0x10de ] && read -r class <"$folder/class" &&
      [[ $class == 0x03* ]]; then
      device=""
      read -r device <"$folder/device" || true
      echo "card ${folder##*/} $device"
    fi
  done 2>/dev/null
  if [ -e "$root/proc/driver/nvidia/version" ]; then
    line=""
    read -r line <"$root/proc/driver/nvidia/version" || true
    echo "driver $line"
  fi
}

# "8.9", one line for each card: by the driver's own program, which Debian has in a package of its own, else by its
# library.
capabilities() {
  local told
  told=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) || told=""
  if ! are_capabilities "$told"; then
    mkdir -p build
    if told=$("${CXX:-c++}" -o build/cuda-capabilities cmake/cuda_capabilities.cpp -ldl 2>/dev/null); then
      told=$(build/cuda-capabilities) || told=""
    fi
  fi
  are_capabilities "$told" && echo "$told"
}
are_capabilities() { [ -n "$1" ] && ! grep -qvE '^[0-9]+\.[0-9]+$' <<<"$1"; }

# The driver may take a second to tell, so what it told is kept in build/cuda-cards while cards and driver are the same.
architectures() {
  local now told="" kept=build/cuda-cards
  now=$(cards)
  [ -n "$now" ] || return 0
  if [ -f "$kept" ] && [ "$(sed '$d' "$kept")" = "$now" ]; then
    told=$(tail -n 1 "$kept")
    told=${told#told}
  elif told=$(capabilities); then
    # Older than Turing: Vulkan has them.
    told=$(sort -V <<<"$told" | awk -F. '$1 * 10 + $2 >= 75 { print $1 $2 }' | uniq | paste -sd ';')
    mkdir -p build
    printf '%s\ntold%s\n' "$now" "$told" >"$kept"
  else
    told=$(sed -n 's/.*"HEADROOM_CUDA_ARCHITECTURES": "\([0-9;]*\)".*/\1/p' CMakePresets.json)
  fi
  [ -z "$told" ] || echo "$told"
}

case "${1:-}" in
  --card) [ -n "$(cards)" ]; exit ;;
  --architectures) architectures; exit ;;
esac

# is_new_enough NVCC
is_new_enough() {
  local found
  found=$("$1" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
  [ -n "$found" ] && [ "$(printf '%s\n' "$least" "$found" | sort -V | head -n 1)" = "$least" ]
}

for nvcc in "$(command -v nvcc || true)" "$root/usr/local/cuda/bin/nvcc" "$PWD/$fetched/bin/nvcc"; do
  if [ -x "$nvcc" ] && is_new_enough "$nvcc"; then echo "$nvcc"; exit 0; fi
done
# Into a folder, for x86-64 and 64-bit Arm.
fetch() {
  headroom_fetch_wheels "$1" \
    "nvidia-cuda-nvcc==13.5.37 \
      --hash=sha256:f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7 \
      --hash=sha256:588eda18eb5076ae859fe272844b526459228af22df0b117f54eec3aa82bc9c8" \
    "nvidia-cuda-crt==13.5.37 \
      --hash=sha256:e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29 \
      --hash=sha256:9ed2c565fdf3244fa6719769a80a466b85bfd4b1467ea339353bc91c971d09e0" \
    "nvidia-cuda-runtime==13.5.37 \
      --hash=sha256:df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d \
      --hash=sha256:de2dc5a7367974228b0a69588a9acc9340d3768bef1bf38bf0801eb08497cd2d" \
    "nvidia-nvvm==13.5.37 \
      --hash=sha256:c41bfa362e407405163f103c2229f0765f8cc2ed7d148b754dc77f228bf7e070 \
      --hash=sha256:b659bd3115b7ac7ec8931e67d0e2c0dd09cd35b08a6a7372df6f8f22c67da80a"
}
if [ "${1:-}" = --fetch ] && fetch build/nvcc-wheels; then
  compiler=build/nvcc-wheels/nvidia/cu13
  chmod +x "$compiler"/bin/* "$compiler"/nvvm/bin/*
  rm -rf "$fetched"
  mv "$compiler" "$fetched"
  rm -rf build/nvcc-wheels
  if is_new_enough "$PWD/$fetched/bin/nvcc"; then echo "$PWD/$fetched/bin/nvcc"; exit 0; fi
fi
echo "nvcc $least or newer is neither installed nor in build/nvcc (cmake/nvcc.sh --fetch, which needs python3-pip)" >&2
exit 1
