#!/usr/bin/env bash
# Every combination of the tests that need a GPU's driver, and of those of the CPU's kernels: what the gate takes a part
# of, a thousand turns of chat among them; of CUDA, where its compiler is, on the host and from PTX, and the machine code
# for all architectures; then, where the software driver is, whether any kernel of Vulkan leaves its bindings. On any
# machine with a driver for Vulkan 1.2; mesa-vulkan-drivers has one that needs no card. Builds what is missing.
# usage: tests/gpu/full.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -e build/dev/CMakeCache.txt ] || cmake --preset dev >/dev/null
targets=(vulkan_test vulkan_controls contract_test golden_test)
if grep -q '^cuda_test:' <<<"$(cmake --build --preset dev --target help)"; then
  targets+=(cuda_test cuda_code_test cuda_emulation_test ptx_test sass_weights)
fi
cmake --build --preset dev --target "${targets[@]}"
HEADROOM_COMBINATIONS=all ctest --test-dir build/dev -j "$(nproc)" -R '^(vulkan|cuda|ptx|contract|golden)' --output-on-failure
for ptx in build/dev/tests/support/cuda/ptx/*; do
  [ ! -d "$ptx" ] || HEADROOM_COMBINATIONS=all HEADROOM_CUDA_DRIVER=$PWD/build/dev/bin/libfake_cuda.so FAKE_CUDA_PTX=$ptx build/dev/bin/cuda_test \
    --gtest_filter='GpuModel.experts*:GpuModel.matrices*:GpuModel.every_batch*:GpuAttend.every_group*'
done
[[ " ${targets[*]} " != *" cuda_test "* ]] || tests/cuda/all_architectures.sh
HEADROOM_DATA_DIR=$(mktemp -d) exec tests/vulkan/validated.sh beyond build/dev/bin/vulkan_controls \
  build/dev/bin/vulkan_test --gtest_filter='*every_architecture*:*every_weight_type*:*experts_of_many*:*several_slots*'
