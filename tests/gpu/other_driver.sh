#!/usr/bin/env bash
# Runs tests of Vulkan with another software driver than the system's, unpacked beside it into build/other-drivers. Not
# part of the gate. Fetches 30 to 65 MB, once, from the mirror that this machine uses.
#   lavapipe     of a newer Debian: it has instructions for whole matrices (tier 3). With its own C library, whose loader
#                starts the program.
#   swiftshader  of Debian's chromium: subgroups of 4, no 16-bit types, a compiler of its own; some ten times as slow.
# usage: tests/gpu/other_driver.sh lavapipe|swiftshader [ARGUMENTS of vulkan_test...]
set -euo pipefail
cd "$(dirname "$0")/../.."
driver=${1-}; shift || true
folder=$PWD/build/other-drivers/$driver release=trixie
libraries=$folder/root/usr/lib/$(uname -m)-linux-gnu

# unpack ICD LIBRARY: the packages that were fetched, and a file that names the driver where it lies.
unpack() {
  local package
  for package in "$folder"/*.deb "$folder"/cache/archives/*.deb; do
    [ ! -e "$package" ] || dpkg-deb -x "$package" "$folder/root"
  done
  # shellcheck disable=SC2086
  sed "s@\"library_path\": *\"[^\"]*\"@\"library_path\": \"$2\"@" $folder/root/$1 >"$folder/icd.json"
}

fetch_lavapipe() {
  local site
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
  APT_CONFIG=$folder/apt.conf apt-get update -qq
  APT_CONFIG=$folder/apt.conf apt-get install -qq -y --download-only --no-install-recommends \
    -t "$release-backports" mesa-vulkan-drivers libstdc++6 libc6
  unpack 'usr/share/vulkan/icd.d/lvp_icd*.json' "$libraries/libvulkan_lvp.so"
}

fetch_swiftshader() {
  mkdir -p "$folder"
  (cd "$folder" && apt-get download -qq chromium-common)
  unpack usr/lib/chromium/vk_swiftshader_icd.json "$folder/root/usr/lib/chromium/libvk_swiftshader.so"
}

start=()
case $driver in
  lavapipe) export HEADROOM_NEEDS_VULKAN_TIER=3 ;;
  swiftshader) ;;
  *) echo "other_driver.sh: expected lavapipe or swiftshader, found \"$driver\"" >&2; exit 2 ;;
esac
[ -e "$folder/icd.json" ] || "fetch_$driver"
if [ "$driver" = lavapipe ]; then
  loader=("$libraries"/ld-linux-*)
  start=("${loader[0]}" --library-path "$libraries:/usr/lib/$(uname -m)-linux-gnu")
fi
[ -e build/dev/CMakeCache.txt ] || cmake --preset dev >/dev/null
cmake --build --preset dev --target vulkan_test
export VK_DRIVER_FILES=$folder/icd.json VK_ICD_FILENAMES=$folder/icd.json HEADROOM_DATA_DIR=$folder/data
HEADROOM_VULKAN_SOFTWARE=1 exec "${start[@]}" build/dev/bin/vulkan_test "$@"
