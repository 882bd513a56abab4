#!/usr/bin/env bash
# Makes the packages of this system in build/packages: build.sh [deb] [portable]   (both when none is named)
#   deb       a Debian package for the system it is built on; apt installs it with what it needs
#   portable  an archive that runs where no Qt is installed: unpack it anywhere and start ./headroom
# Installs and fetches what is missing first. What each weighs, unpacked, is printed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh
[ $# -gt 0 ] || set -- deb portable
for kind in "$@"; do
  case "$kind" in
    deb | portable) ;;
    -h | --help) sed -n '2,5s/^# //p' "$0"; exit 0 ;;
    *) echo "build.sh: unknown package \"$kind\": expected deb or portable" >&2; exit 2 ;;
  esac
done

headroom_install $HEADROOM_BUILD_PACKAGES $HEADROOM_PACKAGING_PACKAGES
cmake/nvrtc.sh --fetch >/dev/null || echo "build.sh: the packages will have no kernels for CUDA" >&2
cmake --preset release >/dev/null
cmake --build --preset release
packages=$PWD/build/packages
mkdir -p "$packages"

for kind in "$@"; do
  case "$kind" in
    deb)
      (cd build/release && cpack -G DEB >/dev/null)
      made=$(ls -t build/release/packages/*.deb | head -n 1)
      cp "$made" "$packages/"
      echo "$packages/$(basename "$made"): $(stat -c %s "$made") bytes," \
        "installed $(dpkg-deb --field "$made" Installed-Size) KiB and what it depends on"
      ;;
    portable) installers/linux/portable.sh build/release "$packages" ;;
  esac
done
