#!/usr/bin/env bash
# cmake/nvrtc.sh with an index of packages that is made up: what is fetched and kept, what a failure leaves, and what is
# told of the cards.
set -euo pipefail
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
wrong() { echo "nvrtc_test.sh: $*"; cat "$work/said" 2>/dev/null; exit 1; }

# A project of its own, a machine of its own, and programs of its own before the system's.
mkdir -p "$work/project/cmake" "$work/bin" "$work/system/usr/local"
cp "$source_folder"/cmake/{nvrtc.sh,fetch_wheels.sh,cuda_capabilities.cpp} "$work/project/cmake/"
cp "$source_folder/CMakePresets.json" "$work/project/"
real_python=$(command -v python3)
# `pip download` makes wheels of what is asked for; with PIP_FAULT it leaves a part of them and fails.
cat >"$work/bin/python3" <<FAKE
#!/bin/bash
[ "\$2" = pip ] || exec "$real_python" "\$@"
while [ \$# -gt 0 ]; do
  case "\$1" in --dest) dest=\$(cd "\$2" && pwd) ;; --requirement) list=\$2 ;; --require-hashes) hashes=yes ;; esac
  shift
done
[ "\${hashes:-}" = yes ] && ! grep -qv 'hash=sha256:[0-9a-f]\{64\}' "\$list" || exit 3
made=\$(mktemp -d)
mkdir -p "\$made"/nvidia/{cuda_nvrtc,nvfatbin}/{include,lib}
touch "\$made"/nvidia/cuda_nvrtc/lib/{libnvrtc.so.12,libnvrtc-builtins.so.12.9,libnvrtc.alt.so.12,libnvrtc_static.a} \
  "\$made"/nvidia/nvfatbin/lib/libnvfatbin.so.12
[ -z "\${PIP_LACKS:-}" ] || rm "\$made/nvidia/\$PIP_LACKS"
while read -r name rest; do
  (cd "\$made" && "$real_python" -m zipfile -c "\$dest/\${name%%=*}.whl" nvidia)
  [ -z "\${PIP_FAULT:-}" ] || exit 1
done <"\$list"
FAKE
chmod +x "$work/bin/python3"
# run EXPECTED_STATUS ARGUMENTS...
run() {
  local expected=$1 status=0; shift
  PATH=$work/bin:/usr/bin:/bin LD_LIBRARY_PATH=$work/lib HEADROOM_SYSTEM_ROOT=$work/system "$work/project/cmake/nvrtc.sh" "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || wrong "$*: expected exit status $expected, found $status"
}
says() { grep -qF "$1" "$work/said" || wrong "expected the words \"$1\""; }

version=$(sed -n 's/^version=//p' "$source_folder/cmake/nvrtc.sh")
run 1
says "NVRTC $version is not in build/nvrtc"
PIP_FAULT=1 run 1 --fetch
[ -z "$(ls -A "$work/project/build")" ] || wrong "expected nothing of a download that failed, found $(ls "$work/project/build")"
PIP_LACKS=nvfatbin/lib/libnvfatbin.so.12 run 1 --fetch
[ -z "$(ls -A "$work/project/build")" ] || wrong "expected nothing of wheels that lack a library, found $(ls "$work/project/build")"
run 0 --fetch
says "$work/project/build/nvrtc/$version"
[ "$(cd "$work/project/build" && find . -type f | LC_ALL=C sort | tr '\n' ' ')" = \
  "./nvrtc/$version/libnvfatbin.so.12 ./nvrtc/$version/libnvrtc-builtins.so.12.9 ./nvrtc/$version/libnvrtc.so.12 " ] ||
  wrong "expected three libraries, found $(cd "$work/project/build" && find .)"
run 0
says "build/nvrtc/$version"
PIP_FAULT=1 run 0 --fetch  # it is there
# Another version is not taken, and makes room for this one.
mv "$work/project/build/nvrtc/$version" "$work/project/build/nvrtc/1.2.3"
run 1
run 0 --fetch
[ "$(ls "$work/project/build/nvrtc")" = "$version" ] || wrong "expected $version alone, found $(ls "$work/project/build/nvrtc")"
rm -r "$work/project/build"

