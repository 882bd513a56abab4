#!/bin/bash
# Takes the README's pictures, docs/window-light.png and docs/window-dark.png: the real program with its starter model loaded
# and one question answered.
# Usage: docs/make_screenshots.sh [PROGRAM]; without one, the release build's. Needs Xvfb, xdotool and ImageMagick.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$root/build/release/bin/headroom}")
question="What is the KV cache?"
size=1440x900
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
for tool in Xvfb xdotool import convert; do
  command -v "$tool" >/dev/null || { echo "docs/make_screenshots.sh: $tool is not installed" >&2; exit 1; }
done

# Xvfb finds a free display itself and writes its number.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 "${size}x24" -nolisten tcp 3>"$work/display" 2>/dev/null &
pids+=($!)
read -r number <"$work/display"
export DISPLAY=:$number QT_QPA_PLATFORM=xcb

for theme in light dark; do
  data=$work/$theme
  mkdir -p "$data"
  printf '[window]\ntheme=%s\n' "$theme" >"$data/settings.ini"
  HEADROOM_DATA_DIR=$data "$program" 2>/dev/null &
  app=$!
  pids+=("$app")
  # The title names the model as soon as it is loaded.
  window=$(timeout 60 xdotool search --sync --onlyvisible --name "Starter.*Headroom" | tail -n 1)
  xdotool windowsize "$window" "${size%x*}" "${size#*x}" windowmove "$window" 0 0 windowfocus "$window"
  sleep 2
  xdotool type --delay 20 "$question"
  xdotool key Return
  sleep 10
  xdotool mousemove 0 0
  import -window root "$work/$theme.png"
  # Few colours stand in the window: a palette keeps the file small and the text sharp.
  convert "$work/$theme.png" +dither -colors 255 -define png:compression-level=9 -strip "PNG8:$root/docs/window-$theme.png"
  kill "$app"
  wait "$app" 2>/dev/null || true
done
ls -l "$root"/docs/window-*.png
