#!/usr/bin/env bash
# check_desktop.sh BUILD_FOLDER: desktop file, metainfo and MIME type are valid and name each other.
set -euo pipefail
linux=$(realpath "$(dirname "$0")/../../installers/linux")
documents=$1/installers/documents

desktop-file-validate "$linux/headroom.desktop"
# The project has no page of its own that the file could name. Newer versions of the tool fail for that alone, and older
# ones do not know the word.
metainfo=$documents/headroom.metainfo.xml
accepted=()
found=$(appstreamcli validate --no-net "$metainfo" 2>&1) || true
if [[ $found == *url-homepage-missing* ]]; then accepted=(--override=url-homepage-missing=info); fi
appstreamcli validate --no-net "${accepted[@]}" "$metainfo"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/mime/packages" "$work/applications"
cp "$linux/headroom-mime.xml" "$work/mime/packages/headroom.xml"
cp "$linux/headroom.desktop" "$work/applications/"
# This must say nothing: an error in the file is only written, not an exit code.
said=$(XDG_DATA_HOME=$work update-mime-database "$work/mime" 2>&1) || true
[ -z "$said" ] || { echo "update-mime-database: $said" >&2; exit 1; }
grep -q '^60:application/x-gguf:' <(tr '[]' '\n:' <"$work/mime/magic") || { echo "no magic for GGUF" >&2; exit 1; }
grep -qx '50:application/x-gguf:\*.gguf' "$work/mime/globs2" || { echo "no name for *.gguf" >&2; exit 1; }

update-desktop-database "$work/applications"
grep -qx 'application/x-gguf=headroom.desktop;' "$work/applications/mimeinfo.cache" ||
  { echo "the desktop file does not open application/x-gguf" >&2; exit 1; }
grep -q '<launchable type="desktop-id">headroom.desktop</launchable>' "$documents/headroom.metainfo.xml"
