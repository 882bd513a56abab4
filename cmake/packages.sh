# Sourced by run.sh and test.sh: installs the Debian packages that are missing (same names on Debian 12 and Ubuntu 24.04).

# Why each is there: CONTRIBUTING.md, "Libraries".
HEADROOM_BUILD_PACKAGES="g++ cmake ninja-build ccache pkg-config git libfmt-dev nlohmann-json3-dev libcli11-dev libpcre2-dev libutf8proc-dev
  qt6-base-dev qt6-svg-dev libmd4c-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools libqt6sql6-sqlite libqcustomplot-dev libgl1-mesa-dev fonts-dejavu-core"
HEADROOM_TEST_PACKAGES="libgtest-dev libgmock-dev clang-format-14"
HEADROOM_CROSS_PACKAGES="g++-aarch64-linux-gnu qemu-user"  # the libraries come from aarch64_sysroot.sh

# headroom_install PACKAGE...: does nothing, and needs no network, when all are there.
headroom_install() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "headroom: needs these packages of Debian 12 or Ubuntu 24.04, and there is no apt-get here to install them: ${missing[*]}" >&2
    return 1
  fi
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "headroom: needs root or sudo to install: ${missing[*]}" >&2; return 1; }
    root=(sudo)
  fi
  echo "headroom: installing ${missing[*]}" >&2
  "${root[@]}" apt-get update -qq >&2 && "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
