#!/usr/bin/env bash
# Runs a program under Vulkan's validation layers and fails when they say anything. First it shows that they would: a
# seeded fault must be reported, and the same without the fault must not.
#   hazard  what reads or writes without waiting for what was before (synchronization validation)
#   beyond  accesses behind the end of a binding (GPU-assisted). The layers know the ends of buffers only, so each binding
#           is a buffer of its own here. Every kernel is compiled with checks, which takes many times as long.
# usage: validated.sh hazard|beyond CONTROLS PROGRAM [ARGUMENTS...]
set -euo pipefail
what=$1 controls=$2; shift 2
case $what in
  hazard) layer=SYNCHRONIZATION_VALIDATION said_of_it=SYNC-HAZARD ;;
  beyond) layer=GPU_ASSISTED said_of_it='access out of bounds'; export HEADROOM_VULKAN_EXACT_BUFFERS=1 ;;
  *) echo "validated.sh: expected hazard or beyond, found $what" >&2; exit 2 ;;
esac
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cat >"$folder/vk_layer_settings.txt" <<SETTINGS
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_${layer}_EXT
khronos_validation.report_flags = error,warn
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = stdout
khronos_validation.enable_message_limit = true
khronos_validation.duplicate_message_limit = 3
SETTINGS
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation HEADROOM_VULKAN_SOFTWARE=1

# said LOG: what the layers said.
said() { grep -E 'VUID-|SYNC-HAZARD|UNASSIGNED-|Validation (Error|Warning)' "$1" || true; }

"$controls" "$what" >"$folder/seeded" 2>&1 || { cat "$folder/seeded"; exit 1; }
if ! grep -q "$said_of_it" "$folder/seeded"; then
  echo "validated.sh: a seeded fault was not reported: are the validation layers there?"; cat "$folder/seeded"
  exit 1
fi
"$controls" sound >"$folder/sound" 2>&1 || { cat "$folder/sound"; exit 1; }
[ -z "$(said "$folder/sound")" ] || { echo "validated.sh: a sound program is reported"; said "$folder/sound"; exit 1; }

status=0
"$@" >"$folder/log" 2>&1 || status=$?
if [ -n "$(said "$folder/log")" ]; then
  echo "validated.sh: $(said "$folder/log" | wc -l) messages, the first of them:"; said "$folder/log" | head -n 5; exit 1
fi
[ "$status" -eq 0 ] || tail -n 40 "$folder/log"
exit "$status"
