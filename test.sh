#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors and runs every test: unit, contract, golden, UI (offscreen), lint, and the
# fuzz targets and engine tests under the address and undefined sanitizers, what has threads under the thread sanitizer, the kernels for 64-bit Arm
# under an emulator. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")"
source cmake/packages.sh
headroom_install $HEADROOM_BUILD_PACKAGES $HEADROOM_TEST_PACKAGES $HEADROOM_CROSS_PACKAGES || { echo "0 passed, 1 failed"; exit 1; }

export QT_QPA_PLATFORM=offscreen CTEST_OUTPUT_ON_FAILURE=1
passed=0 failed=0 skipped=0
jobs=$(nproc)

# attribute NAME FILE: a count from the head of ctest's JUnit file.
attribute() { sed -n "/<testsuite/,/>/s/.*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

# suite PRESET TARGETS CTEST_ARGUMENTS...: builds the targets (all when empty), then runs the tests that the arguments choose.
suite() {
  local preset=$1 targets=$2 report=$PWD/build/$1/tests.xml; shift 2
  # The thread sanitizer of older compilers cannot start where addresses are widely randomised.
  local run=(); [ "$preset" = tsan ] && setarch -R true 2>/dev/null && run=(setarch -R)
  echo "== $preset: build"
  if ! cmake --preset "$preset" >"build/$preset.log" 2>&1; then cat "build/$preset.log"; failed=$((failed + 1)); return; fi
  if ! "${run[@]}" cmake --build --preset "$preset" ${targets:+--target $targets} -- -k 0 >"build/$preset.log" 2>&1; then grep -vE '^\[[0-9]+/[0-9]+\] [A-Z]' "build/$preset.log"; failed=$((failed + 1)); return; fi
  echo "== $preset: test"
  rm -f "$report"
  "${run[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-junit "$report" "$@" | grep -vE '^ *(Start|[0-9]+/[0-9]+ Test.*Passed)'
  local n_tests n_failed n_skipped
  n_tests=$(attribute tests "$report"); n_failed=$(attribute failures "$report"); n_skipped=$(attribute skipped "$report")
  if [ -z "$n_tests" ] || [ "$n_tests" -eq 0 ]; then echo "$preset: no test ran"; failed=$((failed + 1)); return; fi
  passed=$((passed + n_tests - n_failed - n_skipped)); failed=$((failed + n_failed)); skipped=$((skipped + n_skipped))
}

mkdir -p build
suite dev ""
suite asan-ubsan ""
# Loads, prompts, answers, stops, slots and the thread pool, each once: here a clock runs some twenty times slower.
suite tsan "backend_test run_test run_real_test contract_test" \
  -R '^(backend_test|run_test\.(Scheduler|Session)|run_real_test.*(EngineThread|RealSession|LoadModel|CacheKinds.*q8_0)|contract_test.*(CpuStep|a_long_context.*avx2))' \
  -E 'a_thousand_turns|a_window_sees_its_newest'
# All on the way to the logits with the kernels for Arm. The emulator is slow: plain code and the longest prompts are left to the suites above.
if cmake/aarch64_sysroot.sh; then
  suite aarch64 "backend_test base_test contract_test format_test golden_test" \
    -R '^(backend|base|contract|format|golden)_test' -E '/scalar|any_number_of_threads|through_a_ring|in_parts_and_merged'
else
  failed=$((failed + 1))
fi
[ "$skipped" -gt 0 ] && echo "Skipped tests are listed above with their reason (public test data that is not beside this checkout)."
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" -eq 0 ]
