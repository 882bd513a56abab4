#!/usr/bin/env bash
# What NVRTC makes of CUDA's kernels for every architecture that a release has: no stack, nothing spilled, registers and
# occupancy as tests/cuda/machine_code.tsv says, the instructions that are there for the work. The gate has one of them;
# this compiles all (four minutes of a processor) into a build folder of its own.
# usage: tests/cuda/all_architectures.sh     HEADROOM_WRITE_TABLES=1: writes machine_code.tsv anew
set -euo pipefail
cd "$(dirname "$0")/../.."
compile_kernel=build/dev/engine/backend/cuda/compiler/compile_kernel
all=$(sed -n 's/.*"HEADROOM_CUDA_ARCHITECTURES": "\([0-9;]*\)".*/\1/p' CMakePresets.json)
[ -n "$all" ] || { echo "expected architectures of a release in CMakePresets.json, found none"; exit 1; }
folder=build/all-architectures kernels=build/all-architectures/engine/backend/cuda/kernels
[ -e build/dev/CMakeCache.txt ] || cmake --preset dev >/dev/null
cmake --build --preset dev --target cuda_code_test sass_weights
cmake --preset dev -B "$folder" "-DHEADROOM_CUDA_ARCHITECTURES=$all" >/dev/null
cmake --build "$folder" --target headroom_cuda_kernels
status=0
HEADROOM_ALL_KERNELS=$PWD/$kernels build/dev/bin/cuda_code_test --gtest_filter='CudaMachineCode.*' || status=1
for architecture in ${all//;/ }; do
  echo "sm_$architecture"
  tests/cuda/sass.sh "$kernels" build/dev/bin/sass_weights "$compile_kernel" "$architecture" || status=1
done
exit "$status"
