/**
 * Returns the script /usr/sbin/remove-juju-services, which removes from a computer everything that made it a machine.
 * Packages and files of charms stay. Concurrent runs and runs after an interruption are safe: the parts that start the
 * agent are removed last, so that an agent that is told of its removal can begin again.
 */
export function removalScript(): string {
  return script;
}

const script = String.raw`#!/bin/sh
# Written by grigri: ends this computer's being a machine of a model. May be run again.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
JUJU=/var/lib/juju
[ "$(id -u)" = 0 ] || { echo 'remove-juju-services must be run by root' >&2; exit 1; }
cd /
if command -v flock >/dev/null 2>&1; then
  exec 9>/run/remove-juju-services.lock
  flock 9
fi
systemd=
[ ! -d /run/systemd/system ] || systemd=yes

# Never into what is mounted below.
wipe() {
  awk -v under="$1/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r | while IFS= read -r at; do
    umount -l "$at"
  done
  rm -rf --one-file-system "$1"
}
undo() {
  kind=${'$'}{1%% *}
  what=${'$'}{1#* }
  case "$kind" in
    file) rm -f "$what" ;;
    dir) rmdir "$what" 2>/dev/null ;;
    restore)
      # What somebody has changed since is theirs.
      file=${'$'}{what#* * }
      kept=${'$'}{what#* }
      kept=${'$'}{kept%% *}
      [ -f "$kept" ] && [ "$(cksum <"$file" 2>/dev/null | tr ' ' -)" = "${'$'}{what%% *}" ] || return 0
      cat "$kept" >"$file" ;;
    user) ! id "$what" >/dev/null 2>&1 || userdel -f -r "$what" 2>/dev/null ;;
    key)
      file=${'$'}{what%% *}
      [ -f "$file" ] || return 0
      grep -vxF -e "${'$'}{what#* }" "$file" >"$file.juju"
      cat "$file.juju" >"$file"
      rm -f "$file.juju" ;;
  esac
}

for unit in /etc/systemd/system/jujud-*.service; do
  [ ! -e "$unit" ] || [ -z "$systemd" ] || systemctl stop "$(basename "$unit")"
done
for supervise in $JUJU/init/jujud-*/supervise; do
  [ ! -x "$supervise" ] || "$supervise" stop 9>&-
done

for one in $JUJU/agents/*; do
  case "$one" in */machine-*) ;; *) wipe "$one" ;; esac
done
wipe /var/log/juju
wipe /run/juju
rm -f /etc/profile.d/juju-proxy.sh /etc/juju-proxy.conf /etc/juju-proxy-systemd.conf
for kind in system user; do
  [ -L "/etc/systemd/$kind.conf.d/juju-proxy.conf" ] || continue
  rm -f "/etc/systemd/$kind.conf.d/juju-proxy.conf"
  rmdir "/etc/systemd/$kind.conf.d" 2>/dev/null || :
done
rm -f /etc/apt/apt.conf.d/95-juju-proxy-settings
for one in /usr/bin/juju-exec /usr/bin/juju-run; do
  ! grep -qs '^# Written by grigri' $one || rm -f $one
done

# The last change first: a user's home goes with what was put into it.
[ ! -f $JUJU/host-changes ] || sed '1!G;h;$!d' $JUJU/host-changes | while IFS= read -r change; do
  undo "$change"
done

for unit in /etc/systemd/system/jujud-*.service; do
  [ -e "$unit" ] || continue
  [ -z "$systemd" ] || systemctl disable -q "$(basename "$unit")"
  rm -f "$unit" "/etc/systemd/system/multi-user.target.wants/$(basename "$unit")"
done
[ -z "$systemd" ] || { systemctl daemon-reload; systemctl reset-failed 'jujud-*' 2>/dev/null; }
for script in /etc/init.d/jujud-*; do
  [ -e "$script" ] || continue
  rm -f "$script"
  update-rc.d "$(basename "$script")" remove >/dev/null 2>&1
done
if grep -qsF $JUJU/init/jujud- /etc/rc.local; then
  grep -vF $JUJU/init/jujud- /etc/rc.local >/etc/rc.local.juju
  cat /etc/rc.local.juju >/etc/rc.local
  rm -f /etc/rc.local.juju
fi
rm -f /etc/cron.d/jujud-*
for disk in $JUJU/storage/loop/volume-*; do
  [ -f "$disk" ] || continue
  losetup --list --noheadings --output NAME --associated "$disk" | while read -r device; do
    umount -l "$device" 2>/dev/null
    losetup --detach "$device"
  done
done
wipe $JUJU
rm -f /usr/sbin/remove-juju-services /run/remove-juju-services.lock
exit 0
`;
