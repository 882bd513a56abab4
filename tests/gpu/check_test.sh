#!/usr/bin/env bash
# check.sh on a driver that computes on the CPU: what it says when all is well, out of a folder that it packed; that each
# kind of failure makes it fail and is named, and that the steps behind a failed one run.
# usage: check_test.sh passes|fails BIN
set -euo pipefail
kind=$1 bin=$2
script=$(cd "$(dirname "$0")" && pwd)/check.sh
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
export HEADROOM_VULKAN_SOFTWARE=1

wrong() { echo "check_test.sh: $*"; cat "$folder"/log "$folder"/out/*.log 2>/dev/null | tail -n 40; exit 1; }
# check EXPECTED_STATUS BIN ARGUMENTS...
check() {
  local expected=$1 programs=$2 status=0; shift 2
  HEADROOM_CHECK_BIN=$programs "$script" --quick --out "$folder/out" "$@" >"$folder/log" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || wrong "expected exit status $expected, found $status"
}
# row TITLE RESULT: a line of the table.
row() { grep -qE "^$1 +$2( |$)" "$folder/log" || wrong "expected \"$1\" to be \"$2\""; }
says() { grep -qF "$1" "$folder/log" || wrong "expected the words \"$1\""; }

if [ "$kind" = passes ]; then
  HEADROOM_CHECK_BIN=$bin "$script" --pack "$folder/pack" >"$folder/log" 2>&1 || wrong "expected it to pack itself"
  script=$folder/pack/check.sh
  check 0 "" --seconds 5000  # a busy machine is no failure
  for title in devices prove "random models" "contract tests" "plan against the driver" "layers on CPU and GPU" "10 turns" \
    "bench, small model" "bench, FFNs on the CPU" "bench, FFNs streamed"; do
    row "$title" passed
  done
  says "planned = mapped in"
  says "6 of 6 layers: "
  says "% of the read rate"
  says "no speed here says anything of a card"
  grep -q '"passed": true' "$folder/out/check.json" || wrong "check.json says otherwise"
  grep -q '"is_software": true' "$folder/out/check.json" || wrong "check.json does not say that it is no card"
  exit 0
fi

# Programs that fail in their ways, beside the ones that are needed to tell of it. Those steps that compute are left out:
# they have faults of their own below.
mkdir "$folder/fakes"
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$folder/fakes/$1"; chmod +x "$folder/fakes/$1"; }
fake headroom-cli "[ \"\$1\" = devices ] && exec '$bin/headroom-cli' \"\$@\"
[ \"\$1\" = prove ] && { echo '{\"passed\": false, \"what_failed\": \"a wrong kernel\"}'; exit 1; }
sleep 100"
fake vulkan_test 'kill -SEGV $$'
fake gpu_check "case \"\$1\" in
  models | report) exec '$bin/gpu_check' \"\$@\" ;;
  plan) echo '{\"figure\": \"half a '; exit 1 ;;
  offload) exit 0 ;;
  chat) echo '{\"figure\": \"fine\", \"failures\": [\"a seeded fault\"]}'; exit 1 ;;
esac; exit 2"
check 1 "$folder/fakes" --seconds 8
row devices passed
row prove failed
says "a wrong kernel"
row "random models" passed
row "contract tests" "signal 11"
says "expected tests, found none that ran"
row "plan against the driver" failed
row "layers on CPU and GPU" failed
says "expected figures, found none"
row "10 turns" failed
says "a seeded fault"
row "bench, small model" "timed out"

# Without the device nothing else is tried, and no other one is taken for it.
HEADROOM_VULKAN_DEVICES=none check 1 "$bin"
row devices failed
row "10 turns" "not run"
check 1 "$bin" --device vulkan:7
row devices failed
says "expected vulkan:7 among the devices, found none"
row "10 turns" "not run"

# What a step measured is spoilt: it must say so.
model=$folder/model/small.gguf
export HEADROOM_DATA_DIR=$folder/data
"$bin/gpu_check" models "$folder/model" vulkan:0 >"$folder/log"
for step in plan offload chat; do
  arguments=("$step" "$model" vulkan:0)
  [ "$step" != chat ] || arguments+=(1)
  status=0
  HEADROOM_CHECK_FAULT=$step "$bin/gpu_check" "${arguments[@]}" >"$folder/log" 2>&1 || status=$?
  [ "$status" -eq 1 ] || wrong "$step: expected a fault to end with 1, found $status"
  says "expected "
done
