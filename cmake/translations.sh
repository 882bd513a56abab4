#!/usr/bin/env bash
# translations.sh [FOLDER]: brings the translations in FOLDER, ui/translations unless it is said, up to the sources: texts
# that are new come in unfinished, those that nobody says any more go. headroom_de.ts has all texts; headroom_en.ts only
# what is counted, since English needs forms for it too ("1 file", "2 files"). Needs Qt's lupdate: qt6-l10n-tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-ui/translations}

lupdate=$(command -v /usr/lib/qt6/bin/lupdate lupdate6 lupdate-qt6 lupdate | head -1) || true
if [ -z "$lupdate" ]; then
  echo "translations.sh: expected Qt's lupdate, found none: install qt6-l10n-tools" >&2
  exit 1
fi

# The core's sentences stand in Message::say(), say_n() and mark() (base/message.h), and have their English forms there.
# Of the core, which knows no Qt, lupdate says what it expects of Qt's classes and that it does not see into std.
options=(-silent -I . -I engine -locations none -no-obsolete -disable-heuristic sametext
  -disable-heuristic similartext -disable-heuristic number -tr-function-alias tr+=say
  -tr-function-alias QT_TR_N_NOOP+=say_n -tr-function-alias QT_TR_NOOP+=mark)
told=$({
  "$lupdate" "${options[@]}" engine ui app -source-language en -target-language de -ts "$folder/headroom_de.ts" &&
    "$lupdate" "${options[@]}" -pluralonly ui app -source-language en -target-language en -ts "$folder/headroom_en.ts"
} 2>&1) || {
  printf '%s\n' "$told" >&2
  exit 1
}
grep -vE "unknown namespace/class ::(std|Message)$|'headroom::Message' lacks Q_OBJECT" <<<"$told" >&2 || true
