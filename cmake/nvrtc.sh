#!/usr/bin/env bash
# Prints the folder of NVRTC, which compiles CUDA's kernels: NVIDIA's wheels of PyPI, whose hashes stand below and of
# which nothing is handed out but what they compiled. It is this version whatever a system has: images that ask for no
# newer driver than they must, and the same everywhere. Exit code 1, with the reason, when it is not there. CMake looks in
# the same place: find_nvrtc.cmake.
#     nvrtc.sh            # says where it is; fetches nothing
#     nvrtc.sh --fetch    # gets the wheels (90 MB; 116 MB on the disk) into build/nvrtc when they are not there
#     nvrtc.sh --card     # exit code 0 where this machine has a card of NVIDIA's
#     nvrtc.sh --architectures   # those of a build for this machine's cards, as HEADROOM_CUDA_ARCHITECTURES has them: "86;89".
#                                # Nothing without a card that our kernels run on; those of a release where nobody tells
#                                # what the cards are.
# HEADROOM_SYSTEM_ROOT: where /proc, /sys and /usr are, for tests.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/fetch_wheels.sh
root=${HEADROOM_SYSTEM_ROOT:-}
version=12.9.86
fetched=build/nvrtc/$version

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

# Into a folder, for x86-64 and 64-bit Arm.
fetch() {
  headroom_fetch_wheels "$1" \
    "nvidia-cuda-nvrtc-cu12==$version \
      --hash=sha256:210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4 \
      --hash=sha256:096d4de6bda726415dfaf3198d4f5c522b8e70139c97feef5cd2ca6d4cd9cead" \
    "nvidia-nvfatbin-cu12==12.9.82 \
      --hash=sha256:16cbfbd12287508212f22f42dff6ff51cf9b528b906f57f615b080da16dea1ea \
      --hash=sha256:92d516bdb9287970cecbf855a0fd39d09599db806148038e1ed2cf0eaef92af2"
}
# What is needed of the wheels. The folder appears as a whole: a build that looks meanwhile finds none.
keep() {
  local wheels=$1/nvidia
  mkdir "$1/kept" &&
    mv "$wheels"/cuda_nvrtc/lib/libnvrtc.so.12 "$wheels"/cuda_nvrtc/lib/libnvrtc-builtins.so.12.* \
      "$wheels"/nvfatbin/lib/libnvfatbin.so.12 "$1/kept" &&
    rm -rf build/nvrtc && mkdir build/nvrtc && mv "$1/kept" "$fetched"
}
is_there() { [ -f "$fetched/libnvrtc.so.12" ]; }

if ! is_there && [ "${1:-}" = --fetch ]; then
  fetch build/nvrtc-wheels && keep build/nvrtc-wheels || true
  rm -rf build/nvrtc-wheels
fi
if is_there; then echo "$PWD/$fetched"; exit 0; fi
echo "NVRTC $version is not in build/nvrtc (cmake/nvrtc.sh --fetch, which needs python3-pip)" >&2
exit 1
