#!/usr/bin/env bash
# Prints the folder of cuobjdump and nvdisasm, with which tests read machine code of NVIDIA's cards: PyPI's wheels, whose
# hashes stand below. With them come NVIDIA's headers, which tests hold our declarations against. Exit code 1, with the
# reason, when they are not there.
#     cuobjdump.sh            # says where they are; fetches nothing
#     cuobjdump.sh --fetch    # gets the wheels (13 MB) into build/tools when they are not there
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/fetch_wheels.sh
folder=build/tools/cuobjdump

# For x86-64 and 64-bit Arm.
fetch() {
  headroom_fetch_wheels "$folder" \
    "nvidia-cuda-cuobjdump==13.5.37 \
      --hash=sha256:38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58 \
      --hash=sha256:f48e3148535365161a268547b285fd01d92c80e4b457275375933825b5fc26b2" \
    "nvidia-cuda-nvdisasm==13.5.37 \
      --hash=sha256:d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca \
      --hash=sha256:a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605" \
    "nvidia-cuda-runtime==13.5.37 \
      --hash=sha256:df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d \
      --hash=sha256:de2dc5a7367974228b0a69588a9acc9340d3768bef1bf38bf0801eb08497cd2d"
  rm -rf "$folder"/nvidia/cu13/lib
  chmod +x "$folder"/nvidia/cu13/bin/*
}
is_there() { [ -x "$folder/nvidia/cu13/bin/cuobjdump" ] && [ -f "$folder/nvidia/cu13/include/cuda.h" ]; }
if ! is_there && [ "${1:-}" = --fetch ]; then fetch; fi
if ! is_there; then
  echo "cuobjdump is not in build/tools (cmake/cuobjdump.sh --fetch, which needs python3-pip)" >&2
  exit 1
fi
echo "$PWD/$folder/nvidia/cu13/bin"
