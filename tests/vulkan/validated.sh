#!/usr/bin/env bash
# Runs a program under Vulkan's validation layers and fails when they say anything. First it shows that they would: a
# seeded fault must be reported, and the same without the fault must not.
# Barriers are what they check here; of accesses behind the end of a binding these layers say nothing with lavapipe 22.3.
# usage: validated.sh CONTROLS PROGRAM [ARGUMENTS...]
set -euo pipefail
controls=$1; shift
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cat >"$folder/vk_layer_settings.txt" <<SETTINGS
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.report_flags = error,warn
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = stdout
khronos_validation.enable_message_limit = true
khronos_validation.duplicate_message_limit = 3
SETTINGS
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation HEADROOM_VULKAN_SOFTWARE=1

# said LOG: what the layers said.
said() { grep -E 'VUID-|SYNC-HAZARD|UNASSIGNED-|Validation (Error|Warning)' "$1" || true; }

"$controls" hazard >"$folder/seeded" 2>&1 || { cat "$folder/seeded"; exit 1; }
if ! grep -q SYNC-HAZARD "$folder/seeded"; then
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