# A card shows by its driver, or by its place on the bus.
run 1 --card
mkdir -p "$work/system/sys/bus/pci/devices/"{0,1}
echo 0x10de >"$work/system/sys/bus/pci/devices/0/vendor"
echo 0x020000 >"$work/system/sys/bus/pci/devices/0/class"  # of a network
echo 0x1002 >"$work/system/sys/bus/pci/devices/1/vendor"
echo 0x030000 >"$work/system/sys/bus/pci/devices/1/class"
run 1 --card
run 0 --architectures
[ -z "$(cat "$work/said")" ] || wrong "expected nothing without a card"
echo 0x030200 >"$work/system/sys/bus/pci/devices/0/class"
run 0 --card
rm -r "$work/system/sys"
mkdir -p "$work/system/proc/driver/nvidia"
touch "$work/system/proc/driver/nvidia/version"
run 0 --card

# What to compile for: as the driver's program tells, else its library; all of a release where neither does.
# architectures EXPECTED
architectures() {
  run 0 --architectures
  [ "$(cat "$work/said")" = "$1" ] || wrong "expected the architectures \"$1\""
}
tells() { printf '#!/bin/sh\necho asked >>%s\nprintf "%s"\nexit %s\n' "$work/asked" "$1" "${2:-0}" >"$work/bin/nvidia-smi"; chmod +x "$work/bin/nvidia-smi"; }
# A driver's library whose devices have these major and minor numbers; no number: it cannot be initialized.
library() {
  mkdir -p "$work/lib"
  printf 'static const int told[] = {%s -1}, n = (sizeof(told) / sizeof(int) - 1) / 2;
int cuInit(unsigned flags) { (void)flags; return n > 0 ? 0 : 100; }
int cuDeviceGetCount(int* count) { *count = n; return 0; }
int cuDeviceGetAttribute(int* value, int which, int device) { *value = told[device * 2 + (which == 76)]; return which != 75 && which != 76; }
' "$(printf '%s,' "$@")" >"$work/library.c"
  cc -shared -fPIC -x c -o "$work/lib/libcuda.so.1" "$work/library.c"
}
forget() { rm -f "$work/project/build/cuda-cards" "$work/asked"; }
library 0  # no device: one number is of none
all=$(sed -n 's/.*"HEADROOM_CUDA_ARCHITECTURES": "\([^"]*\)".*/\1/p' "$source_folder/CMakePresets.json")
[ -n "$all" ] || wrong "expected a list of architectures in CMakePresets.json"
architectures "$all"
[ ! -e "$work/project/build/cuda-cards" ] || wrong "expected that nothing is kept of what nobody told"
tells 'Field "compute_cap" is not a valid field to query.\n' 2
architectures "$all"
tells '8.9\n[N/A]\n'
architectures "$all"
library 8 6 12 0
architectures "86;120"
[ ! -e "$work/lib/libcuda.so.1" ] || rm "$work/lib/libcuda.so.1"
forget
tells '8.9\n'
architectures 89
architectures 89
[ "$(cat "$work/asked")" = asked ] || wrong "expected that the driver is asked once, found $(cat "$work/asked")"
tells '12.0\n8.6\n12.0\n6.1\n7.5\n'
architectures 89
# Another card, or another driver: it is asked again.
mkdir -p "$work/system/sys/bus/pci/devices/"{3,4}
for card in 3 4; do
  echo 0x10de >"$work/system/sys/bus/pci/devices/$card/vendor"
  echo 0x030000 >"$work/system/sys/bus/pci/devices/$card/class"
  echo 0x2204 >"$work/system/sys/bus/pci/devices/$card/device"
done
architectures "75;86;120"
tells '6.1\n'
echo "NVRM version: 580" >"$work/system/proc/driver/nvidia/version"
architectures ""
architectures ""  # and that is kept, too
tells '8.0\n9.0\n'
architectures ""
rm -r "$work/system/sys/bus/pci/devices/4"
architectures "80;90"
