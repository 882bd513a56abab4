#!/usr/bin/env bash
# Installs what is missing, builds the release preset and starts Headroom: ./run.sh [MODEL]
# Without a display the same job is done in the terminal. Without root or sudo it says what is to be installed.
set -euo pipefail
cd "$(dirname "$0")"
source cmake/packages.sh

model=()
if [ $# -gt 0 ]; then
  case "$1" in
    -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
  esac
  cd "$OLDPWD" 2>/dev/null || true
  model=("$(realpath -- "$1")")
  cd "$(dirname "$(realpath "$0")")"
fi

headroom_install $HEADROOM_BUILD_PACKAGES
if [ -n "${WAYLAND_DISPLAY:-}" ]; then
  # Qt's plugin for Wayland is a package of its own. Where an X server stands beside it, the window opens there without.
  headroom_install $HEADROOM_WAYLAND_PACKAGES || [ -n "${DISPLAY:-}" ]
fi
log=build/release/build.log
mkdir -p build/release
# For every kind of card CUDA's kernels take three minutes of a processor to compile, for one kind half a minute: they are
# compiled for those that are here. Their compiler is fetched for a card that they run on, once; where that fails, Vulkan
# computes.
architectures="" nvrtc=""
if [ "${HEADROOM_CUDA:-}" != 0 ] && cmake/nvrtc.sh --card; then architectures=$(cmake/nvrtc.sh --architectures); fi
if [ -n "$architectures" ] && ! nvrtc=$(cmake/nvrtc.sh 2>/dev/null) && [ ! -e build/nvrtc-tried ]; then
  echo "headroom: there is a card of NVIDIA's: fetching the compiler of its kernels into build/nvrtc (90 MB)" >&2
  touch build/nvrtc-tried  # a failure is not met again at each start
  if ! headroom_install python3-pip || ! nvrtc=$(cmake/nvrtc.sh --fetch); then
    echo "headroom: that failed; the card is used by Vulkan (rm build/nvrtc-tried to try again)" >&2
  fi
fi
[ -n "$nvrtc" ] || architectures=""
configure() {
  cmake --preset release "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
}
# A folder that was configured before stays as it is while it has all that the cards need: what installers/build.sh made
# has kernels for every card.
compiled=$(sed -n 's/^HEADROOM_CUDA_COMPILED:INTERNAL=//p' build/release/CMakeCache.txt 2>/dev/null || true)
missing=""
for architecture in ${architectures//;/ }; do
  [[ ";$compiled;" == *";$architecture;"* ]] || missing=$architecture
done
if [ -n "$missing" ] && [ "$(cat build/release/cuda-failed 2>/dev/null)" != "$nvrtc $architectures" ]; then
  configure "-DHEADROOM_CUDA_ARCHITECTURES=$architectures"
  if ! cmake --build --preset release --target headroom_cuda_kernels; then
    echo "headroom: CUDA's kernels cannot be compiled here; the card is used by Vulkan (rm build/release/cuda-failed to" \
      "try again)" >&2
    echo "$nvrtc $architectures" >build/release/cuda-failed
    configure -DHEADROOM_CUDA=OFF
  fi
elif [ ! -f build/release/build.ninja ]; then
  configure -DHEADROOM_CUDA=OFF
fi
# Quiet when there is nothing to do; a first build shows how far it is.
if ! cmake --build --preset release -- -n | grep -q 'no work to do'; then
  echo "headroom: building (the first time takes a few minutes)" >&2
  cmake --build --preset release --target headroom headroom-cli
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
  exec build/release/bin/headroom ${model[@]+"${model[@]}"}
fi

echo "No display: the same job in the terminal." >&2
exec build/release/bin/headroom-cli tour ${model[@]+"${model[@]}"}
