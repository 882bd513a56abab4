#!/usr/bin/env bash
# run.sh with a build that is made up: which cards CUDA's kernels are compiled for, and when that is decided anew.
set -euo pipefail
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
wrong() { echo "run_test.sh: $*"; cat "$work/said" "$work/asked" 2>/dev/null; exit 1; }

project=$work/project
mkdir -p "$project/cmake" "$work/bin"
cp "$source_folder/run.sh" "$project/"
printf 'HEADROOM_BUILD_PACKAGES=""\nHEADROOM_WAYLAND_PACKAGES=""\nheadroom_install() { :; }\n' >"$project/cmake/packages.sh"
# CARD, NVRTC, FETCHED, ARCHITECTURES: what this machine has.
cat >"$project/cmake/nvrtc.sh" <<'FAKE'
#!/bin/bash
case "${1:-}" in
  --card) [ -n "${CARD:-}" ] ;;
  --architectures) echo "$ARCHITECTURES" ;;
  --fetch) echo fetched >>"$WORK/asked"; [ -n "${FETCHED:-}" ] && touch "$WORK/fetched" && echo "$FETCHED" ;;
  *) if [ -n "${NVRTC:-}" ]; then echo "$NVRTC"; elif [ -e "$WORK/fetched" ]; then echo "$FETCHED"; else exit 1; fi ;;
esac
FAKE
# FAULT: the kernels do not compile.
cat >"$work/bin/cmake" <<'FAKE'
#!/bin/bash
release=build/release
case "$*" in
  *" -n") [ -e $release/built ] && echo "ninja: no work to do."; exit 0 ;;
  *headroom_cuda_kernels) echo "kernels" >>"$WORK/asked"; [ -z "${FAULT:-}" ] ;;
  --build*) echo "build" >>"$WORK/asked"; touch $release/built ;;
  --preset*)
    echo "$*" >>"$WORK/asked"
    mkdir -p $release/bin
    compiled="75;80;90"
    for option; do
      case "$option" in -DHEADROOM_CUDA_ARCHITECTURES=*) compiled=${option#*=} ;; -DHEADROOM_CUDA=OFF) compiled="" ;; esac
    done
    echo "HEADROOM_CUDA_COMPILED:INTERNAL=$compiled" >$release/CMakeCache.txt
    printf '#!/bin/sh\necho started\n' >$release/bin/headroom-cli
    chmod +x $release/bin/headroom-cli
    touch $release/build.ninja
    rm -f $release/built ;;
esac
FAKE
chmod +x "$project/cmake/nvrtc.sh" "$work/bin/cmake"
# asks EXPECTED VARIABLE=VALUE...: run.sh starts the program, after it has asked CMake for that.
asks() {
  local expected=$1; shift
  rm -f "$work/asked"; touch "$work/asked"
  env -i PATH="$work/bin:/usr/bin:/bin" WORK="$work" "$@" "$project/run.sh" >"$work/said" 2>&1 || wrong "$*: it failed"
  grep -qx started "$work/said" || wrong "$*: it did not start"
  [ "$(tr '\n' '|' <"$work/asked")" = "$expected" ] || wrong "$*: expected $expected"
}
for_cards() { echo "--preset release -DHEADROOM_CUDA_ARCHITECTURES=$1|kernels|build|"; }
without="--preset release -DHEADROOM_CUDA=OFF|build|"
fresh() { rm -rf "$project/build" "$work/fetched"; }

# No card: no kernels, whatever compiler is there.
asks "$without" NVRTC=/n
asks "" NVRTC=/n
asks "" NVRTC=/n HEADROOM_CUDA=1
# A card comes, another one, and one goes.
asks "$(for_cards 89)" NVRTC=/n CARD=1 ARCHITECTURES=89
asks "" NVRTC=/n CARD=1 ARCHITECTURES=89
asks "$(for_cards "86;89")" NVRTC=/n CARD=1 "ARCHITECTURES=86;89"
asks "" NVRTC=/n CARD=1 ARCHITECTURES=86
asks "" NVRTC=/n
# A card without a compiler: it is fetched, and used from then on.
fresh
asks "fetched|$without" CARD=1 ARCHITECTURES=90
grep -q "into build/nvrtc (90 MB)" "$work/said" || wrong "expected that it says what is fetched"
grep -q "the card is used by Vulkan" "$work/said" || wrong "expected that it says what becomes of the card"
asks "" CARD=1 ARCHITECTURES=90 FETCHED=/f  # that failed is remembered
rm "$project/build/nvrtc-tried"
asks "" CARD=1 ARCHITECTURES=90 FETCHED=/f HEADROOM_CUDA=0  # nobody wants it
asks "fetched|$(for_cards 90)" CARD=1 ARCHITECTURES=90 FETCHED=/f
asks "" CARD=1 ARCHITECTURES=90 FETCHED=/f
# A card that is too old for our kernels: nothing is fetched, nothing compiled.
fresh
asks "$without" CARD=1 ARCHITECTURES= FETCHED=/f
fresh
(cd "$project" && WORK=$work PATH=$work/bin:$PATH cmake --preset release)
asks "build|" NVRTC=/n CARD=1 ARCHITECTURES=80
asks "$(for_cards 86)" NVRTC=/n CARD=1 ARCHITECTURES=86
echo >"$project/build/release/CMakeCache.txt"
asks "" NVRTC=/n
asks "$(for_cards 86)" NVRTC=/n CARD=1 ARCHITECTURES=86
# Kernels that do not compile are left out, and tried again with another compiler.
fresh
failed="--preset release -DHEADROOM_CUDA_ARCHITECTURES=89|kernels|$without"
asks "$failed" NVRTC=/n CARD=1 ARCHITECTURES=89 FAULT=1
asks "" NVRTC=/n CARD=1 ARCHITECTURES=89
asks "$(for_cards 89)" NVRTC=/other CARD=1 ARCHITECTURES=89
