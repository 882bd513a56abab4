#!/usr/bin/env bash
# Every combination of the tests that need a GPU's driver: what the gate takes a part of; then, where the software driver
# is, whether any kernel leaves its bindings. On any machine with a driver for Vulkan 1.2; mesa-vulkan-drivers has one that
# needs no card. Builds what is missing.
# usage: tests/gpu/full.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset dev >/dev/null
cmake --build --preset dev --target vulkan_test vulkan_controls
HEADROOM_GPU_TESTS=full ctest --test-dir build/dev -j "$(nproc)" -R '^vulkan' --output-on-failure
HEADROOM_DATA_DIR=$(mktemp -d) exec tests/vulkan/validated.sh beyond build/dev/bin/vulkan_controls \
  build/dev/bin/vulkan_test --gtest_filter='*every_architecture*:*every_weight_type*:*experts_of_many*:*several_slots*'
