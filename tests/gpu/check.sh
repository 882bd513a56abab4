#!/usr/bin/env bash
# Checks a GPU from end to end in under nine minutes: devices, what users' cards are asked at first sight (prove), contract
# tests, the plan against what the driver counts, layers between CPU and GPU, 200 turns of conversations, and speeds as
# shares of what the device was measured to do. Every step has its own time limit and a result, whatever became of the
# others. Ends with a table and one JSON, and fails when a step did. Engine only: no window, no network, no model file.
# usage: tests/gpu/check.sh [--device ID] [--seconds N] [--out FOLDER] [--quick]
#        tests/gpu/check.sh --pack FOLDER
# --device   vulkan:0 unless named; or cuda:0: as `headroom-cli devices` lists them
# --seconds  for all steps together, 520 unless named; 3000 where HEADROOM_VULKAN_SOFTWARE computes on the CPU
# --out      where logs and check.json go; a folder of its own unless named
# --quick    a few contract tests and turns alone
# --pack     makes a folder that runs on a machine without a compiler or packages: FOLDER/check.sh
# HEADROOM_CHECK_BIN names a folder with programs that are built already.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=(headroom-cli vulkan_test gpu_check)
nvidia_folder=/usr/local/nvidia  # where containers keep a driver that no loader looks for
# Of what is packed, those that only a driver or its loader asks for.
loader=libvulkan.so.1
driver_libraries=(libGLdispatch.so.0 libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0)
most_packed_mib=60

fail() { echo "check.sh: $*" >&2; exit 2; }

device=vulkan:0 seconds="" out="" pack="" quick=no
while [ $# -gt 0 ]; do
  case "$1" in
    --device | --seconds | --out | --pack)
      [ $# -ge 2 ] || fail "$1: expected a value"
      case "$1" in
        --device) device=$2 ;;
        --seconds) seconds=$2 ;;
        --out) out=$2 ;;
        --pack) pack=$2 ;;
      esac
      shift ;;
    --quick) quick=yes ;;
    -h | --help) sed -n '2,14s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "expected an option, found \"$1\" (--help lists them)" ;;
  esac
  shift
done
[[ "$device" =~ ^(vulkan|cuda):[0-9]+$ ]] ||
  fail "--device: expected vulkan:0, cuda:0 or another number, found \"$device\""
backend=${device%%:*}
if [ -z "$seconds" ]; then
  seconds=520
  [ -z "${HEADROOM_VULKAN_SOFTWARE:-}" ] || seconds=3000
fi
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || fail "--seconds: expected a number, found \"$seconds\""

# Where the programs and the golden models stand: packed beside this script, named, or built.
bin=${HEADROOM_CHECK_BIN:-} golden=$here/../golden unpacked=""
if [ -d "$here/bin" ] && [ -d "$here/golden" ]; then
  unpacked=$(mktemp -d "${TMPDIR:-/tmp}/headroom-check.XXXXXX") || fail "no folder for the programs"
  trap 'rm -rf "$unpacked"' EXIT
  bin=$unpacked golden=$here/golden
  for program in "$here"/bin/*.xz; do
    name=${program##*/} name=${name%.xz}
    xz -dc "$program" >"$bin/$name" && chmod +x "$bin/$name" || fail "$program cannot be unpacked"
  done
elif [ -z "$bin" ]; then
  root=$(cd "$here/../.." && pwd)
  cd "$root" || fail "$root cannot be entered"
  # For the cards that are here. Packed for an H100 or H200, and later ones by PTX: all of a release are 18 MB a program.
  architectures=""
  [ -n "$pack" ] || architectures=$(cmake/nvrtc.sh --architectures) || architectures=""
  # The compiler of those kernels, where they are what is checked.
  [ "$backend" != cuda ] && [ -z "$pack" ] || cmake/nvrtc.sh --fetch >/dev/null
  cmake --preset gpu ${architectures:+"-DHEADROOM_CUDA_ARCHITECTURES=$architectures"} >/dev/null ||
    fail "the programs cannot be built"
  # Kernels for NVIDIA's cards are there where their compiler is.
  if grep -q '^cuda_test:' <<<"$(cmake --build --preset gpu --target help)"; then programs+=(cuda_test); fi
  cmake --build --preset gpu --target "${programs[@]}" || fail "the programs cannot be built"
  bin=$root/build/gpu/bin
