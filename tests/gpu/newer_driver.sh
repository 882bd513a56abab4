#!/usr/bin/env bash
# Runs tests of Vulkan with the software driver of a newer Debian, which has what ours lacks: instructions for whole
# matrices (tier 3). It stands beside the system's, with its own C library, and is started through that one's loader.
# Fetches about 65 MB from the mirror that this machine uses, once, into build/newer-driver. Not part of the gate.
# usage: tests/gpu/newer_driver.sh [ARGUMENTS of vulkan_test...]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/build/newer-driver release=trixie
libraries=$folder/root/usr/lib/$(uname -m)-linux-gnu

if [ ! -e "$folder/icd.json" ]; then
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -m 1 '/debian/*$')
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  : >"$folder/status"
  printf 'deb %s %s main\n' "$site" "$release" "$site" "$release-backports" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<SETTINGS
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/nonexistent";
Dir::State::Lists "$folder/lists";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
SETTINGS
  export APT_CONFIG=$folder/apt.conf
  apt-get update -qq
  apt-get install -qq -y --download-only --no-install-recommends -t "$release-backports" \
    mesa-vulkan-drivers libstdc++6 libc6
  for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  sed "s@\"library_path\": *\".*\"@\"library_path\": \"$libraries/libvulkan_lvp.so\"@" \
    "$folder"/root/usr/share/vulkan/icd.d/lvp_icd*.json >"$folder/icd.json"
fi
cmake --preset dev >/dev/null
cmake --build --preset dev --target vulkan_test
loader=("$libraries"/ld-linux-*)
export VK_DRIVER_FILES=$folder/icd.json VK_ICD_FILENAMES=$folder/icd.json HEADROOM_DATA_DIR=$folder/data
HEADROOM_VULKAN_SOFTWARE=1 HEADROOM_NEEDS_VULKAN_TIER=3 exec "${loader[0]}" \
  --library-path "$libraries:/usr/lib/$(uname -m)-linux-gnu" build/dev/bin/vulkan_test "$@"
