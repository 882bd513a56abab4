# Sourced by run.sh, test.sh and installers/build.sh: which packages of Debian each needs, and how to get what is
# missing. The names are the same on Debian 12 and 13 and Ubuntu 24.04; "a|b" means a
# where the system has it, else b.

# Why each is there: CONTRIBUTING.md, "Libraries".
HEADROOM_BUILD_PACKAGES="g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libpcre2-dev
  libutf8proc-dev libminizip-dev zlib1g-dev qt6-base-dev qt6-svg-dev qt6-svg-plugins|libqt6svg6 qt6-tools-dev
  qt6-l10n-tools qt6-translations-l10n libmd4c-dev libpoppler-cpp-dev libqt6sql6-sqlite libqcustomplot-dev
  qtkeychain-qt6-dev fonts-dejavu-core libvulkan-dev libvulkan-volk-dev glslc"
HEADROOM_WAYLAND_PACKAGES="qt6-wayland"  # for a session that has no X
# pip: see clang_format.sh and nvrtc.sh; the last two lines check what installers/ puts into packages.
HEADROOM_TEST_PACKAGES="ccache libgtest-dev libgmock-dev libboost-context-dev clang-format-14|python3-pip python3-pip
  desktop-file-utils appstream shared-mime-info mandoc
  fish zsh mesa-vulkan-drivers vulkan-validationlayers xz-utils
  xvfb dbus-daemon at-spi2-core gir1.2-atspi-2.0 python3-gi"
HEADROOM_PACKAGING_PACKAGES="dpkg-dev file gzip qt6-wayland patchelf python3-pip zstd"
HEADROOM_CROSS_PACKAGES="g++-aarch64-linux-gnu qemu-user"  # the libraries come from aarch64_sysroot.sh

# headroom_choose PACKAGE|OTHER...: of each the first that is installed or that the package sources have, else the last;
# one per line, with the word "installed" or "missing" before it. One question to dpkg for all, since run.sh asks it at
# each start.
headroom_choose() {
  local installed wanted package state
  # It fails when it does not know one of them.
  # shellcheck disable=SC2048,SC2086
  installed=$'\n'$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' ${*//|/ } 2>/dev/null || true)$'\n'
  for wanted in "$@"; do
    for package in ${wanted//|/ }; do
      state=missing
      if [[ $installed == *$'\n'"installed $package"$'\n'* ]]; then state=installed; break; fi
      [ "$package" != "${wanted##*|}" ] || break
      [ -z "$(apt-cache madison "$package" 2>/dev/null)" ] || break
    done
    echo "$state $package"
  done
}

# headroom_install PACKAGE|OTHER...: does nothing, and needs no network, when all are there.
headroom_install() {
  local missing root=()
  mapfile -t missing < <(headroom_choose "$@" | sed -n 's/^missing //p')
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
  mapfile -t missing < <(headroom_choose "$@" | sed -n 's/^missing //p')  # the sources are known only now
  echo "headroom: installing ${missing[*]}" >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
