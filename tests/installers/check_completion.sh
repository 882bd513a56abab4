#!/usr/bin/env bash
# check_completion.sh HEADROOM_CLI: what bash, fish and zsh offer with the scripts that the program writes.
set -uo pipefail
cli=$(realpath "$1")
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir models
touch 'my model.gguf' notes.txt
for shell in bash fish zsh; do "$cli" completion "$shell" >"$work/script.$shell" || exit 1; done

# has WHERE WANTED TEXT: a line of TEXT is WANTED.
has() { grep -qxF -- "$2" <<<"$3" || { echo "$1: expected \"$2\" among: ${3//$'\n'/ | }" >&2; failed=1; }; }
has_not() { ! grep -qxF -- "$2" <<<"$3" || { echo "$1: \"$2\" is offered" >&2; failed=1; }; }

# What --help says there is.
commands=$("$cli" --help | sed -n '/^Subcommands:/I,/^$/s/^  \([a-z]\+\) .*/\1/p')
[ "$(wc -l <<<"$commands")" -ge 12 ] || { echo "--help shows too few subcommands: $commands" >&2; exit 1; }
options_of() { "$cli" "$1" --help | grep -E '^ +-' | grep -oE '(^ +|,)--?[a-zA-Z][a-z0-9-]*' | tr -d ' ,'; }

source "$work/script.bash"
# in_bash WORD...: what is offered for the last word.
in_bash() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _headroom_cli; printf '%s\n' "${COMPREPLY[@]}"; }
# Without descriptions, which fish puts after a tab.
in_fish() { HOME=$work fish --no-config -c "source script.fish; complete -C '$1'" | cut -f1; }

in_first=$(in_bash headroom-cli '')
fish_first=$(in_fish 'headroom-cli ')
for command in $commands; do
  has bash "$command" "$in_first"
  has fish "$command" "$fish_first"
  offered=$(in_bash headroom-cli "$command" -)
  fish_offered=$(in_fish "headroom-cli $command -"; in_fish "headroom-cli $command --")
  for option in $(options_of "$command"); do
    has "bash, $command" "$option" "$offered"
    has "fish, $command" "$option" "$fish_offered"
    grep -qF -- "'$option[" script.zsh || { echo "zsh: $command has no $option" >&2; failed=1; }
  done
done

offered=$(in_bash headroom-cli plan '')
has 'bash, a model' 'my model.gguf' "$offered"
has 'bash, a folder' models "$offered"
has_not 'bash, a model' notes.txt "$offered"
has 'bash, any file' notes.txt "$(in_bash headroom-cli run x --report '')"
has 'bash, a KV type' q8_0 "$(in_bash headroom-cli plan x --kv-k q)"
has_not 'bash, a KV type' f16 "$(in_bash headroom-cli plan x --kv-k q)"
has 'bash, a question' layers "$(in_bash headroom-cli solve x --for l)"
has 'bash, a device in quotes' 'RTX 4090' "$(in_bash headroom-cli plan x --device '"RTX 409')"
has 'bash, a device' 'RTX\ 4090' "$(in_bash headroom-cli plan x --device RTX)"
has 'bash, a shell' fish "$(in_bash headroom-cli completion f)"
has 'fish, a KV type' q8_0 "$(in_fish 'headroom-cli plan x --kv-k ')"
has 'fish, a device' 'RTX 4090' "$(in_fish 'headroom-cli plan x --device ')"
has 'fish, a model' 'my model.gguf' "$(in_fish 'headroom-cli plan ')"

# zsh offers only to a person at a terminal, so one is made: what it shows for a line and two Tab keys.
cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty shell "ZDOTDIR=$PWD TERM=dumb zsh -f -i"
zpty -w shell "PS1= ; autoload -Uz compinit && compinit -D -u; source script.zsh"
# Said when the line editor has the terminal: keys that come earlier would be the terminal's.
zpty -w shell "zle-line-init() { print -r -- rea''dy }; zle -N zle-line-init"
zpty -r -m shell line "*ready*"
zpty -w -n shell "$1"$'\t\t\x15'  # the last key deletes the line
zpty -w shell "print do''ne"
zpty -r -m shell line "*done*"
print -r -- $line
END
# shows_in_zsh LINE WORD
shows_in_zsh() {
  local shown
  shown=$(timeout 60 zsh -f ask.zsh "$1" | tr '\r' '\n')
  grep -qF -- "$2" <<<"$shown" || { echo "zsh: expected \"$2\" after \"$1\", found: $shown" >&2; failed=1; }
}
zsh -n script.zsh || failed=1
shows_in_zsh 'headroom-cli insp' 'headroom-cli inspect '
shows_in_zsh 'headroom-cli plan my' 'my\ model.gguf'
shows_in_zsh 'headroom-cli plan x --kv-k q' 'q4_0  q8_0'
shows_in_zsh 'headroom-cli plan x --device RTX\ 409' 'RTX\ 4090\ Laptop'
exit $failed
