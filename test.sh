#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test: unit, contract, golden, UI (offscreen), lint, and the
# fuzz targets and engine tests under the address and undefined sanitizers, what has threads under the thread sanitizer,
# the kernels for 64-bit Arm under an emulator. On Debian 12 warnings are errors; other systems list them.
# The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")"
source cmake/packages.sh
headroom_install $HEADROOM_BUILD_PACKAGES $HEADROOM_TEST_PACKAGES || { echo "0 passed, 1 failed"; exit 1; }
cmake/clang_format.sh --fetch >/dev/null || true  # without it the format test is skipped, by name and with its reason
# Likewise the tests of CUDA's kernels, and of their machine code.
if cmake/nvrtc.sh --fetch >/dev/null; then cmake/cuobjdump.sh --fetch >/dev/null || true; fi

export QT_QPA_PLATFORM=offscreen CTEST_OUTPUT_ON_FAILURE=1
passed=0 failed=0 skipped=0 reports=() absent=""

# attribute NAME FILE: a count from the head of ctest's JUnit file.
attribute() { sed -n "/<testsuite/,/>/s/.*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

# suite PRESET TARGETS CTEST_ARGUMENTS...: builds the targets (all when empty), then runs the tests that the arguments
# choose.
suite() {
  local preset=$1 targets=$2 log=$PWD/build/$1.log report=$PWD/build/$1/tests.xml; shift 2
  # The thread sanitizer of older compilers cannot start where addresses are widely randomised.
  local run=(); [ "$preset" = tsan ] && setarch -R true 2>/dev/null && run=(setarch -R)
  # There the kernels of one instruction set are looked at: engine/backend/CMakeLists.txt.
  [ "$preset" = tsan ] && [ "$(uname -m)" = x86_64 ] && run+=(env HEADROOM_ISA=avx2)
  # From nothing, several files at once are compiled sooner, what they include is read once, and line numbers of faults
  # can be had from a build by hand. A folder that is there keeps what it was made with; a preset would take it back.
  local how=(--preset "$preset" -DHEADROOM_UNITY=ON -DHEADROOM_PRECOMPILED=ON -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1)
  [ ! -e "build/$preset/CMakeCache.txt" ] || how=("build/$preset")
  # Many a test of the window or of the command line waits, and those are dev's alone.
  local jobs; jobs=$(nproc); [ "$preset" != dev ] || jobs=$((jobs + 2))
  echo "== $preset: build"
  if ! cmake "${how[@]}" >"$log" 2>&1; then cat "$log"; failed=$((failed + 1)); return; fi
  if ! "${run[@]}" cmake --build --preset "$preset" ${targets:+--target $targets} -- -k 0 >"$log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] [A-Z]' "$log"
    failed=$((failed + 1))
    return
  fi
  grep -E '(warning|Warning).*:' "$log" | sort -u
  echo "== $preset: test"
  rm -f "$report"
  "${run[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-junit "$report" "$@" |
    grep -vE '^ *(Start|[0-9]+/[0-9]+ Test.*Passed)'
  local n_tests n_failed n_skipped
  n_tests=$(attribute tests "$report"); n_failed=$(attribute failures "$report")
  n_skipped=$(attribute skipped "$report")
  if [ -z "$n_tests" ] || [ "$n_tests" -eq 0 ]; then echo "$preset: no test ran"; failed=$((failed + 1)); return; fi
  reports+=("$report")
  passed=$((passed + n_tests - n_failed - n_skipped)); failed=$((failed + n_failed)); skipped=$((skipped + n_skipped))
}

# without_arm WHY: Debian has all that the suite needs, so there its absence is a failure; other systems skip it.
without_arm() {
  if [ "$(. /etc/os-release && echo "$ID")" = debian ]; then
    echo "aarch64: failed: $1"; failed=$((failed + 1))
  else
    skipped=$((skipped + 1)); absent="1 all of aarch64: $1"
  fi
}

mkdir -p build
suite dev ""
# What a thousand turns or a prompt take of the heap is measured by dev, and there faults are seeded, plans compared and
# mapped by the thousand, plans of every kind of layer verified, and all keys and all settings of samplers tried. Of the
# kernels those with vectors go where they should not, if any; those with AVX-VNNI are AVX2's, and the sets above
# AVX-512 differ from it in products alone. The measuring of all formats is looked at where an engine measures its
# devices (EngineThread.measures_the_devices).
suite asan-ubsan "" -E "a_thousand_turns|prove_test.Each|ProveTest.(a_sound_device_is_far|what_fails)|KernelCheck.finds_(every|outliers)\
|PlannedIsMapped|VerifyPlan.plans_of_every_kind|UnappliedKeysOf.every_key|SamplerSources.every_combination\
|Prompt.reading_takes|SharedTemplates.render_what_fits|ArenaLimit|MoreMemory|has_a_figure_of_every_format\
|contract_test.Isas/.*/(scalar|avxvnni)\
|contract_test.Isas/(Attend|Candidates|CpuModel|DeltaRule|Elementwise|KvKernels)\..*/(avx512vbmi|amx)"
# Loads, prompts, answers, stops, slots and the thread pool, each once: here a clock runs some twenty times slower, so that
# what measures devices, on the same threads, would take minutes.
suite tsan "backend_test run_test run_real_test contract_test" \
  -R "^(backend_test|run_test\.(Scheduler|Session|PromptReader)|contract_test.*(CpuStep|a_long_context.*avx2)\
|run_real_test.*(EngineThread|RealSession|LoadModel|CacheKinds.*q8_0))" \
  -E 'a_thousand_turns|a_window_sees_its_newest|measures_the_devices|backend_test.Reference'
# All on the way to the logits with the kernels for Arm. The emulator is slow: plain code, the reference device among it,
# the longest prompts, the measuring of speeds, seeded faults and models without a part are left to the suites above. So
# are models that are split between the CPU and the reference device, but for two (one has experts, windows and sinks, the
# other states). What a process has mapped is the emulator's.
if ! headroom_install $HEADROOM_CROSS_PACKAGES; then
  without_arm "$HEADROOM_CROSS_PACKAGES cannot be installed"
elif ! cmake/aarch64_sysroot.sh; then
  without_arm "the libraries for Arm are not to be had"
else
  suite aarch64 "backend_test base_test contract_test format_test golden_test" \
    -R '^((backend|base|contract|format)_test|golden_test.*Golden(Logits|Split.*/(gpt_oss|qwen35)( |$)))' \
    -E "/scalar|any_number_of_threads|through_a_ring|in_parts_and_merged|stopped_anywhere|longer_than_the_ring\
|has_a_figure_of_every_format|in_memory_that_a_cache_holds|KernelCheck.finds_(every|outliers)|base_test.OwnMemory\
|backend_test.(All/)?Reference"
fi
if [ "$skipped" -gt 0 ]; then
  if ! reasons=$(tests/lint/skip_reasons.sh "${reports[@]}" </dev/null); then
    echo "a test was skipped without a reason"; failed=$((failed + 1))
  fi
  echo "$skipped skipped: $reasons${reasons:+${absent:+; }}$absent"
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
