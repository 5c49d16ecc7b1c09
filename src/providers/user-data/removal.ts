/** /usr/sbin/remove-juju-services: leaves of an agent and its units what they installed, and nothing of their own. */
export function removalScript(): string {
  return script;
}

const script = String.raw`#!/bin/sh
# Written by grigri: ends this computer's being a machine of a model. May be run again.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
[ "$(id -u)" = 0 ] || { echo 'remove-juju-services must be run by root' >&2; exit 1; }
cd /

for unit in /etc/systemd/system/jujud-*.service; do
  [ -e "$unit" ] || continue
  name=$(basename "$unit")
  [ ! -d /run/systemd/system ] || systemctl disable -q --now "$name"
  rm -f "$unit" "/etc/systemd/system/multi-user.target.wants/$name"
done
[ ! -d /run/systemd/system ] || { systemctl daemon-reload; systemctl reset-failed 'jujud-*' 2>/dev/null; }

for supervise in /var/lib/juju/init/jujud-*/supervise; do
  [ -x "$supervise" ] || continue
  "$supervise" stop
  if [ -f /etc/rc.local ] && grep -qF "$supervise start" /etc/rc.local; then
    grep -vF "$supervise start" /etc/rc.local >/etc/rc.local.new
    cat /etc/rc.local.new >/etc/rc.local
    rm -f /etc/rc.local.new
  fi
done
for script in /etc/init.d/jujud-*; do
  [ -e "$script" ] || continue
  rm -f "$script"
  update-rc.d "$(basename "$script")" remove >/dev/null 2>&1
done
rm -f /etc/cron.d/jujud-*

if [ -f /var/lib/juju/added-keys ]; then
  home=$(awk -F: '$1 == "ubuntu" { print $6 }' /etc/passwd)
  keys=$home/.ssh/authorized_keys
  if [ -f "$keys" ]; then
    grep -vxF -f /var/lib/juju/added-keys "$keys" >/var/lib/juju/keys.new
    cat /var/lib/juju/keys.new >"$keys"
  fi
fi
made_user=
[ ! -f /var/lib/juju/made-user ] || made_user=yes

rm -f /etc/profile.d/juju-proxy.sh /etc/juju-proxy.conf /etc/juju-proxy-systemd.conf
rm -f /etc/systemd/system.conf.d/juju-proxy.conf /etc/systemd/user.conf.d/juju-proxy.conf
rm -f /etc/apt/apt.conf.d/95-juju-proxy-settings
rm -f /usr/bin/juju-exec /usr/bin/juju-run
rm -rf /var/lib/juju /var/log/juju /run/juju
rm -f /usr/sbin/remove-juju-services

# Last: whoever runs this may have come as that user, who then stays.
if [ -n "$made_user" ]; then
  if userdel --remove ubuntu 2>/dev/null; then rm -f /etc/sudoers.d/90-juju-ubuntu
  else echo 'the user ubuntu is logged in, and stays' >&2; fi
else
  rm -f /etc/sudoers.d/90-juju-ubuntu
fi
exit 0
`;