fi
[ ! -x "$bin/cuda_test" ] || [[ " ${programs[*]} " == *" cuda_test "* ]] || programs+=(cuda_test)
[ -x "$bin/${backend}_test" ] || fail "--device $device: expected $bin/${backend}_test, found none"

# system_libraries: lines NAME PATH of the libraries that the system knows.
system_libraries() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk '/=>/ && /x86-64|AArch64/ {print $1, $NF}'; }

if [ -n "$pack" ]; then
  mkdir -p "$pack/bin" "$pack/lib" "$pack/golden" || fail "$pack cannot be written"
  for program in "${programs[@]}"; do
    # Each has all kernels, so they are compressed: xz makes four fifths of what gzip makes of them.
    strip -o "$pack/bin/$program" "$bin/$program" && xz -f -2 "$pack/bin/$program" ||
      fail "$bin/$program cannot be copied"
    # Those of the C library must be the system's own.
    ldd "$bin/$program" | awk '$2 == "=>" {print $1, $3}' | grep -vE '^(libc|libm|libdl|librt|libpthread)\.so'
  done | sort -u >"$pack/libraries"
  system_libraries | grep -F "$(printf '%s \n' "$loader" "${driver_libraries[@]}")" >>"$pack/libraries"
  grep -q "^$loader " "$pack/libraries" || fail "expected $loader on this machine, found none"
  while read -r name path; do cp -L "$path" "$pack/lib/$name" || fail "$path cannot be copied"; done <"$pack/libraries"
  rm "$pack/libraries"
  cp -r "$golden/golden.json" "$golden/models" "$golden/logits" "$pack/golden/" || fail "$golden cannot be copied"
  cp "${BASH_SOURCE[0]}" "$pack/check.sh"
  mib=$(du -sm "$pack" | cut -f 1)
  [ "$mib" -le "$most_packed_mib" ] || fail "$pack: expected at most $most_packed_mib MiB, found $mib"
  echo "$pack: $mib MiB; there: ./check.sh"
  exit 0
fi

