/**
 * Steps of the first-boot script, in POSIX shell. The text contains no values, so no value can be executed as a
 * command. install-script.ts puts the values before it.
 */

/**
 * Functions that report progress on the console and, once the controller is reached, to the controller. `fail` ends the
 * script.
 */
export const sayings = String.raw`
set -u -f
umask 022
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
DEBIAN_FRONTEND=noninteractive
export PATH DEBIAN_FRONTEND

JUJU=/var/lib/juju
WORK=$JUJU/first-boot
FAILED=
DEAF=

say() { printf 'juju: %s\n' "$1" >&2; }
tell() { # state message
  say "$2"
  post "$1" "$2" || :
}
fail() {
  # It is said already; only the controller cannot be told.
  [ -z "$FAILED" ] || exit 1
  FAILED=yes
  tell failed "$1"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Files come whole or not at all.
put() { # file mode content
  mkdir -p "$(dirname "$1")" &&
    (umask 077 && printf '%s' "$3" >"$1.new") &&
    chmod "$2" "$1.new" &&
    mv -f "$1.new" "$1" || fail "cannot write $1"
}
# True when it was another.
put_changed() {
  [ -f "$1" ] && [ "$(cat "$1"; printf .)" = "$3." ] && return 1
  put "$@"
}

prepare() {
  [ "$(id -u)" = 0 ] || { say 'must be run by root'; exit 1; }
  mkdir -p "$JUJU/locks" /var/log/juju && (umask 077 && mkdir -p "$WORK") || exit 1
  # One at a time.
  if has flock; then
    exec 9>"$WORK/lock"
    flock 9
  fi
}

custom() { # command
  (sh -c "$1") 9>&- || say "a command of cloudinit-userdata failed: $1"
}
`;

/**
 * The login user, and the files that tie the machine to its record. Each new item is recorded for remove-juju-services
 * before it is created: `user NAME`, `dir PATH`, `file PATH`, `key FILE THE KEY`; each replaced file as
 * `restore SUM KEPT FILE`.
 */
export const accounts = String.raw`
note() {
  grep -qxF -e "$1" "$JUJU/host-changes" 2>/dev/null || printf '%s\n' "$1" >>"$JUJU/host-changes"
}

make_user() {
  if ! id ubuntu >/dev/null 2>&1; then
    note 'user ubuntu'
    if has useradd; then useradd --create-home --shell /bin/bash --password '*' --comment Ubuntu ubuntu
    else adduser -D -s /bin/sh -g Ubuntu ubuntu; fi || fail 'cannot create the user ubuntu'
  fi
  # A container has the users of its machine, but not their homes.
  key_file
  [ -d "$home" ] || { note "dir $home" && mkdir -p "$home" && chown ubuntu: "$home"; } || fail "cannot make $home"
  [ -e /etc/sudoers.d/90-juju-ubuntu ] || note 'file /etc/sudoers.d/90-juju-ubuntu'
  put_changed /etc/sudoers.d/90-juju-ubuntu 0440 'ubuntu ALL=(ALL) NOPASSWD:ALL
'
}

# The keys of the model. Those that it had and has no more are removed where they were put by this; the lines of others
# stay.
sync_keys() {
  id ubuntu >/dev/null 2>&1 || return 0
  key_file
  printf '%s\n' "$KEYS" >"$WORK/keys"
  if [ -f "$JUJU/model-keys" ] && [ -f "$file" ]; then
    grep -vxF -f "$WORK/keys" "$JUJU/model-keys" | while IFS= read -r key; do
      [ -n "$key" ] && grep -qxF -e "key $file $key" "$JUJU/host-changes" || continue
      without "$file" "$key" && without "$JUJU/host-changes" "key $file $key" || fail "cannot write $file"
    done || exit 1
  fi
  add_keys "$KEYS"
  cp "$WORK/keys" "$JUJU/model-keys.new" && mv -f "$JUJU/model-keys.new" "$JUJU/model-keys" ||
    fail "cannot write $JUJU/model-keys"
}
without() { # file line
  (umask 077 && cp -p "$1" "$1.new") || return 1
  grep -vxF -e "$2" "$1" >"$1.new"
  [ $? -le 1 ] && mv -f "$1.new" "$1"
}
key_file() {
  home=$(awk -F: '$1 == "ubuntu" { print $6 }' /etc/passwd)
  [ -n "$home" ] || home=/home/ubuntu
  file=$home/.ssh/authorized_keys
}
add_keys() { # keys
  key_file
  [ -d "$home/.ssh" ] || note "dir $home/.ssh"
  [ -e "$file" ] || note "file $file"
  mkdir -p "$home/.ssh" && chmod 0700 "$home/.ssh" && touch "$file" && chmod 0600 "$file" ||
    fail "cannot write $file"
  # A last line that nobody ended would swallow the next.
  [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
  printf '%s\n' "$1" | while IFS= read -r key; do
    [ -n "$key" ] && ! grep -qxF -e "$key" "$file" || continue
    note "key $file $key" && printf '%s\n' "$key" >>"$file"
  done
  chown -R ubuntu: "$home/.ssh"
}
`;

