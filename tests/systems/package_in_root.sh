#!/usr/bin/env bash
# The packages on a system that has nothing yet: package_in_root.sh SUITE [PACKAGE.deb] [ARCHIVE.tar.zst] [--keep]
# Makes a minimal root of that Debian or Ubuntu and holds that
#   - the archive runs there before any Qt is installed: the terminal answers, the window opens
#   - apt installs the .deb with what it needs, both programs start, the starter model answers, the window opens under X
#     and under Wayland without X, a .gguf file belongs to Headroom
#   - no program knows where it was built, and its removal leaves nothing but the user's data.
# Not part of test.sh: it takes some minutes. The root is deleted at the end unless --keep is given.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/../..")
source "$checkout/tests/systems/root.sh"

suite=${1:?which system? a suite that debootstrap knows, such as trixie}; shift
package= archive= keep=
for word in "$@"; do
  case "$word" in
    *.deb) package=$(realpath "$word") ;;
    *.tar.zst) archive=$(realpath "$word") ;;
    --keep) keep=yes ;;
    *) echo "package_in_root.sh: unknown argument $word: expected a .deb, a .tar.zst or --keep" >&2; exit 2 ;;
  esac
done
[ -n "$package$archive" ] || { echo "package_in_root.sh: expected a .deb or a .tar.zst" >&2; exit 2; }

# wanted WHAT COMMAND...: says what holds; ends with what did not.
wanted() {
  local what=$1 said; shift
  if said=$("$@" 2>&1); then echo "ok: $what"; else echo "FAILED: $what: $said" >&2; exit 1; fi
}

rm -rf --one-file-system "${HEADROOM_ROOTS:-$checkout/build/roots}/$suite-package"
root_make "$suite" "$suite-package"
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
root_run bash -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends xvfb xauth x11-utils weston \
  xdg-utils desktop-file-utils libglib2.0-bin >/dev/null 2>&1; useradd --create-home person'

# Run by root_run as the user: starts a program beside a display, waits for its window, then ends it.
install -m 755 /dev/stdin "$root/usr/local/bin/window-of" <<'END'
#!/bin/bash
# window-of x|wayland PROGRAM: 0 when it shows a window
export XDG_RUNTIME_DIR=$(mktemp -d)
case "$1" in
  x)
    Xvfb :7 -screen 0 1600x1000x24 >/dev/null 2>&1 &
    display=$!
    export DISPLAY=:7
    for _ in $(seq 100); do xwininfo -root >/dev/null 2>&1 && break; sleep 0.2; done
    ;;
  wayland)
    weston --backend=headless-backend.so --socket=seven --idle-time=0 >"$XDG_RUNTIME_DIR/weston.log" 2>&1 &
    display=$!
    export WAYLAND_DISPLAY=seven
    for _ in $(seq 100); do [ -S "$XDG_RUNTIME_DIR/seven" ] && break; sleep 0.2; done
    ;;
esac
"$2" >"$XDG_RUNTIME_DIR/program.log" 2>&1 &
program=$!
shown=1
for _ in $(seq 150); do
  kill -0 "$program" 2>/dev/null || break
  case "$1" in
    x) xwininfo -root -tree | grep -q '"Headroom\|Headroom"' && shown=0 ;;
    # No client can ask for another's windows: that the platform's plugin is in use and the program has not ended is
    # what can be seen from outside.
    wayland) grep -q 'libqwayland' "/proc/$program/maps" && grep -q 'libxdg-shell' "/proc/$program/maps" && shown=0 ;;
  esac
  [ "$shown" -ne 0 ] || break
  sleep 0.2
done
sleep 2  # one that dies of its first frame has shown nothing
kill -0 "$program" 2>/dev/null || shown=1
[ "$shown" -eq 0 ] || cat "$XDG_RUNTIME_DIR"/*.log
kill "$program" "$display" 2>/dev/null
exit "$shown"
END
as_person() { root_run su person -c "cd && export LANG=C.UTF-8; $1"; }
# Read to its end: who closes a pipe early makes the program fail, rightly.
answers() {
  local said
  said=$(as_person "$1 tour") && [[ $said == *"taken since the load: drivers 0 B, mappings 0 B"* ]] || { echo "$said"; return 1; }
}
opens() { as_person "/usr/local/bin/window-of $1 $2"; }

if [ -n "$archive" ]; then
  zstd -dc "$archive" | tar -x -C "$root/opt"
  folder=/opt/$(ls "$root/opt")
  wanted "there is no Qt on this $suite" root_run bash -c '! ldconfig -p | grep -q libQt6'
  wanted "archive: the starter model answers" answers "$folder/headroom-cli"
  wanted "archive: the window opens under X" opens x "$folder/headroom"
  wanted "archive: the window opens under Wayland" opens wayland "$folder/headroom"
  rm -rf "$root/opt" "$root/home/person/.local" "$root/home/person/.cache" "$root/home/person/.config"
  mkdir "$root/opt"
fi

if [ -n "$package" ]; then
  cp "$package" "$root/tmp/headroom.deb"
  needs="$(dpkg-deb --field "$package" Depends), qt6-wayland"
  root_run apt-get satisfy -y -qq --no-install-recommends "$needs" >"$root.log" 2>&1
  files() { root_run find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib -o -path /var/log -o -path /var/cache \
    -o -path /home \) -prune -o -print | sort; }
  files >"$root.before"
  wanted "deb: apt installs it" root_run apt-get install -y -qq /tmp/headroom.deb
  wanted "deb: headroom --version" as_person "headroom --version"
  wanted "deb: headroom-cli --version" as_person "headroom-cli --version"
  wanted "deb: the starter model answers" answers headroom-cli
  wanted "deb: the window opens under X" opens x headroom
  wanted "deb: the window opens under Wayland without X" opens wayland headroom
  wanted "deb: Headroom opens .gguf files" \
    as_person '[ "$(xdg-mime query default application/x-gguf)" = headroom.desktop ]'
  wanted "deb: a .gguf file has that type" \
    as_person 'gio info -a standard::content-type /usr/share/headroom/starter/headroom-starter.gguf |
      grep -q "content-type: application/x-gguf"'
  # Wherever it was built: a source of ours with folders before it, not this checkout alone. "../engine" tells nothing.
  sources='/[.]?[[:alnum:]_-][[:alnum:]_.+-]*/(engine|app|ui)/[[:alnum:]_/]+\.(cpp|h|inl)'
  for program in headroom headroom-cli; do
    wanted "deb: $program has no path of a build" bash -c '! grep -aoE -m 1 "$1|/build/(release|dev)/" "$2"' sh \
      "$checkout|$HOME/|$sources" "$root/usr/bin/$program"
    wanted "deb: $program has no path of libraries of its own" \
      bash -c '! readelf -d "$1" | grep -qE "RPATH|RUNPATH"' sh "$root/usr/bin/$program"
  done
  wanted "deb: apt removes it" root_run apt-get purge -y -qq headroom
  files >"$root.after"
  wanted "deb: its removal leaves nothing" diff "$root.before" "$root.after"
  wanted "deb: the user's conversations stay" test -d "$root/home/person/.local/share/headroom"
  rm -f "$root.before" "$root.after"
fi
echo "$suite: all of it holds"