[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/headroom-check.XXXXXX") || fail "no folder for the results"
mkdir -p "$out" || fail "$out cannot be written"
out=$(cd "$out" && pwd)
rm -f "$out"/*.json "$out"/*.log
: >"$out/steps.tsv"
trap 'rm -rf "$out/models" "$out/lib" "$unpacked"' EXIT

# Of a packed folder the libraries that this machine lacks, and all of them where the programs start with no fewer.
mkdir -p "$out/lib"
starts() { LD_LIBRARY_PATH=$out/lib:${LD_LIBRARY_PATH:-} "$bin/gpu_check" >/dev/null 2>&1; [ $? -eq 2 ]; }
if [ -d "$here/lib" ] && [ -n "$unpacked" ]; then
  known=$(system_libraries)
  for library in "$here"/lib/*; do
    grep -q "^${library##*/} " <<<"$known" || ln -sf "$library" "$out/lib/"
  done
  starts || ln -sf "$here"/lib/* "$out/lib/"
  export LD_LIBRARY_PATH=$out/lib:${LD_LIBRARY_PATH:-}
fi

# What the programs remember is of this run alone.
export HEADROOM_DATA_DIR=$out/data HEADROOM_GOLDEN_FOLDER=$golden
rm -rf "$out/data"
unset HEADROOM_COMBINATIONS
has_device() {
  grep -q "\"id\": \"$device\"" <<<"$(timeout 60 "$bin/headroom-cli" devices --present --json 2>/dev/null)"
}
found=no
[ "$backend" != cuda ] || export HEADROOM_CUDA=1
# The driver of CUDA, and what tells of memory.
[ ! -d "$nvidia_folder/lib64" ] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$nvidia_folder/lib64
nvidia_vulkan=$nvidia_folder/share/vulkan/icd.d/nvidia_icd.json
if has_device; then
  found=yes
elif [ "$backend" = vulkan ] && [ -z "${VK_DRIVER_FILES:-}" ] && [ -e "$nvidia_vulkan" ]; then
  export VK_DRIVER_FILES=$nvidia_vulkan VK_ICD_FILENAMES=$nvidia_vulkan
  has_device && found=yes
fi
# Tests take the first device, whatever it is: here the one that is asked for.
if [ "$found" = yes ] && [ "$device" != "$backend:0" ]; then
  choice=HEADROOM_${backend^^}_DEVICES
  [ -z "${!choice:-}" ] || fail "expected one of --device and $choice, found both"
  export "$choice=${device#*:}"
  device=$backend:0
fi

deadline=$((SECONDS + seconds))
# record NAME TITLE STATUS MILLISECONDS
record() { printf '%s\t%s\t%s\t%d.%03d\n' "$1" "$2" "$3" $(($4 / 1000)) $(($4 % 1000)) >>"$out/steps.tsv"; }
milliseconds() { date +%s%3N; }

# step NAME TITLE SECONDS COMMAND...: its limit is that of a whole of 520 s, more where the whole has more, and no more
# than what is left. The command is given it.
step() {
  local name=$1 title=$2 limit=$3 left=$((deadline - SECONDS)) began status; shift 3
  [ "$seconds" -le 520 ] || limit=$((limit * seconds / 520))
  [ "$limit" -le "$left" ] || limit=$left
  if [ "$limit" -le 0 ] || { [ "$found" = no ] && [ "$name" != devices ]; }; then record "$name" "$title" 77 0; return; fi
  echo "== $title"
  began=$(milliseconds)
  "$1" "$name" "$limit" "${@:2}"
  status=$?
  record "$name" "$title" "$status" $(($(milliseconds) - began))
  [ "$status" -eq 0 ] || tail -n 3 "$out/$name.log"
}
# shellcheck disable=SC2317  # step() calls what it is given
# single NAME LIMIT COMMAND...: a program that prints JSON.
single() { timeout -k 5 "$2" "${@:3}" >"$out/$1.json" 2>"$out/$1.log"; }

# shellcheck disable=SC2317
# prove NAME LIMIT: what a user's card is asked before it is used.
# Where the CPU computes, a part of it.
prove() {
  local size=full
  [ -z "${HEADROOM_VULKAN_SOFTWARE:-}" ] || size=quick
  [ "$quick" = no ] || size=brief
  HEADROOM_PROOF=$size single "$1" "$2" "$bin/headroom-cli" prove "$device" --json
}

# shellcheck disable=SC2317
# contract NAME LIMIT FILTER: the tests in several programs side by side, as compiling kernels is what takes time.
contract() {
  local n=$((($(nproc) + 1) / 2)) i pids=() pid status=0
  [ "$n" -le 4 ] || n=4
  for ((i = 0; i < n; ++i)); do
    GTEST_TOTAL_SHARDS=$n GTEST_SHARD_INDEX=$i timeout -k 5 "$2" "$bin/${backend}_test" --gtest_filter="$3" \
      --gtest_output="json:$out/$1.$i.json" >"$out/$1.$i.log" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  cat "$out/$1".*.log >"$out/$1.log"
  return "$status"
}

filter='*' n_turns=200 bench=(-p 512 -n 128)
if [ "$quick" = yes ]; then
  filter='VulkanDevices*:VulkanLimits*:*CandidatesTest*:*between*llama_gqa:*memory_is_counted*' n_turns=10 bench=(-p 16 -n 8 --repeat 1)
fi
# Left out are faults of CUDA, which are seeded into a driver of the tests' own, and what looks at the build.
[ "$backend" != cuda ] || filter+='-CudaBarriers*:CudaPtx*:CudaMissing*:CudaMachineCode*:*lost*:*GpuEngine*'
small=$out/models/small.gguf large=$out/models/large.gguf
# bench_step NAME TITLE SECONDS MODEL [OPTION...]: as many layers on the device as fit, which are all.
bench_step() {
  step "$1" "$2" "$3" single "$bin/headroom-cli" bench "$4" --device "$device" "${@:5}" "${bench[@]}" --json
}

step devices "devices" 60 single "$bin/headroom-cli" devices --present --json
step prove "prove" 90 prove
step models "random models" 60 single "$bin/gpu_check" models "$out/models" "$device"
step contract "contract tests" 180 contract "$filter"
largest=$small
[ ! -e "$large" ] || largest=$large
step plan "plan against the driver" 45 single "$bin/gpu_check" plan "$largest" "$device"
step offload "layers on CPU and GPU" 90 single "$bin/gpu_check" offload "$small" "$device"
step chat "$n_turns turns" 75 single "$bin/gpu_check" chat "$small" "$device" "$n_turns"
bench_step bench "bench, small model" 45 "$small" --cpu-ffn 0
# With all FFNs on the CPU: computed there, or on the device, which their weights are streamed to for the prompt.
n_layers=$(timeout 5 "$bin/headroom-cli" inspect "$small" --json | sed -n 's/.*"n_layers": *\([0-9]*\).*/\1/p')
on_cpu=(--gpu-layers "$n_layers" --cpu-ffn "$n_layers")
bench_step bench_ffn "bench, FFNs on the CPU" 45 "$small" "${on_cpu[@]}" --stream-rows 0
bench_step bench_ffn_streamed "bench, FFNs streamed" 45 "$small" "${on_cpu[@]}" --stream-rows 9
# What lesser drivers run, where the card has more.
for tier in 2 1 0; do
  grep -q "tier [$((tier + 1))-3]" "$out/devices.json" || continue
  HEADROOM_VULKAN_TIER=$tier bench_step "bench_$tier" "bench, small model, tier $tier" 30 "$small" --cpu-ffn 0
