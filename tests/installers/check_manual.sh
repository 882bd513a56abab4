#!/usr/bin/env bash
# check_manual.sh PROGRAM PAGE: the page is clean roff, and has exactly the options and subcommands of PROGRAM's --help.
set -uo pipefail
program=$1 page=$2
failed=0
fail() { echo "$page: $*" >&2; failed=1; }

mandoc -T lint -W warning "$page" || fail "is not clean"

text=$(mandoc -T utf8 "$page" | col -b | sed 's/‐/-/g; s/−/-/g')
# options TEXT: the names at the start of option lines, and after a comma or slash there.
options() { grep -oE '^ +-[^ ].*' | grep -oE '(^ +|, *)--?[a-zA-Z][a-z0-9-]*' | tr -d ' ,' | sort -u; }

helps=$("$program" --help)
commands=$(sed -n '/^Subcommands:/I,/^$/s/^  \([a-z]\+\) .*/\1/p' <<<"$helps")
for command in $commands; do
  helps+=$'\n'$("$program" "$command" --help)
  grep -qE "^ +$command\$" <<<"$text" || fail "does not name the subcommand $command"
done
expected=$(options <<<"$helps")
found=$(options <<<"$text")
[ -n "$expected" ] || fail "$program --help shows no option"
[ "$expected" = "$found" ] || fail "has other options than --help (< help, > page):" \
  "$(diff <(echo "$expected") <(echo "$found"))"
exit $failed
