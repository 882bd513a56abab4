#!/usr/bin/env bash
# Prints the folder of cuobjdump and nvdisasm, which read machine code of NVIDIA's cards: those beside nvcc, else PyPI's
# wheels, whose hashes stand below. Older ones of the system may not read what nvcc wrote. Exit code 1, with the reason,
# when there is neither.
#     cuobjdump.sh            # says where they are; fetches nothing
#     cuobjdump.sh --fetch    # gets the wheels (10 MB) into build/tools when nvcc has none
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/fetch_wheels.sh
folder=build/tools/cuobjdump

beside=$(dirname "$(cmake/nvcc.sh 2>/dev/null || true)")
if [ -x "$beside/cuobjdump" ] && [ -x "$beside/nvdisasm" ]; then echo "$beside"; exit 0; fi
# For x86-64 and 64-bit Arm.
fetch() {
  headroom_fetch_wheels "$folder" \
    "nvidia-cuda-cuobjdump==13.5.37 \
      --hash=sha256:38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58 \
      --hash=sha256:f48e3148535365161a268547b285fd01d92c80e4b457275375933825b5fc26b2" \
    "nvidia-cuda-nvdisasm==13.5.37 \
      --hash=sha256:d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca \
      --hash=sha256:a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605"
  chmod +x "$folder"/nvidia/cu13/bin/*
}
if [ ! -d "$folder" ] && [ "${1:-}" = --fetch ]; then fetch; fi
if [ ! -x "$folder/nvidia/cu13/bin/cuobjdump" ]; then
  echo "cuobjdump is neither installed nor in build/tools (cmake/cuobjdump.sh --fetch, which needs python3-pip)" >&2
  exit 1
fi
echo "$PWD/$folder/nvidia/cu13/bin"
