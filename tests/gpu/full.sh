#!/usr/bin/env bash
# Every combination of the tests that need a GPU's driver: what the gate takes a part of. On any machine with a driver for
# Vulkan 1.2; mesa-vulkan-drivers has one that needs no card. Builds what is missing.
# usage: tests/gpu/full.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset dev >/dev/null
cmake --build --preset dev --target vulkan_test vulkan_controls
HEADROOM_GPU_TESTS=full exec ctest --test-dir build/dev -j "$(nproc)" -R '^vulkan' --output-on-failure
