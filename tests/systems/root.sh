# Sourced by the scripts of this folder: a minimal root of another Debian or Ubuntu, made by debootstrap, and commands
# in it. Needs root (for chroot and mounts) and the package debootstrap.
#
# SUITE is a name that debootstrap knows: bookworm, trixie, sid, noble ... HEADROOM_ROOTS is where roots are kept
# (default: build/roots of the checkout); one that is there is used again unless --fresh was given.

root_make() {  # SUITE NAME: sets $root
  local suite=$1 mirror=
  root=${HEADROOM_ROOTS:-$checkout/build/roots}/$2
  case "$suite" in
    # Ubuntu's keys and universe, where Qt's tools and QCustomPlot are.
    jammy | noble | resolute) mirror="--components=main,universe" ;;
  esac
  if [ ! -e "$root/etc/debian_version" ]; then
    echo "== debootstrap $suite in $root" >&2
    mkdir -p "$root"
    # shellcheck disable=SC2086
    debootstrap --variant=minbase $mirror "$suite" "$root" >"$root.log" 2>&1 || { cat "$root.log" >&2; return 1; }
  fi
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # A machine behind a proxy has certificates and settings of its own; the root's package of certificates would write
  # over its usual file, so they get one beside it, which root_run names.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/certificates-of-the-host.crt"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
}

# root_run COMMAND...: in the root, with /proc, /sys and /dev, none of which outlives the command; no display, and
# nothing of this shell's environment.
root_run() {
  unshare --mount --propagation private bash -euc '
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      PIP_CERT=/etc/certificates-of-the-host.crt "$@"
  ' root_run "$root" "$@"
}

# root_copy FOLDER: the committed tree, no more, into FOLDER of the root; what was built there before stays.
root_copy() {
  mkdir -p "$root$1"
  find "$root$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  git -C "$checkout" archive HEAD | tar -x --no-same-owner -C "$root$1"
}
