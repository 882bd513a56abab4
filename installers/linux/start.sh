#!/bin/sh
# Starts the program of this folder by the name that it was called by (headroom or headroom-cli). The programs find what
# came along by themselves; only what a bare system lacks of its own libraries is added here.
here=$(dirname "$(readlink -f "$0")")
machine=$(uname -m)

is_there() {
  for folder in "/lib/$machine-linux-gnu" "/usr/lib/$machine-linux-gnu" /lib64 /usr/lib64 /lib /usr/lib; do
    [ ! -e "$folder/$1" ] || return 0
  done
  return 1
}

added=
for fallback in "$here"/lib/fallback/*; do
  is_there "$(basename "$fallback")" || added=$added:$fallback
done
if [ -n "$added" ]; then
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}$added
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH#:}
  export LD_LIBRARY_PATH
fi
exec "$here/usr/bin/$(basename "$0")" "$@"