done
# What a card of NVIDIA's gains by what was chosen for it; what is asked for is what other cards choose.
if [ "$backend" = cuda ]; then
  for prompts in f16 int8; do
    HEADROOM_CUDA_PROMPTS=$prompts bench_step "bench_$prompts" "bench, small model, prompts in $prompts" 30 "$small" --cpu-ffn 0
  done
  HEADROOM_CUDA_OVERLAP=1 bench_step bench_overlap "bench, small model, kernels begin early" 30 "$small" --cpu-ffn 0
  # Where the machine has it; it takes a kernel fifty times as long, and more of a model than the smallest one has.
  # What it says goes to a file of its own: the step's is JSON.
  if command -v compute-sanitizer >/dev/null; then
    step tiny "smallest random model" 20 single "$bin/gpu_check" models "$out/models/tiny" "$device" tiny
    for tool in memcheck racecheck; do
      step "$tool" "compute-sanitizer, $tool" 60 single compute-sanitizer --tool "$tool" --error-exitcode 9 \
        --log-file "$out/sanitizer-$tool.log" "$bin/gpu_check" chat "$out/models/tiny/small.gguf" "$device" 1
    done
  fi
fi
# What a model of this size is used for: prompts in large steps, and answers at the end of a long context.
if [ -e "$large" ]; then
  bench_step bench_large "bench, large model" 75 "$large" --cpu-ffn 0
  bench=(-p 2048 -n 1)
  bench_step bench_batch "bench, large model, 2048 rows a step" 45 "$large" --cpu-ffn 0 --batch 2048
  bench=(-p 512 -n 32 --repeat 1)
  for kv in f16 q8_0 q4_0; do
    bench_step "bench_32k_$kv" "bench, large model, 32k positions as $kv" 60 "$large" --cpu-ffn 0 --batch 2048 \
      --ctx 33792 --depth 32768 --kv-k "$kv" --kv-v "$kv"
  done
fi

"$bin/gpu_check" report "$out" "$device"
status=$?
# Where even that cannot run, what is known of the steps is shown as it is.
[ "$status" -le 1 ] || cat "$out/steps.tsv"
exit "$status"
