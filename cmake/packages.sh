# Sourced by run.sh, test.sh and installers/build.sh: which packages of Debian each needs, and how to get what is
# missing. The names are the same on Debian 12 and 13 and Ubuntu 24.04; "a|b" means that either will do, and a
# comes first.

# Why each is there: CONTRIBUTING.md, "Libraries".
HEADROOM_BUILD_PACKAGES="g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libpcre2-dev
  libutf8proc-dev qt6-base-dev qt6-svg-dev libmd4c-dev libqt6sql6-sqlite libqcustomplot-dev fonts-dejavu-core"
HEADROOM_WAYLAND_PACKAGES="qt6-wayland"  # for a session that has no X
HEADROOM_TEST_PACKAGES="ccache libgtest-dev libgmock-dev clang-format-14|python3-pip"  # pip: see clang_format.sh
HEADROOM_CROSS_PACKAGES="g++-aarch64-linux-gnu qemu-user"  # the libraries come from aarch64_sysroot.sh

headroom_is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# headroom_missing PACKAGE|OTHER...: those of which nothing is installed, as they were given, one per line.
headroom_missing() {
  local wanted package
  for wanted in "$@"; do
    for package in ${wanted//|/ }; do headroom_is_installed "$package" && continue 2; done
    echo "$wanted"
  done
}

# headroom_choose PACKAGE|OTHER...: of each the first that the package sources have, one per line.
headroom_choose() {
  local wanted package
  for wanted in "$@"; do
    for package in ${wanted//|/ }; do
      [ -z "$(apt-cache madison "$package" 2>/dev/null)" ] || break  # when there is none, the last is asked for
    done
    echo "$package"
  done
}

# headroom_install PACKAGE|OTHER...: does nothing, and needs no network, when all are there.
headroom_install() {
  local missing root=()
  mapfile -t missing < <(headroom_missing "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "headroom: needs these packages of Debian or Ubuntu, and there is no apt-get here to install them:" \
      "${missing[*]}" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "headroom: needs root or sudo to install: apt-get install ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq >&2 || return 1
  mapfile -t missing < <(headroom_choose "${missing[@]}")
  echo "headroom: installing ${missing[*]}" >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