/** Package steps: a failure is reported and does not keep the agent from starting. */
export const packages = String.raw`
set_proxies() {
  if [ -z "$PROXY_ENVIRONMENT" ]; then
    [ -e /etc/juju-proxy.conf ] || return 0
    rm -f /etc/profile.d/juju-proxy.sh /etc/juju-proxy.conf /etc/juju-proxy-systemd.conf \
      /etc/systemd/system.conf.d/juju-proxy.conf /etc/systemd/user.conf.d/juju-proxy.conf
    rmdir /etc/systemd/system.conf.d /etc/systemd/user.conf.d 2>/dev/null || :
    [ -d /run/systemd/system ] && systemctl daemon-reload
    return 0
  fi
  put /etc/juju-proxy.conf 0644 "$PROXY_ENVIRONMENT"
  put /etc/juju-proxy-systemd.conf 0644 "$PROXY_SYSTEMD"
  put /etc/profile.d/juju-proxy.sh 0644 '[ -f /etc/juju-proxy.conf ] && . /etc/juju-proxy.conf
'
  for kind in system user; do
    mkdir -p "/etc/systemd/$kind.conf.d" && ln -sfn /etc/juju-proxy-systemd.conf "/etc/systemd/$kind.conf.d/juju-proxy.conf"
  done
  [ -d /run/systemd/system ] && systemctl daemon-reload
  . /etc/juju-proxy.conf
}

# What was there first is kept for remove-juju-services: restore <sum of the new> <kept> FILE.
replace() { # file, the new one
  kept=$JUJU/replaced/$(printf '%s' "$1" | tr / _)
  [ -e "$kept" ] ||
    { mkdir -p "$JUJU/replaced" && cp "$1" "$kept.new" && mv -f "$kept.new" "$kept"; } || fail "cannot keep $1"
  note "restore $(cksum <"$2" | tr ' ' -) $kept $1" &&
    cp "$2" "$1.new" && chmod 0644 "$1.new" && mv -f "$1.new" "$1" || fail "cannot write $1"
}

set_apt() {
  has apt-get || return 0
  if [ -n "$APT_PROXIES" ]; then put /etc/apt/apt.conf.d/95-juju-proxy-settings 0644 "$APT_PROXIES"
  else rm -f /etc/apt/apt.conf.d/95-juju-proxy-settings; fi
  [ -n "$APT_MIRROR" ] || return 0
  . /etc/os-release
  set +f
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] || continue
    # The release's own archive; on Ubuntu that of security has the same content.
    MIRROR=$APT_MIRROR SUITE=$VERSION_CODENAME DISTRIBUTION=$ID awk '
      function own(uri) { return uri != mirror && uri in archives }
      function released(name) { return name == suite || (ENVIRON["DISTRIBUTION"] == "ubuntu" && name == suite "-security") }
      BEGIN { mirror = ENVIRON["MIRROR"]; suite = ENVIRON["SUITE"] }
      FNR == NR {
        if ($1 == "URIs:") { many = NF; for (i = 2; i <= NF; i++) uris[i] = $i }
        if ($1 == "Suites:") for (i = 2; i <= NF; i++) if (released($i)) for (j = 2; j <= many; j++) archives[uris[j]]
        if ($1 == "deb") { at = 2; if ($2 ~ /^\[/) { while ($at !~ /\]$/ && at < NF) at++; at++ } if (released($(at + 1))) archives[$at] }
        next
      }
      { for (i = 1; i <= NF; i++) if (own($i)) { at = index($0, $i); $0 = substr($0, 1, at - 1) mirror substr($0, at + length($i)) } print }
    ' "$file" "$file" >"$WORK/sources" || continue
    cmp -s "$WORK/sources" "$file" || replace "$file" "$WORK/sources"
  done
  set -f
}

# Where snapd is not there it is no matter; where it does not answer, it is not waited for.
set_snap() {
  has snap || return 0
  [ -n "$SNAP_HTTP_PROXY$SNAP_HTTPS_PROXY" ] || [ -e "$JUJU/snap-proxy" ] || return 0
  : >"$JUJU/snap-proxy"
  timeout 60 snap set system "proxy.http=$SNAP_HTTP_PROXY" "proxy.https=$SNAP_HTTPS_PROXY" </dev/null >&2 9>&- ||
    say 'the proxies of snapd could not be set'
}

apt() {
  tries=0
  until apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" </dev/null >&2 9>&-; do
    tries=$((tries + 1))
    [ $tries -lt 3 ] || return 1
    sleep $((tries * 5))
  done
}

upgrade() {
  held=
  case "$(apt-mark showhold)" in *cloud-init*) ;; *) has cloud-init && apt-mark hold cloud-init >/dev/null && held=yes ;; esac
  apt upgrade
  code=$?
  [ -z "$held" ] || apt-mark unhold cloud-init >/dev/null
  return $code
}

add_packages() {
  wanted=
  has curl || has python3 || wanted="$wanted curl"
  # Node.js needs it, and Ubuntu's smallest lacks it.
  ldconfig -p 2>/dev/null | grep -qF libstdc++.so.6 || wanted="$wanted libstdc++6"
  has sudo || wanted="$wanted sudo"
  [ -x /usr/sbin/sshd ] || wanted="$wanted openssh-server"
  # Put there by the provider, for the time from now on.
  firewall=/etc/grigri/firewall.nft
  [ ! -f $firewall ] || has nft || wanted="$wanted nftables"
  wanted="$wanted$(printf '%s\n' "$PACKAGES" | while IFS= read -r one; do
    [ -z "$one" ] || [ "$(dpkg-query -W -f '$'{db:Status-Status} "$one" 2>/dev/null)" = installed ] || printf ' %s' "$one"
  done)"
  if ! has apt-get; then
    [ -z "$wanted" ] || say "cannot install packages, apt-get is missing:$wanted"
    return 0
  fi
  refreshed=
  if [ -n "$REFRESH" ]; then
    tell running 'refreshing package lists'
    if apt update; then refreshed=yes; else tell running 'the package lists could not be refreshed'; fi
  fi
  if [ -n "$UPGRADE" ]; then
    tell running 'upgrading packages'
    upgrade || tell running 'the packages could not be upgraded'
  fi
  [ -n "$wanted" ] || return 0
  tell running "installing packages:$wanted"
  apt install $wanted || { [ -z "$refreshed" ] && apt update && apt install $wanted; } ||
    tell running "packages could not be installed:$wanted"
  case "$wanted" in *nftables*) nft -f $firewall ;; esac
}
`;
