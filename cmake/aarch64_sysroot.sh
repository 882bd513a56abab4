#!/usr/bin/env bash
# Puts the libraries that the preset "aarch64" links into build/aarch64-sysroot: from this machine's own package
# sources, unpacked and never installed, so that the system keeps its one architecture and no root is needed. Does
# nothing, and needs no network, when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
packages="libfmt-dev libpcre2-dev libutf8proc-dev libminizip-dev libgmock-dev"
sysroot=build/aarch64-sysroot
[ "$(cat "$sysroot/packages" 2>/dev/null)" = "$packages" ] && exit 0

mkdir -p build
work=$(mktemp -d "$PWD/build/aarch64-sysroot.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
: >"$work/status"  # nothing is installed: all that the packages need comes along

# apt with a state of its own, for another architecture.
apt_arm64() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o APT::Sandbox::User= -o Debug::NoLocking=true -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" "$@" >&2
}

echo "headroom: fetching $packages for arm64 into $sysroot" >&2
apt_arm64 update || true  # a source that has nothing for arm64 does no harm: what is missing shows below
# shellcheck disable=SC2086
if ! apt_arm64 install --yes --no-install-recommends --download-only $packages; then
  echo "headroom: the package sources of this machine do not give $packages for arm64 (Debian's do; Ubuntu has them" \
    "on ports.ubuntu.com)" >&2
  exit 1
fi
# The cross compiler has its own C and C++ libraries: only ours are wanted.
for archive in "$work"/cache/archives/{lib{fmt,pcre2,utf8proc,minizip,gtest,gmock},zlib1g}*.deb; do
  dpkg-deb --extract "$archive" "$work/root"
done
# Some packages still name /lib, which on a system is a link.
if [ -d "$work/root/lib" ]; then
  cp -a "$work/root/lib/." "$work/root/usr/lib/"
  rm -r "$work/root/lib"
fi
echo "$packages" >"$work/root/packages"
rm -rf "$sysroot"
mv "$work/root" "$sysroot"
