#!/usr/bin/env bash
# portable.sh BUILD_FOLDER OUTPUT_FOLDER: an archive with the programs, the libraries and Qt plugins that they need, and
# a start script. It is made of this system's packages and runs on systems of the same age or newer.
#
# The C library and the drivers of the graphics card belong to the system and stay out. What a desktop has but a bare
# system may lack (the C++ library, the dispatchers of OpenGL) goes to lib/fallback, which the start script adds only
# where the system has none: a newer one of the system must win, since its drivers need it.
set -euo pipefail
build=$(realpath "$1") output=$(realpath "$2")
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=headroom-$version-linux-$(uname -m)
work=$(mktemp -d "$output/portable.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/$name
cmake --install "$build" --prefix "$root/usr" --strip >/dev/null
mkdir -p "$root/lib/fallback" "$root/licences"

system='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|drm|gbm|vulkan|GL|GLESv2))\.so'
fallback='^lib(stdc\+\+|gcc_s|EGL|GLX|OpenGL|GLdispatch)\.so'

# add_licence FILE: that of the package that this file of the system came from. The start of its path is left open,
# since a package may know it with or without /usr; the rest tells it from the same library of a cross compiler.
add_licence() {
  local package
  package=$(dpkg-query -S "*${1#/usr}" 2>/dev/null | sed -n '1s/[:,].*//p' || true)
  if [ ! -e "/usr/share/doc/${package:-none}/copyright" ]; then
    echo "portable.sh: $1 has no licence: expected a package that it came from, and its copyright file" >&2
    exit 1
  fi
  cp "/usr/share/doc/$package/copyright" "$root/licences/$package"
}

# add_libraries FILE...: all that they link, and what that links, except what belongs to the system.
add_libraries() {
  local library path
  while read -r library path; do
    if [[ $library =~ $system ]]; then continue; fi
    add_licence "$path"
    if [[ $library =~ $fallback ]]; then
      install -D "$path" "$root/lib/fallback/$library/$library"
    else
      install "$path" "$root/lib/$library"
    fi
  done < <(ldd "$@" 2>/dev/null | sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) (.*/\1 \2/p' | sort -u)
}

# Qt loads these while it runs. The window is drawn without OpenGL, so nothing of that comes along. OpenSSL itself, which
# the last one opens, is the system's, which mends it.
from=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || qmake6 -query QT_INSTALL_PLUGINS)
for plugin in platforms/libqxcb platforms/libqoffscreen platforms/libqwayland-generic \
  wayland-shell-integration/libxdg-shell wayland-decoration-client/libbradient \
  platforminputcontexts/libcomposeplatforminputcontextplugin platforminputcontexts/libibusplatforminputcontextplugin \
  iconengines/libqsvgicon imageformats/libqsvg sqldrivers/libqsqlite tls/libqopensslbackend; do
  if [ ! -e "$from/$plugin.so" ]; then
    echo "portable.sh: $from/$plugin.so is missing: is the package there that holds it?" >&2
    exit 1
  fi
  install -D "$from/$plugin.so" "$root/plugins/$plugin.so"
  add_licence "$from/$plugin.so"
done
add_libraries "$root/usr/bin/headroom" "$root/usr/bin/headroom-cli" "$root"/plugins/*/*.so

# Each finds the others from where it stands, so that no variable has to be set that programs started by it would
# inherit.
patchelf --set-rpath '$ORIGIN/../../lib' "$root"/usr/bin/*
patchelf --set-rpath '$ORIGIN/../../lib' "$root"/plugins/*/*.so
patchelf --set-rpath '$ORIGIN' "$root"/lib/*.so*
printf '[Paths]\nPrefix = ../..\nPlugins = plugins\n' >"$root/usr/bin/qt.conf"
install installers/linux/start.sh "$root/headroom"
ln -s headroom "$root/headroom-cli"
cp LICENSE "$root/"

archive=$output/$name.tar.zst
tar --create --sort=name --owner=0 --group=0 --directory "$work" "$name" | zstd -q -12 -T0 -f -o "$archive"
echo "$archive: $(stat -c %s "$archive") bytes, unpacked $(du -sk --apparent-size "$root" | cut -f1) KiB"
